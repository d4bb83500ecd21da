/* markup.h - text, numbers, JSON and tables of a page, escaped: names may hold any characters. */
#pragma once
#include "sim/io/output.h"

#include <stdbool.h>

/* in elements and in quoted attributes */
void html_text(struct output *o, const char *text);
void html_bytes(struct output *o, const char *text, size_t n);
/* short text without characters to escape */
/* Safe in a <script type="application/json">: no text ends the element. */
void json_text(struct output *o, const char *text);
/* a list; five digits; NaN: null; a number that repeats: [times, number] */
void json_numbers(struct output *o, const double *value, size_t n);

bool metric_is_share(const char *metric);    /* shown in per cent */
enum { VALUE_MAX = 64 };
/* NaN: "-" */
const char *value_text(char to[VALUE_MAX], const char *metric, const char *unit, double value);
/* a <table> in a box that scrolls; the caption is escaped */
void table_begin(struct output *o, const char *caption);
/* one that page.js lets a reader sort; a cell that is no text has its value in data-value */
void table_begin_sortable(struct output *o, const char *caption);
void table_end(struct output *o);
