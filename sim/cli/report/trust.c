/* trust.c - each run of a log against the run of that log by policy recorded, as `gpuyard validate`
 * holds it: the verdict, waits side by side, the measures with their bounds, errors by group. */
#include "sim/cli/frame/term.h"
#include "sim/cli/report/markup.h"
#include "sim/cli/report/page.h"

#include <math.h>
#include <string.h>

#define BLOCK_S 86400.0           /* of the bootstrap, and its seed: those of `gpuyard validate` */
enum { SEED = 1 };

/* ---- Which runs ---- */

static const char *trace_of(const struct run_view *v)
{
    const char *sha256 =
        json_string_value(json_object_get(json_object_get(v->manifest, "trace"), "sha256"));
    return sha256 ? sha256 : "";
}

static bool is_record(const struct run_view *v)
{
    const char *policy = json_string_value(json_object_get(v->manifest, "policy"));
    return policy && !strcmp(policy, "recorded");
}

static const struct run_view *record_of(const struct page *p, const struct run_view *run)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (is_record(&p->view[i]) && *trace_of(run) &&
            !strcmp(trace_of(&p->view[i]), trace_of(run)))
            return &p->view[i];
    return NULL;
}

void page_trust_read(struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *run = &p->view[i], *record = record_of(p, run);
        if (!record || is_record(run) || record->no_jobs || run->no_jobs)
            continue;
        struct page_trust *t = &p->trust[p->n_trust++];
        t->run = run;
        if (pairs_read(&t->pairs, record->path, run->path, &t->why) == 0)
            t->validation = validation_of(&t->pairs, record->path, run->path, BLOCK_S, SEED);
    }
}

void page_trust_free(struct page *p)
{
    for (size_t i = 0; i < p->n_trust; i++) {
        validation_free(p->trust[i].validation);
        pairs_free(&p->trust[i].pairs);
    }
}

/* ---- Tables ---- */

static void time_cell(struct output *o, double seconds)
{
    char text[VALUE_MAX];
    out_printf(o, "<td>%s</td>", value_text(text, "", "s", seconds));
}

static void time_row(struct output *o, const char *name, double was_s, double is_s)
{
    out_printf(o, "<tr><th scope=\"row\">%s</th>", name);
    time_cell(o, was_s);
    time_cell(o, is_s);
    out_text(o, "</tr>\n");
}

static void waits(struct output *o, const struct validation *v)
{
    table_begin(o, "Waits until the first start");
    out_text(o, "<thead><tr><th scope=\"col\"></th><th scope=\"col\">recorded</th>"
                "<th scope=\"col\">simulated</th></tr></thead>\n<tbody>\n");
    time_row(o, "mean", v->all.was_mean_s, v->all.is_mean_s);
    for (size_t i = 0; i < QUANTILES_TOLD; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.3g %% wait at most", 100 * v->quantile[i].p);
        time_row(o, name, v->quantile[i].was_s, v->quantile[i].is_s);
    }
    if (v->hours)
        out_printf(o,
                   "<tr><th scope=\"row\">GPUs in use</th><td>%.3g %%</td><td>%.3g %%</td></tr>\n",
                   100 * v->was_share, 100 * v->is_share);
    table_end(o);
}

static void measures(struct output *o, const struct validation *v)
{
    struct validation_measure m[VALIDATION_MEASURES];
    validation_measures(v, m);
    table_begin(o, "How far they agree");
    out_text(o, "<thead><tr><th scope=\"col\">measure</th><th scope=\"col\">value</th>"
                "<th scope=\"col\">bounds of 95 %</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < VALIDATION_MEASURES; i++) {
        const char *blank = *m[i].unit ? " " : "";
        out_printf(o, "<tr><th scope=\"row\">%s</th><td>%.3g%s%s</td><td>", m[i].name,
                   m[i].at.value, blank, m[i].unit);
        if (m[i].bounded)
            out_printf(o, "%.3g to %.3g%s%s", m[i].at.bounds.low, m[i].at.bounds.high, blank,
                       m[i].unit);
        out_text(o, "</td></tr>\n");
    }
    if (v->hours)
        out_printf(o,
                   "<tr><th scope=\"row\">GPUs in use, error by hour</th><td>%.3g points</td>"
                   "<td></td></tr>\n",
                   100 * v->hour_error);
    table_end(o);
}

static void group(struct output *o, const struct wait_groups *g, const char *by)
{
    char caption[64];
    snprintf(caption, sizeof caption, "Mean waits by %s", by);
    table_begin_sortable(o, caption);
    out_printf(o, "<thead><tr><th scope=\"col\">%s</th>", by);
    out_text(o, "<th scope=\"col\">jobs</th><th scope=\"col\">recorded</th>"
                "<th scope=\"col\">simulated</th><th scope=\"col\">error</th></tr></thead>\n"
                "<tbody>\n");
    for (size_t i = 0; i < g->n; i++) {
        const struct wait_group *x = &g->group[i];
        const double time_s[] = { x->was_mean_s, x->is_mean_s, x->error_s };
        out_text(o, "<tr><th scope=\"row\">");
        html_text(o, *x->name ? x->name : "(none)");
        out_printf(o, "</th><td data-value=\"%zu\">%zu</td>", x->jobs, x->jobs);
        for (size_t k = 0; k < sizeof time_s / sizeof *time_s; k++) {
            char text[VALUE_MAX];
            out_printf(o, "<td data-value=\"%.9g\">%s</td>", time_s[k],
                       value_text(text, "", "s", time_s[k]));
        }
        out_text(o, "</tr>\n");
    }
    table_end(o);
}

/* ---- The section ---- */

static void run(struct output *o, const struct page_trust *t)
{
    const struct validation *v = t->validation;
    char line[SENTENCE_MAX], block[HUMAN_MAX];
    out_text(o, "<h3>");
    html_text(o, t->run->label);
    out_text(o, "</h3>\n<p class=\"verdict\">");
    html_text(o, v ? validation_sentence(line, v) : t->why.text);
    out_text(o, "</p>\n");
    if (!v)
        return;
    waits(o, v);
    measures(o, v);
    out_printf(o,
               "<p class=\"note\">Of %zu jobs in %zu blocks of %s that a bootstrap draws; %zu jobs "
               "started in the record alone, %zu in the simulation alone.</p>\n",
               v->all.pairs, v->all.blocks, human_time(block, v->all.block_s), v->only_recorded,
               v->only_simulated);
    out_text(o, "<details><summary>By size, queue and hour of submission</summary>\n");
    group(o, &v->groups[BY_SIZE], "GPUs of the job");
    group(o, &v->groups[BY_QUEUE], "queue");
    group(o, &v->groups[BY_HOUR], v->dated ? "hour of submission, UTC" : "hour of submission");
    out_text(o, "</details>\n");
}

void page_trust(struct output *o, const struct page *p)
{
    out_text(o, "<section id=\"trust\">\n<h2>Against the record</h2>\n"
                "<p>Waits of each job against those that its log says, as <code>gpuyard validate"
                "</code> tells them.</p>\n");
    for (size_t i = 0; i < p->n_trust; i++)
        run(o, &p->trust[i]);
    out_text(o, "</section>\n");
}
