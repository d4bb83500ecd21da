/* heat.c - the share of each node in use, as a heat map: nodes. See heat.h. */
#include "sim/cli/plot/heat.h"

#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"
#include "sim/cli/frame/term.h"
#include "sim/base/intern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MOST = 200,
    TERMINAL_ROWS_MOST = 18,
    STEPS = 400,
    TERMINAL_MARGIN = 15,
    LABEL_WIDE = 12
};
struct heat {
    const struct plot_request *r;
    struct figure *f;
    struct intern *names;         /* of nodes with GPUs */
    double *gpus;                 /* [names]; owned */
    size_t capacity;
    double all_gpus, start_s, end_s;    /* the span */
    struct time_span span;
    bool any;                     /* some hold was seen */
    size_t per, rows, steps;      /* per: nodes in a row */
    double *row_gpus;             /* [rows]; owned */
    double *held;                 /* [rows * (steps + 1)] GPUs x steps; owned */
    double *change; /* likewise: GPUs held from this step on, in the steps between the ends of
                       holds; owned */
};

static bool is_terminal(const struct heat *h)
{
    return h->r->canvas.format == PLOT_TERM;
}

static void on_node(void *self, const struct fields *f)
{
    struct heat *h = self;
    if (!(f->number[1] > 0))
        return;
    uint32_t node = intern_add(h->names, f->text[0], strlen(f->text[0]));
    mem_grow(&h->gpus, &h->capacity, node, sizeof *h->gpus);
    h->gpus[node] = f->number[1];
    h->all_gpus += f->number[1];
}

static void on_span(void *self, const struct fields *f)
{
    struct heat *h = self;
    h->start_s = h->any ? fmin(h->start_s, f->number[0]) : f->number[0];
    h->end_s = h->any ? fmax(h->end_s, f->number[1]) : f->number[1];
    h->any = true;
}

struct first { double time_s; bool any; };

static void on_first(void *self, const struct fields *f)
{
    struct first *first = self;
    if (!first->any)
        *first = (struct first){ f->number[0], true };
}

/* From the first event, if that is known, to the end of the last hold. */
static int read_span(struct heat *h, struct error *err)
{
    static const char *const of_holds[] = { "start_s", "end_s", NULL }, *const of_events[] = {
        "time_s", NULL
    };
    const char *path = h->r->run[0].path;
    struct first first = { 0, false };
    if (rows_read(path, "intervals.csv", of_holds, on_span, h, err))
        return -1;
    if (rows_lines(path, "timeseries.csv") &&
        rows_read(path, "timeseries.csv", of_events, on_first, &first, err))
        return -1;
    if (first.any && h->end_s > first.time_s)
        h->start_s = first.time_s;
    if (!h->any || h->end_s <= h->start_s)
        return error_set(err, "%s/intervals.csv: no interval holds a GPU for any time", path);
    if (window_cut(&h->r->window, &h->start_s, &h->end_s, err))
        return -1;
    h->span = window_span(&h->r->window, h->start_s, h->end_s - h->start_s);
    return 0;
}

/* The ends of a hold go to their own steps, what lies between them to a running sum, so that long
 * holds cost no more. */
static void on_hold(void *self, const struct fields *f)
{
    struct heat *h = self;
    uint32_t node = intern_find(h->names, f->text[0], strlen(f->text[0]));
    double gpus = f->number[1] * f->number[2] / 1000,
           scale = (double)h->steps / (h->end_s - h->start_s);
    double from = fmax(0, (f->number[3] - h->start_s) * scale),
           to = fmin((double)h->steps, (f->number[4] - h->start_s) * scale);
    if (node == INTERN_NONE || !(to > from) || gpus == 0)
        return;
    size_t row = node / h->per * (h->steps + 1), first = (size_t)from, last = (size_t)to;
    if (first == last) {
        h->held[row + first] += gpus * (to - from);
        return;
    }
    h->held[row + first] += gpus * ((double)first + 1 - from);
    h->held[row + last] += gpus * (to - (double)last);
    h->change[row + first + 1] += gpus;
    h->change[row + last] -= gpus;
}

static int read_heat(struct heat *h, struct error *err)
{
    static const char *const of_nodes[] = { "$node", "gpus", NULL };
    static const char *const of_holds[] = {
        "$node", "gpus", "gpu_milli", "start_s", "end_s", NULL
    };
    const char *path = h->r->run[0].path;
    size_t most = is_terminal(h) ? TERMINAL_ROWS_MOST : ROWS_MOST;
    if (rows_read(path, "nodes.csv", of_nodes, on_node, h, err))
        return -1;
    size_t n = intern_count(h->names);
    if (!n)
        return error_set(err, "%s/nodes.csv: no GPUs", path);
    h->per = (n + most - 1) / most;
    h->rows = (n + h->per - 1) / h->per;
    h->steps = is_terminal(h) ? (size_t)(h->r->canvas.columns - TERMINAL_MARGIN) : STEPS;
    h->row_gpus = mem_new(h->rows, sizeof *h->row_gpus);
    for (size_t k = 0; k < n; k++)
        h->row_gpus[k / h->per] += h->gpus[k];
    h->held = mem_new(h->rows * (h->steps + 1), sizeof *h->held);
    h->change = mem_new(h->rows * (h->steps + 1), sizeof *h->change);
    return read_span(h, err) ? -1 : rows_read(path, "intervals.csv", of_holds, on_hold, h, err);
}

