/* jobs.h - jobs enter, arrive, end and go. Every change of the state of a job passes through here or through what it calls:
 * intervals.h (a job on its pieces), leaving.h (a job that is stopped), tasks.h (gangs that gather, grow and shrink). */
#pragma once
#include "sim/engine/state.h"

enum { JOBS_TURN = 4096 };        /* jobs whose rows get memory together */

void jobs_begin(struct sched *s);
void jobs_turn(struct sched *s, job_id j);                                /* arrivals come to job j, a multiple of JOBS_TURN */
void jobs_end(struct sched *s);
extern const struct job_run job_run_begun;                                /* the row of a job to which nothing has happened */
size_t live_slots(const struct sched *s);                                 /* slots of s->live that there is memory for */
size_t jobs_in_slots(const struct sched *s);                               /* jobs that have one of them */
const char *job_refusal(const struct sched *s, job_id j);                 /* NULL: it was neither rejected nor cancelled before it arrived */
struct live *job_enter(struct sched *s, job_id j);                        /* pending; its wait is not counted yet */
void job_arrive(struct sched *s, job_id j);
void job_rejected(struct sched *s, job_id j, const char *reason);         /* its state has changed already */
void job_unmet(struct sched *s, job_id j, const char *reason);            /* cancelled, as a dependency can never be met */
void job_retire(struct sched *s, job_id j);                               /* it has gone, and all notices were given */
void job_end(struct sched *s, job_id j);                                  /* its work is done */
void job_fails(struct sched *s, job_id j, const char *why);               /* now, while it runs, before its work is done */
void job_finishes(struct sched *s, job_id j, unsigned fate, const char *why);    /* now, while it runs, whatever of its work is done */
void job_is_over(struct sched *s, struct live *l, unsigned fate);         /* it runs no more; its state so far allows that */
const char *job_ending(const struct sched *s, job_id j);                  /* why its last interval will have ended */
