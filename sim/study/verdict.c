/* verdict.c - see verdict.h. */
#include "sim/study/verdict.h"

#include "sim/base/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

enum { BOOTSTRAP_SEED = 1 };
#define ROUNDING 1e-12            /* 102 is not beyond 2 % of 100 */

const char *const verdict_name[VERDICTS] = { "PASS", "INCONCLUSIVE", "FAIL" };

/* The clusters' means. base, new: of logarithms if the comparison is geometric; worse: their
 * difference, signed so that more is worse. */
struct clusters {
    size_t n;
    double *base, *new, *worse;
    double sign;                  /* of a change for the worse */
    unsigned resamples;
};

static bool all_above(const double *x, size_t n, bool zero_too)
{
    for (size_t i = 0; i < n; i++)
        if (!(zero_too ? x[i] >= 0 : x[i] > 0))
            return false;
    return true;
}

static double *cluster_means(const struct paired_values *v, const double *value, bool logarithms,
                             size_t n)
{
    double *mean = mem_new(n, sizeof *mean), *members = mem_new(n, sizeof *members);
    for (size_t i = 0; i < v->n; i++) {
        size_t at = v->cluster ? v->cluster[i] : i;
        mean[at] += logarithms ? log(value[i]) : value[i];
        members[at]++;
    }
    for (size_t i = 0; i < n; i++)
        mean[i] /= members[i];
    free(members);
    return mean;
}

static size_t count_clusters(const struct paired_values *v)
{
    size_t n = v->cluster ? 0 : v->n;
    for (size_t i = 0; v->cluster && i < v->n; i++)
        n = v->cluster[i] >= n ? v->cluster[i] + 1 : n;
    return n;
}

static void clusters_make(struct clusters *k, const struct paired_values *v, bool logarithms)
{
    k->base = cluster_means(v, v->base, logarithms, k->n);
    k->new = cluster_means(v, v->new, logarithms, k->n);
    k->worse = mem_new(k->n, sizeof *k->worse);
    for (size_t i = 0; i < k->n; i++)
        k->worse[i] = k->sign * (k->new[i] - k->base[i]);
}

static void clusters_free(struct clusters *k)
{
    free(k->base);
    free(k->new);
    free(k->worse);
}

/* One-sided: the mean of d is at most `most`. */
static double p_above(const double *d, size_t n, double most)
{
    double mean = gsl_stats_mean(d, 1, n);
    if (n == 1)
        return mean - most > ROUNDING * fabs(most) ? 0 : 1;
    struct paired_t t = paired_t(d, n, .95);
    return t.error > 0                                ? gsl_cdf_tdist_Q((t.mean - most) / t.error,
                                                                        (double)(n - 1))
           : t.mean - most > ROUNDING * fabs(most)    ? 0
                                                      : 1;
}

static double deviation(const double *d, size_t n)
{
    return n > 1 ? gsl_stats_sd(d, 1, n) : 0;
}

static struct bounds bootstrap_of(const double *d, const struct clusters *k, double level)
{
    if (k->resamples == 0)
        return (struct bounds){ (double)NAN, (double)NAN };
    return bootstrap_bca(d, k->n, 1 - level, k->resamples, BOOTSTRAP_SEED);
}

static struct bounds share_of(struct bounds logarithm)
{
    return (struct bounds){ expm1(logarithm.low), expm1(logarithm.high) };
}

/* ---- All values positive: logarithms ---- */

static void geometric(struct comparison *c, const struct clusters *k, double margin, double level)
{
    double most = k->sign * log1p(k->sign * margin);
    c->base = exp(gsl_stats_mean(k->base, 1, k->n));
    c->new = exp(gsl_stats_mean(k->new, 1, k->n));
    c->change = expm1(k->sign * gsl_stats_mean(k->worse, 1, k->n));
    c->interval = c->bootstrap = (struct bounds){ c->change, c->change };
    if (k->n > 1) {
        double *more = mem_new(k->n, sizeof *more);
        for (size_t i = 0; i < k->n; i++)
            more[i] = k->sign * k->worse[i];
        c->interval = share_of(paired_t(more, k->n, 1 - level).interval);
        c->bootstrap = share_of(bootstrap_of(more, k, level));
        free(more);
    }
    if (!isnan(margin))
        c->p_beyond = p_above(k->worse, k->n, most);
    if (margin > 0)
        c->clusters_needed = pairs_needed(deviation(k->worse, k->n), most);
}

/* ---- Otherwise: the ratio of the means ---- */

/* The base is 0: any change is infinite, and sure if its direction is. */
static struct bounds from_nothing(const double *more, size_t n, double level)
{
    struct bounds b = paired_t(more, n, 1 - level).interval;
    if (b.low == 0 && b.high == 0)
        return b;
    return (struct bounds){ b.low > 0 ? INFINITY : -INFINITY, b.high < 0 ? -INFINITY : INFINITY };
}

