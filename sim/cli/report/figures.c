/* figures.c - the figures of a page: an element and a caption for each, and their data as JSON,
 * which page.js draws.
 *
 * {"length_s": .., "figures": [{"id", "type", "unit", "variants": [{"name", ...}]}]}. Of type
 * "time": "bands" (stacked) and "lines", each {"name", "y"}, a value for each step; "cdf":
 * "lines" of {"name", "x", "y"}; "bars": "parts" and "rows" of {"name", "y"}; "heat": "rows" of
 * {"name", "y"} in per cent, length_s. Numbers are thinned to what a page can show. */
#include "sim/cli/report/page.h"

#include "sim/base/memory.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/report/markup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


struct ranked { uint32_t number; double by; };

typedef void figure_variants(struct output *o, const struct page *p);


/* ==== Pieces of JSON; `first` tells whether a comma is due ==== */

static void figure_comma(struct output *o, bool *first)
{
    if (!*first)
        out_char(o, ',');
    *first = false;
}

static void figure_named(struct output *o, bool *first, const char *name, const double *y, size_t n)
{
    figure_comma(o, first);
    out_text(o, "{\"name\":");
    json_text(o, name);
    out_text(o, ",\"y\":");
    json_numbers(o, y, n);
    out_char(o, '}');
}

static void figure_level(struct output *o, bool *first, const char *name, const struct page *p,
                         const struct series *l)
{
    if (l->mean)
        figure_named(o, first, name, l->mean, p->steps.n);
}

static void figure_variant(struct output *o, bool *first, const char *name, const char *key)
{
    figure_comma(o, first);
    out_text(o, "{\"name\":");
    json_text(o, name);
    html_printf(o, ",\"%s\":[", key);
}

static const char *figure_queue(const struct run_view *v, uint32_t k)
{
    const char *name = intern_text(v->queue_names, k);
    return *name ? name : "(no queue)";
}

static char *figure_name(const struct page *p, const struct run_view *v, const char *name)
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

enum { BANDS_MAX = 9, QUOTA_QUEUES = 12, SERVICES_MAX = 16 };

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

static void bands(struct output *o, const struct page *p, const struct run_view *v)
{
    struct ranked *list;
    size_t n = rank_queues(v, &list), own = n > BANDS_MAX + 1 ? BANDS_MAX : n;
    bool first = true;
    for (size_t i = 0; i < own; i++)
        figure_level(o, &first, figure_queue(v, list[i].number), p,
                     &v->queue[list[i].number].level[QUEUE_HELD]);
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

static void figure_utilisation(struct output *o, const struct page *p)
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

static void cluster_levels(struct output *o, const struct page *p, bool *first, const char *name,
                           enum cluster_level which)
{
    bool first_line = true;
    figure_variant(o, first, name, "lines");
    for (size_t i = 0; i < p->n_views; i++)
        figure_level(o, &first_line, p->view[i].label, p, &p->view[i].level[which]);
    out_text(o, "]}");
}

static void figure_waiting(struct output *o, const struct page *p)
{
    bool first = true;
    cluster_levels(o, p, &first, "jobs waiting", LEVEL_JOBS_WAITING);
    cluster_levels(o, p, &first, "GPUs they wait for", LEVEL_GPUS_WAITING);
}

static void figure_power(struct output *o, const struct page *p)
{
    bool first = true;
    cluster_levels(o, p, &first, "W", LEVEL_POWER);
}

/* A variant for each level of services and each run; a line for each service. */
static void figure_services(struct output *o, const struct page *p)
{
    static const struct { const char *name, *unit;
    } what[SERVICE_LEVELS] = {
        [SERVICE_P99] = { "latency, 99th percentile", "s" },
        [SERVICE_P50] = { "latency, median", "s" },
        [SERVICE_KEPT] = { "kept the SLO", "%" },
        [SERVICE_RATE] = { "requests", "requests/s" },
        [SERVICE_READY] = { "replicas ready", "replicas" },
    };
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++)
        for (size_t w = 0; w < SERVICE_LEVELS; w++) {
            const struct run_view *v = &p->view[i];
            bool first_line = true;
            char *name = figure_name(p, v, what[w].name);
            figure_variant(o, &first, name, "lines");
            free(name);
            for (uint32_t k = 0; k < intern_count(v->service_names) && k < SERVICES_MAX; k++)
                figure_level(o, &first_line, intern_text(v->service_names, k), p,
                             &v->service[k].level[w]);
            html_printf(o, "],\"unit\":\"%s\"}", what[w].unit);
        }
}

