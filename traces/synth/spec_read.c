/* spec_read.c - a synthetic workload from its YAML file: the keys, as tables, and what they default to. */
#include "sim/core/config.h"
#include "traces/dates.h"
#include "traces/synth/spec.h"
#include "traces/synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_MOST_S 3153600000    /* 100 years */

/* ---- what a file says ---- */

struct file_class {
    struct synth_class is;
    int class, split;
    struct config_value gpus, durations, fates, gpu_types, models;
};
struct file_sweeps { struct synth_sweeps is; int run_times; };
struct file_whole {
    struct file_class all;        /* what a class does not say it has from here */
    const char *name, *start, *estimates;
    uint32_t jobs;
    double span_s;
    struct config_value load, arrivals, retries, users, projects, classes;
};
struct file_load { struct synth_load is; int calibrate; };
struct file_arrivals {
    struct arrival_law law;
    int kind;
    double rate_per_h, growth_per_day;
    struct config_value daily, weekly, sweeps;
};
struct file_projects { uint32_t count; double zipf; struct config_value names, shares; };

/* clang-format off */
#define CLASS(field) offsetof(struct file_class, field)
#define WHOLE(field) offsetof(struct file_whole, field)
#define LOAD(field) offsetof(struct file_load, is.field)
#define ARRIVE(field) offsetof(struct file_arrivals, field)
#define REAL .type = CONFIG_REAL
#define TIME .type = CONFIG_REAL, .most = 1000000000, .above_least = true

static const char *const class_words[] = { "training", "inference", "interactive", "batch", NULL };    /* enum job_class */
static const char *const split_words[] = { "any", "node", NULL };
static const char *const calibrate_words[] = { "expected", "realised", NULL };
static const char *const arrival_words[] = { [ARRIVE_POISSON] = "poisson", [ARRIVE_HYPER] = "hyper", [ARRIVE_MMPP] = "mmpp", NULL };
static const char *const run_time_words[] = { "same", "own", NULL };
static const char *const fate_words[] = { [FATE_COMPLETED] = "completed", [FATE_FAILED] = "failed", [FATE_CANCELLED] = "cancelled" };
_Static_assert(CLASS_TRAINING == 0 && CLASS_INFERENCE == 1 && CLASS_INTERACTIVE == 2 && CLASS_BATCH == 3, "as class_words");

#define CLASS_KEYS(from) \
    { .name = "gpus",               .type = CONFIG_MAPPING, .at = (from) + CLASS(gpus) }, \
    { .name = "mean_gpus",          REAL, .at = (from) + CLASS(is.mean_gpus), .most = 1000000, .above_least = true }, \
    { .name = "node_gpus",          .type = CONFIG_COUNT, .at = (from) + CLASS(is.node_gpus), .least = 1, .most = 1000000 }, \
    { .name = "split",              .type = CONFIG_CHOICE, .at = (from) + CLASS(split), .words = split_words }, \
    { .name = "cpus_per_gpu",       .type = CONFIG_PARTS, .at = (from) + CLASS(is.cpu_milli), .scale = 1000, .most = 10000 }, \
    { .name = "memory_gib_per_gpu", .type = CONFIG_PARTS, .at = (from) + CLASS(is.mem_mib), .scale = 1024, .most = 10000 }, \
    { .name = "durations",          .type = CONFIG_MAPPING, .at = (from) + CLASS(durations) }, \
    { .name = "spearman",           REAL, .at = (from) + CLASS(is.spearman), .least = -1, .most = 1 }, \
    { .name = "fates",              .type = CONFIG_MAPPING, .at = (from) + CLASS(fates) }, \
    { .name = "slowdown",           REAL, .at = (from) + CLASS(is.slowdown), .most = 1000, .above_least = true }, \
    { .name = "priority",           .type = CONFIG_INTEGER, .at = (from) + CLASS(is.priority), .least = INT32_MIN, .most = INT32_MAX }, \
    { .name = "preemptible",        .type = CONFIG_FLAG, .at = (from) + CLASS(is.preemptible) }, \
    { .name = "gpu_types",          .type = CONFIG_MAPPING, .at = (from) + CLASS(gpu_types) }, \
    { .name = "models",             .type = CONFIG_MAPPING, .at = (from) + CLASS(models) }

