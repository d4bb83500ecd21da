/* figure_gantt.c - which GPU was held when, and by which job, as `gpuyard plot -k gantt` lays it
 * out: as many boxes as that shows, of the nodes with the first GPUS_MOST GPUs, GROUP_GPUS of them
 * at a time. Of a run with more boxes the part is shown that begins with the hour in which most GPUs were
 * waited for, or at the time that was asked for. Colours of queues are those of the utilisation. */
#include "sim/cli/report/figures.h"

#include "sim/base/memory.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS_MOST = 256, GROUP_GPUS = 64, HOUR_S = 3600 };
enum box { START, END, TOP, BOTTOM, COLOUR, HATCHED, NODE, QUEUE, JOB };

/* The beginning of the hour, from the start of the run on, in which most GPUs were waited for. */
static double worst_hour(const struct page *p, const struct run_view *v)
{
    const double *waiting = v->level[LEVEL_GPUS_WAITING].mean;
    double width = p->steps.length_s / (double)p->steps.n, worst = 0, most = 0;
    for (size_t k = 0; waiting && k < p->steps.n; k++)
        if (waiting[k] > most) {
            most = waiting[k];
            worst = (double)k * width;
        }
    return v->start_s + floor(worst / HOUR_S) * HOUR_S;
}

static struct figure *make(const struct run_view *v, const struct window *shown)
{
    struct error err = { "" };
    struct plot_run run = { .path = v->path, .name = v->path, .label = v->label };
    struct plot_request r = { .canvas = { .format = PLOT_SVG },
                              .n = 1,
                              .run = &run,
                              .window = *shown,
                              .gpus_most = GPUS_MOST };
    struct figure *f = figure_new(&r.canvas);
    if (gantt_kind.make(&gantt_kind, &r, f, &err) == 0)
        return f;
    figure_free(f);               /* a result without the columns that it needs has no Gantt */
    return NULL;
}

/* ---- Of one group of nodes ---- */

struct queues {
    size_t own;                   /* bands of one queue */
    const struct chart_list *bands;
    const char *const *name;      /* [own] of these queues, as the boxes have them */
};
struct lanes {
    const struct table *box;
    size_t first, end;            /* nodes of the run */
    double top, bottom;           /* lanes of these */
};

static const char *queue_of(const char *name)
{
    return *name ? name : "(no queue)";
}

/* The boxes of one queue, or, in the band behind these, of all others. */
static void put_queue(struct chart_variant *x, const struct lanes *l, const struct queues *q,
                      size_t band)
{
    bool others = band >= q->own;
    size_t rows = table_rows(l->box), n = 0;
    double *at[4];
    for (size_t k = 0; k < 4; k++)
        at[k] = mem_new(rows + 1, sizeof **at);
    for (size_t row = 0; row < rows; row++) {
        const char *queue = queue_of(table_cell_text(l->box, row, QUEUE));
        bool listed = false;
        for (size_t k = 0; k < q->own && others; k++)
            listed = listed || !strcmp(q->name[k], queue);
        double top = table_cell(l->box, row, TOP);
        if ((others ? listed : strcmp(queue, q->name[band]) != 0) || top < l->top || top >= l->bottom)
            continue;
        at[0][n] = table_cell(l->box, row, START);
        at[1][n] = table_cell(l->box, row, END);
        at[2][n] = top - l->top;
        at[3][n++] = table_cell(l->box, row, BOTTOM) - l->top;
        chart_text(&x->labels, table_cell_text(l->box, row, JOB));
    }
    struct chart_series *s = chart_add(&x->bands, q->bands->series[band].name, at[1], n);
    s->x = chart_copy(at[0], n);
    s->half = chart_copy(at[2], n);
    s->low = chart_copy(at[3], n);
    for (size_t k = 0; k < 4; k++)
        free(at[k]);
}

static void put_group(struct chart *c, const struct page *p, const struct run_view *v,
                      const struct lanes *l, const struct queues *q)
{
    char text[256];
    const char *first = intern_text(v->node_names, (uint32_t)l->first);
    const char *last = intern_text(v->node_names, (uint32_t)l->end - 1);
    if (l->end - l->first > 1)
        snprintf(text, sizeof text, "nodes %.100s to %.100s", first, last);
    else
        snprintf(text, sizeof text, "node %.100s", first);
    char *name = figure_name(p, v, text);
    struct chart_variant *x = chart_variant(c, name);
    free(name);
    double lane = 0;
    for (size_t k = l->first; k < l->end; k++) {
        chart_add(&x->rows, intern_text(v->node_names, (uint32_t)k),
                  (const double[]){ lane, lane + v->node_gpus[k] }, 2);
        lane += v->node_gpus[k];
    }
    for (size_t k = 0; k < q->bands->n; k++)
        put_queue(x, l, q, k);
}

static void put_run(struct chart *c, const struct page *p, const struct run_view *v,
                    struct figure *f, double from_s)
{
    struct chart bands = { .n = 0 };
    struct chart_variant *b = chart_variant(&bands, "");
    size_t own = figure_queue_bands(&b->bands, p, v);
    const char **name = arena_alloc(figure_memory(f), (own + 1) * sizeof *name);
    for (size_t k = 0; k < own; k++)
        name[k] = name_clean(figure_memory(f), b->bands.series[k].name, NAME_WIDE);
    struct queues queues = { own, &b->bands, name };
    struct lanes l = { .box = figure_find_table(f, "boxes") };
    size_t nodes = intern_count(v->node_names);
    for (size_t k = 0; k < nodes && l.bottom < GPUS_MOST; l.first = k, l.top = l.bottom) {
        for (; k < nodes && (k == l.first || l.bottom + v->node_gpus[k] - l.top <= GROUP_GPUS) &&
               l.bottom + v->node_gpus[k] <= GPUS_MOST; k++)
            l.bottom += v->node_gpus[k];
        if (k == l.first)
            break;
        l.end = k;
        put_group(c, p, v, &l, &queues);
        struct chart_variant *x = &c->variant[c->n - 1];
        x->from_s = from_s - v->start_s;
        x->length_s = figure_number(f, "end") * figure_number(f, "unit_s");
    }
    chart_free(&bands);
}

void figure_gantt(struct chart *c, const struct page *p)
{
    for (size_t i = 0; i < p->n_views; i++) {
        const struct run_view *v = &p->view[i];
        struct window shown = { .has_from = p->gantt_from, .from_s = p->gantt_from_s };
        if (!v->heat_rows || v->no_intervals || !(v->end_s > v->start_s))
            continue;
        struct figure *f = make(v, &shown);
        if (f && !p->gantt_from && *figure_words(f, "part")) {
            figure_free(f);
            shown = (struct window){ .has_from = true, .from_s = worst_hour(p, v) };
            f = make(v, &shown);
        }
        if (f)
            put_run(c, p, v, f, figure_number(f, "start_s"));
        figure_free(f);
    }
}
