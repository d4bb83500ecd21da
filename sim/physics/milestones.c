/* milestones.c - what happens when a job has come so far, at whatever pace: its event moves as its rate changes. */
#include "sim/physics/milestones.h"
#include "sim/engine/state.h"

static const enum event_kind kind_of[MILESTONES] = { [MILESTONE_CHECKPOINT] = EVENT_CHECKPOINT, [MILESTONE_EPOCH] = EVENT_EPOCH };

static int64_t time_of(const struct sched *s, const struct live *l, int64_t left_ns)
{
    int64_t ns = l->progress.rate > 0 ? progress_reaches_ns(&l->progress, left_ns) : TIME_NEVER;
    return ns > s->now_ns ? ns : s->now_ns;
}

static void retime(struct sched *s, struct live *l, enum milestone m)
{
    int64_t ns = time_of(s, l, l->milestone[m].left_ns);
    if (l->milestone[m].event)
        event_queue_move(s->events, l->milestone[m].event, ns);
    else
        l->milestone[m].event = event_queue_push(s->events, (struct event){ ns, kind_of[m], l->job });
}

void milestone_paced(struct sched *s, struct live *l, enum milestone m)
{
    if (l->milestone[m].set)
        retime(s, l, m);
}

void milestone_set(struct sched *s, struct live *l, enum milestone m, int64_t left_ns)
{
    l->milestone[m].set = true;
    l->milestone[m].left_ns = left_ns;
    if (l->event)                 /* else it is about to begin, and then milestone_paced() comes */
        retime(s, l, m);
}

void milestone_drop(struct sched *s, struct live *l, enum milestone m)
{
    if (l->milestone[m].event)
        event_queue_cancel(s->events, l->milestone[m].event);
    l->milestone[m].event = 0;
    l->milestone[m].set = false;
}

int64_t milestone_reached(struct live *l, enum milestone m)
{
    l->milestone[m].event = 0;
    l->milestone[m].set = false;
    return l->milestone[m].left_ns;
}
