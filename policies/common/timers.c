/* timers.c - see timers.h. */
#include "policies/common/timers.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/heap.h"

static inline bool is_above(const struct timers *t, const struct timer *a, const struct timer *b)
{
    (void)t;
    return timer_before(a, b);
}

static inline void note_place(struct timers *t, const struct timer *x, size_t at)
{
    t->at[x->entry] = (uint32_t)at;
}

HEAP_DEFINE(timer_heap, struct timer, struct timers, is_above, note_place);

void timers_begin(struct timers *t)
{
    *t = (struct timers){ .armed_ns = -1 };
}

void timer_set(struct sched *s, struct timers *t, job_id j, int64_t time_ns)
{
    bool is_new;
    uint32_t e = entries_join(s, &t->jobs, j, &is_new);
    struct timer set = { time_ns, j, e };
    if (is_new) {
        t->at = array_covering(sched_alloc, s, t->at, &t->n_at, e, sizeof *t->at);
        t->heap = array_grown(sched_alloc, s, t->heap, &t->capacity, t->n, sizeof *t->heap);
        timer_heap_push(t, t->heap, t->n++, set);
    } else {
        t->heap[t->at[e]] = set;
        timer_heap_fix(t, t->heap, t->n, t->at[e]);
    }
}

void timer_drop(struct sched *s, struct timers *t, job_id j)
{
    uint32_t e = entries_leave(s, &t->jobs, j);
    if (e != ID_NONE)
        timer_heap_remove(t, t->heap, t->n--, t->at[e]);
}

bool timer_due(struct sched *s, struct timers *t, job_id *j, int64_t *time_ns)
{
    for (; t->n && t->heap[0].time_ns <= sched_now(s); timer_drop(s, t, t->heap[0].job)) {
        if (timer_is_void(s, t->heap[0].job))
            continue;
        *j = t->heap[0].job;
        *time_ns = t->heap[0].time_ns;
        return true;
    }
    return false;
}

void timers_arm(struct sched *s, struct timers *t)
{
    while (t->n && timer_is_void(s, t->heap[0].job))
        timer_drop(s, t, t->heap[0].job);
    if (!t->n || t->heap[0].time_ns <= sched_now(s) || t->heap[0].time_ns == t->armed_ns)
        return;
    t->armed_ns = t->heap[0].time_ns;
    sched_wake_at(s, t->armed_ns);
}
