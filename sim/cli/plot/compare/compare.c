/* compare.c - metrics of runs side by side: a bar for each run, or the mean over a group of
 * replications with its interval of 95 %. Runs are directories, or the points of a sweep, of which
 * sweep.csv has the numbers.
 *
 * normalised: the same over the first of them, runs of one seed over each other (ratios.h): a
 * difference that all seeds share is not hidden by what they differ in. pareto: two metrics against
 * each other. What no other one beats in both, by the better direction of each metric, is on the
 * front. */
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/compare/design.h"
#include "sim/cli/plot/compare/metrics.h"
#include "sim/cli/plot/compare/ratios.h"
#include "sim/cli/plot/names/place.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"
#include "sim/results/summary.h"
#include "sim/study/sample.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one metric. */
struct compared {
    struct shown_metric metric;
    const char *unit;     /* of summary.csv; NULL: no run has a value */
    struct sample *group; /* [groups] values of the runs in it; owned */
    struct sample *seed;  /* [groups] the seeds of these values; owned */
    struct estimate *of;  /* [groups]; with ratios of half width 0 */
    struct ratio *ratio;  /* [groups]; NULL: not normalised */
    double most, least;   /* of the intervals and 0; of the means and 0 */
};
enum compare_as { BARS, NORMALISED, PARETO };
struct comparison {
    enum compare_as as;
    const struct plot_request *r;
    struct figure *f;
    struct compared *metric; /* [r->metrics] */
    struct design *design;   /* NULL: the runs are directories */
    size_t groups;
    const char *const *group_label;
    size_t *runs;       /* [groups] */
    size_t *group_of;   /* [points of the design] */
    size_t reading;     /* group of the run that is read */
    double seed;        /* of that run */
    const char **label; /* [groups] */
    bool many;          /* some group has several runs */
    size_t longest;     /* label */
};

static void on_metric(void *self, const struct fields *f)
{
    struct comparison *c = self;
    for (size_t m = 0; m < c->r->metrics; m++) {
        struct compared *one = &c->metric[m];
        if (isnan(f->number[2]) || strcmp(f->text[0], one->metric.metric) != 0 ||
            strcmp(f->text[1], one->metric.scope) != 0)
            continue;
        sample_add(&one->group[c->reading], f->number[2]);
        sample_add(&one->seed[c->reading], c->seed);
        one->unit = arena_text(figure_memory(c->f), f->text[3], strlen(f->text[3]));
    }
}

static int read_runs(struct comparison *c, struct error *err)
{
    static const char *const columns[] = { "$metric", "$scope", "value", "$unit", NULL };
    for (size_t i = 0; i < c->r->n; i++) {
        c->reading = c->r->run[i].group;
        c->runs[c->reading]++;
        c->seed = (double)c->r->run[i].seed;
        if (rows_read(c->r->run[i].path, "summary.csv", columns, on_metric, c, err))
            return -1;
    }
    return 0;
}

static int on_point(void *self, const struct row *row, const size_t *at, struct error *err)
{
    struct comparison *c = self;
    struct fields f = { .text = { row->cell[at[0]].text, row->cell[at[1]].text, NULL,
                                  row->cell[at[3]].text } };
    const struct cell *point = &row->cell[at[4]];
    if (result_number(row, at[2], &f.number[2], err))
        return -1;
    uint32_t at_point = intern_find(c->design->points, point->text, point->length);
    c->reading = c->group_of[at_point];
    c->seed = strtod(c->design->point[at_point].seed, NULL);
    on_metric(c, &f);
    return 0;
}

static int read_sweep(struct comparison *c, struct error *err)
{
    static const char *const columns[] = { "metric", "scope", "value", "unit", "point", NULL };
    return result_file_read_or_fail(
        c->r->run[0].path, &(struct result_file){ SWEEP_FILE, columns, on_point, NULL }, c, err);
}

/* Points that differ in the seed alone are a group; groups stand in the order of their points. */
static void group_points(struct comparison *c)
{
    const struct design *d = c->design;
    struct arena *a = figure_memory(c->f);
    size_t n = design_points(d);
    const struct design_point **point = arena_alloc(a, n * sizeof *point);
    const char **label = arena_alloc(a, n * sizeof *label);
    c->group_of = arena_alloc(a, n * sizeof *c->group_of);
    c->runs = arena_alloc(a, n * sizeof *c->runs);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && design_compare(d, point[at - 1], &d->point[i]) > 0; at--)
            point[at] = point[at - 1];
        point[at] = &d->point[i];
    }
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || memcmp(point[i - 1]->value, point[i]->value,
                                      d->parameters * sizeof *point[i]->value) != 0;
        if (first) {
            const char *text = design_label(d, point, n, point[i], false, a);
            label[c->groups++] = *text ? text : c->r->run[0].label;
        }
        c->group_of[point[i] - d->point] = c->groups - 1;
        c->runs[c->groups - 1]++;
    }
    c->group_label = label;
}

