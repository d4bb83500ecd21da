/* paired.c - see paired.h. */
#include "sim/study/paired.h"

#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/study/sample.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool all_equal(const double *d, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (d[i] != d[0])
            return false;
    return true;
}

struct paired_t paired_t(const double *d, size_t n, double level)
{
    if (all_equal(d, n))
        return (struct paired_t){ d[0], 0, { d[0], d[0] } };
    double mean = gsl_stats_mean(d, 1, n), error = gsl_stats_sd_m(d, 1, n, mean) / sqrt((double)n);
    double reach = error * gsl_cdf_tdist_Pinv((1 + level) / 2, (double)(n - 1));
    return (struct paired_t){ mean, error, { mean - reach, mean + reach } };
}

struct bounds ratio_fieller(const double *x, const double *y, size_t n, double level)
{
    double t = gsl_cdf_tdist_Pinv((1 + level) / 2, (double)(n - 1)), tt = t * t / (double)n;
    double mx = gsl_stats_mean(x, 1, n), my = gsl_stats_mean(y, 1, n);
    /* r is within if a r^2 - 2 b r + c <= 0 */
    double a = mx * mx - tt * gsl_stats_variance_m(x, 1, n, mx),
           b = mx * my - tt * gsl_stats_covariance_m(x, 1, y, 1, n, mx, my),
           c = my * my - tt * gsl_stats_variance_m(y, 1, n, my);
    double root = sqrt(fmax(0, b * b - a * c));
    if (a > 0)
        return (struct bounds){ (b - root) / a, (b + root) / a };
    if (c > 0)
        return my > 0 ? (struct bounds){ c / (b + root), INFINITY }
                      : (struct bounds){ -INFINITY, c / (b - root) };
    return (struct bounds){ -INFINITY, INFINITY };
}

/* ---- Bootstrap ---- */

static void resample(const double *d, size_t n, unsigned resamples, uint64_t seed, double *mean)
{
    struct random r;
    random_init(&r, seed, "bootstrap", n);
    for (unsigned b = 0; b < resamples; b++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += d[random_below(&r, n)];
        mean[b] = sum / (double)n;
    }
    qsort(mean, resamples, sizeof *mean, by_value);
}

/* Efron (1987), eq. 6.6 with the jackknife's values: a sixth of the skewness of n means, each
 * without one difference. */
static double acceleration(const double *d, size_t n, double mean)
{
    double squares = 0, cubes = 0;
    for (size_t i = 0; i < n; i++) {
        double u = (d[i] - mean) / (double)(n - 1);
        squares += u * u;
        cubes += u * u * u;
    }
    return cubes / (6 * pow(squares, 1.5));
}

/* A resample of all differences in another order has their mean, but for rounding. */
#define SAME_MEAN 1e-9            /* of the range */

static double share_below(const double *sorted, unsigned n, double x)
{
    double below = 0, same = SAME_MEAN * (sorted[n - 1] - sorted[0]);
    for (unsigned i = 0; i < n && sorted[i] <= x + same; i++)
        below += sorted[i] < x - same ? 1 : .5;
    return below / n;
}

struct bounds bootstrap_bca(const double *d, size_t n, double level, unsigned resamples,
                            uint64_t seed)
{
    if (all_equal(d, n))
        return (struct bounds){ d[0], d[0] };
    double *mean = mem_new(resamples, sizeof *mean), bound[2], centre = gsl_stats_mean(d, 1, n);
    resample(d, n, resamples, seed, mean);
    double below = share_below(mean, resamples, centre), bias = 0, a = 0;
    if (below > 0 && below < 1) {
        bias = gsl_cdf_ugaussian_Pinv(below);
        a = acceleration(d, n, centre);
    }
    for (unsigned side = 0; side < 2; side++) {
        double z = bias + gsl_cdf_ugaussian_Pinv(side ? (1 + level) / 2 : (1 - level) / 2);
        bound[side] = gsl_stats_quantile_from_sorted_data(
            mean, 1, resamples, gsl_cdf_ugaussian_P(bias + z / (1 - a * z)));
    }
    free(mean);
    return (struct bounds){ bound[0], bound[1] };
}

/* ---- Wilcoxon ---- */

/* Of 2^n equally likely signs, the share with a doubled rank sum of at most `sum`. */
static double exact_tail(const uint64_t *twice_rank, size_t n, uint64_t sum)
{
    uint64_t most = n * (n + 1);
    double *ways = mem_new(most + 1, sizeof *ways), tail = 0;
    ways[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (uint64_t s = most; s >= twice_rank[i]; s--)
            ways[s] += ways[s - twice_rank[i]];
    for (uint64_t s = 0; s <= sum; s++)
        tail += ways[s];
    free(ways);
    return tail / ldexp(1, (int)n);
}

static double normal_p(size_t n, double sum, double ties)
{
    double m = (double)n, mean = m * (m + 1) / 4,
           variance = m * (m + 1) * (2 * m + 1) / 24 - ties / 48;
    double z = fmax(0, fabs(sum - mean) - .5) / sqrt(variance);
    return 2 * gsl_cdf_ugaussian_Q(z);
}

struct wilcoxon wilcoxon_signed_rank(const double *d, size_t n)
{
    double *size = mem_new(n + 1, sizeof *size);
    bool *positive = mem_new(n + 1, sizeof *positive);
    uint64_t *twice_rank = mem_new(n + 1, sizeof *twice_rank), twice = 0;
    struct wilcoxon w = { .p = 1, .exact = true };
    for (size_t i = 0; i < n; i++) {
        size[w.used] = fabs(d[i]);
        positive[w.used] = d[i] > 0;
        w.used += d[i] != 0;
    }
    double ties = sample_twice_ranks(size, w.used, twice_rank);
    for (size_t i = 0; i < w.used; i++)
        twice += positive[i] ? twice_rank[i] : 0;
    uint64_t most = w.used * (w.used + 1), less = twice < most - twice ? twice : most - twice;
    w.sum = (double)twice / 2;
    w.exact = w.used <= WILCOXON_EXACT;
    if (w.used)
        w.p = fmin(1, w.exact ? 2 * exact_tail(twice_rank, w.used, less)
                              : normal_p(w.used, w.sum, ties));
    free(size);
    free(positive);
    free(twice_rank);
    return w;
}

/* ---- Several metrics ---- */

void holm(const double *p, size_t n, double *to)
{
    size_t *order = mem_new(n + 1, sizeof *order);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && p[order[at - 1]] > p[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    double largest = 0, *adjusted = mem_new(n + 1, sizeof *adjusted);
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fmin(1, p[order[i]] * (double)(n - i)));
        adjusted[order[i]] = largest;
    }
    memcpy(to, adjusted, n * sizeof *to);
    free(adjusted);
    free(order);
}

double pairs_needed(double deviation, double delta)
{
    return fmax(2, ceil(7.85 * (deviation / delta) * (deviation / delta)));
}