static const struct config_key whole_keys[] = {
    { .name = "workload",  .type = CONFIG_TEXT, .at = WHOLE(name), .required = true },
    { .name = "start",     .type = CONFIG_TEXT, .at = WHOLE(start) },
    { .name = "jobs",      .type = CONFIG_COUNT, .at = WHOLE(jobs), .least = 1, .most = SYNTH_JOBS_MOST },
    { .name = "span_s",    REAL, .at = WHOLE(span_s), .most = SPAN_MOST_S, .above_least = true },
    { .name = "load",      .type = CONFIG_MAPPING, .at = WHOLE(load) },
    { .name = "arrivals",  .type = CONFIG_MAPPING, .at = WHOLE(arrivals) },
    { .name = "retries",   .type = CONFIG_MAPPING, .at = WHOLE(retries) },
    { .name = "users",     .type = CONFIG_MAPPING, .at = WHOLE(users) },
    { .name = "projects",  .type = CONFIG_MAPPING, .at = WHOLE(projects) },
    { .name = "estimates", .type = CONFIG_TEXT, .at = WHOLE(estimates) },
    { .name = "classes",   .type = CONFIG_LIST, .at = WHOLE(classes) },
    CLASS_KEYS(WHOLE(all)),
    { 0 },
};
static const struct config_key class_keys[] = {
    { .name = "class", .type = CONFIG_CHOICE, .at = CLASS(class), .words = class_words, .required = true },
    { .name = "share", REAL, .at = CLASS(is.share), .most = 1000000, .above_least = true, .required = true },
    CLASS_KEYS(0),
    { 0 },
};
static const struct config_key load_keys[] = {
    { .name = "target",        REAL, .at = LOAD(target), .most = 100, .above_least = true, .required = true },
    { .name = "gpus",          REAL, .at = LOAD(gpus), .most = 100000000, .above_least = true },
    { .name = "availability",  REAL, .at = LOAD(availability), .most = 1, .above_least = true },
    { .name = "reserved_gpus", REAL, .at = LOAD(reserved_gpus), .most = 100000000 },
    { .name = "calibrate",     .type = CONFIG_CHOICE, .at = offsetof(struct file_load, calibrate), .words = calibrate_words },
    { 0 },
};
static const struct config_key arrival_keys[] = {
    { .name = "law",            .type = CONFIG_CHOICE, .at = ARRIVE(kind), .words = arrival_words },
    { .name = "rate_per_h",     REAL, .at = ARRIVE(rate_per_h), .most = 1000000000, .above_least = true },
    { .name = "c2",             REAL, .at = ARRIVE(law.c2), .least = 1, .most = 1000000 },
    { .name = "burst_ratio",    REAL, .at = ARRIVE(law.burst_ratio), .least = 1, .most = 1000000 },
    { .name = "burst_s",        REAL, .at = ARRIVE(law.burst_s), .least = 1, .most = 1000000000 },
    { .name = "calm_s",         REAL, .at = ARRIVE(law.calm_s), .least = 1, .most = 1000000000 },
    { .name = "daily",          .type = CONFIG_LIST, .at = ARRIVE(daily) },
    { .name = "weekly",         .type = CONFIG_LIST, .at = ARRIVE(weekly) },
    { .name = "growth_per_day", REAL, .at = ARRIVE(growth_per_day), .least = -1, .most = 1 },
    { .name = "sweeps",         .type = CONFIG_MAPPING, .at = ARRIVE(sweeps) },
    { 0 },
};
#define SWEEP(field) offsetof(struct file_sweeps, field)
static const struct config_key sweep_keys[] = {
    { .name = "probability", REAL, .at = SWEEP(is.probability), .most = 1 },
    { .name = "mean_jobs",   REAL, .at = SWEEP(is.mean_jobs), .least = 2, .most = 100000 },
    { .name = "within_s",    REAL, .at = SWEEP(is.within_s), .most = 1000000000 },
    { .name = "run_times",   .type = CONFIG_CHOICE, .at = SWEEP(run_times), .words = run_time_words },
    { 0 },
};
#define RETRY(field) offsetof(struct synth_retries, field)
static const struct config_key retry_keys[] = {
    { .name = "probability", REAL, .at = RETRY(probability), .most = 1 },
    { .name = "most",        .type = CONFIG_COUNT, .at = RETRY(most), .most = 100 },
    { .name = "median_s",    TIME, .at = RETRY(median_s) },
    { .name = "sigma",       REAL, .at = RETRY(sigma), .most = 20, .above_least = true },
    { 0 },
};
#define USERS(field) offsetof(struct file_projects, field)
static const struct config_key user_keys[] = {
    { .name = "count", .type = CONFIG_COUNT, .at = USERS(count), .least = 1, .most = 1000000 },
    { .name = "zipf",  REAL, .at = USERS(zipf), .most = 10 },
    { 0 },
};
static const struct config_key project_keys[] = {
    { .name = "count",  .type = CONFIG_COUNT, .at = USERS(count), .least = 1, .most = 100000 },
    { .name = "zipf",   REAL, .at = USERS(zipf), .most = 10 },
    { .name = "names",  .type = CONFIG_LIST, .at = USERS(names) },
    { .name = "shares", .type = CONFIG_MAPPING, .at = USERS(shares) },
    { 0 },
};
#define FATE(field) offsetof(struct synth_fates, field)
struct file_fates { struct synth_fates is; struct config_value fate[SYNTH_FATES], by_gpus; };
static const struct config_key fates_keys[] = {
    { .name = "completed", .type = CONFIG_MAPPING, .at = offsetof(struct file_fates, fate[FATE_COMPLETED]), .required = true },
    { .name = "cancelled", .type = CONFIG_MAPPING, .at = offsetof(struct file_fates, fate[FATE_CANCELLED]) },
    { .name = "failed",    .type = CONFIG_MAPPING, .at = offsetof(struct file_fates, fate[FATE_FAILED]) },
    { .name = "by_gpus",   .type = CONFIG_MAPPING, .at = offsetof(struct file_fates, by_gpus) },
    { 0 },
};
struct file_fate { double share, multiple, early, early_median_s, early_sigma; };
static const struct config_key fate_keys[] = {
    { .name = "share",    REAL, .at = offsetof(struct file_fate, share), .most = 1000000, .required = true },
    { .name = "multiple", REAL, .at = offsetof(struct file_fate, multiple), .most = 1000000, .above_least = true },
    { .name = "early",          REAL, .at = offsetof(struct file_fate, early), .most = 1 },
    { .name = "early_median_s", TIME, .at = offsetof(struct file_fate, early_median_s) },
    { .name = "early_sigma",    REAL, .at = offsetof(struct file_fate, early_sigma), .most = 20, .above_least = true },
    { 0 },
};
static const struct config_key weight_key = { REAL, .most = 1000000 };
/* clang-format on */

