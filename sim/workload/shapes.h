/* shapes.h - each distinct shape of a request once, numbered from 0 in the order of first
 * appearance. */
#pragma once
#include "sim/workload/workload.h"

struct shapes;
struct shapes *shapes_new(void);
void     shapes_free(struct shapes *t);                       /* NULL: does nothing */
/* its number; s->ask.shape and ask.next are ignored */
shape_id shapes_add(struct shapes *t, const struct shape *s);
/* Where it is: until shapes_free() a shape is there, with its number, though others are where it is then. */
const struct shape *shapes_at(const struct shapes *t, shape_id shape);
bool     shapes_moved(const struct shapes *t);                /* earlier answers of shapes_at() are not where it is now */
uint32_t shapes_count(const struct shapes *t);
/* All there are, where they are now; of t. */
struct shape *shapes_there(const struct shapes *t, uint32_t *n);
/* Takes the array, indexed by shape_id, which the caller frees with free(). Only shapes_moved() and shapes_free() may follow. */
struct shape *shapes_take(struct shapes *t, uint32_t *n);
/* sets every ask.next; again after the array has moved */
void     shapes_link(struct shape *shape, uint32_t n);
/* sets every ask.alike, once nothing is added or changed any more; a shape follows its ask.next */
void     shapes_liken(struct shape *shape, uint32_t n);
