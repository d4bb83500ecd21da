/* distributions.c - how jobs fared, as distributions: jct_cdf, wait_cdf, slowdown_cdf. See
 * distributions.h. */
#include "sim/cli/plot/distributions.h"

#include "sim/cli/frame/term.h"
#include "sim/cli/plot/names/labels.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

static void on_job(void *self, const struct fields *f)
{
    struct distribution *d = self;
    double value = f->number[2];
    if (population_row(&d->of, f) != COUNTED || isnan(value))
        return;
    sample_add(&d->sample, value);
    d->zero += value == 0;
}

int distributions_read(const struct plot_request *r, const char *column, struct distribution *of,
                       struct error *err)
{
    const char *const columns[] = { POPULATION_COLUMNS, column, NULL };
    for (size_t i = 0; i < r->n; i++) {
        of[i].of = population_begin(r->run[i].path);
        if (rows_read(r->run[i].path, "jobs.csv", columns, on_job, &of[i], err))
            return -1;
        if (!of[i].sample.n)
            return error_set(err, "%s/jobs.csv: %s", r->run[i].path,
                             of[i].of.rows ? "no finished job" : "no jobs");
    }
    return 0;
}

void distributions_free(struct distribution *of, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sample_free(&of[i].sample);
        free(of[i].seed);
    }
    free(of);
}

/* ---- Drawing ---- */

enum { SHORT_AXIS = 6 };   /* its end over its beginning: as from 10 min to 1 h, two usual tics */
#define PERCENT_MOST 101.5 /* of the axis, so that a curve along the top is seen */

/* The biggest of 1, 2 and 5 times a power of ten that is below x. */
static double step_below(double x)
{
    static const double steps[] = { 5, 2, 1 };
    double p = pow(10, floor(log10(x)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * p < x * (1 - 1e-9))
            return steps[i] * p;
    return 5 * p / 10;
}

struct range {
    double least, biggest;
};

static double smallest_above_zero(const struct sample *s)
{
    for (size_t k = 0; k < s->n; k++)
        if (s->value[k] > 0)
            return s->value[k];
    return INFINITY;
}

static struct range range_of(const struct distribution *of, size_t n, enum axis_start start)
{
    double smallest = INFINITY, biggest = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sample *s = &of[i].sample;
        smallest = fmin(smallest, smallest_above_zero(s));
        biggest = s->n ? fmax(biggest, s->value[s->n - 1]) : biggest;
    }
    if (biggest == 0)
        smallest = biggest = 1;
    bool times = start == START_BELOW;
    bool clipped = times && smallest < 1 && biggest >= 1000; /* parts of a second say nothing */
    smallest = fmax(smallest, biggest / 1e6);
    double least = start == START_AT_ONE || clipped ? 1
                   : times                            ? step_below(smallest)
                                                      : smallest * 0.9;
    return (struct range){ least, (biggest <= least ? least * 10 : biggest) * 1.15 };
}

/* What the height says at which a curve of waits starts. */
static const char *start_text(struct arena *a, const struct distribution *of, size_t n,
                              double least)
{
    bool more = false;
    for (size_t i = 0; i < n; i++)
        more = more || smallest_above_zero(&of[i].sample) <= least;
    return more ? words(a, "that waited %s or less", human(a, least)) : "that did not wait";
}

/* The lowest and the highest share of the values of any run of a group that are at most x; NaN of
 * one run. x does not fall from call to call; at: [seeds] how many are. */
struct band {
    double low, high;
};

static struct band band_at(const struct distribution *d, double x, size_t *at)
{
    struct band b = { d->seeds ? 1 : (double)NAN, d->seeds ? 0 : (double)NAN };
    for (size_t k = 0; k < d->seeds; k++) {
        const struct sample *s = &d->seed[k]->sample;
        while (at[k] < s->n && s->value[at[k]] <= x)
            at[k]++;
        b.low = fmin(b.low, (double)at[k] / (double)s->n);
        b.high = fmax(b.high, (double)at[k] / (double)s->n);
    }
    return b;
}

/* A row of a curve and, of a group, the step of its band there: the end of the one before, then its
 * own. */
struct curve {
    struct table *steps, *spread; /* spread NULL: none */
    struct band before;
    bool banded; /* steps has columns of a band */
};

static void put_step(struct curve *c, double x, double share, struct band b)
{
    table_numbers(c->steps, 2, (double[]){ x, share * 100 });
    if (c->banded)
        table_numbers(c->steps, 2, (double[]){ b.low * 100, b.high * 100 });
    if (c->spread && !isnan(c->before.low))
        table_numbers(c->spread, 3, (double[]){ x, c->before.low * 100, c->before.high * 100 });
    if (c->spread)
        table_numbers(c->spread, 3, (double[]){ x, b.low * 100, b.high * 100 });
    c->before = b;
}

