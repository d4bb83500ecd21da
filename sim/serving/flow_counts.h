/* flow_counts.h - how much of each duration, where requests are a flow: 256 classes for each power of two of a nanosecond, filled from
 * polygons (spread.h). A quantile is straight within its class, hence within 0.3 % where the distribution jumps. */
#pragma once
#include "sim/serving/figures.h"
#include "sim/serving/spread.h"

struct flow_counts {
    double *amount;               /* NULL: none yet */
    uint32_t first, last;         /* classes that have any */
    double n, sum_s;
};
void   flow_counts_add(struct flow_counts *c, const struct spread *s, double amount);
void   flow_counts_merge(struct flow_counts *to, const struct flow_counts *more);
void   flow_counts_clear(struct flow_counts *c);
void   flow_counts_free(struct flow_counts *c);
double flow_counts_quantile_s(const struct flow_counts *c, double p);  /* NAN of none */
struct delays flow_counts_delays(const struct flow_counts *c);
