/* population.h - the jobs of jobs.csv of which times are told: those that the means and quantiles
 * of summary.csv count, in every figure.
 *
 *   counted      of the trace, after the warm-up of --warmup, completed, failed or cancelled after
 *                it had started (it has a bounded slowdown)
 *   unfinished   of the trace, running or pending when the run was cut off
 *   on demand    a replica of a service or a session: rows after the jobs of the trace, which end
 *                when they are withdrawn and have no bounded slowdown
 *   warm-up      the first jobs of the trace, as many as `warmup_jobs` of the manifest says
 *
 * Rows of other kinds (rejected, cancelled before they started) have no times. How many jobs the
 * trace has is `counts.jobs` of the manifest; without one all rows are of the trace. */
#pragma once
#include "sim/cli/plot/rows.h"

struct population {
    size_t trace, warmup;                            /* SIZE_MAX and 0: the manifest does not say */
    size_t rows;                                     /* that were read */
    size_t counted, unfinished, on_demand, left_out; /* left_out: by the warm-up */
};
enum population_part { NOT_COUNTED, COUNTED, UNFINISHED };

/* The first two columns that a reader of jobs.csv asks for. */
#define POPULATION_COLUMNS "$state", "bounded_slowdown"

struct population population_begin(const char *directory);
/* The next row, with POPULATION_COLUMNS. */
enum population_part population_row(struct population *p, const struct fields *f);
