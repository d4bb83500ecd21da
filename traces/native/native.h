/* native.h - gpuyard's own trace format: CSV with a header, columns in any order, times in seconds.
 *
 * The columns are listed once for reading (columns[] in read.c: name, kind, unit, range) and once
 * for writing (columns[] in write.c: in the order in which they are written). An empty cell has the
 * default.
 *
 *   size      gpus is always given. With gpus_per_task or tasks the job is that many tasks; without
 *             them only the total is known and the placer splits it. A fraction of a GPU is written
 *             as a fraction in gpus or gpus_per_task, or as gpu_milli; where both are given they
 *             agree.
 *   CPUs      and memory are those of one task; of a job without tasks they are the job's.
 *   groups    A job with tasks of several kinds has one row for each kind: rows that follow each
 *             other with one job_id, each with a group. gpus, gpus_per_task, gpu_milli, tasks
 *             (default 1), min_tasks, cpus_per_task, mem_gib_per_task, topology, slices and
 *             podset_group belong to the row; all other cells are equal in all rows of the job. A group is a path,
 *             replica1/encoder, in a tree with the job as its root. Rows with one path are one group;
 *             its minimum is the sum of their minima. An inner group (replica1) and the job
 *             itself (`.`) have a row only for a topology, with 0 GPUs and without tasks. If all
 *             rows have `.`, there are no groups.
 *   running   A job that runs when it is submitted (the snapshot of a cluster) has running_on: one
 *             node for each task, or for the first ones (running_on.h). started_s, which may be
 *             negative, is the start of that run; without it the job has run for 0 s and its
 *             start-up is over. duration_s is the remaining time. leaving_s: the job is being
 *             stopped and holds its GPUs until leaving_s after submit_s; then it waits, or is gone
 *             if duration_s is 0. */
#pragma once
#include "sim/io/output.h"
#include "sim/workload/workload.h"

/* The words of cells, each list ends with NULL: enum job_class, enum job_fate, and the checkpoints
 * of struct overhead. */
extern const char *const native_classes[], *const native_fates[], *const native_checkpoints[];

/* Writes every job, in the order of the workload, with the optional columns that at least one job
 * needs. Reading it back gives the same jobs with the same facts, to the nanosecond; shapes, queues
 * and users are numbered anew, in the order in which they first occur. -1 with err: a job is larger
 * than the format allows, or the run itself submits it. */
int native_write(struct output *o, const struct workload *w, struct error *err);
/* The same with columns of the caller's own at the end of each row: names that begin with x_. */
struct native_more {
    const char *names;            /* "x_a,x_b" */
    void (*put)(void *self, struct output *o, job_id j);      /* as many cells, ',' between */
    void *self;
};
int native_write_more(struct output *o, const struct workload *w, const struct native_more *more,
                      struct error *err);
