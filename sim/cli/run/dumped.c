/* dumped.c - see dumped.h. */
#include "sim/cli/run/dumped.h"

#include "sim/base/memory.h"
#include "sim/cluster/cluster_file.h"
#include "sim/io/config.h"
#include "sim/io/provenance.h"
#include "sim/results/results.h"

#include <stdlib.h>
#include <string.h>

#define RATIO_MAX  1000000

/* ==== The document ==== */

struct named {                    /* policy, placement, or a switch */
    const char *name, *given;
    bool clairvoyant;
    struct config_value parameters, time;    /* time: of a switch */
};
struct of_cluster {
    const char *file, *sha256, *name, *settings_sha256;
    struct config_value named, set, settings;
    uint32_t nodes, queues;
    int64_t gpus, period_ns;
};
struct of_trace {
    const char *file, *format, *sha256, *estimates;
    struct config_value options, named, retime;
    uint32_t jobs, pods, batch;
    int64_t every_ns, load_gpus;
    double load, stream;
};
struct whole {
    struct config_value policy, placement, switches, cluster, trace, outputs, federation;
    struct config_value members;
    const char *seed;
    int64_t until_ns, sample_ns, snapshot_ns;
    uint32_t warmup;
    const char *quantiles;
    bool check;
};

/* clang-format off: tables */
#define NAMED(field) .at = offsetof(struct named, field)
static const struct config_key named_keys[] = {
    { .name = "time_s",      .type = CONFIG_ANY,     NAMED(time) },
    { .name = "name",        .type = CONFIG_TEXT,    NAMED(name), .required = true },
    { .name = "given",       .type = CONFIG_TEXT,    NAMED(given), .required = true },
    { .name = "clairvoyant", .type = CONFIG_FLAG,    NAMED(clairvoyant) },
    { .name = "parameters",  .type = CONFIG_MAPPING, NAMED(parameters) },
    { 0 },
};
#define CLUSTER(field) .at = offsetof(struct of_cluster, field)
static const struct config_key cluster_keys[] = {
    { .name = "file",            .type = CONFIG_TEXT,    CLUSTER(file), .required = true },
    { .name = "sha256",          .type = CONFIG_TEXT,    CLUSTER(sha256), .required = true },
    { .name = "named_sha256",    .type = CONFIG_LIST,    CLUSTER(named) },
    { .name = "name",            .type = CONFIG_TEXT,    CLUSTER(name), .required = true },
    { .name = "nodes",           .type = CONFIG_COUNT,   CLUSTER(nodes), .most = UINT32_MAX },
    { .name = "gpus",            .type = CONFIG_PARTS,   CLUSTER(gpus), .most = INT64_MAX },
    { .name = "queues",          .type = CONFIG_COUNT,   CLUSTER(queues), .most = UINT32_MAX },
    { .name = "set",             .type = CONFIG_LIST,    CLUSTER(set) },
    { .name = "period_s",        CONFIG_SECONDS,         CLUSTER(period_ns) },
    { .name = "settings_sha256", .type = CONFIG_TEXT,    CLUSTER(settings_sha256) },
    { .name = "settings",        .type = CONFIG_MAPPING, CLUSTER(settings) },
    { 0 },
};
#define TRACE(field) .at = offsetof(struct of_trace, field)
static const struct config_key trace_keys[] = {
    { .name = "file",           .type = CONFIG_TEXT,    TRACE(file), .required = true },
    { .name = "format",         .type = CONFIG_TEXT,    TRACE(format), .required = true },
    { .name = "options",        .type = CONFIG_MAPPING, TRACE(options) },
    { .name = "sha256",         .type = CONFIG_TEXT,    TRACE(sha256), .required = true },
    { .name = "named_sha256",   .type = CONFIG_LIST,    TRACE(named) },
    { .name = "jobs",           .type = CONFIG_COUNT,   TRACE(jobs), .most = UINT32_MAX },
    { .name = "load",           .type = CONFIG_REAL,    TRACE(load), .above_least = true, .most = RATIO_MAX },
    { .name = "load_gpus",      .type = CONFIG_PARTS,   TRACE(load_gpus), .least = 1, .most = INT64_MAX },
    { .name = "pods",           .type = CONFIG_COUNT,   TRACE(pods), .most = 1000000 },
    { .name = "retime",         .type = CONFIG_MAPPING, TRACE(retime) },
    { .name = "estimates",      .type = CONFIG_TEXT,    TRACE(estimates) },
    { .name = "stream_percent", .type = CONFIG_REAL,    TRACE(stream), .most = 100000 },
    { 0 },
};
static const struct config_key retime_keys[] = {
    { .name = "batch",   .type = CONFIG_COUNT, TRACE(batch), .least = 1, .most = 1000000000, .required = true },
    { .name = "every_s", CONFIG_SECONDS,       TRACE(every_ns), .required = true },
    { 0 },
};
#define WHOLE(field) .at = offsetof(struct whole, field)
static const struct config_key whole_keys[] = {
    { .name = "policy",      .type = CONFIG_MAPPING, WHOLE(policy), .required = true },
    { .name = "switches",    .type = CONFIG_LIST,    WHOLE(switches) },
    { .name = "placement",   .type = CONFIG_MAPPING, WHOLE(placement), .required = true },
    { .name = "seed",        .type = CONFIG_TEXT,    WHOLE(seed), .required = true },
    { .name = "federation",  .type = CONFIG_ANY,     WHOLE(federation) },
    { .name = "members",     .type = CONFIG_ANY,     WHOLE(members) },
    { .name = "cluster",     .type = CONFIG_MAPPING, WHOLE(cluster) },
    { .name = "trace",       .type = CONFIG_MAPPING, WHOLE(trace) },
    { .name = "until_s",     CONFIG_SECONDS,         WHOLE(until_ns) },
    { .name = "warmup_jobs", .type = CONFIG_COUNT,   WHOLE(warmup), .most = UINT32_MAX },
    { .name = "sample_s",    CONFIG_SECONDS,         WHOLE(sample_ns) },
    { .name = "snapshot_s",  CONFIG_SECONDS,         WHOLE(snapshot_ns) },
    { .name = "quantiles",   .type = CONFIG_TEXT,    WHOLE(quantiles) },
    { .name = "check",       .type = CONFIG_FLAG,    WHOLE(check) },
    { .name = "outputs",     .type = CONFIG_LIST,    WHOLE(outputs) },
    { 0 },
};
/* clang-format on */

