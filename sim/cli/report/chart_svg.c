/* chart_svg.c - the first variant of a chart as a static picture with its legend. See chart.h. */
#include "sim/cli/report/chart.h"

#include "sim/base/memory.h"
#include "sim/cli/frame/time_tics.h"
#include "sim/cli/report/markup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 720, HIGH = 280, LEFT = 78, RIGHT = 708, TOP = 8, BOTTOM = 244, ROW = 26,
       NAMES = 190, CHARACTERS = 24, TICS = 6 };
#define STEPS 240u

struct frame { double left, right, top, bottom, from, to, most; bool log; double start_unix_s, from_s; };

static double at_x(const struct frame *f, double x)
{
    double part = f->log ? log(x / f->from) / log(f->to / f->from) : (x - f->from) / (f->to - f->from);
    return f->left + fmin(1, fmax(0, part)) * (f->right - f->left);
}

static double at_y(const struct frame *f, double y)
{
    return f->bottom - y / f->most * (f->bottom - f->top);
}

static void text_at(struct output *o, double x, double y, const char *anchor, const char *text)
{
    out_printf(o, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    html_text(o, text);
    out_text(o, "</text>");
}

static void number_at(struct output *o, double x, double y, const char *anchor, double value,
                      const char *unit)
{
    char text[VALUE_MAX];
    text_at(o, x, y, anchor, value_text(text, "", unit, value));
}

/* ---- Axes ---- */

/* The greatest of 1, 2 or 5 times a power of ten that fits `tics` times. */
static double step_of(double span, double tics)
{
    double ten = pow(10, floor(log10(span / tics)));
    for (int i = 0; i < 3; i++)
        if (span / (ten * (const double[]){ 1, 2, 5 }[i]) <= tics)
            return ten * (const double[]){ 1, 2, 5 }[i];
    return 10 * ten;
}

static void grid_x(struct output *o, const struct frame *f, double value)
{
    out_printf(o, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at_x(f, value), f->top, f->bottom);
}

static void axis_log(struct output *o, const struct frame *f, bool time)
{
    static const double times[] = { 1e-3, .01, .1, 1, 10, 60, 600, 3600, 36000, 86400, 864000, 31536000 };
    enum { TIMES = sizeof times / sizeof times[0] };
    double ten = pow(10, ceil(log10(f->from)));
    for (size_t k = 0; time ? k < TIMES : ten <= f->to; k++, ten *= 10) {
        double x = time ? times[k] : ten;
        if (x < f->from || x > f->to)
            continue;
        grid_x(o, f, x);
        number_at(o, at_x(f, x), f->bottom + 16, "middle", x, time ? "s" : "");
    }
}

static void axis_linear(struct output *o, const struct frame *f)
{
    double step = step_of(f->to - f->from, TICS);
    for (double k = ceil(f->from / step - 1e-9) + 0.0; k * step <= f->to * (1 + 1e-9); k++) {
        grid_x(o, f, k * step);
        number_at(o, at_x(f, k * step), f->bottom + 16, "middle", k * step + 0.0, "");
    }
}

static void axis_name(struct output *o, const struct frame *f, const char *name)
{
    text_at(o, (f->left + f->right) / 2, f->bottom + 33, "middle", name);
}

/* From 0 to f->to seconds. */
static void axis_time(struct output *o, const struct frame *f)
{
    struct time_tics t;
    time_tics(&t, &(struct time_span){ .from_s = f->from_s, .length_s = f->to,
                                       .origin_s = f->start_unix_s - f->from_s,
                                       .part = f->from_s > 0 }, TICS + 2);
    for (size_t k = 0; k < t.n; k++) {
        grid_x(o, f, t.tic[k].at_s);
        text_at(o, at_x(f, t.tic[k].at_s), f->bottom + 16, "middle", t.tic[k].text);
    }
    if (isnan(f->start_unix_s))   /* the page tells times since the start, of a part, too */
        snprintf(t.name, sizeof t.name, "time since the start (%s)", axis_unit(f->to));
    axis_name(o, f, t.name);
}

static void axis_y(struct output *o, const struct frame *f, const char *unit, const char *name)
{
    out_printf(o, "<text text-anchor=\"middle\" transform=\"translate(12 %.1f) rotate(-90)\">",
                (f->top + f->bottom) / 2);
    html_text(o, name);
    out_text(o, "</text>");
    double step = step_of(f->most, 5);
    for (double y = 0; y <= f->most * (1 + 1e-9); y += step) {
        out_printf(o, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", f->left, at_y(f, y), f->right);
        number_at(o, f->left - 6, at_y(f, y) + 4, "end", y, unit);
    }
    out_printf(o, "<path class=\"edge\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", f->left, f->top, f->bottom,
                f->right);
}

/* ---- Over time: every picture has STEPS steps at most, each the mean of the known ones ---- */

static size_t thin(const struct chart_series *s, double *to)
{
    size_t factor = (s->n + STEPS - 1) / STEPS, n = 0;
    for (size_t k = 0; k < s->n; k += factor, n++) {
        double sum = 0, known = 0;
        for (size_t i = k; i < k + factor && i < s->n; i++)
            if (!isnan(s->y[i])) {
                sum += s->y[i];
                known++;
            }
        to[n] = known > 0 ? sum / known : (double)NAN;
    }
    return n;
}

static double step_x(const struct frame *f, const struct chart_series *s, size_t k)
{
    size_t factor = (s->n + STEPS - 1) / STEPS;
    return at_x(f, fmin(1, (double)(k * factor) / (double)s->n) * f->to);
}

static void draw_bands(struct output *o, const struct frame *f, const struct chart *c,
                       const struct chart_variant *v)
{
    double low[STEPS] = { 0 }, y[STEPS];
    char colour[CHART_COLOUR_MAX];
    for (size_t b = 0; b < v->bands.n; b++) {
        const struct chart_series *s = &v->bands.series[b];
        size_t n = thin(s, y);
        out_printf(o, "<path style=\"fill:var(%s)\" d=\"M%.1f %.1f",
                    chart_colour(colour, c, v, CHART_BAND, b), f->left, at_y(f, low[0]));
        for (size_t k = 0; k < n; k++)
            out_printf(o, "V%.1fH%.1f", at_y(f, low[k] + (isnan(y[k]) ? 0 : y[k])),
                        step_x(f, s, k + 1));
        for (size_t k = n; k-- > 0;) {
            out_printf(o, "V%.1fH%.1f", at_y(f, low[k]), step_x(f, s, k));
            low[k] += isnan(y[k]) ? 0 : y[k];
        }
        out_text(o, "Z\"/>");
    }
}

static void draw_lines(struct output *o, const struct frame *f, const struct chart *c,
                       const struct chart_variant *v)
{
    double y[STEPS];
    char colour[CHART_COLOUR_MAX];
    for (size_t l = 0; l < v->lines.n; l++) {
        const struct chart_series *s = &v->lines.series[l];
        size_t n = thin(s, y);
        out_printf(o, "<path style=\"fill:none;stroke:var(%s)\" d=\"",
                    chart_colour(colour, c, v, CHART_LINE, l));
        bool pen = false;
        for (size_t k = 0; k < n; pen = !isnan(y[k]), k++)
            if (!isnan(y[k])) {
                if (pen)
                    out_printf(o, "V%.1fH%.1f", at_y(f, y[k]), step_x(f, s, k + 1));
                else
                    out_printf(o, "M%.1f %.1fH%.1f", step_x(f, s, k), at_y(f, y[k]),
                                step_x(f, s, k + 1));
            }
        out_text(o, "\"/>");
    }
}

static void draw_time(struct output *o, const struct chart *c, const struct chart_variant *v,
                      struct frame f, double length_s)
{
    double sum[STEPS] = { 0 }, y[STEPS];
    f.to = length_s;
    for (size_t i = 0; i < v->bands.n + v->lines.n; i++) {
        bool band = i < v->bands.n;
        size_t n = thin(band ? &v->bands.series[i] : &v->lines.series[i - v->bands.n], y);
        for (size_t k = 0; k < n; k++)
            if (!isnan(y[k]))
                f.most = fmax(f.most, band ? (sum[k] += y[k]) : y[k]);
    }
    f.most = f.most > 0 ? f.most * 1.04 : 1;
    axis_time(o, &f);
    axis_y(o, &f, v->unit && !strcmp(v->unit, "s") ? "s" : "",
           v->unit ? v->unit : *c->unit ? c->unit : v->name);
    draw_bands(o, &f, c, v);
    draw_lines(o, &f, c, v);
}

/* ---- Distributions and sweeps ---- */

static void bounds_of(const struct chart_variant *v, bool positive, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t l = 0; l < v->lines.n; l++)
        for (size_t k = 0; k < v->lines.series[l].n; k++) {
            double x = v->lines.series[l].x[k];
            if (x > 0 || !positive) {
                *least = fmin(*least, x);
                *most = fmax(*most, x);
            }
        }
    if (!isfinite(*least))
        *least = *most = 1;
}

static void draw_cdf(struct output *o, const struct chart *c, const struct chart_variant *v,
                     struct frame f)
{
    char colour[CHART_COLOUR_MAX];
    bool time = v->unit && !strcmp(v->unit, "s");
    bounds_of(v, true, &f.from, &f.to);
    f.from = fmax(fmin(f.from, f.to / 10), f.to / 1e7);
    f.to *= 1.1;
    f.most = 100;
    f.log = true;
    axis_log(o, &f, time);
    axis_name(o, &f, v->name);
    axis_y(o, &f, "", "share of jobs (%)");
    for (size_t l = 0; l < v->lines.n; l++) {
        const struct chart_series *s = &v->lines.series[l];
        double share = 0;
        size_t k = 0;
        for (; k < s->n && s->x[k] <= f.from; k++)
            share = s->y[k];
        out_printf(o, "<path style=\"fill:none;stroke:var(%s)\" d=\"M%.1f %.1f",
                    chart_colour(colour, c, v, CHART_LINE, l), f.left, at_y(&f, share));
        for (; k < s->n; k++)
            out_printf(o, "H%.1fV%.1f", at_x(&f, s->x[k]), at_y(&f, s->y[k]));
        out_printf(o, "H%.1f\"/>", f.right);
    }
}

static void draw_point(struct output *o, const struct frame *f, const struct chart_series *s,
                       size_t k, const char *colour)
{
    double half = s->half ? s->half[k] : 0, x = at_x(f, s->x[k]);
    out_printf(o, "<path style=\"fill:none;stroke:var(%s)\" d=\"M%.1f %.1fV%.1f\"/>", colour, x,
                at_y(f, fmax(0, s->y[k] - half)), at_y(f, fmin(f->most, s->y[k] + half)));
    out_printf(o, "<circle style=\"fill:var(%s)\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", colour, x,
                at_y(f, s->y[k]));
}

static void draw_sweep(struct output *o, const struct chart *c, const struct chart_variant *v,
                       struct frame f)
{
    char colour[CHART_COLOUR_MAX];
    double room;
    bounds_of(v, false, &f.from, &f.to);
    room = f.to > f.from ? (f.to - f.from) * 0.04 : 1;
    f.from -= room;
    f.to += room;
    for (size_t l = 0; l < v->lines.n; l++)
        for (size_t k = 0; k < v->lines.series[l].n; k++) {
            const struct chart_series *s = &v->lines.series[l];
            f.most = fmax(f.most, s->y[k] + (s->half ? s->half[k] : 0));
        }
    f.most = f.most > 0 ? f.most * 1.04 : 1;
    axis_y(o, &f, v->unit && !strcmp(v->unit, "s") ? "s" : "", v->name);
    for (size_t k = 0; k < v->lines.series[0].n; k++) {
        const struct chart_series *s = &v->lines.series[0];
        if (v->labels.n)
            text_at(o, at_x(&f, s->x[k]), f.bottom + 16, "middle", v->labels.text[(size_t)s->x[k]]);
        else
            number_at(o, at_x(&f, s->x[k]), f.bottom + 16, "middle", s->x[k], "");
    }
    axis_name(o, &f, c->axis);
    for (size_t l = 0; l < v->lines.n; l++) {
        const struct chart_series *s = &v->lines.series[l];
        chart_colour(colour, c, v, CHART_LINE, l);
        out_printf(o, "<path style=\"fill:none;stroke:var(%s)\" d=\"", colour);
        for (size_t k = 0; k < s->n; k++)
            out_printf(o, "%c%.1f %.1f", k ? 'L' : 'M', at_x(&f, s->x[k]), at_y(&f, s->y[k]));
        out_text(o, "\"/>");
        for (size_t k = 0; k < s->n; k++)
            draw_point(o, &f, s, k, colour);
    }
}

/* ---- Rows ---- */

static void row_name(struct output *o, const struct frame *f, double y, const char *name)
{
    out_text(o, "<text text-anchor=\"end\" ");
    out_printf(o, "x=\"%.1f\" y=\"%.1f\">", f->left - 6, y);
    html_bytes(o, name, strlen(name) > CHARACTERS ? CHARACTERS : strlen(name));
    out_text(o, strlen(name) > CHARACTERS ? "..</text>" : "</text>");
}

static double row_total(const struct chart_series *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->n; k++)
        sum += s->y[k];
    return sum;
}

