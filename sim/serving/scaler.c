/* scaler.c - see scaler.h. */
#include "sim/serving/scaler.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/serving/demand.h"
#include "sim/serving/queueing.h"

#include <math.h>
#include <stdlib.h>

const struct scaler_config scaler_defaults = {
    .kind = SCALE_NONE,
    .least = 1,
    .most = 1,
    .initial = 1,
    .period_ns = 15 * NS_PER_S,
    .idle_ns = TIME_NEVER,
    .forecast = { .kind = FORECAST_HOLT_WINTERS,
                  .bin_ns = 900 * NS_PER_S,
                  .level = .3,
                  .trend = .01,
                  .season = .3,
                  .days = 7 },
    .headroom = 1.2,
    .lead_ns = 60 * NS_PER_S,
};

struct scaler {
    const struct scaler_config *config;
    const struct service *service;
    uint32_t wants;
    double slots, gap_c2;
    int64_t begin_ns, idle_since_ns;
    struct serving_load last;     /* at the last decision */
    struct hpa *hpa;
    struct forecast *forecast;
    double bin_arrived;           /* arrivals up to the begin of the present bin */
    bool forecasts;               /* at least one bin has ended */
};

static uint32_t clamped(const struct scaler *x, double n)
{
    const struct scaler_config *c = x->config;
    return n < c->least ? c->least : n > c->most ? c->most : (uint32_t)n;
}

/* ---- smallest number of servers ---- */

static bool keeps(const struct service *s, double rate, double c2, uint32_t replicas)
{
    double slots = service_slots(s), busy_s = slots / service_capacity(s),
           alone_s = service_mean_s(s);
    uint32_t servers = (uint32_t)(replicas * slots);
    if (!(rate * busy_s < servers))
        return false;
    struct wait_law w = wait_in_queue(servers, rate * busy_s, busy_s, c2, INFINITY);
    double wait_s = wait_quantile(&w, s->slo.share);
    return wait_s + alone_s <= s->slo.latency_s &&
           (!service_is_llm(s) || wait_s <= s->slo.first_token_s);
}

uint32_t replicas_for_slo(const struct service *s, double rate, double gap_c2, uint32_t most)
{
    uint32_t low = 0, high = most;    /* low misses the SLO; high meets it, or is the maximum */
    if (rate <= 0)
        return 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(keeps(s, rate, (gap_c2 + 1) / 2, middle) ? &high : &low) = middle;
    }
    return high;
}

/* ---- each kind ---- */

static uint32_t by_profile(const struct scaler *x, int64_t now_ns)
{
    const struct scaler_config *c = x->config;
    double hour = fmod(c->first_hour + (double)(now_ns - x->begin_ns) / (3600.0 * (double)NS_PER_S),
                       c->n_profile);
    return clamped(x, c->profile[(uint32_t)hour]);
}

static struct hpa_reading reading(const struct scaler *x, enum scaler_metric metric,
                                  const struct serving_load *now, uint32_t ready)
{
    const struct serving_load *last = &x->last;
    double replica_s = now->replica_s - last->replica_s,
           span_s = (double)(now->at_ns - last->at_ns) / (double)NS_PER_S,
           served = now->served - last->served;
    switch (metric) {
    case SCALER_RATE:
        return (struct hpa_reading){ span_s <= 0, (now->arrived - last->arrived) / span_s };
    case SCALER_QUEUE:
        return (struct hpa_reading){ false, now->waiting };
    case SCALER_DUTY:
        return (struct hpa_reading){ replica_s <= 0,
                                     (now->busy_s - last->busy_s) / replica_s * ready };
    case SCALER_KV_USE:
        return (struct hpa_reading){ replica_s <= 0, (now->kv_s - last->kv_s) / replica_s * ready };
    case SCALER_TOKENS:
        return (struct hpa_reading){ span_s <= 0, (now->tokens - last->tokens) / span_s };
    case SCALER_FIRST_TOKEN:
        return (struct hpa_reading){ served <= 0,
                                     (now->first_token_s - last->first_token_s) / served };
    case SCALER_PER_TOKEN:
        return (struct hpa_reading){ served <= 0, (now->per_token_s - last->per_token_s) / served };
    default:
        return (struct hpa_reading){ replica_s <= 0, (now->concurrency_s - last->concurrency_s) /
                                                         replica_s / x->slots * ready };
    }
}