struct reader {
    struct synth_spec *to;
    const char *file;
    struct error *err;
};

static const char *kept(const struct reader *r, const char *text)
{
    return arena_text(r->to->memory, text, strlen(text));
}

/* ---- shares ---- */

static int check_sum(struct config_value v, double sum, struct error *err)
{
    return sum > 0 ? 0 : config_error(v, err, "want at least one share above 0");
}

static int read_names(struct reader *r, struct config_value v, struct synth_names *to)
{
    size_t n = config_count(v);
    double sum = 0;
    struct config_walk w = { .of = v };
    *to = (struct synth_names){ n, arena_alloc(r->to->memory, n * sizeof *to->name), arena_alloc(r->to->memory, n * sizeof *to->weight) };
    size_t i = 0;
    for (struct config_value pair; config_next(&w, &pair); i++) {
        const char *name = NULL;
        if (config_key_text(pair, &name, r->err) || config_scalar(pair, &weight_key, &to->weight[i], r->err))
            return -1;
        to->name[i] = kept(r, name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(to->name[k], name))
                return config_error(pair, r->err, "this key is given twice");
        sum += to->weight[i];
    }
    return check_sum(v, sum, r->err);
}

/* "0.5", "8": a whole number or a share of one. */
static int read_gpus_key(struct config_value pair, int64_t *milli, struct error *err)
{
    const char *text = NULL;
    if (config_key_text(pair, &text, err))
        return -1;
    if (decimal_parse(text, strlen(text), MILLI_ALL, milli) && *milli >= 0 && *milli <= INT64_C(1000000) * MILLI_ALL &&
        (*milli < MILLI_ALL || *milli % MILLI_ALL == 0))
        return 0;
    return config_error(pair, err, "want a whole number of GPUs up to 1000000, or a fraction below one, as the key");
}

static int ascending(const void *left, const void *right)
{
    const struct synth_size *a = left, *b = right;
    return (a->gpu_milli > b->gpu_milli) - (a->gpu_milli < b->gpu_milli);
}

