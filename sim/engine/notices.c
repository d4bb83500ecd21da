/* notices.c - telling the policy what has happened, in the order in which it happened. */
#include "sim/engine/notices.h"

#include <stdlib.h>

struct notices {
    struct { uint8_t kind, why; job_id job; } *notice;        /* in the order in which they happened */
    size_t n, capacity;
};

void notices_begin(struct sched *s)
{
    s->notices = arena_alloc(s->memory, sizeof *s->notices);
}

void notices_end(struct sched *s)
{
    free(s->notices->notice);
}

void notice_add(struct sched *s, enum notice kind, job_id j, enum stop_cause why)
{
    struct notices *n = s->notices;
    mem_grow(&n->notice, &n->capacity, n->n, sizeof *n->notice);
    n->notice[n->n].kind = (uint8_t)kind;
    n->notice[n->n].why = (uint8_t)why;
    n->notice[n->n++].job = j;
}

void notices_forget(struct sched *s)
{
    s->notices->n = 0;
}

void notices_give(struct sched *s)
{
    struct notices *n = s->notices;
    const struct policy *p = s->policy;
    for (size_t i = 0; i < n->n; i++) {
        job_id j = n->notice[i].job;
        switch ((enum notice)n->notice[i].kind) {
        case NOTICE_ARRIVED:
            if (p->job_arrived)
                p->job_arrived(s, s->policy_params, s->policy_state, j);
            break;
        case NOTICE_STARTED:
            if (p->job_started)
                p->job_started(s, s->policy_params, s->policy_state, j);
            break;
        case NOTICE_NODE:
            if (p->node_changed)
                p->node_changed(s, s->policy_params, s->policy_state, j);
            break;
        case NOTICE_WITHDRAWN:
            if (p->job_withdrawn)
                p->job_withdrawn(s, s->policy_params, s->policy_state, j);
            job_retire(s, j);
            break;
        case NOTICE_STOPPED:
            if (p->job_stopped)
                p->job_stopped(s, s->policy_params, s->policy_state, j, n->notice[i].why);
            if (s->job[j].state == JOB_GONE && !live_of(s, j)->withdrawn)    /* else its other notice follows */
                job_retire(s, j);
            break;
        }
    }
    n->n = 0;
}
