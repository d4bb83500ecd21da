/* filter.h - which jobs of a trace to take: a window of submit times, queues, users, classes, sizes. */
#pragma once
#include "sim/cli/frame/cli.h"
#include "sim/workload/workload.h"

#define FILTER_GPUS_MOST INT64_C(100000000)
#define FILTER_DEFAULTS  { .max_gpus = FILTER_GPUS_MOST, .limit = UINT32_MAX }
struct filter_options {
    const char *since, *until;                /* seconds or a date; NULL: no bound */
    const char *queues, *users, *classes;     /* names with commas between; NULL: all */
    int64_t min_gpus, max_gpus, limit;
};
/* Leaves the jobs that fit. An exit status; if not EXIT_OK, err says why: a time or a name that is none is wrong usage,
 * and so is a filter that leaves nothing. */
int filter_apply(const struct filter_options *f, const char *command, struct workload *w, struct error *err);
