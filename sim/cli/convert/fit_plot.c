/* fit_plot.c - a trace and what was drawn from the laws fitted to it, side by side: see fit_report.h. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/convert/fit_report.h"
#include "sim/cli/frame/scripts.h"
#include "sim/base/memory.h"
#include "sim/io/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "fit.csv"
enum { POINTS = 800 };

const char *fit_plot_format(const char *path)
{
    static const char *const formats[] = { "png", "svg", "pdf" };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(ending + 1, formats[i]))
            return formats[i];
    return NULL;
}

/* ---- fit.csv: panel,series,x,y; y in per cent ---- */

static void put_row(struct output *o, const char *panel, const char *series, double x, double y)
{
    out_text(o, panel);
    out_char(o, ',');
    out_text(o, series);
    out_char(o, ',');
    out_double(o, x);
    out_char(o, ',');
    out_double(o, y);
    out_char(o, '\n');
}

/* Steps of a distribution function, thinned to what can be seen. */
static void put_side(struct output *o, const char *panel, const char *series, const struct fit_side *s)
{
    size_t step = s->n / POINTS + 1;
    double last = -1;
    for (size_t i = 0; i < s->n; i++) {
        bool ends = i + 1 == s->n || s->sorted[i + 1] != s->sorted[i];
        if (!ends || (i % step && i + 1 < s->n && s->sorted[i] < last * 1.01))
            continue;
        last = s->sorted[i];
        put_row(o, panel, series, last, 100 * (double)(i + 1) / (double)s->n);
    }
}

static void put_hours(struct output *o, const char *series, const struct workload *w)
{
    double count[24] = { 0 }, first = w->origin_ns == TIME_NEVER ? 0 : (double)(w->origin_ns / NS_PER_S % 86400) / 3600;
    for (job_id j = 0; j < w->n_jobs; j++)
        count[(size_t)(first + seconds(w->facts[j].submit_ns) / 3600) % 24]++;
    for (int h = 0; h < 24; h++)
        put_row(o, "hour", series, h, 100 * count[h] / w->n_jobs);
}

static int write_points(const char *directory, const struct workload *trace, const struct workload *like, struct error *err)
{
    static const char *const panel[FIT_SAMPLES] = { [FIT_RUN_TIMES] = "run", [FIT_GPUS] = "gpus", [FIT_GAPS] = "gap" };
    struct output *o = output_open(directory, FILE_NAME, err);
    if (!o)
        return -1;
    out_text(o, "panel,series,x,y\n");
    for (int which = 0; which < FIT_SAMPLES; which++) {
        struct fit_comparison c;
        fit_compare(trace, like, (enum fit_sample)which, &c);
        put_side(o, panel[which], "trace", &c.trace);
        put_side(o, panel[which], "synthetic", &c.synthetic);
        fit_comparison_free(&c);
    }
    put_hours(o, "trace", trace);
    put_hours(o, "synthetic", like);
    return output_commit(o, err);
}

/* ---- drawing ---- */

int fit_plot(const struct workload *trace, const struct workload *like, const char *path, struct error *err)
{
    char scripts[SCRIPTS_PATH], script[SCRIPTS_PATH + sizeof SCRIPTS_PLOT], directory[SCRIPTS_PATH], file[SCRIPTS_PATH + sizeof FILE_NAME];
    const char *tmp = getenv("TMPDIR");
    int status = scripts_find(scripts);
    if (status != EXIT_OK)
        return status;
    snprintf(script, sizeof script, "%s/" SCRIPTS_PLOT, scripts);
    snprintf(directory, sizeof directory, "%s/gpuyard-fit.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(directory)) {
        error_set(err, "%s: cannot make a directory: %s", directory, strerror(errno));
        return EXIT_FAILED;
    }
    snprintf(file, sizeof file, "%s/" FILE_NAME, directory);
    status = EXIT_FAILED;
    if (write_points(directory, trace, like, err) == 0) {
        const char *argv[] = { "sh", script, "fit", fit_plot_format(path), path, directory, NULL };
        status = scripts_run(argv);
        unlink(file);
    }
    rmdir(directory);
    return status;
}