static int begin(struct comparison *c, struct error *err)
{
    const struct plot_request *r = c->r;
    struct arena *a = figure_memory(c->f);
    bool sweep = r->n == 1 && rows_lines(r->run[0].path, SWEEP_FILE);
    if (sweep && !(c->design = design_read(r->run[0].path, err)))
        return -1;
    if (sweep)
        group_points(c);
    else {
        c->groups = r->groups;
        c->group_label = r->group_label;
        c->runs = arena_alloc(a, r->groups * sizeof *c->runs);
    }
    for (size_t m = 0; m < r->metrics; m++)
        c->metric[m] =
            (struct compared){ .metric = shown_metric(a, r->metric[m]),
                               .group = arena_alloc(a, c->groups * sizeof(struct sample)),
                               .seed = arena_alloc(a, c->groups * sizeof(struct sample)),
                               .of = arena_alloc(a, c->groups * sizeof(struct estimate)) };
    if (sweep ? read_sweep(c, err) : read_runs(c, err))
        return -1;
    for (size_t m = 0; m < r->metrics; m++)
        if (!c->metric[m].unit)
            return error_set(err, "%s: no run has a value of %s with scope %s",
                             sweep ? SWEEP_FILE : "summary.csv", c->metric[m].metric.metric,
                             c->metric[m].metric.scope);
    return 0;
}

static void label_groups(struct comparison *c)
{
    struct arena *a = figure_memory(c->f);
    c->label = arena_alloc(a, c->groups * sizeof *c->label);
    for (size_t g = 0; g < c->groups; g++) {
        size_t runs = c->runs[g];
        c->many = c->many || runs > 1;
        const char *label = c->group_label[g];
        c->label[g] = runs > 1 ? words(a, "%s (%zu runs)", label, runs) : label;
        c->longest = text_width(c->label[g]) > c->longest ? text_width(c->label[g]) : c->longest;
        fact_tic(c->f, c->label[g], "label%zu", g + 1);
    }
}

/* The bounds of the interval. */
static double low_of(const struct compared *one, size_t g)
{
    return one->ratio ? one->ratio[g].low : one->of[g].mean - one->of[g].half;
}

static double high_of(const struct compared *one, size_t g)
{
    return one->ratio ? one->ratio[g].high : one->of[g].mean + one->of[g].half;
}

static void estimate_groups(struct compared *one, size_t groups)
{
    for (size_t g = 0; g < groups; g++) {
        struct estimate e = one->ratio
                                ? (struct estimate){ one->ratio[g].mean, 0, one->ratio[g].n }
                                : estimate_mean(one->group[g].value, one->group[g].n);
        one->of[g] = e;
        if (!e.n)
            continue;
        one->most = fmax(one->most, isfinite(high_of(one, g)) ? high_of(one, g) : e.mean);
        one->least = fmin(one->least, e.mean);
    }
}

static const char *text_of(const struct comparison *c, const struct compared *one, size_t g)
{
    const struct estimate *e = &one->of[g];
    struct arena *a = figure_memory(c->f);
    if (!e->n)
        return "no value";
    return one->ratio && high_of(one, g) > low_of(one, g)
               ? words(a, "%.3g (%.3g to %.3g)", e->mean, low_of(one, g), high_of(one, g))
               : metric_text(a, &one->metric, one->unit, e->mean, e->half);
}

