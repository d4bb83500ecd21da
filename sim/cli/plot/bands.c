/* bands.c - levels over time, stacked: utilisation, utilisation_class, utilisation_state,
 * fragmentation. See bands.h. */
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/bands_parts.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_COLOURS = 9, LINES_MOST = 1200, STEPS = 500, ONE_PANEL_ROWS = 16, PANEL_ROWS = 8 };
#define NO_BAND SIZE_MAX /* it never holds for any time */
static const char letters[] = "abcdefghij";

/* ---- Which bands ---- */

static bool is_terminal(const struct bands *b)
{
    return b->r->canvas.format == PLOT_TERM;
}

static void put_band(struct bands *b, const char *name, unsigned rgb, const char **names)
{
    size_t k = b->n_bands++;
    names[k] = name;
    fact_text(b->f, name, "band%zu", k + 1);
    fact(b->f, rgb, "band_colour%zu", k + 1);
}

static void rank_fixed(struct bands *b, const char **names)
{
    for (size_t key = 0; key < intern_count(b->keys); key++)
        b->band[key] = NO_BAND;
    for (size_t key = 0; key < intern_count(b->keys); key++)
        if (b->gpu_s[key] > 0) {
            b->band[key] = b->n_bands;
            put_band(b, b->by->fixed[key].name, b->by->fixed[key].rgb, names);
        }
}