/* Bands as in the columns of timeseries.csv. */
static void figure_sessions(struct output *o, const struct page *p)
{
    static const char *const name[LEVELS_OF_SESSIONS] = { "active", "idle, hold GPUs",
                                                          "starting up", "wait for GPUs",
                                                          "gave GPUs back" };
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

static void quota_of(struct output *o, const struct page *p, const struct run_view *v, uint32_t k,
                     bool *first)
{
    const struct queue_view *q = &v->queue[k];
    const struct series *held = &q->level[QUEUE_HELD], *deserved = &q->level[QUEUE_DESERVED];
    double *within = mem_new(p->steps.n, sizeof *within),
           *beyond = mem_new(p->steps.n, sizeof *beyond);
    bool first_band = true, first_line = true;
    for (size_t i = 0; i < p->steps.n; i++) {
        within[i] = fmin(held->mean[i], deserved->mean[i]);
        beyond[i] = held->mean[i] - within[i];
        within[i] = isnan(held->mean[i]) ? held->mean[i] : within[i];
    }
    char *name = figure_name(p, v, figure_queue(v, k));
    figure_variant(o, first, name, "bands");
    free(name);
    figure_named(o, &first_band, "held within the quota", within, p->steps.n);
    figure_named(o, &first_band, "held above the quota", beyond, p->steps.n);
    out_text(o, "],\"lines\":[");
    figure_level(o, &first_line, "quota", p, deserved);
    figure_level(o, &first_line, "fair share", p, &q->level[QUEUE_FAIR]);
    figure_level(o, &first_line, "demand", p, &q->level[QUEUE_DEMAND]);
    out_text(o, "]}");
    free(within);
    free(beyond);
}

static void figure_quotas(struct output *o, const struct page *p)
{
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++) {
        struct ranked *list;
        size_t n = rank_queues(&p->view[i], &list);
        for (size_t k = 0, shown = 0; k < n && shown < QUOTA_QUEUES; k++)
            if (p->view[i].queue[list[k].number].level[QUEUE_DESERVED].mean) {
                quota_of(o, p, &p->view[i], list[k].number, &first);
                shown++;
            }
        free(list);
    }
}

/* ---- Nodes ---- */

static void figure_nodes(struct output *o, const struct page *p)
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
        html_printf(o, "],\"length_s\":%.9g,\"nodes_per_row\":%zu}", v->end_s - v->start_s,
                    v->nodes_per_row);
    }
}

/* ==== Jobs and accounts ==== */

enum { CURVE_POINTS = 300, WAIT_ROWS = 15 };

/* ---- Distributions ---- */

/* A point for each n / CURVE_POINTS jobs, or for 2 % on the logarithmic axis. */
static void curve(struct output *o, bool *first, const char *name, const struct values *v)
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
    if (n) {
        figure_comma(o, first);
        out_text(o, "{\"name\":");
        json_text(o, name);
        out_text(o, ",\"x\":");
        json_numbers(o, x, n);
        out_text(o, ",\"y\":");
        json_numbers(o, y, n);
        out_char(o, '}');
    }
    free(x);
    free(y);
}

