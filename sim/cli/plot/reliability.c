/* reliability.c - mean time to failure and effective training time by the GPUs of jobs: of the sizes
 * of `mttf_h` of summary.csv, which has those with a failure. The effective training time of a size
 * is that of `ettr`, of its completed jobs alone: the sum of GPUs x service time over the sum of GPUs
 * x time from the first start to the end. Service time is the completion time over the slowdown. */
#include "sim/cli/plot/kind.h"
#include "sim/cli/plot/population.h"
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
    double mttf_h[SIZES], service[SIZES], span[SIZES]; /* service and span: GPU s */
};

static void on_metric(void *self, const struct fields *f)
{
    struct reliability *r = self;
    for (size_t k = 0; k < SIZES && !strcmp(f->text[0], "mttf_h"); k++)
        if (!strcmp(f->text[1], sizes[k].scope))
            r->mttf_h[k] = f->number[2];
}

enum { GPUS = 2, JCT, SLOWDOWN, START, END };

static void on_job(void *self, const struct fields *f)
{
    struct reliability *r = self;
    const double *x = f->number;
    size_t k = 0;
    if (population_row(&r->of, f) != COUNTED || strcmp(f->text[0], "completed") != 0 ||
        !(x[SLOWDOWN] > 0) || isnan(x[START]))
        return;
    while (x[GPUS] > sizes[k].most)
        k++;
    r->service[k] += x[GPUS] * x[JCT] / x[SLOWDOWN];
    r->span[k] += x[GPUS] * (x[END] - x[START]);
}

static int read_run(struct reliability *of, const char *path, struct error *err)
{
    static const char *const metrics[] = { "$metric", "$scope", "value", NULL };
    static const char *const jobs[] = { POPULATION_COLUMNS, "gpus",  "jct_s", "slowdown",
                                        "start_s",          "end_s", NULL };
    *of = (struct reliability){ .of = population_begin(path) };
    for (size_t k = 0; k < SIZES; k++)
        of->mttf_h[k] = (double)NAN;
    return rows_read(path, "summary.csv", metrics, on_metric, of, err) ||
                   rows_read(path, "jobs.csv", jobs, on_job, of, err)
               ? -1
               : 0;
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
        if (!isnan(of->mttf_h[k])) {
            table_numbers(t[0], 2, (double[]){ (double)k + 1, of->mttf_h[k] });
            table_text(t[0], sizes[k].name);
            seen->mttf_least = fmin(seen->mttf_least, of->mttf_h[k]);
            seen->mttf_most = fmax(seen->mttf_most, of->mttf_h[k]);
        }
        if (of->span[k] > 0) {
            table_numbers(t[1], 2, (double[]){ (double)k + 1, 100 * of->service[k] / of->span[k] });
            table_text(t[1], sizes[k].name);
        }
        seen->any[k] = seen->any[k] || !isnan(of->mttf_h[k]) || of->span[k] > 0;
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
    const char **name = arena_alloc(figure_memory(f), r->n * sizeof *name);
    struct xy xy = { .title = "Reliability by the size of jobs",
                     .x_name = "GPUs of a job",
                     .points = true,
                     .lines = r->n,
                     .panels = 2,
                     .name = name };
    struct seen seen = { .mttf_least = INFINITY };
    (void)k;
    for (size_t i = 0; i < r->n; i++) {
        struct reliability of;
        if (read_run(&of, r->run[i].path, err))
            return -1;
        name[i] = r->run[i].label;
        put_run(&of, r, i, f, &seen);
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
    struct reliability of;
    struct error err = { "" };
    bool any = read_run(&of, directory, &err) != 0; /* it is told when it is drawn */
    for (size_t k = 0; k < SIZES; k++)
        any = any || !isnan(of.mttf_h[k]);
    return any;
}

const struct kind reliability_kind = {
    .name = "reliability",
    .one_seed = true,
    .least = 1,
    .most = XY_LINES_MOST,
    .file = { "jobs.csv", "summary.csv" },
    .columns = "run,size,mttf_h,ettr_percent",
    .script = "xy.gp",
    .make = make,
    .shows = any_failure,
};
