/* figures_time.c - the data of figures over time. See figure_parts.h. */
#include "sim/cli/report/figure_parts.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BANDS_MOST = 9, QUOTA_QUEUES = 12, SERVICES_MOST = 16 };

/* ---- GPUs over time ---- */

/* Queues with jobs (inner ones repeat what theirs hold), the one that held most first. */
static size_t rank_queues(const struct run_view *v, struct ranked **list)
{
    size_t n = 0;
    *list = mem_new(intern_count(v->queue_names) + 1, sizeof **list);
    for (uint32_t k = 0; k < intern_count(v->queue_names); k++)
        if (v->queue[k].level[QUEUE_HELD].mean && v->queue[k].jobs > 0)
            (*list)[n++] = (struct ranked){ k, v->queue[k].held_gpu_s };
    if (n)
        qsort(*list, n, sizeof **list, ranked_most_first);
    return n;
}

static void bands(struct output *o, const struct page *p, const struct run_view *v)
{
    struct ranked *list;
    size_t n = rank_queues(v, &list), own = n > BANDS_MOST + 1 ? BANDS_MOST : n;
    bool first = true;
    for (size_t i = 0; i < own; i++)
        figure_level(o, &first, figure_queue(v, list[i].number), p, &v->queue[list[i].number].level[QUEUE_HELD]);
    if (n > own) {
        double *sum = mem_new(p->steps.n, sizeof *sum);
        for (size_t i = own; i < n; i++)
            for (size_t k = 0; k < p->steps.n; k++)
                sum[k] += v->queue[list[i].number].level[QUEUE_HELD].mean[k];
        char name[64];
        snprintf(name, sizeof name, "%zu other queues", n - own);
        figure_named(o, &first, name, sum, p->steps.n);
        free(sum);
    }
    if (n == 0)
        figure_level(o, &first, "held", p, &v->level[LEVEL_ALLOCATED]);
    free(list);
}

/* By more than a line is wide, over all. */
static bool differ(const struct series *a, const struct series *b, size_t n)
{
    double sum = 0, difference = 0;
    for (size_t k = 0; a->mean && b->mean && k < n; k++)
        if (!isnan(a->mean[k])) {
            sum += b->mean[k];
            difference += fabs(a->mean[k] - b->mean[k]);
        }
    return difference > 0.02 * sum;
}

void figure_utilisation(struct output *o, const struct page *p)
{
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        bool first_line = true;
        if (!v->level[LEVEL_TOTAL].mean)
            continue;
        figure_variant(o, &first, v->label, "bands");
        bands(o, p, v);
        out_text(o, "],\"lines\":[");
        figure_level(o, &first_line, "all GPUs", p, &v->level[LEVEL_TOTAL]);
        if (differ(&v->level[LEVEL_UP], &v->level[LEVEL_TOTAL], p->steps.n))
            figure_level(o, &first_line, "GPUs up", p, &v->level[LEVEL_UP]);
        if (differ(&v->level[LEVEL_BUSY], &v->level[LEVEL_ALLOCATED], p->steps.n))
            figure_level(o, &first_line, "making progress", p, &v->level[LEVEL_BUSY]);
        out_text(o, "]}");
    }
}

static void cluster_levels(struct output *o, const struct page *p, bool *first, const char *name, enum cluster_level which)
{
    bool first_line = true;
    figure_variant(o, first, name, "lines");
    for (size_t i = 0; i < p->n_views; i++)
        figure_level(o, &first_line, p->view[i].label, p, &p->view[i].level[which]);
    out_text(o, "]}");
}

void figure_waiting(struct output *o, const struct page *p)
{
    bool first = true;
    cluster_levels(o, p, &first, "jobs waiting", LEVEL_JOBS_WAITING);
    cluster_levels(o, p, &first, "GPUs they wait for", LEVEL_GPUS_WAITING);
}

void figure_power(struct output *o, const struct page *p)
{
    bool first = true;
    cluster_levels(o, p, &first, "W", LEVEL_POWER);
}

