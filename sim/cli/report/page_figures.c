/* page_figures.c - the figures of a page: an element, a caption and a static picture for each, and
 * their data as JSON. See chart.h. */
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/report/figures.h"
#include "sim/cli/report/markup.h"

#include <math.h>

static bool has_sweep(const struct page *p)
{
    return p->sweep && p->columns->n_parameters > 0;
}

static bool has_rates(const struct page *p)
{
    return page_has_level(p, LEVEL_POWER) || page_has_level(p, LEVEL_COST_GPUS);
}

static bool has_sessions(const struct page *p)
{
    return page_has_level(p, LEVEL_SESSIONS);
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
static bool has_trust(const struct page *p)
{
    return p->n_trust > 0;
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
    void (*fill)(struct chart *c, const struct page *p);
} all[] = {
    { "sweep", "sweep", "", "The sweep",
      "Means over seeds, with intervals of 95 % (Student's t), over a parameter; a line for each combination of the others.",
      has_sweep, figure_sweep },
    { "utilisation", "time", "GPUs", "GPUs in use",
      "GPUs held by each queue, below the line of all GPUs.", has_time, figure_utilisation },
    { "waiting", "time", "", "Waiting", "How many jobs wait, and for how many GPUs.", has_time,
      figure_waiting },
    { "distributions", "cdf", "", "Distributions over jobs",
      "Share of the ended jobs with at most this value, without replicas of services and sessions; the axis is logarithmic.",
      has_jobs, figure_distributions },
    { "trust", "cdf", "", "Waits against the record",
      "Share of the jobs that waited at most so long until their first start, in the record and in the simulation; the axis is logarithmic.",
      has_trust, figure_trust },
    { "quota", "time", "GPUs", "Quota and allocation",
      "GPUs held by a queue, its quota, its demand, and its fair share if the policy reports one.",
      has_quotas, figure_quotas },
    { "gantt", "gantt", "", "Which job held which GPU",
      "A lane for each GPU, of the nodes with the first 256; point at a box for its job. Of a long run as many boxes as can be seen, from the hour on in which most GPUs were waited for, or from the time of --gantt.",
      has_heat, figure_gantt },
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
    { "rates", "time", "", "Power, carbon, cost",
      "Power of all nodes, the CO2 of the facility's power, and what an hour costs: GPUs, nodes of pools and the facility's power. Their areas are the energy, the CO2 and the cost of the run.",
      has_rates, figure_rates },
};

/* The date of the beginning of the axis of time, in seconds since 1970: NaN unless all runs have
 * the same. */
static double start_date(const struct page *p)
{
    double common = NAN;
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        double start = manifest_origin_s(v->manifest) + v->start_s;
        if (isnan(start) || (i && start != common))
            return NAN;
        common = start;
    }
    return common;
}

static void notes(struct output *o, const struct page *p)
{
    char width[HUMAN_MAX];
    if (has_time(p))
        out_printf(
            o,
            "<p class=\"note script\">Over time each step is the mean over %s (a run has %zu steps); curves are thinned to what can be seen. "
            "Point at a figure for values, drag over it to zoom all figures over time, choose in its legend what is shown.%s</p>\n",
            human_time(width, p->steps.length_s / (double)p->steps.n), p->steps.n,
            p->n_runs > p->n_groups ? " Of runs that differ in the seed the first is shown." : "");
    if (p->n_groups > p->n_views && p->n_views)
        out_printf(
            o,
            "<p class=\"note\">Of the %zu columns of the summary the first %zu have figures and tables of their own.</p>\n",
            p->n_groups, p->n_views);
}

void page_figures(struct output *o, const struct page *p)
{
    enum { FIGURES = sizeof all / sizeof all[0] };
    struct chart chart[FIGURES];
    bool first = true;
    for (size_t i = 0; i < FIGURES; i++) {
        chart[i] = (struct chart){ .id = all[i].id, .type = all[i].type, .unit = all[i].unit,
                                   .title = all[i].title };
        if (all[i].there(p))
            all[i].fill(&chart[i], p);
    }
    out_text(o, "<section id=\"figures\">\n<h2>Figures</h2>\n");
    notes(o, p);
    for (size_t i = 0; i < FIGURES; i++)
        if (!chart_is_empty(&chart[i])) {
            out_printf(o, "<figure id=\"figure-%s\"><h3>%s</h3><div class=\"plot\"></div>", all[i].id,
                        all[i].title);
            chart_svg(o, &chart[i], p->steps.length_s, start_date(p));
            out_printf(o, "<figcaption>%s</figcaption></figure>\n", all[i].caption);
        }
    out_printf(o, "<script type=\"application/json\" id=\"data\">{\"length_s\":%.9g,\"steps\":%zu,",
                p->steps.length_s, p->steps.n);
    if (!isnan(start_date(p)))
        out_printf(o, "\"start_unix_s\":%.12g,", start_date(p));
    out_text(o, "\"figures\":[");
    for (size_t i = 0; i < FIGURES; i++) {
        if (!chart_is_empty(&chart[i])) {
            out_text(o, first ? "" : ",");
            first = false;
            chart_json(o, &chart[i]);
        }
        chart_free(&chart[i]);
    }
    out_text(o, "]}</script>\n</section>\n");
}
