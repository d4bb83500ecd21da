/* quota.c - each queue's allocation against its deserved quota and its fair share, a panel a queue;
 * on a terminal text.
 *
 * Queues stand in the order of summary.csv, which has those with jobs, and those above them, by the
 * cluster file. Of more than fifteen those with the most demand are shown. The deserved quota is
 * that of queues.csv at each time; before the first row of a queue it is that of the row. Where no
 * queue has a quota the kind is not among all plots of a run; asked for by name it shows what
 * queues held and asked for, without a line.
 *
 * A panel is as high as what its queue held, its quota and its fair share. What a queue asked for
 * beyond that is cut off, and the figure says so. */
#include "sim/base/intern.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MOST = 15, LINES_MOST = 600, STEPS = 720, CELL_ROWS = 6 };
#define PANEL_ROOM 1.25 /* of a picture: the height of a panel over `most` (quota.gp) */
#define CUT_WORDS "what is asked for above a panel is cut off"
enum level { WITHIN, HELD, ASKED, FAIR, QUOTA, LEVELS };
struct queue {
    const char *name;
    bool listed;                          /* in summary.csv */
    double deserved;                      /* GPUs, at last; NaN: it has no quota */
    double satisfaction;                  /* NaN: not known */
    double demand, demand_since_s, asked; /* GPUs; seconds; GPUs x seconds */
    size_t panel;                         /* from 1; 0: not shown */
    struct series level[LEVELS];
    bool fair;   /* a policy told its fair share */
    bool told;   /* a row of queues.csv was read for its levels */
    double most; /* of the quota, what it held and its fair share */
    bool cut;    /* the panel is lower than what it asked for */
};
struct quotas {
    const struct plot_request *r;
    struct figure *f;
    struct time_axis axis;
    struct intern *names;
    struct queue *queue;
    size_t capacity, n; /* n: with jobs, or above them */
    size_t panels;
    uint32_t panel[PANELS_MOST];
};

static struct queue *queue_of(struct quotas *q, const char *name)
{
    uint32_t known = intern_count(q->names), at = intern_add(q->names, name, strlen(name));
    if (at == known) {
        mem_grow(&q->queue, &q->capacity, at, sizeof *q->queue);
        q->queue[at] = (struct queue){ .name = intern_text(q->names, at),
                                       .deserved = (double)NAN,
                                       .satisfaction = (double)NAN };
    }
    return &q->queue[at];
}

/* ---- Which queues ---- */

static void on_metric(void *self, const struct fields *f)
{
    struct quotas *q = self;
    if (strncmp(f->text[1], "queue=", 6) != 0)
        return;
    struct queue *queue = queue_of(q, f->text[1] + 6);
    q->n += !queue->listed;
    queue->listed = true;
    if (!strcmp(f->text[0], "quota_satisfaction"))
        queue->satisfaction = f->number[2];
}

static void on_demand(void *self, const struct fields *f)
{
    struct quotas *q = self;
    struct queue *queue = queue_of(q, f->text[1]);
    double now = fmin(time_axis_at(&q->axis, f->number[0]), q->axis.length_s);
    queue->asked += queue->demand * (now - queue->demand_since_s);
    queue->demand = isnan(f->number[4]) ? 0 : f->number[4];
    queue->demand_since_s = now;
    queue->deserved = f->number[3];
}

static void choose_panels(struct quotas *q)
{
    uint32_t *order = mem_new(intern_count(q->names), sizeof *order);
    size_t n = 0;
    for (uint32_t k = 0; k < intern_count(q->names); k++) {
        size_t at = n;
        if (!q->queue[k].listed)
            continue;
        for (; at > 0 && q->queue[order[at - 1]].asked < q->queue[k].asked; at--)
            order[at] = order[at - 1];
        order[at] = k;
        n++;
    }
    for (size_t i = 0; i < n && i < PANELS_MOST; i++)
        q->queue[order[i]].panel = 1;
    for (uint32_t k = 0; k < intern_count(q->names); k++)
        if (q->queue[k].panel) {
            q->panel[q->panels++] = k;
            q->queue[k].panel = q->panels;
        }
    free(order);
}

