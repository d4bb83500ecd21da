/* figures.c - the figures of a page: a place and a caption for each, and their data as JSON, which page.js draws.
 *
 * {"length_s": .., "figures": [{"id", "type", "unit", "variants": [{"name", ...}]}]}. Of type "time": "bands" (stacked) and "lines",
 * each {"name", "y"}, a value for each step; "cdf": "lines" of {"name", "x", "y"}; "bars": "parts" and "rows" of {"name", "y"};
 * "heat": "rows" of {"name", "y"} in per cent, length_s. Only numbers leave here that were thinned to what a page can show. */
#include "sim/cli/report/figure_parts.h"
#include "sim/cli/frame/term.h"

static void figure(struct output *o, bool *first, const char *id, const char *type, const char *unit)
{
    figure_comma(o, first);
    html_printf(o, "\n{\"id\":\"%s\",\"type\":\"%s\",\"unit\":\"%s\",\"variants\":[", id, type, unit);
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
static bool has_queues(const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++)
        for (uint32_t k = 0; k < intern_count(p->view[i].queue_names); k++)
            if (p->view[i].queue[k].level[QUEUE_HELD].mean && p->view[i].queue[k].jobs > 0)
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
        if (p->view[i].heat_rows && !p->view[i].no_intervals && p->view[i].end_s > p->view[i].start_s)
            return true;
    return false;
}

static const struct {
    const char *id, *type, *unit, *title, *caption;
    bool (*there)(const struct page *p);
    figure_variants *variants;
} all[] = {
    { "utilisation", "time", "GPUs", "GPUs in use", "GPUs held by each queue, under the line of all there are.", has_time, figure_utilisation },
    { "waiting", "time", "", "Waiting", "How many jobs wait, and for how many GPUs.", has_time, figure_waiting },
    { "distributions", "cdf", "", "Distributions over jobs", "Of the jobs that ended, the share that took at most so long; the axis is logarithmic.",
      has_jobs, figure_distributions },
    { "quota", "time", "GPUs", "Quota and allocation", "What a queue held against its quota, what it asked for, and its fair share if the policy told it.",
      has_queues, figure_quotas },
    { "ledger", "bars", "GPU h", "Where GPU time went", "All GPU time, by account.", has_nodes, figure_ledger },
    { "reasons", "bars", "h", "Why jobs waited", "Hours that jobs waited, by queue and reason.", has_waits, figure_waits },
    { "nodes", "heat", "%", "Nodes", "Share of each node's GPUs that was held.", has_heat, figure_nodes },
    { "services", "time", "", "Inference services", "What services did; percentiles of longer steps are means of those of their minutes.", has_services, figure_services },
    { "sessions", "time", "sessions", "Interactive sessions", "How many sessions do what.", has_sessions, figure_sessions },
    { "power", "time", "W", "Power", "What all nodes drew.", has_power, figure_power },
};

void page_figures(struct output *o, const struct page *p)
{
    char width[HUMAN_MAX];
    bool first = true;
    out_text(o, "<section id=\"figures\">\n<h2>Figures</h2>\n<noscript><p class=\"note\">Figures need JavaScript; the tables do not.</p></noscript>\n");
    if (has_time(p))
        html_printf(o, "<p class=\"note script\">Over time each step is the mean over %s (a run is cut into %zu); curves are thinned to what can be seen. "
                       "Point at a figure for values, drag over it to zoom, choose in its legend what is shown.%s</p>\n",
                    human_time(width, p->steps.length_s / (double)p->steps.n), p->steps.n,
                    p->n_runs > p->n_groups ? " Of runs that differ in the seed the first is shown." : "");
    if (p->n_groups > p->n_views)
        html_printf(o, "<p class=\"note\">Of the %zu columns of the summary the first %zu have figures and tables of their own.</p>\n", p->n_groups, p->n_views);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].there(p))
            html_printf(o, "<figure id=\"figure-%s\" class=\"script\"><h3>%s</h3><div class=\"plot\"></div><figcaption>%s</figcaption></figure>\n",
                        all[i].id, all[i].title, all[i].caption);
    html_printf(o, "<script type=\"application/json\" id=\"data\">{\"length_s\":%.9g,\"figures\":[", p->steps.length_s);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].there(p)) {
            figure(o, &first, all[i].id, all[i].type, all[i].unit);
            all[i].variants(o, p);
            out_text(o, "]}");
        }
    out_text(o, "]}</script>\n</section>\n");
}