static void draw_metric(const struct comparison *c, const struct compared *one, size_t m)
{
    struct metric_axis axis = metric_axis(&one->metric, one->unit, one->most);
    struct table *t = figure_table(
        c->f, "bar,row,text,from,to,run,n,mean,half_width,low,high", "bars%zu", m + 1);
    table_label(t, "metric", one->metric.metric);
    table_label(t, "scope", one->metric.scope);
    table_label(t, "unit", one->unit);
    size_t widest = 0;
    for (size_t g = 0; g < c->groups; g++) {
        const struct estimate *e = &one->of[g];
        double low = low_of(one, g), high = high_of(one, g), none = (double)NAN;
        const char *text = text_of(c, one, g);
        widest = text_width(text) > widest ? text_width(text) : widest;
        table_numbers(t, 2, (double[]){ e->n ? e->mean / axis.scale : 0, (double)g + 1 });
        table_text(t, text);
        table_numbers(t, 2, (double[]){ e->n ? low / axis.scale : 0,
                                        e->n ? fmin(high, one->most) / axis.scale : 0 });
        table_text(t, c->label[g]);
        table_numbers(t, 5, (double[]){ (double)e->n, e->mean, e->n > 1 ? e->half : none,
                                        e->n > 1 ? low : none, e->n > 1 ? high : none });
    }
    fact_text(c->f, one->metric.title, "title%zu", m + 1);
    fact_text(c->f, *axis.unit ? axis.unit : " ", "unit%zu", m + 1);
    fact(c->f, one->most / axis.scale, "most%zu", m + 1);
    fact(c->f, one->least / axis.scale, "least%zu", m + 1);
    fact(c->f, (double)widest, "widest%zu", m + 1);
}

/* ---- Over the first ---- */

/* The value of a group with this seed; NaN: none. */
static double value_with(const struct compared *one, size_t g, double seed)
{
    for (size_t i = 0; i < one->seed[g].n; i++)
        if (one->seed[g].value[i] == seed)
            return one->group[g].value[i];
    return (double)NAN;
}

static void normalise(struct comparison *c)
{
    struct arena *a = figure_memory(c->f);
    /* A paper says it once, below all panels. */
    double paper = canvas_layout(&c->r->canvas);
    int room = paper > 0 ? (int)(paper / 7) - (int)sizeof "over that of " : NAME_WIDE;
    const char *over = words(a, "over that of %s", name_clean(a, c->group_label[0], room));
    fact_text(c->f, over, "over");
    for (size_t m = 0; m < c->r->metrics; m++) {
        struct compared *one = &c->metric[m];
        one->ratio = arena_alloc(a, c->groups * sizeof *one->ratio);
        for (size_t g = 0; g < c->groups; g++) {
            struct sample base = { 0 }, value = { 0 };
            for (size_t i = 0; i < one->group[g].n; i++) {
                double of = value_with(one, 0, one->seed[g].value[i]);
                if (isnan(of))
                    continue;
                sample_add(&base, of);
                sample_add(&value, one->group[g].value[i]);
            }
            one->ratio[g] = ratio_of_pairs(base.value, value.value, base.n);
            sample_free(&base);
            sample_free(&value);
        }
        one->unit = "";
        one->metric.share = false;
        if (c->r->canvas.format == PLOT_TERM)
            one->metric.title = words(a, "%s, %s", one->metric.title, over);
    }
}

/* ---- Two metrics against each other ---- */

static enum better better_of(const struct compared *one)
{
    const struct metric_kind *kind = metric_find(one->metric.metric);
    return kind ? kind->better : BETTER_NEITHER;
}

/* Not worse in the one metric; *better: better in it. */
static bool holds_up(const struct compared *one, size_t g, size_t other, bool *better)
{
    double x = one->of[g].mean, y = one->of[other].mean;
    bool lower = better_of(one) == BETTER_LOWER;
    *better = *better || (lower ? x < y : x > y);
    return lower ? x <= y : x >= y;
}

static bool on_front(const struct comparison *c, size_t g)
{
    const struct compared *x = &c->metric[0], *y = &c->metric[1];
    if (better_of(x) == BETTER_NEITHER || better_of(y) == BETTER_NEITHER)
        return false;
    for (size_t k = 0; k < c->groups; k++) {
        bool better = false;
        if (k != g && x->of[k].n && y->of[k].n && holds_up(x, k, g, &better) &&
            holds_up(y, k, g, &better) && better)
            return false;
    }
    return true;
}

/* The frame of pareto.gp: its width and height beside the margins. */
static void frame_of(const struct canvas *canvas, double *wide, double *high)
{
    double paper = canvas_layout(canvas);
    *wide = (paper > 0 ? paper : 960) - (paper > 0 ? 80 : 100);
    *high = paper > 0 ? .62 * paper - 40 : 390;
}

/* The bounds of an axis, with room beside what it shows. */
struct bounds { double low, high; bool logarithmic; };

static struct bounds bounds_of(double least, double most)
{
    enum { LOGARITHMIC = 20 }; /* an axis over so many times its least value */
    if (least > 0 && most / least >= LOGARITHMIC)
        return (struct bounds){ least / 1.6, most * 1.6, true };
    return (struct bounds){ 0, most > 0 ? most * 1.1 : 1, false };
}

