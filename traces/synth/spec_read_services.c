/* spec_read_services.c - of a workload file: inference services, their replicas, start-up,
 * requests, service times and SLO. */
#include "sim/serving/deployment.h"
#include "traces/requests/requests.h"
#include "traces/synth/spec_reader.h"
#include "traces/synth/synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== requests, service times, SLO ==== */

struct file_requests {
    double rate, time_scale, gap_c2;
    const char *trace;
    struct config_value arrivals, prompt_tokens, output_tokens;
};
struct file_time { struct config_value batch, llm; bool recorded; };
/* clang-format off */
#define REQUEST_AT(field) .at = offsetof(struct file_requests, field)
#define ABOVE_0(high) REAL, .most = high, .above_least = true
static const struct config_key request_keys[] = {
    { .name = "rate_per_s",    ABOVE_0(1000000000), REQUEST_AT(rate) },
    { .name = "arrivals",      .type = CONFIG_MAPPING, REQUEST_AT(arrivals) },
    { .name = "gap_c2",        REAL, REQUEST_AT(gap_c2), .most = 1000000 },
    { .name = "trace",         .type = CONFIG_TEXT, REQUEST_AT(trace) },
    { .name = "time_scale",    ABOVE_0(1000000), REQUEST_AT(time_scale) },
    { .name = "prompt_tokens", .type = CONFIG_MAPPING, REQUEST_AT(prompt_tokens) },
    { .name = "output_tokens", .type = CONFIG_MAPPING, REQUEST_AT(output_tokens) },
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
    { .name = "most",     .type = CONFIG_COUNT, BATCH(max), .least = 1, .most = 1000000 },
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

/* A law as of run times, but not cut; absent: unchanged. Seconds of a law of tokens are tokens. */
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

/* FILE or FILE:LAYOUT; FILE is relative to the folder of the workload file. */
static int read_replay(const struct spec_reader *r, struct config_value at, const char *text,
                       struct deployment *to)
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

static int read_requests(const struct spec_reader *r, struct config_value v, struct deployment *to)
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
    if (spec_read_request_arrivals(f.arrivals, &a, r->err) ||
        read_law(r, f.prompt_tokens, &d->prompt_tokens) ||
        read_law(r, f.output_tokens, &d->output_tokens))
        return -1;
    d->arrivals = a.law;
    d->calendar = calendar_of(a.daily, a.weekly, a.growth_per_day, r->to->start_ns);
    d->rate = f.rate;
    d->time_scale = f.time_scale;
    d->gap_c2 = f.gap_c2;
    return f.trace ? read_replay(r, config_look(v, "trace"), f.trace, to) : 0;
}

/* Times of an LLM by its model, or by numbers (models.md 4.8, 4.2). */
static int read_llm(const struct spec_reader *r, struct config_value v, struct job_row *row,
                    struct service *s)
{
    if (!config_given(config_look(v, "model")) && !config_given(config_look(v, "models")))
        return config_fields(v, llm_keys, &s->time.llm, r->err);
    s->time.kind = TIME_ENGINE;
    return spec_read_llm(r, v, row, s);
}

static int read_service_time(const struct spec_reader *r, struct config_value v,
                             struct job_row *row, struct deployment *to)
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
                   (t->kind == TIME_LLM && read_llm(r, f.llm, row, &to->service))
               ? -1
               : 0;
}

static int read_slo(const struct spec_reader *r, struct config_value v, struct deployment *to)
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
            return config_error(config_look(v, of_tokens[i]), r->err,
                                "want it of a service time 'llm' only");
    return 0;
}

/* ==== services ==== */

#define SERVICES_MOST 10000
#define REPLICAS_MOST   100000    /* of one service */
#define REPLICAS_IN_ALL 1000000
#define PULL_COLD_NS   (180 * NS_PER_S)    /* models.md 4.6 [A] */
#define PULL_CACHED_NS (30 * NS_PER_S)
#define WARM_UP_NS     (5 * NS_PER_S)
#define LOAD_GB_PER_S  2.0

