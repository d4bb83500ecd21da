/* verdict.h - whether a metric became worse between two sets of runs, paired by their
 * circumstances.
 *
 * models.md 10.8. Pairs are compared by ln(new / base), signed so that more is worse. If a value
 * is not positive, they are compared by the difference over the mean of the base; if that mean
 * is 0, any other new mean is infinitely worse or better. A single pair is compared without
 * statistics, as runs are deterministic. */
#pragma once
#include "sim/results/summary.h"
#include "sim/study/paired.h"

enum verdict { VERDICT_PASS, VERDICT_INCONCLUSIVE, VERDICT_FAIL, VERDICTS };
extern const char *const verdict_name[VERDICTS];             /* PASS INCONCLUSIVE FAIL */

struct comparison {
    size_t pairs;
    double base, new;             /* means */
    double worse;                 /* mean worsening: 0.02 is two percent; INFINITY: the base is 0 */
    /* of `worse`, two-sided 95 %, Student; a single pair: the value */
    struct bounds interval;
    struct bounds bootstrap;      /* of `worse`, two-sided 95 %, BCa of 9,999 draws */
    double bound_low, bound_high; /* one-sided bounds at the level of the gate */
    double p_worse;               /* one-sided; null hypothesis: no worsening */
    double p_wilcoxon;
    double deviation;             /* of the pairs' worsenings */
    bool by_difference;           /* some value was not positive */
};
/* base and new: [n] values each, pair by pair, n >= 1, none NaN. level: one-sided, of the gate. */
struct comparison compare_pairs(const double *base, const double *new, size_t n, enum better better,
                                double level);

/* The one-sided level of a gate that looks again after 10, 20, 40 and 80 pairs, in all at most
 * 0.05; of any other number of pairs, and without `sequential`, 0.05: one look. */
double look_level(size_t pairs, bool sequential);

/* FAIL: surely worse (p_worse, adjusted for several metrics, below level) and by more than the
 * margin. PASS: surely not worse by the margin. A single pair: FAIL beyond the margin, else
 * PASS. */
enum verdict verdict_of(const struct comparison *c, double margin, double p_adjusted, double level);
