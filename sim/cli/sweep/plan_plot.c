/* plan_plot.c - the picture of a plan: see plan_report.h. Values of the axis that are no numbers
 * stand side by side. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/plot/compare/metrics.h"
#include "sim/cli/plot/gnuplot.h"
#include "sim/cli/plot/words.h"
#include "sim/cli/plot/xy.h"
#include "sim/cli/sweep/plan_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool are_numbers(const struct plan_report *r)
{
    bool numbers = true;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->of[i].n; k++) {
            char *end;
            strtod(r->of[i].value[k].label, &end);
            numbers = numbers && end != r->of[i].value[k].label && !*end;
        }
    return numbers;
}

/* Where a value that is no number stands: in the order of the first case that has tried it. */
static size_t place_of(const struct plan_report *r, const char *label, bool *is_new)
{
    size_t places = 0;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->of[i].n; k++) {
            const char *own = r->of[i].value[k].label;
            bool before = false;
            for (size_t a = 0; a <= i && !before; a++)
                for (size_t b = 0; b < (a == i ? k : r->of[a].n) && !before; b++)
                    before = !strcmp(r->of[a].value[b].label, own);
            places += !before;
            if (!strcmp(own, label)) {
                *is_new = !before;
                return places;
            }
        }
    return places;
}

static double x_of(const struct plan_report *r, const char *label, bool numbers)
{
    bool is_new;
    return numbers ? strtod(label, NULL) : (double)place_of(r, label, &is_new);
}

/* Tics stand at the values that were tried; of many numbers, at round ones. */
static void put_places(const struct plan_report *r, bool numbers, struct figure *f)
{
    enum { NUMBERS_MOST = 12 };
    size_t places = 0, values = 0;
    for (size_t i = 0; i < r->n; i++)
        values = r->of[i].n > values ? r->of[i].n : values;
    if (numbers && values > NUMBERS_MOST)
        return;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->of[i].n; k++) {
            const char *label = r->of[i].value[k].label;
            bool is_new = false;
            size_t at = place_of(r, label, &is_new);
            if (!is_new || at <= places)
                continue;
            fact_tic(f, label, "place%zu", ++places);
            fact(f, x_of(r, label, numbers), "place_at%zu", places);
        }
    fact(f, (double)places, "places");
}

static struct xy_panel put_target(const struct plan_report *r, size_t t, bool numbers,
                                  struct figure *f, struct xy *xy)
{
    const struct target *target = &r->target[t];
    double most = target->bound;
    for (size_t i = 0; i < xy->lines; i++)
        for (size_t k = 0; k < r->of[i].n; k++) {
            const struct reached *of = &r->of[i].value[k].of[t];
            most = fmax(most, fmax(of->mean, of->band.high));
        }
    const char *name = target->kind->name;
    if (strcmp(target->scope, "all") != 0)
        name = words(figure_memory(f), "%s@%s", name, target->scope);
    struct shown_metric shown = shown_metric(figure_memory(f), name);
    struct metric_axis axis = metric_axis(&shown, target->kind->unit, most);
    for (size_t i = 0; i < xy->lines; i++) {
        struct table *table = figure_table(f, "x,y,y_low,y_high", "xy%zu_%zu", t + 1, i + 1);
        for (size_t k = 0; k < r->of[i].n; k++) {
            const struct tried_value *v = &r->of[i].value[k];
            double x = x_of(r, v->label, numbers);
            table_numbers(table, 4,
                          (double[]){ x, v->of[t].mean / axis.scale, v->of[t].band.low / axis.scale,
                                      v->of[t].band.high / axis.scale });
            xy->low = fmin(xy->low, x);
            xy->high = fmax(xy->high, x);
            xy->whiskers = xy->whiskers || v->runs > 1;
        }
    }
    const char *heading = *axis.unit ? words(figure_memory(f), "%s (%s)", shown.title, axis.unit)
                                     : shown.title;
    struct xy_panel panel = xy_panel(heading, 0, most / axis.scale, false);
    panel.has_mark = true;
    panel.mark = target->bound / axis.scale;
    return panel;
}

static void fill(const struct plan_report *r, struct figure *f)
{
    struct arena *a = figure_memory(f);
    const char *name[XY_LINES_MOST];
    bool numbers = are_numbers(r);
    struct xy xy = { .x_name = r->axis,
                     .points = true,
                     .low = INFINITY,
                     .high = -INFINITY,
                     .lines = r->n < XY_LINES_MOST ? r->n : XY_LINES_MOST,
                     .panels = r->n_targets < XY_PANELS ? r->n_targets : XY_PANELS,
                     .name = name };
    xy.title = words(a, "%s: %s over %s", r->experiment, r->n_targets > 1 ? "targets" : "the target",
                     r->axis);
    for (size_t i = 0; i < xy.lines; i++)
        name[i] = words(a, "%s%s%s", r->of[i].name, *r->of[i].name ? ": " : "",
                        r->of[i].found ? r->of[i].found->label : "no value meets it");
    for (size_t t = 0; t < xy.panels; t++)
        xy.panel[t] = put_target(r, t, numbers, f, &xy);
    put_places(r, numbers, f);
    xy.note = xy.lines < r->n || xy.panels < r->n_targets
                  ? words(a, "%zu of %zu cases and %zu of %zu targets", xy.lines, r->n, xy.panels,
                          r->n_targets)
                  : "dashed: the bound of the target; behind a name: the value that is found";
    xy_facts(f, &xy);
}

int plan_plot(const struct plan_report *r, const char *path)
{
    static const struct kind plan = { .name = "plan", .script = "xy.gp" };
    const struct canvas canvas = { .format = (enum plot_format)picture_format(path) };
    char scripts[SCRIPTS_PATH];
    int status = scripts_find(scripts);
    if (status != EXIT_OK)
        return status;
    struct figure *f = figure_new(&canvas);
    fill(r, f);
    status = figure_draw(f, &plan, &canvas, scripts, path);
    figure_free(f);
    return status;
}