static const struct config_key as_text = { .type = CONFIG_TEXT };

static const char *keep(struct dumped *d, char *text)
{
    const char *kept = arena_text(d->memory, text, strlen(text));
    free(text);
    return kept;
}

/* ==== Names with parameters ==== */

/* "NAME:KEY=VALUE,..." with every parameter that the mapping has. A plugin is known by its path. */
static int listed_text(struct dumped *d, const struct named *n, const char **to, struct error *err)
{
    char *text = NULL;
    size_t length;
    const char *slash = strrchr(n->given, '/'), *colon = slash ? strchr(slash, ':') : NULL;
    FILE *f = mem_stream(&text, &length);
    if (slash)
        fprintf(f, "%.*s", colon ? (int)(colon - n->given) : (int)strlen(n->given), n->given);
    else
        fputs(n->name, f);
    struct config_walk w = { .of = n->parameters };
    char before = ':';
    int result = 0;
    for (struct config_value v; result == 0 && config_next(&w, &v); before = ',') {
        const char *key = "", *value = "";
        result = config_key_text(v, &key, err) || config_scalar(v, &as_text, &value, err) ? -1 : 0;
        fprintf(f, "%c%s=%s", before, key, value);
    }
    mem_stream_end(f, &text);
    *to = keep(d, text);
    return result;
}

/* What was given if it says the same as the list of parameters, else the list. */
static int policy_text(struct dumped *d, const struct named *n, const char **to, struct error *err)
{
    struct chosen_policy given = { 0 }, listed = { 0 };
    struct error why = { "" };
    const char *list = NULL;
    if (listed_text(d, n, &list, err))
        return EXIT_INPUT;
    int status = choose_policy(list, &listed, err);
    if (status == EXIT_OK) {
        bool same = choose_policy(n->given, &given, &why) == EXIT_OK &&
                    given.policy == listed.policy &&
                    !memcmp(given.params, listed.params, given.policy->params_size);
        *to = same ? n->given : list;
    }
    free(given.params);
    free(listed.params);
    return status;
}

static int placer_text(struct dumped *d, const struct named *n, const char **to, struct error *err)
{
    struct chosen_placer given = { 0 }, listed = { 0 };
    struct error why = { "" };
    const char *list = NULL;
    if (listed_text(d, n, &list, err))
        return EXIT_INPUT;
    int status = choose_placer(list, &listed, err);
    if (status == EXIT_OK) {
        bool same = choose_placer(n->given, &given, &why) == EXIT_OK &&
                    given.placer == listed.placer &&
                    !memcmp(given.params, listed.params, given.placer->params_size);
        *to = same ? n->given : list;
    }
    free(given.params);
    free(listed.params);
    return status;
}

