/* worst.c - the jobs of each run that waited longest, and what happened to them, from the stories of
 * `gpuyard explain`. A story reads the result files anew: of large runs the page names the command. */
#include "sim/cli/explain/explain.h"
#include "sim/cli/explain/paragraph.h"
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/report/markup.h"
#include "sim/cli/report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STORIES_MAX = 10, STORY_JOBS_MAX = 100000, STEPS_OF_STORY = 30, DATE_MAX = 64 };

/* A time of the trace: the date if the trace has dates. */
static const char *moment(char to[DATE_MAX], const struct run_view *v, double s)
{
    double origin = manifest_origin_s(v->manifest);
    time_t at = (time_t)floor((isnan(origin) ? 0 : origin) + s);
    struct tm date;
    if (isnan(s))
        snprintf(to, DATE_MAX, "-");
    else if (!isnan(origin) && gmtime_r(&at, &date))
        strftime(to, DATE_MAX, "%Y-%m-%d %H:%M:%S UTC", &date);
    else
        snprintf(to, DATE_MAX, "%.0f s", s);
    return to;
}

/* ---- A story ---- */

static void duration_of(struct output *o, double s)
{
    char text[HUMAN_MAX];
    out_text(o, human_time(text, s));
}

static void story_waits(struct output *o, const json_t *story)
{
    const json_t *part;
    size_t i;
    out_text(o, "<p>It waited ");
    duration_of(o, story_number(story, "wait_s"));
    json_array_foreach(json_object_get(story, "waits"), i, part)
    {
        out_text(o, i ? "; " : ": ");
        duration_of(o, story_number(part, "s"));
        out_text(o, " because ");
        html_text(o, story_text(part, "because"));
    }
    out_text(o, ".</p>\n");
}

static void story_run(struct output *o, const struct run_view *v, const json_t *run)
{
    char when[DATE_MAX];
    const json_t *place;
    size_t i;
    out_printf(o, "<li>%s: on node", moment(when, v, story_number(run, "start_s")));
    json_array_foreach(json_object_get(run, "places"), i, place)
    {
        out_text(o, i ? ", " : " ");
        html_text(o, story_text(place, "node"));
    }
    out_text(o, " for ");
    duration_of(o, story_number(run, "end_s") - story_number(run, "start_s"));
    if (*story_text(run, "ended_as")) {
        out_text(o, ": ");
        html_text(o, story_text(run, "ended_as"));
    }
    if (*story_text(run, "stopped_for")) {
        out_text(o, " for job ");
        html_text(o, story_text(run, "stopped_for"));
        out_text(o, " of queue ");
        html_text(o, story_text(run, "for_queue"));
    }
    out_text(o, "</li>\n");
}

static void story_of(struct output *o, const struct run_view *v, const struct worst_job *w,
                     const json_t *story)
{
    char when[DATE_MAX];
    const json_t *run, *runs = json_object_get(story, "runs");
    size_t i;
    out_printf(o, "<p>%.10g GPU%s, submitted at %s.</p>\n", w->gpus, plural_ending(w->gpus),
                moment(when, v, w->submit_s));
    story_waits(o, story);
    out_text(o, "<ul>\n");
    json_array_foreach(runs, i, run)
    {
        if (i < STEPS_OF_STORY)
            story_run(o, v, run);
    }
    if (json_array_size(runs) > STEPS_OF_STORY)
        out_printf(o, "<li>and %zu more</li>\n", json_array_size(runs) - STEPS_OF_STORY);
    out_text(o, "</ul>\n<p>");
    html_text(o, story_text(story, "state"));
    if (!isnan(story_number(story, "end_s")))
        out_printf(o, " at %s", moment(when, v, story_number(story, "end_s")));
    out_text(o, ".</p>\n");
}

static void story_command(struct output *o, const struct run_view *v, const char *job)
{
    out_text(o, "<p class=\"note\"><code>gpuyard explain ");
    html_text(o, v->path);
    out_char(o, ' ');
    html_text(o, job);
    out_text(o, "</code> tells all of it.</p>\n");
}

