/* statistics.h - exact means and quantiles of integer samples. */
#pragma once
#include "sim/base/units.h"

/* Quantile p of type 7 (models.md 10.5): h = (n-1) p, linear between the two neighbours, as
 * gsl_stats_quantile_from_sorted_data. Reorders the sample; O(n). n > 0. */
double quantile(int64_t *sample, size_t n, double p);
/* The same of elements at .. at + n of a bulk array, of which the memory in use does not grow with n: value[i] is quantile p[i].
 * A range of values in which the two neighbours lie is made narrower, in a few walks of which all quantiles share the first two
 * and the last, until what lies in it is few. */
void quantiles_of_part(const int64_t *array, size_t at, size_t n, const double *p, double *value, size_t count);

/* Jain, Chiu, Hawe (DEC-TR-301, 1984): (sum x)^2 / (n sum x^2). 1 if all are equal, 1/n if one has all. NaN: all are 0, or n is. */
double jain_index(const double *x, size_t n);

/* A sum of doubles with compensation (Neumaier, ZAMM 54, 1974): the order of a million terms does not show. */
struct exact_sum { double sum, rest; };
void   sum_add(struct exact_sum *s, double x);
double sum_value(const struct exact_sum *s);
