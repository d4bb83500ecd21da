/* levels.c - levels of the whole cluster over time, a line a run: queue_length, jobs; rates that
 * add up over time: energy, carbon, cost. */
#include "sim/cli/plot/names/labels.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ABOVE_MOST 1.05          /* of the largest: the end of an axis, as in the scripts */
enum { LINES_MOST = 6000, STEPS = 800, PANELS = 2, PARTS = 3 };

/* One or two columns of timeseries.csv, each a panel; or one panel of columns that add up. */
struct levels {
    const struct plot_request *r;
    struct time_axis axis;
    size_t panels, parts;
    double scale;                /* of the columns: 1000 for kW of W */
    struct series level[PANELS]; /* of the run that is read */
};

static void on_row(void *self, const struct fields *f)
{
    struct levels *l = self;
    for (size_t p = 0; p < l->panels; p++) {
        double value = f->number[1 + p];
        for (size_t k = 1; k < l->parts; k++)
            value += isnan(f->number[1 + k]) ? 0 : f->number[1 + k];
        if (!isnan(value))
            series_set(&l->level[p], &l->axis.steps, time_axis_at(&l->axis, f->number[0]),
                       value / l->scale);
    }
}

static int read_levels(struct levels *l, const char *const *columns, size_t i, struct error *err)
{
    for (size_t p = 0; p < l->panels; p++)
        series_free(&l->level[p]);
    int result = rows_read(l->r->run[i].path, "timeseries.csv", columns, on_row, l, err);
    for (size_t p = 0; p < l->panels; p++)
        series_end(&l->level[p], &l->axis.steps, l->axis.end_s[i]);
    return result;
}

static int begin(struct levels *l, const struct kind *k, const struct plot_request *r,
                 struct error *err)
{
    l->r = r;
    if (time_axis_read(&l->axis, k, r, err))
        return -1;
    time_axis_steps(&l->axis, r, LINES_MOST, STEPS);
    return 0;
}

static void end(struct levels *l, struct figure *f)
{
    for (size_t p = 0; p < l->panels; p++)
        series_free(&l->level[p]);
    fact(f, (double)l->r->n, "n");
    time_axis_facts(&l->axis, l->r, f);
    time_axis_free(&l->axis);
}

static struct table *run_table(struct figure *f, const struct levels *l, const char *name,
                               const char *columns, size_t p, size_t i)
{
    struct table *t = figure_table(f, columns, "%s%zu", name, i + 1);
    table_label(t, "run", l->r->run[i].label);
    series_table(t, &l->level[p], &l->axis, i);
    return t;
}

/* Of the scripts on paper: what is no room for lines beside a panel, and above and below it. */
enum { PAPER_ACROSS_PX = 80, PAPER_UPWARD_PX = 56, PANEL_UPWARD_PX = 47 };

/* Whether names stand beside the lines of the tables `name`1 .., in a panel so high. */
static bool names_fit(struct figure *f, const struct levels *l, const char *name, double most,
                      double high_px)
{
    struct label_axes axes = {
        .high = l->axis.length_s, .most = most > 0 ? most * ABOVE_MOST : 1,
        .frame = { canvas_layout(&l->r->canvas) - PAPER_ACROSS_PX, high_px },
    };
    struct line_path *line = line_paths_of(f, name, l->r, &axes);
    bool fit = label_lines(f, l->r, &axes, line);
    line_paths_free(line, l->r->n);
    return fit;
}

/* ---- Two levels, one above the other ---- */

struct two_levels {
    const char *column[PANELS], *table[PANELS]; /* of timeseries.csv; columns of the table */
    const char *heading[PANELS], *unit[PANELS];
};
static const struct two_levels waiting = {
    { "jobs_waiting", "gpus_waiting" },
    { "time_s,jobs_waiting", "time_s,gpus_waiting" },
    { "Jobs waiting", "GPUs they wait for" },
    { "jobs", "GPUs" },
};
static const struct two_levels running = {
    { "jobs_running", "jobs_waiting" },
    { "time_s,jobs_running", "time_s,jobs_waiting" },
    { "Jobs running", "Jobs waiting" },
    { "running", "waiting" },
};