static bool has_story(const struct run_view *v, size_t k)
{
    return k < STORIES_MAX && v->jobs <= STORY_JOBS_MAX;
}

static void stories(struct output *o, size_t view, const struct run_view *v)
{
    for (size_t k = 0; k < v->n_worst && has_story(v, k); k++) {
        const struct worst_job *w = &v->worst[k];
        struct error err = { "" };
        json_t *story = explain_job(v->path, w->name, &err);
        out_printf(o, "<details class=\"story\" id=\"story-%zu-%zu\"><summary>job ", view, k);
        html_text(o, w->name);
        out_text(o, " of queue ");
        html_text(o, *w->queue ? w->queue : "(none)");
        out_text(o, "</summary>\n");
        if (story)
            story_of(o, v, w, story);
        story_command(o, v, w->name);
        out_text(o, "</details>\n");
        json_decref(story);
    }
    if (v->jobs > STORY_JOBS_MAX && v->n_worst)
        story_command(o, v, "JOB");
}

/* ---- The table ---- */

static void cell(struct output *o, const char *unit, double value)
{
    char text[VALUE_MAX];
    if (isnan(value))
        out_text(o, "<td data-value=\"\">-</td>");
    else
        out_printf(o, "<td data-value=\"%.9g\">%s</td>", value, value_text(text, "", unit, value));
}

static void job_row(struct output *o, size_t view, const struct run_view *v, size_t k)
{
    const struct worst_job *w = &v->worst[k];
    char when[DATE_MAX];
    out_text(o, "<tr><th scope=\"row\">");
    if (has_story(v, k))
        out_printf(o, "<a href=\"#story-%zu-%zu\">", view, k);
    html_text(o, w->name);
    out_text(o, has_story(v, k) ? "</a></th><td>" : "</th><td>");
    html_text(o, *w->queue ? w->queue : "(none)");
    out_text(o, "</td>");
    cell(o, "", w->gpus);
    out_printf(o, "<td data-value=\"%.9g\">%s</td>", w->submit_s, moment(when, v, w->submit_s));
    cell(o, "s", w->wait_s);
    out_text(o, "<td>");
    html_text(o, w->reason < v->reasons ? v->reason[w->reason] : "-");
    out_text(o, "</td>");
    cell(o, "s", w->jct_s);
    cell(o, "", w->slowdown);
    cell(o, "", w->preemptions);
    out_text(o, "</tr>\n");
}

static void run_table(struct output *o, size_t view, const struct run_view *v)
{
    static const char *const head[] = { "job", "queue", "GPUs", "submitted", "wait", "mostly because of",
                                        "completion time", "slowdown", "preemptions" };
    if (!v->n_worst) {
        out_text(o, v->no_jobs ? "<p class=\"note\">Not known: there is no jobs.csv.</p>\n"
                               : "<p class=\"note\">No job waited.</p>\n");
        return;
    }
    table_begin_sortable(o, "The jobs, replicas of services and sessions that waited longest");
    out_text(o, "<thead><tr>");
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        out_printf(o, "<th scope=\"col\">%s</th>", head[i]);
    out_text(o, "</tr></thead>\n<tbody>\n");
    for (size_t k = 0; k < v->n_worst; k++)
        job_row(o, view, v, k);
    table_end(o);
    stories(o, view, v);
}

void page_worst(struct output *o, const struct page *p)
{
    out_text(o, "<section id=\"worst\">\n<h2>Longest waits</h2>\n");
    for (size_t i = 0; i < p->n_views; i++) {
        if (p->n_views > 1) {
            out_text(o, "<h3>");
            html_text(o, p->view[i].label);
            out_text(o, "</h3>\n");
        }
        run_table(o, i, &p->view[i]);
    }
    out_text(o, "</section>\n");
}
