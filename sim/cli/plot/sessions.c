/* sessions.c - interactive sessions: what they do over time, how long they took to start, and how
 * they ended. On a terminal the last two are text under the legend. */
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/bands.h"
#include "sim/cli/plot/distributions.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const outcomes[] = {
    "closed", "culled", "expired", "abandoned", "lost", "open"
};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes, P99_FROM = 1000 };
static const double marked[] = { 50, 90, 99 };
enum { MARKED = sizeof marked / sizeof *marked };
static const struct distribution_style style = {
    "time_to_start_s", "time_to_start_s,percent", START_BELOW, false, false, "session",
    "never started",   false,
};

/* Of one run. */
struct ends {
    struct distribution *starts;
    const struct window *window; /* sessions that were asked for in it */
    size_t rows, decided, met, releases, preemptions, ended[OUTCOMES];
    double active_gpu_s, idle_gpu_s, held_gpu_s;
};
struct sessions {
    const struct plot_request *r;
    struct figure *f;
    struct ends *of;
    double least_s;
}; /* least: where the axis of starts begins */

enum { OUTCOME, MET, RELEASES, PREEMPTIONS, STARTING, ACTIVE, IDLE, START, SUBMIT };

static double known(double x)
{
    return isnan(x) ? 0 : x;
}

static void on_session(void *self, const struct fields *f)
{
    struct ends *e = self;
    const double *x = f->number;
    if ((e->window->has_from && x[SUBMIT] < e->window->from_s) ||
        (e->window->has_to && x[SUBMIT] >= e->window->to_s))
        return;
    e->rows++;
    if (isnan(x[START]))
        e->starts->missing++;
    else
        sample_add(&e->starts->sample, x[START]);
    for (size_t k = 0; k < OUTCOMES; k++)
        if (!strcmp(f->text[OUTCOME], outcomes[k]))
            e->ended[k]++;
    e->decided += isnan(x[MET]) ? 0u : 1u;
    e->met += x[MET] > 0 ? 1u : 0u;
    e->releases += (size_t)known(x[RELEASES]);
    e->preemptions += (size_t)known(x[PREEMPTIONS]);
    e->active_gpu_s += known(x[ACTIVE]);
    e->idle_gpu_s += known(x[IDLE]);
    e->held_gpu_s += known(x[STARTING]) + known(x[ACTIVE]) + known(x[IDLE]);
}

static int read_sessions(struct sessions *s, struct distribution *starts, struct error *err)
{
    static const char *const columns[] = { "$outcome",    "slo_met",         "releases",
                                           "preemptions", "starting_gpu_s",  "active_gpu_s",
                                           "idle_gpu_s",  "time_to_start_s", "?submit_s", NULL };
    for (size_t i = 0; i < s->r->n; i++) {
        s->of[i].starts = &starts[i];
        s->of[i].window = &s->r->window;
        if (rows_read(s->r->run[i].path, "sessions.csv", columns, on_session, &s->of[i], err))
            return -1;
        if (!s->of[i].rows)
            return error_set(err, "%s/sessions.csv: no rows%s", s->r->run[i].path,
                             s->r->window.has_from || s->r->window.has_to
                                 ? " between --from and --to"
                                 : "");
    }
    return 0;
}

/* ---- Text ---- */

static const char *joined(struct arena *a, const char *text, const char *between, const char *more)
{
    return words(a, "%s%s%s", text, *text ? between : "", more);
}

static const char *times(struct arena *a, size_t n, const char *what)
{
    return n == 1 ? words(a, "%s once", what) : words(a, "%s %s times", what, commas(a, (double)n));
}

/* The 99th percentile of at least a thousand, as in summary.csv. */
static const char *starts_text(struct arena *a, const struct ends *e)
{
    const char *text = "";
    const struct sample *starts = &e->starts->sample;
    for (size_t k = 0; k < MARKED && starts->n; k++)
        if (marked[k] < 99 || starts->n >= P99_FROM)
            text = joined(a, text, ", ",
                          words(a, "P%.0f %s", marked[k],
                                human(a, sample_quantile(starts, marked[k] / 100))));
    if (e->preemptions)
        text = joined(a, text, "; ", times(a, e->preemptions, "lost GPUs"));
    if (e->releases)
        text = joined(a, text, "; ", times(a, e->releases, "gave GPUs back"));
    return text;
}

static const char *panel_title(const struct sessions *s, size_t i)
{
    struct arena *a = figure_memory(s->f);
    const struct ends *e = &s->of[i];
    bool terminal = s->r->canvas.format == PLOT_TERM;
    const char *label = s->r->run[i].label;
    const char *text =
        words(a, "%s: %s %s", label, commas(a, (double)e->rows),
              e->rows == 1 ? "session" : "sessions");
    if (e->decided)
        text = words(a, "%s, %s started in time", text,
                     percent(a, (double)e->met / (double)e->decided));
    if (e->held_gpu_s > 0 && !terminal && !s->r->canvas.paper.untitled)
        text = words(a, "%s; active %s of %s GPU h held, idle %s", text,
                     percent(a, e->active_gpu_s / e->held_gpu_s), commas(a, e->held_gpu_s / 3600),
                     percent(a, e->idle_gpu_s / e->held_gpu_s));
    return text;
}

