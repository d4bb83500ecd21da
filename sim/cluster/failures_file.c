/* failures_file.c - see failures_file.h. */
#include "sim/cluster/failures_file.h"

#include "sim/base/intern.h"
#include "sim/base/memory.h"
#include "sim/cluster/reservations/closure_file.h"
#include "sim/cluster/node_range.h"
#include "sim/cluster/slow_file.h"
#include "sim/io/json_file.h"

#include <stdlib.h>
#include <string.h>

#define RATE_MOST   1000000

/* ---- recorded faults ---- */

#define DAYS_MOST 36500

struct trace {
    const char *file;
    struct error *err;
    struct intern *servers;
    struct given_fault *fault;
    struct { size_t fault; uint32_t deep; } *open; /* [servers] the open fault, and the number of
                                                      begun and not ended ones */
    size_t n, capacity, open_capacity;
    int64_t last_ns;
    uint32_t n_nodes;
};

static enum fault_cause cause_of(const char *class)
{
    static const struct { const char *class; enum fault_cause cause;
    } classes[] = {
        { "GPU", FAULT_GPU },
        { "Stress Test Failure", FAULT_STRESS },
        { "Unknown Error", FAULT_UNKNOWN },
        { "Parameter Plane Cable", FAULT_CABLE },
        { "Fan", FAULT_FAN },
        { "NIC", FAULT_NIC },
        { "Power Supply", FAULT_POWER },
        { "Training Task Troubleshooting", FAULT_TASK },
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(class, classes[i].class) == 0)
            return classes[i].cause;
    return FAULT_OTHER;
}

static int event_error(const struct trace *t, size_t event, const char *wanted)
{
    return error_set(t->err, "%s: event %zu: want %s", t->file, event + 1, wanted);
}

static int begins(struct trace *t, size_t event, uint32_t server, int64_t at_ns, const char *class)
{
    if (server >= t->n_nodes)
        return error_set(t->err, "%s: event %zu: more servers fail than the cluster's %u nodes",
                         t->file, event + 1, t->n_nodes);
    if (t->open[server].deep++)
        return 0; /* out of service already */
    t->open[server].fault = t->n;
    mem_grow(&t->fault, &t->capacity, t->n, sizeof *t->fault);
    t->fault[t->n++] = (struct given_fault){
        .node = server, .gpu = UINT32_MAX, .at_ns = at_ns, .cause = (uint8_t)cause_of(class)
    };
    return 0;
}

static int ends(struct trace *t, size_t event, uint32_t server, int64_t at_ns)
{
    if (!t->open[server].deep)
        return event_error(t, event, "the end of a fault that has begun");
    struct given_fault *g = &t->fault[t->open[server].fault];
    g->repair_ns = at_ns - g->at_ns;
    t->open[server].deep--;
    return 0;
}

static int take_event(struct trace *t, size_t event, const json_t *e)
{
    const char *server = json_string_value(json_object_get(e, "node_id"));
    const char *type = json_string_value(json_object_get(e, "event_type"));
    const char *class =
        json_string_value(json_object_get(json_object_get(e, "fault_type"), "Class"));
    const json_t *time = json_object_get(e, "event_time");
    double days = json_number_value(time);
    if (!server || !type || !class || !json_is_number(time))
        return event_error(t, event, "{ node_id, event_time, event_type, fault_type: { Class } }");
    bool start = strcmp(type, "fault_start") == 0;
    if (!start && strcmp(type, "fault_end") != 0)
        return event_error(t, event, "an event_type fault_start or fault_end");
    if (!(days >= 0 && days <= DAYS_MOST))
        return event_error(t, event, "an event_time from 0 to 36500 days");
    int64_t at_ns = ns_of_seconds(days * 86400);
    if (at_ns < t->last_ns)
        return event_error(t, event, "events in the order of time");
    t->last_ns = at_ns;
    uint32_t before = intern_count(t->servers), k = intern_add(t->servers, server, strlen(server));
    if (k == before) {
        mem_grow(&t->open, &t->open_capacity, k, sizeof *t->open);
        t->open[k].deep = 0;
    }
    return start ? begins(t, event, k, at_ns, class) : ends(t, event, k, at_ns);
}

