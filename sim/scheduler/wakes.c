/* wakes.c - see wakes.h. */
#include "sim/scheduler/wakes.h"
#include "sim/scheduler/checks.h"
#include "sim/scheduler/stage.h"

#include <stdlib.h>
#include <string.h>

enum { WAKES_MOST = 1000000 };

struct wakes {
    int64_t *time_ns;             /* descending */
    size_t n, capacity;
    int64_t deferred_ns;          /* by the last pass; 0: nothing */
};

void wakes_begin(struct sched *s)
{
    s->wakes = arena_alloc(s->memory, sizeof *s->wakes);
}

void wakes_end(struct sched *s)
{
    free(s->wakes->time_ns);
}

static size_t wake_place(const struct sched *s, int64_t time_ns)
{
    size_t low = 0, high = s->wakes->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->wakes->time_ns[middle] > time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum sched_result sched_wake_at(struct sched *s, int64_t time_ns)
{
    if (time_ns <= s->now_ns || time_ns == TIME_NEVER || s->wakes->n >= WAKES_MOST)
        return verb_refused(s, ID_NONE, VERB_WAKE, SCHED_TOO_OFTEN);
    size_t at = wake_place(s, time_ns);
    if (at < s->wakes->n && s->wakes->time_ns[at] == time_ns)
        return SCHED_OK;
    mem_grow(&s->wakes->time_ns, &s->wakes->capacity, s->wakes->n, sizeof *s->wakes->time_ns);
    memmove(&s->wakes->time_ns[at + 1], &s->wakes->time_ns[at], (s->wakes->n - at) * sizeof *s->wakes->time_ns);
    s->wakes->time_ns[at] = time_ns;
    s->wakes->n++;
    struct undo *u = undo_add(s, UNDO_WAKE, ID_NONE);
    if (u)
        u->u.time_ns = time_ns;
    return SCHED_OK;
}

enum sched_result sched_defer(struct sched *s, int64_t time_ns)
{
    enum sched_result asked = sched_wake_at(s, time_ns);
    if (asked == SCHED_OK && time_ns > s->wakes->deferred_ns)
        s->wakes->deferred_ns = time_ns;
    return asked;
}

void wakes_pass(struct sched *s)
{
    s->wakes->deferred_ns = 0;
}

int64_t wakes_deferred_ns(const struct sched *s)
{
    return s->wakes->deferred_ns;
}

bool wake_cancel(struct sched *s, int64_t time_ns)
{
    size_t at = wake_place(s, time_ns);
    if (at >= s->wakes->n || s->wakes->time_ns[at] != time_ns)
        return false;
    memmove(&s->wakes->time_ns[at], &s->wakes->time_ns[at + 1], (s->wakes->n - at - 1) * sizeof *s->wakes->time_ns);
    s->wakes->n--;
    return true;
}

int64_t wake_next_ns(const struct sched *s)
{
    return s->wakes->n ? s->wakes->time_ns[s->wakes->n - 1] : TIME_NEVER;
}

void wakes_forget(struct sched *s)
{
    s->wakes->n = 0;
    s->wakes->deferred_ns = 0;
}
