/* window.c - see window.h. */
#include "sim/cli/plot/window.h"

#include "sim/cli/frame/result_file.h"
#include "sim/cli/plot/words.h"
#include "traces/formats/dates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TICS_SCREEN = 9, TICS_PAPER = 6, TIC_COLUMNS = 12 };

void window_dates(struct window *w, char *const *directory, size_t n)
{
    w->dated = n > 0;
    for (size_t i = 0; i < n && w->dated; i++) {
        json_t *manifest = result_manifest(directory[i]);
        double origin_s = manifest_origin_s(manifest);
        w->dated = !isnan(origin_s) && (i == 0 || origin_s == w->origin_s);
        w->origin_s = origin_s;
        json_decref(manifest);
    }
}

/* ---- Bounds ---- */

static bool read_duration(const char *text, double *s)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "", 1 }, { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 } };
    char *end;
    if (strspn(text, "0123456789") == 0)
        return false;
    double x = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit)) {
            *s = x * units[i].seconds;
            return true;
        }
    return false;
}

int window_time(const struct window *w, const char *option, const char *text, double *s,
                struct error *err)
{
    char whole[64];
    int64_t date_ns;
    snprintf(whole, sizeof whole, "%.40s%s", text, strchr(text, ' ') ? "" : " 00:00:00");
    if (read_duration(text, s))
        return 0;
    if (!date_parse(whole, strlen(whole), &date_ns))
        return error_set(err,
                         "%s: want a time of the run like 3600, 90min, 12h or 2d, or a "
                         "date like 2017-10-09 or '2017-10-09 07:01:55', got '%s'",
                         option, text);
    if (!w->dated)
        return error_set(err,
                         "%s: want a time of the run as these runs have no dates, or not "
                         "the same, got '%s'",
                         option, text);
    *s = (double)date_ns / 1e9 - w->origin_s;
    return 0;
}

int window_read(struct window *w, const char *from, const char *to, struct error *err)
{
    if ((from && window_time(w, "plot: --from", from, &w->from_s, err)) ||
        (to && window_time(w, "plot: --to", to, &w->to_s, err)))
        return -1;
    w->has_from = from != NULL;
    w->has_to = to != NULL;
    return from && to && w->to_s <= w->from_s
               ? error_set(err, "plot: --to: want a time after --from %s, got '%s'", from, to)
               : 0;
}

int window_cut(const struct window *w, double *start_s, double *end_s, struct error *err)
{
    double start = w->has_from ? fmax(*start_s, w->from_s) : *start_s;
    double end = w->has_to ? fmin(*end_s, w->to_s) : *end_s;
    if (!w->has_from && !w->has_to)
        return 0;
    if (end <= start)
        return error_set(err, "plot: --from, --to: want times between %.10g and %.10g s of the run",
                         *start_s, *end_s);
    *start_s = start;
    *end_s = end;
    return 0;
}

/* ---- The axis ---- */

struct time_span window_span(const struct window *w, double start_s, double length_s)
{
    return (struct time_span){ start_s, length_s, w->dated ? w->origin_s : (double)NAN,
                               w->has_from || w->has_to };
}

static size_t most_tics(const struct canvas *canvas)
{
    return canvas->format == PLOT_TERM ? (size_t)(canvas->columns / TIC_COLUMNS)
           : canvas->paper.width_in > 0 ? TICS_PAPER
                                        : TICS_SCREEN;
}

void span_facts(const struct time_span *span, const struct canvas *canvas, struct figure *f)
{
    struct time_tics t;
    const char *unit = axis_unit(span->length_s);
    time_tics(&t, span, most_tics(canvas));
    bool told = span->part || !isnan(span->origin_s);
    /* Numbers have twelve digits: rounded down the axis would end before the last row. */
    fact(f, span->length_s / unit_seconds(unit) * (1 + 1e-11), "end");
    fact_text(f, unit, "unit");
    fact(f, unit_seconds(unit), "unit_s");
    fact_text(f, t.name, "time_name");
    fact(f, told ? (double)t.n : 0, "n_times");
    for (size_t i = 0; i < t.n && told; i++) {
        fact_tic(f, t.tic[i].text, "time%zu", i + 1);
        fact(f, t.tic[i].at_s / unit_seconds(unit), "time_at%zu", i + 1);
    }
}

const char *span_scale(struct arena *a, const struct time_span *span, int wide)
{
    const char *text[3], *unit = axis_unit(span->length_s);
    for (int i = 0; i < 3; i++) {
        double at_s = span->length_s * i / 2;
        char moment[TIME_TEXT];
        time_moment(moment, span, span->from_s + at_s);
        text[i] = span->part || !isnan(span->origin_s) ? words(a, "%s", moment)
                  : i == 2 ? words(a, "%.3g %s", at_s / unit_seconds(unit), unit)
                           : words(a, "%.3g", at_s / unit_seconds(unit));
    }
    int half = wide / 2;
    size_t all = strlen(text[0]) + strlen(text[1]) + strlen(text[2]);
    if (all + 4 > (size_t)wide || strlen(text[0]) + 1 > (size_t)half)
        return words(a, "%s%s", padded(a, text[0], wide - (int)strlen(text[2])), text[2]);
    return words(a, "%s%s%s", padded(a, text[0], half),
                 padded(a, text[1], wide - half - (int)strlen(text[2])), text[2]);
}