struct file_service {
    const char *name, *queue, *user, *model, *mig, *depends_on;
    int32_t priority;
    bool preemptible;
    int64_t gpu_milli, cpu_milli, mem_mib, start_ns, end_ns, interval_ns;
    uint32_t tasks, gpu_mem_mib, used_mem_mib;
    int mode, dispatch, lost;
    double timeout_s;
    struct config_value gpu_types, speeds, replicas, requests, service_time, slo, autoscaler,
        start_up;
};
struct file_start {
    double weights_gb, load_gb_per_s;
    int64_t pull_cold_ns, pull_cached_ns, warm_up_ns;
    bool was_there;
};
struct file_replicas { uint32_t least, most, initial; };

/* clang-format off */
static const char *const mode_words[] = { [SERVICE_FLUID] = "fluid", [SERVICE_REQUESTS] = "requests", NULL };
static const char *const dispatch_words[] = { [DISPATCH_CENTRAL] = "central", [DISPATCH_JSQ] = "jsq", [DISPATCH_RANDOM2] = "random2",
                                              [DISPATCH_ROUND_ROBIN] = "round_robin", [DISPATCH_PREFIX] = "prefix",
                                              [DISPATCH_ADAPTER] = "adapter",
                                              [DISPATCH_MODEL] = "model", NULL };
static const char *const lost_words[] = { [LOST_REQUEUE] = "requeue", [LOST_DROP] = "drop", NULL };

#define AT(field) .at = offsetof(struct file_service, field)
#define SECONDS .type = CONFIG_PARTS, .scale = NS_PER_S, .most = 1000000000
static const struct config_key service_keys[] = {
    { .name = "name",           .type = CONFIG_TEXT, AT(name), .required = true },
    { .name = "queue",          .type = CONFIG_TEXT, AT(queue) },
    { .name = "user",           .type = CONFIG_TEXT, AT(user) },
    { .name = "priority",       .type = CONFIG_INTEGER, AT(priority), .least = INT32_MIN, .most = INT32_MAX },
    { .name = "preemptible",    .type = CONFIG_FLAG, AT(preemptible) },
    { .name = "model",          .type = CONFIG_TEXT, AT(model) },
    { .name = "gpu_types",      .type = CONFIG_LIST, AT(gpu_types) },
    { .name = "gpus",           .type = CONFIG_PARTS, AT(gpu_milli), .scale = MILLI_ALL, .most = 1000000, .above_least = true },
    { .name = "mig",            .type = CONFIG_TEXT, AT(mig) },
    { .name = "tasks",          .type = CONFIG_COUNT, AT(tasks), .least = 1, .most = 1000000 },
    { .name = "cpus",           .type = CONFIG_PARTS, AT(cpu_milli), .scale = 1000, .most = 1000000 },
    { .name = "memory_gib",     .type = CONFIG_PARTS, AT(mem_mib), .scale = 1024, .most = 1000000 },
    { .name = "gpu_mem_mib",    .type = CONFIG_COUNT, AT(gpu_mem_mib), .most = 100000000 },
    { .name = "used_mem_mib",   .type = CONFIG_COUNT, AT(used_mem_mib), .most = 100000000 },
    { .name = "speeds",         .type = CONFIG_MAPPING, AT(speeds) },
    { .name = "replicas",       .type = CONFIG_MAPPING, AT(replicas) },
    { .name = "requests",       .type = CONFIG_MAPPING, AT(requests), .required = true },
    { .name = "service_time",   .type = CONFIG_MAPPING, AT(service_time), .required = true },
    { .name = "slo",            .type = CONFIG_MAPPING, AT(slo) },
    { .name = "autoscaler",     .type = CONFIG_MAPPING, AT(autoscaler) },
    { .name = "start_up",       .type = CONFIG_MAPPING, AT(start_up) },
    { .name = "start_s",        SECONDS, AT(start_ns) },
    { .name = "depends_on",     .type = CONFIG_TEXT, AT(depends_on) },
    { .name = "end_s",          SECONDS, AT(end_ns), .above_least = true },
    { .name = "mode",           .type = CONFIG_CHOICE, AT(mode), .words = mode_words },
    { .name = "interval_s",     SECONDS, AT(interval_ns), .least = 1 },
    { .name = "dispatch",       .type = CONFIG_CHOICE, AT(dispatch), .words = dispatch_words },
    { .name = "lost_requests",  .type = CONFIG_CHOICE, AT(lost), .words = lost_words },
    { .name = "timeout_s",      REAL, AT(timeout_s), .most = 1000000000, .above_least = true },
    { 0 },
};
#define START(field) .at = offsetof(struct file_start, field)
static const struct config_key start_keys[] = {
    { .name = "pull_s",        SECONDS, START(pull_cold_ns) },
    { .name = "pull_cached_s", SECONDS, START(pull_cached_ns) },
    { .name = "weights_gb",    REAL, START(weights_gb), .most = 1000000 },
    { .name = "load_gb_per_s", REAL, START(load_gb_per_s), .most = 1000000, .above_least = true },
    { .name = "warm_up_s",     SECONDS, START(warm_up_ns) },
    { .name = "was_there",     .type = CONFIG_FLAG, START(was_there) },
    { 0 },
};
#define REPLICAS(field) .at = offsetof(struct file_replicas, field)
static const struct config_key replica_keys[] = {
    { .name = "min",     .type = CONFIG_COUNT, REPLICAS(least), .most = REPLICAS_MOST },
    { .name = "max",     .type = CONFIG_COUNT, REPLICAS(most), .least = 1, .most = REPLICAS_MOST },
    { .name = "initial", .type = CONFIG_COUNT, REPLICAS(initial), .most = REPLICAS_MOST },
    { 0 },
};
static const struct config_key a_name = { .type = CONFIG_TEXT };
static const struct config_key a_speed = { REAL, .most = 1000000, .above_least = true };
/* clang-format on */

