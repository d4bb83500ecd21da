/* tally.c - see tally.h. */
#include "sim/serving/tally.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- durations ---- */

enum {
    EXACT_BITS = 10,
    SUB_BITS = 9,
    EXACT = 1 << EXACT_BITS,
    SUB = 1 << SUB_BITS,
    CLASSES = EXACT + (63 - EXACT_BITS) * SUB
};

static uint32_t class_of(int64_t ns)
{
    if (ns < EXACT)
        return (uint32_t)ns;
    int power = 63 - __builtin_clzll((unsigned long long)ns);
    return EXACT + (uint32_t)(power - EXACT_BITS) * SUB +
           ((uint32_t)(ns >> (power - SUB_BITS)) & (SUB - 1));
}

static double middle_s(uint32_t class)
{
    if (class < EXACT)
        return (double)class / NS_PER_S;
    int power = EXACT_BITS + (int)(class - EXACT) / SUB;
    return (SUB + (class - EXACT) % SUB + 0.5) * ldexp(1, power - SUB_BITS) / NS_PER_S;
}

void response_counts_add(struct response_counts *c, int64_t ns)
{
    uint32_t class = class_of(ns);
    if (!c->count)
        c->count = mem_new(CLASSES, sizeof *c->count);
    if (c->n == 0 || class < c->first)
        c->first = class;
    if (c->n == 0 || class > c->last)
        c->last = class;
    c->count[class]++;
    c->n++;
    c->sum_ns += ns;
}

void response_counts_merge(struct response_counts *to, const struct response_counts *more)
{
    if (more->n == 0)
        return;
    if (!to->count)
        to->count = mem_new(CLASSES, sizeof *to->count);
    to->first = to->n == 0 || more->first < to->first ? more->first : to->first;
    to->last = to->n == 0 || more->last > to->last ? more->last : to->last;
    for (uint32_t class = more->first; class <= more->last; class++)
        to->count[class] += more->count[class];
    to->n += more->n;
    to->sum_ns += more->sum_ns;
}

void response_counts_clear(struct response_counts *c)
{
    if (c->n)
        memset(c->count + c->first, 0, (c->last - c->first + 1) * sizeof *c->count);
    c->n = 0;
    c->sum_ns = 0;
}

void response_counts_free(struct response_counts *c)
{
    free(c->count);
    *c = (struct response_counts){ 0 };
}

double response_counts_quantile_s(const struct response_counts *c, double p)
{
    if (c->n == 0)
        return NAN;
    uint64_t rank = (uint64_t)ceil(p * (double)c->n), up_to = 0;
    rank = rank < 1 ? 1 : rank > c->n ? c->n : rank;
    uint32_t class = c->first;
    while ((up_to += c->count[class]) < rank)
        class++;
    return middle_s(class);
}

struct delays response_counts_delays(const struct response_counts *c)
{
    return (struct delays){ c->n ? (double)c->sum_ns / NS_PER_S / (double)c->n : NAN,
                            response_counts_quantile_s(c, .5), response_counts_quantile_s(c, .9),
                            response_counts_quantile_s(c, .95),
                            response_counts_quantile_s(c, .99) };
}

/* ---- requests ---- */

void tally_free(struct tally *t)
{
    response_counts_free(&t->latency);
    response_counts_free(&t->first_token);
    response_counts_free(&t->per_token);
    response_counts_free(&t->gap);
}

void tally_clear(struct tally *t, int64_t from_ns)
{
    struct response_counts latency = t->latency, first_token = t->first_token,
                           per_token = t->per_token, gap = t->gap;
    response_counts_clear(&latency);
    response_counts_clear(&first_token);
    response_counts_clear(&per_token);
    response_counts_clear(&gap);
    *t = (struct tally){ .from_ns = from_ns,
                         .latency = latency,
                         .first_token = first_token,
                         .per_token = per_token,
                         .gap = gap };
}

