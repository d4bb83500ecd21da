/* scopes.c - tables of each run: by queue, class and service, and waits by reason. */
#include "sim/cli/report/markup.h"
#include "sim/cli/report/page.h"
#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 100, COLUMNS_MAX = 12 };

struct column { const char *metric, *label, *unit; };
static const struct column of_jobs[] = {
    { "jobs_submitted", "jobs", "" },          { "gpu_h_held", "GPU h", "GPU h" },
    { "util_alloc", "of all GPUs", "" },
    { "wait_mean_s", "mean wait", "s" },       { "wait_p90_s", "p90 wait", "s" },
    { "jct_mean_s", "mean completion", "s" },
    { "bounded_slowdown_mean", "slowdown", "" }, { "preemptions", "preemptions", "" },
    { "quota_satisfaction", "quota met", "" },
    { NULL, NULL, NULL },
};
static const struct column of_services[] = {
    { "requests_arrived", "requests", "" },    { "slo_attainment", "kept the SLO", "" },
    { "latency_p50_s", "p50 latency", "s" },
    { "latency_p99_s", "p99 latency", "s" },   { "first_token_p99_s", "p99 first token", "s" },
    { "requests_dropped", "dropped", "" },
    { "replica_h", "replica h", "h" },         { "cold_starts", "cold starts", "" },
    { "replica_duty", "duty", "" },
    { NULL, NULL, NULL },
};
static const struct column of_sessions[] = {
    { "sessions", "sessions", "" },            { "session_start_p50_s", "p50 start", "s" },
    { "session_start_p90_s", "p90 start", "s" },
    { "session_slo_attainment", "started in time", "" }, { "sessions_abandoned", "abandoned", "" },
    { "sessions_culled", "culled", "" },
    { "session_gpu_h_held", "GPU h", "GPU h" }, { "session_gpu_h_idle", "idle GPU h", "GPU h" },
    { NULL, NULL, NULL },
};
static const struct kind { const char *scope, *caption; const struct column *column; } kinds[] = {
    { "queue", "By queue", of_jobs }, { "class", "By class", of_jobs }, { "service",
        "Inference services", of_services },
    { "queue", "Interactive sessions, by queue", of_sessions },
};

static bool any(const struct run_record *r, const struct column *column, const char *scope)
{
    for (; column->metric; column++) {
        const struct run_metric *m = run_metric_find(r, column->metric, scope);
        if (m && !isnan(m->value))
            return true;
    }
    return false;
}

static void scope_row(struct output *o, const struct run_record *r, const struct column *column,
                      const char *scope, const char *name)
{
    char text[VALUE_MAX];
    out_text(o, "<tr><th scope=\"row\">");
    html_text(o, *name ? name : "(none)");
    out_text(o, "</th>");
    for (size_t c = 0; column[c].metric; c++) {
        const struct run_metric *m = run_metric_find(r, column[c].metric, scope);
        out_text(o, "<td>");
        out_text(o, value_text(text, column[c].metric, column[c].unit, m ? m->value : (double)NAN));
        out_text(o, "</td>");
    }
    out_text(o, "</tr>\n");
}

bool record_has_quotas(const struct run_record *r)
{
    const struct run_metric *m = run_metric_find(r, "quota_satisfaction", "all");
    return m && !isnan(m->value);
}

/* The scopes of a kind with a value in some column, each once: metrics of services and sessions
 * stand apart from the others in summary.csv. */
static struct intern *scopes_of(const struct run_record *r, const struct kind *kind)
{
    struct intern *scopes = intern_new();
    size_t length = strlen(kind->scope);
    for (size_t i = 0; i < r->n; i++) {
        const char *scope = r->metric[i].scope;
        if (!strncmp(scope, kind->scope, length) && scope[length] == '=' &&
            any(r, kind->column, scope))
            intern_add(scopes, scope, strlen(scope));
    }
    return scopes;
}

/* Columns with a value in some row. */
static size_t columns_of(const struct run_record *r, const struct kind *kind,
                         const struct intern *scopes, struct column *to)
{
    size_t n = 0;
    for (const struct column *c = kind->column; c->metric; c++) {
        bool there = false;
        for (uint32_t k = 0; k < intern_count(scopes) && !there; k++) {
            const struct run_metric *m = run_metric_find(r, c->metric, intern_text(scopes, k));
            there = m && !isnan(m->value);
        }
        if (there && (strcmp(c->metric, "quota_satisfaction") != 0 || record_has_quotas(r)))
            to[n++] = *c;
    }
    to[n] = (struct column){ 0 };
    return n;
}

/* Returns the number of scopes. */
static size_t scope_table(struct output *o, const struct run_view *v, const struct kind *kind)
{
    struct column column[COLUMNS_MAX + 1];
    struct intern *scopes = scopes_of(v->record, kind);
    size_t n = intern_count(scopes), columns = columns_of(v->record, kind, scopes, column);
    if (n) {
        table_begin(o, kind->caption);
        out_printf(o, "<thead><tr><th scope=\"col\">%s</th>", kind->scope);
        for (size_t c = 0; c < columns; c++)
            out_printf(o, "<th scope=\"col\">%s</th>", column[c].label);
        out_text(o, "</tr></thead>\n<tbody>\n");
        for (uint32_t k = 0; k < n && k < ROWS_MAX; k++)
            scope_row(o, v->record, column, intern_text(scopes, k),
                      intern_text(scopes, k) + strlen(kind->scope) + 1);
        table_end(o);
    }
    if (n > ROWS_MAX)
        out_printf(o, "<p class=\"note\">The first %d of %zu; summary.csv has all.</p>\n",
                    ROWS_MAX, n);
    intern_free(scopes);
    return n;
}