static const char *level_title(const struct plot_request *r, const struct levels *l,
                               const struct two_levels *two, size_t i, struct figure *f)
{
    struct arena *a = figure_memory(f);
    const char *label = r->run[i].label;
    if (r->canvas.paper.untitled)
        return label;
    return words(a, "%s: mean %s %s, %s %s", label,
                 short_number(a, l->level[0].integral / l->axis.end_s[i]), two->unit[0],
                 short_number(a, l->level[1].integral / l->axis.end_s[i]), two->unit[1]);
}

static int make_two(const struct kind *k, const struct plot_request *r, struct figure *f,
                    struct error *err)
{
    const struct two_levels *two = k->variant;
    const char *const columns[] = { "time_s", two->column[0], two->column[1], NULL };
    struct levels l = { .panels = PANELS, .scale = 1 };
    double most[PANELS] = { 0 };
    int result = begin(&l, k, r, err);
    for (size_t i = 0; i < r->n && result == 0; i++) {
        result = read_levels(&l, columns, i, err);
        for (size_t p = 0; p < PANELS && result == 0; p++) {
            run_table(f, &l, p ? "lower" : "upper", two->table[p], p, i);
            most[p] = series_most(&l.level[p], most[p]);
        }
        fact_text(f, level_title(r, &l, two, i, f), "title%zu", i + 1);
    }
    figure_keys(f, result == 0 ? r->n : 0, false, "title");
    for (size_t p = 0; p < PANELS; p++) {
        fact(f, most[p], "most%zu", p + 1);
        fact_text(f, two->heading[p], "heading%zu", p + 1);
        fact_text(f, two->unit[p], "unit%zu", p + 1);
    }
    double panel_px = floor(0.4 * canvas_layout(&r->canvas)) - PANEL_UPWARD_PX;
    bool upper = result == 0 && names_fit(f, &l, "upper", most[0], panel_px);
    bool lower = result == 0 && !upper && names_fit(f, &l, "lower", most[1], panel_px);
    fact(f, upper ? 1 : lower ? 2 : 0, "direct");
    end(&l, f);
    return result;
}

const struct kind queue_length_kind = {
    .name = "queue_length",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv" },
    .columns = "run,time_s,jobs_waiting,gpus_waiting",
    .script = "two_levels.gp",
    .variant = &waiting,
    .make = make_two,
};
const struct kind jobs_kind = {
    .name = "jobs",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv:jobs_running" },
    .columns = "run,time_s,jobs_running,jobs_waiting",
    .script = "two_levels.gp",
    .variant = &running,
    .make = make_two,
};

/* ---- Rates: power, carbon, cost ---- */

struct rate {
    const char *column[1 + PARTS + 1]; /* of timeseries.csv: the time, what adds up to the rate */
    double scale;                      /* of these: 1000 for kW of W */
    const char *table;                 /* columns of the table */
    const char *title, *unit;          /* unit: of the axis */
    const char *total;                 /* what an hour at 1 of the unit adds up to */
    const char *peak;                  /* the largest, of any length, in summary.csv; NULL: none */
    const char *section;               /* of the cluster file, which makes the columns */
};
static const struct rate power = {
    .column = { "time_s", "power_w" },
    .scale = 1000,
    .table = "time_s,power_kw",
    .title = "Power drawn by all nodes",
    .unit = "kW",
    .total = "kWh",
    .peak = "power_peak_w",
    .section = "power",
};
static const struct rate carbon = {
    .column = { "time_s", "carbon_g_per_h" },
    .scale = 1000,
    .table = "time_s,carbon_kg_per_h",
    .title = "CO2 of the power drawn",
    .unit = "kg/h",
    .total = "kg CO2",
    .section = "power",
};
static const struct rate cost = {
    .column = { "time_s", "cost_gpus_usd_per_h", "cost_pools_usd_per_h", "cost_energy_usd_per_h" },
    .scale = 1,
    .table = "time_s,cost_usd_per_h",
    .title = "What an hour costs",
    .unit = "USD/h",
    .total = "USD",
    .section = "prices",
};

