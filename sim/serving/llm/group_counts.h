/* group_counts.h - the requests of a service by the set of weights that they are for (weights.h):
 * an adapter or a model.
 *
 * Counts of the whole run. Over all entries they sum to those of the service. */
#pragma once
#include "sim/base/units.h"
#include "sim/serving/request_lines.h"

struct group_count {
    uint64_t arrived, served, dropped, kept, output_tokens;
    uint64_t timed;               /* of those served: have more than one token */
    int128_t latency_ns, first_token_ns, per_token_ns;       /* sums over those served */
};
struct group_counts {
    struct group_count *of;       /* [n + 1]; entry 0: of none */
    uint32_t n;                   /* 0: no sets, nothing is counted */
};
struct group_counts group_counts_of(uint32_t n);
void group_counts_free(struct group_counts *c);
void group_counts_arrived(struct group_counts *c, const struct present *r);
void group_counts_dropped(struct group_counts *c, const struct present *r);
void group_counts_served(struct group_counts *c, const struct present *r, int64_t end_ns,
                         bool kept);
/* Sum of the entries from `first` up to but not `end`. */
struct group_count group_counts_sum(const struct group_counts *c, uint32_t first, uint32_t end);