static double part_of(const struct bounds *b, double x)
{
    return b->logarithmic ? log(x / b->low) / log(b->high / b->low)
                          : (x - b->low) / (b->high - b->low);
}

/* Of the interval of any mean: they run through what stands beside the points. */
static bool has_whiskers(const struct comparison *c)
{
    for (size_t g = 0; g < c->groups; g++)
        for (size_t k = 0; k < 2; k++)
            if (c->metric[k].of[g].n > 1 && c->metric[k].of[g].half > 0)
                return true;
    return false;
}

/* Names stand beside their points if they fit there; else there is a legend. */
static void place_names(struct comparison *c, const struct bounds *x, const struct bounds *y,
                        const double *at, size_t n, const char *const *name)
{
    double wide, high;
    struct spot *spot = mem_new(n, sizeof *spot);
    int *side = mem_new(n, sizeof *side);
    frame_of(&c->r->canvas, &wide, &high);
    for (size_t i = 0; i < n; i++)
        spot[i] = (struct spot){ part_of(x, at[2 * i]) * wide, part_of(y, at[2 * i + 1]) * high,
                                 text_width(name[i]) };
    bool may = c->r->canvas.format != PLOT_TERM && !has_whiskers(c);
    fact(c->f, may && names_beside(spot, n, wide, side), "direct");
    for (size_t i = 0; i < n; i++)
        fact(c->f, side[i], "side%zu", i + 1);
    free(spot);
    free(side);
}

static void draw_points(struct comparison *c)
{
    const struct compared *of[2] = { &c->metric[0], &c->metric[1] };
    struct metric_axis axis[2];
    struct bounds bounds[2];
    double *at = mem_new(2 * c->groups, sizeof *at);
    const char **name = mem_new(c->groups, sizeof *name);
    double least[2] = { INFINITY, INFINITY };
    struct table *t = figure_table(
        c->f, "at_x,at_y,bar_x,bar_y,front,group,run,x,y,half_x,half_y,on_front", "points");
    for (size_t k = 0; k < 2; k++) {
        const char *unit;
        axis[k] = metric_axis(&of[k]->metric, of[k]->unit, of[k]->most);
        unit = axis[k].unit;
        fact_text(c->f,
                  *unit ? words(figure_memory(c->f), "%s (%s)", of[k]->metric.title, unit)
                        : of[k]->metric.title,
                  "axis%zu", k + 1);
        fact_text(c->f,
                  better_of(of[k]) == BETTER_LOWER    ? "less is better"
                  : better_of(of[k]) == BETTER_HIGHER ? "more is better"
                                                      : "",
                  "better%zu", k + 1);
    }
    for (size_t g = 0; g < c->groups; g++) {
        const struct estimate *x = &of[0]->of[g], *y = &of[1]->of[g];
        if (!x->n || !y->n)
            continue;
        bool front = on_front(c, g);
        least[0] = fmin(least[0], x->mean);
        least[1] = fmin(least[1], y->mean);
        at[2 * table_rows(t)] = x->mean;
        at[2 * table_rows(t) + 1] = y->mean;
        name[table_rows(t)] = c->label[g];
        fact_text(c->f, c->label[g], "point%zu", table_rows(t) + 1);
        figure_key(c->f, table_rows(t) + 1, true,
                   words(figure_memory(c->f), "%s: %s, %s%s", c->label[g], text_of(c, of[0], g),
                         text_of(c, of[1], g), front ? "; no other beats it in both" : ""));
        table_numbers(t, 4,
                      (double[]){ x->mean / axis[0].scale, y->mean / axis[1].scale,
                                  x->half / axis[0].scale, y->half / axis[1].scale });
        table_numbers(t, 2, (double[]){ front, (double)g + 1 });
        table_text(t, c->label[g]);
        table_numbers(t, 2, (double[]){ x->mean, y->mean });
        table_number(t, x->n > 1 ? x->half : (double)NAN);
        table_number(t, y->n > 1 ? y->half : (double)NAN);
        table_text(t, front ? "yes" : "no");
    }
    for (size_t k = 0; k < 2; k++) {
        bounds[k] = bounds_of(least[k], of[k]->most);
        fact(c->f, bounds[k].low / axis[k].scale, "low%zu", k + 1);
        fact(c->f, bounds[k].high / axis[k].scale, "high%zu", k + 1);
        fact(c->f, bounds[k].logarithmic, "logarithmic%zu", k + 1);
    }
    place_names(c, &bounds[0], &bounds[1], at, table_rows(t), name);
    free(at);
    free(name);
    fact(c->f, (double)table_rows(t), "points");
}

