/* record.h - when and where the jobs of a log ran in the system that wrote it.
 *
 * A trace says it by the wait from submit time to start, and by the nodes; the wait, as it stays
 * true when submit times are moved. Not said for a job that never ran. Only the policy `recorded`
 * and comparisons with what was (`validate`) read it. */
#pragma once
#include "sim/workload/workload.h"

/* A row: recorded_on wants recorded_wait_ns, and like promised_on no job that runs already. 0, or
 * -1 with err. */
int record_check(const struct job_row *row, const char *file, size_t line, struct error *err);
/* Number of its record, from 1; 0: the row does not say when it started. */
uint32_t record_add(struct workload *w, const struct job_row *row, const char *file, size_t line);

/* Start in the log; TIME_NEVER: not said. */
int64_t record_start_ns(const struct workload *w, job_id j);
const struct record_place *record_place(const struct workload *w, job_id j);    /* NULL: not said */

/* Where the scheduler had promised it room before the trace began, on what others were leaving:
 * number of the place, from 1; 0: the row does not say so. The policy `quota` reads it. */
uint32_t promise_add(struct workload *w, const struct job_row *row, const char *file, size_t line);
const struct record_place *promised_place(const struct workload *w, job_id j);  /* NULL: nowhere */