static int take_all(struct trace *t, const json_t *whole)
{
    if (!json_is_array(whole))
        return error_set(t->err, "%s: want a list of events", t->file);
    for (size_t i = 0; i < json_array_size(whole); i++)
        if (take_event(t, i, json_array_get(whole, i)))
            return -1;
    for (uint32_t k = 0; k < intern_count(t->servers); k++)
        while (t->open[k].deep)
            ends(t, 0, k, t->last_ns);
    return 0;
}

static void append(const struct trace *t, struct cluster *c, struct failures *f)
{
    struct given_fault *all = arena_alloc(c->memory, (f->n_given + t->n + 1) * sizeof *all);
    memcpy(all, f->given, f->n_given * sizeof *all);
    for (size_t i = 0; i < t->n; i++) {
        if (t->fault[i].repair_ns <= 0)
            continue; /* it ends when it begins */
        all[f->n_given] = t->fault[i];
        all[f->n_given++].detection_ns = f->detection_ns;
    }
    f->given = all;
}

static int fault_trace_read(const char *path, struct cluster *c, struct failures *f,
                            struct error *err)
{
    json_t *whole = strcmp(path, "-") ? json_file_read(path, err) : NULL;
    if (!whole)
        return strcmp(path, "-") ? -1 : error_set(err, "-: want a file with recorded faults");
    struct trace t = { .file = path, .err = err, .servers = intern_new(), .n_nodes = c->n_nodes };
    int result = take_all(&t, whole);
    if (result == 0)
        append(&t, c, f);
    json_decref(whole);
    intern_free(t.servers);
    free(t.fault);
    free(t.open);
    return result;
}

/* ---- section failures ---- */

struct file_failures {
    struct failures laws;
    int rate, remediation;                   /* -1: not given */
    double per_day, remediation_share;       /* likewise */
    double network_per_day, host_per_day;                               /* likewise */
    double switch_per_year, software_per_day, software_per_gpu_year;    /* likewise */
    int64_t saturation_gpus;                 /* 0: not given */
    struct config_value mix, planned, given, slow, slow_past, spares, in_reserve;
    const char *trace;
};
struct file_planned {
    struct node_range nodes;
    struct planned_outage o;
    struct file_closure when;
};
struct file_given {
    struct node_range nodes;
    int kind, cause;
    struct given_fault g;
};

/* clang-format off */
#define LAW(field)     offsetof(struct file_failures, laws.field)
#define SAID(field)    offsetof(struct file_failures, field)
#define PLANNED(field) offsetof(struct file_planned, field)
#define GIVEN(field)   offsetof(struct file_given, field)
#define REAL           .type = CONFIG_REAL
#define SHARE          .type = CONFIG_REAL, .most = 1
#define CHOICE         .type = CONFIG_CHOICE
#define COUNT          .type = CONFIG_COUNT

