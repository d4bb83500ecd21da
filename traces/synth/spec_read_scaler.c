/* spec_read_scaler.c - of a workload file: the autoscaler of a service. */
#include "sim/serving/deployment.h"
#include "traces/synth/spec_reader.h"

#include <math.h>
#include <string.h>

struct file_scaler {
    int kind, forecast;
    bool behaviour;
    int64_t period_ns, idle_ns, bin_ns, lead_ns;
    uint32_t days;
    double tolerance, level, trend, season, headroom, replica_rate;
    struct config_value metrics, up, down, profile;
};
struct file_rules {
    double tolerance;
    int64_t window_ns;
    int select;
    struct config_value policies;
};
struct file_policy { uint32_t pods, percent; int64_t period_ns; };

/* clang-format off */
static const char *const kind_words[] = { [SCALE_NONE] = "none", [SCALE_PROFILE] = "profile", [SCALE_HPA] = "hpa", [SCALE_FORECAST] = "forecast", NULL };
static const char *const forecast_words[] = { [FORECAST_HOLT_WINTERS] = "holt-winters", [FORECAST_DAILY_MAX] = "daily-max", NULL };
static const char *const select_words[] = { [HPA_SELECT_MAX] = "max", [HPA_SELECT_MIN] = "min", [HPA_SELECT_DISABLED] = "disabled", NULL };
static const char *const metric_words[] = { [SCALER_DUTY] = "duty", [SCALER_CONCURRENCY] = "concurrency", [SCALER_RATE] = "rate_per_s", [SCALER_QUEUE] = "queue",
                                            [SCALER_KV_USE] = "kv_use", [SCALER_TOKENS] = "output_tokens_per_s", [SCALER_FIRST_TOKEN] = "first_token_s", [SCALER_PER_TOKEN] = "per_token_s" };
static const enum hpa_metric_kind metric_kind[] = {
    [SCALER_DUTY] = HPA_RESOURCE, [SCALER_CONCURRENCY] = HPA_RESOURCE, [SCALER_RATE] = HPA_OBJECT_AVERAGE, [SCALER_QUEUE] = HPA_OBJECT_AVERAGE,
    [SCALER_KV_USE] = HPA_RESOURCE, [SCALER_TOKENS] = HPA_OBJECT_AVERAGE, [SCALER_FIRST_TOKEN] = HPA_OBJECT, [SCALER_PER_TOKEN] = HPA_OBJECT,
};

#define AT(field) .at = offsetof(struct file_scaler, field)
#define SECONDS(high) .type = CONFIG_PARTS, .scale = NS_PER_S, .most = high
static const struct config_key keys[] = {
    { .name = "kind",         .type = CONFIG_CHOICE, AT(kind), .words = kind_words, .required = true },
    { .name = "period_s",     SECONDS(86400), AT(period_ns), .least = 1 },
    { .name = "idle_s",       SECONDS(1000000000), AT(idle_ns), .above_least = true },
    { .name = "metrics",      .type = CONFIG_MAPPING, AT(metrics) },
    { .name = "tolerance",    REAL, AT(tolerance), .most = 1 },
    { .name = "behaviour",    .type = CONFIG_FLAG, AT(behaviour) },
    { .name = "up",           .type = CONFIG_MAPPING, AT(up) },
    { .name = "down",         .type = CONFIG_MAPPING, AT(down) },
    { .name = "forecast",     .type = CONFIG_CHOICE, AT(forecast), .words = forecast_words },
    { .name = "bin_s",        SECONDS(86400), AT(bin_ns), .least = 1 },
    { .name = "level",        REAL, AT(level), .most = 1 },
    { .name = "trend",        REAL, AT(trend), .most = 1 },
    { .name = "season",       REAL, AT(season), .most = 1 },
    { .name = "days",         .type = CONFIG_COUNT, AT(days), .least = 1, .most = 1000 },
    { .name = "headroom",     REAL, AT(headroom), .most = 1000, .above_least = true },
    { .name = "replica_rate_per_s", REAL, AT(replica_rate), .most = 1000000000, .above_least = true },
    { .name = "lead_s",       SECONDS(86400), AT(lead_ns) },
    { .name = "replicas",     .type = CONFIG_LIST, AT(profile) },
    { 0 },
};
#define RULE(field) .at = offsetof(struct file_rules, field)
static const struct config_key rule_keys[] = {
    { .name = "tolerance", REAL, RULE(tolerance), .most = 1 },
    { .name = "window_s",  SECONDS(3600), RULE(window_ns) },
    { .name = "select",    .type = CONFIG_CHOICE, RULE(select), .words = select_words },
    { .name = "policies",  .type = CONFIG_LIST, RULE(policies) },
    { 0 },
};
#define POLICY(field) .at = offsetof(struct file_policy, field)
static const struct config_key policy_keys[] = {
    { .name = "pods",     .type = CONFIG_COUNT, POLICY(pods), .least = 1, .most = HPA_REPLICAS_MOST },
    { .name = "percent",  .type = CONFIG_COUNT, POLICY(percent), .least = 1, .most = HPA_REPLICAS_MOST },
    { .name = "period_s", SECONDS(1800), POLICY(period_ns), .above_least = true, .required = true },
    { 0 },
};
static const struct config_key a_target = { REAL, .most = 1000000000, .above_least = true };
static const struct config_key a_count = { .type = CONFIG_COUNT, .most = HPA_REPLICAS_MOST };