static void draw_bars(struct output *o, const struct chart *c, const struct chart_variant *v,
                      struct frame f)
{
    char colour[CHART_COLOUR_MAX];
    bool share = !strcmp(c->id, "ledger");
    f.left = NAMES;
    for (size_t r = 0; r < v->rows.n; r++)
        f.to = fmax(f.to, share ? 100 : row_total(&v->rows.series[r]));
    f.to = f.to > 0 ? f.to : 1;
    axis_linear(o, &f);
    axis_name(o, &f, share ? "share of all GPU time (%)" : "hours");
    for (size_t r = 0; r < v->rows.n; r++) {
        const struct chart_series *s = &v->rows.series[r];
        double from = 0, scale = share ? 100 / fmax(row_total(s), 1e-12) : 1, y = f.top + ROW * (double)r;
        row_name(o, &f, y + 16, s->name);
        for (size_t k = 0; k < s->n; from += s->y[k] * scale, k++)
            if (s->y[k] > 0)
                out_printf(o, "<path style=\"fill:var(%s)\" d=\"M%.1f %.1fH%.1fv20H%.1fZ\"/>",
                            chart_colour(colour, c, v, CHART_PART, k), at_x(&f, from), y,
                            at_x(&f, from + s->y[k] * scale), at_x(&f, from));
    }
}

