/* breakdown.c - how long jobs took and waited, apart by their size, class or queue: for each run
 * and part the 5th, 25th, 50th, 75th and 95th percentile (sample.h) of the jobs that population.h
 * counts; of runs that differ in the seed alone of the jobs of all of them.
 *
 * Sizes are GPUs in steps of powers of two: below 1, 1, 2, 3 to 4, 5 to 8 and so on. Classes and
 * queues stand by the number of their jobs over all runs, the most first; of more than ten the rest
 * are left out, and the heading says so. */
#include "sim/base/intern.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/population.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"
#include "sim/study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 10, MEASURES = 2, NAME_MOST = 20, QUANTILES = 5 };
static const double shown[QUANTILES] = { .05, .25, .5, .75, .95 };
static const char *const measure_columns[MEASURES] = { "jct_s", "wait_s" };
static const char *const measure_titles[MEASURES] = { "Job completion time", "Time in the queue" };

struct by {
    const char *column, *by, *none;
}; /* none: what an empty cell is called */
struct part {
    struct sample *sample[MEASURES];
    size_t jobs;
    double rank;
};
struct breakdown {
    const struct by *by;
    const struct plot_request *r;
    struct figure *f;
    struct intern *names;
    struct part *part;
    size_t capacity, run;
    struct population of;
    size_t *order, shown;
};

/* ---- Reading ---- */

/* The step of a size: its biggest number of GPUs. */
static double size_step(double gpus)
{
    return gpus < 1 ? 0 : exp2(ceil(log2(gpus)));
}

static const char *size_name(char to[32], double step)
{
    if (step < 1)
        return "below 1 GPU";
    if (step <= 2)
        snprintf(to, 32, "%.0f GPU%s", step, step > 1 ? "s" : "");
    else
        snprintf(to, 32, "%.0f to %.0f GPUs", step / 2 + 1, step);
    return to;
}

static struct part *part_of(struct breakdown *b, const char *name, double rank)
{
    uint32_t known = intern_count(b->names), at = intern_add(b->names, name, strlen(name));
    if (at == known) {
        struct part p = { .rank = rank };
        for (size_t m = 0; m < MEASURES; m++)
            p.sample[m] = mem_new(b->r->n, sizeof *p.sample[m]);
        mem_grow(&b->part, &b->capacity, at, sizeof *b->part);
        b->part[at] = p;
    }
    return &b->part[at];
}

static void on_job(void *self, const struct fields *f)
{
    struct breakdown *b = self;
    char text[32];
    if (population_row(&b->of, f) != COUNTED)
        return;
    bool sizes = !f->text[2];
    double step = sizes ? size_step(f->number[2]) : 0;
    const char *name = sizes ? size_name(text, step) : *f->text[2] ? f->text[2] : b->by->none;
    struct part *p = part_of(b, name, step);
    for (size_t m = 0; m < MEASURES; m++)
        if (!isnan(f->number[3 + m]))
            sample_add(&p->sample[m][b->run], f->number[3 + m]);
    p->jobs++;
}

static bool before(const struct breakdown *b, size_t x, size_t y)
{
    const struct part *p = &b->part[x], *q = &b->part[y];
    return p->rank != q->rank ? p->rank < q->rank : p->rank == 0 && p->jobs > q->jobs;
}

static void order_parts(struct breakdown *b)
{
    size_t n = intern_count(b->names);
    b->order = mem_new(n + 1, sizeof *b->order);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && before(b, i, b->order[at - 1]); at--)
            b->order[at] = b->order[at - 1];
        b->order[at] = i;
    }
    b->shown = n < PARTS_MOST ? n : PARTS_MOST;
}

static int read_runs(struct breakdown *b, const struct plot_request *of, struct error *err)
{
    const char *const columns[] = { POPULATION_COLUMNS, b->by->column, measure_columns[0],
                                    measure_columns[1], NULL };
    for (size_t i = 0; i < of->n; i++) {
        const char *path = of->run[i].path;
        b->run = of->run[i].group;
        b->of = population_begin(path);
        if (rows_read(path, "jobs.csv", columns, on_job, b, err))
            return -1;
        if (!b->of.counted)
            return error_set(err, "%s/jobs.csv: no finished job", path);
    }
    order_parts(b);
    return 0;
}

