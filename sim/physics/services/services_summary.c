/* services_summary.c - see services_summary.h. */
#include "sim/physics/services/services_summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARRIVED, SERVED, DROPPED, UNFINISHED, ATTAINMENT, MINUTES_KEPT, LATENCY_MEAN, LATENCY_P50, LATENCY_P99, FIRST_TOKEN_P50,
       FIRST_TOKEN_P99, REPLICA_H, STARTS, DUTY, FIRST_TOKEN_MEAN, FIRST_TOKEN_P90, PER_TOKEN_MEAN,
       PER_TOKEN_P50, PER_TOKEN_P90, PER_TOKEN_P99, GAP_P99, LATENCY_P90, TOKENS_RATE, GOOD_RATE, RUNNING, KV_USE, KV_PEAK, PREEMPTED,
       REJECTED, COMPUTED, SKIPPED, GPU_DUTY, ADAPTER_LOADS, FROM_STORAGE, ADAPTER_LOAD_S,
       MODEL_LOADS, MODELS_FROM_STORAGE, MODEL_LOAD_S };
const struct metric_kind services_metrics[] = {
    [ARRIVED] = { "requests_arrived", "", "requests of services that came", BETTER_NEITHER },
    [SERVED] = { "requests_served", "", "of these, served to the end", BETTER_HIGHER },
    [DROPPED] = { "requests_dropped", "", "given up after their timeout, or with their replica", BETTER_LOWER },
    [UNFINISHED] = { "requests_unfinished", "", "still there when the service ended", BETTER_LOWER },
    [ATTAINMENT] = { "slo_attainment", "", "requests that kept every target of the SLO, of those served and dropped", BETTER_HIGHER },
    [MINUTES_KEPT] = { "slo_minutes_kept", "", "minutes in which the share of the SLO kept it, of those in which a request ended", BETTER_HIGHER },
    [LATENCY_MEAN] = { "latency_mean_s", "s", "arrival to end of a request; of those served", BETTER_LOWER },
    [LATENCY_P50] = { "latency_p50_s", "s", "its median, of each service", BETTER_LOWER },
    [LATENCY_P99] = { "latency_p99_s", "s", "its 99th percentile, of each service", BETTER_LOWER },
    [FIRST_TOKEN_P50] = { "first_token_p50_s", "s", "arrival to first token, median, of each LLM service", BETTER_LOWER },
    [FIRST_TOKEN_P99] = { "first_token_p99_s", "s", "its 99th percentile", BETTER_LOWER },
    [REPLICA_H] = { "replica_h", "h", "hours that replicas were ready", BETTER_NEITHER },
    [STARTS] = { "cold_starts", "", "replicas that became ready after a start-up", BETTER_LOWER },
    [DUTY] = { "replica_duty", "", "share of that time in which they served at all", BETTER_NEITHER },
    [FIRST_TOKEN_MEAN] = { "first_token_mean_s", "s", "arrival to first token, of each LLM that runs step by step; as all below", BETTER_LOWER },
    [FIRST_TOKEN_P90] = { "first_token_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [PER_TOKEN_MEAN] = { "per_token_mean_s", "s", "(last - first token) / (output tokens - 1), of each request", BETTER_LOWER },
    [PER_TOKEN_P50] = { "per_token_p50_s", "s", "its median", BETTER_LOWER },
    [PER_TOKEN_P90] = { "per_token_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [PER_TOKEN_P99] = { "per_token_p99_s", "s", "its 99th percentile", BETTER_LOWER },
    [GAP_P99] = { "token_gap_p99_s", "s", "99th percentile of the gaps between two tokens; only request by request", BETTER_LOWER },
    [LATENCY_P90] = { "latency_p90_s", "s", "arrival to end of a request, 90th percentile", BETTER_LOWER },
    [TOKENS_RATE] = { "output_tokens_per_s", "1/s", "tokens of served requests, while the service was there", BETTER_HIGHER },
    [GOOD_RATE] = { "goodput_per_s", "1/s", "requests that kept every target of the SLO, while the service was there", BETTER_HIGHER },
    [RUNNING] = { "requests_running", "", "requests in service in a ready replica, mean", BETTER_NEITHER },
    [KV_USE] = { "kv_use_mean", "", "share of the KV cache in use, mean over ready replicas", BETTER_NEITHER },
    [KV_PEAK] = { "kv_use_peak", "", "its largest, of one replica", BETTER_NEITHER },
    [PREEMPTED] = { "requests_preempted", "", "times that a running request lost its KV cache to others", BETTER_LOWER },
    [REJECTED] = { "requests_rejected", "", "of those dropped: too long for the KV cache", BETTER_LOWER },
    [COMPUTED] = { "prompt_tokens_computed", "", "tokens of prompts computed in steps, those of preempted requests again", BETTER_LOWER },
    [SKIPPED] = { "prompt_tokens_skipped", "", "tokens of prompts not computed, as their prefix was known", BETTER_HIGHER },
    [GPU_DUTY] = { "replica_gpu_duty", "", "share of the time of ready replicas that was time of their GPUs", BETTER_NEITHER },
    [ADAPTER_LOADS] = { "adapter_loads", "", "times that an adapter was brought to the GPUs of a replica", BETTER_LOWER },
    [FROM_STORAGE] = { "adapter_loads_storage", "", "of these, from storage, not from the memory of the host", BETTER_LOWER },
    [ADAPTER_LOAD_S] = { "adapter_load_s", "s", "time that steps waited for adapters", BETTER_LOWER },
    [MODEL_LOADS] = { "model_loads", "",
                      "times that a model was brought to the GPUs of a replica after its start",
                      BETTER_LOWER },
    [MODELS_FROM_STORAGE] = { "model_loads_storage", "",
                              "of these, from storage, not from the memory of the host",
                              BETTER_LOWER },
    [MODEL_LOAD_S] = { "model_load_s", "s", "time that steps waited for models", BETTER_LOWER },
    { 0 },
};

struct sum { double arrived, served, dropped, unfinished, kept, windows, windows_kept, latency_s, replica_s, busy_s; uint64_t starts; };

static void add(struct sum *to, const struct service_result *r)
{
    const struct serving_figures *f = r->figures;
    to->arrived += f->arrived;
    to->served += f->served;
    to->dropped += f->dropped;
    to->unfinished += f->unfinished;
    to->kept += f->kept;
    to->windows += f->windows;
    to->windows_kept += f->windows_kept;
    to->latency_s += f->served > 0 ? f->served * f->latency.mean_s : 0;
    to->replica_s += f->replica_s;
    to->busy_s += f->busy_s;
    to->starts += r->starts;
}

static void put(struct summary_builder *b, unsigned metric, const char *scope, double value, uint64_t n)
{
    summary_put_kind(b, &services_metrics[metric], scope, value, n);
}

/* A count of requests; in fluid mode the nearest. */
static uint64_t whole(double requests)
{
    return (uint64_t)llround(requests);
}

static void put_sums(struct summary_builder *b, const char *scope, const struct sum *x)
{
    put(b, ARRIVED, scope, x->arrived, 1);
    put(b, SERVED, scope, x->served, 1);
    put(b, DROPPED, scope, x->dropped, 1);
    put(b, UNFINISHED, scope, x->unfinished, 1);
    put(b, ATTAINMENT, scope, x->kept / (x->served + x->dropped), whole(x->served + x->dropped));
    put(b, MINUTES_KEPT, scope, x->windows_kept / x->windows, whole(x->windows));
    put(b, LATENCY_MEAN, scope, x->latency_s / x->served, whole(x->served));
}

static void put_rest(struct summary_builder *b, const char *scope, const struct sum *x)
{
    put(b, REPLICA_H, scope, x->replica_s / 3600, 1);
    put(b, STARTS, scope, (double)x->starts, 1);
    put(b, DUTY, scope, x->busy_s / x->replica_s, x->replica_s > 0);
}

static void put_delays(struct summary_builder *b, const char *scope, const struct serving_figures *f)
{
    const struct { unsigned metric; double value; } rows[] = {
        { FIRST_TOKEN_MEAN, f->first_token.mean_s }, { FIRST_TOKEN_P90, f->first_token.p90_s }, { PER_TOKEN_MEAN, f->per_token.mean_s },
        { PER_TOKEN_P50, f->per_token.p50_s }, { PER_TOKEN_P90, f->per_token.p90_s }, { PER_TOKEN_P99, f->per_token.p99_s },
        { LATENCY_P90, f->latency.p90_s },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put(b, rows[i].metric, scope, rows[i].value, whole(f->served));
}

/* Of a service with an LLM that runs step by step. */
static void put_engine(struct summary_builder *b, const char *scope, const struct service_result *r)
{
    const struct serving_figures *f = r->figures;
    double span_s = seconds(f->to_ns - r->service->demand.start_ns);
    put_delays(b, scope, f);
    if (r->service->mode == SERVICE_REQUESTS)
        put(b, GAP_P99, scope, f->engine.gap.p99_s, whole(f->output_tokens - f->served));
    put(b, TOKENS_RATE, scope, f->output_tokens / span_s, span_s > 0);
    put(b, GOOD_RATE, scope, f->kept / span_s, span_s > 0);
    put(b, RUNNING, scope, f->concurrency_s / f->replica_s, f->replica_s > 0);
    put(b, KV_USE, scope, f->engine.kv_s / f->replica_s, f->replica_s > 0);
    put(b, KV_PEAK, scope, f->engine.kv_peak, 1);
    put(b, PREEMPTED, scope, f->engine.preempted, 1);
    put(b, REJECTED, scope, f->engine.rejected, 1);
    put(b, COMPUTED, scope, f->engine.computed_tokens, 1);
    put(b, SKIPPED, scope, f->engine.skipped_tokens, 1);
    put(b, GPU_DUTY, scope, f->engine.gpu_s / f->replica_s, f->replica_s > 0);
    if (r->by_group->n == 0)
        return;
    bool models = r->service->time.engine.models.n > 0;
    put(b, models ? MODEL_LOADS : ADAPTER_LOADS, scope, f->engine.loads, 1);
    put(b, models ? MODELS_FROM_STORAGE : FROM_STORAGE, scope, f->engine.loads_from_storage, 1);
    put(b, models ? MODEL_LOAD_S : ADAPTER_LOAD_S, scope, f->engine.load_s, 1);
}

/* kind: adapter or model. */
static void put_group(struct summary_builder *b, const char *kind, const char *service,
                      const char *which, const struct group_count *c)
{
    size_t length = strlen(kind) + strlen("=/") + strlen(service) + strlen(which) + 1;
    char *scope = arena_alloc(b->summary->memory, length);
    double served = (double)c->served, ended = (double)(c->served + c->dropped);
    if (c->arrived == 0)
        return;
    snprintf(scope, length, "%s=%s/%s", kind, service, which);
    put(b, ARRIVED, scope, (double)c->arrived, 1);
    put(b, SERVED, scope, served, 1);
    put(b, DROPPED, scope, (double)c->dropped, 1);
    put(b, UNFINISHED, scope, (double)c->arrived - ended, 1);
    put(b, ATTAINMENT, scope, (double)c->kept / ended, c->served + c->dropped);
    put(b, LATENCY_MEAN, scope, (double)c->latency_ns / NS_PER_S / served, c->served);
    put(b, FIRST_TOKEN_MEAN, scope, (double)c->first_token_ns / NS_PER_S / served, c->served);
    put(b, PER_TOKEN_MEAN, scope, (double)c->per_token_ns / NS_PER_S / (double)c->timed, c->timed);
}

/* Numbers are those of popularity, unless a trace says them. */
static void put_adapters(struct summary_builder *b, const struct service_result *r)
{
    const struct group_counts *c = r->by_group;
    uint32_t shown = c->n + 1 < ADAPTER_SCOPES ? c->n + 1 : ADAPTER_SCOPES;
    for (uint32_t i = 0; i < shown && c->n; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        put_group(b, "adapter", r->service->name, number, &c->of[i]);
    }
    struct group_count rest = group_counts_sum(c, shown, c->n ? c->n + 1 : shown);
    put_group(b, "adapter", r->service->name, "rest", &rest);
}

static void put_models(struct summary_builder *b, const struct service_result *r)
{
    const struct llm_models *m = &r->service->time.engine.models;
    for (uint32_t k = 0; k < m->n && k < r->by_group->n; k++)    /* none: it never began */
        put_group(b, "model", r->service->name, m->of[k].name, &r->by_group->of[k + 1]);
}

static void put_service(struct summary_builder *b, const struct service_result *r)
{
    const struct serving_figures *f = r->figures;
    struct sum x = { 0 };
    size_t length = strlen("service=") + strlen(r->service->name) + 1;
    char *scope = arena_alloc(b->summary->memory, length);
    snprintf(scope, length, "service=%s", r->service->name);
    add(&x, r);
    put_sums(b, scope, &x);
    put(b, LATENCY_P50, scope, f->latency.p50_s, whole(f->served));
    put(b, LATENCY_P99, scope, f->latency.p99_s, whole(f->served));
    if (service_is_llm(r->service)) {
        put(b, FIRST_TOKEN_P50, scope, f->first_token.p50_s, whole(f->served));
        put(b, FIRST_TOKEN_P99, scope, f->first_token.p99_s, whole(f->served));
    }
    put_rest(b, scope, &x);
    if (r->service->time.kind == TIME_ENGINE)
        put_engine(b, scope, r);
}

void services_summary_put(struct summary_builder *b, const struct service_result *of, size_t n)
{
    struct sum all = { 0 };
    for (size_t i = 0; i < n; i++)
        add(&all, &of[i]);
    put_sums(b, "class=inference", &all);
    put_rest(b, "class=inference", &all);
    for (size_t i = 0; i < n; i++)
        put_service(b, &of[i]);
    for (size_t i = 0; i < n; i++)
        (of[i].service->time.engine.models.n ? put_models : put_adapters)(b, &of[i]);
}
