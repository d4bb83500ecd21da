/* paired.h - statistics of paired differences, one pair for each seed (common random numbers).
 *
 * models.md 10.8. Inputs are not reordered. n >= 2 unless stated otherwise. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bounds { double low, high; };

/* Student: mean, its standard error, and bounds of a two-sided interval of that level (0.95),
 * with n - 1 degrees of freedom. All differences equal: the bounds are the mean. */
struct paired_t { double mean, error; struct bounds interval; };
struct paired_t paired_t(const double *d, size_t n, double level);

/* Fieller's interval of mean(y) / mean(x) of n pairs, where the mean that x is drawn from is known
 * to be positive (Journal of the Royal Statistical Society B 16, 1954, 175): all ratios r for which
 * Student's t of y - r x does not differ from 0 at that level. One side is infinite if the mean of
 * x could be 0, both if that of y could be, too. mean(x) > 0. */
struct bounds ratio_fieller(const double *x, const double *y, size_t n, double level);

/* BCa bootstrap of the mean (Efron, JASA 82, 1987, sections 3 to 6; acceleration by the
 * jackknife): bounds of that level from `resamples` draws of the stream (seed, "bootstrap"). All
 * differences equal: the bounds are the mean. Otherwise one of the resampled means lies on
 * either side; if not (n is tiny) the plain percentiles. */
struct bounds bootstrap_bca(const double *d, size_t n, double level, unsigned resamples,
                            uint64_t seed);

/* Wilcoxon's signed rank test, two-sided: the sum of ranks of positive differences and its
 * p-value. Zeros are left out, ties get mid-ranks. Exact up to WILCOXON_EXACT pairs, conditional
 * on the ties; then by the normal law with continuity and tie corrections (Hollander and Wolfe,
 * Nonparametric Statistical Methods, 3.1). No pair differs: p is 1. n >= 0. */
#define WILCOXON_EXACT 25
struct wilcoxon { double sum, p; size_t used; bool exact; };
struct wilcoxon wilcoxon_signed_rank(const double *d, size_t n);

/* Holm (Scandinavian Journal of Statistics 6, 1979): adjusted p-values of n hypotheses, each at
 * most 1. to may be p. n >= 0 */
void holm(const double *p, size_t n, double *to);

/* Pairs that a test of power 0.8 at two-sided 0.05 needs to see a difference delta: 7.85
 * (deviation / delta)^2, rounded up; at least 2. */
double pairs_needed(double deviation, double delta);