static const char *const rate_words[] = {
    [RATE_NONE] = "none", [RATE_RSC_1] = "rsc-1", [RATE_RSC_2] = "rsc-2", [RATE_LLAMA_3] = "llama-3",
    [RATE_INFINITE_HBD] = "infinite-hbd", NULL,
};
static const char *const scope_words[] = { "node", "gpu", NULL };
static const char *const repair_words[] = {
    [REPAIR_WEIBULL] = "weibull", [REPAIR_LOGNORMAL] = "lognormal", [REPAIR_FIXED] = "fixed", NULL,
};
static const char *const remediation_words[] = { "none", "auto", NULL };
static const struct config_key keys[] = {
    { .name = "rate",                  CHOICE,  .at = SAID(rate), .words = rate_words },
    { .name = "faults_per_node_day",   REAL,    .at = SAID(per_day), .most = RATE_MOST },
    { .name = "network_faults_per_node_day", REAL, .at = SAID(network_per_day), .most = RATE_MOST },
    { .name = "maintenance_faults_per_node_day", REAL, .at = SAID(host_per_day), .most = RATE_MOST },
    { .name = "maintenance_repair_s",  CONFIG_SECONDS, .at = LAW(host_repair_ns), .above_least = true },
    { .name = "gap_shape",             REAL,    .at = LAW(gap_shape), .most = 100, .above_least = true },
    { .name = "lemon_shape",           REAL,    .at = LAW(lemon_shape), .most = RATE_MOST },
    { .name = "relapse_share",         SHARE,   .at = LAW(relapse_share) },
    { .name = "relapse_mean_s",        CONFIG_SECONDS, .at = LAW(relapse_mean_ns), .above_least = true },
    { .name = "scope",                 CHOICE,  .at = LAW(gpu_scope), .words = scope_words },
    { .name = "mix",                   .type = CONFIG_MAPPING, .at = SAID(mix) },
    { .name = "switch_faults_per_year", REAL,   .at = SAID(switch_per_year), .most = RATE_MOST },
    { .name = "switch_repair_s",       CONFIG_SECONDS, .at = LAW(switch_repair_ns), .above_least = true },
    { .name = "repair",                CHOICE,  .at = LAW(repair_law), .words = repair_words },
    { .name = "repair_s",              CONFIG_SECONDS, .at = LAW(fixed_ns), .above_least = true },
    { .name = "repair_shape",          REAL,    .at = LAW(weibull_shape), .most = 100, .above_least = true },
    { .name = "repair_scale_s",        CONFIG_SECONDS, .at = LAW(weibull_scale_ns), .above_least = true },
    { .name = "repair_mu",             REAL,    .at = LAW(lognormal_mu), .least = -100, .most = 100 },
    { .name = "repair_sigma",          REAL,    .at = LAW(lognormal_sigma), .most = 100, .above_least = true },
    { .name = "repair_most_s",         CONFIG_SECONDS, .at = LAW(lognormal_most_ns), .above_least = true },
    { .name = "remediation",           CHOICE,  .at = SAID(remediation), .words = remediation_words },
    { .name = "remediation_share",     SHARE,   .at = SAID(remediation_share) },
    { .name = "remediation_median_s",  CONFIG_SECONDS, .at = LAW(remediation_median_ns), .above_least = true },
    { .name = "remediation_sigma",     REAL,    .at = LAW(remediation_sigma), .most = 100, .above_least = true },
    { .name = "detection_s",           CONFIG_SECONDS, .at = LAW(detection_ns) },
    { .name = "hang_share",            SHARE,   .at = LAW(hang_share) },
    { .name = "hang_least_s",          CONFIG_SECONDS, .at = LAW(hang_least_ns) },
    { .name = "hang_most_s",           CONFIG_SECONDS, .at = LAW(hang_most_ns) },
    { .name = "software_faults_per_day", REAL,  .at = SAID(software_per_day), .most = RATE_MOST },
    { .name = "software_faults_per_gpu_year", REAL, .at = SAID(software_per_gpu_year), .most = RATE_MOST },
    { .name = "software_saturation_gpus", .type = CONFIG_PARTS, .scale = 1, .at = SAID(saturation_gpus), .least = 1,
      .most = UINT32_MAX, .word = "unlimited", .word_value = INT64_MAX },
    { .name = "software_hazard_min_gpus", COUNT, .at = LAW(software_min_gpus), .most = UINT32_MAX },
    { .name = "max_retries",           .type = CONFIG_PARTS, .scale = 1, .at = LAW(max_retries), .most = UINT32_MAX,
      .word = "unlimited", .word_value = INT64_MAX },
    { .name = "cordon_faults",         COUNT,   .at = LAW(cordon_faults), .most = UINT32_MAX },
    { .name = "cordon_within_s",       CONFIG_SECONDS, .at = LAW(cordon_within_ns), .above_least = true },
    { .name = "cordon_s",              CONFIG_SECONDS, .at = LAW(cordon_ns), .above_least = true },
    { .name = "maintenance",           .type = CONFIG_LIST, .at = SAID(planned) },
    { .name = "faults",                .type = CONFIG_LIST, .at = SAID(given) },
    { .name = "slow",                  .type = CONFIG_MAPPING, .at = SAID(slow) },
    { .name = "slow_past",             .type = CONFIG_MAPPING, .at = SAID(slow_past) },
    { .name = "spares",                .type = CONFIG_MAPPING, .at = SAID(spares) },
    { .name = "in_reserve",            .type = CONFIG_LIST, .at = SAID(in_reserve) },
    { .name = "trace",                 .type = CONFIG_TEXT, .at = SAID(trace) },
    { 0 },
};
static const struct config_key weight_key = { REAL, .most = RATE_MOST };
static const struct config_key planned_keys[] = {
    { .name = "group",   .type = CONFIG_TEXT, .at = PLANNED(nodes.group) },
    { .name = "first",   COUNT, .at = PLANNED(nodes.first), .most = CLUSTER_NODES_MAX },
    { .name = "count",   COUNT, .at = PLANNED(nodes.count), .least = 1, .most = CLUSTER_NODES_MAX },
    CLOSURE_KEYS(PLANNED(when)),
    { 0 },
};
static const char *const kind_words[] = { "fault", "slow", NULL };    /* slow: slow_file.c */
static const struct config_key given_keys[] = {
    { .name = "kind",        CHOICE, .at = GIVEN(kind), .words = kind_words },
    { .name = "group",       .type = CONFIG_TEXT, .at = GIVEN(nodes.group) },
    { .name = "node",        COUNT, .at = GIVEN(nodes.first), .most = CLUSTER_NODES_MAX },
    { .name = "gpu",         COUNT, .at = GIVEN(g.gpu), .most = NAMED_GPUS_MAX - 1 },
    { .name = "cause",       CHOICE, .at = GIVEN(cause), .words = fault_cause_name },
    { .name = "at_s",        CONFIG_SECONDS, .at = GIVEN(g.at_ns), .required = true },
    { .name = "repair_s",    CONFIG_SECONDS, .at = GIVEN(g.repair_ns), .above_least = true, .required = true },
    { .name = "detection_s", CONFIG_SECONDS, .at = GIVEN(g.detection_ns) },
    { 0 },
};
/* clang-format on */