/* Most first; equal ones stay in order. */
static size_t *largest_first(const double *gpu_s, size_t n)
{
    size_t *order = mem_new(n, sizeof *order);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && gpu_s[order[at - 1]] < gpu_s[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

static void rank_largest(struct bands *b, const char **names)
{
    size_t n = intern_count(b->keys), *order = largest_first(b->gpu_s, n);
    struct arena *a = figure_memory(b->f);
    for (size_t k = 0; k < n; k++)
        b->band[order[k]] = k < OWN_COLOURS || n == OWN_COLOURS + 1 ? k : OWN_COLOURS;
    for (size_t k = 0; k < n && k < BANDS_MOST; k++) {
        const char *name = intern_text(b->keys, (uint32_t)order[k]);
        name = *name                              ? name_clean(a, name, NAME_WIDE)
               : !strcmp(b->by->others, "queues") ? "(no queue)"
                                                  : "(no class)";
        if (n > BANDS_MOST && k == OWN_COLOURS)
            name = words(a, "%zu other %s", n - OWN_COLOURS, b->by->others);
        put_band(b, name, colour_of(k + 1, is_terminal(b)), names);
    }
    free(order);
}

/* ---- The stack of a run ---- */

struct moment {
    double at_s, value;
    uint32_t key;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    return x->at_s != y->at_s ? (x->at_s > y->at_s) - (x->at_s < y->at_s)
                              : (x->key > y->key) - (x->key < y->key);
}

static struct moment *all_changes(const struct run_levels *run, size_t *n)
{
    struct moment *list;
    *n = 0;
    for (size_t key = 0; key < run->n_levels; key++)
        *n += run->level[key].n_changes;
    list = mem_new(*n, sizeof *list);
    *n = 0;
    for (uint32_t key = 0; key < run->n_levels; key++)
        for (size_t k = 0; k < run->level[key].n_changes; k++)
            list[(*n)++] = (struct moment){ run->level[key].change[k].at_s,
                                            run->level[key].change[k].value, key };
    qsort(list, *n, sizeof *list, by_time);
    return list;
}

struct stack_row {
    double at_s, value[BANDS_MOST], top[BANDS_MOST];
};
struct stack {
    struct stack_row *row;
    size_t n, capacity;
};

static void add_row(struct stack *s, size_t bands, double at_s, const double *held)
{
    struct stack_row row = { .at_s = at_s };
    double sum = 0;
    for (size_t k = 0; k < bands; k++) {
        row.value[k] = held[k] > 1e-6 ? held[k] : 0;
        row.top[k] = sum += row.value[k];
    }
    mem_grow(&s->row, &s->capacity, s->n, sizeof *s->row);
    s->row[s->n++] = row;
}

static double top_of(const struct bands *b, const struct stack_row *row)
{
    return b->n_bands ? row->top[b->n_bands - 1] : 0;
}

static struct stack stack_of(const struct bands *b, size_t i)
{
    struct run_levels *run = &b->run[i];
    struct stack s = { NULL, 0, 0 };
    double *value = mem_new(run->n_levels, sizeof *value), held[BANDS_MOST] = { 0 };
    size_t n;
    struct moment *list = all_changes(run, &n);
    for (size_t k = 0; k < n; k++) {
        if (b->band[list[k].key] != NO_BAND)
            held[b->band[list[k].key]] += list[k].value - value[list[k].key];
        value[list[k].key] = list[k].value;
        if (k + 1 == n || list[k + 1].at_s != list[k].at_s)
            add_row(&s, b->n_bands, list[k].at_s, held);
    }
    add_row(&s, b->n_bands, b->axis.end_s[i], held);
    free(list);
    free(value);
    return s;
}

static void draw_stack(struct bands *b, size_t i, const struct stack *s, const char *const *names)
{
    for (size_t k = 0; k < b->n_bands; k++) {
        struct table *t = figure_table(b->f, "time_s,value,top", "band%zu_%zu", i + 1, k + 1);
        table_label(t, "run", b->r->run[i].label);
        table_label(t, "band", names[k]);
        for (size_t row = 0; row < s->n; row++)
            table_numbers(t, 3,
                          (double[]){ s->row[row].at_s, s->row[row].value[k], s->row[row].top[k] });
    }
}

/* ---- Letters of a terminal ---- */

static size_t panel_rows(const struct bands *b)
{
    return b->r->n == 1 ? ONE_PANEL_ROWS : PANEL_ROWS;
}

/* The lowest band that is above the middle of each character cell of column x, by more than
 * rounding. */
static void put_column(const struct bands *b, struct table *t, size_t x,
                       const struct stack_row *row)
{
    double high = (double)panel_rows(b);
    for (double y = .5; y < high; y++) {
        size_t k = 0;
        while (k < b->n_bands && row->top[k] <= y * b->most / high * (1 + 1e-9))
            k++;
        if (k == b->n_bands)
            continue;
        table_numbers(t, 2, (double[]){ (double)x + .5, y });
        table_text(t, (const char[]){ letters[k], '\0' });
        table_number(t, colour_of(k + 1, true));
    }
}

/* Until a change the row before it goes on. */
static void draw_cells(struct bands *b, size_t i, const struct stack *s)
{
    struct table *t = figure_table(b->f, "x,y,letter,colour", "cells%zu", i + 1);
    double width = b->axis.steps.length_s / (double)b->axis.steps.n;
    size_t x = s->n ? (size_t)(s->row[0].at_s / width + .5) : 0;
    for (size_t row = 1; row < s->n; row++)
        for (size_t next = (size_t)(s->row[row].at_s / width + .5); x < next; x++)
            put_column(b, t, x, &s->row[row - 1]);
}

static void put_legend(struct bands *b, const char *const *names)
{
    enum { INDENT = 8 };
    const char *entry[BANDS_MOST];
    int wide = b->r->canvas.columns - 2;
    for (size_t k = 0; k < b->n_bands; k++)
        entry[k] = words(figure_memory(b->f), "%c %s", letters[k],
                         cut(figure_memory(b->f), names[k], (size_t)wide - INDENT - 2));
    put_entries(figure_legend(b->f), entry, b->n_bands, INDENT, wide);
}

/* ---- Lines of all GPUs ---- */

struct line {
    const char *name;
    unsigned rgb;
    double width;
    const struct series *level;
    bool shown;
};

static size_t draw_lines(struct bands *b, size_t i, bool behind)
{
    const struct run_levels *run = &b->run[i];
    const struct line line[] = {
        { "all GPUs", 0x000000, 1.5, &run->total, !b->by->part },
        { "GPUs up", 0xd55e00, 1, &run->up, !b->by->part && b->down && !b->by->held },
        { "making progress", 0xe69f00, 1, &run->busy, behind },
    };
    size_t n = 0;
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        if (!line[k].shown)
            continue;
        struct table *t = figure_table(b->f, "time_s,value", "line%zu_%zu", i + 1, ++n);
        table_label(t, "run", b->r->run[i].label);
        table_label(t, "band", line[k].name);
        series_table(t, line[k].level, &b->axis, i);
        fact_text(b->f, line[k].name, "line%zu", n);
        fact(b->f, b->r->canvas.paper.bw ? 0 : line[k].rgb, "line_colour%zu", n);
        fact(b->f, b->r->canvas.paper.bw ? (double)k + 1 : 1, "line_dash%zu", n);
        fact(b->f, line[k].width, "line_width%zu", n);
    }
    return n;
}

/* ---- The figure ---- */

/* GPU time of a run in bands, over all and of those that count as held; the fifth band. */
struct sums {
    double held, fifth;
};

static struct sums sums_of(const struct bands *b, size_t i)
{
    const struct run_levels *run = &b->run[i];
    struct sums s = { 0, 0 };
    for (size_t key = 0; key < run->n_levels; key++)
        if (!b->by->held || key < b->by->held)
            s.held += run->level[key].integral;
    if (run->n_levels == FIXED_MOST)
        s.fifth = run->level[FIXED_MOST - 1].integral;
    return s;
}

static int read_run(struct bands *b, size_t i, struct error *err)
{
    struct run_levels *run = &b->run[i];
    if (b->by->read(b, i, err) || bands_read_gpus(b, i, err))
        return -1;
    for (size_t key = 0; key < run->n_levels; key++)
        series_end(&run->level[key], &b->axis.steps, b->axis.end_s[i]);
    series_end(&run->total, &b->axis.steps, b->axis.end_s[i]);
    series_end(&run->up, &b->axis.steps, b->axis.end_s[i]);
    series_end(&run->busy, &b->axis.steps, b->axis.end_s[i]);
    return 0;
}

static bool stays_behind(const struct bands *b)
{
    bool behind = false;
    for (size_t i = 0; i < b->r->n && b->by->others; i++)
        behind = behind || b->run[i].busy.integral < 0.98 * sums_of(b, i).held;
    return behind;
}

static void put_titles(struct bands *b, size_t i)
{
    const struct run_levels *run = &b->run[i];
    struct sums s = sums_of(b, i);
    double gpu_s = b->by->of_all ? run->total.integral : run->up.integral, held = 0, busy = 0;
    if (gpu_s > 0) {
        held = s.held / gpu_s;
        busy = run->busy.integral / gpu_s;
    }
    if (b->by->title)
        fact_text(b->f, b->by->title(b, i, held, busy, s.held > 0 ? s.fifth / s.held : 0),
                  "panel%zu", i + 1);
    fact_text(b->f, b->r->run[i].label, "run%zu", i + 1);
}

static size_t longest_of(const char *const *names, size_t n)
{
    size_t longest = 0;
    for (size_t k = 0; k < n; k++)
        longest = text_width(names[k]) > longest ? text_width(names[k]) : longest;
    return longest;
}

static double panel_most(const struct bands *b, size_t i, const struct stack *s)
{
    double highest = 0;
    if (!b->by->part)
        return b->run[i].gpus_most;
    for (size_t row = 0; row < s->n; row++)
        highest = fmax(highest, top_of(b, &s->row[row]));
    return highest > 1 ? floor(highest + .999) : 1;
}

static double last_above(const struct bands *b, const struct stack *s)
{
    double last = 0;
    for (size_t row = 1; row < s->n; row++)
        if (top_of(b, &s->row[row - 1]) > 0)
            last = s->row[row].at_s;
    return last;
}

static void draw_runs(struct bands *b, const char *const *names, double *over_s)
{
    struct stack *stack = mem_new(b->r->n, sizeof *stack);
    bool behind = stays_behind(b);
    size_t lines = 0;
    for (size_t i = 0; i < b->r->n; i++) {
        stack[i] = stack_of(b, i);
        double most = panel_most(b, i, &stack[i]);
        b->most = fmax(b->most, most);
        fact(b->f, most, "most%zu", i + 1);
        put_titles(b, i);
        if (over_s)
            *over_s = fmax(*over_s, last_above(b, &stack[i]));
    }
    for (size_t i = 0; i < b->r->n; i++) {
        if (is_terminal(b))
            draw_cells(b, i, &stack[i]);
        else {
            draw_stack(b, i, &stack[i], names);
            lines = draw_lines(b, i, behind);
        }
        free(stack[i].row);
    }
    fact(b->f, (double)lines, "n_lines");
    free(stack);
}

static void draw(struct bands *b, double *over_s)
{
    const char *names[BANDS_MOST];
    size_t keys = intern_count(b->keys);
    b->gpu_s = mem_new(keys, sizeof *b->gpu_s);
    b->band = mem_new(keys, sizeof *b->band);
    for (size_t i = 0; i < b->r->n; i++)
        for (size_t key = 0; key < b->run[i].n_levels; key++)
            b->gpu_s[key] += b->run[i].level[key].integral;
    if (b->by->others)
        rank_largest(b, names);
    else
        rank_fixed(b, names);
    for (size_t k = 0; k < b->n_bands && b->r->canvas.paper.bw; k++) {
        fact(b->f, grey_of(k + 1, b->n_bands), "band_colour%zu", k + 1);
        fact(b->f, hatch_of(k + 1, b->n_bands), "band_hatch%zu", k + 1);
    }
    draw_runs(b, names, over_s);
    fact(b->f, (double)b->r->n, "n");
    fact(b->f, (double)b->n_bands, "bands");
    fact(b->f, (double)longest_of(names, b->n_bands), "longest");
    fact(b->f, b->most, "most");
    fact_text(b->f, b->by->levels, "levels");
    fact(b->f, (double)panel_rows(b), "panel_rows");
    time_axis_facts(&b->axis, b->r, b->f);
    if (is_terminal(b))
        put_legend(b, names);
}

static void bands_free(struct bands *b)
{
    for (size_t i = 0; i < b->r->n; i++) {
        for (size_t key = 0; key < b->run[i].n_levels; key++)
            series_free(&b->run[i].level[key]);
        free(b->run[i].level);
        series_free(&b->run[i].total);
        series_free(&b->run[i].up);
        series_free(&b->run[i].busy);
    }
    free(b->run);
    free(b->gpu_s);
    free(b->band);
    time_axis_free(&b->axis);
    intern_free(b->keys);
}

int bands_draw(const struct kind *k, const struct plot_request *r, const struct banding *by,
               struct figure *f, double *over_s, struct error *err)
{
    struct bands b = { .kind = k,
                       .r = r,
                       .by = by,
                       .f = f,
                       .keys = intern_new(),
                       .run = mem_new(r->n, sizeof *b.run) };
    for (size_t i = 0; i < FIXED_MOST && !by->others; i++)
        bands_key(&b, by->fixed[i].name);
    int result = time_axis_read(&b.axis, k, r, err);
    if (result == 0)
        time_axis_steps(&b.axis, r, LINES_MOST, STEPS);
    for (size_t i = 0; i < r->n && result == 0; i++)
        result = read_run(&b, i, err);
    if (result == 0)
        draw(&b, over_s);
    bands_free(&b);
    return result;
}

/* ---- The kinds ---- */

static const char *title_of_held(const struct bands *b, size_t i, double allocated, double busy,
                                 double above)
{
    struct arena *a = figure_memory(b->f);
    const char *text =
        words(a, "%s: %s of the GPU time allocated", b->r->run[i].label, percent(a, allocated));
    (void)above;
    return stays_behind(b) || b->by->held
               ? words(a, "%s, %s making progress", text, percent(a, busy))
               : text;
}

static const char *title_of_free(const struct bands *b, size_t i, double allocated, double busy,
                                 double above)
{
    struct arena *a = figure_memory(b->f);
    (void)busy;
    return words(a, "%s: %s of the GPU time free, %s of that 8 or more together",
                 b->r->run[i].label, percent(a, allocated), percent(a, above));
}

static const struct banding of_queues = {
    .others = "queues",
    .levels = "GPUs",
    .read = bands_read_queues,
    .title = title_of_held,
};
static const struct banding of_classes = {
    .others = "classes",
    .levels = "GPUs",
    .read = bands_read_classes,
    .title = title_of_held,
};
static const struct banding of_states = {
    .levels = "GPUs",
    .held = 2,
    .read = bands_read_states,
    .title = title_of_held,
    .fixed = { { "making progress", 0x009e73 },
               { "held without progress", 0xe69f00 },
               { "free while jobs wait", 0xd55e00 },
               { "free, no job waits", 0xd9d9d9 },
               { "out of service", 0x595959 } },
};
static const struct banding of_free = {
    .levels = "free GPUs",
    .part = true,
    .of_all = true,
    .read = bands_read_free,
    .title = title_of_free,
    .fixed = { { "parts of shared GPUs", 0xcc79a7 },
               { "the only one", 0xd55e00 },
               { "2 or 3 together", 0xe69f00 },
               { "4 to 7 together", 0x56b4e9 },
               { "8 or more together", 0xcccccc } },
};
const struct banding bands_of_sessions = {
    .levels = "sessions",
    .part = true,
    .read = bands_read_sessions,
    .fixed = { { "active", 0x009e73 },
               { "idle, hold GPUs", 0xe69f00 },
               { "starting up", 0x56b4e9 },
               { "wait for GPUs", 0xd55e00 },
               { "gave GPUs back", 0xd9d9d9 } },
};

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    return bands_draw(k, r, k->variant, f, NULL, err);
}

#define COLUMNS "run,band,time_s,value,top"
const struct kind utilisation_kind = {
    .name = "utilisation",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv", "queues.csv", "jobs.csv" },
    .columns = COLUMNS,
    .script = "utilisation.gp",
    .variant = &of_queues,
    .make = make,
};
const struct kind utilisation_class_kind = {
    .name = "utilisation_class",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv", "intervals.csv", "jobs.csv" },
    .columns = COLUMNS,
    .script = "utilisation.gp",
    .variant = &of_classes,
    .make = make,
};
const struct kind utilisation_state_kind = {
    .name = "utilisation_state",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv" },
    .columns = COLUMNS,
    .script = "utilisation.gp",
    .variant = &of_states,
    .make = make,
};
const struct kind fragmentation_kind = {
    .name = "fragmentation",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv", "intervals.csv", "nodes.csv" },
    .columns = COLUMNS,
    .script = "utilisation.gp",
    .variant = &of_free,
    .make = make,
};
