/* job_ids.h - finds a job_id that is used twice.
 *
 * Ids that are ascending whole numbers, as in most traces, cannot repeat and cost nothing. Whole
 * numbers in another order cost a bit each, from 0 up to the largest, as long as that is not much
 * more than a byte a job. The first other id builds a hash table of all ids, of about 20 bytes a
 * job. */
#pragma once
#include "sim/workload/workload.h"

struct job_ids;
struct job_ids *job_ids_new(void);
void job_ids_free(struct job_ids *t);                        /* NULL: does nothing */
/* Adds the name of job n, the next after jobs[0..n). ID_NONE: it is new; else the job that has
 * it. */
job_id job_ids_add(struct job_ids *t, const struct job_truth *jobs, job_id n, const char *name,
                   size_t length);