void tally_add(struct tally *to, const struct tally *more)
{
    to->arrived += more->arrived;
    to->served += more->served;
    to->dropped += more->dropped;
    to->kept += more->kept;
    to->prompt_tokens += more->prompt_tokens;
    to->output_tokens += more->output_tokens;
    to->windows += more->windows;
    to->windows_kept += more->windows_kept;
    to->rejected += more->rejected;
    to->preempted += more->preempted;
    to->steps += more->steps;
    to->computed_tokens += more->computed_tokens;
    to->skipped_tokens += more->skipped_tokens;
    weight_loads_add(&to->loads, &more->loads);
    to->kv_peak = fmax(to->kv_peak, more->kv_peak);
    to->kv_block_ns += more->kv_block_ns;
    to->replica_ns += more->replica_ns;
    to->busy_ns += more->busy_ns;
    to->concurrency_ns += more->concurrency_ns;
    response_counts_merge(&to->latency, &more->latency);
    response_counts_merge(&to->first_token, &more->first_token);
    response_counts_merge(&to->per_token, &more->per_token);
    response_counts_merge(&to->gap, &more->gap);
}

bool tally_served(struct tally *t, const struct service *s, const struct present *r, int64_t end_ns)
{
    int64_t latency_ns = end_ns - r->ask.time_ns;
    bool kept = seconds(latency_ns) <= s->slo.latency_s;
    t->served++;
    response_counts_add(&t->latency, latency_ns);
    if (service_is_llm(s)) {
        /* the engine of 4.2 has its first token after the prefill, in no time of its own */
        int64_t gaps = r->ask.output_tokens - (s->time.kind == TIME_ENGINE),
                first_ns = r->first_token_ns - r->ask.time_ns,
                each_ns = gaps > 0 ? (end_ns - r->first_token_ns) / gaps : 0;
        response_counts_add(&t->first_token, first_ns);
        if (gaps > 0)
            response_counts_add(&t->per_token, each_ns);
        kept = kept && seconds(first_ns) <= s->slo.first_token_s &&
               seconds(each_ns) <= s->slo.per_token_s;
    }
    t->kept += kept;
    t->prompt_tokens += r->ask.prompt_tokens;
    t->output_tokens += r->ask.output_tokens;
    return kept;
}

static struct engine_figures engine_figures_of(const struct tally *t, const struct service *s,
                                               double gpu_s)
{
    if (s->time.kind != TIME_ENGINE)
        return (struct engine_figures){ 0 };
    return (struct engine_figures){
        .gap = response_counts_delays(&t->gap),
        .rejected = (double)t->rejected,
        .preempted = (double)t->preempted,
        .computed_tokens = (double)t->computed_tokens,
        .skipped_tokens = (double)t->skipped_tokens,
        .loads = (double)t->loads.n,
        .loads_from_storage = (double)t->loads.from_storage,
        .load_s = t->loads.time_s,
        .gpu_s = gpu_s,
        .kv_s = (double)t->kv_block_ns / NS_PER_S / llm_batching_blocks(&s->time.engine),
        .kv_peak = t->kv_peak,
    };
}

struct serving_figures tally_figures(const struct tally *t, const struct service *s, int64_t to_ns,
                                     uint64_t unfinished, double gpu_s)
{
    return (struct serving_figures){
        .from_ns = t->from_ns,
        .to_ns = to_ns,
        .arrived = (double)t->arrived,
        .served = (double)t->served,
        .dropped = (double)t->dropped,
        .unfinished = (double)unfinished,
        .kept = (double)t->kept,
        .latency = response_counts_delays(&t->latency),
        .first_token = response_counts_delays(&t->first_token),
        .per_token = response_counts_delays(&t->per_token),
        .replica_s = (double)t->replica_ns / NS_PER_S,
        .busy_s = (double)t->busy_ns / NS_PER_S,
        .concurrency_s = (double)t->concurrency_ns / NS_PER_S,
        .windows = (double)t->windows,
        .windows_kept = (double)t->windows_kept,
        .prompt_tokens = (double)t->prompt_tokens,
        .output_tokens = (double)t->output_tokens,
        .engine = engine_figures_of(t, s, gpu_s),
    };
}

void slo_window_count(const struct slo_window *w, const struct service_slo *slo, struct tally *t)
{
    t->windows += w->ended > 0;
    t->windows_kept += w->ended > 0 && (double)w->kept >= slo->share * (double)w->ended;
}

void slo_window_move(struct slo_window *w, const struct service_slo *slo, int64_t now_ns,
                     struct tally *t)
{
    if (now_ns < w->end_ns)
        return;
    slo_window_count(w, slo, t);
    *w = (struct slo_window){ .end_ns = (now_ns / SLO_WINDOW_NS + 1) * SLO_WINDOW_NS };
}
