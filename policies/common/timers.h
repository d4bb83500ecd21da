/* timers.h - a moment per job at which something about it changes: an order of times, and a wake-up
 * for the first. O(log n) each. The timers of jobs that were withdrawn are void. */
#pragma once
#include "policies/common/ranking.h"

/* armed_ns: the last wake-up asked for; -1: none */
struct timers { struct ranking order; int64_t armed_ns; };

static inline void timers_begin(struct timers *t)
{
    *t = (struct timers){ .armed_ns = -1 };
}

static inline void timer_set(struct sched *s, struct timers *t, job_id j, int64_t time_ns)
{
    ranking_set(s, &t->order, j, (struct line_key){ .time_ns = time_ns });
}

static inline void timer_drop(struct sched *s, struct timers *t, job_id j)
{
    ranking_drop(s, &t->order, j);
}

static inline bool timer_is_void(const struct sched *s, job_id j)
{
    return job_state(s, j) == JOB_GONE || job_state(s, j) == JOB_ABSENT;
}

/* The first. false: there is none. */
static inline bool timers_first(struct sched *s, struct timers *t, job_id *j, int64_t *time_ns)
{
    struct ranking_place p;
    while (ranking_first(&t->order, &p)) {
        const struct ranked *first = ranking_at(&t->order, p);
        *j = first->job;
        *time_ns = first->key.time_ns;
        if (!timer_is_void(s, *j))
            return true;
        timer_drop(s, t, *j);
    }
    return false;
}

/* A timer that is due, the earliest first. It stays until it is set again or dropped. false: none
 * is due. */
static inline bool timer_due(struct sched *s, struct timers *t, job_id *j, int64_t *time_ns)
{
    return timers_first(s, t, j, time_ns) && *time_ns <= sched_now(s);
}

/* Asks for a pass when the first is due. */
static inline void timers_arm(struct sched *s, struct timers *t)
{
    int64_t time_ns;
    job_id j;
    if (!timers_first(s, t, &j, &time_ns) || time_ns <= sched_now(s) || time_ns == t->armed_ns)
        return;
    t->armed_ns = time_ns;
    sched_wake_at(s, time_ns);
}
