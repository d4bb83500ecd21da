/* chart.h - the figures of a page as numbers, from which come
 *
 *   JSON           for page.js, which draws them to be looked into
 *   static SVG     of the first variant, which a reader without JavaScript sees
 *
 * {"id", "type", "unit", "variants": [{"name", "unit", "bands", "lines", "rows", "parts", ..}]};
 * bands, lines and parts have a `colour`, a style of page.css. By type: "time": bands (stacked) and lines, a value of y for each of the page's steps; "cdf": lines
 * of x and y; "sweep": lines of x, y and `half` their intervals, labels of x if it is no number;
 * "bars": parts and rows, a value for each part; "heat": rows in per cent, over length_s.
 * In JSON a value of y that repeats is [times, value]; NaN is null. Numbers have five digits.
 *
 * Texts and numbers are copied; chart_free() frees them. */
#pragma once
#include "sim/io/output.h"

#include <stdbool.h>
#include <stddef.h>

struct chart_series { char *name; size_t n; double *x, *y, *half; };    /* x, half: NULL: none */
struct chart_list { size_t n, capacity; struct chart_series *series; };
struct chart_texts { size_t n, capacity; char **text; };
struct chart_variant {
    char *name;
    const char *unit;             /* NULL: that of the chart */
    struct chart_list bands, lines, rows;
    struct chart_texts parts, labels;
    double length_s;              /* of the axis; 0: that of the page */
    size_t nodes_per_row;         /* 0: none */
};
struct chart {
    const char *id, *type, *unit, *title;
    char *axis;                   /* what x is, of "sweep"; NULL: none */
    size_t n, capacity;
    struct chart_variant *variant;
};

struct chart_variant *chart_variant(struct chart *c, const char *name);    /* valid until the next one */
/* y: [n] */
struct chart_series *chart_add(struct chart_list *to, const char *name, const double *y, size_t n);
double *chart_copy(const double *x, size_t n);
void chart_text(struct chart_texts *to, const char *text);
bool chart_is_empty(const struct chart *c);                  /* no variant shows anything */
void chart_free(struct chart *c);

/* The style of page.css that a band, a line or a part has, "--l1"; of a name the same in all figures,
 * as in the pictures of `gpuyard plot`. */
enum chart_mark { CHART_BAND, CHART_LINE, CHART_PART };
#define CHART_COLOUR_MAX 16
const char *chart_colour(char to[CHART_COLOUR_MAX], const struct chart *c,
                         const struct chart_variant *v, enum chart_mark mark, size_t i);

void chart_json(struct output *o, const struct chart *c);
/* length_s: of the page's axis of time */
void chart_svg(struct output *o, const struct chart *c, double length_s);
