/* figures.c - what the figures of a page show of its runs, as charts. See chart.h. */
#include "sim/cli/report/figures.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ranked { uint32_t number; double by; };

bool page_has_level(const struct page *p, enum cluster_level which)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (p->view[i].level[which].mean)
            return true;
    return false;
}

static void level(struct chart_list *to, const char *name, const struct page *p,
                  const struct series *l)
{
    if (l->mean)
        chart_add(to, name, l->mean, p->steps.n);
}

static const char *figure_queue(const struct run_view *v, uint32_t k)
{
    const char *name = intern_text(v->queue_names, k);
    return *name ? name : "(no queue)";
}

char *figure_name(const struct page *p, const struct run_view *v, const char *name)
{
    char *text;
    size_t length;
    FILE *f = mem_stream(&text, &length);
    fprintf(f, "%s%s%s", p->n_views > 1 ? v->label : "", p->n_views > 1 ? ": " : "", name);
    mem_stream_end(f, &text);
    return text;
}

static int ranked_most_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->by != y->by ? (x->by < y->by) - (x->by > y->by)
                          : (x->number > y->number) - (x->number < y->number);
}

/* ==== Levels over time ==== */

/* ---- GPUs over time ---- */

/* Queues with jobs, as parents repeat what their children hold; by GPU time held, descending. */
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

size_t figure_queue_bands(struct chart_list *to, const struct page *p, const struct run_view *v)
{
    struct ranked *list;
    size_t n = rank_queues(v, &list), own = n > BANDS_MAX + 1 ? BANDS_MAX : n;
    for (size_t i = 0; i < own; i++)
        level(to, figure_queue(v, list[i].number), p, &v->queue[list[i].number].level[QUEUE_HELD]);
    if (n > own) {
        double *sum = mem_new(p->steps.n, sizeof *sum);
        for (size_t i = own; i < n; i++)
            for (size_t k = 0; k < p->steps.n; k++)
                sum[k] += v->queue[list[i].number].level[QUEUE_HELD].mean[k];
        char name[64];
        snprintf(name, sizeof name, "%zu other queues", n - own);
        chart_add(to, name, sum, p->steps.n);
        free(sum);
    }
    if (n == 0)
        level(to, "held", p, &v->level[LEVEL_ALLOCATED]);
    free(list);
    return own;
}

/* By more than the width of a line, on average. */
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

void figure_utilisation(struct chart *c, const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        if (!v->level[LEVEL_TOTAL].mean)
            continue;
        struct chart_variant *x = chart_variant(c, v->label);
        figure_queue_bands(&x->bands, p, v);
        level(&x->lines, "all GPUs", p, &v->level[LEVEL_TOTAL]);
        if (differ(&v->level[LEVEL_UP], &v->level[LEVEL_TOTAL], p->steps.n))
            level(&x->lines, "GPUs up", p, &v->level[LEVEL_UP]);
        if (differ(&v->level[LEVEL_BUSY], &v->level[LEVEL_ALLOCATED], p->steps.n))
            level(&x->lines, "making progress", p, &v->level[LEVEL_BUSY]);
    }
}

static void cluster_levels(struct chart *c, const struct page *p, const char *name,
                           enum cluster_level which)
{
    struct chart_variant *x = chart_variant(c, name);
    for (size_t i = 0; i < p->n_views; i++)
        level(&x->lines, p->view[i].label, p, &p->view[i].level[which]);
}

void figure_waiting(struct chart *c, const struct page *p)
{
    cluster_levels(c, p, "jobs waiting", LEVEL_JOBS_WAITING);
    cluster_levels(c, p, "GPUs they wait for", LEVEL_GPUS_WAITING);
}

/* Levels that add up, each of these and, if it has a value, those up to the last; a line a run. */
static void cluster_sums(struct chart *c, const struct page *p, const char *name, const char *unit,
                         double scale, enum cluster_level first, enum cluster_level last)
{
    struct chart_variant *x = chart_variant(c, name);
    double *sum = mem_new(p->steps.n, sizeof *sum);
    x->unit = unit;
    for (size_t i = 0; i < p->n_views; i++) {
        const struct series *level = p->view[i].level;
        if (!level[first].mean)
            continue;
        for (size_t k = 0; k < p->steps.n; k++) {
            sum[k] = level[first].mean[k] / scale;
            for (size_t l = first + 1; l <= last; l++)
                sum[k] += level[l].mean ? level[l].mean[k] / scale : 0;
        }
        chart_add(&x->lines, p->view[i].label, sum, p->steps.n);
    }
    free(sum);
}

void figure_rates(struct chart *c, const struct page *p)
{
    if (page_has_level(p, LEVEL_POWER))
        cluster_sums(c, p, "power", "kW", 1000, LEVEL_POWER, LEVEL_POWER);
    if (page_has_level(p, LEVEL_CARBON))
        cluster_sums(c, p, "CO2", "kg/h", 1000, LEVEL_CARBON, LEVEL_CARBON);
    if (page_has_level(p, LEVEL_COST_GPUS))
        cluster_sums(c, p, "cost", "USD/h", 1, LEVEL_COST_GPUS, LEVEL_COST_ENERGY);
}

