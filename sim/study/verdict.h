/* verdict.h - how one metric differs between two sets of runs that are paired by their
 * circumstances, and whether that is worse than a margin allows.
 *
 * models.md 10.8. A cluster is the pairs that share their draw of jobs (runs_cluster()): points of
 * a sweep of one seed. Pairs of one cluster vary together, so a cluster counts once, as the mean of
 * its pairs, and n below is the number of clusters. Clusters weigh the same.
 *
 * change   new over base, less 1: .36 is 36 percent more. It is that of the two means beside it:
 *          geometric ones if all values are positive, otherwise arithmetic ones.
 * interval of the change, two-sided, of confidence 1 - level. Geometric: Student's t on the
 *          logarithms. Arithmetic: Fieller's. Values that are never negative: not below -1.
 *          A base of 0: the change is 0, or infinite in the direction of the new mean.
 * margin   the worsening that is allowed, in parts of the base, whether more or less is worse.
 *
 * One cluster has no statistics: it is compared as it is, as runs are deterministic, and the
 * interval is the change. */
#pragma once
#include "sim/results/summary.h"
#include "sim/study/paired.h"

enum verdict { VERDICT_PASS, VERDICT_INCONCLUSIVE, VERDICT_FAIL, VERDICTS };
extern const char *const verdict_name[VERDICTS];             /* PASS INCONCLUSIVE FAIL */

struct comparison {
    size_t pairs, clusters;
    enum better better;
    bool geometric;
    double base, new;             /* means over clusters, of the kind that `geometric` says */
    double base_mean, new_mean;   /* arithmetic ones in any case */
    double change;
    struct bounds interval;
    struct bounds bootstrap;      /* of the same confidence, BCa; arithmetic: of the ratio made
                                     linear at its value; NaN: not asked for */
    double p_worse;               /* one-sided; null hypothesis: no worsening */
    double p_beyond;              /* the same: no worsening beyond the margin; NaN without margin */
    double p_wilcoxon;            /* two-sided; null hypothesis: no change */
    double clusters_needed;       /* to pass with probability 0.8 if nothing has changed; NaN
                                     without margin, or a margin of 0 */
};

/* What is compared: [n] values on each side, pair by pair, none NaN; n >= 1. cluster: of each
 * pair, all numbers from 0 on are taken; NULL: each pair is its own. resamples: of the bootstrap;
 * 0: none. margin: NaN: none. */
enum { COMPARISON_RESAMPLES = 9999 };
struct paired_values {
    size_t n;
    const double *base, *new;
    const size_t *cluster;
    unsigned resamples;
};
struct comparison compare_pairs(const struct paired_values *v, enum better better, double margin,
                                double level);

/* 1 - the confidence of a gate that looks again after 10, 20, 40 and 80 clusters, in all at most
 * 0.05; of any other number, and without `sequential`, 0.05: one look. */
double look_level(size_t clusters, bool sequential);

/* FAIL: the interval lies beyond the margin, and p_beyond, adjusted for several metrics, is below
 * level / 2, what one end of the interval errs by. PASS: the interval lies within the margin,
 * which itself is within. Otherwise INCONCLUSIVE. */
enum verdict verdict_of(const struct comparison *c, double margin, double p_adjusted, double level);

/* 1: surely worse, the interval is without no change; -1: surely better; 0: neither, or neither
 * direction of this metric is worse. */
int comparison_direction(const struct comparison *c);