/* What does not fit a node takes whole nodes; sizes that become equal are one. */
static int read_sizes(struct reader *r, struct config_value v, struct synth_class *c)
{
    struct config_walk w = { .of = v };
    int64_t node = (int64_t)c->node_gpus * MILLI_ALL;
    double sum = 0;
    size_t n = 0;
    c->size = arena_alloc(r->to->memory, config_count(v) * sizeof *c->size);
    for (struct config_value pair; config_next(&w, &pair); n++) {
        struct synth_size *s = &c->size[n];
        if (read_gpus_key(pair, &s->gpu_milli, r->err) || config_scalar(pair, &weight_key, &s->share, r->err))
            return -1;
        if (s->gpu_milli > node)
            s->gpu_milli = (s->gpu_milli + node - 1) / node * node;
        sum += s->share;
    }
    qsort(c->size, n, sizeof *c->size, ascending);
    c->n_sizes = 0;
    for (size_t i = 0; i < n; i++)
        if (c->n_sizes && c->size[c->n_sizes - 1].gpu_milli == c->size[i].gpu_milli)
            c->size[c->n_sizes - 1].share += c->size[i].share;
        else
            c->size[c->n_sizes++] = c->size[i];
    return check_sum(v, sum, r->err);
}

/* ---- fates ---- */

static int read_by_gpus(struct reader *r, struct config_value v, struct synth_fates *to)
{
    struct config_walk w = { .of = v };
    to->by_gpus = arena_alloc(r->to->memory, config_count(v) * sizeof *to->by_gpus);
    for (struct config_value pair; config_next(&w, &pair); to->n_by_gpus++) {
        static const struct config_key as_list = { .type = CONFIG_LIST };
        static const int order[SYNTH_FATES] = { FATE_COMPLETED, FATE_CANCELLED, FATE_FAILED };
        struct fates_by_gpus *one = &to->by_gpus[to->n_by_gpus];
        struct config_value list, item;
        double sum = 0;
        size_t k = 0;
        if (read_gpus_key(pair, &one->gpu_milli, r->err) || config_scalar(pair, &as_list, &list, r->err))
            return -1;
        if (to->n_by_gpus && one->gpu_milli <= one[-1].gpu_milli)
            return config_error(pair, r->err, "want more GPUs than in the entry before");
        if (config_count(list) != SYNTH_FATES)
            return config_error(pair, r->err, "want three shares: completed, cancelled, failed");
        for (struct config_walk items = { .of = list }; config_next(&items, &item); k++) {
            if (config_scalar(item, &weight_key, &one->share[order[k]], r->err))
                return -1;
            sum += one->share[order[k]];
        }
        if (check_sum(pair, sum, r->err))
            return -1;
    }
    return 0;
}

static int read_fates(struct reader *r, struct config_value v, struct synth_fates *to)
{
    struct file_fates f = { .is = synth_class_default.fates };
    double sum = 0;
    if (config_fields(v, fates_keys, &f, r->err))
        return -1;
    for (int i = 0; i < SYNTH_FATES; i++) {
        struct file_fate one = { .multiple = 1, .early_median_s = f.is.early_median_s, .early_sigma = f.is.early_sigma };
        if (config_given(f.fate[i]) && config_fields(f.fate[i], fate_keys, &one, r->err))
            return -1;
        if (i != FATE_FAILED && config_given(f.fate[i]) && config_given(config_look(f.fate[i], "early")))
            return config_error(config_look(f.fate[i], "early"), r->err, "want it of the failed, not of the %s", fate_words[i]);
        f.is.share[i] = one.share;
        f.is.multiple[i] = one.multiple;
        sum += one.share;
        if (i != FATE_FAILED)
            continue;
        f.is.early = one.early;
        f.is.early_median_s = one.early_median_s;
        f.is.early_sigma = one.early_sigma;
    }
    if (check_sum(v, sum, r->err) || read_by_gpus(r, f.by_gpus, &f.is))
        return -1;
    *to = f.is;
    return 0;
}

/* ---- classes ---- */

static int read_class(struct reader *r, struct config_value at, struct file_class *f, struct synth_class *to)
{
    if (!config_given(f->gpus) || !config_given(f->durations))
        return config_error(at, r->err, "want '%s', in the class or above", config_given(f->gpus) ? "durations" : "gpus");
    *to = f->is;
    to->class = (enum job_class)f->class;
    to->by_node = f->split;
    to->spearman_said = f->is.spearman < 2;
    to->spearman = to->spearman_said ? f->is.spearman : SYNTH_SPEARMAN;
    if (read_sizes(r, f->gpus, to) || synth_law_read(f->durations, r->file, r->to->memory, &to->durations, r->err))
        return -1;
    if (config_given(f->fates) && read_fates(r, f->fates, &to->fates))
        return -1;
    if (config_given(f->gpu_types) && read_names(r, f->gpu_types, &to->gpu_types))
        return -1;
    if (config_given(f->models) && read_names(r, f->models, &to->models))
        return -1;
    struct error why = { "" };
    return synth_class_check(to, &why) ? config_error(at, r->err, "%s", why.text) : 0;
}