static struct bounds linear_bootstrap(const double *size, const double *more,
                                      const struct clusters *k, double change, double level)
{
    double *d = mem_new(k->n, sizeof *d), mean = gsl_stats_mean(size, 1, k->n);
    for (size_t i = 0; i < k->n; i++)
        d[i] = change + (more[i] - change * size[i]) / mean;
    struct bounds b = bootstrap_of(d, k, level);
    free(d);
    return b;
}

static double over(double more, double size)
{
    return more == 0 ? 0 : size == 0 ? copysign(INFINITY, more) : more / size;
}

/* size: of the bases, so that their mean is not negative; more: new less base. */
static void change_of_means(struct comparison *c, const double *size, const double *more,
                            const struct clusters *k, double level)
{
    size_t n = k->n;
    double mean = n ? gsl_stats_mean(size, 1, n) : 0;
    c->change = n ? over(gsl_stats_mean(more, 1, n), mean) : 0;
    c->interval = c->bootstrap = (struct bounds){ c->change, c->change };
    if (n > 1 && mean > 0) {
        c->interval = ratio_fieller(size, more, n, 1 - level);
        c->bootstrap = linear_bootstrap(size, more, k, c->change, level);
    } else if (n > 1) {
        c->interval = c->bootstrap = from_nothing(more, n, level);
    }
}

static void arithmetic(struct comparison *c, const struct clusters *k, double margin, double level)
{
    double *size = mem_new(k->n, sizeof *size), *more = mem_new(k->n, sizeof *more),
           *beyond = mem_new(k->n, sizeof *beyond);
    c->base = c->base_mean;
    c->new = c->new_mean;
    for (size_t i = 0; i < k->n; i++) {
        size[i] = c->base < 0 ? -k->base[i] : k->base[i];
        more[i] = k->sign * k->worse[i];
        beyond[i] = k->worse[i] - margin * size[i];
    }
    change_of_means(c, size, more, k, level);
    if (!isnan(margin))
        c->p_beyond = p_above(beyond, k->n, 0);
    if (margin > 0 && c->base != 0)
        c->clusters_needed = pairs_needed(deviation(beyond, k->n) / fabs(c->base), margin);
    free(size);
    free(more);
    free(beyond);
}

static void not_below(struct bounds *b, double least)
{
    b->low = b->low < least ? least : b->low;
    b->high = b->high < least ? least : b->high;
}

struct comparison compare_pairs(const struct paired_values *v, enum better better, double margin,
                                double level)
{
    struct comparison c = { .pairs = v->n, .clusters = count_clusters(v), .better = better,
                            .p_beyond = (double)NAN, .clusters_needed = (double)NAN };
    struct clusters k = { .n = c.clusters, .sign = better == BETTER_HIGHER ? -1 : 1,
                          .resamples = v->resamples };
    clusters_make(&k, v, false);
    c.base_mean = gsl_stats_mean(k.base, 1, k.n);
    c.new_mean = gsl_stats_mean(k.new, 1, k.n);
    c.geometric = all_above(v->base, v->n, false) && all_above(v->new, v->n, false);
    if (c.geometric) {
        clusters_free(&k);
        clusters_make(&k, v, true);
        geometric(&c, &k, margin, level);
    } else {
        arithmetic(&c, &k, margin, level);
    }
    if (all_above(v->base, v->n, true) && all_above(v->new, v->n, true)) {
        double least = c.base == 0 ? 0 : -1;
        not_below(&c.interval, least);
        not_below(&c.bootstrap, least);
    }
    c.p_worse = p_above(k.worse, k.n, 0);
    c.p_wilcoxon = wilcoxon_signed_rank(k.worse, k.n).p;
    clusters_free(&k);
    return c;
}

double look_level(size_t clusters, bool sequential)
{
    static const struct {
        size_t clusters;
        double level;
    } looks[] = { { 10, .01 }, { 20, .01 }, { 40, .015 }, { 80, .015 } };
    for (size_t i = 0; sequential && i < sizeof looks / sizeof looks[0]; i++)
        if (looks[i].clusters == clusters)
            return looks[i].level;
    return .05;
}

/* The interval as a worsening. */
static struct bounds worsening(const struct comparison *c)
{
    return c->better == BETTER_HIGHER
               ? (struct bounds){ -c->interval.high, -c->interval.low }
               : c->interval;
}

enum verdict verdict_of(const struct comparison *c, double margin, double p_adjusted, double level)
{
    struct bounds worse = worsening(c);
    double most = margin * (1 + ROUNDING);
    if (worse.high <= most)
        return VERDICT_PASS;
    return worse.low > most && p_adjusted < level / 2 ? VERDICT_FAIL : VERDICT_INCONCLUSIVE;
}

int comparison_direction(const struct comparison *c)
{
    struct bounds worse = worsening(c);
    if (c->better == BETTER_NEITHER)
        return 0;
    return (worse.low > 0) - (worse.high < 0);
}
