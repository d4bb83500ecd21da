/* verdict.c - see verdict.h. */
#include "sim/study/verdict.h"

#include "sim/base/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 9999, BOOTSTRAP_SEED = 1 };

const char *const verdict_name[VERDICTS] = { "PASS", "INCONCLUSIVE", "FAIL" };

static bool all_positive(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0))
            return false;
    return true;
}

static void worsenings(const double *base, const double *new, size_t n, double sign,
                       bool by_difference, double *d)
{
    double scale = fabs(gsl_stats_mean(base, 1, n));
    for (size_t i = 0; i < n; i++) {
        double more = new[i] - base[i];
        d[i] = sign * (!by_difference ? log(new[i] / base[i]) : more == 0 ? 0 : more / scale);
    }
}

static double from_nothing(double new, enum better better)
{
    return new == 0 ? 0 : (new > 0) == (better != BETTER_HIGHER) ? INFINITY : -INFINITY;
}

static void single(struct comparison *c, double d)
{
    c->worse = c->interval.low = c->interval.high = c->bootstrap.low = c->bootstrap.high = d;
    c->bound_low = c->bound_high = d;
    c->p_worse = d > 0 ? 0 : 1;
    c->p_wilcoxon = 1;
}

struct comparison compare_pairs(const double *base, const double *new, size_t n, enum better better,
                                double level)
{
    struct comparison c = { .pairs = n, .base = gsl_stats_mean(base, 1, n),
                            .new = gsl_stats_mean(new, 1, n) };
    double *d = mem_new(n, sizeof *d);
    c.by_difference = !all_positive(base, n) || !all_positive(new, n);
    worsenings(base, new, n, better == BETTER_HIGHER ? -1 : 1, c.by_difference, d);
    c.worse = c.by_difference && c.base == 0 ? from_nothing(c.new, better)
                                             : gsl_stats_mean(d, 1, n);
    if (n == 1 || !isfinite(c.worse)) {
        single(&c, c.worse);
        free(d);
        return c;
    }
    struct paired_t t = paired_t(d, n, .95), gate = paired_t(d, n, 1 - 2 * level);
    c.interval = t.interval;
    c.bootstrap = bootstrap_bca(d, n, .95, RESAMPLES, BOOTSTRAP_SEED);
    c.bound_low = gate.interval.low;
    c.bound_high = gate.interval.high;
    c.deviation = t.error * sqrt((double)n);
    c.p_worse = t.error > 0  ? gsl_cdf_tdist_Q(t.mean / t.error, (double)(n - 1))
                : t.mean > 0 ? 0
                             : 1;
    c.p_wilcoxon = wilcoxon_signed_rank(d, n).p;
    free(d);
    return c;
}

double look_level(size_t pairs, bool sequential)
{
    static const struct {
        size_t pairs;
        double level;
    } looks[] = { { 10, .01 }, { 20, .01 }, { 40, .015 }, { 80, .015 } };
    for (size_t i = 0; sequential && i < sizeof looks / sizeof looks[0]; i++)
        if (looks[i].pairs == pairs)
            return looks[i].level;
    return .05;
}

enum verdict verdict_of(const struct comparison *c, double margin, double p_adjusted, double level)
{
    /* 102 is not beyond 2 % of 100 */
    double most = (c->by_difference ? margin : log1p(margin)) * (1 + 1e-12);
    if (c->pairs == 1)
        return c->worse > most ? VERDICT_FAIL : VERDICT_PASS;
    if (p_adjusted < level && c->worse > most)
        return VERDICT_FAIL;
    return c->bound_high < most || (c->deviation == 0 && c->worse <= most) ? VERDICT_PASS
                                                                           : VERDICT_INCONCLUSIVE;
}