static const char *kept(const struct spec_reader *r, const char *text)
{
    return text ? arena_text(r->to->services->memory, text, strlen(text)) : NULL;
}

/* [A, B] as in a trace: "A|B". */
static int read_gpu_types(const struct spec_reader *r, struct config_value v, struct job_row *row)
{
    struct config_walk w = { .of = v };
    char *to = NULL;
    size_t length = 0;
    FILE *f = mem_stream(&to, &length);
    int result = 0;
    for (struct config_value item; result == 0 && config_next(&w, &item);) {
        const char *name = NULL;
        result = config_scalar(item, &a_name, &name, r->err);
        if (result == 0)
            fprintf(f, "%s%s", ftell(f) ? "|" : "", name);
    }
    mem_stream_end(f, &to);
    if (result == 0 && length) {
        row->gpu_type = kept(r, to);
        row->gpu_type_length = length;
    }
    free(to);
    return result;
}

static int read_speeds(const struct spec_reader *r, struct config_value v, struct deployment *d)
{
    struct config_walk w = { .of = v };
    d->speed = arena_alloc(r->to->services->memory, (config_count(v) + 1) * sizeof *d->speed);
    for (struct config_value pair; config_next(&w, &pair); d->n_speeds++) {
        const char *name = NULL;
        struct replica_speed *s = &d->speed[d->n_speeds];
        if (config_key_text(pair, &name, r->err) ||
            config_scalar(pair, &a_speed, &s->speed, r->err))
            return -1;
        s->gpu_type = kept(r, name);
    }
    return 0;
}

/* was_there: the default, true of a service without a start_s. */
static int read_start(const struct spec_reader *r, struct config_value v, bool was_there,
                      struct deployment *d)
{
    struct file_start f = { 0, LOAD_GB_PER_S, PULL_COLD_NS, PULL_CACHED_NS, WARM_UP_NS, was_there };
    const struct llm_model *m = &d->service.time.llm;
    if (d->service.time.kind == TIME_LLM)
        f.weights_gb = m->parameters * m->parameter_bytes / 1e9;
    if (d->service.time.kind == TIME_ENGINE)
        f.weights_gb = d->service.time.engine.weight_bytes / 1e9;
    if (config_given(v) && config_fields(v, start_keys, &f, r->err))
        return -1;
    if (f.pull_cached_ns > f.pull_cold_ns)
        return config_error(v, r->err, "want a pull_cached_s of at most pull_s");
    if (d->service.time.engine.models.n)     /* as a start loads it */
        d->service.time.engine.weights.storage_s =
            fmax(1 / (f.load_gb_per_s * 1e9), d->service.time.engine.weights.host_s);
    d->start =
        (struct replica_start){ f.pull_cold_ns, f.pull_cached_ns,
                                (int64_t)llround(f.weights_gb / f.load_gb_per_s * (double)NS_PER_S),
                                f.warm_up_ns,
                                d->service.time.kind == TIME_ENGINE ? llround(f.weights_gb * 1e9) : 0,
                                f.was_there };
    return 0;
}