/* ---- Drawing ---- */

/* Of what is drawn of a measure. */
struct range {
    double least, most; /* least: above 0 */
    bool zero;
};

static void draw_run(const struct breakdown *b, size_t i, struct figure *f, struct range *of)
{
    for (size_t m = 0; m < MEASURES; m++) {
        struct table *t =
            figure_table(f, "row,p5,p25,p50,p75,p95,part,jobs", "boxes%zu_%zu", m + 1, i + 1);
        table_label(t, "run", b->r->run[i].label);
        table_label(t, "measure", measure_columns[m]);
        for (size_t k = 0; k < b->shown; k++) {
            struct sample *s = &b->part[b->order[k]].sample[m][i];
            if (!s->n)
                continue;
            sample_sort(s);
            table_number(t, (double)k + .5 + ((double)i + 1) / ((double)b->r->n + 1));
            for (size_t q = 0; q < QUANTILES; q++) {
                double x = sample_quantile(s, shown[q]);
                table_number(t, x);
                of[m].least = x > 0 ? fmin(of[m].least, x) : of[m].least;
                of[m].most = fmax(of[m].most, x);
                of[m].zero = of[m].zero || !(x > 0);
            }
            table_text(t, intern_text(b->names, (uint32_t)b->order[k]));
            table_number(t, (double)s->n);
        }
    }
}

/* The axis is logarithmic, over at most six powers of ten. Where some values are 0 these lie on its
 * left edge, and it begins a power of ten or more below the biggest; one value alone stands in its
 * middle. */
static void put_axis(const struct range *of, size_t m, struct figure *f)
{
    double most = of->most > 0 ? of->most : 10, least = fmax(of->least, most / 1e6);
    if (isinf(of->least))
        least = 1;
    else if (of->zero)
        least = fmin(least, most / 10);
    else if (least == most) {
        least /= 3;
        most *= 3;
    }
    fact(f, least * .8, "least%zu", m);
    fact(f, most * 1.25, "most%zu", m);
}

static void draw(const struct breakdown *b, struct figure *f)
{
    struct arena *a = figure_memory(f);
    struct range of[MEASURES] = { { .least = INFINITY }, { .least = INFINITY } };
    size_t n = intern_count(b->names), longest = 0;
    for (size_t i = 0; i < b->r->n; i++) {
        draw_run(b, i, f, of);
        fact_text(f, b->r->run[i].label, "title%zu", i + 1);
    }
    for (size_t k = 0; k < b->shown; k++) {
        const char *name = name_clean(a, intern_text(b->names, (uint32_t)b->order[k]), NAME_MOST);
        longest = text_width(name) > longest ? text_width(name) : longest;
        fact_tic(f, name, "part%zu", k + 1);
    }
    for (size_t m = 0; m < MEASURES; m++) {
        put_axis(&of[m], m + 1, f);
        fact_text(f,
                  words(a, "%s by %s%s", measure_titles[m], b->by->by,
                        n > b->shown ? words(a, " (%zu of %zu)", b->shown, n) : ""),
                  "heading%zu", m + 1);
        fact_text(f, measure_titles[m], "measure%zu", m + 1);
    }
    fact_text(f, of[0].zero || of[1].zero ? "; left edge: 0 s" : "", "zero_words");
    fact(f, (double)b->shown, "parts");
    fact(f, (double)b->r->n, "n");
    fact(f, (double)longest, "longest");
}

/* Of the percentiles every one, or, where they have no room, every other one. */
enum { ALL_WIDE = 62, CELL_WIDE = 9 };

static void put_row(const struct breakdown *b, size_t m, size_t part, size_t i, const char *name,
                    int wide, FILE *to)
{
    struct arena *a = figure_memory(b->f);
    const struct sample *s = &b->part[part].sample[m][i];
    size_t each = b->r->canvas.columns < ALL_WIDE ? 2 : 1;
    name = name_clean(a, name, b->r->canvas.columns - 2);
    bool fits = text_width(name) <= (size_t)wide;
    fprintf(to, "  %s%s%s", name, fits ? "" : "\n  ",
            padded(a, "", fits ? wide - (int)text_width(name) : wide));
    for (size_t q = 0; q < QUANTILES && s->n; q += each)
        fprintf(to, " %s", padded(a, human(a, sample_quantile(s, shown[q])), 1 - CELL_WIDE));
    putc('\n', to);
}

