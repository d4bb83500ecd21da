/* sweep.c - metrics of sweep.csv over one of its parameters: a line for each combination of the
 * others that vary, mean and interval of 95 % over all seeds of a point.
 *
 * The axis is the parameter that is asked for, else the first with more than one value that are all
 * numbers; if there is none, the first with more than one value: its values stand side by
 * side. */
#include "sim/base/intern.h"
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/compare/design.h"
#include "sim/cli/plot/compare/metrics.h"
#include "sim/cli/plot/names/place.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/words.h"
#include "sim/study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDE = 60, PLACE_WIDE = 20, TIC_ROOM = 42 }; /* TIC_ROOM: characters */
static const char file[] = SWEEP_FILE;
enum column { NAME, METRIC, SCOPE, VALUE, UNIT };
static const char *const columns[] = { "name", "metric", "scope", "value", "unit", NULL };

struct point {
    size_t metric, line, value;
    struct sample sample;
    struct estimate of;
};
struct panel {
    struct shown_metric metric;
    const char *unit;
    double most, least;
}; /* unit NULL: no value */
struct sweep {
    const struct plot_request *r;
    struct figure *f;
    struct design *design;
    const struct design_parameter *x;
    size_t *order;               /* values of x from left to right; owned */
    struct panel *panel;         /* [r->metrics] */
    struct intern *lines, *keys; /* keys: of points */
    struct point *point;
    size_t point_capacity;
};

/* ---- The axis ---- */

static const struct design_parameter *choose_axis(const struct sweep *s, struct error *err)
{
    for (size_t k = 0; k < s->design->parameters; k++) {
        const struct design_parameter *p = &s->design->parameter[k];
        if (s->r->x_column ? !strcmp(p->name, s->r->x_column)
                           : intern_count(p->values) > 1 && !p->words)
            return p;
    }
    if (s->r->x_column) {
        error_set(err, "%s/%s: no parameter %s", s->r->run[0].path, file, s->r->x_column);
        return NULL;
    }
    for (size_t k = 0; k < s->design->parameters; k++)
        if (intern_count(s->design->parameter[k].values) > 1)
            return &s->design->parameter[k];
    return &s->design->parameter[0];
}

/* ---- Points ---- */

static const char *line_of(const struct sweep *s, const struct row *row)
{
    struct arena *a = figure_memory(s->f);
    const char *text = "";
    for (size_t k = 0; k < s->design->parameters; k++) {
        const struct design_parameter *p = &s->design->parameter[k];
        if (p != s->x && intern_count(p->values) > 1)
            text = words(a, "%s%s%s%s%s", text, *text ? ", " : "", p->words ? "" : p->name,
                         p->words ? "" : " = ", row->cell[p->column].text);
    }
    return *text ? name_clean(a, text, LINE_WIDE) : name_clean(a, s->r->run[0].label, NAME_WIDE);
}

static struct point *point_of(struct sweep *s, size_t metric, size_t line, size_t value)
{
    char key[80];
    int n = snprintf(key, sizeof key, "%zu %zu %zu", metric, line, value);
    uint32_t known = intern_count(s->keys), at = intern_add(s->keys, key, (size_t)n);
    if (at == known) {
        mem_grow(&s->point, &s->point_capacity, at, sizeof *s->point);
        s->point[at] = (struct point){ .metric = metric, .line = line, .value = value };
    }
    return &s->point[at];
}

static int on_row(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct sweep *s = self;
    double number;
    for (size_t m = 0; m < s->r->metrics; m++) {
        struct panel *p = &s->panel[m];
        const struct cell *x = &row->cell[s->x->column];
        if (strcmp(row->cell[at[METRIC]].text, p->metric.metric) != 0 ||
            strcmp(row->cell[at[SCOPE]].text, p->metric.scope) != 0)
            continue;
        if (result_number(row, at[VALUE], &number, err))
            return -1;
        if (isnan(number))
            continue;
        const char *line = line_of(s, row);
        uint32_t l = intern_add(s->lines, line, strlen(line));
        sample_add(&point_of(s, m, l, intern_find(s->x->values, x->text, x->length))->sample,
                   number);
        p->unit =
            arena_text(figure_memory(s->f), row->cell[at[UNIT]].text, row->cell[at[UNIT]].length);
    }
    return 0;
}