static int read_replicas(const struct spec_reader *r, struct config_value at, struct config_value v,
                         struct scaler_config *s)
{
    struct file_replicas f = { 1, 1, UINT32_MAX };
    if (config_given(v) && config_fields(v, replica_keys, &f, r->err))
        return -1;
    if (!config_given(config_look(v, "max")))
        f.most = f.initial != UINT32_MAX && f.initial > f.least ? f.initial : f.least ? f.least : 1;
    if (f.initial == UINT32_MAX)
        f.initial = f.least;
    if (f.least > f.most || f.initial < f.least || f.initial > f.most)
        return config_error(config_given(v) ? v : at, r->err,
                            "want min <= initial <= max, got %u, %u, %u", f.least, f.initial,
                            f.most);
    s->least = f.least;
    s->most = f.most;
    s->initial = f.initial;
    return 0;
}

static int read_size(const struct spec_reader *r, struct config_value at,
                     const struct file_service *f, struct job_row *row)
{
    bool share = f->gpu_milli < MILLI_ALL;
    if (!share && f->gpu_milli % MILLI_ALL)
        return config_error(config_look(at, "gpus"), r->err,
                            "want whole GPUs, or a fraction below one");
    row->gpus = share ? 1 : (uint32_t)(f->gpu_milli / MILLI_ALL);
    row->gpu_milli = share ? (uint32_t)f->gpu_milli : MILLI_ALL;
    row->tasks = f->tasks;
    if (row->gpus % f->tasks)
        return config_error(config_look(at, "tasks"), r->err,
                            "want gpus to be a multiple of them, got %u of %u", row->gpus,
                            f->tasks);
    row->cpu_milli = f->cpu_milli / f->tasks;
    row->mem_mib = f->mem_mib / f->tasks;
    row->gpu_mem_mib = f->gpu_mem_mib;
    row->used_mem_mib = f->used_mem_mib;
    if (f->mig && !(row->mig = mig_profile(f->mig)))
        return config_error(config_look(at, "mig"), r->err, "want " MIG_WANTED ", got '%.60s'",
                            f->mig);
    if (f->mig && share)
        return config_error(config_look(at, "mig"), r->err,
                            "want whole instances, as gpus says how many");
    return 0;
}

static void set_text(const char *text, const char **to, size_t *length)
{
    *to = text;
    *length = text ? strlen(text) : 0;
}

/* The default end: that of the replay, or the span of the file; TIME_NEVER. */
static int64_t end_of(const struct spec_reader *r, const struct deployment *d, int64_t start_ns)
{
    const struct request_list *l = d->replay;
    if (l && d->service.demand.time_scale > 0)
        return start_ns +
               (int64_t)llround((double)l->request[l->n - 1].time_ns *
                                d->service.demand.time_scale) +
               1;
    return r->to->span_s > 0 ? (int64_t)llround(r->to->span_s * (double)NS_PER_S) : TIME_NEVER;
}

