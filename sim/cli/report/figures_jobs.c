/* figures_jobs.c - the data of figures over jobs and accounts. See figure_parts.h. */
#include "sim/cli/report/figure_parts.h"
#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CURVE_POINTS = 300, WAIT_ROWS = 15 };

/* ---- Distributions ---- */

/* A step wherever something can be seen: every CURVE_POINTS-th of the jobs, or 2 % more on the logarithmic axis. */
static void curve(struct output *o, bool *first, const char *name, const struct values *v)
{
    double *x = mem_new(v->n + 1, sizeof *x), *y = mem_new(v->n + 1, sizeof *y);
    size_t n = 0, last = 0;
    for (size_t i = 0; i < v->n; i++) {
        bool ends = i + 1 == v->n || v->value[i + 1] != v->value[i];
        if (!ends || (i + 1 < v->n && n && i - last < v->n / CURVE_POINTS && v->value[i] <= x[n - 1] * 1.02))
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

void figure_distributions(struct output *o, const struct page *p)
{
    static const struct { const char *name, *unit; } kind[DISTRIBUTIONS] = {
        [DISTRIBUTION_JCT] = { "completion time", "s" }, [DISTRIBUTION_WAIT] = { "wait", "s" },
        [DISTRIBUTION_SLOWDOWN] = { "bounded slowdown", "" }, [DISTRIBUTION_FAIRNESS] = { "finish-time fairness", "" },
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
    { "useful", "useful work" }, { "start", "starting" }, { "save", "saving to leave" }, { "checkpoint", "writing checkpoints" },
    { "gang", "incomplete gangs" }, { "idle", "idle in sessions" }, { "fault", "after a fault" }, { "lost", "lost work" }, { "free", "free" }, { "down", "out of service" },
};
enum { ACCOUNTS_SHOWN = sizeof accounts / sizeof accounts[0] };

void figure_ledger(struct output *o, const struct page *p)
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
        double y[WAIT_REASONS_MOST];
        for (size_t r = 0; r < v->reasons; r++)
            y[r] = v->queue[list[i].number].wait_s[r] / 3600;
        figure_named(o, &first, figure_queue(v, list[i].number), y, v->reasons);
    }
    free(list);
}

void figure_waits(struct output *o, const struct page *p)
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