static int read_sweep(struct sweep *s, struct error *err)
{
    const char *path = s->r->run[0].path;
    const struct result_file points = { file, columns, on_row, NULL };
    s->design = design_read(path, err);
    if (!s->design)
        return -1;
    s->x = choose_axis(s, err);
    if (!s->x || result_file_read_or_fail(path, &points, s, err))
        return -1;
    for (size_t m = 0; m < s->r->metrics; m++)
        if (!s->panel[m].unit)
            return error_set(err, "%s/%s: no value of %s with scope %s", path, file,
                             s->panel[m].metric.metric, s->panel[m].metric.scope);
    return 0;
}

/* ---- Drawing ---- */

static const char *value_text(const struct sweep *s, size_t value)
{
    return intern_text(s->x->values, (uint32_t)value);
}

static double position(const struct sweep *s, size_t value)
{
    return s->x->words ? (double)value + 1 : strtod(value_text(s, value), NULL);
}

/* Where a value stands, as a share of the axis. */
static double place_of(double x, double low, double high, bool logarithmic)
{
    if (high == low)
        return 0;
    return logarithmic ? log(x / low) / log(high / low) : (x - low) / (high - low);
}

/* Tics at values that runs had, as many as there is room for; names all. Of a panel as wide as a
 * third of the picture, or of one that is asked for alone twice that. */
static void place_tics(const struct sweep *s, double low, double high, bool logarithmic)
{
    double wide = s->r->metrics == 1 ? TIC_ROOM * 2 : TIC_ROOM, end = -1;
    size_t n = intern_count(s->x->values), tics = 0;
    for (size_t i = 0; i < n; i++) {
        const char *text = name_clean(figure_memory(s->f), value_text(s, s->order[i]), PLACE_WIDE);
        double half = ((double)text_width(text) + 2) / 2 / wide,
               at = place_of(position(s, s->order[i]), low, high, logarithmic);
        if (!s->x->words && tics && at - half < end)
            continue;
        end = at + half;
        fact_tic(s->f, text, "place%zu", ++tics);
        fact(s->f, position(s, s->order[i]), "place_at%zu", tics);
    }
    fact(s->f, (double)tics, "tics");
}

/* Where the values stand on the axis, and in what order. */
static void place_values(struct sweep *s)
{
    size_t n = intern_count(s->x->values);
    s->order = mem_new(n, sizeof *s->order);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && position(s, s->order[at - 1]) > position(s, i); at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
    double low = position(s, s->order[0]), high = position(s, s->order[n - 1]);
    fact(s->f, low, "low");
    fact(s->f, high, "high");
    fact(s->f, low > 0 && high / low >= 30, "logarithmic");
    fact(s->f, s->x->words, "words");
    fact(s->f, (double)n, "places");
    place_tics(s, low, high, low > 0 && high / low >= 30);
}

static const struct point *find_point(const struct sweep *s, size_t metric, size_t line,
                                      size_t value)
{
    char key[80];
    int n = snprintf(key, sizeof key, "%zu %zu %zu", metric, line, value);
    uint32_t at = intern_find(s->keys, key, (size_t)n);
    return at == INTERN_NONE ? NULL : &s->point[at];
}

static void draw_line(const struct sweep *s, size_t m, size_t l)
{
    struct table *t = figure_table(s->f, "position,mean,low,high,x,n", "line%zu_%zu", m + 1, l + 1);
    table_label(t, "metric", s->panel[m].metric.metric);
    table_label(t, "scope", s->panel[m].metric.scope);
    table_label(t, "unit", s->panel[m].unit);
    table_label(t, "line", intern_text(s->lines, (uint32_t)l));
    for (size_t k = 0; k < intern_count(s->x->values); k++) {
        const struct point *p = find_point(s, m, l, s->order[k]);
        if (!p)
            continue;
        table_numbers(t, 4,
                      (double[]){ position(s, p->value), p->of.mean, p->of.mean - p->of.half,
                                  p->of.mean + p->of.half });
        table_text(t, value_text(s, p->value));
        table_number(t, (double)p->of.n);
    }
}