static int read_mix(struct config_value v, double mix[NODE_CAUSES], struct error *err)
{
    struct config_walk w = { .of = v };
    double all = 0;
    memset(mix, 0, NODE_CAUSES * sizeof *mix);
    for (struct config_value pair; config_next(&w, &pair);) {
        const char *name = NULL;
        unsigned c = 0;
        if (config_key_text(pair, &name, err))
            return -1;
        while (c < NODE_CAUSES && strcmp(fault_cause_name[c], name) != 0)
            c++;
        if (c == NODE_CAUSES)
            return config_error(pair, err, "want one of %s", fault_mix_words);
        if (config_scalar(pair, &weight_key, &mix[c], err))
            return -1;
        all += mix[c];
    }
    return all > 0 ? 0 : config_error(v, err, "want weights of causes, and one above 0");
}

static int read_planned(struct config_value list, struct cluster *c, struct failures *f,
                        struct error *err)
{
    struct config_walk w = { .of = list };
    f->planned = arena_alloc(c->memory, (config_count(list) + 1) * sizeof *f->planned);
    for (struct config_value entry; config_next(&w, &entry);) {
        struct file_planned p = { .nodes = { .first = 0 } };
        if (config_fields(entry, planned_keys, &p, err) ||
            node_range_find(entry, c, &p.nodes, &p.o.first, &p.o.end, err) ||
            closure_complete(entry, &p.when, "maintenance", err))
            return -1;
        p.o.when = p.when.is;
        f->planned[f->n_planned++] = p.o;
    }
    return 0;
}

static int read_given(struct config_value list, struct cluster *c, struct failures *f,
                      struct error *err)
{
    struct config_walk w = { .of = list };
    f->given = arena_alloc(c->memory, (config_count(list) + 1) * sizeof *f->given);
    f->slow.given = arena_alloc(c->memory, (config_count(list) + 1) * sizeof *f->slow.given);
    for (struct config_value entry; config_next(&w, &entry);) {
        if (slow_given_is(entry)) {
            if (slow_given_read(entry, c, &f->slow, err))
                return -1;
            continue;
        }
        struct file_given g = {
            .nodes = { .count = 1 },
            .cause = FAULT_UNKNOWN,
            .g = { .gpu = UINT32_MAX, .detection_ns = f->detection_ns },
        };
        uint32_t end;
        if (config_fields(entry, given_keys, &g, err) ||
            node_range_find(entry, c, &g.nodes, &g.g.node, &end, err))
            return -1;
        const struct node_type *t = cluster_node_type(c, g.g.node);
        if (g.g.gpu != UINT32_MAX && (t->counted || t->mig_dynamic || g.g.gpu >= t->gpus))
            return config_error(entry, err, "that node has no GPU %u", g.g.gpu);
        if (g.cause == FAULT_SOFTWARE || g.cause == FAULT_SLOW)
            return config_error(entry, err, "a node does not fail by '%s'",
                                fault_cause_name[g.cause]);
        if (g.cause == FAULT_SWITCH &&
            (g.g.gpu != UINT32_MAX ||
             c->domain[cluster_domain_at(c, g.g.node, LEVEL_RACK)].level != LEVEL_RACK))
            return config_error(
                entry, err, "a 'switch' fails with its rack: want a node in a rack, and no 'gpu'");
        g.g.cause = (uint8_t)g.cause;
        f->given[f->n_given++] = g.g;
    }
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct given_fault *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->gpu != y->gpu)
        return x->gpu < y->gpu ? -1 : 1;
    return (x->repair_ns > y->repair_ns) - (x->repair_ns < y->repair_ns);
}