/* A variant for each of what services do, of each run; a line for each service. */
void figure_services(struct output *o, const struct page *p)
{
    static const struct { const char *name, *unit; } what[SERVICE_LEVELS] = {
        [SERVICE_P99] = { "latency, 99th percentile", "s" }, [SERVICE_P50] = { "latency, median", "s" }, [SERVICE_KEPT] = { "kept the SLO", "%" },
        [SERVICE_RATE] = { "requests", "requests/s" }, [SERVICE_READY] = { "replicas ready", "replicas" },
    };
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++)
        for (size_t w = 0; w < SERVICE_LEVELS; w++) {
            const struct run_view *v = &p->view[i];
            bool first_line = true;
            char *name = figure_name(p, v, what[w].name);
            figure_variant(o, &first, name, "lines");
            free(name);
            for (uint32_t k = 0; k < intern_count(v->service_names) && k < SERVICES_MOST; k++)
                figure_level(o, &first_line, intern_text(v->service_names, k), p, &v->service[k].level[w]);
            html_printf(o, "],\"unit\":\"%s\"}", what[w].unit);
        }
}

/* Bands as in the columns of timeseries.csv. */
void figure_sessions(struct output *o, const struct page *p)
{
    static const char *const name[LEVELS_OF_SESSIONS] = { "active", "idle, hold GPUs", "starting up", "wait for GPUs", "gave GPUs back" };
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++) {
        const struct series *level = &p->view[i].level[LEVEL_SESSIONS];
        bool first_band = true;
        if (!level->mean)
            continue;
        figure_variant(o, &first, p->view[i].label, "bands");
        for (size_t k = 0; k < LEVELS_OF_SESSIONS; k++)
            figure_level(o, &first_band, name[k], p, &level[k]);
        out_text(o, "],\"lines\":[]}");
    }
}

/* ---- Quota ---- */

static void quota_of(struct output *o, const struct page *p, const struct run_view *v, uint32_t k, bool *first)
{
    const struct queue_view *q = &v->queue[k];
    const struct series *held = &q->level[QUEUE_HELD], *deserved = &q->level[QUEUE_DESERVED];
    double *within = mem_new(p->steps.n, sizeof *within), *beyond = mem_new(p->steps.n, sizeof *beyond);
    bool first_band = true, first_line = true;
    for (size_t i = 0; i < p->steps.n; i++) {
        within[i] = deserved->mean ? fmin(held->mean[i], deserved->value) : 0;
        beyond[i] = held->mean[i] - within[i];
        within[i] = isnan(held->mean[i]) ? held->mean[i] : within[i];
    }
    char *name = figure_name(p, v, figure_queue(v, k));
    figure_variant(o, first, name, "bands");
    free(name);
    if (deserved->mean)
        figure_named(o, &first_band, "held within the quota", within, p->steps.n);
    figure_named(o, &first_band, deserved->mean ? "held beyond it" : "held", beyond, p->steps.n);
    out_text(o, "],\"lines\":[");
    figure_level(o, &first_line, "quota", p, deserved);
    figure_level(o, &first_line, "fair share", p, &q->level[QUEUE_FAIR]);
    figure_level(o, &first_line, "asked for", p, &q->level[QUEUE_DEMAND]);
    out_text(o, "]}");
    free(within);
    free(beyond);
}

void figure_quotas(struct output *o, const struct page *p)
{
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++) {
        struct ranked *list;
        size_t n = rank_queues(&p->view[i], &list);
        for (size_t k = 0; k < n && k < QUOTA_QUEUES; k++)
            quota_of(o, p, &p->view[i], list[k].number, &first);
        free(list);
    }
}

/* ---- Nodes ---- */

void figure_nodes(struct output *o, const struct page *p)
{
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        bool first_row = true;
        if (!v->heat_rows || v->no_intervals)
            continue;
        figure_variant(o, &first, v->label, "rows");
        for (size_t k = 0; k < v->heat_rows; k++) {
            double y[HEAT_STEPS];
            for (size_t t = 0; t < HEAT_STEPS; t++)
                y[t] = floor(v->heat[k].share[t] * 100 + 0.5);
            figure_named(o, &first_row, v->heat[k].name, y, HEAT_STEPS);
        }
        html_printf(o, "],\"length_s\":%.9g,\"nodes_per_row\":%zu}", v->end_s - v->start_s, v->nodes_per_row);
    }
}
