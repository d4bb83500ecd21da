/* timers.h - moments at which something about a job changes, one a job: a line in the order of time, and a wake-up for the
 * first. O(log n) each. A waiting job's is set before the job joins the line that says why it waits. */
#pragma once
#include "sim/contract/policy.h"

struct timers { struct line *line; int64_t armed_ns; };    /* armed: the last wake-up asked for */

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

/* One whose moment has come, the earliest first. It stays until it is set anew or dropped. */
static inline bool timer_due(const struct sched *s, const struct timers *t, job_id *j, int64_t *time_ns)
{
    struct line_key k;
    if (!line_first(t->line, j, &k) || k.time_ns > sched_now(s))
        return false;
    *time_ns = k.time_ns;
    return true;
}

/* There will be a pass when the first is due. */
static inline void timers_arm(struct sched *s, struct timers *t)
{
    struct line_key k;
    job_id j;
    if (!line_first(t->line, &j, &k) || k.time_ns <= sched_now(s) || k.time_ns == t->armed_ns)
        return;
    t->armed_ns = k.time_ns;
    sched_wake_at(s, k.time_ns);
}
