/* on_demand.h - jobs that the run itself submits and withdraws: replicas of a service, sessions.
 *
 * They stand behind all others in the workload and do not arrive by time. Each can be there several times, one life after the
 * other; to the policy every life is a new job under the same number, submitted then. Its times add up over its lives:
 * wait + run = the time it was there. It makes progress until it is withdrawn. When it ends is not the cluster's doing, so it counts
 * in no mean of completion or waiting times (run_times()), but in all that is held, lost and preempted. */
#pragma once
#include "sim/engine/state.h"

static inline bool on_demand(const struct sched *s, job_id j)
{
    return j >= s->workload->n_jobs;
}
struct on_demand { int64_t first_ns, absent_ns; };            /* first submission, -1: not yet; time gone between lives */
static inline struct on_demand *on_demand_lives(const struct sched *s, job_id j)
{
    return &s->on_demand[j - s->workload->n_jobs];
}
/* It has not started yet in this life. */
static inline bool on_demand_first(const struct sched *s, const struct live *l)
{
    return s->job[l->job].start_ns < 0 || l->last_start_ns < 0;
}

/* Now, an event of its model: j is absent or gone. Rejected at once if it can never run: run_never(). */
void on_demand_submit(struct sched *s, job_id j);
/* Now, whatever it is doing; why: for the log and the intervals. It is gone when this returns, or when what it holds and is
 * leaving already is free. Not of one that is absent or gone. */
void on_demand_withdraw(struct sched *s, job_id j, enum job_fate fate, const char *why);
bool on_demand_is_there(const struct sched *s, job_id j);    /* submitted, and neither gone nor withdrawn */

/* For the rest of this folder. */
int64_t on_demand_begin(struct sched *s);                    /* when the run begins: the first submission, of all jobs */
void    on_demand_end(struct sched *s);
void    on_demand_enters(struct sched *s, struct live *l);   /* it is taken in: what it waited in former lives */
void    on_demand_is_over(struct sched *s, struct live *l);  /* withdrawn before, and nothing keeps it now */
int64_t on_demand_submit_ns(const struct sched *s, job_id j);        /* the first, of any job */
int64_t on_demand_there_ns(const struct sched *s, job_id j, int64_t until_ns);    /* how long any job was there until then */
