/* statistics.h - exact means and quantiles of integer samples. */
#pragma once
#include "sim/base/units.h"

/* Quantile p of type 7 (models.md 10.5): h = (n-1) p, linear between the two neighbours, as
 * gsl_stats_quantile_from_sorted_data. Reorders the sample; O(n). n > 0. */
double quantile(int64_t *sample, size_t n, double p);
/* Parts of the numbers: one for those below 0, and one for all others with the same first 9 bits. Greater numbers lie in the same part
 * or a later one. */
enum { PART_BITS = 8, PARTS_OF_NUMBERS = 1 + ((64 - PART_BITS) << PART_BITS) };
static inline uint32_t part_of_number(int64_t x)
{
    if (x < 0)
        return 0;
    if (x >> PART_BITS == 0)
        return 1 + (uint32_t)x;
    unsigned shift = 63 - PART_BITS - (unsigned)__builtin_clzll((uint64_t)x);
    return 1 + ((shift + 1) << PART_BITS) + ((uint32_t)(x >> shift) & ((1 << PART_BITS) - 1));
}

/* How many numbers of a sample lie in each part, counted as it comes. Zeroed: of no number. */
struct number_parts { uint32_t n[PARTS_OF_NUMBERS]; };
static inline void number_parts_add(struct number_parts *p, int64_t x)
{
    p->n[part_of_number(x)]++;
}

/* quantile() of elements at .. at + n of a bulk array, of which the memory in use does not grow with n: value[i] is quantile p[i].
 * counted: those elements; NULL: they are counted here, in a walk. A part in which the two neighbours lie is made narrower by further walks
 * while much lies in it; of the last walk all quantiles share the copy. */
void quantiles_of_part(const int64_t *array, size_t at, size_t n, const struct number_parts *counted, const double *p, double *value,
                       size_t count);

/* Jain, Chiu, Hawe (DEC-TR-301, 1984): (sum x)^2 / (n sum x^2). 1 if all are equal, 1/n if one has all. NaN: all are 0, or n is. */
double jain_index(const double *x, size_t n);

/* A sum of doubles with compensation (Neumaier, ZAMM 54, 1974): the order of a million terms does not show. */
struct exact_sum { double sum, rest; };
void   sum_add(struct exact_sum *s, double x);
double sum_value(const struct exact_sum *s);
