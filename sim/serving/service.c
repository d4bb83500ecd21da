/* service.c - see service.h. */
#include "sim/serving/service.h"

#include "sim/base/units.h"
#include "sim/serving/llm/flow.h"

#include <math.h>

struct service service_default(void)
{
    static const double even_day[24] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    static const double even_week[7] = { 1, 1, 1, 1, 1, 1, 1 };
    return (struct service){
        .mode = SERVICE_FLUID,
        .timeout_s = 10,
        .interval_ns = 60 * NS_PER_S,
        .demand = { .arrivals = { .kind = ARRIVE_POISSON,
                                  .c2 = 4,
                                  .burst_ratio = 6,
                                  .burst_s = 60,
                                  .calm_s = 240 },
                    .calendar = calendar_of(even_day, even_week, 0, TIME_NEVER),
                    .time_scale = 1,
                    .gap_c2 = NAN,
                    .end_ns = TIME_NEVER },
        .time = { .kind = TIME_LAW, .batch = batch_cnn_v100, .llm = llm_7b_a100 },
        .slo = { .share = .99,
                 .latency_s = INFINITY,
                 .first_token_s = INFINITY,
                 .per_token_s = INFINITY },
    };
}

bool service_is_llm(const struct service *s)
{
    return s->time.kind == TIME_LLM || s->time.kind == TIME_ENGINE;
}

uint32_t service_slots(const struct service *s)
{
    switch (s->time.kind) {
    case TIME_BATCH:
        return s->time.batch.max;
    case TIME_LLM:
        return llm_sequences(&s->time.llm);
    case TIME_ENGINE:
        return s->time.engine.sequences * s->time.engine.ranks;
    default:
        return 1;
    }
}

static bool list_has_tokens(const struct service_demand *d)
{
    return d->replay && d->replay->has_tokens;
}

static void mean_tokens(const struct service_demand *d, double *prompt, double *output)
{
    *prompt = law_mean_below(&d->prompt_tokens, INFINITY);
    *output = law_mean_below(&d->output_tokens, INFINITY);
    if (!list_has_tokens(d))
        return;
    *prompt = *output = 0;
    for (size_t i = 0; i < d->replay->n; i++) {
        *prompt += (double)d->replay->request[i].prompt_tokens / (double)d->replay->n;
        *output += (double)d->replay->request[i].output_tokens / (double)d->replay->n;
    }
}

static double mean_recorded_s(const struct request_list *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += seconds(l->request[i].service_ns);
    return sum / (double)l->n;
}

/* Alone; the mean over the models. */
static double engine_mean_s(const struct llm_batching *b, double prompt, double output)
{
    double sum = 0, shares = 0;
    for (uint32_t k = 0; k < b->models.n; k++) {
        struct llm_batching one = llm_batching_of_model(b, k);
        sum += b->models.of[k].share * llm_flow_of(&one, prompt, output, 0, 1).end_s;
        shares += b->models.of[k].share;
    }
    return b->models.n ? sum / shares : llm_flow_of(b, prompt, output, 0, 1).end_s;
}

double service_mean_s(const struct service *s)
{
    double prompt, output;
    switch (s->time.kind) {
    case TIME_LAW:
        return law_mean_below(&s->time.law, INFINITY);
    case TIME_RECORDED:
        return mean_recorded_s(s->demand.replay);
    case TIME_BATCH:
        return batch_s(&s->time.batch, 1);
    case TIME_LLM:
        mean_tokens(&s->demand, &prompt, &output);
        return llm_prefill_s(&s->time.llm, prompt) + output * llm_token_s(&s->time.llm, 1);
    case TIME_ENGINE:
        mean_tokens(&s->demand, &prompt, &output);
        return engine_mean_s(&s->time.engine, prompt, output);
    }
    return NAN;
}

/* Of an LLM the minimum of the prefill and the decode rate. */
double service_capacity(const struct service *s)
{
    double prompt, output, most = service_slots(s);
    if (s->time.kind == TIME_BATCH)
        return batch_capacity(&s->time.batch);
    if (!service_is_llm(s))
        return 1 / service_mean_s(s);
    mean_tokens(&s->demand, &prompt, &output);
    if (s->time.kind == TIME_ENGINE)
        return llm_flow_most(&s->time.engine, prompt, output, 1);
    return fmin(1 / llm_prefill_s(&s->time.llm, prompt),
                most / (output * llm_token_s(&s->time.llm, most)));
}

int service_check(const struct service *s, struct error *err)
{
    const struct service_demand *d = &s->demand;
    if (s->time.kind == TIME_RECORDED && !(d->replay && d->replay->has_service))
        return error_set(
            err, "service %s: want requests with a service time each, for a recorded service time",
            s->name);
    if (s->time.kind == TIME_ENGINE && s->time.engine.blocks == 0)
        return error_set(err,
                         "service %s: want memory for the weights and one block of KV cache, got "
                         "weights of %.4g bytes and none left",
                         s->name, s->time.engine.weight_bytes);
    if (s->time.kind == TIME_ENGINE && s->mode == SERVICE_REQUESTS &&
        s->dispatch == DISPATCH_CENTRAL)
        return error_set(err, "service %s: want a dispatch other than central, as each replica has "
                         "a queue of its own", s->name);
    if (s->time.kind != TIME_ENGINE && s->dispatch == DISPATCH_PREFIX)
        return error_set(err, "service %s: want a dispatch other than prefix, which is of a "
                         "service time 'llm' with a 'model'", s->name);
    if (s->dispatch == DISPATCH_ADAPTER &&
        !(s->time.kind == TIME_ENGINE && s->time.engine.adapters.n > 0))
        return error_set(err, "service %s: want a dispatch other than adapter, which is of a "
                         "service time 'llm' with 'adapters'", s->name);
    if (s->dispatch == DISPATCH_MODEL &&
        !(s->time.kind == TIME_ENGINE && s->time.engine.models.n > 0))
        return error_set(err, "service %s: want a dispatch other than model, which is of a "
                         "service time 'llm' with 'models'", s->name);
    if (s->time.kind == TIME_LLM && service_slots(s) == 0)
        return error_set(
            err,
            "service %s: want memory for the weights and one sequence, %.4g bytes, got %.4g usable",
            s->name,
            s->time.llm.parameters * s->time.llm.parameter_bytes +
                s->time.llm.kv_bytes * s->time.llm.context,
            s->time.llm.memory_bytes * s->time.llm.usable);
    if (service_is_llm(s) && !list_has_tokens(d) &&
        (d->prompt_tokens.n == 0 || d->output_tokens.n == 0))
        return error_set(
            err, "service %s: want laws of prompt and output tokens, or requests that have both",
            s->name);
    if (!(service_mean_s(s) > 0 && isfinite(service_mean_s(s))))
        return error_set(err, "service %s: want a service time of a mean above 0, got %g s",
                         s->name, service_mean_s(s));
    if (!d->replay && !(d->rate > 0 && isfinite(d->rate)))
        return error_set(err, "service %s: want a rate of requests above 0, got %g per second",
                         s->name, d->rate);
    if (d->end_ns < d->start_ns)
        return error_set(err, "service %s: want an end of its demand behind the start", s->name);
    return 0;
}