static void run_heading(struct output *o, const struct page *p, const struct run_view *v)
{
    if (p->n_views == 1)
        return;
    out_text(o, "<h3>");
    html_text(o, v->label);
    out_text(o, "</h3>\n");
}

void page_scopes(struct output *o, const struct page *p)
{
    out_text(o, "<section id=\"queues\">\n<h2>Queues and classes</h2>\n");
    for (size_t i = 0; i < p->n_views; i++) {
        size_t n = 0;
        run_heading(o, p, &p->view[i]);
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            n += scope_table(o, &p->view[i], &kinds[k]);
        if (n == 0)
            out_text(o, "<p class=\"note\">No queue and no class has jobs.</p>\n");
    }
    out_text(o, "</section>\n");
}

/* ---- Waits ---- */

struct waiting { const struct queue_view *queue; const char *name; double total_s; };

static int longest_first(const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    return x->total_s != y->total_s ? (x->total_s < y->total_s) - (x->total_s > y->total_s)
                                    : strcmp(x->name, y->name);
}

static void hours(struct output *o, double s)
{
    char text[VALUE_MAX];
    out_text(o, "<td>");
    out_text(o, s == 0 ? "0" : value_text(text, "", "h", s / 3600));
    out_text(o, "</td>");
}

static void wait_row(struct output *o, const struct run_view *v, const char *name, double total_s,
                     const double *wait_s, const double *sum_s)
{
    out_text(o, "<tr><th scope=\"row\">");
    html_text(o, *name ? name : "(none)");
    out_text(o, "</th>");
    hours(o, total_s);
    for (size_t r = 0; r < v->reasons; r++)
        if (sum_s[r] > 0)
            hours(o, wait_s[r]);
    out_text(o, "</tr>\n");
}

static void wait_table(struct output *o, const struct run_view *v)
{
    size_t n = intern_count(v->queue_names), with_jobs = 0;
    struct waiting *list = mem_new(n + 1, sizeof *list);
    double sum_s[WAIT_REASONS_MAX] = { 0 }, total_s = 0;
    for (uint32_t k = 0; k < n; k++) {
        struct waiting w = { &v->queue[k], intern_text(v->queue_names, k), 0 };
        for (size_t r = 0; r < v->reasons; r++) {
            w.total_s += w.queue->wait_s[r];
            sum_s[r] += w.queue->wait_s[r];
        }
        total_s += w.total_s;
        if (w.queue->jobs > 0)
            list[with_jobs++] = w;
    }
    qsort(list, with_jobs, sizeof *list, longest_first);
    table_begin(o, "Hours that jobs waited, by queue and reason");
    out_text(o, "<thead><tr><th scope=\"col\">queue</th><th scope=\"col\">all</th>");
    for (size_t r = 0; r < v->reasons; r++)
        if (sum_s[r] > 0) {
            out_text(o, "<th scope=\"col\">");
            html_text(o, v->reason[r]);
            out_text(o, "</th>");
        }
    out_text(o, "</tr></thead>\n<tbody>\n");
    wait_row(o, v, "all queues", total_s, sum_s, sum_s);
    for (size_t k = 0; k < with_jobs && k < ROWS_MAX; k++)
        wait_row(o, v, list[k].name, list[k].total_s, list[k].queue->wait_s, sum_s);
    table_end(o);
    if (with_jobs > ROWS_MAX)
        out_printf(o, "<p class=\"note\">The %d queues that waited longest, of %zu.</p>\n",
                    ROWS_MAX, with_jobs);
    free(list);
}

static const struct { const char *reason, *meaning; } meanings[] = {
    { "order", "other jobs are ahead of it in the queue" }, { "limit",
                                                              "its queue is at its limit, or has spent its budget" },
    { "quota", "with it, its queue or one above would be over quota, and cannot borrow" },
    { "protected",
      "its queue is below its quota, but the jobs that hold GPUs cannot be preempted" }, { "gpus",
          "too few GPUs are free" },
    { "fragmented", "enough GPUs are free, but not together" }, { "topology",
                                                                  "no domain of its topology level has enough free GPUs" },
    { "type", "none of its GPU models is free or exists" }, { "gang",
                                                              "it holds some tasks, and lacks its minimum" },
    { "reserved", "it would delay a job with a reservation" }, { "releasing",
                                                                 "other jobs are still releasing its GPUs" },
    { "pass", "the next scheduling pass is not due yet" }, { "dependency",
                                                             "other jobs must end first" },
                                                             { "power",
                                                               "it would exceed a power cap" },
    { "other", "the policy gave no other reason" },
};

void page_waits(struct output *o, const struct page *p)
{
    out_text(o, "<section id=\"waits\">\n<h2>Why jobs waited</h2>\n");
    for (size_t i = 0; i < p->n_views; i++) {
        run_heading(o, p, &p->view[i]);
        if (p->view[i].no_jobs)
            out_text(o, "<p class=\"note\">Not known: there is no jobs.csv.</p>\n");
        else
            wait_table(o, &p->view[i]);
    }
    out_text(o, "<details><summary>What the reasons mean</summary><dl>\n");
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        out_printf(o, "<dt>%s</dt><dd>%s</dd>\n", meanings[i].reason, meanings[i].meaning);
    out_text(o, "</dl></details>\n</section>\n");
}