static size_t parts_of(const struct rate *rate)
{
    size_t n = 0;
    while (rate->column[1 + n])
        n++;
    return n;
}

struct peak { const char *name; double value; };

static void on_peak(void *self, const struct fields *f)
{
    struct peak *p = self;
    if (!strcmp(f->text[0], p->name) && !strcmp(f->text[1], "all"))
        p->value = f->number[2];
}

/* The largest rate of the run that was read last; NaN: means over steps hide it. */
static int peak_of(const struct rate *rate, struct levels *l, const char *run, double *peak,
                   struct error *err)
{
    static const char *const columns[] = { "$metric", "$scope", "value", NULL };
    struct peak p = { rate->peak, (double)NAN };
    *peak = l->axis.steps.n ? (double)NAN : series_most(&l->level[0], 0);
    if (!rate->peak || l->axis.span.part)
        return 0;
    int result = rows_read(run, "summary.csv", columns, on_peak, &p, err);
    *peak = p.value / l->scale;
    return result;
}

static void rate_title(const struct plot_request *r, const struct rate *rate,
                       const struct levels *l, size_t i, double peak, struct figure *f)
{
    struct arena *a = figure_memory(f);
    const char *label = r->run[i].label;
    if (r->canvas.paper.untitled) {
        fact_text(f, label, "title%zu", i + 1);
        return;
    }
    const char *text = words(a, ": %s %s", short_number(a, l->level[0].integral / 3600),
                             rate->total);
    if (!isnan(peak))
        text = words(a, "%s, at most %s %s", text, short_number(a, peak), rate->unit);
    fact_text(f, words(a, "%s%s", label, text), "title%zu", i + 1);
}

/* The model may be off. */
static int no_rate(const struct rate *rate, struct error *err)
{
    char missing[128];
    size_t n = strlen(err->text),
           m = (size_t)snprintf(missing, sizeof missing, "no column %s", rate->column[1]);
    if (n >= m && !strcmp(err->text + n - m, missing))
        snprintf(err->text + n, sizeof err->text - n, ": the cluster file had no section %s",
                 rate->section);
    return -1;
}

static int make_rate(const struct kind *k, const struct plot_request *r, struct figure *f,
                     struct error *err)
{
    const struct rate *rate = k->variant;
    struct levels l = { .panels = 1, .parts = parts_of(rate), .scale = rate->scale };
    double most = 0, peak;
    int result = begin(&l, k, r, err);
    for (size_t i = 0; i < r->n && result == 0; i++) {
        if (read_levels(&l, rate->column, i, err))
            result = no_rate(rate, err);
        else
            result = peak_of(rate, &l, r->run[i].path, &peak, err);
        if (result)
            break;
        run_table(f, &l, "rate", rate->table, 0, i);
        most = series_most(&l.level[0], most);
        rate_title(r, rate, &l, i, peak, f);
    }
    figure_keys(f, result == 0 ? r->n : 0, false, "title");
    fact(f, most, "most");
    double high_px = floor(0.5 * canvas_layout(&r->canvas)) + 20 - PAPER_UPWARD_PX;
    fact(f, result == 0 && names_fit(f, &l, "rate", most, high_px), "direct");
    fact_text(f, rate->title, "title_text");
    fact_text(f, rate->unit, "level_unit");
    end(&l, f);
    return result;
}

const struct kind energy_kind = {
    .name = "energy",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv:power_w", "summary.csv" },
    .columns = "run,time_s,power_kw",
    .script = "rate.gp",
    .variant = &power,
    .make = make_rate,
};
const struct kind carbon_kind = {
    .name = "carbon",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv:carbon_g_per_h" },
    .columns = "run,time_s,carbon_kg_per_h",
    .script = "rate.gp",
    .variant = &carbon,
    .make = make_rate,
};
const struct kind cost_kind = {
    .name = "cost",
    .one_seed = true,
    .over_time = true,
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv:cost_gpus_usd_per_h" },
    .columns = "run,time_s,cost_usd_per_h",
    .script = "rate.gp",
    .variant = &cost,
    .make = make_rate,
};
