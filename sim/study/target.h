/* target.h - what a plan is to reach: "wait_p90_s<600", "slo_attainment@service=chat>=0.99".
 *
 * Of one run its value counts as it is. Of several (seeds) the mean does, with Student's interval: the target is met if the bound on
 * its far side meets it, so with `confidence` the expected value does. models.md 10.7. */
#pragma once
#include "sim/base/error.h"
#include "sim/results/summary.h"
#include "sim/study/paired.h"

enum relation { RELATION_BELOW, RELATION_AT_MOST, RELATION_AT_LEAST, RELATION_ABOVE };
enum { TARGET_NAME_MAX = 256 };
struct target {
    const struct metric_kind *kind;
    char scope[TARGET_NAME_MAX];
    enum relation relation;
    double bound;
};
int target_parse(const char *text, struct target *to, struct error *err);    /* 0, or -1 with err */

struct reached { double mean; struct bounds band; bool met; };               /* band: two-sided at level 2 confidence - 1 */
/* x: [n] values of runs, n >= 1. Any that is NaN (it has no value): not met, and no mean. 0.5 <= confidence < 1. */
struct reached target_reached(const struct target *t, const double *x, size_t n, double confidence);