/* Where no mean is below zero the axis begins there, though intervals may not. */
static size_t estimate_points(struct sweep *s)
{
    size_t seeds = 0;
    for (uint32_t i = 0; i < intern_count(s->keys); i++) {
        struct point *p = &s->point[i];
        struct panel *panel = &s->panel[p->metric];
        p->of = estimate_mean(p->sample.value, p->sample.n);
        double half = s->r->canvas.format == PLOT_TERM ? 0 : p->of.half; /* it has no bands */
        panel->most = fmax(panel->most, p->of.mean + half);
        panel->least = p->of.mean < 0 ? fmin(panel->least, p->of.mean - half) : panel->least;
        seeds = p->of.n > seeds ? p->of.n : seeds;
    }
    return seeds;
}

/* A panel of sweep.gp, beside its margins and the room above the highest value. */
static double panel_high(const struct sweep *s)
{
    double paper = canvas_layout(&s->r->canvas);
    return ((paper > 0 ? .55 * paper + 60 - 82 : 330 - 92)) / 1.06;
}

/* The names of lines stand at their ends, in each panel, where these are at the same value and not
 * too near. */
static bool names_at_ends(const struct sweep *s, size_t longest)
{
    enum { LINES_MOST = 6, NAME_MOST = 16 };
    size_t lines = intern_count(s->lines), last = s->order[intern_count(s->x->values) - 1];
    bool fit = s->r->canvas.format != PLOT_TERM && !s->x->words && lines <= LINES_MOST &&
               longest <= NAME_MOST && (canvas_layout(&s->r->canvas) > 0 || s->r->metrics == 1);
    for (size_t m = 0; m < s->r->metrics && fit; m++) {
        const struct panel *p = &s->panel[m];
        double y[LINES_MOST];
        for (size_t l = 0; l < lines && fit; l++) {
            const struct point *end = find_point(s, m, l, last);
            fit = end != NULL;
            y[l] = end ? (end->of.mean - p->least) / (p->most - p->least) * panel_high(s) : 0;
        }
        fit = fit && names_apart(y, lines);
    }
    return fit;
}

static void draw(struct sweep *s)
{
    size_t lines = intern_count(s->lines), longest = 0, seeds = estimate_points(s);
    place_values(s);
    for (size_t m = 0; m < s->r->metrics; m++) {
        const struct panel *p = &s->panel[m];
        struct metric_axis axis = metric_axis(&p->metric, p->unit, p->most);
        for (size_t l = 0; l < lines; l++)
            draw_line(s, m, l);
        fact_text(s->f, p->metric.title, "title%zu", m + 1);
        fact_text(s->f, axis.unit, "unit%zu", m + 1);
        fact(s->f, axis.scale, "scale%zu", m + 1);
        fact(s->f, p->most / axis.scale, "most%zu", m + 1);
        fact(s->f, p->least / axis.scale, "least%zu", m + 1);
    }
    for (size_t l = 0; l < lines; l++) {
        const char *name = intern_text(s->lines, (uint32_t)l);
        longest = text_width(name) > longest ? text_width(name) : longest;
        fact_text(s->f, name, "name%zu", l + 1);
    }
    fact(s->f, (double)lines, "n");
    fact(s->f, (double)s->r->metrics, "panels");
    fact(s->f, (double)seeds, "seeds");
    fact_text(s->f, name_clean(figure_memory(s->f), s->x->name, NAME_WIDE), "x_name");
    fact(s->f, (double)longest, "longest");
    fact(s->f, names_at_ends(s, longest), "direct");
    figure_keys(s->f, lines, true, "name");
    figure_note(s->f, seeds > 1 ? words(figure_memory(s->f), "mean over %zu seeds", seeds) : "");
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct sweep s = { .r = r,
                       .f = f,
                       .lines = intern_new(),
                       .keys = intern_new(),
                       .panel = mem_new(r->metrics, sizeof *s.panel) };
    (void)k;
    for (size_t m = 0; m < r->metrics; m++)
        s.panel[m].metric = shown_metric(figure_memory(f), r->metric[m]);
    int result = read_sweep(&s, err);
    if (result == 0)
        draw(&s);
    for (uint32_t i = 0; i < intern_count(s.keys); i++)
        sample_free(&s.point[i].sample);
    free(s.point);
    design_free(s.design);
    free(s.order);
    free(s.panel);
    intern_free(s.lines);
    intern_free(s.keys);
    return result;
}

const struct kind sweep_kind = {
    .name = "sweep",
    .least = 1,
    .most = 1,
    .file = { "sweep.csv" },
    .columns = "metric,scope,unit,line,x,n,mean,low,high",
    .script = "sweep.gp",
    .make = make,
};
