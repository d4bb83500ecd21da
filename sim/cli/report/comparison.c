/* comparison.c - metrics of all groups side by side: means over the runs of each, and the change against the first. */
#include "sim/cli/report/markup.h"
#include "sim/cli/report/page.h"
#include "sim/base/memory.h"
#include "sim/results/summary.h"
#include "sim/study/paired.h"
#include "sim/study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct page_metric shown_metrics[] = {
    { "jobs_submitted", "jobs" },
    { "jobs_completed", "jobs completed" },
    { "util_alloc", "GPU time allocated" },
    { "util_busy", "GPUs busy" },
    { "util_effective", "useful work" },
    { "goodput", "useful part of what was held" },
    { "wait_mean_s", "mean wait" },
    { "wait_p90_s", "p90 wait" },
    { "wait_p99_s", "p99 wait" },
    { "jct_mean_s", "mean completion time" },
    { "jct_p90_s", "p90 completion time" },
    { "bounded_slowdown_mean", "mean bounded slowdown" },
    { "makespan_s", "makespan" },
    { "preemptions", "preemptions" },
    { "lost_gpu_h", "lost work" },
    { "quota_satisfaction", "quota met" },
    { "time_to_reclaim_mean_s", "mean time to reclaim" },
    { "jain_index", "Jain's index" },
    { "finish_time_fairness_p95", "p95 finish-time fairness" },
    { "requests_served", "requests served" },
    { "slo_attainment", "SLO attainment of services" },
    { "session_start_p90_s", "p90 start of sessions" },
    { "session_slo_attainment", "sessions started in time" },
    { "energy_kwh", "energy" },
    { "cost_usd", "cost" },
    { NULL, NULL },
};

struct estimate group_estimate(const struct page_group *g, const char *metric)
{
    double *value = mem_new(g->n, sizeof *value);
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct run_metric *m = run_metric_find(g->run[i], metric, "all");
        if (m && !isnan(m->value))
            value[n++] = m->value;
    }
    struct estimate e = estimate_mean(value, n);
    free(value);
    return e;
}

static void cell(struct output *o, const struct page *p, size_t i, const char *metric, const char *unit)
{
    struct estimate e = group_estimate(&p->group[i], metric), base = group_estimate(&p->group[0], metric);
    char text[VALUE_MAX];
    out_text(o, "<td>");
    out_text(o, value_text(text, metric, unit, e.mean));
    if (e.n > 1) {
        out_text(o, " <span class=\"half\">&plusmn; ");
        out_text(o, value_text(text, metric, unit, e.half));
        out_text(o, "</span>");
    }
    if (i > 0)
        page_change(o, p, i, metric, base.mean, e.mean);
    out_text(o, "</td>");
}

static bool known(const struct page *p, const char *metric)
{
    for (size_t i = 0; i < p->n_groups; i++)
        if (group_estimate(&p->group[i], metric).n)
            return true;
    return false;
}

static void row(struct output *o, const struct page *p, const char *metric, const char *label)
{
    const struct metric_kind *kind = metric_find(metric);
    const char *unit = kind ? kind->unit : "";
    if (!known(p, metric))
        return;
    out_text(o, "<tr><th scope=\"row\" title=\"");
    html_text(o, metric);
    out_text(o, kind ? ": " : "");
    html_text(o, kind ? kind->summary : "");
    out_text(o, "\">");
    html_text(o, label);
    if (*unit && strcmp(unit, "s") != 0) {
        out_text(o, " <span class=\"unit\">");
        html_text(o, unit);
        out_text(o, "</span>");
    }
    out_text(o, "</th>");
    for (size_t i = 0; i < p->n_groups; i++)
        cell(o, p, i, metric, unit);
    out_text(o, "</tr>\n");
}

static void columns(struct output *o, const struct page *p)
{
    out_text(o, "<thead><tr><th scope=\"col\">metric</th>");
    for (size_t i = 0; i < p->n_groups; i++) {
        out_text(o, "<th scope=\"col\">");
        html_text(o, p->group[i].label);
        if (p->group[i].n > 1)
            out_printf(o, "<br><span class=\"unit\">%zu runs</span>", p->group[i].n);
        out_text(o, "</th>");
    }
    out_text(o, "</tr></thead>\n<tbody>\n");
}

void page_comparison(struct output *o, const struct page *p)
{
    bool many = false;
    for (size_t i = 0; i < p->n_groups; i++)
        many = many || p->group[i].n > 1;
    out_text(o, "<section id=\"summary\">\n<h2>Summary</h2>\n");
    if (p->n_groups > 1)
        out_text(o, page_change_meaning);
    if (many)
        out_text(o, "<p>Means over runs that differ in the seed, &plusmn; half of their 95&nbsp;% confidence interval (Student's t).</p>\n");
    table_begin(o, "Metrics over all jobs");
    columns(o, p);
    for (size_t i = 0; shown_metrics[i].metric; i++)
        row(o, p, shown_metrics[i].metric, shown_metrics[i].label);
    table_end(o);
    out_text(o, "<details><summary>All metrics</summary>\n");
    table_begin(o, "All metrics over all jobs");
    columns(o, p);
    const struct run_record *first = p->group[0].run[0];
    for (size_t i = 0; i < first->n; i++)
        if (!strcmp(first->metric[i].scope, "all"))
            row(o, p, first->metric[i].metric, first->metric[i].metric);
    table_end(o);
    out_text(o, "</details>\n</section>\n");
}