static int read_classes(struct reader *r, struct config_value root, struct file_whole *whole)
{
    struct config_walk w = { .of = whole->classes };
    size_t n = config_count(whole->classes);
    if (config_given(whole->classes) && n == 0)
        return config_error(whole->classes, r->err, "want at least one; without this key all is training");
    r->to->class = arena_alloc(r->to->memory, (n + 1) * sizeof *r->to->class);
    r->to->n_classes = n ? n : 1;
    if (!n)
        return read_class(r, root, &whole->all, r->to->class);
    size_t k = 0;
    for (struct config_value entry; config_next(&w, &entry); k++) {
        struct file_class f = whole->all;
        if (config_fields(entry, class_keys, &f, r->err) || read_class(r, entry, &f, &r->to->class[k]))
            return -1;
    }
    return 0;
}

/* ---- arrivals ---- */

static int read_profile(struct config_value v, size_t n, double *to, struct error *err)
{
    struct config_walk w = { .of = v };
    double sum = 0;
    size_t k = 0;
    if (!config_given(v))
        return 0;
    if (config_count(v) != n)
        return config_error(v, err, "want %zu numbers, got %zu", n, config_count(v));
    for (struct config_value item; config_next(&w, &item); k++) {
        if (config_scalar(item, &weight_key, &to[k], err))
            return -1;
        sum += to[k];
    }
    return check_sum(v, sum, err);
}

static int read_sweeps(struct config_value v, struct synth_sweeps *to, struct error *err)
{
    struct file_sweeps f = { .is = { .probability = .1, .mean_jobs = 10, .within_s = 5 } };    /* models.md 6.2 [A] */
    if (!config_given(v))
        return 0;
    if (config_fields(v, sweep_keys, &f, err))
        return -1;
    *to = f.is;
    to->same_run_time = f.run_times == 0;
    return 0;
}

static int read_arrivals(struct reader *r, struct config_value v)
{
    struct synth_spec *to = r->to;
    struct file_arrivals f = { .law = to->arrivals };
    if (!config_given(v))
        return 0;
    if (config_fields(v, arrival_keys, &f, r->err))
        return -1;
    static const struct { const char *name; enum arrival_kind of; } own[] = {
        { "c2", ARRIVE_HYPER }, { "burst_ratio", ARRIVE_MMPP }, { "burst_s", ARRIVE_MMPP }, { "calm_s", ARRIVE_MMPP },
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        struct config_value key = config_look(v, own[i].name);
        if (config_given(key) && own[i].of != (enum arrival_kind)f.kind)
            return config_error(key, r->err, "want it with 'law: %s' only", arrival_words[own[i].of]);
    }
    to->arrivals = f.law;
    to->arrivals.kind = (enum arrival_kind)f.kind;
    to->rate_per_h = f.rate_per_h;
    to->growth_per_day = f.growth_per_day;
    if (!(to->growth_per_day > -1))
        return config_error(config_look(v, "growth_per_day"), r->err, "want more than -1");
    if (read_profile(f.daily, 24, to->daily, r->err) || read_profile(f.weekly, 7, to->weekly, r->err))
        return -1;
    return read_sweeps(f.sweeps, &to->sweeps, r->err);
}

/* ---- users and projects ---- */

static int read_project_names(struct reader *r, struct config_value v, double zipf)
{
    static const struct config_key as_text = { .type = CONFIG_TEXT };
    size_t n = config_count(v), k = 0;
    const char **name = arena_alloc(r->to->memory, (n + 1) * sizeof *name);
    struct config_walk w = { .of = v };
    if (n == 0)
        return config_error(v, r->err, "want at least one");
    for (struct config_value item; config_next(&w, &item); k++) {
        const char *text = NULL;
        if (config_scalar(item, &as_text, &text, r->err))
            return -1;
        name[k] = kept(r, text);
        for (size_t i = 0; i < k; i++)
            if (!strcmp(name[i], text))
                return config_error(item, r->err, "'%s' is there twice", text);
    }
    synth_projects_zipf(r->to, n, name, zipf);
    return 0;
}