/* A variant for each level of services and each run; a line for each service. */
void figure_services(struct chart *c, const struct page *p)
{
    static const struct { const char *name, *unit;
    } what[SERVICE_LEVELS] = {
        [SERVICE_P99] = { "latency, 99th percentile", "s" },
        [SERVICE_P50] = { "latency, median", "s" },
        [SERVICE_KEPT] = { "kept the SLO", "%" },
        [SERVICE_RATE] = { "requests", "requests/s" },
        [SERVICE_READY] = { "replicas ready", "replicas" },
    };
    for (size_t i = 0; i < p->n_views; i++)
        for (size_t w = 0; w < SERVICE_LEVELS; w++) {
            const struct run_view *v = &p->view[i];
            char *name = figure_name(p, v, what[w].name);
            struct chart_variant *x = chart_variant(c, name);
            free(name);
            x->unit = what[w].unit;
            for (uint32_t k = 0; k < intern_count(v->service_names) && k < SERVICES_SHOWN; k++)
                level(&x->lines, intern_text(v->service_names, k), p, &v->service[k].level[w]);
        }
}

/* Bands as in the columns of timeseries.csv. */
void figure_sessions(struct chart *c, const struct page *p)
{
    static const char *const name[LEVELS_OF_SESSIONS] = { "active", "idle, hold GPUs",
                                                          "starting up", "wait for GPUs",
                                                          "gave GPUs back" };
    for (size_t i = 0; i < p->n_views; i++) {
        const struct series *of = &p->view[i].level[LEVEL_SESSIONS];
        if (!of->mean)
            continue;
        struct chart_variant *x = chart_variant(c, p->view[i].label);
        for (size_t k = 0; k < LEVELS_OF_SESSIONS; k++)
            level(&x->bands, name[k], p, &of[k]);
    }
}

/* ---- Quota ---- */

static void quota_of(struct chart *c, const struct page *p, const struct run_view *v, uint32_t k)
{
    const struct queue_view *q = &v->queue[k];
    const struct series *held = &q->level[QUEUE_HELD], *deserved = &q->level[QUEUE_DESERVED];
    double *within = mem_new(p->steps.n, sizeof *within),
           *beyond = mem_new(p->steps.n, sizeof *beyond);
    for (size_t i = 0; i < p->steps.n; i++) {
        within[i] = fmin(held->mean[i], deserved->mean[i]);
        beyond[i] = held->mean[i] - within[i];
        within[i] = isnan(held->mean[i]) ? held->mean[i] : within[i];
    }
    char *name = figure_name(p, v, figure_queue(v, k));
    struct chart_variant *x = chart_variant(c, name);
    free(name);
    chart_add(&x->bands, "held within the quota", within, p->steps.n);
    chart_add(&x->bands, "held above the quota", beyond, p->steps.n);
    level(&x->lines, "quota", p, deserved);
    level(&x->lines, "fair share", p, &q->level[QUEUE_FAIR]);
    level(&x->lines, "demand", p, &q->level[QUEUE_DEMAND]);
    free(within);
    free(beyond);
}

void figure_quotas(struct chart *c, const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++) {
        struct ranked *list;
        size_t n = rank_queues(&p->view[i], &list);
        for (size_t k = 0, shown = 0; k < n && shown < QUEUES_SHOWN; k++)
            if (p->view[i].queue[list[k].number].level[QUEUE_DESERVED].mean) {
                quota_of(c, p, &p->view[i], list[k].number);
                shown++;
            }
        free(list);
    }
}

/* ---- Nodes ---- */

void figure_nodes(struct chart *c, const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        if (!v->heat_rows || v->no_intervals)
            continue;
        struct chart_variant *x = chart_variant(c, v->label);
        x->length_s = v->end_s - v->start_s;
        x->nodes_per_row = v->nodes_per_row;
        for (size_t k = 0; k < v->heat_rows; k++) {
            double y[HEAT_STEPS];
            for (size_t t = 0; t < HEAT_STEPS; t++)
                y[t] = floor(v->heat[k].share[t] * 100 + 0.5);
            chart_add(&x->rows, v->heat[k].name, y, HEAT_STEPS);
        }
    }
}

/* ==== Jobs and accounts ==== */

enum { CURVE_POINTS = 300, WAIT_ROWS = 15 };

/* ---- Distributions ---- */

