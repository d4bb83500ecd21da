/* native.h - writing gpuyard's own trace format; formats/native.c reads it. */
#pragma once
#include "sim/io/output.h"
#include "sim/workload/workload.h"

/* The words of its cells, each list ending with NULL: enum job_class, enum job_fate, enum level, checkpoints of
 * struct overhead. */
extern const char *const native_classes[], *const native_fates[], *const native_levels[],
    *const native_checkpoints[];

/* Every job, in the order of the workload, with those of the columns that some job needs. What is read back has the same
 * jobs with the same facts, to the nanosecond; only numbers of shapes, queues and users go by first sight in the new
 * order. -1 with err: a job is larger than the format allows. */
int native_write(struct output *o, const struct workload *w, struct error *err);
