/* intervals.h - a job on its pieces, from a start to a stop: it makes progress, is halted, and the time goes into its accounts.
 *
 * l->split holds the time since the start of the interval by account; job_halt() sets it, job_loses() moves time from useful to
 * lost, hold_end() books it. */
#pragma once
#include "sim/engine/state.h"

void job_begin(struct sched *s, struct live *l);                          /* on l->now.held, now; with a notice */
void job_runs(struct sched *s, struct live *l, int64_t start_cost_ns);    /* the same without a notice */
void job_progressing(struct sched *s, job_id j);                          /* its start-up is over */
void job_halt(struct sched *s, struct live *l, const struct placement *on);    /* progress stops */
/* After job_halt(): of the done_ns since its start it must do lost_ns again. What was done before the trace began is not in
 * l->split. */
void job_loses(struct sched *s, struct live *l, int64_t done_ns, int64_t lost_ns);
void job_loses_wall(struct live *l, int64_t lost_ns, int64_t wall_ns);    /* the same; the time that it took is known */
/* What it did on p in the time of l->stood_ns is booked as useful, and is booked over. cause as for job_departs(). */
void job_loses_later(struct sched *s, struct live *l, const struct placement *p, unsigned cause, int64_t lost_ns,
                     int64_t wall_ns);
void run_ends(struct sched *s, struct live *l, const char *why);          /* the time since its start, or its last resize, is booked */
/* It leaves these pieces: l->split goes into the accounts, a row into intervals.csv. */
void hold_end(struct sched *s, struct live *l, const struct placement *p, int64_t since_ns, const char *why);
void interval_close(struct sched *s, struct live *l, struct placement *p, int64_t since_ns, const char *why);    /* for good; p is dropped */
void suspend_ends(struct sched *s, struct live *l);                       /* a suspended job goes on, on l->now.held */
void suspend_forgets(struct sched *s, struct live *l);                    /* it will not go on, and what it did is kept */
void job_gpu_time_lost(struct sched *s, job_id j, int128_t gpu_milli_ns); /* work of an interval that is booked already */
