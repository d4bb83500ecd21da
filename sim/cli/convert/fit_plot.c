/* fit_plot.c - a trace and what was drawn from the laws fitted to it, side by side: see fit_report.h. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/convert/fit_report.h"
#include "sim/cli/plot/gnuplot.h"

#include <math.h>
#include <string.h>

enum { POINTS = 800 };

/* ---- One table for each curve: x, y in per cent ---- */

struct range { double low, high; };

/* Steps of a distribution function, thinned to what can be seen. The axis is logarithmic: the curve begins at its edge, as high as
 * what lies below. */
static void put_side(struct table *t, const struct fit_side *s, struct range range)
{
    size_t step = s->n / POINTS + 1;
    double last = -1, start = 0;
    bool begun = false;
    for (size_t i = 0; i < s->n; i++) {
        bool ends = i + 1 == s->n || s->sorted[i + 1] != s->sorted[i];
        double share = 100 * (double)(i + 1) / (double)s->n;
        if (!ends || (i % step && i + 1 < s->n && s->sorted[i] < last * 1.01))
            continue;
        last = s->sorted[i];
        if (last > range.low && !begun)
            table_numbers(t, 2, (double[]){ range.low, start });
        begun = begun || last > range.low;
        if (begun)
            table_numbers(t, 2, (double[]){ last, share });
        start = share;
    }
    if (!begun)
        table_numbers(t, 2, (double[]){ range.low, start });
    table_numbers(t, 2, (double[]){ range.high, 100 });
}

static struct range range_of(const struct fit_comparison *c, bool gpus)
{
    double first = INFINITY, last = 0;
    const struct fit_side *const sides[] = { &c->trace, &c->synthetic };
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sides[k]->n; i++)
            if (sides[k]->sorted[i] > 0) {
                first = fmin(first, sides[k]->sorted[i]);
                last = fmax(last, sides[k]->sorted[i]);
            }
    double low = isinf(first) ? 0.1 : first, high = last > 0 ? last : 1;
    low = gpus ? low * 0.8 : fmax(low, 0.01);
    return (struct range){ low, (high > low ? high : low * 10) * 1.15 };
}

static void put_hours(struct table *t, const struct workload *w)
{
    double count[24] = { 0 }, first = w->origin_ns == TIME_NEVER ? 0 : (double)(w->origin_ns / NS_PER_S % 86400) / 3600;
    for (job_id j = 0; j < w->n_jobs; j++)
        count[(size_t)(first + seconds(w->facts[j].submit_ns) / 3600) % 24]++;
    for (int h = 0; h <= 24; h++)
        table_numbers(t, 2, (double[]){ h, 100 * count[h < 24 ? h : 23] / w->n_jobs });
}

static void fill(struct figure *f, const struct workload *trace, const struct workload *like)
{
    static const char *const panel[FIT_SAMPLES] = { [FIT_RUN_TIMES] = "run", [FIT_GPUS] = "gpus", [FIT_GAPS] = "gap" };
    for (int which = 0; which < FIT_SAMPLES; which++) {
        struct fit_comparison c;
        fit_compare(trace, like ? like : trace, (enum fit_sample)which, &c);
        struct range range = range_of(&c, which == FIT_GPUS);
        put_side(figure_table(f, "x,percent", "%s1", panel[which]), &c.trace, range);
        if (like)
            put_side(figure_table(f, "x,percent", "%s2", panel[which]), &c.synthetic, range);
        fact(f, range.low, "%s_least", panel[which]);
        fact(f, range.high, "%s_most", panel[which]);
        fit_comparison_free(&c);
    }
    put_hours(figure_table(f, "hour,percent", "hour1"), trace);
    if (like)
        put_hours(figure_table(f, "hour,percent", "hour2"), like);
    fact(f, like ? 2 : 1, "sides");
}

/* ---- Drawing ---- */

int fit_plot(const struct workload *trace, const struct workload *like, const char *path)
{
    static const struct kind fit = { .name = "fit", .script = "fit.gp" };
    const struct canvas canvas = { .format = (enum plot_format)picture_format(path) };
    char scripts[SCRIPTS_PATH];
    int status = scripts_find(scripts);
    if (status != EXIT_OK)
        return status;
    struct figure *f = figure_new(&canvas);
    fill(f, trace, like);
    status = figure_draw(f, &fit, &canvas, scripts, path);
    figure_free(f);
    return status;
}
