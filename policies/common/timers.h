/* timers.h - a moment per job at which something about it changes: in the order of times, equal ones
 * by id, and a wake-up for the first. The timers of jobs that were withdrawn are void.
 *
 * Only those before a limit are in a heap; the others follow in no order. When none is left before
 * it, it becomes later, so that about a ninth comes into the heap: most timers are set when they
 * are far, and the heap stays small. */
#pragma once
#include "policies/common/entries.h"
#include "sim/contract/policy.h"

struct timer { int64_t time_ns; job_id job; uint32_t entry; };
struct timers {
    struct timer *timer;          /* [n] the first n_near are a heap, and before limit_ns */
    size_t n, n_near, capacity;
    int64_t limit_ns;
    struct entries jobs;          /* with a timer */
    uint32_t *at;                 /* [n_at] by entry: its place */
    size_t n_at;
    int64_t armed_ns;             /* the last wake-up asked for; -1: none */
};

/* The order of timers. */
static inline bool timer_before(const struct timer *a, const struct timer *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->job < b->job;
}

static inline bool timer_is_void(const struct sched *s, job_id j)
{
    return job_state(s, j) == JOB_GONE || job_state(s, j) == JOB_ABSENT;
}

void timers_begin(struct timers *t);
/* j's only one: it moves. */
void timer_set(struct sched *s, struct timers *t, job_id j, int64_t time_ns);
void timer_drop(struct sched *s, struct timers *t, job_id j);
/* A timer that is due, the earliest first. It stays until it is set again or dropped. false: none
 * is due. */
bool timer_due(struct sched *s, struct timers *t, job_id *j, int64_t *time_ns);
/* Asks for a pass when the first is due. */
void timers_arm(struct sched *s, struct timers *t);