static const char *const common[] = { "kind", "period_s", "idle_s", NULL };
static const char *const own[][11] = {
    [SCALE_NONE] = { NULL },
    [SCALE_PROFILE] = { "replicas", NULL },
    [SCALE_HPA] = { "metrics", "tolerance", "behaviour", "up", "down", NULL },
    [SCALE_FORECAST] = { "forecast", "bin_s", "level", "trend", "season", "days", "headroom", "replica_rate_per_s", "lead_s", NULL },
};
/* clang-format on */

static bool in_list(const char *const *list, const char *name)
{
    for (; *list; list++)
        if (!strcmp(*list, name))
            return true;
    return false;
}

static int check_keys(struct config_value v, int kind, struct error *err)
{
    struct config_walk w = { .of = v };
    for (struct config_value pair; config_next(&w, &pair);) {
        const char *name = NULL;
        if (config_key_text(pair, &name, err))
            return -1;
        if (!in_list(common, name) && !in_list(own[kind], name))
            return config_error(pair, err, "an autoscaler '%s' has none", kind_words[kind]);
    }
    return 0;
}

/* ---- the horizontal autoscaler ---- */

static int read_metrics(struct config_value v, const struct service *s, struct scaler_config *to,
                        struct error *err)
{
    struct config_walk w = { .of = v };
    struct hpa_config *h = &to->hpa;
    if (!config_given(v)) {       /* models.md 4.6 [A] */
        h->metric[h->n_metrics++] = (struct hpa_metric){ HPA_RESOURCE, .6 };
        to->metric[0] = SCALER_DUTY;
    }
    for (struct config_value pair; config_next(&w, &pair); h->n_metrics++) {
        const char *name = NULL;
        unsigned m = 0;
        if (config_key_text(pair, &name, err))
            return -1;
        while (m < SCALER_METRICS && strcmp(name, metric_words[m]) != 0)
            m++;
        if (m == SCALER_METRICS || h->n_metrics == HPA_METRICS_MOST)
            return config_error(pair, err,
                                "want duty, concurrency, rate_per_s, queue, kv_use, "
                                "output_tokens_per_s, first_token_s or per_token_s, each once");
        if (m >= SCALER_KV_USE && s->time.kind != TIME_ENGINE)
            return config_error(pair, err, "want it of a service time 'llm' with a 'model' only");
        if (config_scalar(pair, &a_target, &h->metric[h->n_metrics].target, err))
            return -1;
        h->metric[h->n_metrics].kind = metric_kind[m];
        to->metric[h->n_metrics] = (enum scaler_metric)m;
    }
    return h->n_metrics ? 0 : config_error(v, err, "want at least one");
}

static int read_policies(struct config_value v, struct hpa_rules *to, struct error *err)
{
    struct config_walk w = { .of = v };
    if (config_count(v) < 1 || config_count(v) > HPA_POLICIES_MOST)
        return config_error(v, err, "want from 1 to %d, got %zu", HPA_POLICIES_MOST,
                            config_count(v));
    to->n = 0;
    for (struct config_value item; config_next(&w, &item); to->n++) {
        struct file_policy f = { 0, 0, 0 };
        if (config_fields(item, policy_keys, &f, err))
            return -1;
        if (!f.pods == !f.percent)
            return config_error(item, err, "want either 'pods' or 'percent'");
        to->policy[to->n] =
            (struct hpa_policy){ f.percent > 0, f.percent ? f.percent : f.pods, f.period_ns };
    }
    return 0;
}