static int read_switches(struct dumped *d, struct config_value list, struct run_options *to,
                         struct error *err)
{
    static const struct config_key time_key = { CONFIG_SECONDS };
    size_t n = config_count(list);
    to->switches.text = arena_alloc(d->memory, (n + 1) * sizeof *to->switches.text);
    struct config_walk w = { .of = list };
    for (struct config_value item; config_next(&w, &item);) {
        struct named one = { 0 };
        const char *policy = NULL;
        char time[DECIMAL_MAX], *text = NULL;
        size_t length;
        int64_t at_ns = 0;
        if (config_fields(item, named_keys, &one, err) ||
            config_scalar(one.time, &time_key, &at_ns, err))
            return EXIT_INPUT;
        int status = policy_text(d, &one, &policy, err);
        if (status != EXIT_OK)
            return status;
        FILE *f = mem_stream(&text, &length);
        fprintf(f, "%.*s:%s", (int)decimal_format(time, at_ns, NS_PER_S), time, policy);
        mem_stream_end(f, &text);
        to->switches.text[to->switches.n++] = keep(d, text);
    }
    return EXIT_OK;
}

/* ==== Cluster and trace ==== */

static int read_cluster(struct dumped *d, struct config_value section, struct run_options *to,
                        struct error *err)
{
    struct of_cluster c = { 0 };
    if (config_fields(section, cluster_keys, &c, err))
        return -1;
    to->cluster = d->cluster_file = c.file;
    d->cluster_name = c.name;
    d->cluster_sha256 = c.sha256;
    d->settings_sha256 = c.settings_sha256;
    d->settings = c.settings;
    d->named = c.named;
    to->set.text = arena_alloc(d->memory, (config_count(c.set) + 1) * sizeof *to->set.text);
    struct config_walk w = { .of = c.set };
    for (struct config_value item; config_next(&w, &item);)
        if (config_scalar(config_look(item, "given"), &as_text, &to->set.text[to->set.n++], err))
            return -1;
    return 0;
}

/* "FILE:FORMAT:NAME=VALUE,..." */
static int trace_text(struct dumped *d, const struct of_trace *t, const char **to,
                      struct error *err)
{
    char *text = NULL;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "%s:%s", t->file, t->format);
    struct config_walk w = { .of = t->options };
    char before = ':';
    int result = 0;
    for (struct config_value v; result == 0 && config_next(&w, &v); before = ',') {
        const char *key = "", *value = "";
        result = config_key_text(v, &key, err) || config_scalar(v, &as_text, &value, err) ? -1 : 0;
        fprintf(f, "%c%s=%s", before, key, value);
    }
    mem_stream_end(f, &text);
    *to = keep(d, text);
    return result;
}

static int read_trace(struct dumped *d, struct config_value section, struct run_options *to,
                      struct error *err)
{
    struct of_trace t = { .load = 1 };
    if (config_fields(section, trace_keys, &t, err) ||
        (config_given(t.retime) && config_fields(t.retime, retime_keys, &t, err)) ||
        trace_text(d, &t, &to->trace, err))
        return -1;
    d->trace_sha256 = t.sha256;
    to->load = t.load;
    to->load_gpus = t.load_gpus;
    to->pods = t.pods;
    to->estimates = t.estimates;
    to->stream = t.stream;
    if (config_given(t.retime)) {
        char every[DECIMAL_MAX], *text = NULL;
        size_t length;
        FILE *f = mem_stream(&text, &length);
        fprintf(f, "%u:%.*s", t.batch, (int)decimal_format(every, t.every_ns, NS_PER_S), every);
        mem_stream_end(f, &text);
        to->retime = keep(d, text);
    }
    return 0;
}

/* "jobs,summary,..."; the manifest is always written. */
static int read_outputs(struct dumped *d, struct config_value list, struct run_options *to,
                        struct error *err)
{
    char *text = NULL;
    size_t length;
    int result = 0;
    FILE *f = mem_stream(&text, &length);
    const char *before = "";
    struct config_walk w = { .of = list };
    for (struct config_value item; result == 0 && config_next(&w, &item);) {
        const char *name = "";
        result = config_scalar(item, &as_text, &name, err);
        if (strcmp(name, output_name[OUTPUT_MANIFEST]) != 0) {
            fprintf(f, "%s%s", before, name);
            before = ",";
        }
    }
    mem_stream_end(f, &text);
    const char *outputs = keep(d, text);
    if (*outputs && !to->outputs)
        to->outputs = outputs;
    return result;
}

