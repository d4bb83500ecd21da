/* tally.c - see tally.h. */
#include "sim/serving/tally.h"

void tally_free(struct tally *t)
{
    response_counts_free(&t->latency);
    response_counts_free(&t->first_token);
    response_counts_free(&t->per_token);
}

void tally_clear(struct tally *t, int64_t from_ns)
{
    struct response_counts latency = t->latency, first_token = t->first_token, per_token = t->per_token;
    response_counts_clear(&latency);
    response_counts_clear(&first_token);
    response_counts_clear(&per_token);
    *t = (struct tally){ .from_ns = from_ns, .latency = latency, .first_token = first_token, .per_token = per_token };
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
    to->replica_ns += more->replica_ns;
    to->busy_ns += more->busy_ns;
    to->concurrency_ns += more->concurrency_ns;
    response_counts_merge(&to->latency, &more->latency);
    response_counts_merge(&to->first_token, &more->first_token);
    response_counts_merge(&to->per_token, &more->per_token);
}

bool tally_served(struct tally *t, const struct service *s, const struct present *r, int64_t end_ns)
{
    int64_t latency_ns = end_ns - r->ask.time_ns;
    bool kept = seconds(latency_ns) <= s->slo.latency_s;
    t->served++;
    response_counts_add(&t->latency, latency_ns);
    if (service_is_llm(s)) {
        int64_t first_ns = r->first_token_ns - r->ask.time_ns, each_ns = (end_ns - r->first_token_ns) / r->ask.output_tokens;
        response_counts_add(&t->first_token, first_ns);
        response_counts_add(&t->per_token, each_ns);
        kept = kept && seconds(first_ns) <= s->slo.first_token_s && seconds(each_ns) <= s->slo.per_token_s;
    }
    t->kept += kept;
    t->prompt_tokens += r->ask.prompt_tokens;
    t->output_tokens += r->ask.output_tokens;
    return kept;
}

struct serving_figures tally_figures(const struct tally *t, int64_t to_ns, uint64_t unfinished)
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
    };
}

void slo_window_count(const struct slo_window *w, const struct service_slo *slo, struct tally *t)
{
    t->windows += w->ended > 0;
    t->windows_kept += w->ended > 0 && (double)w->kept >= slo->share * (double)w->ended;
}

void slo_window_move(struct slo_window *w, const struct service_slo *slo, int64_t now_ns, struct tally *t)
{
    if (now_ns < w->end_ns)
        return;
    slo_window_count(w, slo, t);
    *w = (struct slo_window){ .end_ns = (now_ns / SLO_WINDOW_NS + 1) * SLO_WINDOW_NS };
}