/* ---- Their levels ---- */

static void on_levels(void *self, const struct fields *f)
{
    struct quotas *q = self;
    struct queue *queue = queue_of(q, f->text[1]);
    double held = f->number[2], at_s = time_axis_at(&q->axis, f->number[0]);
    if (!queue->panel)
        return;
    const double value[LEVELS] = { held > f->number[3] ? f->number[3] : held, held, f->number[4],
                                   f->number[5], f->number[3] };
    if (!queue->told)
        series_set(&queue->level[QUOTA], &q->axis.steps, 0, f->number[3]);
    queue->told = true;
    for (size_t k = 0; k < LEVELS; k++)
        if (!isnan(value[k]))
            series_set(&queue->level[k], &q->axis.steps, at_s, value[k]);
    queue->fair = queue->fair || !isnan(f->number[5]);
}

static int read_all(struct quotas *q, const struct kind *k, struct error *err)
{
    static const char *const metrics[] = { "$metric", "$scope", "value", NULL };
    static const char *const columns[] = {
        "time_s",          "$queue", "gpus_allocated", "gpus_deserved", "gpus_demand",
        "gpus_fair_share", NULL
    };
    const char *path = q->r->run[0].path;
    if (time_axis_read(&q->axis, k, q->r, err) ||
        rows_read(path, "summary.csv", metrics, on_metric, q, err) ||
        rows_read(path, "queues.csv", columns, on_demand, q, err))
        return -1;
    choose_panels(q);
    if (!q->panels)
        return error_set(err, "%s/queues.csv: no queue with jobs", path);
    size_t across = q->panels <= 3 ? 1 : q->panels <= 8 ? 2 : 3;
    fact(q->f, (double)across, "across");
    time_axis_steps(&q->axis, q->r, LINES_MOST, STEPS / across);
    return rows_read(path, "queues.csv", columns, on_levels, q, err);
}

static void end_levels(struct quotas *q, struct queue *queue)
{
    queue->most = 0;
    for (size_t k = 0; k < LEVELS; k++)
        series_end(&queue->level[k], &q->axis.steps, q->axis.end_s[0]);
    queue->most = series_most(&queue->level[HELD], queue->most);
    queue->most = series_most(&queue->level[FAIR], queue->most);
    queue->most = series_most(&queue->level[QUOTA], queue->most);
    double room = q->r->canvas.format == PLOT_TERM ? 1 : PANEL_ROOM;
    queue->cut = series_most(&queue->level[ASKED], 0) > queue->most * room * (1 + 1e-9);
}

/* ---- Drawing ---- */

/* A row whenever one of the levels of a queue changes, and at the end. */
struct walk {
    size_t next[LEVELS];
    double at_s, value[LEVELS];
};

static bool walk_next(struct walk *w, const struct queue *queue)
{
    double first = INFINITY;
    for (size_t k = 0; k < LEVELS; k++)
        if (w->next[k] < queue->level[k].n_changes)
            first = fmin(first, queue->level[k].change[w->next[k]].at_s);
    w->at_s = first;
    for (size_t k = 0; k < LEVELS; k++)
        if (w->next[k] < queue->level[k].n_changes &&
            queue->level[k].change[w->next[k]].at_s == first)
            w->value[k] = queue->level[k].change[w->next[k]++].value;
    return !isinf(first);
}

static void put_row(struct table *t, const struct queue *queue, const struct walk *w, double at_s)
{
    table_numbers(t, 4, (double[]){ at_s, w->value[WITHIN], w->value[HELD], w->value[ASKED] });
    table_number(t, queue->fair ? w->value[FAIR] : (double)NAN);
    table_number(t, isnan(queue->deserved) ? (double)NAN : w->value[QUOTA]);
}

