/* wakes.c - see wakes.h. */
#include "sim/scheduler/wakes.h"
#include "sim/scheduler/stage.h"

#include <string.h>

enum { WAKES_MOST = 1000000 };

static size_t wake_place(const struct sched *s, int64_t time_ns)
{
    size_t low = 0, high = s->n_wakes;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->wake[middle] > time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum sched_result sched_wake_at(struct sched *s, int64_t time_ns)
{
    if (time_ns <= s->now_ns || time_ns == TIME_NEVER || s->n_wakes >= WAKES_MOST) {
        s->totals.refused[SCHED_TOO_OFTEN]++;
        return SCHED_TOO_OFTEN;
    }
    size_t at = wake_place(s, time_ns);
    if (at < s->n_wakes && s->wake[at] == time_ns)
        return SCHED_OK;
    mem_grow(&s->wake, &s->wake_capacity, s->n_wakes, sizeof *s->wake);
    memmove(&s->wake[at + 1], &s->wake[at], (s->n_wakes - at) * sizeof *s->wake);
    s->wake[at] = time_ns;
    s->n_wakes++;
    struct undo *u = undo_add(s, UNDO_WAKE, ID_NONE);
    if (u)
        u->u.time_ns = time_ns;
    return SCHED_OK;
}

bool wake_cancel(struct sched *s, int64_t time_ns)
{
    size_t at = wake_place(s, time_ns);
    if (at >= s->n_wakes || s->wake[at] != time_ns)
        return false;
    memmove(&s->wake[at], &s->wake[at + 1], (s->n_wakes - at - 1) * sizeof *s->wake);
    s->n_wakes--;
    return true;
}

int64_t wake_next_ns(const struct sched *s)
{
    return s->n_wakes ? s->wake[s->n_wakes - 1] : TIME_NEVER;
}

void wakes_forget(struct sched *s)
{
    s->n_wakes = 0;
}
