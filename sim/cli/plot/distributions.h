/* distributions.h - the empirical distribution of one number of each run, as curves on a
 * logarithmic axis.
 *
 * Runs that differ in the seed alone are one curve: the share of the jobs of all of them, each job
 * once, in a band from the lowest to the highest share of any of them. As the first is a mean of
 * the others it lies in the band. In kinds with panels of each run (fairness, sessions) each run
 * has its curve.
 *
 * The axis begins at `least`: of times the biggest of 1, 2 and 5 times a power of ten that is below
 * the smallest positive value, or 1 s where that is less and the biggest is 1000 s or more; of
 * slowdowns 1, of other ratios nine tenths of the smallest; but at most six powers of ten below the
 * biggest. What lies below is the height at which the curve starts. */
#pragma once
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/population.h"
#include "sim/study/sample.h"

enum axis_start { START_BELOW, START_AT_ONE, START_NEAR };
struct distribution_style {
    /* "jct_s" of the result file; "jct_s,percent,percent_low,percent_high" of the table, the last
     * two only where `alone` */
    const char *column, *columns;
    enum axis_start start;
    bool waited;               /* the title says which share is above 0 */
    bool median;      /* the title says it */
    const char *what;          /* "job" */
    const char *missing;       /* those without a value: "unfinished left out" */
    bool alone;                /* no other panel: names or a legend stand among the curves */
};
struct distribution {
    struct sample sample;
    size_t zero, missing; /* missing: those of the kind's own, besides jobs unfinished */
    struct population of;
    const struct distribution **seed; /* [seeds] of a group of replications; owned */
    size_t seeds;                     /* 0: of one run */
};

/* Of the jobs that population.h counts: [n], of each run. 0, or -1 with err: no
 * such job, too. */
int distributions_read(const struct plot_request *r, const char *column, struct distribution *of,
                       struct error *err);
void distributions_free(struct distribution *of, size_t n);
/* Tables curve1 .. curveN with steps in per cent, and of a group spread1 .. with its band; facts n,
 * longest, least, biggest, times, spread (there is a band), titleI. Sorts the samples. Returns
 * least. */
double distributions_draw(const struct plot_request *r, const struct distribution_style *style,
                          struct distribution *of, struct figure *f);
/* The same with one curve for the runs of each group. */
void distributions_draw_groups(const struct plot_request *r, const struct distribution_style *style,
                               struct distribution *of, struct figure *f);
const char *distribution_title(const struct plot_request *r, const struct distribution_style *style,
                               const struct distribution *of, size_t i, struct figure *f);
