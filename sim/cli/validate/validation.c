/* validation.c - see validation.h. */
#include "sim/cli/validate/validation.h"
#include "sim/base/memory.h"
#include "sim/study/sample.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES_TOLD = 10, HOURS = 24, SIZES = 8 };

/* ---- Groups ---- */

static void count(struct wait_group *g, const struct wait_pair *w)
{
    g->jobs++;
    g->was_mean_s += w->was_s;
    g->is_mean_s += w->is_s;
    g->error_s += fabs(w->is_s - w->was_s);
}

/* Sums become means; empty groups go. */
static void settle(struct wait_groups *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++) {
        struct wait_group g = all->group[i];
        if (!g.jobs)
            continue;
        g.was_mean_s /= (double)g.jobs;
        g.is_mean_s /= (double)g.jobs;
        g.error_s /= (double)g.jobs;
        all->group[n++] = g;
    }
    all->n = n;
}

static struct wait_groups groups_new(const char *by, size_t n)
{
    return (struct wait_groups){ by, mem_new(n, sizeof(struct wait_group)), n };
}

/* 0, 1, 2, 3-4, 5-8, 9-16, 17-64, more */
static unsigned size_of(uint32_t gpus)
{
    static const uint32_t most[SIZES - 1] = { 0, 1, 2, 4, 8, 16, 64 };
    unsigned i = 0;
    while (i < SIZES - 1 && gpus > most[i])
        i++;
    return i;
}

static struct wait_groups by_size(const struct pairs *p)
{
    static const char *const name[SIZES] = { "no GPU", "1", "2", "3 to 4", "5 to 8",
                                             "9 to 16", "17 to 64", "more than 64" };
    struct wait_groups g = groups_new("size", SIZES);
    for (size_t i = 0; i < SIZES; i++)
        snprintf(g.group[i].name, sizeof g.group[i].name, "%s", name[i]);
    for (size_t i = 0; i < p->n; i++)
        count(&g.group[size_of(p->facts[i].gpus)], &p->wait[i]);
    settle(&g);
    return g;
}

static int most_jobs_first(const void *a, const void *b)
{
    const struct wait_group *x = a, *y = b;
    if (x->jobs != y->jobs)
        return x->jobs > y->jobs ? -1 : 1;
    return strcmp(x->name, y->name);
}

static struct wait_groups by_queue(const struct pairs *p)
{
    size_t n = intern_count(p->queues);
    struct wait_groups g = groups_new("queue", n + 1);
    for (size_t i = 0; i < n; i++)
        snprintf(g.group[i].name, sizeof g.group[i].name, "%s", intern_text(p->queues, (uint32_t)i));
    for (size_t i = 0; i < p->n; i++)
        count(&g.group[p->facts[i].queue], &p->wait[i]);
    settle(&g);
    qsort(g.group, g.n, sizeof *g.group, most_jobs_first);
    g.n = g.n < QUEUES_TOLD ? g.n : QUEUES_TOLD;
    return g;
}

/* Of the day in UTC, or of each 24 hours of a trace without dates. */
static struct wait_groups by_hour(const struct pairs *p)
{
    struct wait_groups g = groups_new("hour", HOURS);
    double origin = p->origin_s < 0 ? 0 : (double)(p->origin_s % 86400);
    for (size_t i = 0; i < HOURS; i++)
        snprintf(g.group[i].name, sizeof g.group[i].name, "%02zu:00", i);
    for (size_t i = 0; i < p->n; i++) {
        double of_day = fmod(origin + p->wait[i].submit_s, 86400);
        size_t hour = (size_t)((of_day < 0 ? of_day + 86400 : of_day) / 3600);
        count(&g.group[hour % HOURS], &p->wait[i]);
    }
    settle(&g);
    return g;
}

/* ---- Distributions and utilisation ---- */

static void tell_quantiles(struct validation *v, const struct pairs *p)
{
    static const double told[QUANTILES_TOLD] = { 0.5, 0.9, 0.99 };
    struct sample was = { 0 }, is = { 0 };
    for (size_t i = 0; i < p->n; i++) {
        sample_add(&was, p->wait[i].was_s);
        sample_add(&is, p->wait[i].is_s);
    }
    sample_sort(&was);
    sample_sort(&is);
    for (unsigned i = 0; i < QUANTILES_TOLD; i++) {
        v->quantile[i].p = told[i];
        v->quantile[i].was_s = sample_quantile(&was, told[i]);
        v->quantile[i].is_s = sample_quantile(&is, told[i]);
    }
    sample_free(&was);
    sample_free(&is);
}

static void tell_hours(struct validation *v, const struct pairs *p)
{
    const size_t stride = sizeof *p->hour / sizeof(double);
    v->hours = p->hours;
    v->hour_error = v->hour_correlation = v->was_share = v->is_share = NAN;
    if (!p->hours)
        return;
    v->hour_error = 0;
    for (size_t i = 0; i < p->hours; i++)
        v->hour_error += fabs(p->hour[i].is - p->hour[i].was) / (double)p->hours;
    v->was_share = gsl_stats_mean(&p->hour[0].was, stride, p->hours);
    v->is_share = gsl_stats_mean(&p->hour[0].is, stride, p->hours);
    if (p->hours > 1 && gsl_stats_variance(&p->hour[0].was, stride, p->hours) > 0 &&
        gsl_stats_variance(&p->hour[0].is, stride, p->hours) > 0)
        v->hour_correlation = gsl_stats_correlation(&p->hour[0].was, stride, &p->hour[0].is, stride,
                                                    p->hours);
}

struct validation *validation_of(const struct pairs *p, const char *recorded, const char *simulated,
                                 double block_s, uint64_t seed)
{
    struct validation *v = mem_new(1, sizeof *v);
    v->recorded = recorded;
    v->simulated = simulated;
    v->all = agreement_of(p->wait, p->n, block_s, seed);
    v->only_recorded = p->only_recorded;
    v->only_simulated = p->only_simulated;
    v->dated = p->origin_s >= 0;
    v->groups[BY_SIZE] = by_size(p);
    v->groups[BY_QUEUE] = by_queue(p);
    v->groups[BY_HOUR] = by_hour(p);
    tell_quantiles(v, p);
    tell_hours(v, p);
    return v;
}

void validation_free(struct validation *v)
{
    for (unsigned i = 0; v && i < GROUPINGS; i++)
        free(v->groups[i].group);
    free(v);
}
