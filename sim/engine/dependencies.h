/* dependencies.h - jobs that wait for others to end.
 *
 * A job arrives when the last job that it depends on has ended, with any outcome: completed, failed, cancelled or rejected
 * (Slurm's afterany; in a trace the dependent job did run). Until then it is in the system and waits, with the reason
 * "dependency"; the policy does not know it, and it is in no queue's books. */
#pragma once
#include "sim/engine/state.h"

struct dependencies *dependencies_new(const struct workload *w);          /* NULL: no job depends on another */
void dependencies_free(struct dependencies *d);                           /* NULL: does nothing */
bool dependencies_hold(struct sched *s, job_id j);                        /* submitted now: true, it must wait */
void dependencies_ended(struct sched *s, job_id j);                       /* whatever came of it */
bool dependencies_unmet(const struct sched *s, job_id j);                 /* j waits for another */
job_id dependencies_next(struct sched *s);                                /* the next that waits no more, once; ID_NONE: none */
void dependencies_let_in(struct sched *s);                                /* the time of a held job ends; as any other it begins */
