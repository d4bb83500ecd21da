/* markup.h - text, numbers, JSON and tables of a page, escaped: names may hold any characters. */
#pragma once
#include "sim/io/output.h"

void html_text(struct output *o, const char *text);          /* in elements and in quoted attributes */
void html_bytes(struct output *o, const char *text, size_t n);
void html_printf(struct output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));    /* short text without characters to escape */
/* Safe in a <script type="application/json">: no text ends the element. */
void json_text(struct output *o, const char *text);
void json_numbers(struct output *o, const double *value, size_t n);    /* a list; five digits; NaN: null */

enum { VALUE_MAX = 64 };
const char *value_text(char to[VALUE_MAX], const char *metric, const char *unit, double value);    /* NaN: "-" */
void table_begin(struct output *o, const char *caption);     /* a <table> in a box that scrolls; the caption is escaped */
void table_end(struct output *o);
