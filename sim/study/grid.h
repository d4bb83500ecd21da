/* grid.h - the points of an experiment: one run each, with a number and a name that do not
 * change.
 *
 * The number counts all combinations like the digits of a number, with the last axis as the
 * lowest digit; combinations that are excluded, or that repeat another one because a parameter
 * is idle, are left out and keep their numbers. */
#pragma once
#include "sim/study/experiment.h"

#define VALUE_IDLE UINT32_MAX     /* a parameter that the point's policy or placer does not have */
struct point {
    uint32_t number;
    const uint32_t *value;        /* [n_axes] index of the value of each axis, or VALUE_IDLE */
    const char *name;             /* valid as a directory; unique */
};
struct grid { size_t n; struct point *point; struct arena *memory; };    /* ascending numbers */

#define POINTS_MAX 1000000
/* NULL with err: too many, none, or equal names */
struct grid *grid_new(const struct experiment *e, struct error *err);
void grid_free(struct grid *g);                              /* NULL: does nothing */
/* NULL: idle */
const char *point_text(const struct experiment *e, const struct point *p, size_t axis);
/* "": idle */
const char *point_label(const struct experiment *e, const struct point *p, size_t axis);

/* Part `index` of `of` equal parts of n points: neighbours first to end - 1. */
struct shard { size_t index, of; };                          /* 0 of 1: all */
void shard_bounds(struct shard s, size_t n, size_t *first, size_t *end);
