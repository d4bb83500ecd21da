/* spec_read_arrivals.c - from a workload file: when jobs and requests come, and jobs from whom. */
#include "traces/synth/spec_reader.h"
#include "traces/synth/synth.h"

#include <string.h>

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
    struct file_sweeps f = { .is = { .probability = .1, .mean_jobs = 10, .within_s = 5 } };    /* models.md 6.2 [A] */
    if (!config_given(v))
        return 0;
    if (config_fields(v, sweep_keys, &f, err))
        return -1;
    *to = f.is;
    to->same_run_time = f.run_times == 0;
    return 0;
}

static int read_any(struct config_value v, const struct config_key *keys, struct file_arrivals *f, struct error *err)
{
    static const struct { const char *name; enum arrival_kind of; } own[] = {
        { "c2", ARRIVE_HYPER }, { "burst_ratio", ARRIVE_MMPP }, { "burst_s", ARRIVE_MMPP }, { "calm_s", ARRIVE_MMPP },
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
    return spec_read_profile(f->daily, 24, f->is.daily, err) || spec_read_profile(f->weekly, 7, f->is.weekly, err) ? -1 : 0;
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
    struct file_arrivals f = { .is = { .law = to->arrivals, .growth_per_day = to->growth_per_day } };
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

int spec_read_people(struct spec_reader *r, struct config_value users, struct config_value projects)
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
        return spec_read_names(r, p.shares, &r->to->projects);
    if (names)
        return read_project_names(r, p.names, p.zipf);
    synth_projects_zipf(r->to, p.count, NULL, p.zipf);
    return 0;
}