/* ==== The whole ==== */

static int take(struct dumped *d, const struct whole *w, struct run_options *to, struct error *err)
{
    struct named policy = { 0 }, placer = { 0 };
    if (config_given(w->federation))
        return config_error(w->federation, err,
                            "want the configuration of one cluster: a federation is run again by "
                            "its own file, --cluster");
    if (!config_given(w->cluster) || !config_given(w->trace))
        return config_error(w->policy, err, "want the sections 'cluster' and 'trace' beside it");
    if (config_fields(w->policy, named_keys, &policy, err) ||
        config_fields(w->placement, named_keys, &placer, err) ||
        read_cluster(d, w->cluster, to, err) || read_trace(d, w->trace, to, err) ||
        read_outputs(d, w->outputs, to, err))
        return EXIT_INPUT;
    if (!integer_parse(w->seed, strlen(w->seed), &to->seed) || to->seed < 0)
        return config_error(config_look(config_root(d->config), "seed"), err,
                            "want a whole number from 0, got '%s'", w->seed);
    to->until_ns = w->until_ns;
    to->sample_ns = w->sample_ns;
    to->snapshot_ns = w->snapshot_ns;
    to->warmup = w->warmup;
    to->quantiles = w->quantiles;
    to->check |= w->check;
    int status = policy_text(d, &policy, &to->policy, err);
    if (status == EXIT_OK)
        status = placer_text(d, &placer, &to->placement, err);
    return status == EXIT_OK ? read_switches(d, w->switches, to, err) : status;
}

int dumped_read(const char *path, struct dumped *d, struct run_options *to, struct error *err)
{
    struct whole w = { .snapshot_ns = -1 };
    *d = (struct dumped){ .path = path, .memory = arena_new() };
    struct input *in = input_open(path, err);
    d->config = in ? config_read(in, err) : NULL;
    input_close(in);
    if (!d->config || config_fields(config_root(d->config), whole_keys, &w, err))
        return EXIT_INPUT;
    int status = take(d, &w, to, err);
    return status == EXIT_OK ? EXIT_OK : EXIT_INPUT;
}

void dumped_free(struct dumped *d)
{
    config_free(d->config);
    arena_free(d->memory);
}

struct cluster *dumped_cluster(const struct dumped *d, char sha256[65], struct error *err)
{
    char now[65] = "";
    snprintf(sha256, 65, "%s", d->cluster_sha256);
    struct cluster *c = cluster_read_settings(d->settings, d->cluster_file, d->cluster_name,
                                              sha256, err);
    if (!c)
        return NULL;
    if (strcmp(sha256, d->cluster_sha256) != 0) {
        error_set(err, "%s: '%s' has other bytes than when the configuration was written: want "
                       "SHA-256 %s, got %s",
                  d->path, d->cluster_file, d->cluster_sha256, sha256);
        cluster_free(c);
        return NULL;
    }
    if (c->settings)
        digest_sha256(c->settings, strlen(c->settings), now);
    if (d->settings_sha256 && strcmp(now, d->settings_sha256) != 0)
        memcpy(sha256, now, sizeof now);
    return c;
}

int dumped_check_files(const struct dumped *d, const struct provenance *files, struct error *err)
{
    struct config_walk w = { .of = d->named };
    for (struct config_value item; config_next(&w, &item);) {
        const char *want = "";
        bool there = false;
        if (config_scalar(item, &as_text, &want, err))
            return -1;
        for (size_t i = 0; i < files->n; i++)
            there |= !strcmp(files->file[i].sha256, want);
        if (!there)
            return config_error(item, err,
                                "a file that the cluster names has other bytes than when the "
                                "configuration was written: want one with SHA-256 %s",
                                want);
    }
    return 0;
}

int dumped_check_trace(const struct dumped *d, const char sha256[65], struct error *err)
{
    return strcmp(d->trace_sha256, sha256) == 0
               ? 0
               : error_set(err, "%s: the trace has other bytes than when the configuration was "
                                "written: want SHA-256 %s, got %s",
                           d->path, d->trace_sha256, sha256);
}