static int read_one(const struct spec_reader *r, struct config_value at, struct deployment *d,
                    struct job_row *row)
{
    struct service *s = &d->service;
    *s = service_default();
    d->scaler = scaler_defaults;
    *row = job_row_default;
    struct file_service f = { .tasks = 1,
                              .gpu_milli = MILLI_ALL,
                              .end_ns = TIME_NEVER,
                              .interval_ns = s->interval_ns,
                              .timeout_s = s->timeout_s,
                              .mode = (int)s->mode,
                              .dispatch = (int)s->dispatch,
                              .lost = (int)s->lost };
    if (config_fields(at, service_keys, &f, r->err))
        return -1;
    s->name = kept(r, f.name);
    s->mode = (enum service_mode)f.mode;
    s->dispatch = (enum dispatch)f.dispatch;
    s->lost = (enum lost_requests)f.lost;
    s->timeout_s = f.timeout_s;
    s->interval_ns = f.interval_ns;
    s->demand.start_ns = f.start_ns;
    s->demand.end_ns = f.end_ns;
    if (read_size(r, at, &f, row) || read_gpu_types(r, f.gpu_types, row) ||
        read_speeds(r, f.speeds, d) || read_requests(r, f.requests, d) ||
        read_service_time(r, f.service_time, row, d) ||
        read_start(r, f.start_up, !config_given(config_look(at, "start_s")) && !f.depends_on, d) ||
        read_slo(r, f.slo, d) || read_replicas(r, at, f.replicas, &d->scaler) ||
        spec_read_scaler(r, f.autoscaler, d))
        return -1;
    if (s->time.kind == TIME_ENGINE && !config_given(config_look(at, "dispatch")))
        s->dispatch = s->time.engine.models.n ? DISPATCH_MODEL : DISPATCH_JSQ;
    if (s->time.kind == TIME_ENGINE && !config_given(config_look(at, "timeout_s")))
        s->timeout_s = INFINITY;  /* engines do not drop (models.md 4.9) */
    if (f.end_ns == TIME_NEVER && f.depends_on &&
        !(d->replay && s->demand.time_scale > 0))
        return config_error(at, r->err,
                            "want its end_s: so long after the jobs that it depends on it ends");
    if (f.end_ns == TIME_NEVER)
        s->demand.end_ns = end_of(r, d, f.start_ns);
    if (s->demand.end_ns <= f.start_ns)
        return config_error(at, r->err, "want an end behind its start");
    row->class = CLASS_INFERENCE;
    row->overhead = synth_on_demand_overhead;
    row->on_demand = true;
    row->priority = f.priority;
    row->preemptible = f.preemptible;
    row->submit_ns = f.start_ns;
    if (s->time.kind == TIME_ENGINE)         /* its duty is that of its GPU: models.md 4.9 */
        row->duty = (struct duty){ DUTY_ALL, DUTY_ALL };
    set_text(kept(r, f.queue), &row->queue, &row->queue_length);
    set_text(kept(r, f.user), &row->user, &row->user_length);
    set_text(kept(r, f.model), &row->model, &row->model_length);
    set_text(kept(r, f.depends_on), &row->depends_on, &row->depends_on_length);
    d->line = config_line(at);
    struct error why = { "" };
    return service_check(s, &why) ? config_error(at, r->err, "%s", why.text) : 0;
}

int spec_read_services(struct spec_reader *r, struct config_value list)
{
    struct config_walk w = { .of = list };
    size_t n = config_count(list), k = 0, replicas = 0;
    if (!config_given(list))
        return 0;
    if (n < 1 || n > SERVICES_MOST)
        return config_error(list, r->err, "want from 1 to %d, got %zu", SERVICES_MOST, n);
    r->to->services = deployments_new();
    r->to->services->of = arena_alloc(r->to->services->memory, n * sizeof *r->to->services->of);
    r->to->replica = arena_alloc(r->to->memory, n * sizeof *r->to->replica);
    for (struct config_value entry; config_next(&w, &entry); k++) {
        struct deployment *d = &r->to->services->of[k];
        r->to->services->n++;
        if (read_one(r, entry, d, &r->to->replica[k]))
            return -1;
        replicas += d->scaler.most;
        if (replicas > REPLICAS_IN_ALL)
            return config_error(entry, r->err, "want at most %d replicas of all services, got %zu",
                                REPLICAS_IN_ALL, replicas);
        for (size_t i = 0; i < k; i++)
            if (!strcmp(r->to->services->of[i].service.name, d->service.name))
                return config_error(config_look(entry, "name"), r->err, "'%s' is there twice",
                                    d->service.name);
    }
    return 0;
}
