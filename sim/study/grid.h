/* grid.h - the points of an experiment: one run each, with a number and a name that stay. */
#pragma once
#include "sim/study/experiment.h"

#define VALUE_IDLE UINT32_MAX     /* of a parameter that its policy or placer does not have */
struct point {
    uint32_t number;              /* among all combinations, those left out included */
    const uint32_t *value;        /* [n_axes] index of the value of each axis, or VALUE_IDLE */
    const char *name;             /* fit for a directory; no other point has it */
};
struct grid { size_t n; struct point *point; struct arena *memory; };    /* by number */

#define POINTS_MAX 1000000
struct grid *grid_new(const struct experiment *e, struct error *err);    /* NULL with err: too many, none, or names that agree */
void grid_free(struct grid *g);                              /* NULL: does nothing */
const char *point_text(const struct experiment *e, const struct point *p, size_t axis);    /* NULL: idle */
const char *point_label(const struct experiment *e, const struct point *p, size_t axis);   /* likewise: "" */

/* Which of n points are the part of one of several workers of a campaign: neighbours. */
struct shard { size_t index, of; };                          /* 0 of 1: all */
void shard_bounds(struct shard s, size_t n, size_t *first, size_t *end);
