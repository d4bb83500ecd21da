/* services_results.c - what came of inference services: metrics, and the conservation of requests. */
#include "sim/physics/services.h"
#include "sim/base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARRIVED, SERVED, DROPPED, UNFINISHED, ATTAINMENT, MINUTES_KEPT, LATENCY_MEAN, LATENCY_P50, LATENCY_P99, FIRST_TOKEN_P50,
       FIRST_TOKEN_P99, REPLICA_H, STARTS, DUTY };
const struct metric_kind service_metrics[] = {
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
    { 0 },
};

struct sum { double arrived, served, dropped, unfinished, kept, windows, windows_kept, latency_s, replica_s, busy_s; uint64_t starts; };

static void add(struct sum *to, const struct service_run *r)
{
    const struct serving_figures *f = &r->total;
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

static void put(struct maker *k, unsigned metric, const char *scope, double value, uint64_t n)
{
    summary_put_kind(k, &service_metrics[metric], scope, value, n);
}

/* A count of requests; in fluid mode the nearest. */
static uint64_t whole(double requests)
{
    return (uint64_t)llround(requests);
}

static void put_sums(struct maker *k, const char *scope, const struct sum *x)
{
    put(k, ARRIVED, scope, x->arrived, 1);
    put(k, SERVED, scope, x->served, 1);
    put(k, DROPPED, scope, x->dropped, 1);
    put(k, UNFINISHED, scope, x->unfinished, 1);
    put(k, ATTAINMENT, scope, x->kept / (x->served + x->dropped), whole(x->served + x->dropped));
    put(k, MINUTES_KEPT, scope, x->windows_kept / x->windows, whole(x->windows));
    put(k, LATENCY_MEAN, scope, x->latency_s / x->served, whole(x->served));
}

static void put_rest(struct maker *k, const char *scope, const struct sum *x)
{
    put(k, REPLICA_H, scope, x->replica_s / 3600, 1);
    put(k, STARTS, scope, (double)x->starts, 1);
    put(k, DUTY, scope, x->busy_s / x->replica_s, x->replica_s > 0);
}

static void put_service(struct maker *k, const struct service_run *r)
{
    const struct serving_figures *f = &r->total;
    struct sum x = { 0 };
    size_t length = strlen("service=") + strlen(r->service.name) + 1;
    char *scope = arena_alloc(k->m->memory, length);
    snprintf(scope, length, "service=%s", r->service.name);
    add(&x, r);
    put_sums(k, scope, &x);
    put(k, LATENCY_P50, scope, f->latency.p50_s, whole(f->served));
    put(k, LATENCY_P99, scope, f->latency.p99_s, whole(f->served));
    if (service_is_llm(&r->service)) {
        put(k, FIRST_TOKEN_P50, scope, f->first_token.p50_s, whole(f->served));
        put(k, FIRST_TOKEN_P99, scope, f->first_token.p99_s, whole(f->served));
    }
    put_rest(k, scope, &x);
}

void services_summarise(struct maker *k)
{
    struct sum all = { 0 };
    for (size_t i = 0; i < k->s->services->n; i++)
        add(&all, &k->s->services->of[i]);
    put_sums(k, "class=inference", &all);
    put_rest(k, "class=inference", &all);
    for (size_t i = 0; i < k->s->services->n; i++)
        put_service(k, &k->s->services->of[i]);
}

uint64_t services_drawn(const struct sched *s)
{
    uint64_t hash = 0;
    for (size_t i = 0; s->services && i < s->services->n; i++)
        hash = hash_bytes(&s->services->of[i].drawn, sizeof s->services->of[i].drawn, hash);
    return hash;
}

int services_check(struct sched *s, struct error *err)
{
    for (size_t i = 0; i < s->services->n; i++) {
        const struct service_run *r = &s->services->of[i];
        const struct serving_figures *f = &r->total;
        double off = f->arrived - f->served - f->dropped - f->unfinished, told = f->arrived - r->arrived;
        double most = r->service.mode == SERVICE_REQUESTS ? 0 : 1e-9 * fmax(1, f->arrived);
        if (!(fabs(off) <= most && fabs(told) <= most))
            return error_set(err, "an identity is broken, please report it: requests of service %s: %.17g came, %.17g in its intervals; "
                             "%.17g were served, %.17g dropped, %.17g unfinished", r->service.name, f->arrived, r->arrived, f->served,
                             f->dropped, f->unfinished);
    }
    return 0;
}