static int read_rules(struct config_value v, struct hpa_rules *to, struct error *err)
{
    struct file_rules f = { to->tolerance, to->window_ns, (int)to->select, { .config = NULL } };
    if (!config_given(v))
        return 0;
    if (config_fields(v, rule_keys, &f, err) ||
        (config_given(f.policies) && read_policies(f.policies, to, err)))
        return -1;
    to->tolerance = f.tolerance;
    to->window_ns = f.window_ns;
    to->select = (enum hpa_select)f.select;
    return 0;
}

static int read_hpa(const struct file_scaler *f, const struct service *s, struct scaler_config *to,
                    struct error *err)
{
    struct hpa_config *h = &to->hpa;
    *h = hpa_defaults;
    h->most = to->most;
    /* then only idle_s leads to 0 replicas */
    h->least = to->idle_ns != TIME_NEVER && to->least == 0 ? 1 : to->least;
    h->period_ns = to->period_ns;
    h->behaviour = f->behaviour;
    h->up.tolerance = h->down.tolerance = f->tolerance;
    if (read_metrics(f->metrics, s, to, err) || read_rules(f->up, &h->up, err) ||
        read_rules(f->down, &h->down, err))
        return -1;
    bool object = false;
    for (size_t i = 0; i < h->n_metrics; i++)
        object = object || to->metric[i] == SCALER_RATE || to->metric[i] == SCALER_QUEUE;
    if (h->least == 0 && !object)
        return config_error(f->metrics, err,
                            "a 'min' of 0 wants 'idle_s', or a metric that is there without "
                            "replicas: rate_per_s or queue");
    return 0;
}

/* ---- forecast and profile ---- */

static int read_forecast(struct config_value v, const struct file_scaler *f,
                         struct scaler_config *to, struct error *err)
{
    to->forecast = (struct forecast_config){
        (enum forecast_kind)f->forecast, f->bin_ns, f->level, f->trend, f->season, f->days
    };
    to->headroom = f->headroom;
    to->replica_rate = f->replica_rate;
    to->lead_ns = f->lead_ns;
    if (86400 * NS_PER_S % f->bin_ns || f->bin_ns % to->period_ns)
        return config_error(v, err,
                            "want a bin_s that divides a day and is a multiple of period_s");
    return 0;
}

static int read_profile(const struct spec_reader *r, struct config_value at,
                        const struct file_scaler *f, struct deployment *d)
{
    struct scaler_config *to = &d->scaler;
    struct config_walk w = { .of = f->profile };
    size_t n = config_count(f->profile);
    if (n != 24 && n != WEEK_HOURS)
        return config_error(config_given(f->profile) ? f->profile : at, r->err,
                            "want 'replicas' for 24 hours of the day or %d of the week, got %zu",
                            WEEK_HOURS, n);
    to->profile = arena_alloc(r->to->services->memory, n * sizeof *to->profile);
    for (struct config_value item; config_next(&w, &item); to->n_profile++)
        if (config_scalar(item, &a_count, &to->profile[to->n_profile], r->err))
            return -1;
    to->first_hour = d->service.demand.calendar.first_hour +
                     (double)d->service.demand.start_ns / (double)NS_PER_S / 3600;
    return 0;
}

int spec_read_scaler(const struct spec_reader *r, struct config_value v, struct deployment *d)
{
    struct scaler_config *to = &d->scaler;
    const struct forecast_config *c = &to->forecast;
    struct file_scaler f = { .period_ns = to->period_ns,
                             .idle_ns = TIME_NEVER,
                             .tolerance = .1,
                             .behaviour = true,
                             .bin_ns = c->bin_ns,
                             .level = c->level,
                             .trend = c->trend,
                             .season = c->season,
                             .days = c->days,
                             .headroom = to->headroom,
                             .lead_ns = replica_start_ns(&d->start, true, 0) };
    if (!config_given(v))
        return 0;
    if (config_fields(v, keys, &f, r->err) || check_keys(v, f.kind, r->err))
        return -1;
    to->kind = (enum scaler_kind)f.kind;
    to->period_ns = f.period_ns;
    to->idle_ns = f.idle_ns;
    if (to->idle_ns != TIME_NEVER && to->least > 0)
        return config_error(config_look(v, "idle_s"), r->err,
                            "want it with 'min: 0' of the replicas only");
    switch (to->kind) {
    case SCALE_HPA:
        return read_hpa(&f, &d->service, to, r->err);
    case SCALE_FORECAST:
        return read_forecast(v, &f, to, r->err);
    case SCALE_PROFILE:
        return read_profile(r, v, &f, d);
    default:
        return 0;
    }
}
