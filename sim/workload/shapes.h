/* shapes.h - each distinct shape of a request once, numbered from 0 in the order of first
 * appearance. */
#pragma once
#include "sim/workload/workload.h"

struct shapes;
struct shapes *shapes_new(void);
void     shapes_free(struct shapes *t);                       /* NULL: does nothing */
/* its number; s->ask.shape and ask.next are ignored */
shape_id shapes_add(struct shapes *t, const struct shape *s);
/* Takes the array, indexed by shape_id, which the caller frees with free(). Only shapes_free() may
 * follow. */
struct shape *shapes_take(struct shapes *t, uint32_t *n);
/* sets every ask.next; again after the array has moved */
void     shapes_link(struct shape *shape, uint32_t n);
/* sets every ask.alike, once nothing is added or changed any more; a shape follows its ask.next */
void     shapes_liken(struct shape *shape, uint32_t n);
