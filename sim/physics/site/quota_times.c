/* quota_times.c - quotas of queues change with time; key `windows` of queues. models.md 10.4.
 *
 * At each change the books go on with the quotas that are in force from then on, and there is a
 * pass. Jobs may wait for the next change, so it is awaited: until a whole period of the longest
 * window has brought no start, when nothing else happens any more either. */
#include "sim/accounting/books.h"
#include "sim/accounting/quota_windows.h"
#include "sim/base/memory.h"
#include "sim/contract/util/minmax.h"
#include "sim/engine/state.h"
#include "sim/physics/physics.h"
#include "sim/scheduler/timeline.h"

#include <stdlib.h>

struct quota_times {
    int64_t longest_ns, last_ns;  /* of the periods; the end of the last window that comes once */
    uint64_t starts;              /* by the last change that met others than the one before */
    int64_t started_ns;           /* that change */
    bool background;              /* the next event is not awaited */
};

static struct quota_times *times_of(const struct sched *s)
{
    return model_state(s, &quota_times_model);
}

static bool wanted(const struct sched *s)
{
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        if (s->cluster->queue[q].n_windows)
            return true;
    return false;
}

static void plan_next(struct sched *s)
{
    struct quota_times *x = times_of(s);
    int64_t at_ns = quota_windows_next_ns(s);
    if (at_ns == TIME_NEVER)
        return;
    x->background = at_ns > x->last_ns && s->now_ns - x->started_ns > x->longest_ns;
    run_background(s, x->background);
    event_queue_push(s->events, (struct event){ at_ns, EVENT_QUOTA, 0 });
}

static void begin(struct sched *s)
{
    struct quota_times *x = mem_new(1, sizeof *x);
    model_state_set(s, &quota_times_model, x);
    for (queue_id q = 0; q < s->cluster->n_queues; q++)
        for (uint32_t i = 0; i < s->cluster->queue[q].n_windows; i++) {
            const struct quota_window *w = &s->cluster->queue[q].window[i];
            x->longest_ns = max_i64(x->longest_ns, w->every_ns);
            if (!w->every_ns)
                x->last_ns = max_i64(x->last_ns, w->until_ns);
        }
    x->started_ns = s->now_ns;
    plan_next(s);
}

static void times_free(struct sched *s)
{
    free(times_of(s));
}

static void happens(struct sched *s, const struct event *e)
{
    struct quota_times *x = times_of(s);
    (void)e;
    run_background(s, -x->background);
    if (s->totals.starts != x->starts) {
        x->starts = s->totals.starts;
        x->started_ns = s->now_ns;
    }
    quota_windows_turn(s);
    quotas_changed(s);
    decision_log(s, ID_NONE, "quotas", "", "");
    view_freed(s);
    timeline_reopened(s);
    run_changed(s);
    plan_next(s);
}

const struct run_model quota_times_model = {
    .place = PLACE_OF(quota_times_model),
    .name = "quota windows", .summary = "quotas of queues change with time", .wanted = wanted, .begin = begin,
    .unsaved = "that quotas change so much sooner, as their times count from time 0",
    .free = times_free, .events = 1u << EVENT_QUOTA, .happens = happens,
};
