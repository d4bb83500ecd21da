/* tables.h - what the tables of a page share. */
#pragma once
#include "sim/cli/report/page.h"
#include "sim/results/summary.h"

enum { VALUE_MAX = 64 };
const char *value_text(char to[VALUE_MAX], const char *metric, const char *unit, double value);    /* NaN: "-" */
void table_begin(struct output *o, const char *caption);     /* <table>, in a box that scrolls; the caption is text */
void table_end(struct output *o);
