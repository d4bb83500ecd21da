/* xy.h - figures of one number over another: panels one above the other that share the axis of x,
 * in each a line for each run. Tables are $xyPANEL_LINE, both from 1: columns x, y, and for whiskers
 * y_low, y_high; x and y are in the units of the axes. */
#pragma once
#include "sim/cli/plot/figure.h"

enum { XY_PANELS = 4, XY_LINES_MOST = 12 };
struct xy_panel {
    const char *heading; /* of the axis of y */
    double low, high;    /* of what is shown; with logarithmic above 0 */
    bool logarithmic;
    bool has_mark;
    double mark; /* a line across, at this y */
};
struct xy {
    const char *title, *x_name, *note; /* note: below the axis; NULL: none */
    double low, high;                  /* of x; low == high: one value */
    bool points;                       /* a mark at each row, as rows are measurements */
    bool whiskers;
    double diagonal;                   /* y = x in grey, up to there; 0: none */
    size_t lines, panels;
    const char *const *name;           /* [lines] */
    struct xy_panel panel[XY_PANELS];
};
/* What a range of y needs beside its data; least and most may be NaN: nothing is shown. */
struct xy_panel xy_panel(const char *heading, double least, double most, bool logarithmic);
void xy_facts(struct figure *f, const struct xy *xy);