static double said_or(double said, double other)
{
    return said >= 0 ? said : other;
}

/* Defaults that depend on other keys: the preset has parts, and a key said beside it takes the
 * place of its own part. Without a preset, switches and software fail only where nodes do. */
static void settle_rates(struct file_failures *f)
{
    struct failures *laws = &f->laws;
    bool given = config_given(f->given) || f->trace;
    if (f->rate < 0)
        f->rate = f->per_day < 0 && given ? RATE_NONE : RATE_INFINITE_HBD;
    const struct fault_preset *p = &fault_preset[f->rate];
    laws->faults_per_day = said_or(f->per_day, p->faults_per_day);
    if (!config_given(f->mix))
        memcpy(laws->mix, p->mix, sizeof laws->mix);
    if (p->whole) {
        laws->switch_faults_per_year = laws->software_faults_per_day = 0;
        laws->software_faults_per_gpu_year = p->software_per_gpu_year;
        laws->software_saturation_gpus = p->saturation_gpus;
        laws->relapses_counted = true;
    } else if (laws->faults_per_day <= 0) {
        laws->switch_faults_per_year = laws->software_faults_per_day = 0;
        laws->software_faults_per_gpu_year = 0;
    }
    laws->network_faults_per_day = said_or(f->network_per_day, p->network_per_day);
    laws->host_faults_per_day = said_or(f->host_per_day, p->host_per_day);
    laws->switch_faults_per_year = said_or(f->switch_per_year, laws->switch_faults_per_year);
    laws->software_faults_per_day = said_or(f->software_per_day, laws->software_faults_per_day);
    laws->software_faults_per_gpu_year =
        said_or(f->software_per_gpu_year, laws->software_faults_per_gpu_year);
    if (f->saturation_gpus)
        laws->software_saturation_gpus = f->saturation_gpus;
    if (f->remediation > 0)
        laws->remediation_share = 0.6;
    if (f->remediation_share >= 0)
        laws->remediation_share = f->remediation_share;
}

int failures_read(struct config_value section, struct cluster *c, struct error *err)
{
    struct file_failures f = {
        .laws = failures_default,
        .rate = -1,
        .remediation = -1,
        .per_day = -1,
        .network_per_day = -1,
        .host_per_day = -1,
        .remediation_share = -1,
        .switch_per_year = -1,
        .software_per_day = -1,
        .software_per_gpu_year = -1,
    };
    if (config_fields(section, keys, &f, err))
        return -1;
    if (f.remediation == 0 && f.remediation_share > 0)
        return config_error(section, err,
                            "'remediation: none' and a 'remediation_share' do not go together");
    if (f.laws.hang_most_ns < f.laws.hang_least_ns)
        return config_error(section, err, "want 'hang_most_s' no less than 'hang_least_s'");
    if ((f.laws.repair_law == REPAIR_FIXED) != (f.laws.fixed_ns > 0))
        return config_error(section, err, "'repair: fixed' and 'repair_s' want each other");
    if (config_given(f.mix) && read_mix(f.mix, f.laws.mix, err))
        return -1;
    settle_rates(&f);
    if (config_given(f.slow) && slow_read(f.slow, &f.laws.slow, err))
        return -1;
    if (spares_read(f.spares, c, &f.laws, err) || in_reserve_read(f.in_reserve, c, &f.laws, err) ||
        read_planned(f.planned, c, &f.laws, err) || read_given(f.given, c, &f.laws, err) ||
        slow_past_read(f.slow_past, &f.laws.slow, err) ||
        (f.trace && fault_trace_read(f.trace, c, &f.laws, err)))
        return -1;
    qsort(f.laws.given, f.laws.n_given, sizeof *f.laws.given, by_time);
    if (!failures_happen(&f.laws))
        return 0;
    c->failures = arena_alloc(c->memory, sizeof *c->failures);
    *c->failures = f.laws;
    return 0;
}