static void draw_panel(const struct quotas *q, const struct queue *queue)
{
    struct table *t = figure_table(q->f, "time_s,held_within_quota,held,demand,fair_share,quota",
                                   "queue%zu", queue->panel);
    struct walk w = { .at_s = 0 };
    table_label(t, "queue", queue->name);
    while (walk_next(&w, queue))
        put_row(t, queue, &w, w.at_s);
    put_row(t, queue, &w, q->axis.end_s[0]);
}

static const char *title_of(const struct quotas *q, const struct queue *queue)
{
    struct arena *a = figure_memory(q->f);
    const char *name = name_clean(a, *queue->name ? queue->name : "(no queue)",
                                  q->panels > 8 && q->r->canvas.format != PLOT_TERM ? 18 : 28);
    if (isnan(queue->deserved))
        return words(a, "%s: no quota", name);
    if (queue->deserved == 0)
        return words(a, "%s: no quota of its own", name);
    const char *text = words(a, "%s: quota %.6g", name, queue->deserved);
    return isnan(queue->satisfaction) || q->axis.span.part /* it is of the whole run */
               ? text
               : words(a, "%s, %s satisfied", text, nearly(a, queue->satisfaction));
}

/* ---- On a terminal: six rows of cells, the quota with a character of its own ---- */

#define CELL_MARKS "#+.-"

static char mark(const double *value, size_t row, double high)
{
    double gpus = ((double)row - .5) * high / CELL_ROWS * (1 - 1e-9); /* but for rounding */
    if (value[WITHIN] >= gpus)
        return '#';
    if (value[HELD] >= gpus)
        return '+';
    if (value[QUOTA] > (double)(row - 1) * high / CELL_ROWS &&
        value[QUOTA] <= (double)row * high / CELL_ROWS)
        return '-';
    return value[ASKED] >= gpus ? '.' : ' ';
}

static void fill_cells(const struct quotas *q, const struct queue *queue, char *cell, size_t wide,
                       double high)
{
    double width = q->axis.steps.length_s / (double)q->axis.steps.n, value[LEVELS] = { 0 };
    struct walk w = { .at_s = 0 };
    memset(cell, ' ', wide * CELL_ROWS);
    for (size_t x = 0; x < wide;) {
        bool more = walk_next(&w, queue);
        size_t next = (size_t)((more ? w.at_s : q->axis.end_s[0]) / width + .5);
        for (; x < next && x < wide; x++)
            for (size_t row = 1; row <= CELL_ROWS; row++)
                cell[(row - 1) * wide + x] = mark(value, row, high);
        memcpy(value, w.value, sizeof value);
        if (!more)
            break;
    }
}

/* drawn: of each of CELL_MARKS whether any panel has it. */
static void put_panel(const struct quotas *q, const struct queue *queue, bool *drawn, FILE *to)
{
    struct arena *a = figure_memory(q->f);
    size_t wide = (size_t)(q->r->canvas.columns - AXIS_MARGIN);
    double high = queue->most > 0 ? queue->most : 1;
    char *cell = mem_new(wide * CELL_ROWS, 1);
    fill_cells(q, queue, cell, wide, high);
    fputs(queue->panel > 1 ? "\n" : "", to);
    text_wrap(to, title_of(q, queue), 0, 2, (size_t)q->r->canvas.columns);
    for (size_t row = CELL_ROWS; row >= 1; row--)
        fprintf(to, "%s | %.*s\n",
                padded(a,
                       row == CELL_ROWS ? (high < 1000 ? short_number(a, high) : commas(a, high))
                       : row == 1       ? "0"
                                        : "",
                       -7),
                (int)wide, cell + (row - 1) * wide);
    for (size_t k = 0; CELL_MARKS[k]; k++)
        drawn[k] = drawn[k] || memchr(cell, CELL_MARKS[k], wide * CELL_ROWS);
    free(cell);
}

