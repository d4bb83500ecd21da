/* term.h - the terminal: width, colour, and text without control characters. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TERM_WIDTH 80             /* of an output that is no terminal */

unsigned term_width(int fd);      /* columns; for an output that is no terminal COLUMNS, if set */
bool term_moves(int fd);          /* a terminal on which a line can be drawn over */
bool term_colour(int fd);         /* such a terminal, and NO_COLOR is not set */

/* UTF-8, one column for each character (combining and wide ones are counted wrong). Control
 * characters become '?'. */
size_t text_width(const char *text);
/* cut to `max` columns, then it ends in ".." */
void   text_put(FILE *to, const char *text, size_t max);
void   text_pad(FILE *to, const char *text, size_t width);   /* cut or filled up to `width` */
/* Words of `text` in lines that begin after `indent` blanks and have at most `width` columns. A
 * longer word is split after a comma or '|' if it has one. The cursor stands at column `at`; the
 * first line continues there if two blanks remain in between. '\n' ends a paragraph. */
void   text_wrap(FILE *to, const char *text, size_t at, size_t indent, size_t width);

const char *plural_ending(double n);                         /* "s", unless n is 1 */

/* A duration for people: "0 s", "12.5 s", "3.2 min", "4.1 h", "2.5 d", "1.3 y": at most 7
 * characters below 1000 years. */
#define HUMAN_MAX 24
const char *human_time(char to[HUMAN_MAX], double s);        /* NaN: "-" */