static void draw_curve(struct curve *c, const struct distribution *d, struct range range)
{
    const struct sample *s = &d->sample;
    struct ecdf_step *step = NULL;
    size_t n = s->n ? sample_steps(s, &step) : 0, k = 0;
    size_t *at = mem_new(d->seeds + 1, sizeof *at);
    double start = n ? 0 : 1;
    for (; k < n && step[k].at_most <= range.least; k++)
        start = step[k].share;
    put_step(c, range.least, start, band_at(d, range.least, at));
    for (; k < n; k++)
        put_step(c, step[k].at_most, step[k].share, band_at(d, step[k].at_most, at));
    put_step(c, range.biggest, 1, band_at(d, range.biggest, at));
    free(at);
    free(step);
}

const char *distribution_title(const struct plot_request *r, const struct distribution_style *style,
                               const struct distribution *of, size_t i, struct figure *f)
{
    struct arena *a = figure_memory(f);
    const struct distribution *d = &of[i];
    if (r->canvas.paper.untitled)
        return r->run[i].label;
    const char *text = words(a, ": %s %s%s", commas(a, (double)d->sample.n), style->what,
                             d->sample.n == 1 ? "" : "s");
    if (d->seeds)
        text = words(a, "%s of %zu runs", text, d->seeds);
    if (style->median)
        text = words(a, "%s, median %.3g", text, sample_quantile(&d->sample, .5));
    if (style->waited)
        text =
            words(a, "%s, %s waited", text, percent(a, 1 - (double)d->zero / (double)d->sample.n));
    if (d->missing + d->of.unfinished)
        text = words(a, "%s, %s %s", text, commas(a, (double)(d->missing + d->of.unfinished)),
                     style->missing);
    if (d->of.on_demand)
        text = words(a, "%s; without %s replicas and sessions", text,
                     commas(a, (double)d->of.on_demand));
    if (d->of.left_out)
        text = words(a, "%s; after a warm-up of %s", text, commas(a, (double)d->of.left_out));
    return words(a, "%s%s", r->run[i].label, text);
}

/* A short axis may have none of the usual tics, which are hours and the like: then the least and
 * the greatest value that a run had, if these are far enough apart for both. */
static void own_tics(const struct distribution *of, size_t n, struct range range, struct figure *f)
{
    struct arena *a = figure_memory(f);
    double value[2] = { INFINITY, 0 };
    for (size_t i = 0; i < n; i++) {
        const struct sample *s = &of[i].sample;
        value[0] = fmin(value[0], smallest_above_zero(s));
        value[1] = s->n ? fmax(value[1], s->value[s->n - 1]) : value[1];
    }
    bool is_short = value[1] > 0 && range.biggest < SHORT_AXIS * range.least;
    bool apart = log(value[1] / value[0]) > log(range.biggest / range.least) / 3;
    size_t tics = !is_short ? 0 : apart ? 2 : 1;
    fact(f, (double)tics, "own_tics");
    for (size_t i = 0; i < tics; i++) {
        fact(f, value[2 - tics + i], "own_tic_at%zu", i + 1);
        fact_text(f, human(a, value[2 - tics + i]), "own_tic%zu", i + 1);
    }
}

/* Of the scripts: on paper cdf.gp sets its margins so. */
enum { PAPER_ACROSS_PX = 80, PAPER_UPWARD_PX = 56, SCREEN_WIDE_PX = 850, SCREEN_HIGH_PX = 450 };

/* Facts `direct`: names stand beside the curves; `covers`: a legend over them would hide one. */
static void place_names(const struct plot_request *r, struct range range, size_t longest,
                        struct figure *f)
{
    double paper = canvas_layout(&r->canvas);
    struct label_axes axes = {
        .low = range.least, .high = range.biggest, .most = PERCENT_MOST, .logarithmic = true,
        .frame = { paper > 0 ? paper - PAPER_ACROSS_PX : SCREEN_WIDE_PX,
                   paper > 0 ? floor(0.6 * paper) - PAPER_UPWARD_PX : SCREEN_HIGH_PX },
    };
    struct line_path *line = line_paths_of(f, "curve", r, &axes);
    bool direct = label_lines(f, r, &axes, line);
    fact(f, direct, "direct");
    fact(f, !direct && legend_covers(line, r->n, axes.frame, longest), "covers");
    line_paths_free(line, r->n);
}

