/* adapter_counts.h - the requests of a service by the adapter that they are for: models.md 4.12.
 *
 * Counts of the whole run. Over all entries they sum to those of the service. */
#pragma once
#include "sim/base/units.h"
#include "sim/serving/request_lines.h"

struct adapter_count {
    uint64_t arrived, served, dropped, kept, output_tokens;
    uint64_t timed;               /* of those served: have more than one token */
    int128_t latency_ns, first_token_ns, per_token_ns;       /* sums over those served */
};
struct adapter_counts {
    struct adapter_count *of;     /* [n + 1]; entry 0: of the base model */
    uint32_t n;                   /* 0: no adapters, nothing is counted */
};
struct adapter_counts adapter_counts_of(uint32_t n);
void adapter_counts_free(struct adapter_counts *c);
void adapter_counts_arrived(struct adapter_counts *c, const struct present *r);
void adapter_counts_dropped(struct adapter_counts *c, const struct present *r);
void adapter_counts_served(struct adapter_counts *c, const struct present *r, int64_t end_ns,
                           bool kept);
/* Sum of the entries from `first` up to but not `end`. */
struct adapter_count adapter_counts_sum(const struct adapter_counts *c, uint32_t first,
                                        uint32_t end);
