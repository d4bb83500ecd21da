/* series.h - a level that holds from one change to the next, as means over equal steps of time, so that areas stay right however
 * many changes there were. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* The steps of all runs on a page are alike: each counts time from its own start. */
struct steps { double length_s; size_t n; };
struct series {
    double *mean;                 /* [n] after series_end(); NaN: behind the end of the run */
    double at_s, value;
    bool any;                     /* it was told at all */
};

void series_set(struct series *l, const struct steps *steps, double at_s, double value);    /* in order of time, from 0 on */
void series_end(struct series *l, const struct steps *steps, double end_s);   /* sums become means; a level that was never told stays NULL */
void series_free(struct series *l);
