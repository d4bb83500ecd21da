/* spec_read.c - a workload file: its top level, load, retries and list of classes. See
 * spec_reader.h. */
#include "traces/formats/dates.h"
#include "traces/synth/spec_reader.h"
#include "traces/synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_MOST_S  3153600000    /* 100 years */
#define CLASSES_MOST 1000

/* ---- keys ---- */

struct file_whole {
    struct file_class all;        /* defaults of the classes */
    const char *name, *start, *estimates;
    uint32_t jobs;
    double span_s;
    const char *trace;
    struct config_value load, arrivals, retries, users, projects, classes, services, sessions;
};
struct file_load { struct synth_load is; int calibrate; };

/* clang-format off */
#define WHOLE(field) offsetof(struct file_whole, field)
#define LOAD(field) offsetof(struct file_load, is.field)

static const char *const calibrate_words[] = { "expected", "realised", NULL };

static const struct config_key whole_keys[] = {
    { .name = "workload",  .type = CONFIG_TEXT, .at = WHOLE(name), .required = true },
    { .name = "start",     .type = CONFIG_TEXT, .at = WHOLE(start) },
    { .name = "jobs",      .type = CONFIG_COUNT, .at = WHOLE(jobs), .least = 1, .most = SYNTH_JOBS_MAX },
    { .name = "span_s",    REAL, .at = WHOLE(span_s), .most = SPAN_MOST_S, .above_least = true },
    { .name = "load",      .type = CONFIG_MAPPING, .at = WHOLE(load) },
    { .name = "arrivals",  .type = CONFIG_MAPPING, .at = WHOLE(arrivals) },
    { .name = "retries",   .type = CONFIG_MAPPING, .at = WHOLE(retries) },
    { .name = "users",     .type = CONFIG_MAPPING, .at = WHOLE(users) },
    { .name = "projects",  .type = CONFIG_MAPPING, .at = WHOLE(projects) },
    { .name = "estimates", .type = CONFIG_TEXT, .at = WHOLE(estimates) },
    { .name = "classes",   .type = CONFIG_LIST, .at = WHOLE(classes) },
    { .name = "trace",     .type = CONFIG_TEXT, .at = WHOLE(trace) },
    { .name = "services",  .type = CONFIG_LIST, .at = WHOLE(services) },
    { .name = "sessions",  .type = CONFIG_LIST, .at = WHOLE(sessions) },
    CLASS_KEYS(WHOLE(all)),
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
#define RETRY(field) offsetof(struct synth_retries, field)
static const struct config_key retry_keys[] = {
    { .name = "probability", REAL, .at = RETRY(probability), .most = 1 },
    { .name = "most",        .type = CONFIG_COUNT, .at = RETRY(most), .most = 100 },
    { .name = "median_s",    TIME, .at = RETRY(median_s) },
    { .name = "sigma",       REAL, .at = RETRY(sigma), .most = 20, .above_least = true },
    { 0 },
};
/* clang-format on */

/* ---- classes ---- */

static int read_classes(struct spec_reader *r, struct config_value root, struct file_whole *whole)
{
    struct config_walk w = { .of = whole->classes };
    size_t n = config_count(whole->classes);
    if (n > CLASSES_MOST)
        return config_error(whole->classes, r->err, "want at most %d, got %zu", CLASSES_MOST, n);
    if (config_given(whole->classes) && n == 0)
        return config_error(whole->classes, r->err,
                            "want at least one; without this key all is training");
    r->to->class = arena_alloc(r->to->memory, (n + 1) * sizeof *r->to->class);
    r->to->n_classes = n ? n : 1;
    if (!n)
        return spec_read_class(r, root, &whole->all, r->to->class);
    size_t k = 0;
    for (struct config_value entry; config_next(&w, &entry); k++) {
        struct file_class f = whole->all;
        if (config_fields(entry, spec_class_keys, &f, r->err) ||
            spec_read_class(r, entry, &f, &r->to->class[k]))
            return -1;
    }
    return 0;
}

/* ---- the whole ---- */

/* 2026-01-05, 2026-01-05T00:00:00Z, '2026-01-05 00:00:00+01:00' */
static int read_start(struct spec_reader *r, struct config_value root, const char *text)
{
    char date[40];
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof date - sizeof " 00:00:00")
        return config_error(config_look(root, "start"), r->err, "want " DATE_WANT ", got '%.60s'",
                            text);
    snprintf(date, sizeof date, "%s%s", text, n == strlen("2026-01-05") ? " 00:00:00" : "");
    if (strlen(date) > 10 && date[10] == 'T')
        date[10] = ' ';
    n = strlen(date);
    if (date[n - 1] == 'Z')
        n--;
    return date_parse(date, n, &r->to->start_ns)
               ? 0
               : config_error(config_look(root, "start"), r->err, "want " DATE_WANT ", got '%.60s'",
                              text);
}

