/* ratios.h - a metric of runs over that of others, paired by seed.
 *
 * The ratio is 1 and the change that `gpuyard compare` tells of these pairs, with the interval of
 * 95 % that it has there (sim/study/verdict.h): of positive values the geometric mean of the ratios
 * of the pairs, else the ratio of the means. Without negative values no bound is below 0; one may
 * be infinite. One pair has no interval: both bounds are its ratio. */
#pragma once
#include <stddef.h>

struct ratio { size_t n; double mean, low, high; };          /* n 0: the base has a mean of 0 */
struct ratio ratio_of_pairs(const double *base, const double *value, size_t n);
