/* notices.c - telling the policy what has happened, in the order in which it happened. */
#include "sim/engine/host.h"

void notices_give(struct sched *s)
{
    const struct policy *p = s->policy;
    for (size_t i = 0; i < s->n_notices; i++) {
        job_id j = s->notice[i].job;
        switch ((enum notice)s->notice[i].kind) {
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
                p->job_stopped(s, s->policy_params, s->policy_state, j, s->notice[i].why);
            if (s->job[j].state == JOB_GONE && !live_of(s, j)->withdrawn)    /* else its other notice follows */
                job_retire(s, j);
            break;
        }
    }
    s->n_notices = 0;
}
