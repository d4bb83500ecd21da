/* sizes.h - what a job asks for, holds and may have: its sizes, its minimum, and the share of its progress that it makes with what
 * it holds.
 *
 * A job of several sizes is given one when it starts (moldable) or changes it while it runs (elastic). A gang makes progress from
 * its minimum of tasks on, at the share of its tasks, or of its GPUs if the tasks differ. */
#pragma once
#include "sim/engine/state.h"

const struct job_running *running_of(const struct sched *s, job_id j);    /* NULL: it did not run when it was submitted */
int64_t running_before_ns(const struct sched *s, job_id j);               /* it had run for so long when it was submitted */
bool running_leaves_for_good(const struct sched *s, job_id j);            /* it was leaving, and has nothing left to do */
bool size_allowed(const struct sched *s, job_id j, uint64_t size);        /* of a whole placement */
double size_gpu_s(const struct sched *s, job_id j);                       /* held so far, at whatever sizes */
uint32_t size_least(const struct sched *s, job_id j);                     /* tasks with which it makes progress */
struct amount amount_served(const struct sched *s, job_id j, const struct placement *p);    /* of what it asks for: by p */
bool tasks_missing(const struct sched *s, job_id j, const struct placement *p);    /* and asked for still */
bool tasks_enough(const struct sched *s, job_id j, const struct placement *p);    /* the minimum, of every group. p NULL: none */
enum job_state tasks_state(const struct sched *s, const struct live *l, const struct placement *p);
double tasks_rate(const struct sched *s, const struct live *l);
