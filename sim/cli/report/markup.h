/* markup.h - text, numbers, JSON and tables of a page, so that no name can leave its place. */
#pragma once
#include "sim/io/output.h"

void html_text(struct output *o, const char *text);          /* in elements and in quoted attributes */
void html_bytes(struct output *o, const char *text, size_t n);
void html_printf(struct output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));    /* short, and nothing to escape */
/* In a <script type="application/json">: whatever the text, it does not end that. */
void json_text(struct output *o, const char *text);
void json_number(struct output *o, double value);            /* five digits; NaN: null */
void json_numbers(struct output *o, const double *value, size_t n);

enum { VALUE_MAX = 64 };
const char *value_text(char to[VALUE_MAX], const char *metric, const char *unit, double value);    /* NaN: "-" */
void table_begin(struct output *o, const char *caption);     /* <table>, in a box that scrolls; the caption is text */
void table_end(struct output *o);
