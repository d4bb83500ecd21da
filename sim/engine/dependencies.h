/* dependencies.h - jobs that wait for others to end, or to start.
 *
 * A job arrives when its dependencies are met: all of them, or one where they are alternatives (DEPENDS_OR). Until then it is in the
 * system and waits, with the reason "dependency"; the policy does not know it, and it is in no queue's books.
 *
 *   afterany    met when the other job has ended, whatever came of it
 *   afterok     met when it has completed
 *   afternotok  met when it has ended otherwise
 *   after       met when it has started, or has ended without
 *   singleton   met when no earlier job of the same user and name is left that has not ended
 *   limit:N     met when fewer than N earlier jobs of the same name are left that have not ended: tasks of an array with %N, which
 *               Slurm takes by their numbers (SchedMD/slurm:doc/man/man1/sbatch.1, --array). Jobs that run when the trace begins
 *               are the first of their line
 *
 * The outcomes of afterok and afternotok are Slurm's (SchedMD/slurm:src/slurmctld/job_scheduler.c, test_job_dependency): ok is
 * a job that completed; not ok is every other end: failed (lack of memory and too many interruptions among them), cancelled or
 * withdrawn, rejected, and cancelled for a dependency of its own. A job that is preempted has not ended.
 *
 * A dependency that can never be met any more - afterok of a job that failed, afternotok of one that completed, or the last
 * alternative - cancels its job, when the other has ended and the job is submitted: it is gone, has no times, and is "not ok"
 * to those that depend on it. With `invalid_dependency: wait` in the cluster file it waits for ever
 * instead (Slurm without kill_invalid_depend).
 *
 * A job on demand that depends on others is not in the system before; its model is told when that
 * is decided, either way: due() of models.h. */
#pragma once
#include "sim/engine/state.h"

struct dependencies *dependencies_new(const struct workload *w);          /* NULL: no job depends on another */
void dependencies_free(struct dependencies *d);                           /* NULL: does nothing */
bool dependencies_hold(struct sched *s, job_id j);                        /* submitted now: true, it must wait */
void dependencies_started(struct sched *s, job_id j);                     /* for the first time */
void dependencies_ended(struct sched *s, job_id j);                       /* its outcome is known */
bool dependencies_unmet(const struct sched *s, job_id j);                 /* j waits for another, perhaps for ever */
const char *dependencies_never(const struct sched *s, job_id j);          /* NULL: it may still be met; else why it is not */
job_id dependencies_next(struct sched *s);                                /* the next that waits no more, once; ID_NONE: none.
                                                                             It arrives, or is cancelled if it can never be met */
void dependencies_let_in(struct sched *s);                                /* the time of a held job ends; as any other it begins */
