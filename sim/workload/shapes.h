/* shapes.h - each distinct shape of a request once, numbered from 0 in the order of first sight. */
#pragma once
#include "sim/workload/workload.h"

struct shapes;
struct shapes *shapes_new(void);
void     shapes_free(struct shapes *t);                       /* NULL: does nothing */
shape_id shapes_add(struct shapes *t, const struct shape *s); /* its number, new or old; s->ask.shape and ask.next do not matter */
/* The array, indexed by shape_id; the caller frees it with free(). Ends the table: only shapes_free() may follow. */
struct shape *shapes_take(struct shapes *t, uint32_t *n);
void     shapes_link(struct shape *shape, uint32_t n);        /* sets every ask.next; needed when the array has moved */
