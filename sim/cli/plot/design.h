/* design.h - the points of a sweep by their parameters, as sweep.csv has them.
 *
 * Parameters are its columns between `name` and `metric`, without the seed. A parameter is one of
 * numbers if all its values are; else its values are words, in the order of the file. Points of
 * equal parameters and different seeds are replications of each other.
 *
 * The label of a point has the parameters that differ among the points shown with it: words as they
 * are, numbers as "load = 0.8". Points are ordered by their parameters from left to right, numbers
 * by size; then by their place in the file. */
#pragma once
#include "sim/base/error.h"
#include "sim/base/intern.h"
#include "sim/base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWEEP_FILE "sweep.csv"

struct design_parameter {
    const char *name;
    size_t column;         /* of sweep.csv */
    struct intern *values; /* in the order of the file */
    bool words;            /* some value is no number */
};
struct design_point {
    const char *name, *seed;
    uint32_t *value; /* [parameters] */
};
struct design {
    struct arena *memory;
    size_t parameters, capacity;
    struct design_parameter *parameter;
    struct intern *points; /* by the number in the column `point` */
    struct design_point *point;
    size_t point_capacity, seed_column, point_column;
};

/* Of the sweep at this directory. NULL with err: there is none, or it has no row. */
struct design *design_read(const char *directory, struct error *err);
void design_free(struct design *d); /* NULL: does nothing */
size_t design_points(const struct design *d);
const struct design_point *design_named(const struct design *d, const char *name); /* NULL: none */
double design_value(const struct design *d, const struct design_point *p, size_t parameter);
int design_compare(const struct design *d, const struct design_point *a,
                   const struct design_point *b);
/* Of point p, shown with n others; `seeds`: the seed is a parameter, too. "": they do not differ.
 */
const char *design_label(const struct design *d, const struct design_point *const *shown, size_t n,
                         const struct design_point *p, bool seeds, struct arena *memory);