static void put_text(const struct quotas *q, bool any_quota, bool any_cut)
{
    FILE *to = figure_text(q->f);
    struct arena *a = figure_memory(q->f);
    int columns = q->r->canvas.columns;
    bool drawn[sizeof CELL_MARKS] = { false };
    text_wrap(to, words(a, "%s: GPUs of each queue; each column is the mean over %s",
                        q->r->run[0].label,
                        human(a, q->axis.steps.length_s / (double)q->axis.steps.n)),
              0, 2, (size_t)columns);
    putc('\n', to);
    for (size_t k = 0; k < q->panels; k++)
        put_panel(q, &q->queue[q->panel[k]], drawn, to);
    fprintf(to, "\n%s%s\n", padded(a, "", AXIS_MARGIN - 1),
            span_scale(a, &q->axis.span, columns - AXIS_MARGIN));
    const char *key[] = { any_quota ? "# held within the quota" : "# held", "+ held beyond it",
                          ". asked for", "- the quota" };
    const char *entry[sizeof CELL_MARKS];
    size_t n = 0;
    for (size_t k = 0; CELL_MARKS[k]; k++)
        if (drawn[k])
            entry[n++] = key[k];
    put_entries(to, entry, n, 2, columns);
    if (any_cut)
        text_wrap(to, CUT_WORDS, 0, 2, (size_t)columns);
    if (q->n > q->panels)
        fprintf(to, "  %zu more queues with less demand are not shown\n", q->n - q->panels);
}

static void draw(struct quotas *q)
{
    bool any_fair = false, any_quota = false, any_cut = false;
    struct arena *a = figure_memory(q->f);
    const char *heading = q->r->run[0].label;
    for (size_t k = 0; k < q->panels; k++) {
        struct queue *queue = &q->queue[q->panel[k]];
        end_levels(q, queue);
        draw_panel(q, queue);
        fact_text(q->f, title_of(q, queue), "title%zu", k + 1);
        fact(q->f, queue->deserved, "deserved%zu", k + 1);
        fact(q->f, queue->most, "most%zu", k + 1);
        fact(q->f, queue->fair, "fair%zu", k + 1);
        any_fair = any_fair || queue->fair;
        any_quota = any_quota || !isnan(queue->deserved);
        any_cut = any_cut || queue->cut;
    }
    if (q->n > q->panels)
        heading =
            words(a, "%s; the %zu queues with the most demand, of %zu", heading, q->panels, q->n);
    fact(q->f, (double)q->panels, "n");
    fact(q->f, any_fair, "any_fair");
    fact(q->f, any_quota, "any_quota");
    fact(q->f, PANEL_ROOM, "room");
    fact_text(q->f, any_cut ? "; " CUT_WORDS : "", "cut_words");
    if (any_cut && q->r->canvas.paper.untitled)
        fprintf(stderr, "gpuyard: plot: quota: " CUT_WORDS "\n");
    fact_text(q->f, heading, "heading");
    time_axis_facts(&q->axis, q->r, q->f);
    if (q->r->canvas.format == PLOT_TERM)
        put_text(q, any_quota, any_cut);
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct quotas q = { .r = r, .f = f, .names = intern_new() };
    int result = read_all(&q, k, err);
    if (result == 0)
        draw(&q);
    for (uint32_t i = 0; i < intern_count(q.names); i++)
        for (size_t level = 0; level < LEVELS; level++)
            series_free(&q.queue[i].level[level]);
    free(q.queue);
    intern_free(q.names);
    time_axis_free(&q.axis);
    return result;
}

/* ---- Whether there is any ---- */

static void on_deserved(void *self, const struct fields *f)
{
    bool *any = self;
    *any = *any || f->number[0] > 0;
}

static bool any_quota(const char *directory)
{
    static const char *const columns[] = { "gpus_deserved", NULL };
    struct error err = { "" };
    bool any = false;
    /* What cannot be read says so when it is drawn. */
    return rows_read(directory, "queues.csv", columns, on_deserved, &any, &err) || any;
}

const struct kind quota_kind = {
    .name = "quota",
    .over_time = true,
    .least = 1,
    .most = 1,
    .file = { "queues.csv", "timeseries.csv", "summary.csv" },
    .columns = "queue,time_s,held_within_quota,held,demand,fair_share,quota",
    .script = "quota.gp",
    .make = make,
    .shows = any_quota,
};
