/* pace.h - the progress rate of a running job, and what of its work is safe. l runs in truth.
 *
 * models.md 0, 2.2: progress is piecewise linear at
 *     rate = tasks x reference_s / max((compute^gamma + comm^gamma)^(1/gamma), read_s, input_s),
 * compute = compute_s / (interference x slow x clock),
 * comm = comm_s, of which the time between units is longer by 1 / slow_link.
 * Neutral values give exactly the share of its tasks that run. A model that changes a part of it calls pace_changed(). */
#pragma once
#include "sim/engine/state.h"

extern const struct pace pace_neutral;
double pace_iteration_s(const struct pace *p);
double pace_rate(const struct pace *p);                                   /* reference ns per ns; 0 while it is stalled */
void pace_begin(struct sched *s, struct live *l);                         /* on l->now.held: the models say how fast */
double pace_begin_rate(const struct sched *s, const struct live *l);      /* pace_rate() of a job that begins to make progress */
void pace_end(struct sched *s, struct live *l, const struct placement *from);
void pace_changed(struct sched *s, struct live *l);                       /* l->pace has changed: progress is settled, its end is re-timed */
void pace_stall(struct sched *s, struct live *l, enum account on);        /* it holds its GPUs without progress, until pace_resume() or it leaves */
void pace_resume(struct sched *s, struct live *l);
/* It makes progress, and has work for its GPUs in that share of the time, until it is told otherwise, stalls or stops. As many
 * thousandths of its GPUs are quiet; what rounding leaves is carried over, so that equal stretches sum up. ACCOUNT_QUIET.
 * steps, tdp: as in struct pace. */
struct pace_load { double duty, steps, tdp; };
void pace_duty(struct sched *s, struct live *l, struct pace_load load);
void pace_suspend(struct sched *s, struct live *l);                        /* it is halted and suspended: what a stop would lose stays as it is */
void pace_roll_back(struct live *l, int64_t lost_ns);                     /* that much must be done again */
void pace_check_work(const struct sched *s, const struct live *l);       /* its work is done: models.md 11.3 */
void pace_split(struct sched *s, struct live *l);                         /* l->split: the time since l->held_since_ns, by account */
static inline int64_t pace_overhead_ns(const int64_t split[ACCOUNTS])
{
    return split[ACCOUNT_START] + split[ACCOUNT_SAVE] + split[ACCOUNT_CHECKPOINT] + split[ACCOUNT_FAULT];
}
int64_t pace_useful_ns(const struct sched *s, const struct live *l);      /* time in which it made progress since its start or resize */
/* What a stop now costs; done_ns: as job_done_ns(). */
struct stop_overhead pace_stop(const struct sched *s, const struct live *l, enum stop_mode mode, int64_t done_ns);
/* The time since l->held_since_ns, at most, in which the last lost_ns of done_ns were done; INT64_MAX: all that there was. */
int64_t pace_lost_wall_ns(const struct sched *s, const struct live *l, int64_t done_ns, int64_t lost_ns);
