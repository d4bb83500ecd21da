/* milestones.c - see milestones.h. */
#include "sim/physics/milestones.h"

static int64_t time_of(const struct sched *s, const struct live *l, int64_t left_ns)
{
    int64_t ns = l->progress.rate > 0 ? progress_reaches_ns(&l->progress, left_ns) : TIME_NEVER;
    return ns > s->now_ns ? ns : s->now_ns;
}

static void retime(struct sched *s, struct live *l, struct milestone *m)
{
    int64_t ns = time_of(s, l, m->left_ns);
    if (m->event)
        event_queue_move(s->events, m->event, ns);
    else
        m->event = event_queue_push(s->events, (struct event){ ns, m->kind, l->job });
}

void milestone_paced(struct sched *s, struct live *l, struct milestone *m)
{
    if (m->set)
        retime(s, l, m);
}

void milestone_set(struct sched *s, struct live *l, struct milestone *m, enum event_kind kind, int64_t left_ns)
{
    m->set = true;
    m->kind = (uint8_t)kind;
    m->left_ns = left_ns;
    if (l->event)                 /* else the job is about to begin, and milestone_paced() follows */
        retime(s, l, m);
}

void milestone_drop(struct sched *s, struct milestone *m)
{
    if (m->event)
        event_queue_cancel(s->events, m->event);
    m->event = 0;
    m->set = false;
}

int64_t milestone_reached(struct milestone *m)
{
    m->event = 0;
    m->set = false;
    return m->left_ns;
}