/* The last characters of a name that is too long. */
static const char *name_end(const char *name)
{
    return strlen(name) > 8 ? name + strlen(name) - 8 : name;
}

static void draw_heat(struct output *o, const struct chart_variant *v, struct frame f)
{
    double high = (f.bottom - f.top) / (double)v->rows.n;
    size_t named = (size_t)ceil(14 / high);
    f.to = v->length_s;
    axis_time(o, &f);
    for (size_t r = 0; r < v->rows.n; r++) {
        const struct chart_series *s = &v->rows.series[r];
        double y = f.top + high * (double)r;
        if (r % named == 0)
            row_name(o, &f, y + fmin(high, 14), name_end(s->name));
        for (size_t k = 0, next; k < s->n; k = next) {
            for (next = k + 1; next < s->n && s->y[next] == s->y[k];)
                next++;
            if (s->y[k] > 0)
                out_printf(o, "<path style=\"fill:var(--l1);opacity:%.2f\" d=\"M%.1f %.1fH%.1fv%.1fH%.1fZ\"/>",
                            s->y[k] / 100, at_x(&f, f.to * (double)k / (double)s->n), y,
                            at_x(&f, f.to * (double)next / (double)s->n), high,
                            at_x(&f, f.to * (double)k / (double)s->n));
        }
    }
}

