/* statistics.h - tests of samples against laws: Kolmogorov and Smirnov's distance, Pearson's chi-square. */
#pragma once
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <stdbool.h>
#include <stdlib.h>

static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x. The greatest distance of its distribution function from the law's, which may jump where values are tied. */
static inline double ks_distance(double *x, size_t n, double (*below)(double x, const void *law), const void *law)
{
    double d = 0;
    qsort(x, n, sizeof *x, ascending);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && x[next] == x[i]; next++)
            ;
        double p = below(x[i], law), before = next - i > 1 ? below(nextafter(x[i], 0), law) : p;
        d = fmax(d, fmax(before - (double)i / (double)n, (double)next / (double)n - p));
    }
    return d;
}

/* Of level 0.1 %: fixed seeds, but many rows. */
static inline double ks_critical(size_t n)
{
    return 1.949 / sqrt((double)n);
}

/* expected[] in any unit: it is scaled to the sum of the counts. true: no worse than one in 1000 is. */
static inline bool chi_square_agrees(const double *count, const double *expected, size_t bins)
{
    double n = 0, sum = 0, x2 = 0;
    for (size_t i = 0; i < bins; i++) {
        n += count[i];
        sum += expected[i];
    }
    for (size_t i = 0; i < bins; i++) {
        double e = expected[i] / sum * n;
        x2 += (count[i] - e) * (count[i] - e) / e;
    }
    return gsl_cdf_chisq_Q(x2, (double)(bins - 1)) > 1e-3;
}