static int read_load(struct spec_reader *r, struct config_value v)
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

static int read_retries(struct spec_reader *r, struct config_value v)
{
    if (!config_given(v))
        return 0;
    r->to->retries = (struct synth_retries){ .3, 3, 600, 1 };    /* models.md 3.5 [A] */
    return config_fields(v, retry_keys, &r->to->retries, r->err);
}

/* Jobs are drawn, unless a trace has them or there are only services or sessions. */
static int read_jobs(struct spec_reader *r, struct config_value root, struct file_whole *f)
{
    static const char *const drawn[] = {
        "jobs", "load", "arrivals", "classes", "gpus", "durations"
    };
    struct config_value given = { .config = NULL };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn && !config_given(given); i++)
        given = config_look(root, drawn[i]);
    if (f->trace && config_given(given))
        return config_error(given, r->err, "want no jobs drawn beside a 'trace'");
    if (f->trace ||
        ((config_given(f->services) || config_given(f->sessions)) && !config_given(given)))
        return 0;
    if (read_load(r, f->load) || spec_read_arrivals(r, f->arrivals) ||
        read_retries(r, f->retries) || read_classes(r, root, f))
        return -1;
    if ((r->to->load.target > 0) == (r->to->rate_per_h > 0))
        return config_error(
            root, r->err, "want either the 'target' of a 'load' or 'rate_per_h' of the 'arrivals'");
    return 0;
}

static int read_whole(struct spec_reader *r, struct config_value root)
{
    struct file_whole f = { .all = { .is = synth_class_default } };
    struct error why = { "" };
    f.all.is.spearman = 2;        /* not given */
    f.all.is.share = 1;
    if (config_fields(root, whole_keys, &f, r->err))
        return -1;
    r->to->name = spec_kept(r, f.name);
    r->to->jobs = f.jobs;
    r->to->span_s = f.span_s;
    if (f.start && read_start(r, root, f.start))
        return -1;
    if (f.estimates && estimates_read(f.estimates, &r->to->estimates, &why))
        return config_error(config_look(root, "estimates"), r->err, "%s", why.text);
    if (estimates_are_predicted(&r->to->estimates))
        return config_error(config_look(root, "estimates"), r->err,
                            "want what is submitted: predictions are made in a run");
    r->to->trace = f.trace ? spec_kept(r, f.trace) : NULL;
    if (spec_read_users(r, f.users, f.projects) || read_jobs(r, root, &f))
        return -1;
    return spec_read_services(r, f.services) || spec_read_sessions(r, f.sessions) ? -1 : 0;
}

struct synth_spec *synth_spec_read(struct input *in, struct error *err)
{
    struct config *config = config_read(in, err);
    if (!config)
        return NULL;
    struct spec_reader r = { synth_spec_new(), input_name(in), err };
    if (read_whole(&r, config_root(config)) != 0) {
        synth_spec_free(r.to);
        r.to = NULL;
    }
    config_free(config);
    return r.to;
}
