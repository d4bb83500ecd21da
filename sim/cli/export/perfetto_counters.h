/* perfetto_counters.h - timeseries.csv and queues.csv as counters of a trace of events.
 *
 * A counter is written where one of its values changes. A file of more than COUNTER_ROWS rows is
 * thinned: a counter then has the means over COUNTER_STEPS equal steps of the time that the file
 * spans, weighted by time, each at the beginning of its step. */
#pragma once
#include "sim/base/error.h"
#include "sim/cli/export/trace_event.h"

enum { COUNTER_ROWS = 20000, COUNTER_STEPS = 5000 };

/* A file that is missing has no counters. step_s: length of the steps of a file that was thinned,
 * else 0. 0, or -1 with err. */
int perfetto_totals(struct trace_writer *to, const char *directory, int64_t pid, double *step_s,
                    struct error *err);
int perfetto_queues(struct trace_writer *to, const char *directory, int64_t pid, double *step_s,
                    struct error *err);
