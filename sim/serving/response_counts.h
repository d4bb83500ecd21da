/* response_counts.h - how many of each duration: for quantiles of any number of requests in bounded memory.
 *
 * Durations below 1024 ns are counted exactly, longer ones in 512 classes for each power of two: a quantile is the middle of
 * its class, within 1/1024 of the true one. Sums are exact. */
#pragma once
#include "sim/base/units.h"
#include "sim/serving/figures.h"

struct response_counts {
    uint64_t *count;              /* NULL: none yet */
    uint32_t first, last;         /* classes that have any */
    uint64_t n;
    int128_t sum_ns;
};
void   response_counts_add(struct response_counts *c, int64_t ns);     /* not negative */
void   response_counts_merge(struct response_counts *to, const struct response_counts *more);
void   response_counts_clear(struct response_counts *c);
void   response_counts_free(struct response_counts *c);
double response_counts_quantile_s(const struct response_counts *c, double p);    /* the value of rank ceil(p n); NAN of none */
struct delays response_counts_delays(const struct response_counts *c);