static uint32_t by_hpa(struct scaler *x, const struct serving_load *load, uint32_t ready,
                       uint32_t there)
{
    struct hpa_pods pods = { x->wants, ready, there - ready, 0 };
    struct hpa_reading read[HPA_METRICS_MOST];
    for (size_t i = 0; i < x->config->hpa.n_metrics; i++)
        read[i] = reading(x, x->config->metric[i], load, ready);
    return hpa_look(x->hpa, load->at_ns, &pods, read);
}

static uint32_t by_forecast(struct scaler *x, const struct serving_load *load)
{
    const struct scaler_config *c = x->config;
    if ((load->at_ns - x->begin_ns) % c->forecast.bin_ns == 0) {
        double rate =
            (load->arrived - x->bin_arrived) / ((double)c->forecast.bin_ns / (double)NS_PER_S);
        forecast_observe(x->forecast, rate);
        x->bin_arrived = load->arrived;
        x->forecasts = true;
    }
    if (!x->forecasts)
        return x->wants;
    double rate = c->headroom * forecast_most(x->forecast, c->lead_ns);
    return clamped(x, c->replica_rate > 0 ? ceil(rate / c->replica_rate - 1e-9)
                                          : replicas_for_slo(x->service, rate, x->gap_c2, c->most));
}

/* ---- scale to zero ---- */

static bool demanded(const struct scaler *x, const struct serving_load *load)
{
    return load->arrived > x->last.arrived || load->waiting > 0 || load->in_service > 0;
}

uint32_t scaler_look(struct scaler *x, const struct serving_load *load, uint32_t ready,
                     uint32_t there)
{
    const struct scaler_config *c = x->config;
    bool may_idle = c->idle_ns != TIME_NEVER, wanted = demanded(x, load);
    if (wanted)
        x->idle_since_ns = load->at_ns;
    bool idle = may_idle && load->at_ns - x->idle_since_ns >= c->idle_ns;
    bool wakes = may_idle && x->wants == 0 && wanted;
    uint32_t wants = x->wants;
    if (c->kind == SCALE_FORECAST)
        wants = by_forecast(x, load);
    else if (c->kind == SCALE_PROFILE)
        wants = by_profile(x, load->at_ns);
    else if (c->kind == SCALE_HPA && (x->wants > 0 || !may_idle))
        wants = by_hpa(x, load, ready, there);
    else if (wakes)
        wants = c->kind == SCALE_NONE && c->initial ? c->initial : 1;
    x->wants = idle || (may_idle && x->wants == 0 && !wakes) ? 0 : wakes && wants == 0 ? 1 : wants;
    x->last = *load;
    return x->wants;
}

/* ---- begin and end ---- */

uint32_t scaler_wants(const struct scaler *x)
{
    return x->wants;
}

struct scaler *scaler_new(const struct scaler_config *config, const struct service *s,
                          int64_t now_ns)
{
    struct scaler *x = mem_new(1, sizeof *x);
    *x = (struct scaler){
        .config = config,
        .service = s,
        .wants = config->initial,
        .begin_ns = now_ns,
        .idle_since_ns = now_ns,
        .slots = service_slots(s),
        .gap_c2 = 1,
        .last = { .at_ns = now_ns },
    };
    if (config->kind == SCALE_PROFILE)
        x->wants = by_profile(x, now_ns);
    if (config->kind == SCALE_HPA)
        x->hpa = hpa_new(&config->hpa, x->wants, now_ns);
    if (config->kind == SCALE_FORECAST) {
        struct demand *d = demand_new(s, 0);
        x->forecast = forecast_new(&config->forecast);
        x->gap_c2 = demand_gap_c2(d);
        demand_free(d);
    }
    return x;
}

void scaler_free(struct scaler *x)
{
    if (x) {
        hpa_free(x->hpa);
        forecast_free(x->forecast);
        free(x);
    }
}
