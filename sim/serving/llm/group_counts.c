/* group_counts.c - see group_counts.h. */
#include "sim/serving/llm/group_counts.h"

#include "sim/base/memory.h"

#include <stdlib.h>

struct group_counts group_counts_of(uint32_t n)
{
    return (struct group_counts){ n ? mem_new(n + 1, sizeof(struct group_count)) : NULL, n };
}

void group_counts_free(struct group_counts *c)
{
    free(c->of);
    *c = (struct group_counts){ 0 };
}

void group_counts_arrived(struct group_counts *c, const struct present *r)
{
    if (c->n)
        c->of[r->ask.set].arrived++;
}

void group_counts_dropped(struct group_counts *c, const struct present *r)
{
    if (c->n)
        c->of[r->ask.set].dropped++;
}

void group_counts_served(struct group_counts *c, const struct present *r, int64_t end_ns,
                         bool kept)
{
    if (c->n == 0)
        return;
    struct group_count *to = &c->of[r->ask.set];
    uint32_t gaps = r->ask.output_tokens - 1;
    to->served++;
    to->kept += kept;
    to->output_tokens += r->ask.output_tokens;
    to->latency_ns += end_ns - r->ask.time_ns;
    to->first_token_ns += r->first_token_ns - r->ask.time_ns;
    to->timed += gaps > 0;
    to->per_token_ns += gaps > 0 ? (end_ns - r->first_token_ns) / gaps : 0;
}

struct group_count group_counts_sum(const struct group_counts *c, uint32_t first, uint32_t end)
{
    struct group_count all = { 0 };
    for (uint32_t i = first; i < end; i++) {
        const struct group_count *one = &c->of[i];
        all.arrived += one->arrived;
        all.served += one->served;
        all.dropped += one->dropped;
        all.kept += one->kept;
        all.output_tokens += one->output_tokens;
        all.timed += one->timed;
        all.latency_ns += one->latency_ns;
        all.first_token_ns += one->first_token_ns;
        all.per_token_ns += one->per_token_ns;
    }
    return all;
}