static void figure_distributions(struct output *o, const struct page *p)
{
    static const struct { const char *name, *unit;
    } kind[DISTRIBUTIONS] = {
        [DISTRIBUTION_JCT] = { "completion time", "s" },
        [DISTRIBUTION_WAIT] = { "wait", "s" },
        [DISTRIBUTION_SLOWDOWN] = { "bounded slowdown", "" },
        [DISTRIBUTION_FAIRNESS] = { "finish-time fairness", "" },
    };
    bool first = true;
    for (size_t d = 0; d < DISTRIBUTIONS; d++) {
        bool first_line = true;
        figure_variant(o, &first, kind[d].name, "lines");
        for (size_t i = 0; i < p->n_views; i++)
            curve(o, &first_line, p->view[i].label, &p->view[i].sorted[d]);
        html_printf(o, "],\"unit\":\"%s\"}", kind[d].unit);
    }
}

/* ---- Bars ---- */

static const struct { const char *account, *meaning; } accounts[] = {
    { "useful", "useful work" }, { "start", "starting" }, { "save", "saving to leave" },
    { "checkpoint", "writing checkpoints" },
    { "gang", "incomplete gangs" }, { "idle", "idle in sessions" }, { "fault", "after a fault" },
    { "lost", "lost work" }, { "free", "free" }, { "down", "out of service" },
};
enum { ACCOUNTS_SHOWN = sizeof accounts / sizeof accounts[0] };

static void figure_ledger(struct output *o, const struct page *p)
{
    bool first = true, first_row = true;
    figure_variant(o, &first, "", "parts");
    for (size_t a = 0; a < ACCOUNTS_SHOWN; a++)
        html_printf(o, "%s\"%s\"", a ? "," : "", accounts[a].meaning);
    out_text(o, "],\"rows\":[");
    for (size_t i = 0; i < p->n_views; i++) {
        double y[ACCOUNTS_SHOWN] = { 0 };
        for (size_t a = 0; a < ACCOUNTS_SHOWN; a++)
            for (size_t k = 0; k < p->view[i].accounts; k++)
                if (!strcmp(p->view[i].account[k].name, accounts[a].account))
                    y[a] += p->view[i].account[k].gpu_s / 3600;
        if (!p->view[i].no_nodes)
            figure_named(o, &first_row, p->view[i].label, y, ACCOUNTS_SHOWN);
    }
    out_text(o, "]}");
}

static void waits_of(struct output *o, const struct run_view *v)
{
    size_t n = intern_count(v->queue_names), shown = 0;
    struct ranked *list = mem_new(n + 1, sizeof *list);
    bool first = true;
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
        figure_named(o, &first, figure_queue(v, list[i].number), y, v->reasons);
    }
    free(list);
}

static void figure_waits(struct output *o, const struct page *p)
{
    bool first = true;
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        figure_variant(o, &first, v->label, "parts");
        for (size_t r = 0; r < v->reasons; r++) {
            out_text(o, r ? "," : "");
            json_text(o, v->reason[r]);
        }
        out_text(o, "],\"rows\":[");
        waits_of(o, v);
        out_text(o, "]}");
    }
}

/* ==== The figures there are ==== */

static void figure(struct output *o, bool *first, const char *id, const char *type,
                   const char *unit)
{
    figure_comma(o, first);
    html_printf(o, "\n{\"id\":\"%s\",\"type\":\"%s\",\"unit\":\"%s\",\"variants\":[", id, type,
                unit);
}

static bool has_power(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (p->view[i].level[LEVEL_POWER].mean)
            return true;
    return false;
}

static bool has_sessions(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (p->view[i].level[LEVEL_SESSIONS].mean)
            return true;
    return false;
}

static bool has_services(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (intern_count(p->view[i].service_names))
            return true;
    return false;
}