/* Lines of words after six blanks; the second line on, two more. */
static void put_paragraph(FILE *to, const char *text, size_t wide)
{
    size_t used = 0;
    for (const char *at = text; *at;) {
        size_t bytes = strcspn(at, " ");
        char *word = mem_text(at, bytes);
        bool breaks = used && used + 1 + text_width(word) > wide;
        if (breaks)
            putc('\n', to);
        if (breaks || at == text)
            used = (size_t)fprintf(to, "      %s", breaks ? "  " : "") - 6;
        else
            used += (size_t)fprintf(to, " ");
        fputs(word, to);
        used += text_width(word);
        free(word);
        at += bytes + strspn(at + bytes, " ");
    }
    putc('\n', to);
}

static void put_run(const struct sessions *s, size_t i, const char *starts)
{
    struct arena *a = figure_memory(s->f);
    const struct ends *e = &s->of[i];
    const char *ends = "";
    for (size_t k = 0; k < OUTCOMES; k++)
        if (e->ended[k])
            ends = joined(a, ends, ", ",
                          words(a, "%s %s", commas(a, (double)e->ended[k]), outcomes[k]));
    const char *text =
        words(a, "%s: %s%s%s%s", name_clean(a, s->r->run[i].label, INT_MAX),
              e->starts->sample.n ? "time to start " : "", starts, *starts ? "; " : "", ends);
    if (e->held_gpu_s > 0)
        text = words(a, "%s; active %s of %s GPU h held", text,
                     percent(a, e->active_gpu_s / e->held_gpu_s), commas(a, e->held_gpu_s / 3600));
    put_paragraph(figure_legend(s->f), text, (size_t)s->r->canvas.columns - 8);
}

/* ---- Tables ---- */

static void draw_marks(const struct sessions *s, size_t i)
{
    struct table *t = figure_table(s->f, "x,mark,quantile_s,quantile_percent", "marks%zu", i + 1);
    const struct sample *starts = &s->of[i].starts->sample;
    table_label(t, "run", s->r->run[i].label);
    for (size_t k = 0; k < MARKED && starts->n; k++) {
        double at = sample_quantile(starts, marked[k] / 100);
        table_numbers(t, 4, (double[]){ fmax(at, s->least_s), marked[k], at, marked[k] });
    }
}

static bool happened(const struct sessions *s, size_t outcome)
{
    bool any = false;
    for (size_t i = 0; i < s->r->n; i++)
        any = any || s->of[i].ended[outcome];
    return any;
}

static void draw_bars(const struct sessions *s, size_t i)
{
    struct arena *a = figure_memory(s->f);
    struct table *t = figure_table(s->f, "row,sessions,text,outcome", "bars%zu", i + 1);
    double runs = (double)s->r->n, row = 0,
           shift = runs > 1 ? ((double)i + 1 - (runs + 1) / 2) * 0.8 / runs : 0;
    table_label(t, "run", s->r->run[i].label);
    for (size_t k = 0; k < OUTCOMES; k++) {
        double n = (double)s->of[i].ended[k];
        if (!happened(s, k))
            continue;
        table_numbers(t, 2, (double[]){ ++row + shift, n });
        table_text(t, n > 0
                          ? words(a, "%s (%s)", commas(a, n), percent(a, n / (double)s->of[i].rows))
                          : "0");
        table_text(t, outcomes[k]);
    }
}

static void draw_run(const struct sessions *s, size_t i, size_t *widest)
{
    struct figure *f = s->f;
    const char *starts = starts_text(figure_memory(f), &s->of[i]), *title = panel_title(s, i);
    size_t curve = text_width(distribution_title(s->r, &style, s->of[0].starts, i, f)) +
                   text_width(starts) + 2;
    draw_marks(s, i);
    draw_bars(s, i);
    *widest = text_width(title) > *widest ? text_width(title) : *widest;
    *widest = curve > *widest ? curve : *widest;
    fact_text(f, title, "panel%zu", i + 1);
    fact(f, (double)s->of[i].starts->sample.n, "started%zu", i + 1);
    fact_text(f, starts, "starts%zu", i + 1);
    if (s->r->canvas.format == PLOT_TERM)
        put_run(s, i, starts);
}

static void draw(struct sessions *s)
{
    size_t widest = 0, rows = 0, most = 0;
    bool any_started = false;
    for (size_t i = 0; i < s->r->n; i++) {
        draw_run(s, i, &widest);
        any_started = any_started || s->of[i].starts->sample.n;
        for (size_t k = 0; k < OUTCOMES; k++)
            most = s->of[i].ended[k] > most ? s->of[i].ended[k] : most;
    }
    for (size_t k = 0; k < OUTCOMES; k++)
        if (happened(s, k))
            fact_text(s->f, outcomes[k], "ended%zu", ++rows);
    fact(s->f, (double)rows, "rows");
    fact(s->f, (double)most, "most_ended");
    fact(s->f, any_started, "any_started");
    fact(s->f, (double)widest, "widest");
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct distribution *starts = mem_new(r->n, sizeof *starts);
    struct sessions s = { .r = r, .f = f, .of = mem_new(r->n, sizeof *s.of) };
    double over_s = 0;
    int result = bands_draw(k, r, &bands_of_sessions, f, &over_s, err);
    if (result == 0)
        result = read_sessions(&s, starts, err);
    if (result == 0) {
        s.least_s = distributions_draw(r, &style, starts, f);
        draw(&s);
        fact(f, over_s, "over_s");
    }
    distributions_free(starts, r->n);
    free(s.of);
    return result;
}

const struct kind sessions_kind = {
    .name = "sessions",
    .one_seed = true,
    .over_time = true,
    .paper_least = 600,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "sessions.csv", "timeseries.csv:sessions_active" },
    .columns = "run,band,time_s,value,top,time_to_start_s,percent,quantile_s,quantile_percent,"
               "outcome,sessions",
    .script = "sessions.gp",
    .make = make,
};
