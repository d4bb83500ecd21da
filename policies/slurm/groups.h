/* groups.h - waiting jobs of a batch order that differ in nothing but their age: they keep their
 * order among themselves, the older first, however time goes on.
 *
 * Priorities change once a period, of all jobs. Those of a group can be told by its first; and of the
 * groups of one shape in one line, a rack, only the best is of interest: a job that fails is passed
 * over with all of its shape. So the first jobs of a rack's groups are a heap by their priorities, and
 * the top alone stands in the line by its own; the others are hidden: they stand at the end of the
 * line. When it starts or leaves, its group gets a new first job, and the best of the rack steps
 * forward at once: none is served while it is hidden. So a period computes a priority for each group,
 * and moves a job or two of each rack in line.
 *
 * A job joins its group when a period begins: until then it has the priority of its arrival, which
 * was computed at another time than those of the others. What was known when the period began
 * (factors of accounts, GPUs that are up) is kept for those that step forward later.
 *
 * Of a group: one line, shape, account and what struct batch_traits has. */
#pragma once
#include "policies/slurm/batch.h"

void groups_begin(struct sched *s, struct batch *b);
/* A job has come, with the priority of its arrival; has left the line, or is about to. */
void groups_come(struct sched *s, struct batch *b, job_id j);
void groups_go(struct sched *s, struct batch *b, job_id j);
/* It starts in this pass, and is in line until it is said that it has. */
void groups_starting(struct sched *s, struct batch *b, job_id j);
/* A period begins: those that came join, the first of each group gets a new priority, and the best of each
 * rack steps forward. */
void groups_anew(struct sched *s, struct batch *b);
