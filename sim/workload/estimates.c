/* estimates.c - see estimates.h. */
#include "sim/workload/estimates.h"

#include "sim/base/random.h"
#include "sim/base/suggest.h"
#include "sim/workload/workload_builder.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PARTS 1000000             /* a number of the command line has up to six decimals */

static const struct word {
    const char *name, *value;     /* value NULL: takes none */
    double least, most, usual;    /* usual below 0: the value must be given */
    struct estimates means;
} words[] = {
    { "trace", NULL, 0, 0, 0, { ESTIMATE_TRACE, 0 } },
    { "perfect", NULL, 0, 0, 0, { ESTIMATE_FACTOR, 1 } },
    { "uniform", "F", 0, 1000, -1, { ESTIMATE_UNIFORM, 0 } },
    { "lognormal", "SIGMA", 0, 10, -1, { ESTIMATE_LOGNORMAL, 0 } },
    { "buckets", NULL, 0, 0, 0, { ESTIMATE_BUCKETS, 0 } },
    { "user-last2", NULL, 0, 0, 0, { ESTIMATE_USER_LAST2, 0 } },
    { "group-quantile", "Q", 0, 1, .5, { ESTIMATE_GROUP_QUANTILE, 0 } },
};
enum { WORDS = sizeof words / sizeof *words };

/* ---- Words ---- */

static bool number_read(const char *text, double least, double most, double *value)
{
    int64_t parts;
    if (!decimal_parse(text, strlen(text), PARTS, &parts))
        return false;
    *value = (double)parts / PARTS;
    return *value >= least && *value <= most;
}

static int unknown(const char *text, const char *name, struct error *err)
{
    char all[256] = "";
    size_t n = 0;
    struct suggestion near = { .typed = name };
    for (size_t i = 0; i < WORDS; i++) {
        const struct word *w = &words[i];
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s%s%s, ", w->name,
                              !w->value      ? ""
                              : w->usual < 0 ? ":"
                                             : "[:",
                              w->value ? w->value : "", !w->value || w->usual < 0 ? "" : "]");
        suggest_offer(&near, w->name);
    }
    return error_set(err, "want %sor a factor from 0.001 to 1000, got '%s'%s%s%s", all, text,
                     near.best ? "; did you mean '" : "", near.best ? near.best : "",
                     near.best ? "'?" : "");
}

int estimates_read(const char *text, struct estimates *e, struct error *err)
{
    const char *colon = strchr(text, ':');
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(colon && colon - text < 31 ? colon - text : 31),
             text);
    if (number_read(text, .001, 1000, &e->value)) {
        e->kind = ESTIMATE_FACTOR;
        return 0;
    }
    const struct word *w = words;
    while (w < words + WORDS && strcmp(w->name, name))
        w++;
    if (w == words + WORDS)
        return unknown(text, name, err);
    *e = w->means;
    if (!w->value)
        return colon ? error_set(err, "%s takes no value, got '%s'", w->name, text) : 0;
    e->value = w->usual;
    if (colon ? number_read(colon + 1, w->least, w->most, &e->value) : w->usual >= 0)
        return 0;
    return error_set(err, "want %s:%s with %s from %.15g to %.15g, got '%s'", w->name, w->value,
                     w->value, w->least, w->most, text);
}

void estimates_show(const struct estimates *e, char to[ESTIMATES_TEXT])
{
    const struct word *w = words;
    while (w->means.kind != e->kind)
        w++;
    if (e->kind == ESTIMATE_FACTOR && e->value != 1)
        snprintf(to, ESTIMATES_TEXT, "%.15g", e->value);
    else if (w->value)
        snprintf(to, ESTIMATES_TEXT, "%s:%.15g", w->name, e->value);
    else
        snprintf(to, ESTIMATES_TEXT, "%s", w->name);
}

bool estimates_are_predicted(const struct estimates *e)
{
    return e->kind == ESTIMATE_USER_LAST2 || e->kind == ESTIMATE_GROUP_QUANTILE;
}

bool estimates_know_truth(const struct estimates *e)
{
    return e->kind != ESTIMATE_TRACE && !estimates_are_predicted(e);
}

/* ---- From run times ---- */

static int64_t times(int64_t run_ns, double factor)
{
    int64_t ns = factor == 1.0 ? run_ns : ns_of_seconds(seconds(run_ns) * factor);
    return ns < WORKLOAD_END_NS ? ns : WORKLOAD_END_NS - 1;
}

static int64_t bucket(int64_t run_ns)
{
    static const int64_t minutes[] = { 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1080 };
    const int64_t day_ns = 86400 * NS_PER_S;
    for (size_t i = 0; i < sizeof minutes / sizeof *minutes; i++)
        if (run_ns <= minutes[i] * 60 * NS_PER_S)
            return minutes[i] * 60 * NS_PER_S;
    int64_t ns = (run_ns + day_ns - 1) / day_ns * day_ns;
    return ns < WORKLOAD_END_NS ? ns : WORKLOAD_END_NS - 1;
}

static int64_t estimate(int64_t run_ns, const struct estimates *e, double u)
{
    int64_t ns;
    switch (e->kind) {
    case ESTIMATE_UNIFORM:
        ns = times(run_ns, 1 + e->value * u);
        return ns < run_ns ? run_ns : ns;  /* seconds as a double may lose a few ns */
    case ESTIMATE_LOGNORMAL:
        return times(run_ns, exp(e->value * gsl_cdf_ugaussian_Pinv(u)));
    case ESTIMATE_BUCKETS:
        return bucket(run_ns);
    default:
        return times(run_ns, e->value);
    }
}

int64_t estimate_draw(const struct estimates *e, int64_t run_ns, uint64_t seed, uint64_t job)
{
    struct random r;
    random_init(&r, seed, "estimate", job);
    return estimate(run_ns, e, random_uniform(&r));
}

void workload_estimate(struct workload *w, const struct estimates *e, uint64_t seed)
{
    for (job_id j = 0; estimates_know_truth(e) && j < w->n_jobs; j++)
        w->truth[j].estimate_ns = estimate_draw(e, w->truth[j].duration_ns, seed, j);
}
