/* term.h - the terminal: how wide, whether in colour, and text that cannot harm it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TERM_WIDTH 80             /* of what is no terminal */

unsigned term_width(int fd);      /* columns; COLUMNS, if set, for what is no terminal */
bool term_moves(int fd);          /* a terminal on which a line can be drawn over */
bool term_colour(int fd);         /* such a terminal, and NO_COLOR is not set */

/* UTF-8, one column a character (combining and wide ones are counted wrong). Control characters become '?'. */
size_t text_width(const char *text);
void   text_put(FILE *to, const char *text, size_t most);    /* cut to `most` columns, then it ends in ".." */
void   text_pad(FILE *to, const char *text, size_t width);   /* cut or filled up to `width` */
/* Words of `text`, in lines that begin after `indent` blanks and are no longer than `width` if their words allow, which
 * may be parted behind commas. The cursor stands at column `at`; the first line goes on there if two blanks are left in
 * between. '\n' ends a paragraph. */
void   text_wrap(FILE *to, const char *text, size_t at, size_t indent, size_t width);

/* A time for people: "0 s", "12.5 s", "3.2 min", "4.1 h", "2.5 d", "1.3 y": at most 7 characters up to 1000 years. */
#define HUMAN_MAX 24
const char *human_time(char to[HUMAN_MAX], double s);        /* NaN: "-" */
