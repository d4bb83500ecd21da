/* spec_read_jobs.c - of a workload file: when jobs and requests arrive, users and projects, classes
 * of jobs. */
#include "traces/native/native.h"
#include "traces/synth/spec_reader.h"
#include "traces/synth/synth.h"

#include <stdlib.h>
#include <string.h>

/* ==== classes ==== */

/* clang-format off */
const char *const spec_split_words[] = { "any", "node", NULL };
static const char *const fate_words[] = { [FATE_COMPLETED] = "completed", [FATE_FAILED] = "failed", [FATE_CANCELLED] = "cancelled" };

const struct config_key spec_class_keys[] = {
    { .name = "class", .type = CONFIG_CHOICE, .at = CLASS(class), .words = native_classes, .required = true },
    { .name = "share", REAL, .at = CLASS(is.share), .most = 1000000, .above_least = true, .required = true },
    CLASS_KEYS(0),
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
const struct config_key spec_weight_key = { REAL, .most = 1000000 };
/* clang-format on */

const char *spec_kept(const struct spec_reader *r, const char *text)
{
    return arena_text(r->to->memory, text, strlen(text));
}

/* ---- shares ---- */

int spec_check_sum(struct config_value v, double sum, struct error *err)
{
    return sum > 0 ? 0 : config_error(v, err, "want at least one share above 0");
}

static int check_count(struct config_value v, struct error *err)
{
    size_t n = config_count(v);
    return n <= SPEC_NAMES_MAX
               ? 0
               : config_error(v, err, "want at most %d, got %zu", SPEC_NAMES_MAX, n);
}

int spec_read_names(struct spec_reader *r, struct config_value v, struct synth_names *to)
{
    size_t n = config_count(v);
    if (check_count(v, r->err))
        return -1;
    double sum = 0;
    struct config_walk w = { .of = v };
    *to = (struct synth_names){ n, arena_alloc(r->to->memory, n * sizeof *to->name), arena_alloc(r->to->memory, n * sizeof *to->weight) };
    size_t i = 0;
    for (struct config_value pair; config_next(&w, &pair); i++) {
        const char *name = NULL;
        if (config_key_text(pair, &name, r->err) ||
            config_scalar(pair, &spec_weight_key, &to->weight[i], r->err))
            return -1;
        to->name[i] = spec_kept(r, name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(to->name[k], name))
                return config_error(pair, r->err, "this key is given twice");
        sum += to->weight[i];
    }
    return spec_check_sum(v, sum, r->err);
}

/* "0.5", "8": a whole number or a fraction of one. */
static int read_gpus_key(struct config_value pair, int64_t *milli, struct error *err)
{
    const char *text = NULL;
    if (config_key_text(pair, &text, err))
        return -1;
    if (decimal_parse(text, strlen(text), MILLI_ALL, milli) && *milli >= 0 &&
        *milli <= INT64_C(1000000) * MILLI_ALL && (*milli < MILLI_ALL || *milli % MILLI_ALL == 0))
        return 0;
    return config_error(
        pair, err,
        "want a whole number of GPUs up to 1000000, or a fraction below one, as the key");
}

static int ascending(const void *left, const void *right)
{
    const struct synth_size *a = left, *b = right;
    return (a->gpu_milli > b->gpu_milli) - (a->gpu_milli < b->gpu_milli);
}

int spec_read_sizes(struct spec_reader *r, struct config_value v, struct synth_class *c)
{
    struct config_walk w = { .of = v };
    int64_t node = (int64_t)c->node_gpus * MILLI_ALL;
    double sum = 0;
    size_t n = 0;
    if (check_count(v, r->err))
        return -1;
    c->size = arena_alloc(r->to->memory, config_count(v) * sizeof *c->size);
    for (struct config_value pair; config_next(&w, &pair); n++) {
        struct synth_size *s = &c->size[n];
        if (read_gpus_key(pair, &s->gpu_milli, r->err) ||
            config_scalar(pair, &spec_weight_key, &s->share, r->err))
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
    return spec_check_sum(v, sum, r->err);
}

/* ---- fates ---- */

static int read_by_gpus(struct spec_reader *r, struct config_value v, struct synth_fates *to)
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
        if (read_gpus_key(pair, &one->gpu_milli, r->err) ||
            config_scalar(pair, &as_list, &list, r->err))
            return -1;
        if (to->n_by_gpus && one->gpu_milli <= one[-1].gpu_milli)
            return config_error(pair, r->err, "want more GPUs than in the entry before");
        if (config_count(list) != SYNTH_FATES)
            return config_error(pair, r->err, "want three shares: completed, cancelled, failed");
        for (struct config_walk items = { .of = list }; config_next(&items, &item); k++) {
            if (config_scalar(item, &spec_weight_key, &one->share[order[k]], r->err))
                return -1;
            sum += one->share[order[k]];
        }
        if (spec_check_sum(pair, sum, r->err))
            return -1;
    }
    return 0;
}

