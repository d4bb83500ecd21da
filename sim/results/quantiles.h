/* quantiles.h - quantiles of jobs' times that a run is asked for, as metrics of its summary.
 *
 * A name is jct_pNN_s, wait_pNN_s, slowdown_pNN or bounded_slowdown_pNN, with NN from 1 to 99 and
 * without a leading 0. Of the jobs that the mean of the same name counts, in each scope; type 7
 * (models.md 10.5), in s where the name ends so. No value: no such job, or p99 of fewer than 1000.
 * Those that every summary has (jct and wait: p50, p90, p99) may be named and are there once.
 *
 * A summary has only what its run was asked for (run_setup.quantiles): nothing is kept of jobs
 * from which another quantile could be computed later. */
#pragma once
#include "sim/base/error.h"
#include "sim/results/summary_builder.h"

#include <stdio.h>

enum { QUANTILE_MIN_JOBS_P99 = 1000 };    /* models.md 10.5: below that it says nothing */

/* slowdown_pNN and the like, for lists of metrics; ends with a NULL name. */
extern const struct metric_kind quantile_patterns[];
const struct metric_kind *quantile_find(const char *name);    /* NULL: not such a name */
bool quantile_is(const struct metric_kind *kind);             /* whether it is one of these */
/* Adds the names of a list, separated by commas. -1 with err: one is not the name of a quantile. */
int  quantiles_want(struct quantiles_wanted *to, const char *list, struct error *err);
bool quantiles_any(const struct quantiles_wanted *w);
void quantiles_write(FILE *to, const struct quantiles_wanted *w);    /* a list as above */

/* Of the jobs of a tally. */
void quantiles_put(struct summary_builder *b, const struct tally *t);
