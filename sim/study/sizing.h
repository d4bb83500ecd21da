/* sizing.h - what `gpuyard plan` searches for: targets, the values to try, and in which order.
 *
 * A target is a bound on a metric: "wait_p90_s<600", "slo_attainment@service=chat>=0.99". One
 * run counts with its value. Of several runs (seeds) the mean counts, with Student's interval:
 * the target is met if the bound on the far side of the interval meets it, so that the expected
 * value does with the given confidence (models.md 10.7).
 *
 * The points of an experiment become cases: a case is a combination of all axes but the one that
 * is varied, and has the values of that axis in order, each with the runs that count together
 * (one for each seed, and for each trace if traces are samples).
 *
 * A bracket finds the first value of a case that is good, where every value after a good one is
 * good as well: it tries both ends, then the middle between the last bad and the first good one.
 * From the end: the last good value, where every value before it is good. */
#pragma once
#include "sim/base/error.h"
#include "sim/results/summary.h"
#include "sim/study/grid.h"
#include "sim/study/paired.h"

#include <stdbool.h>
#include <stddef.h>

enum relation { RELATION_BELOW, RELATION_AT_MOST, RELATION_AT_LEAST, RELATION_ABOVE };
enum { TARGET_NAME_MAX = 256 };
struct target {
    const struct metric_kind *kind;
    char scope[TARGET_NAME_MAX];
    enum relation relation;
    double bound;
};
int target_parse(const char *text, struct target *to, struct error *err);    /* 0, or -1 with err */

/* band: two-sided at level 2 confidence - 1 */
struct reached { double mean; struct bounds band; bool met; };
/* No metric is below 0, so no band is: Student's interval of a few skewed values may be.
 * x: [n] values of runs, n >= 1. If any is NaN (no value), the target is not met and the mean is
 * NaN. 0.5 <= confidence < 1. */
struct reached target_reached(const struct target *t, const double *x, size_t n, double confidence);

enum tried { NOT_TRIED, TRIED_BAD, TRIED_GOOD };
struct bracket {
    size_t n;
    enum tried *at;               /* [n]; set by the caller after each try */
    bool from_end;                /* search the last good value instead of the first */
};
/* The values to try now, at most two; 0: the search has ended. */
size_t bracket_next(const struct bracket *b, size_t next[2]);
/* the result among tried values; n: none is good */
size_t bracket_found(const struct bracket *b);

struct sizing_value {
    uint32_t value;               /* index on the axis */
    /* [n] indexes into the grid: one for each seed, and trace if traces are samples */
    size_t *point, n;
};
struct sizing_case {              /* a combination of all other axes */
    size_t n;
    struct sizing_value *of;      /* [n] in the order of the axis, without excluded values */
    struct bracket bracket;
};
struct sizing {
    size_t axis;                  /* the one that is varied */
    size_t n;
    struct sizing_case *of;       /* [n] in the order of their first points */
    struct arena *memory;
};
/* The axis `name`; NULL: the only parameter with several values. -1 with err: there is no such
 * axis. */
int sizing_axis(const struct experiment *e, const char *name, size_t *axis, struct error *err);
/* traces_count: the runs of all traces count together, as those of all seeds do. largest:
 * brackets search from the end. */
struct sizing *sizing_new(const struct experiment *e, const struct grid *g, size_t axis,
                          bool traces_count, bool largest);
void sizing_free(struct sizing *s);                          /* NULL: does nothing */