static int read_fates(struct spec_reader *r, struct config_value v, struct synth_fates *to)
{
    struct file_fates f = { .is = synth_class_default.fates };
    double sum = 0;
    if (config_fields(v, fates_keys, &f, r->err))
        return -1;
    for (int i = 0; i < SYNTH_FATES; i++) {
        struct file_fate one = { .multiple = 1,
                                 .early_median_s = f.is.early_median_s,
                                 .early_sigma = f.is.early_sigma };
        if (config_given(f.fate[i]) && config_fields(f.fate[i], fate_keys, &one, r->err))
            return -1;
        if (i != FATE_FAILED && config_given(f.fate[i]) &&
            config_given(config_look(f.fate[i], "early")))
            return config_error(config_look(f.fate[i], "early"), r->err,
                                "want it of the failed, not of the %s", fate_words[i]);
        f.is.share[i] = one.share;
        f.is.multiple[i] = one.multiple;
        sum += one.share;
        if (i != FATE_FAILED)
            continue;
        f.is.early = one.early;
        f.is.early_median_s = one.early_median_s;
        f.is.early_sigma = one.early_sigma;
    }
    if (spec_check_sum(v, sum, r->err) || read_by_gpus(r, f.by_gpus, &f.is))
        return -1;
    *to = f.is;
    return 0;
}

/* ---- classes ---- */

int spec_read_class(struct spec_reader *r, struct config_value at, struct file_class *f,
                    struct synth_class *to)
{
    if (!config_given(f->gpus) || !config_given(f->durations))
        return config_error(at, r->err, "want '%s', in the class or above",
                            config_given(f->gpus) ? "durations" : "gpus");
    *to = f->is;
    to->class = (enum job_class)f->class;
    to->by_node = f->split;
    to->spearman_given = f->is.spearman < 2;
    to->spearman = to->spearman_given ? f->is.spearman : SYNTH_SPEARMAN;
    if (spec_read_sizes(r, f->gpus, to) ||
        synth_law_read(f->durations, r->file, r->to->memory, &to->durations, r->err))
        return -1;
    if (config_given(f->fates) && read_fates(r, f->fates, &to->fates))
        return -1;
    if (config_given(f->gpu_types) && spec_read_names(r, f->gpu_types, &to->gpu_types))
        return -1;
    if (config_given(f->models) && spec_read_names(r, f->models, &to->models))
        return -1;
    struct error why = { "" };
    return synth_class_check(to, &why) ? config_error(at, r->err, "%s", why.text) : 0;
}

/* ==== arrivals, users, projects ==== */

struct file_sweeps { struct synth_sweeps is; int run_times; };
struct file_arrivals {
    struct spec_arrivals is;
    int kind;
    double rate_per_h;
    struct config_value daily, weekly, sweeps;
};
struct file_projects { uint32_t count; double zipf; struct config_value names, shares; };
/* clang-format off */
#define ARRIVE(field) offsetof(struct file_arrivals, field)
static const char *const arrival_words[] = { [ARRIVE_POISSON] = "poisson", [ARRIVE_HYPER] = "hyper", [ARRIVE_MMPP] = "mmpp", NULL };
static const char *const run_time_words[] = { "same", "own", NULL };

#define ARRIVAL_KEYS \
    { .name = "law",            .type = CONFIG_CHOICE, .at = ARRIVE(kind), .words = arrival_words }, \
    { .name = "c2",             REAL, .at = ARRIVE(is.law.c2), .least = 1, .most = 1000000 }, \
    { .name = "burst_ratio",    REAL, .at = ARRIVE(is.law.burst_ratio), .least = 1, .most = 1000000 }, \
    { .name = "burst_s",        REAL, .at = ARRIVE(is.law.burst_s), .least = 1, .most = 1000000000 }, \
    { .name = "calm_s",         REAL, .at = ARRIVE(is.law.calm_s), .least = 1, .most = 1000000000 }, \
    { .name = "daily",          .type = CONFIG_LIST, .at = ARRIVE(daily) }, \
    { .name = "weekly",         .type = CONFIG_LIST, .at = ARRIVE(weekly) }, \
    { .name = "growth_per_day", REAL, .at = ARRIVE(is.growth_per_day), .least = -1, .most = 1 }
