/* reliability.c - mean time to failure and effective training time by the GPUs of jobs: of the sizes
 * of `mttf_h` of summary.csv, which has those with a failure. The effective training time of a size
 * is that of `ettr`, of its completed jobs alone: the sum of GPUs x service time over the sum of GPUs
 * x time from the first start to the end. Service time is the completion time over the slowdown.
 *
 * Runs that differ in the seed alone are one: the time that their jobs of a size ran over the
 * failures of all of them, and the effective training time of all their jobs. A run without a
 * failure of that size has no `mttf_h`, and its jobs ran for the sum of their run_s. */
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/population.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"
#include "sim/cli/plot/xy.h"

#include <math.h>
#include <string.h>

static const struct size {
    double most; /* GPUs */
    const char *scope, *name;
} sizes[] = {
    { 1, "gpus<=1", "1" },          { 8, "gpus<=8", "2-8" },
    { 64, "gpus<=64", "9-64" },  { 512, "gpus<=512", "65-512" },
    { 4096, "gpus<=4096", "513-4,096" }, { INFINITY, "gpus>4096", ">4,096" },
};
enum { SIZES = sizeof sizes / sizeof *sizes };
struct reliability {
    struct population of;
    double failures[SIZES], ran_h[SIZES];     /* of all runs that were read */
    double service[SIZES], span[SIZES];       /* GPU s */
    double own_failures[SIZES], own_s[SIZES]; /* of the run that is read */
};

static double mttf_h(const struct reliability *r, size_t k)
{
    return r->failures[k] > 0 ? r->ran_h[k] / r->failures[k] : (double)NAN;
}

static void on_metric(void *self, const struct fields *f)
{
    struct reliability *r = self;
    for (size_t k = 0; k < SIZES && !strcmp(f->text[0], "mttf_h"); k++)
        if (!strcmp(f->text[1], sizes[k].scope)) {
            r->own_failures[k] = f->number[3];
            r->failures[k] += f->number[3];
            r->ran_h[k] += f->number[2] * f->number[3];
        }
}

enum { GPUS = 2, JCT, SLOWDOWN, START, END, RUN };

static void on_job(void *self, const struct fields *f)
{
    struct reliability *r = self;
    const double *x = f->number;
    size_t k = 0;
    while (x[GPUS] > sizes[k].most)
        k++;
    r->own_s[k] += isnan(x[RUN]) ? 0 : x[RUN];
    if (population_row(&r->of, f) != COUNTED || strcmp(f->text[0], "completed") != 0 ||
        !(x[SLOWDOWN] > 0) || isnan(x[START]))
        return;
    r->service[k] += x[GPUS] * x[JCT] / x[SLOWDOWN];
    r->span[k] += x[GPUS] * (x[END] - x[START]);
}

/* Adds a run. */
static int read_run(struct reliability *of, const char *path, struct error *err)
{
    static const char *const metrics[] = { "$metric", "$scope", "value", "n", NULL };
    static const char *const jobs[] = { POPULATION_COLUMNS, "gpus",  "jct_s", "slowdown",
                                        "start_s",          "end_s", "run_s", NULL };
    of->of = population_begin(path);
    for (size_t k = 0; k < SIZES; k++)
        of->own_failures[k] = of->own_s[k] = 0;
    if (rows_read(path, "summary.csv", metrics, on_metric, of, err) ||
        rows_read(path, "jobs.csv", jobs, on_job, of, err))
        return -1;
    for (size_t k = 0; k < SIZES; k++)
        of->ran_h[k] += of->own_failures[k] > 0 ? 0 : of->own_s[k] / 3600;
    return 0;
}

struct seen { bool any[SIZES]; double mttf_least, mttf_most; };

static void put_run(const struct reliability *of, const struct plot_request *r, size_t i,
                    struct figure *f, struct seen *seen)
{
    struct table *t[2];
    for (size_t p = 0; p < 2; p++) {
        t[p] = figure_table(f, p ? "position,ettr_percent,size" : "position,mttf_h,size",
                            "xy%zu_%zu", p + 1, i + 1);
        table_label(t[p], "run", r->run[i].label);
    }
    for (size_t k = 0; k < SIZES; k++) {
        double mttf = mttf_h(of, k);
        if (!isnan(mttf)) {
            table_numbers(t[0], 2, (double[]){ (double)k + 1, mttf });
            table_text(t[0], sizes[k].name);
            seen->mttf_least = fmin(seen->mttf_least, mttf);
            seen->mttf_most = fmax(seen->mttf_most, mttf);
        }
        if (of->span[k] > 0) {
            table_numbers(t[1], 2, (double[]){ (double)k + 1, 100 * of->service[k] / of->span[k] });
            table_text(t[1], sizes[k].name);
        }
        seen->any[k] = seen->any[k] || !isnan(mttf) || of->span[k] > 0;
    }
}

static void put_sizes(const struct seen *seen, struct xy *xy, struct figure *f)
{
    size_t places = 0;
    for (size_t k = 0; k < SIZES; k++)
        if (seen->any[k]) {
            xy->low = places ? xy->low : (double)k + .5;
            xy->high = (double)k + 1.5;
            fact_tic(f, sizes[k].name, "place%zu", ++places);
            fact(f, (double)k + 1, "place_at%zu", places);
        }
    fact(f, (double)places, "places");
}

static int make(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err)
{
    struct plot_request grouped = plot_groups(r, figure_memory(f));
    const char **name = arena_alloc(figure_memory(f), grouped.n * sizeof *name);
    struct reliability *of = arena_alloc(figure_memory(f), grouped.n * sizeof *of);
    struct xy xy = { .title = "Reliability by the size of jobs",
                     .x_name = "GPUs of a job",
                     .points = true,
                     .lines = grouped.n,
                     .panels = 2,
                     .name = name };
    struct seen seen = { .mttf_least = INFINITY };
    (void)k;
    for (size_t i = 0; i < r->n; i++)
        if (read_run(&of[r->run[i].group], r->run[i].path, err))
            return -1;
    for (size_t i = 0; i < grouped.n; i++) {
        name[i] = grouped.run[i].label;
        put_run(&of[i], &grouped, i, f, &seen);
    }
    if (!(seen.mttf_most > 0))
        return error_set(err, "%s/summary.csv: no mttf_h: no job failed", r->run[0].path);
    put_sizes(&seen, &xy, f);
    xy.panel[0] = xy_panel("mean time to failure (h)", seen.mttf_least, seen.mttf_most, true);
    xy.panel[1] = xy_panel("effective training time (%)", 0, 100, false);
    xy_facts(f, &xy);
    return 0;
}

static bool any_failure(const char *directory)
{
    struct reliability of = { .failures = { 0 } };
    struct error err = { "" };
    bool any = read_run(&of, directory, &err) != 0; /* it is told when it is drawn */
    for (size_t k = 0; k < SIZES; k++)
        any = any || of.failures[k] > 0;
    return any;
}

const struct kind reliability_kind = {
    .name = "reliability",
    .pools_seeds = true,
    .least = 1,
    .most = XY_LINES_MOST,
    .file = { "jobs.csv", "summary.csv" },
    .columns = "run,size,mttf_h,ettr_percent",
    .script = "xy.gp",
    .make = make,
    .shows = any_failure,
};
