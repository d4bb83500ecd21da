/* intern.h - each distinct text once, numbered from 0 in the order of first appearance. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern;
struct intern *intern_new(void);
void        intern_free(struct intern *t);                   /* NULL: does nothing */
uint32_t    intern_add(struct intern *t, const char *text, size_t length);      /* its number */
/* INTERN_NONE: not there */
uint32_t    intern_find(const struct intern *t, const char *text, size_t length);
const char *intern_text(const struct intern *t, uint32_t number);   /* valid as long as the table */
uint32_t    intern_count(const struct intern *t);