enum { PART_WIDE = 14 };          /* of the name of a part beside that of a run */

static size_t longest_run(const struct plot_request *r)
{
    size_t longest = 0;
    for (size_t i = 0; i < r->n; i++)
        longest = text_width(r->run[i].label) > longest ? text_width(r->run[i].label) : longest;
    return longest;
}

/* A line a run and part; where the two have no room beside each other, the part stands above. */
static void put_part(const struct breakdown *b, size_t m, size_t k, int wide, FILE *to)
{
    struct arena *a = figure_memory(b->f);
    size_t part = b->order[k];
    const char *name = intern_text(b->names, (uint32_t)part);
    bool above = b->r->n > 1 && PART_WIDE + 1 + longest_run(b->r) > (size_t)wide;
    if (above)
        fprintf(to, "  %s\n", name_clean(a, name, b->r->canvas.columns - 2));
    for (size_t i = 0; i < b->r->n; i++)
        put_row(b, m, part, i,
                above         ? b->r->run[i].label
                : b->r->n > 1 ? words(a, "%s %s", cut(a, name, PART_WIDE), b->r->run[i].label)
                              : name, wide, to);
}

static void put_text(const struct breakdown *b)
{
    static const char *const heading[QUANTILES] = { "P5", "P25", "P50", "P75", "P95" };
    struct arena *a = figure_memory(b->f);
    FILE *to = figure_text(b->f);
    size_t each = b->r->canvas.columns < ALL_WIDE ? 2 : 1;
    int cells = (int)((QUANTILES + each - 1) / each) * CELL_WIDE;
    int wide = b->r->canvas.columns - 2 - cells, name = wide < 10 ? 10 : wide > 40 ? 40 : wide;
    for (size_t m = 0; m < MEASURES; m++) {
        bool fits = text_width(measure_titles[m]) <= (size_t)name;
        fprintf(to, "%s  %s", m ? "\n" : "", measure_titles[m]);
        fprintf(to, "%s%s", fits ? "" : "\n  ",
                padded(a, "", fits ? name - (int)text_width(measure_titles[m]) : name));
        for (size_t q = 0; q < QUANTILES; q += each)
            fprintf(to, " %8s", heading[q]);
        putc('\n', to);
        for (size_t k = 0; k < b->shown; k++)
            put_part(b, m, k, name, to);
    }
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct plot_request grouped = plot_groups(r, figure_memory(f));
    struct breakdown b = { .by = k->variant, .r = &grouped, .f = f, .names = intern_new() };
    int result = read_runs(&b, r, err);
    if (result == 0)
        draw(&b, f);
    if (result == 0 && r->canvas.format == PLOT_TERM)
        put_text(&b);
    for (uint32_t i = 0; i < intern_count(b.names); i++)
        for (size_t m = 0; m < MEASURES; m++) {
            for (size_t run = 0; run < grouped.n; run++)
                sample_free(&b.part[i].sample[m][run]);
            free(b.part[i].sample[m]);
        }
    free(b.part);
    free(b.order);
    intern_free(b.names);
    return result;
}

/* ---- The kinds ---- */

static const struct by sizes = { "gpus", "size", "" };
static const struct by classes = { "$class", "class", "(no class)" };
static const struct by queues = { "$queue", "queue", "(no queue)" };

#define BREAKDOWN_COLUMNS "run,measure,part,jobs,p5,p25,p50,p75,p95"
const struct kind by_size_kind = {
    .name = "by_size",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = BREAKDOWN_COLUMNS,
    .script = "breakdown.gp",
    .variant = &sizes,
    .make = make,
};
const struct kind by_class_kind = {
    .name = "by_class",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = BREAKDOWN_COLUMNS,
    .script = "breakdown.gp",
    .variant = &classes,
    .make = make,
};
const struct kind by_queue_kind = {
    .name = "by_queue",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = BREAKDOWN_COLUMNS,
    .script = "breakdown.gp",
    .variant = &queues,
    .make = make,
};