/* Sums become shares. */
static void make_shares(struct heat *h)
{
    for (size_t row = 0; row < h->rows; row++) {
        double whole = 0;
        for (size_t x = 0; x < h->steps; x++) {
            size_t at = row * (h->steps + 1) + x;
            whole += h->change[at];
            h->held[at] = (whole + h->held[at]) / h->row_gpus[row];
        }
    }
}

static const char *row_name(const struct heat *h, size_t row)
{
    return intern_text(h->names, (uint32_t)(row * h->per));
}

/* ---- Drawing ---- */

const char *node_label(struct arena *a, const char *name, size_t room)
{
    const char *text = words(a, "node %s", name_clean(a, name, NAME_WIDE));
    return text_width(text) <= room ? text : cut(a, name_clean(a, name, NAME_WIDE), room);
}

static void put_text(const struct heat *h, const char *title, const char *subtitle)
{
    struct arena *a = figure_memory(h->f);
    FILE *to = figure_text(h->f);
    size_t columns = (size_t)h->r->canvas.columns;
    text_wrap(to, title, 0, 2, columns);
    text_wrap(to, words(a, "%s; 0 to 9 are tenths, # is all", subtitle), 0, 2, columns);
    for (size_t row = 0; row < h->rows; row++) {
        fprintf(to, "%s |", padded(a, node_label(a, row_name(h, row), LABEL_WIDE), -LABEL_WIDE));
        for (size_t x = 0; x < h->steps; x++) {
            double share = h->held[row * (h->steps + 1) + x];
            putc(share < 0.0005 ? '.' : share > 0.9995 ? '#' : '0' + (int)(share * 10), to);
        }
        putc('\n', to);
    }
    fprintf(to, "%s%s\n", padded(a, "", TERMINAL_MARGIN - 1),
            span_scale(a, &h->span, (int)h->steps));
}

/* An image needs two rows: the second one of a single node is not of the table that is
 * documented. */
static void put_table(const struct heat *h, const char *name, const char *columns, size_t copies)
{
    struct table *t = figure_table(h->f, columns, "%s", name);
    double width = (h->end_s - h->start_s) / (double)h->steps;
    for (size_t row = 0; row < h->rows * copies; row++)
        for (size_t x = 0; x < h->steps; x++) {
            size_t node = row / copies;
            table_numbers(t, 3,
                          (double[]){ ((double)x + .5) * width, (double)row,
                                      h->held[node * (h->steps + 1) + x] * 100 });
            table_numbers(t, 2, (double[]){ (double)x * width, ((double)x + 1) * width });
            table_text(t, row_name(h, node));
        }
}

double lane_height(const struct canvas *canvas, double px, size_t lanes)
{
    enum { PAPER_HEIGHT = 210 }; /* of gantt.gp, beside its margins */
    return canvas_layout(canvas) > 0 ? fmin(px, PAPER_HEIGHT / (double)lanes) : px;
}

static void put_tics(const struct heat *h, double row_px)
{
    size_t step = row_px >= 13 ? 1 : (size_t)(13 / row_px) + 1, n = 0;
    for (size_t row = 0; row < h->rows; row += step) {
        fact_tic(h->f,
                 words(figure_memory(h->f), "node %s",
                       name_clean(figure_memory(h->f), row_name(h, row), NAME_WIDE)),
                 "tic%zu", ++n);
        fact(h->f, h->rows == 1 ? .5 : (double)row, "tic_at%zu", n);
    }
    fact(h->f, (double)n, "n_tics");
}

static void draw(struct heat *h, bool lanes)
{
    struct arena *a = figure_memory(h->f);
    double span = h->end_s - h->start_s, row_px = h->rows <= 20    ? 24
                                                  : h->rows <= 50  ? 12
                                                  : h->rows <= 100 ? 7
                                                                   : 4;
    const char *each =
        h->per > 1 ? words(a, "the GPUs of %zu nodes each", h->per) : "each node's GPUs";
    const char *title = words(a, "%s: share of %s in use", h->r->run[0].label, each);
    const char *subtitle =
        words(a, "(%s GPUs%s)", commas(a, h->all_gpus), lanes ? ", too many for a lane each" : "");
    make_shares(h);
    if (is_terminal(h)) {
        put_text(h, title, subtitle);
        return;
    }
    put_table(h, h->rows == 1 ? "cells" : "heat", "x_s,row,percent,start_s,end_s,node", 1);
    if (h->rows == 1)
        put_table(h, "heat", "x_s,row,held,from_s,to_s,name", 2);
    put_tics(h, lane_height(&h->r->canvas, row_px, h->rows));
    fact_text(h->f, words(a, "%s %s", title, subtitle), "title_text");
    fact_text(h->f, "", "part");
    span_facts(&h->span, &h->r->canvas, h->f);
    fact(h->f, h->rows == 1 ? 2 : (double)h->rows, "lanes");
    fact(h->f, row_px, "lane_px");
    fact_text(h->f, "heat", "view");
    fact_text(h->f, human(a, span / (double)h->steps), "bin_s");
}

int heat_draw(const struct plot_request *r, bool lanes, struct figure *f, struct error *err)
{
    struct heat h = { .r = r, .f = f, .names = intern_new() };
    int result = read_heat(&h, err);
    if (result == 0)
        draw(&h, lanes);
    free(h.gpus);
    free(h.row_gpus);
    free(h.held);
    free(h.change);
    intern_free(h.names);
    return result;
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    (void)k;
    return heat_draw(r, false, f, err);
}

const struct kind nodes_kind = {
    .name = "nodes", .over_time = true, .least = 1, .most = 1,
    .file = { "intervals.csv", "nodes.csv" },
    .columns = "node,start_s,end_s,percent", .script = "gantt.gp", .make = make,
};
