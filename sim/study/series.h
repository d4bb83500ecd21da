/* series.h - a level that holds from one change to the next: GPUs in use, jobs that wait, power drawn.
 *
 * Time is in seconds from 0. A level is 0 before its first value. series_set() tells the values in order of time; series_end()
 * closes the level at the end of its run. Then there are
 *
 *   integral   the sum of value x time from 0 to the end
 *   mean[k]    with n > 0 equal steps over length_s: the mean over step k, the integral in it over its length, so that areas
 *              stay right however many changes there were. The step in which the run ends is as long as the run goes on in it;
 *              of steps behind that the mean is NaN.
 *   change[]   when the level changes and to what: without steps (n = 0) the changes themselves, of several at one time the
 *              last; with steps those with another mean than the step before. Differences of less
 *              than 1e-9 of the value are rounding, and no change.
 *
 * What is told for after length_s is not of the axis, and changes nothing (length_s 0: there is no such end).
 *
 * All runs that are shown on one axis have the same steps. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct steps { double length_s; size_t n; };
struct level_change { double at_s, value; };
struct series {
    double *mean;                 /* [n]; owned; NULL before the first value, and without steps */
    struct level_change *change;  /* owned; NULL before series_end() if there are steps */
    size_t n_changes, capacity;
    double integral;              /* value x seconds */
    double at_s, value;           /* the last value told, and up to when the integral goes */
    bool any;                     /* it has a value at all */
};

void series_set(struct series *l, const struct steps *steps, double at_s, double value);
void series_end(struct series *l, const struct steps *steps, double end_s);    /* nothing if it has no value */
void series_free(struct series *l);