static bool has_time(const struct page *p)
{
    return p->steps.length_s > 0;
}
static bool has_jobs(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (p->view[i].sorted[DISTRIBUTION_JCT].n)
            return true;
    return false;
}
static bool has_waits(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        for (uint32_t k = 0; k < intern_count(p->view[i].queue_names); k++)
            for (size_t r = 0; r < p->view[i].reasons; r++)
                if (p->view[i].queue[k].wait_s[r] > 0)
                    return true;
    return false;
}
static bool has_quotas(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        for (uint32_t k = 0; k < intern_count(p->view[i].queue_names); k++)
            if (p->view[i].queue[k].level[QUEUE_DESERVED].mean && p->view[i].queue[k].jobs > 0)
                return true;
    return false;
}
static bool has_nodes(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (p->view[i].heat_rows)
            return true;
    return false;
}
static bool has_heat(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (p->view[i].heat_rows && !p->view[i].no_intervals &&
            p->view[i].end_s > p->view[i].start_s)
            return true;
    return false;
}

static const struct {
    const char *id, *type, *unit, *title, *caption;
    bool (*there)(const struct page *p);
    figure_variants *variants;
} all[] = {
    { "utilisation", "time", "GPUs", "GPUs in use",
      "GPUs held by each queue, below the line of all GPUs.", has_time, figure_utilisation },
    { "waiting", "time", "", "Waiting", "How many jobs wait, and for how many GPUs.", has_time,
      figure_waiting },
    { "distributions", "cdf", "", "Distributions over jobs",
      "Share of the ended jobs with at most this value, without replicas of services and sessions; the axis is logarithmic.",
      has_jobs, figure_distributions },
    { "quota", "time", "GPUs", "Quota and allocation",
      "GPUs held by a queue, its quota, its demand, and its fair share if the policy reports one.",
      has_quotas, figure_quotas },
    { "ledger", "bars", "GPU h", "Where GPU time went", "All GPU time, by account.", has_nodes,
      figure_ledger },
    { "reasons", "bars", "h", "Why jobs waited", "Hours that jobs waited, by queue and reason.",
      has_waits, figure_waits },
    { "nodes", "heat", "%", "Nodes", "Share of each node's GPUs that was held.", has_heat,
      figure_nodes },
    { "services", "time", "", "Inference services",
      "Latency, SLO, requests and replicas of services; a percentile of a longer step is the mean "
      "of the percentiles of its minutes.", has_services, figure_services },
    { "sessions", "time", "sessions", "Interactive sessions", "Sessions by state.", has_sessions,
      figure_sessions },
    { "power", "time", "W", "Power", "Power of all nodes.", has_power, figure_power },
};

void page_figures(struct output *o, const struct page *p)
{
    char width[HUMAN_MAX];
    bool first = true;
    out_text(
        o,
        "<section id=\"figures\">\n<h2>Figures</h2>\n<noscript><p class=\"note\">Figures need JavaScript; the tables do not.</p></noscript>\n");
    if (has_time(p))
        html_printf(
            o,
            "<p class=\"note script\">Over time each step is the mean over %s (a run has %zu steps); curves are thinned to what can be seen. "
            "Point at a figure for values, drag over it to zoom, choose in its legend what is shown.%s</p>\n",
            human_time(width, p->steps.length_s / (double)p->steps.n), p->steps.n,
            p->n_runs > p->n_groups ? " Of runs that differ in the seed the first is shown." : "");
    if (p->n_groups > p->n_views)
        html_printf(
            o,
            "<p class=\"note\">Of the %zu columns of the summary the first %zu have figures and tables of their own.</p>\n",
            p->n_groups, p->n_views);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].there(p))
            html_printf(
                o,
                "<figure id=\"figure-%s\" class=\"script\"><h3>%s</h3><div class=\"plot\"></div><figcaption>%s</figcaption></figure>\n",
                all[i].id, all[i].title, all[i].caption);
    html_printf(o, "<script type=\"application/json\" id=\"data\">{\"length_s\":%.9g,\"figures\":[",
                p->steps.length_s);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].there(p)) {
            figure(o, &first, all[i].id, all[i].type, all[i].unit);
            all[i].variants(o, p);
            out_text(o, "]}");
        }
    out_text(o, "]}</script>\n</section>\n");
}
