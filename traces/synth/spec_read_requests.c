/* spec_read_requests.c - of a service from a workload file: its requests, how long they take, and what they shall keep. */
#include "sim/serving/deployment.h"
#include "traces/requests/requests.h"
#include "traces/synth/spec_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct file_requests {
    double rate, time_scale, gap_c2;
    const char *trace;
    struct config_value arrivals, prompt_tokens, output_tokens;
};
struct file_time { struct config_value batch, llm; bool recorded; };
/* clang-format off */
#define AT(field) .at = offsetof(struct file_requests, field)
#define ABOVE_0(high) REAL, .most = high, .above_least = true
static const struct config_key request_keys[] = {
    { .name = "rate_per_s",    ABOVE_0(1000000000), AT(rate) },
    { .name = "arrivals",      .type = CONFIG_MAPPING, AT(arrivals) },
    { .name = "gap_c2",        REAL, AT(gap_c2), .most = 1000000 },
    { .name = "trace",         .type = CONFIG_TEXT, AT(trace) },
    { .name = "time_scale",    ABOVE_0(1000000), AT(time_scale) },
    { .name = "prompt_tokens", .type = CONFIG_MAPPING, AT(prompt_tokens) },
    { .name = "output_tokens", .type = CONFIG_MAPPING, AT(output_tokens) },
    { 0 },
};
#define TIME_AT(field) .at = offsetof(struct file_time, field)
static const struct config_key time_keys[] = {
    { .name = "batch",    .type = CONFIG_MAPPING, TIME_AT(batch) },
    { .name = "llm",      .type = CONFIG_MAPPING, TIME_AT(llm) },
    { .name = "recorded", .type = CONFIG_FLAG, TIME_AT(recorded) },
    { 0 },
};
#define BATCH(field) .at = offsetof(struct batch_model, field)
static const struct config_key batch_keys[] = {
    { .name = "t0_s",     REAL, BATCH(t0_s), .most = 1000000 },
    { .name = "t1_s",     ABOVE_0(1000000), BATCH(t1_s) },
    { .name = "window_s", REAL, BATCH(window_s), .most = 1000000 },
    { .name = "most",     .type = CONFIG_COUNT, BATCH(most), .least = 1, .most = 1000000 },
    { 0 },
};
#define LLM(field) .at = offsetof(struct llm_model, field)
static const struct config_key llm_keys[] = {
    { .name = "parameters",            ABOVE_0(INT64_C(1000000000000000)), LLM(parameters) },
    { .name = "parameter_bytes",       ABOVE_0(16), LLM(parameter_bytes) },
    { .name = "flops_per_s",           ABOVE_0(INT64_C(1000000000000000000)), LLM(flops) },
    { .name = "efficiency",            ABOVE_0(1), LLM(efficiency) },
    { .name = "memory_bytes",          ABOVE_0(INT64_C(1000000000000000)), LLM(memory_bytes) },
    { .name = "usable",                ABOVE_0(1), LLM(usable) },
    { .name = "bandwidth_bytes_per_s", ABOVE_0(INT64_C(1000000000000000000)), LLM(bandwidth) },
    { .name = "kv_bytes_per_token",    ABOVE_0(1000000000), LLM(kv_bytes) },
    { .name = "context",               ABOVE_0(100000000), LLM(context) },
    { 0 },
};
#define SLO(field) .at = offsetof(struct service_slo, field)
static const struct config_key slo_keys[] = {
    { .name = "share",         ABOVE_0(1), SLO(share) },
    { .name = "latency_s",     ABOVE_0(1000000), SLO(latency_s) },
    { .name = "first_token_s", ABOVE_0(1000000), SLO(first_token_s) },
    { .name = "per_token_s",   ABOVE_0(1000000), SLO(per_token_s) },
    { 0 },
};
/* clang-format on */

/* A law as of run times, but never cut; absent: none. Of tokens its seconds are tokens. */
static int read_law(const struct spec_reader *r, struct config_value v, struct law *to)
{
    static const char *const not_here[] = { "least_s", "most_s", "p_per_log2_gpus" };
    struct synth_durations d;
    if (!config_given(v))
        return 0;
    for (size_t i = 0; i < sizeof not_here / sizeof *not_here; i++) {
        struct config_value key = config_look(v, not_here[i]);
        if (config_given(key))
            return config_error(key, r->err, "want it of the run times of jobs only");
    }
    if (synth_law_read(v, r->file, r->to->services->memory, &d, r->err))
        return -1;
    *to = d.law;
    return 0;
}

