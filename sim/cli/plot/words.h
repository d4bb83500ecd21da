/* words.h - how plots write names, numbers, durations and colours for people, and lines of text on
 * a terminal. */
#pragma once
#include "sim/base/memory.h"

#include <stdbool.h>
#include <stddef.h>

/* A text that is printed to: "%s" and the like, in the arena. */
const char *words(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { NAME_WIDE = 40, NAME_LEAST = 12 };
/* A name on one line of at most `most` columns (at least NAME_LEAST): control characters become one
 * blank, what is too long ends in "..". `most` may be below 0. */
const char *name_clean(struct arena *a, const char *name, int most);

/* At most so many columns; what is too long ends in "..". */
const char *cut(struct arena *a, const char *text, size_t most);

const char *commas(struct arena *a, double x);      /* 70000: "70,000" */
const char *human(struct arena *a, double s);       /* a duration: "90 s", "1.5 h" */
const char *percent(struct arena *a, double share); /* "50 %", "12.5 %", "0.25 %" */
/* As percent(), but all but a little is not all: "99.98 %". */
const char *nearly(struct arena *a, double share);
const char *digits(struct arena *a, double x, int n); /* n digits, but all before the point */
const char *short_number(struct arena *a,
                         double x); /* three digits, and all before the point from 100 on */

/* Colours that colour-blind readers can tell apart: of the k-th of nine from 1, grey of all others.
 * 0xrrggbb. On a terminal the brighter ones, which show on dark and light. Both are Paul Tol's
 * (personal.sron.nl/~pault, "muted" and "bright"). */
enum { LINE_COLOURS = 9 };
unsigned colour_of(size_t k, bool terminal);
/* What fills the k-th of n bands, from 1, where a printer without colours shall tell them: up to
 * eight greys, dark to light, evenly and at least a tenth of the way from black to white apart. Of
 * more than eight bands every second one is hatched instead, in that grey on white. hatch_of() is
 * the pattern of gnuplot; 0: solid. */
unsigned grey_of(size_t k, size_t n);
unsigned hatch_of(size_t k, size_t n);
bool colour_is_dark(unsigned rgb); /* white text stands on it better than black */

/* ---- Lines of a terminal ---- */

const char *padded(struct arena *a, const char *text,
                   int width); /* with blanks up to a width; below 0: before the text */
/* What stands before a bar: its name, or, where the longest of all names has not half of the line,
 * its name on lines above it. How many columns that takes of the bar's line. */
int put_bar_name(FILE *to, struct arena *a, const char *name, size_t longest, int columns);
/* Entries on lines of at most `wide` columns that begin with `indent` blanks. Ends with a
 * newline. */
void put_entries(FILE *to, const char *const *entry, size_t n, int indent, int wide);
