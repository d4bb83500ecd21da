/* test_slow_faults.c - the law of slow faults: models.md 8.5, by Kolmogorov and Smirnov and by shares, with controls that fail. */
#include "sim/models/slow_faults.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

enum { N = 100000 };
static double x[N];

static int by_value(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* p > 1e-4: sqrt(n) D below sqrt(-ln(p / 2) / 2). models.md 11.1. */
static bool fits(size_t n, double (*law)(double, const double *), const double *parameter)
{
    double d = 0;
    qsort(x, n, sizeof *x, by_value);
    for (size_t i = 0; i < n; i++) {
        double p = law(x[i], parameter);
        d = fmax(d, fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p));
    }
    return sqrt((double)n) * d < sqrt(-log(1e-4 / 2) / 2);
}

static double exponential_p(double at, const double *p) { return gsl_cdf_exponential_P(at, p[0]); }
static double lognormal_p(double at, const double *p) { return gsl_cdf_lognormal_P(at, p[0], p[1]); }

/* Onsets of a node of 4 GPUs come at half the rate. A median of 52,404 s and sigma 1 have a mean of a day. */
static void laws(void **state)
{
    (void)state;
    struct slow_stream s;
    double detect_s = 0;
    slow_stream(&slow_law_usual, 1, 7, 4, &s);
    for (int i = 0; i < N; i++)
        x[i] = seconds(slow_next(&slow_law_usual, &s).after_ns) / 86400;
    assert_true(fits(N, exponential_p, (double[]){ 2 / .005 }));
    assert_false(fits(N, exponential_p, (double[]){ 2 / .00515 }));
    for (int i = 0; i < N; i++)
        x[i] = seconds(slow_next(&slow_law_usual, &s).detect_ns), detect_s += x[i] / N;
    assert_true(fits(N, lognormal_p, (double[]){ log(52404), 1 }));
    assert_false(fits(N, lognormal_p, (double[]){ log(52404), 1.03 }));
    assert_true(fabs(52404 * exp(.5) / 86400 - 1) < 1e-5);
    assert_true(fabs(detect_s / 86400 - 1) < 4 * sqrt((exp(1) - 1) / N));
}

/* Paces .9, .75 and .5 in shares of .7, .2 and .1, within 4.5 standard errors. */
static void paces(void **state)
{
    (void)state;
    struct slow_stream s;
    double n[3] = { 0 };
    const double share[3] = { .7, .2, .1 }, pace[3] = { .9, .75, .5 };
    slow_stream(&slow_law_usual, 2, 0, 8, &s);
    for (int i = 0; i < N; i++) {
        double drawn = slow_next(&slow_law_usual, &s).pace;
        for (int k = 0; k < 3; k++)
            n[k] += drawn == pace[k];
    }
    assert_true(n[0] + n[1] + n[2] == N);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(n[k] - N * share[k]) < 4.5 * sqrt(N * share[k] * (1 - share[k])));
    assert_false(fabs(n[2] - N * .11) < 4.5 * sqrt(N * .11 * .89));          /* control */
}

/* P(residual <= t) = (1/E[L]) integral of P(L > u) over u to t: E[L; L <= t]/E[L] + t P(L > t)/E[L], and E[L; L <= t]/E[L] =
 * Phi((ln t - mu)/sigma - sigma) for a lognormal L. */
static double residual_p(double at, const double *p)
{
    double mean = exp(p[0] + p[1] * p[1] / 2), z = (log(at) - p[0]) / p[1];
    return gsl_cdf_ugaussian_P(z - p[1]) + at * gsl_cdf_ugaussian_Q(z) / mean;
}

/* At the beginning .005 of the nodes are slow, and for the stationary residual. */
static void begins(void **state)
{
    (void)state;
    size_t slow = 0, all = 0;
    struct slow_law often = slow_law_usual;
    for (; all < 10 * N; all++) {
        struct slow_stream s;
        slow_stream(&slow_law_usual, 3, (uint32_t)all, 8, &s);
        slow += slow_first(&slow_law_usual, &s).after_ns == 0;
    }
    assert_true(fabs((double)slow - .005 * (double)all) < 4.5 * sqrt(.005 * (double)all));
    assert_false(fabs((double)slow - .006 * (double)all) < 4.5 * sqrt(.006 * (double)all));
    often.share_at_start = 1;
    for (uint32_t i = 0; i < N; i++) {
        struct slow_stream s;
        slow_stream(&often, 4, i, 8, &s);
        x[i] = seconds(slow_first(&often, &s).detect_ns);
    }
    assert_true(fits(N, residual_p, (double[]){ log(52404), 1 }));
    assert_false(fits(N, lognormal_p, (double[]){ log(52404), 1 }));         /* control: not the law of a whole one */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(laws), cmocka_unit_test(paces), cmocka_unit_test(begins) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