/* FILE or FILE:LAYOUT, beside the workload file. */
static int read_replay(const struct spec_reader *r, struct config_value at, const char *text, struct deployment *to)
{
    struct error why = { "" };
    char sha256[65], *path = synth_path_beside(r->file, text), *colon = strrchr(path, ':');
    const struct request_format *format = colon ? request_format_find(colon + 1) : NULL;
    if (format)
        *colon = '\0';
    to->replay = mem_new(1, sizeof *to->replay);
    int result = requests_read(path, format, to->replay, sha256, &why);
    free(path);
    to->service.demand.replay = to->replay;
    return result ? config_error(at, r->err, "%s", why.text) : 0;
}

int spec_read_requests(const struct spec_reader *r, struct config_value v, struct deployment *to)
{
    struct service_demand *d = &to->service.demand;
    struct file_requests f = { .time_scale = 1, .gap_c2 = d->gap_c2 };
    struct spec_arrivals a = { .law = d->arrivals };
    for (int h = 0; h < 24; h++)
        a.daily[h] = 1;
    for (int day = 0; day < 7; day++)
        a.weekly[day] = 1;
    if (config_fields(v, request_keys, &f, r->err))
        return -1;
    if ((f.rate > 0) == (f.trace != NULL))
        return config_error(v, r->err, "want either a 'rate_per_s' or a 'trace'");
    if (f.trace && config_given(f.arrivals))
        return config_error(f.arrivals, r->err, "want no law beside a 'trace'");
    if (!f.trace && config_given(config_look(v, "time_scale")))
        return config_error(config_look(v, "time_scale"), r->err, "want it with a 'trace' only");
    if (spec_read_request_arrivals(f.arrivals, &a, r->err) || read_law(r, f.prompt_tokens, &d->prompt_tokens) ||
        read_law(r, f.output_tokens, &d->output_tokens))
        return -1;
    d->arrivals = a.law;
    d->calendar = calendar_of(a.daily, a.weekly, a.growth_per_day, r->to->start_ns);
    d->rate = f.rate;
    d->time_scale = f.time_scale;
    d->gap_c2 = f.gap_c2;
    return f.trace ? read_replay(r, config_look(v, "trace"), f.trace, to) : 0;
}

int spec_read_service_time(const struct spec_reader *r, struct config_value v, struct deployment *to)
{
    struct service_time *t = &to->service.time;
    struct file_time f = { .recorded = false };
    if (config_given(config_look(v, "law"))) {
        t->kind = TIME_LAW;
        return read_law(r, v, &t->law);
    }
    if (config_fields(v, time_keys, &f, r->err))
        return -1;
    if (f.recorded + config_given(f.batch) + config_given(f.llm) != 1)
        return config_error(v, r->err, "want a 'law', 'batch', 'llm' or 'recorded: true'");
    t->kind = f.recorded ? TIME_RECORDED : config_given(f.batch) ? TIME_BATCH : TIME_LLM;
    return (t->kind == TIME_BATCH && config_fields(f.batch, batch_keys, &t->batch, r->err)) ||
                   (t->kind == TIME_LLM && config_fields(f.llm, llm_keys, &t->llm, r->err))
               ? -1
               : 0;
}

int spec_read_slo(const struct spec_reader *r, struct config_value v, struct deployment *to)
{
    struct service_slo *slo = &to->service.slo;
    bool llm = service_is_llm(&to->service);
    if (llm) {                    /* models.md 4.5 [A] */
        slo->first_token_s = 2;
        slo->per_token_s = .1;
    } else {
        slo->latency_s = .2;
    }
    if (config_given(v) && config_fields(v, slo_keys, slo, r->err))
        return -1;
    static const char *const of_tokens[] = { "first_token_s", "per_token_s" };
    for (size_t i = 0; !llm && i < 2; i++)
        if (config_given(config_look(v, of_tokens[i])))
            return config_error(config_look(v, of_tokens[i]), r->err, "want it of a service time 'llm' only");
    return 0;
}