/* Boxes of jobs in lanes of GPUs. */
static void draw_gantt(struct output *o, const struct chart *c, const struct chart_variant *v,
                       struct frame f)
{
    char colour[CHART_COLOUR_MAX];
    const double *last = v->rows.series[v->rows.n - 1].y;
    double high = (f.bottom - f.top) / last[1], named = -14;
    f.to = v->length_s;
    f.start_unix_s += v->from_s;
    f.from_s = v->from_s;
    axis_time(o, &f);
    for (size_t r = 0; r < v->rows.n; r++) {
        const struct chart_series *s = &v->rows.series[r];
        double y = f.top + high * s->y[0];
        if (y - named < 14)
            continue;
        named = y;
        row_name(o, &f, y + fmin(high * (s->y[1] - s->y[0]), 14), name_end(s->name));
    }
    for (size_t b = 0; b < v->bands.n; b++) {
        const struct chart_series *s = &v->bands.series[b];
        out_printf(o, "<path style=\"fill:var(%s);stroke:var(--back);stroke-width:.4\" d=\"",
                    chart_colour(colour, c, v, CHART_BAND, b));
        for (size_t k = 0; k < s->n; k++)
            out_printf(o, "M%.1f %.1fH%.1fV%.1fH%.1fZ", at_x(&f, s->x[k]),
                        f.top + high * s->half[k], at_x(&f, s->y[k]), f.top + high * s->low[k],
                        at_x(&f, s->x[k]));
        out_text(o, "\"/>");
    }
}