static const struct config_key arrival_keys[] = {
    ARRIVAL_KEYS,
    { .name = "rate_per_h",     REAL, .at = ARRIVE(rate_per_h), .most = 1000000000, .above_least = true },
    { .name = "sweeps",         .type = CONFIG_MAPPING, .at = ARRIVE(sweeps) },
    { 0 },
};
static const struct config_key request_keys[] = { ARRIVAL_KEYS, { 0 } };
#define SWEEP(field) offsetof(struct file_sweeps, field)
static const struct config_key sweep_keys[] = {
    { .name = "probability", REAL, .at = SWEEP(is.probability), .most = 1 },
    { .name = "mean_jobs",   REAL, .at = SWEEP(is.mean_jobs), .least = 2, .most = 100000 },
    { .name = "within_s",    REAL, .at = SWEEP(is.within_s), .most = 86400 },
    { .name = "run_times",   .type = CONFIG_CHOICE, .at = SWEEP(run_times), .words = run_time_words },
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
/* clang-format on */

/* ---- arrivals ---- */

int spec_read_profile(struct config_value v, size_t n, double *to, struct error *err)
{
    struct config_walk w = { .of = v };
    double sum = 0;
    size_t k = 0;
    if (!config_given(v))
        return 0;
    if (config_count(v) != n)
        return config_error(v, err, "want %zu numbers, got %zu", n, config_count(v));
    for (struct config_value item; config_next(&w, &item); k++) {
        if (config_scalar(item, &spec_weight_key, &to[k], err))
            return -1;
        sum += to[k];
    }
    return spec_check_sum(v, sum, err);
}

static int read_sweeps(struct config_value v, struct synth_sweeps *to, struct error *err)
{
    /* models.md 6.2 [A] */
    struct file_sweeps f = { .is = { .probability = .1, .mean_jobs = 10, .within_s = 5 } };
    if (!config_given(v))
        return 0;
    if (config_fields(v, sweep_keys, &f, err))
        return -1;
    *to = f.is;
    to->same_run_time = f.run_times == 0;
    return 0;
}

static int read_any(struct config_value v, const struct config_key *keys, struct file_arrivals *f,
                    struct error *err)
{
    static const struct { const char *name; enum arrival_kind of;
    } own[] = {
        { "c2", ARRIVE_HYPER },
        { "burst_ratio", ARRIVE_MMPP },
        { "burst_s", ARRIVE_MMPP },
        { "calm_s", ARRIVE_MMPP },
    };
    if (config_fields(v, keys, f, err))
        return -1;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        struct config_value key = config_look(v, own[i].name);
        if (config_given(key) && own[i].of != (enum arrival_kind)f->kind)
            return config_error(key, err, "want it with 'law: %s' only", arrival_words[own[i].of]);
    }
    f->is.law.kind = (enum arrival_kind)f->kind;
    if (!(f->is.growth_per_day > -1))
        return config_error(config_look(v, "growth_per_day"), err, "want more than -1");
    return spec_read_profile(f->daily, 24, f->is.daily, err) ||
                   spec_read_profile(f->weekly, 7, f->is.weekly, err)
               ? -1
               : 0;
}

int spec_read_request_arrivals(struct config_value v, struct spec_arrivals *to, struct error *err)
{
    struct file_arrivals f = { .is = *to };
    if (config_given(v) && read_any(v, request_keys, &f, err))
        return -1;
    *to = f.is;
    return 0;
}

int spec_read_arrivals(struct spec_reader *r, struct config_value v)
{
    struct synth_spec *to = r->to;
    struct file_arrivals f = { .is = { .law = to->arrivals,
                                       .growth_per_day = to->growth_per_day } };
    memcpy(f.is.daily, to->daily, sizeof to->daily);
    memcpy(f.is.weekly, to->weekly, sizeof to->weekly);
    if (!config_given(v))
        return 0;
    if (read_any(v, arrival_keys, &f, r->err))
        return -1;
    to->arrivals = f.is.law;
    to->rate_per_h = f.rate_per_h;
    to->growth_per_day = f.is.growth_per_day;
    memcpy(to->daily, f.is.daily, sizeof to->daily);
    memcpy(to->weekly, f.is.weekly, sizeof to->weekly);
    return read_sweeps(f.sweeps, &to->sweeps, r->err);
}

/* ---- users and projects ---- */

static int read_project_names(struct spec_reader *r, struct config_value v, double zipf)
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
        name[k] = spec_kept(r, text);
        for (size_t i = 0; i < k; i++)
            if (!strcmp(name[i], text))
                return config_error(item, r->err, "'%s' is there twice", text);
    }
    synth_projects_zipf(r->to, n, name, zipf);
    return 0;
}

int spec_read_users(struct spec_reader *r, struct config_value users, struct config_value projects)
{
    struct file_projects u = { .count = SYNTH_USERS, .zipf = SYNTH_USERS_ZIPF };
    struct file_projects p = { .count = SYNTH_PROJECTS, .zipf = SYNTH_PROJECTS_ZIPF };
    if (config_given(users) && config_fields(users, user_keys, &u, r->err))
        return -1;
    r->to->users = u.count;
    r->to->users_zipf = u.zipf;
    if (config_given(projects) && config_fields(projects, project_keys, &p, r->err))
        return -1;
    bool count = config_given(config_look(projects, "count")),
         zipf = config_given(config_look(projects, "zipf"));
    bool names = config_given(p.names), shares = config_given(p.shares);
    if (shares ? count || zipf || names : count && names)
        return config_error(projects, r->err, "want 'shares', or 'zipf' with 'count' or 'names'");
    if (shares)
        return spec_read_names(r, p.shares, &r->to->projects);
    if (names)
        return read_project_names(r, p.names, p.zipf);
    synth_projects_zipf(r->to, p.count, NULL, p.zipf);
    return 0;
}
