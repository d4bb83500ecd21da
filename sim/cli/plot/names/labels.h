/* labels.h - names beside lines, where they fit, so that a picture needs no legend.
 *
 * Pixels are those of a layout (figure.h) in a frame, from its lower left corner, x to the right
 * and y up. A line is drawn in steps: from a point to the right, then up or down to the next. A
 * name stands right of a place on its line, left of it, above or below, GAP_PX away; it meets no line
 * and no other name, and these are at least APART_PX away. Of the places where it does, the one
 * with most room is taken, then the one nearest to the middle of the line. Names are placed in the
 * order of the lines.
 */
#pragma once
#include "sim/cli/plot/figure.h"

#include <stdbool.h>
#include <stddef.h>

struct label_point {
    double x, y;
};
struct line_path {
    size_t n, capacity;
    struct label_point *at; /* owned */
    size_t characters;      /* of its name */
};
struct line_label {
    double x, y; /* of the text: its left end, middle or right end; the middle of its height */
    int side;    /* 1, 0 or -1: x is that end */
};
struct frame {
    double wide, high;
};
void line_path_add(struct line_path *line, double x, double y);
void line_paths_free(struct line_path *line, size_t n);
bool labels_fit(const struct line_path *line, size_t n, struct frame frame,
                struct line_label *label);
/* Whether a legend in the lower right corner, of names so long, would cover a line. */
bool legend_covers(const struct line_path *line, size_t n, struct frame frame, size_t longest);

/* ---- Lines of a figure ---- */

/* x from `low` to `high`, y from 0 to `most`. */
struct label_axes {
    double low, high, most;
    bool logarithmic; /* x */
    struct frame frame;
};
struct plot_request;
/* The lines of the tables `name`1 .. , of x and y, one for each run; put away with
 * line_paths_free(). */
struct line_path *line_paths_of(const struct figure *f, const char *name,
                                const struct plot_request *r, const struct label_axes *axes);
/* On a paper with a legend that would have names alone: whether they fit, and if so the facts
 * label_x1, label_y1 and label_side1 .. n, in units of the axes. */
bool label_lines(struct figure *f, const struct plot_request *r, const struct label_axes *axes,
                 const struct line_path *line);
