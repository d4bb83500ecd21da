/* timeline.h - the planned future: when what is held now comes free by estimate, and which jobs are
 * promised what.
 *
 * Holds of running jobs follow by themselves: from their start to start + start-up + estimate. What
 * is expected of a job that exceeds its estimate depends on the clock alone (enum overrun); one
 * without an estimate never ends. Plans belong to the policy: a plan stays until it is dropped,
 * moved, or the job starts. When its start has come there is a pass. All of it is staged: a rollback
 * undoes plans too. For policies that need SEES_TIMELINE. */
#pragma once
#include "policy.h"

/* The end expected of a job that exceeds its estimate. */
enum overrun {
    OVERRUN_EXTEND,               /* start + length, the length growing by half each time it is over */
    OVERRUN_LITERAL               /* the next nanosecond, as planners that know start + estimate alone take it */
};
/* Of this run from the next pass on; OVERRUN_EXTEND until a policy says so. */
void timeline_overrun(struct sched *s, enum overrun how);

/* Plans a start of j, from start_ns to start_ns + estimate, or moves its plan; logs a promise.
 * NO_ROOM: something overlaps, and the plan stays as it was. */
enum sched_result plan_set(struct sched *s, job_id j, int64_t start_ns, const struct placement *p);
void    plan_drop(struct sched *s, job_id j);
/* Drops all plans, to plan again in each pass. */
void    plan_clear(struct sched *s);
int64_t plan_start(const struct sched *s, job_id j);     /* TIME_NEVER: none */
/* NULL: none; good while the plan stands. */
const struct placement *plan_placement(const struct sched *s, job_id j);
/* There is a plan of j, its start has come, and its place is free. */
bool    plan_ready(struct sched *s, job_id j);

/* What is free at every instant of [from_ns, until_ns). Not a copy but a free index that rests
 * where it was asked last; there is one for windows that begin now and at least one for later
 * windows: one that begins now is good until such a one is asked again, a later one until a later
 * one is. Moving it costs the holds that begin or end between the old window and the new. Exact for
 * whole GPUs, named or counted. Of CPUs, memory and shares of a GPU, holds one after the other
 * within the window count together: a window may show less than is free, never more. */
const struct view *timeline_view(struct sched *s, int64_t from_ns, int64_t until_ns);

/* As sched_place() in that view. Where totals say all there is no need to move it. */
const struct placement *timeline_place(struct sched *s, const struct request *r, int64_t from_ns,
                                       int64_t until_ns);

/* Fewer GPUs are free at that instant, now or later, than r asks for, and the totals say so: no place
 * is found for it in a view of a window that has the instant. false: that is not known. */
bool    timeline_lacks(struct sched *s, const struct request *r, int64_t at_ns);

/* The earliest start, not before after_ns nor after horizon_ns, at which the run's placer finds a
 * place for the whole estimated run; a plan of j itself is not in the way. Jumps by totals per kind
 * of node, and asks the placer only where they suffice and as many GPUs are free at once over the
 * whole run, at most `tries` times. TIME_NEVER and NULL: not found. */
struct slot { int64_t start_ns; const struct placement *where; };
struct slot timeline_earliest(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns,
                              unsigned tries);
/* Grows when something happens from which timeline_earliest() and sched_fits() of what is idle follow:
 * until then both answer for a job without a plan as for the last one of its shape and estimate, and
 * neither draws. 0: that is never known. */
uint64_t timeline_outlook(struct sched *s);
/* Looks again at the plans of these n jobs, one after the other: what timeline_earliest() from now on
 * and plan_set() would do, and sched_blocked() with WAIT_RESERVED if the job fits into what is idle,
 * else with why it does not. Only as far as that needs no look at the placer and leaves the plan
 * later than now: it stops at the first job where it may not. Returns how many are done. *due_ns
 * becomes no later than their plans. */
size_t  plans_renew(struct sched *s, const job_id *jobs, size_t n, int64_t *due_ns);
/* Grows when a job gives up GPUs: while it stands, what did not fit does not fit now either. */
uint64_t timeline_version(const struct sched *s);
