/* sample.h - what is said of a sample of numbers: quantiles, the empirical distribution, the mean with its interval.
 *
 * Quantile p of n values in ascending order is of type 7: at h = (n - 1) p, linear between the two neighbours (Hyndman and Fan,
 * The American Statistician 50, 1996; gsl_stats_quantile_from_sorted_data).
 *
 * The empirical distribution is the share of values that are at most x: a step at each distinct value. For a picture a step is
 * left out where it could not be seen: less than 1/1500 of the values after the last one that is shown, and less than 0.5 %
 * right of it. The last value is always there, with share 1.
 *
 * The interval of a mean of n independent values is Student's: mean +- t(n - 1, 0.975) s / sqrt(n). All equal, or one value: its
 * half width is 0. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample { double *value; size_t n, capacity; };         /* value: owned */

void   sample_add(struct sample *s, double value);
void   sample_sort(struct sample *s);                         /* ascending, as the functions below want it */
void   sample_free(struct sample *s);
double sample_quantile(const struct sample *s, double p);     /* 0 <= p <= 1; n > 0 */

/* Mid-ranks of n values, not reordered, from 1 and doubled so that they are whole; returns the sum of
 * t^3 - t over the groups of t equal values. */
double sample_twice_ranks(const double *value, size_t n, uint64_t *twice);

struct ecdf_step { double at_most, share; };
size_t sample_steps(const struct sample *s, struct ecdf_step **step);    /* how many; *step: free() it. n > 0 */

struct estimate { double mean, half; size_t n; };             /* NaN, 0 and 0 of no value */
struct estimate estimate_mean(const double *value, size_t n);    /* with its interval of 95 % */