/* ---- On a terminal ---- */

static void put_bar(const struct comparison *c, const struct compared *one, size_t g, FILE *to)
{
    int columns = c->r->canvas.columns;
    int text = !c->many ? 12 : one->ratio ? 26 : 20;          /* "0.0998 (0.0757 to 0.148)" */
    bool beside = (int)c->longest + 4 + text < columns;          /* name, bar and text fit a line */
    int room = columns - text -
               put_bar_name(to, figure_memory(c->f), c->label[g],
                            beside ? c->longest : (size_t)columns, columns);
    const struct estimate *e = &one->of[g];
    int length = e->n && one->most > 0 && e->mean > 0 ? (int)(e->mean / one->most * room + .5) : 0;
    if (c->r->canvas.colour)
        fprintf(to, "\033[%dm", 31 + (int)(g % 6));
    while (length-- > 0)
        putc('#', to);
    fprintf(to, "%s %s\n", c->r->canvas.colour ? "\033[0m" : "", text_of(c, one, g));
}

static void put_text(const struct comparison *c)
{
    FILE *to = figure_text(c->f);
    for (size_t m = 0; m < c->r->metrics; m++) {
        const char *title = name_clean(figure_memory(c->f), c->metric[m].metric.title, INT_MAX);
        fputs(m ? "\n" : "", to);
        text_wrap(to, title, 0, 2, (size_t)c->r->canvas.columns);
        for (size_t g = 0; g < c->groups; g++)
            put_bar(c, &c->metric[m], g, to);
    }
    if (c->many)
        putc('\n', to);
    if (c->many)
        text_wrap(to, "mean over the runs of each, and the 95 % confidence interval of it", 0, 2,
                  (size_t)c->r->canvas.columns);
}

static void draw(struct comparison *c)
{
    label_groups(c);
    if (c->as == NORMALISED)
        normalise(c);
    else
        fact_text(c->f, "", "over");
    for (size_t m = 0; m < c->r->metrics; m++) {
        estimate_groups(&c->metric[m], c->groups);
        if (c->as != PARETO)
            draw_metric(c, &c->metric[m], m);
    }
    if (c->as == PARETO)
        draw_points(c);
    fact(c->f, (double)c->groups, "n");
    fact(c->f, (double)c->r->metrics, "panels");
    fact(c->f, c->many, "many");
    fact(c->f, (double)c->longest, "longest");
    if (c->r->canvas.format == PLOT_TERM && c->as != PARETO)
        put_text(c);
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct comparison c = { .r = r, .f = f, .metric = mem_new(r->metrics, sizeof *c.metric) };
    c.as = k->variant ? *(const enum compare_as *)k->variant : BARS;
    int result = c.as == PARETO && r->metrics != 2
                     ? error_set(err, "%s: want two metrics, got %zu", k->name, r->metrics)
                     : begin(&c, err);
    if (result == 0)
        draw(&c);
    for (size_t m = 0; m < r->metrics; m++)
        for (size_t g = 0; g < c.groups; g++) {
            sample_free(&c.metric[m].group[g]);
            sample_free(&c.metric[m].seed[g]);
        }
    design_free(c.design);
    free(c.metric);
    return result;
}

const struct kind compare_kind = {
    .name = "compare",
    .least = 2,
    .most = SIZE_MAX,
    .file = { "summary.csv" },
    .of_sweep = true,
    .columns = "metric,scope,unit,run,n,mean,half_width",
    .script = "compare.gp",
    .make = make,
};

static const enum compare_as normalised = NORMALISED, pareto = PARETO;
static const char *const ratios[] = { "jct_mean_s", "bounded_slowdown_mean", "wait_mean_s", NULL };
static const char *const opposed[] = { "jct_mean_s", "finish_time_fairness_p95", NULL };
const struct kind normalised_kind = {
    .name = "normalised",
    .least = 2,
    .most = SIZE_MAX,
    .file = { "summary.csv" },
    .of_sweep = true,
    .metric = ratios,
    .columns = "metric,scope,run,n,mean,low,high",
    .script = "compare.gp",
    .variant = &normalised,
    .make = make,
};
const struct kind pareto_kind = {
    .name = "pareto",
    .least = 2,
    .most = SIZE_MAX,
    .file = { "summary.csv" },
    .of_sweep = true,
    .metric = opposed,
    .columns = "run,x,half_x,y,half_y,on_front",
    .script = "pareto.gp",
    .variant = &pareto,
    .make = make,
};