/* A point for each n / CURVE_POINTS jobs, or for 2 % on the logarithmic axis. */
static void curve(struct chart_list *to, const char *name, const struct values *v)
{
    double *x = mem_new(v->n + 1, sizeof *x), *y = mem_new(v->n + 1, sizeof *y);
    size_t n = 0, last = 0;
    for (size_t i = 0; i < v->n; i++) {
        bool ends = i + 1 == v->n || v->value[i + 1] != v->value[i];
        if (!ends ||
            (i + 1 < v->n && n && i - last < v->n / CURVE_POINTS && v->value[i] <= x[n - 1] * 1.02))
            continue;
        last = i;
        x[n] = v->value[i];
        y[n++] = 100 * (double)(i + 1) / (double)v->n;
    }
    if (n)
        chart_add(to, name, y, n)->x = chart_copy(x, n);
    free(x);
    free(y);
}

void figure_distributions(struct chart *c, const struct page *p)
{
    static const struct { const char *name, *unit;
    } kind[DISTRIBUTIONS] = {
        [DISTRIBUTION_JCT] = { "completion time", "s" },
        [DISTRIBUTION_WAIT] = { "wait", "s" },
        [DISTRIBUTION_SLOWDOWN] = { "bounded slowdown", "" },
        [DISTRIBUTION_FAIRNESS] = { "finish-time fairness", "" },
    };
    for (size_t d = 0; d < DISTRIBUTIONS; d++) {
        struct chart_variant *x = chart_variant(c, kind[d].name);
        x->unit = kind[d].unit;
        for (size_t i = 0; i < p->n_views; i++)
            curve(&x->lines, p->view[i].label, &p->view[i].sorted[d]);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the jobs that started in both runs. */
void figure_trust(struct chart *c, const struct page *p)
{
    for (size_t i = 0; i < p->n_trust; i++) {
        const struct pairs *pairs = &p->trust[i].pairs;
        if (!p->trust[i].validation)
            continue;
        struct values was = { .n = pairs->n, .value = mem_new(pairs->n, sizeof *was.value) },
                      is = { .n = pairs->n, .value = mem_new(pairs->n, sizeof *is.value) };
        for (size_t k = 0; k < pairs->n; k++) {
            was.value[k] = pairs->wait[k].was_s;
            is.value[k] = pairs->wait[k].is_s;
        }
        qsort(was.value, was.n, sizeof *was.value, by_value);
        qsort(is.value, is.n, sizeof *is.value, by_value);
        struct chart_variant *x = chart_variant(c, p->trust[i].run->label);
        x->unit = "s";
        curve(&x->lines, "recorded", &was);
        curve(&x->lines, "simulated", &is);
        free(was.value);
        free(is.value);
    }
}

/* ---- Bars ---- */

static const struct { const char *account, *meaning; } accounts[] = {
    { "useful", "useful work" }, { "start", "starting" }, { "save", "saving to leave" },
    { "checkpoint", "writing checkpoints" },
    { "gang", "incomplete gangs" }, { "idle", "idle in sessions" },
    { "quiet", "replicas without requests" }, { "fault", "after a fault" },
    { "lost", "lost work" }, { "free", "free" }, { "down", "out of service" },
};
enum { ACCOUNTS_SHOWN = sizeof accounts / sizeof accounts[0] };

void figure_ledger(struct chart *c, const struct page *p)
{
    struct chart_variant *x = chart_variant(c, "");
    for (size_t a = 0; a < ACCOUNTS_SHOWN; a++)
        chart_text(&x->parts, accounts[a].meaning);
    for (size_t i = 0; i < p->n_views; i++) {
        double y[ACCOUNTS_SHOWN] = { 0 };
        for (size_t a = 0; a < ACCOUNTS_SHOWN; a++)
            for (size_t k = 0; k < p->view[i].accounts; k++)
                if (!strcmp(p->view[i].account[k].name, accounts[a].account))
                    y[a] += p->view[i].account[k].gpu_s / 3600;
        if (!p->view[i].no_nodes)
            chart_add(&x->rows, p->view[i].label, y, ACCOUNTS_SHOWN);
    }
}

static void waits_of(struct chart_list *to, const struct run_view *v)
{
    size_t n = intern_count(v->queue_names), shown = 0;
    struct ranked *list = mem_new(n + 1, sizeof *list);
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0;
        for (size_t r = 0; r < v->reasons; r++)
            sum += v->queue[k].wait_s[r];
        if (sum > 0)
            list[shown++] = (struct ranked){ k, sum };
    }
    if (shown)
        qsort(list, shown, sizeof *list, ranked_most_first);
    for (size_t i = 0; i < shown && i < WAIT_ROWS; i++) {
        double y[WAIT_REASONS_MAX];
        for (size_t r = 0; r < v->reasons; r++)
            y[r] = v->queue[list[i].number].wait_s[r] / 3600;
        chart_add(to, figure_queue(v, list[i].number), y, v->reasons);
    }
    free(list);
}

void figure_waits(struct chart *c, const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        struct chart_variant *x = chart_variant(c, v->label);
        for (size_t r = 0; r < v->reasons; r++)
            chart_text(&x->parts, v->reason[r]);
        waits_of(&x->rows, v);
    }
}

