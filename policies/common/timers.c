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

enum { FAR_SAMPLE = 8 };

void timers_begin(struct timers *t)
{
    *t = (struct timers){ .armed_ns = -1 };
}

/* ---- Near and far ---- */

/* The timer at this place, which is far, comes into the heap if it is before the limit. */
static void come_near(struct timers *t, size_t at)
{
    struct timer x = t->timer[at];
    if (x.time_ns >= t->limit_ns)
        return;
    timer_heap_put(t, t->timer, at, t->timer[t->n_near]);
    timer_heap_push(t, t->timer, t->n_near++, x);
}

/* What is at this place in the heap goes; the place behind the heap is free. */
static void leave_heap(struct timers *t, size_t at)
{
    size_t last = --t->n_near;
    if (at == last)
        return;
    timer_heap_put(t, t->timer, at, t->timer[last]);
    if (at == 0)
        timer_heap_down_far(t, t->timer, last, at);
    else
        timer_heap_fix(t, t->timer, last, at);
}

/* Behind all if they are few, else behind the first of a sample. */
static int64_t next_limit_ns(const struct timers *t)
{
    bool few = t->n <= 8 * FAR_SAMPLE;
    size_t step = few ? 1 : t->n / FAR_SAMPLE;
    int64_t limit_ns = t->timer[0].time_ns;
    for (size_t i = step; i < t->n; i += step)
        if ((t->timer[i].time_ns > limit_ns) == few)
            limit_ns = t->timer[i].time_ns;
    return limit_ns + 1;
}

/* false: there are none. */
static inline bool has_first(struct timers *t)
{
    if (t->n_near || !t->n)
        return t->n_near > 0;
    const int64_t limit_ns = t->limit_ns = next_limit_ns(t);
    for (size_t i = 0, n = t->n; i < n; i++)
        if (t->timer[i].time_ns < limit_ns)
            come_near(t, i);
    return true;
}

/* ---- Changes ---- */

/* Most that are set were the first just now. */
static uint32_t entry_of(struct sched *s, struct timers *t, job_id j, bool *is_new)
{
    *is_new = false;
    return t->n_near && t->timer[0].job == j ? t->timer[0].entry : entries_join(s, &t->jobs, j, is_new);
}

void timer_set(struct sched *s, struct timers *t, job_id j, int64_t time_ns)
{
    bool is_new;
    uint32_t e = entry_of(s, t, j, &is_new);
    const struct timer set = { time_ns, j, e };
    if (is_new) {
        t->at = array_covering(sched_alloc, s, t->at, &t->n_at, e, sizeof *t->at);
        t->timer = array_grown(sched_alloc, s, t->timer, &t->capacity, t->n, sizeof *t->timer);
        t->at[e] = (uint32_t)t->n++;
    }
    size_t at = t->at[e];
    if (at < t->n_near && time_ns < t->limit_ns) {
        t->timer[at] = set;
        timer_heap_fix(t, t->timer, t->n_near, at);
        return;
    }
    if (at < t->n_near) {
        leave_heap(t, at);
        at = t->n_near;
    }
    timer_heap_put(t, t->timer, at, set);
    come_near(t, at);
}

void timer_drop(struct sched *s, struct timers *t, job_id j)
{
    uint32_t e = entries_leave(s, &t->jobs, j);
    if (e == ID_NONE)
        return;
    size_t at = t->at[e];
    if (at < t->n_near) {
        leave_heap(t, at);
        at = t->n_near;
    }
    if (at < --t->n)
        timer_heap_put(t, t->timer, at, t->timer[t->n]);
}

bool timer_due(struct sched *s, struct timers *t, job_id *j, int64_t *time_ns)
{
    for (; has_first(t) && t->timer[0].time_ns <= sched_now(s); timer_drop(s, t, t->timer[0].job)) {
        if (timer_is_void(s, t->timer[0].job))
            continue;
        *j = t->timer[0].job;
        *time_ns = t->timer[0].time_ns;
        return true;
    }
    return false;
}

void timers_arm(struct sched *s, struct timers *t)
{
    while (has_first(t) && timer_is_void(s, t->timer[0].job))
        timer_drop(s, t, t->timer[0].job);
    if (!t->n || t->timer[0].time_ns <= sched_now(s) || t->timer[0].time_ns == t->armed_ns)
        return;
    t->armed_ns = t->timer[0].time_ns;
    sched_wake_at(s, t->armed_ns);
}
