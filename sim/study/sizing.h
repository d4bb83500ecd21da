/* sizing.h - the points of an experiment as what is planned: for each combination of everything else, the values of one axis in
 * order, and of each value the runs that count together. */
#pragma once
#include "sim/study/sizing.h"
#include "sim/study/grid.h"
#include "sim/study/sizing.h"

struct sizing_value {
    uint32_t value;               /* of the axis */
    size_t *point, n;             /* indexes into the grid: one for each seed, and trace if traces are samples */
};
struct sizing_case {              /* a combination of all other axes */
    size_t n;
    struct sizing_value *of;      /* [n] in the order of the axis; those left out by exclusions are not there */
    struct bracket bracket;
};
struct sizing {
    size_t axis;                  /* that is varied */
    size_t n;
    struct sizing_case *of;       /* by their first points */
    struct arena *memory;
};
/* The axis called `name`, or if that is NULL, the only parameter that has several values. -1 with err: there is none such. */
int sizing_axis(const struct experiment *e, const char *name, size_t *axis, struct error *err);
/* traces_count: runs of all traces count together, as those of all seeds do. largest: see bracket.h. */
struct sizing *sizing_new(const struct experiment *e, const struct grid *g, size_t axis, bool traces_count, bool largest);
void sizing_free(struct sizing *s);                          /* NULL: does nothing */