static int read_people(struct reader *r, struct config_value users, struct config_value projects)
{
    struct file_projects u = { .count = SYNTH_USERS, .zipf = SYNTH_USERS_ZIPF };
    struct file_projects p = { .count = SYNTH_PROJECTS, .zipf = SYNTH_PROJECTS_ZIPF };
    if (config_given(users) && config_fields(users, user_keys, &u, r->err))
        return -1;
    r->to->users = u.count;
    r->to->users_zipf = u.zipf;
    if (config_given(projects) && config_fields(projects, project_keys, &p, r->err))
        return -1;
    bool count = config_given(config_look(projects, "count")), zipf = config_given(config_look(projects, "zipf"));
    bool names = config_given(p.names), shares = config_given(p.shares);
    if (shares ? count || zipf || names : count && names)
        return config_error(projects, r->err, "want 'shares', or 'zipf' with 'count' or 'names'");
    if (shares)
        return read_names(r, p.shares, &r->to->projects);
    if (names)
        return read_project_names(r, p.names, p.zipf);
    synth_projects_zipf(r->to, p.count, NULL, p.zipf);
    return 0;
}

/* ---- the whole ---- */

/* 2026-01-05, 2026-01-05T00:00:00Z, '2026-01-05 00:00:00+01:00' */
static int read_start(struct reader *r, struct config_value root, const char *text)
{
    char date[40];
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof date - sizeof " 00:00:00")
        return config_error(config_look(root, "start"), r->err, "want " DATE_WANT ", got '%.60s'", text);
    snprintf(date, sizeof date, "%s%s", text, n == strlen("2026-01-05") ? " 00:00:00" : "");
    if (strlen(date) > 10 && date[10] == 'T')
        date[10] = ' ';
    n = strlen(date);
    if (date[n - 1] == 'Z')
        n--;
    return date_parse(date, n, &r->to->start_ns)
               ? 0
               : config_error(config_look(root, "start"), r->err, "want " DATE_WANT ", got '%.60s'", text);
}

static int read_load(struct reader *r, struct config_value v)
{
    struct file_load f = { .is = { .availability = 1 } };
    if (!config_given(v))
        return 0;
    if (config_fields(v, load_keys, &f, r->err))
        return -1;
    if (f.is.gpus > 0 && !(f.is.reserved_gpus < f.is.gpus))
        return config_error(v, r->err, "want fewer reserved_gpus than gpus");
    r->to->load = f.is;
    r->to->load.realised = f.calibrate;
    return 0;
}

static int read_retries(struct reader *r, struct config_value v)
{
    if (!config_given(v))
        return 0;
    r->to->retries = (struct synth_retries){ .3, 3, 600, 1 };    /* models.md 3.5 [A] */
    return config_fields(v, retry_keys, &r->to->retries, r->err);
}

static int read_whole(struct reader *r, struct config_value root)
{
    struct file_whole f = { .all = { .is = synth_class_default } };
    struct error why = { "" };
    f.all.is.spearman = 2;        /* not said */
    f.all.is.share = 1;
    if (config_fields(root, whole_keys, &f, r->err))
        return -1;
    r->to->name = kept(r, f.name);
    r->to->jobs = f.jobs;
    r->to->span_s = f.span_s;
    if (f.start && read_start(r, root, f.start))
        return -1;
    if (f.estimates && estimates_read(f.estimates, &r->to->estimates, &why))
        return config_error(config_look(root, "estimates"), r->err, "%s", why.text);
    if (estimates_are_predicted(&r->to->estimates))
        return config_error(config_look(root, "estimates"), r->err, "want what is submitted: predictions are made in a run");
    if (read_load(r, f.load) || read_arrivals(r, f.arrivals) || read_retries(r, f.retries) ||
        read_people(r, f.users, f.projects) || read_classes(r, root, &f))
        return -1;
    if (!r->to->load.target == !r->to->rate_per_h)
        return config_error(root, r->err, "want either the 'target' of a 'load' or 'rate_per_h' of the 'arrivals'");
    return 0;
}

struct synth_spec *synth_spec_read(struct input *in, struct error *err)
{
    struct config *config = config_read(in, err);
    if (!config)
        return NULL;
    struct reader r = { synth_spec_new(), input_name(in), err };
    if (read_whole(&r, config_root(config)) != 0) {
        synth_spec_free(r.to);
        r.to = NULL;
    }
    config_free(config);
    return r.to;
}
