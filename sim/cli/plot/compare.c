/* compare.c - metrics of runs side by side: a bar for each run, or the mean over a group of
 * replications with its interval of 95 %. Runs are directories, or the points of a sweep, of which
 * sweep.csv has the numbers. */
#include "sim/cli/frame/result_file.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/design.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/metrics.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/words.h"
#include "sim/study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one metric. */
struct compared {
    struct shown_metric metric;
    const char *unit;     /* of summary.csv; NULL: no run has a value */
    struct sample *group; /* [groups] values of the runs in it; owned */
    struct estimate *of;  /* [groups] */
    double most, least;   /* of the intervals and 0; of the means and 0 */
};
struct comparison {
    const struct plot_request *r;
    struct figure *f;
    struct compared *metric; /* [r->metrics] */
    struct design *design;   /* NULL: the runs are directories */
    size_t groups;
    const char *const *group_label;
    size_t *runs;       /* [groups] */
    size_t *group_of;   /* [points of the design] */
    size_t reading;     /* group of the run that is read */
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
        one->unit = arena_text(figure_memory(c->f), f->text[3], strlen(f->text[3]));
    }
}

static int read_runs(struct comparison *c, struct error *err)
{
    static const char *const columns[] = { "$metric", "$scope", "value", "$unit", NULL };
    for (size_t i = 0; i < c->r->n; i++) {
        c->reading = c->r->run[i].group;
        c->runs[c->reading]++;
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
    c->reading = c->group_of[intern_find(c->design->points, point->text, point->length)];
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
    const struct plot_request *r = c->r;
    struct arena *a = figure_memory(c->f);
    c->label = arena_alloc(a, c->groups * sizeof *c->label);
    for (size_t g = 0; g < c->groups; g++) {
        size_t runs = c->runs[g];
        c->many = c->many || runs > 1;
        const char *label = c->group_label[g];
        label = r->canvas.format == PLOT_TERM ? name_clean(a, label, r->canvas.columns / 2) : label;
        c->label[g] = runs > 1 ? words(a, "%s (%zu runs)", label, runs) : label;
        c->longest = text_width(c->label[g]) > c->longest ? text_width(c->label[g]) : c->longest;
        fact_tic(c->f, c->label[g], "label%zu", g + 1);
    }
}

static void estimate_groups(struct compared *one, size_t groups)
{
    for (size_t g = 0; g < groups; g++) {
        struct estimate e = one->of[g] = estimate_mean(one->group[g].value, one->group[g].n);
        one->most = e.n ? fmax(one->most, e.mean + e.half) : one->most;
        one->least = e.n ? fmin(one->least, e.mean) : one->least;
    }
}

static const char *text_of(const struct comparison *c, const struct compared *one, size_t g)
{
    const struct estimate *e = &one->of[g];
    return e->n ? metric_text(figure_memory(c->f), &one->metric, one->unit, e->mean, e->half)
                : "no value";
}

static void draw_metric(const struct comparison *c, const struct compared *one, size_t m)
{
    struct metric_axis axis = metric_axis(&one->metric, one->unit, one->most);
    struct table *t =
        figure_table(c->f, "bar,row,text,whisker,run,n,mean,half_width", "bars%zu", m + 1);
    table_label(t, "metric", one->metric.metric);
    table_label(t, "scope", one->metric.scope);
    table_label(t, "unit", one->unit);
    for (size_t g = 0; g < c->groups; g++) {
        const struct estimate *e = &one->of[g];
        table_numbers(t, 2, (double[]){ e->n ? e->mean / axis.scale : 0, (double)g + 1 });
        table_text(t, text_of(c, one, g));
        table_number(t, e->half / axis.scale);
        table_text(t, c->label[g]);
        table_numbers(t, 3, (double[]){ (double)e->n, e->mean, e->n > 1 ? e->half : (double)NAN });
    }
    fact_text(c->f, one->metric.title, "title%zu", m + 1);
    fact_text(c->f, *axis.unit ? axis.unit : " ", "unit%zu", m + 1);
    fact(c->f, one->most / axis.scale, "most%zu", m + 1);
    fact(c->f, one->least / axis.scale, "least%zu", m + 1);
}

/* ---- On a terminal ---- */

static void put_bar(const struct comparison *c, const struct compared *one, size_t g, int room,
                    FILE *to)
{
    const struct estimate *e = &one->of[g];
    int length = e->n && one->most > 0 && e->mean > 0 ? (int)(e->mean / one->most * room + .5) : 0;
    fprintf(to, "  %s |", padded(figure_memory(c->f), c->label[g], (int)c->longest));
    if (c->r->canvas.colour)
        fprintf(to, "\033[%dm", 31 + (int)(g % 6));
    while (length-- > 0)
        putc('#', to);
    fprintf(to, "%s %s\n", c->r->canvas.colour ? "\033[0m" : "", text_of(c, one, g));
}

static void put_text(const struct comparison *c)
{
    FILE *to = figure_text(c->f);
    int room = c->r->canvas.columns - (int)c->longest - (c->many ? 24 : 16);
    for (size_t m = 0; m < c->r->metrics; m++) {
        fprintf(
            to, "%s  %s\n", m ? "\n" : "",
            name_clean(figure_memory(c->f), c->metric[m].metric.title, c->r->canvas.columns - 2));
        for (size_t g = 0; g < c->groups; g++)
            put_bar(c, &c->metric[m], g, room < 10 ? 10 : room, to);
    }
    if (c->many)
        fputs("\n  mean over the runs of each, and the 95 % confidence interval of it\n", to);
}

static void draw(struct comparison *c)
{
    label_groups(c);
    for (size_t m = 0; m < c->r->metrics; m++) {
        estimate_groups(&c->metric[m], c->groups);
        draw_metric(c, &c->metric[m], m);
    }
    fact(c->f, (double)c->groups, "n");
    fact(c->f, (double)c->r->metrics, "panels");
    fact(c->f, c->many, "many");
    fact(c->f, (double)c->longest, "longest");
    if (c->r->canvas.format == PLOT_TERM)
        put_text(c);
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct comparison c = { .r = r, .f = f, .metric = mem_new(r->metrics, sizeof *c.metric) };
    (void)k;
    int result = begin(&c, err);
    if (result == 0)
        draw(&c);
    for (size_t m = 0; m < r->metrics; m++)
        for (size_t g = 0; g < c.groups; g++)
            sample_free(&c.metric[m].group[g]);
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
