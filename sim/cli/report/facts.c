/* facts.c - warnings about the runs of a page, and their configuration. */
#include "sim/cli/report/markup.h"
#include "sim/cli/report/page.h"

#include <stdio.h>
#include <string.h>

enum { UNLIKE_MAX = 4 };

/* ---- Warnings ---- */

static void warn_begin(struct output *o, size_t *n)
{
    out_text(o, (*n)++ ? "<li>" : "<section id=\"warnings\">\n<h2>Warnings</h2>\n<ul>\n<li>");
}

static void warn_run(struct output *o, const struct page *p, const struct run_view *v, size_t *n)
{
    warn_begin(o, n);
    if (p->n_views > 1) {
        out_text(o, "<b>");
        html_text(o, v->label);
        out_text(o, "</b>: ");
    }
}

static json_int_t count_of(const struct run_view *v, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(v->manifest, "counts"), key));
}

static void of_counts(struct output *o, const struct page *p, const struct run_view *v, size_t *n)
{
    static const struct { const char *key, *text; } odd[] = {
        { "skipped_rows", "rows of the trace were skipped: no job that ran" },
        { "rejected", "jobs were rejected, as they could never run or the policy refused them: no mean includes them" },
        { "deadlocked", "jobs held part of a gang and waited for the rest, forever" },
        { "never_started", "jobs never started, although all others were done: no mean includes them" },
        { "running", "jobs were still running at the end: no mean includes them" },
        { "pending", "jobs were still waiting at the end: no mean includes them" },
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        if (count_of(v, odd[i].key) > 0) {
            warn_run(o, p, v, n);
            out_integer(o, count_of(v, odd[i].key));
            out_printf(o, " %s.</li>\n", odd[i].text);
        }
}

static void of_notes(struct output *o, const struct page *p, const struct run_view *v, size_t *n)
{
    json_t *note;
    size_t i;
    json_array_foreach(json_object_get(v->manifest, "notes"), i, note)
    {
        warn_run(o, p, v, n);
        html_text(o, json_string_value(json_object_get(note, "text")));
        out_text(o, "</li>\n");
    }
}

static void of_files(struct output *o, const struct page *p, const struct run_view *v, size_t *n)
{
    const struct { bool missing; const char *name;
    } file[] = {
        { !(v->end_s > v->start_s), "timeseries.csv" },
        { v->no_jobs, "jobs.csv" },
        { v->no_queues, "queues.csv" },
        { v->no_nodes, "nodes.csv" },
        { v->no_intervals, "intervals.csv" },
    };
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++)
        if (file[i].missing) {
            warn_run(o, p, v, n);
            out_printf(
                o,
                "%s is missing or has no rows: figures and tables that need it are left out.</li>\n",
                file[i].name);
        }
}

/* The first line, other than the seed, in which the configuration of a column differs from that
 * of the first, and its section. */
struct difference { const char *here, *there, *section; };

static bool differ(const struct page *p, size_t i, struct difference *d)
{
    const char *x = p->group[0].run[0]->circumstances, *y = p->group[i].run[0]->circumstances,
               *section = "";
    while (*x && *y) {
        size_t k = strcspn(x, "\n"), m = strcspn(y, "\n");
        if (*x != ' ')
            section = x;
        *d = (struct difference){ y, x, *x == ' ' ? section : "" };
        if (strncmp(x, "seed:", 5) != 0 && (k != m || strncmp(x, y, k) != 0))
            return true;
        x += k + (x[k] == '\n');
        y += m + (y[m] == '\n');
    }
    return false;
}

static void line_of(struct output *o, const char *text)
{
    html_bytes(o, text, strcspn(text, "\n"));
}

static void of_circumstances(struct output *o, const struct page *p, size_t i,
                             const struct difference *d, size_t *n)
{
    warn_begin(o, n);
    out_text(o, "<b>");
    html_text(o, p->group[i].label);
    out_text(o, "</b> did not run under the circumstances of <b>");
    html_text(o, p->group[0].label);
    out_text(o, "</b>: <code>");
    line_of(o, d->section);
    line_of(o, d->here);
    out_text(o, "</code> instead of <code>");
    line_of(o, d->there);
    out_text(o, "</code>.</li>\n");
}

/* Columns with circumstances that differ from those of the first column; the first few by name. */
static void unlike(struct output *o, const struct page *p, size_t *n)
{
    size_t others = 0;
    for (size_t i = 1; i < p->n_groups; i++) {
        struct difference d;
        if (!differ(p, i, &d))
            continue;
        if (*n < UNLIKE_MAX)
            of_circumstances(o, p, i, &d, n);
        else
            others++;
    }
    if (others) {
        warn_begin(o, n);
        out_printf(o, "Nor did %zu other column%s.</li>\n", others, others == 1 ? "" : "s");
    }
}

void page_warnings(struct output *o, const struct page *p)
{
    size_t n = 0;
    if (!p->sweep)
        unlike(o, p, &n);
    for (size_t i = 0; i < p->columns->n_failed; i++) {
        warn_begin(o, &n);
        html_text(o, p->columns->failed[i]);
        out_text(o, ".</li>\n");
    }
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        if (json_is_true(json_object_get(v->manifest, "clairvoyant"))) {
            warn_run(o, p, v, &n);
            out_text(o, "the policy was clairvoyant: it knew the true run times.</li>\n");
        }
        of_counts(o, p, v, &n);
        of_notes(o, p, v, &n);
        of_files(o, p, v, &n);
    }
    if (n)
        out_text(o, "</ul>\n</section>\n");
}

/* ---- Configuration ---- */

static void fact(struct output *o, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    out_printf(o, "<dt>%s</dt><dd>", name);
    html_text(o, value);
    out_text(o, "</dd>\n");
}

static const char *text_of(const struct run_view *v, const char *object, const char *key)
{
    return json_string_value(json_object_get(json_object_get(v->manifest, object), key));
}

static void of_run(struct output *o, const struct run_view *v, bool open)
{
    const json_t *m = v->manifest;
    char seed[32];
    snprintf(seed, sizeof seed, "%lld", (long long)v->record->seed);
    out_printf(o, "<details%s><summary>", open ? " open" : "");
    html_text(o, v->label);
    out_text(o, "</summary>\n<dl>\n");
    fact(o, "results", v->path);
    fact(o, "policy", json_string_value(json_object_get(m, "policy_text")));
    fact(o, "placement", json_string_value(json_object_get(m, "placement_text")));
    fact(o, "seed", seed);
    fact(o, "cluster", text_of(v, "cluster", "path"));
    fact(o, "its SHA-256", text_of(v, "cluster", "sha256"));
    fact(o, "trace", text_of(v, "trace", "path"));
    fact(o, "its format", text_of(v, "trace", "format"));
    fact(o, "its SHA-256", text_of(v, "trace", "sha256"));
    fact(o, "gpuyard", json_string_value(json_object_get(m, "version")));
    fact(o, "commit", json_string_value(json_object_get(m, "commit")));
    fact(o, "compiler", json_string_value(json_object_get(m, "compiler")));
    out_text(o, "</dl>\n<pre tabindex=\"0\">");
    html_text(o, json_string_value(json_object_get(m, "configuration")));
    out_text(o, "</pre></details>\n");
}

void page_configuration(struct output *o, const struct page *p)
{
    out_text(o, "<section id=\"configuration\">\n<h2>Configuration</h2>\n");
    for (size_t i = 0; i < p->n_views; i++)
        of_run(o, &p->view[i], p->n_views == 1);
    out_text(o, "</section>\n");
}
