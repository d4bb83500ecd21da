/* labels.c - see labels.h. */
#include "sim/cli/plot/names/labels.h"

#include "sim/base/memory.h"
#include "sim/cli/frame/term.h"
#include "sim/cli/plot/names/place.h"
#include "sim/cli/plot/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { GAP_PX = 5, APART_PX = 6, ROOM_PX = 24, TRY_PX = 8, LEGEND_LINE_PX = 17, SAMPLE_PX = 60 };

struct box {
    double left, low, right, high;
};

void line_path_add(struct line_path *line, double x, double y)
{
    mem_grow(&line->at, &line->capacity, line->n, sizeof *line->at);
    line->at[line->n++] = (struct label_point){ x, y };
}

void line_paths_free(struct line_path *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(line[i].at);
    free(line);
}

/* ---- Boxes and lines ---- */

/* How far they are apart, along the axis along which they are further; below 0: they overlap. */
static double gap(struct box a, struct box b)
{
    return fmax(fmax(a.left - b.right, b.left - a.right), fmax(a.low - b.high, b.low - a.high));
}

/* The two straight parts of a step: to the right, then to the next height. */
static struct box across(const struct line_path *l, size_t k)
{
    double x = l->at[k].x, next = l->at[k + 1].x;
    return (struct box){ fmin(x, next), l->at[k].y, fmax(x, next), l->at[k].y };
}

static struct box upward(const struct line_path *l, size_t k)
{
    double x = l->at[k + 1].x, y = l->at[k].y, next = l->at[k + 1].y;
    return (struct box){ x, fmin(y, next), x, fmax(y, next) };
}

static double gap_to_line(const struct line_path *l, struct box b)
{
    double least = INFINITY;
    for (size_t k = 0; k + 1 < l->n; k++)
        least = fmin(least, fmin(gap(across(l, k), b), gap(upward(l, k), b)));
    return least;
}

/* ---- Names ---- */

struct search {
    const struct line_path *line;
    size_t n, i; /* of lines; the one that gets a name */
    struct frame frame;
    const struct box *placed; /* [i] names of those before */
    struct line_label best;
    struct box best_box;
    double best_score; /* below 0: none yet */
};

/* What room a name has there, at most ROOM_PX; below APART_PX: too little. */
static double room(const struct search *s, struct box b)
{
    double least = ROOM_PX;
    if (b.left < 0 || b.right > s->frame.wide || b.low < 0 || b.high > s->frame.high)
        return -1;
    for (size_t k = 0; k < s->i && least >= APART_PX; k++)
        least = fmin(least, gap(s->placed[k], b));
    for (size_t k = 0; k < s->n && least >= APART_PX; k++)
        if (k != s->i)
            least = fmin(least, gap_to_line(&s->line[k], b));
    return least < APART_PX || gap_to_line(&s->line[s->i], b) < GAP_PX - 1 ? -1 : least;
}

static void try_label(struct search *s, struct line_label at, double off_middle)
{
    double wide = CHARACTER_PX * (double)s->line[s->i].characters;
    double left = at.side > 0 ? at.x : at.side < 0 ? at.x - wide : at.x - wide / 2;
    struct box b = { left, at.y - LINE_PX / 2.0, left + wide, at.y + LINE_PX / 2.0 };
    double score = room(s, b);
    if (score < 0 || (score -= off_middle) <= s->best_score)
        return;
    s->best = at;
    s->best_box = b;
    s->best_score = score;
}

static void try_around(struct search *s, double x, double y, double off_middle)
{
    double up = GAP_PX + LINE_PX / 2.0;
    try_label(s, (struct line_label){ x + GAP_PX, y, 1 }, off_middle);
    try_label(s, (struct line_label){ x - GAP_PX, y, -1 }, off_middle);
    try_label(s, (struct line_label){ x, y + up, 0 }, off_middle);
    try_label(s, (struct line_label){ x, y - up, 0 }, off_middle);
}

/* Places TRY_PX apart on a straight part. */
static void try_along(struct search *s, struct box part, double off_middle)
{
    double length = fmax(part.right - part.left, part.high - part.low);
    for (double at = 0; at <= length; at += TRY_PX) {
        double share = length > 0 ? at / length : 0;
        try_around(s, part.left + share * (part.right - part.left),
                   part.low + share * (part.high - part.low), off_middle);
    }
}

bool labels_fit(const struct line_path *line, size_t n, struct frame frame,
                struct line_label *label)
{
    struct box *placed = mem_new(n + 1, sizeof *placed);
    bool fit = true;
    for (size_t i = 0; i < n && fit; i++) {
        struct search s = { line, n, i, frame, placed, .best_score = -1 };
        for (size_t k = 0; k + 1 < line[i].n; k++) {
            double middle = fabs((double)(2 * k + 2) / (double)line[i].n - 1); /* 0: there */
            try_along(&s, across(&line[i], k), middle * APART_PX);
            try_along(&s, upward(&line[i], k), middle * APART_PX);
        }
        fit = s.best_score >= 0;
        label[i] = s.best;
        placed[i] = s.best_box;
    }
    free(placed);
    return fit;
}

bool legend_covers(const struct line_path *line, size_t n, struct frame frame, size_t longest)
{
    double wide = SAMPLE_PX + CHARACTER_PX * (double)longest;
    double high = LEGEND_LINE_PX * ((double)n + 1);
    struct box legend = { frame.wide - wide, 0, frame.wide, high };
    for (size_t i = 0; i < n; i++)
        if (gap_to_line(&line[i], legend) < 0)
            return true;
    return false;
}

/* ---- Lines of a figure ---- */

struct line_path *line_paths_of(const struct figure *f, const char *name,
                                const struct plot_request *r, const struct label_axes *a)
{
    struct line_path *line = mem_new(r->n + 1, sizeof *line);
    double decades = a->logarithmic ? log(a->high / a->low) : 0;
    for (size_t i = 0; i < r->n; i++) {
        char table[64];
        snprintf(table, sizeof table, "%s%zu", name, i + 1);
        const struct table *t = figure_find_table(f, table);
        line[i].characters = text_width(r->run[i].label);
        for (size_t k = 0; t && k < table_rows(t); k++) {
            double x = table_cell(t, k, 0), y = table_cell(t, k, 1);
            double share = a->logarithmic ? log(x / a->low) / decades
                                          : (x - a->low) / (a->high - a->low);
            line_path_add(&line[i], share * a->frame.wide, y / a->most * a->frame.high);
        }
    }
    return line;
}

static void put_label(struct figure *f, const struct label_axes *a, struct line_label l, size_t i)
{
    double share = l.x / a->frame.wide;
    fact(f, a->logarithmic ? a->low * pow(a->high / a->low, share)
                           : a->low + share * (a->high - a->low), "label_x%zu", i);
    fact(f, l.y / a->frame.high * a->most, "label_y%zu", i);
    fact(f, l.side, "label_side%zu", i);
}

bool label_lines(struct figure *f, const struct plot_request *r, const struct label_axes *axes,
                 const struct line_path *line)
{
    const struct canvas *c = &r->canvas;
    struct line_label *label = mem_new(r->n + 1, sizeof *label);
    bool fit = c->paper.untitled && c->paper.width_in > 0 && c->format != PLOT_TERM &&
               labels_fit(line, r->n, axes->frame, label);
    for (size_t i = 0; fit && i < r->n; i++)
        put_label(f, axes, label[i], i + 1);
    free(label);
    return fit;
}
