/* timers.h - a moment per job at which something about it changes: in the order of times, equal ones
 * by id, and a wake-up for the first. The timers of jobs that were withdrawn are void.
 *
 * The next few are in a heap. Those that follow lie in buckets by their time, the others beyond, both
 * in no order: when the heap runs short it takes the next bucket, and when there is none any more
 * about half of what lies beyond goes into new ones. To set and to drop cost O(1) on average,
 * O(log n) where many have one time. */
#pragma once
#include "policies/common/entries.h"
#include "sim/contract/policy.h"

struct timer { int64_t time_ns; job_id job; uint32_t entry; };
enum { TIMER_BUCKETS = 512, TIMERS_BEYOND = TIMER_BUCKETS, TIMERS_NEAR, NO_TIMER };
struct timers {
    struct entries jobs;          /* with a timer */
    struct timer_row {
        struct timer timer;
        uint32_t in;              /* a bucket, or one of the above */
        uint32_t at;              /* in the heap */
        uint32_t next, previous;  /* in the list of a bucket, or of those beyond; ID_NONE */
    } *row;                       /* [n_rows] by entry */
    size_t n_rows;
    struct timer *heap;           /* [n_near] those before near_ns */
    size_t n_near, capacity;
    uint32_t list[TIMER_BUCKETS + 1];    /* the first entry of a bucket, of those beyond; ID_NONE */
    /* buckets of 2^shift ns from begins_ns to ends_ns; those before next_bucket, which begins at near_ns, are empty */
    int64_t begins_ns, near_ns, ends_ns;
    unsigned shift;
    uint32_t next_bucket, n_buckets;
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

/* Of the entries that were ever given; NULL: it has none. */
static inline const struct timer *timer_of(const struct timers *t, size_t entry)
{
    const struct timer_row *r = &t->row[entry];
    return r->in == NO_TIMER ? NULL : &r->timer;
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
