/* claims.c - claims on GPUs that others are still leaving: given back, or started once they are free. */
#include "sim/accounting/books.h"
#include "sim/engine/host.h"
#include "sim/engine/leaving.h"
#include "sim/engine/nodes.h"
#include "sim/scheduler/waiting.h"

void claim_give_back(struct sched *s, struct live *l)
{
    job_id j = l->job;
    struct placement *p = l->held;
    timeline_left(s, l, HOLD_RUN);
    l->held = NULL;
    placement_give(s->idle, ask_of(s, j), p);
    if (s->room)
        placement_give(s->room, ask_of(s, j), p);
    books_given_up(s, l, p);
    nodes_held_changed(s, p);
    placement_drop(s, p);
    state_set(s, j, l->leaving ? JOB_RELEASING : JOB_PENDING);
    decision_log(s, j, "decision", "unclaim", "");
    if (!l->leaving)
        wait_own(s, l, WAIT_GROUP);                  /* else it was moving: it is still where it was */
}

static bool settled(const struct sched *s, const struct live *l)
{
    if (l->leaving)
        return false;
    for (size_t i = 0; i < l->held->n; i++)
        if (!free_index_settled(s->idle, &l->held->piece[i]))
            return false;
    return true;
}

void claims_settle(struct sched *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n_claims; i++) {
        struct live *l = &s->live[s->claim[i]];
        bool claims = s->job[l->job].state == JOB_CLAIMED;
        if (claims && !settled(s, l)) {
            s->claim[kept++] = s->claim[i];
            continue;
        }
        l->claimed = false;
        if (claims) {
            state_set(s, l->job, JOB_RUNNING);
            job_begin(s, l);
        }
    }
    s->n_claims = kept;
}
