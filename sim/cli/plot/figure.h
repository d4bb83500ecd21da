/* figure.h - what one picture shows: tables of rows and facts about them; on a terminal text
 * besides, or text alone.
 *
 * A kind of plot (kind.h) fills a figure. Of one figure come
 *
 *   commands for gnuplot   a data block $NAME for each table, a variable for each fact, then
 *                          `load 'SCRIPT'`
 *   CSV                    the columns that the kind documents, under a header: the rows of all its
 *                          tables, one after another
 *
 * so that a table of CSV holds what a picture draws. A table has named columns, numbers or texts.
 * Columns that CSV does not document (a colour, the place of a text) are for gnuplot alone; labels
 * ("run", "queue") are cells of CSV that are the same in all rows of a table. Numbers are in base
 * units (seconds, GPUs, shares or per cent as the column says); a script divides by the unit of its
 * axis. NaN is no value: NaN for gnuplot, an empty cell in CSV.
 *
 * Texts come from file names and result files, so they may hold anything. What gnuplot is given is
 * one line of printable characters between single quotes (facts: there nothing but a quote is
 * special, neither backquotes nor macros) or double quotes in data, which are not evaluated. */
#pragma once
#include "sim/base/memory.h"
#include "sim/io/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum plot_format { PLOT_PNG, PLOT_SVG, PLOT_PDF, PLOT_TERM, PLOT_CSV };
/* A picture of a paper has its final size: `width_in` wide, text of `font_pt` points. Layouts are
 * told in pixels at a text of 10 points, of which so wide a picture has width_in x 96 x 10 /
 * font_pt. */
struct paper {
    double width_in; /* 0: for a screen, as wide as the kind wants */
    double font_pt;
    bool untitled; /* the paper's caption says what it shows */
    bool bw;       /* greys, dashes and marks for colours */
};
enum { FONT_USUAL = 10 };
struct canvas {
    enum plot_format format;
    int columns, lines; /* of a terminal */
    bool colour;        /* of a terminal */
    struct paper paper;
};

/* How wide a layout is, in pixels; 0: a screen, as wide as the kind wants. */
double canvas_layout(const struct canvas *canvas);

struct figure;
struct table;
struct figure *figure_new(const struct canvas *canvas);
void figure_free(struct figure *f);
struct arena *figure_memory(struct figure *f); /* for texts that live as long as the figure */

/* columns: "time_s,gpus"; lives as long as the figure. The name of the table is printed. */
struct table *figure_table(struct figure *f, const char *columns, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
void table_label(struct table *t, const char *column, const char *text);
/* Cells, from left to right, row after row. */
void table_number(struct table *t, double x);
void table_text(struct table *t, const char *text);
void table_numbers(struct table *t, size_t n, const double *x);
size_t table_rows(const struct table *t);

/* What has been put into a figure, for other pictures than gnuplot's. Rows and columns from 0. */
const struct table *figure_find_table(const struct figure *f, const char *name); /* NULL: none */
double table_cell(const struct table *t, size_t row, size_t column);
const char *table_cell_text(const struct table *t, size_t row, size_t column);
double figure_number(const struct figure *f, const char *name);      /* a fact; NaN: none */
const char *figure_words(const struct figure *f, const char *name);  /* a text; "": none */

/* The name of the variable is printed. */
void fact(struct figure *f, double value, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
void fact_text(struct figure *f, const char *text, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* A label of a tic, which gnuplot takes for a format. */
void fact_tic(struct figure *f, const char *text, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

/* On a terminal: the whole plot, which gnuplot then does not draw; lines below what gnuplot
 * draws. */
FILE *figure_text(struct figure *f);
FILE *figure_legend(struct figure *f);
/* On a terminal the legend of lines 1 .. n, or of one: what a line is drawn with there (common.gp),
 * and the text, or the texts `fact`1 .. `fact`n; `marked`: its points have a letter. Other pictures
 * have a legend of their own. There are KEY_MARKS characters; more lines are of dots, with letters
 * where they have points or change: so figure_lettered() says, and tells the script by the fact
 * `lettered`. More than KEY_LETTERS use letters in turn: then figure_keys() says so. */
enum { KEY_MARKS = 7, KEY_LETTERS = 26 };
bool figure_lettered(struct figure *f, size_t n);
void figure_key(struct figure *f, size_t line, bool marked, const char *text);
void figure_keys(struct figure *f, size_t n, bool marked, const char *fact);
/* On a terminal a sentence below the legend; "": none. */
void figure_note(struct figure *f, const char *text);

void figure_commands(struct figure *f, const char *script, struct output *to);
void figure_csv(struct figure *f, const char *columns, struct output *to);
char *figure_drawn_text(struct figure *f);        /* of the figure; NULL: gnuplot draws it */
const char *figure_legend_text(struct figure *f); /* "": there is none */