/* ---- The picture ---- */

static void legend_entry(struct output *o, const char *colour, const char *name)
{
    out_printf(o, "<span><i style=\"background:var(%s)\"></i>", colour);
    html_text(o, name);
    out_text(o, "</span> ");
}

static bool is_shown(const struct chart_variant *v, size_t part)
{
    for (size_t r = 0; r < v->rows.n; r++)
        if (v->rows.series[r].y[part] > 0)
            return true;
    return false;
}

static void legend(struct output *o, const struct chart *c, const struct chart_variant *v)
{
    char colour[CHART_COLOUR_MAX];
    out_text(o, "<p class=\"legend\">");
    for (size_t i = 0; i < v->bands.n; i++)
        legend_entry(o, chart_colour(colour, c, v, CHART_BAND, i), v->bands.series[i].name);
    for (size_t i = 0; i < v->lines.n; i++)
        legend_entry(o, chart_colour(colour, c, v, CHART_LINE, i), v->lines.series[i].name);
    for (size_t i = 0; i < v->parts.n; i++)
        if (is_shown(v, i))
            legend_entry(o, chart_colour(colour, c, v, CHART_PART, i), v->parts.text[i]);
    out_text(o, "</p>");
}

void chart_svg(struct output *o, const struct chart *c, double length_s, double start_unix_s)
{
    const struct chart_variant *v = &c->variant[0];
    struct frame f = { LEFT, RIGHT, TOP, BOTTOM, 0, 0, 0, false, start_unix_s, 0 };
    bool bars = !strcmp(c->type, "bars");
    if (bars)
        f.bottom = f.top + ROW * (double)v->rows.n;
    out_printf(o, "<div class=\"static\"><svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"%s\">", WIDE,
                f.bottom + HIGH - BOTTOM, c->title);
    if (bars)
        draw_bars(o, c, v, f);
    else if (!strcmp(c->type, "heat"))
        draw_heat(o, v, f);
    else if (!strcmp(c->type, "gantt"))
        draw_gantt(o, c, v, f);
    else if (!strcmp(c->type, "cdf"))
        draw_cdf(o, c, v, f);
    else if (!strcmp(c->type, "sweep"))
        draw_sweep(o, c, v, f);
    else
        draw_time(o, c, v, f, length_s);
    out_text(o, "</svg>");
    legend(o, c, v);
    if (*v->name && c->n > 1) {
        out_text(o, "<p class=\"note\">Shown: ");
        html_text(o, v->name);
        out_text(o, ".</p>");
    }
    out_text(o, "</div>");
}
