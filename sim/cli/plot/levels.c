/* levels.c - levels of the whole cluster over time, a line a run: queue_length, jobs, energy. */
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/rows.h"
#include "sim/cli/plot/runs.h"
#include "sim/cli/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 6000, STEPS = 800, PANELS = 2 };

/* One or two columns of timeseries.csv, each a panel. */
struct levels {
    const struct plot_request *r;
    struct time_axis axis;
    size_t panels;
    double scale;                /* of the column: 1000 for kW of W */
    struct series level[PANELS]; /* of the run that is read */
};

static void on_row(void *self, const struct fields *f)
{
    struct levels *l = self;
    for (size_t p = 0; p < l->panels; p++)
        if (!isnan(f->number[1 + p]))
            series_set(&l->level[p], &l->axis.steps, f->number[0] - l->axis.start_s,
                       f->number[1 + p] / l->scale);
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
    time_axis_facts(&l->axis, f);
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
    if (r->canvas.format == PLOT_TERM)
        label = name_clean(a, label, r->canvas.columns - 45);
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
    for (size_t p = 0; p < PANELS; p++) {
        fact(f, most[p], "most%zu", p + 1);
        fact_text(f, two->heading[p], "heading%zu", p + 1);
        fact_text(f, two->unit[p], "unit%zu", p + 1);
    }
    end(&l, f);
    return result;
}

const struct kind queue_length_kind = {
    .name = "queue_length",
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
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv:jobs_running" },
    .columns = "run,time_s,jobs_running,jobs_waiting",
    .script = "two_levels.gp",
    .variant = &running,
    .make = make_two,
};

/* ---- Power ---- */

struct energy {
    double kwh, peak_w, carbon_kg;
};

static void on_metric(void *self, const struct fields *f)
{
    struct energy *e = self;
    if (strcmp(f->text[1], "all") != 0)
        return;
    e->kwh = !strcmp(f->text[0], "energy_kwh") ? f->number[2] : e->kwh;
    e->peak_w = !strcmp(f->text[0], "power_peak_w") ? f->number[2] : e->peak_w;
    e->carbon_kg = !strcmp(f->text[0], "carbon_kg") ? f->number[2] : e->carbon_kg;
}

static void energy_title(const struct plot_request *r, size_t i, const struct energy *e,
                         struct figure *f)
{
    struct arena *a = figure_memory(f);
    const char *text = words(a, ": %s kWh", short_number(a, e->kwh));
    if (r->canvas.paper.untitled) {
        fact_text(f, r->run[i].label, "title%zu", i + 1);
        return;
    }
    if (!isnan(e->peak_w))
        text = words(a, "%s, at most %s kW", text, short_number(a, e->peak_w / 1000));
    if (e->carbon_kg > 0)
        text = words(a, "%s, %s kg CO2", text, short_number(a, e->carbon_kg));
    const char *label = r->run[i].label;
    if (r->canvas.format == PLOT_TERM)
        label = name_clean(a, label, r->canvas.columns - 16 - (int)text_width(text));
    fact_text(f, words(a, "%s%s", label, text), "title%zu", i + 1);
}

/* The model of power may be off. */
static int no_power(struct error *err)
{
    static const char missing[] = "no column power_w";
    size_t n = strlen(err->text), m = sizeof missing - 1;
    if (n >= m && !strcmp(err->text + n - m, missing))
        snprintf(err->text + n, sizeof err->text - n, ": the cluster file had no section power");
    return -1;
}

static int make_energy(const struct kind *k, const struct plot_request *r, struct figure *f,
                       struct error *err)
{
    static const char *const columns[] = { "time_s", "power_w", NULL }, *const metrics[] = {
        "$metric", "$scope", "value", NULL
    };
    struct levels l = { .panels = 1, .scale = 1000 };
    double most = 0;
    int result = begin(&l, k, r, err);
    for (size_t i = 0; i < r->n && result == 0; i++) {
        struct energy e = { 0, (double)NAN, (double)NAN };
        result = rows_read(r->run[i].path, "summary.csv", metrics, on_metric, &e, err);
        if (result == 0 && read_levels(&l, columns, i, err))
            result = no_power(err);
        run_table(f, &l, "power", "time_s,power_kw", 0, i);
        most = series_most(&l.level[0], most);
        energy_title(r, i, &e, f);
    }
    fact(f, most, "most");
    end(&l, f);
    return result;
}

const struct kind energy_kind = {
    .name = "energy",
    .least = 1,
    .most = SIZE_MAX,
    .file = { "timeseries.csv:power_w", "summary.csv" },
    .columns = "run,time_s,power_kw",
    .script = "energy.gp",
    .make = make_energy,
};