double distributions_draw(const struct plot_request *r, const struct distribution_style *style,
                          struct distribution *of, struct figure *f)
{
    size_t longest = 0;
    bool spread = false;
    for (size_t i = 0; i < r->n; i++)
        sample_sort(&of[i].sample);
    struct range range = range_of(of, r->n, style->start);
    for (size_t i = 0; i < r->n; i++) {
        struct curve c = { .banded = style->alone, .before = { (double)NAN, (double)NAN } };
        c.steps = figure_table(f, style->columns, "curve%zu", i + 1);
        table_label(c.steps, "run", r->run[i].label);
        if (of[i].seeds)
            c.spread = figure_table(f, "x,low,high", "spread%zu", i + 1);
        spread = spread || of[i].seeds;
        fact(f, of[i].seeds > 0, "spread%zu", i + 1);
        draw_curve(&c, &of[i], range);
        const char *title = distribution_title(r, style, of, i, f);
        longest = text_width(title) > longest ? text_width(title) : longest;
        fact_text(f, title, "title%zu", i + 1);
    }
    fact(f, (double)r->n, "n");
    fact(f, (double)longest, "longest");
    fact(f, spread, "spread");
    if (spread && r->canvas.paper.untitled)
        fputs("gpuyard: plot: lines: the jobs of all seeds; bands: from the lowest to the highest "
              "seed\n", stderr);
    fact(f, range.least, "least");
    fact(f, range.biggest, "biggest");
    fact(f, style->start == START_BELOW, "times");
    own_tics(of, r->n, range, f);
    if (style->alone) {
        place_names(r, range, longest, f);
        figure_keys(f, r->n, false, "title");
    }
    if (style->waited)
        fact_text(f, start_text(figure_memory(f), of, r->n, range.least), "starts_at");
    return range.least;
}

/* ---- Groups of replications ---- */

static void add_seed(struct distribution *group, struct distribution *run, size_t runs)
{
    sample_sort(&run->sample);
    for (size_t k = 0; k < run->sample.n; k++)
        sample_add(&group->sample, run->sample.value[k]);
    group->zero += run->zero;
    group->missing += run->missing;
    group->of.unfinished += run->of.unfinished;
    group->of.on_demand += run->of.on_demand;
    group->of.left_out += run->of.left_out;
    if (runs < 2)
        return;
    if (!group->seed)
        group->seed = mem_new(runs, sizeof *group->seed);
    group->seed[group->seeds++] = run;
}

void distributions_draw_groups(const struct plot_request *r, const struct distribution_style *style,
                               struct distribution *of, struct figure *f)
{
    struct plot_request grouped = plot_groups(r, figure_memory(f));
    struct distribution *group = mem_new(r->groups, sizeof *group);
    size_t *runs = mem_new(r->groups, sizeof *runs);
    for (size_t i = 0; i < r->n; i++)
        runs[r->run[i].group]++;
    for (size_t i = 0; i < r->n; i++)
        add_seed(&group[r->run[i].group], &of[i], runs[r->run[i].group]);
    distributions_draw(&grouped, style, group, f);
    distributions_free(group, r->groups);
    free(runs);
}

/* ---- The kinds ---- */

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    const struct distribution_style *style = k->variant;
    struct distribution *of = mem_new(r->n, sizeof *of);
    int result = distributions_read(r, style->column, of, err);
    if (result == 0)
        distributions_draw_groups(r, style, of, f);
    distributions_free(of, r->n);
    return result;
}

#define BAND ",percent_low,percent_high"
static const struct distribution_style jct = {
    "jct_s", "jct_s,percent" BAND, START_BELOW, false, false, "job", "unfinished left out", true,
};
static const struct distribution_style waits = {
    "wait_s", "wait_s,percent" BAND, START_BELOW, true, false, "job", "unfinished left out", true,
};
static const struct distribution_style slowdown = {
    "bounded_slowdown",
    "bounded_slowdown,percent" BAND,
    START_AT_ONE,
    false,
    false,
    "job",
    "unfinished left out",
    true,
};

const struct kind jct_cdf_kind = {
    .name = "jct_cdf",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = "run,jct_s,percent" BAND,
    .script = "jct_cdf.gp",
    .variant = &jct,
    .make = make,
};
const struct kind wait_cdf_kind = {
    .name = "wait_cdf",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = "run,wait_s,percent" BAND,
    .script = "wait_cdf.gp",
    .variant = &waits,
    .make = make,
};
const struct kind slowdown_cdf_kind = {
    .name = "slowdown_cdf",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "jobs.csv" },
    .columns = "run,bounded_slowdown,percent" BAND,
    .script = "slowdown_cdf.gp",
    .variant = &slowdown,
    .make = make,
};
