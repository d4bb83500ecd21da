/* timers.h - a moment per job at which something about it changes: a line in the order of time, and
 * a wake-up for the first. O(log n) each. The timer of a waiting job is set before the job joins
 * the line that gives its wait reason: a job in several lines belongs to the one that it joined
 * last. */
#pragma once
#include "sim/contract/policy.h"

/* armed_ns: the last wake-up asked for; -1: none */
struct timers { struct line *line; int64_t armed_ns; };

static inline void timers_begin(struct sched *s, struct timers *t)
{
    *t = (struct timers){ line_new(s), -1 };
}

static inline void timer_set(struct timers *t, job_id j, int64_t time_ns)
{
    line_push(t->line, j, (struct line_key){ .time_ns = time_ns });
}

static inline void timer_drop(struct timers *t, job_id j)
{
    line_remove(t->line, j);
}

/* A timer that is due, the earliest first. It stays until it is set again or dropped. false: none
 * is due. */
static inline bool timer_due(const struct sched *s, const struct timers *t, job_id *j,
                             int64_t *time_ns)
{
    struct line_key k;
    if (!line_first(t->line, j, &k) || k.time_ns > sched_now(s))
        return false;
    *time_ns = k.time_ns;
    return true;
}

/* Asks for a pass when the first is due. */
static inline void timers_arm(struct sched *s, struct timers *t)
{
    struct line_key k;
    job_id j;
    if (!line_first(t->line, &j, &k) || k.time_ns <= sched_now(s) || k.time_ns == t->armed_ns)
        return;
    t->armed_ns = k.time_ns;
    sched_wake_at(s, k.time_ns);
}
