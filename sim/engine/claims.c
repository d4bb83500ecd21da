/* claims.c - claims on GPUs that others are still leaving: given back, or started once they are free. */
#include "sim/accounting/books.h"
#include "sim/engine/state.h"
#include "sim/engine/leaving.h"
#include "sim/engine/nodes.h"
#include "sim/scheduler/waiting.h"

#include <stdlib.h>

struct claims {
    uint32_t *live;               /* slots of jobs, in the order of claiming; some may claim no more */
    size_t n, capacity;
};

void claims_begin(struct sched *s)
{
    s->claims = arena_alloc(s->memory, sizeof *s->claims);
}

void claims_end(struct sched *s)
{
    free(s->claims->live);
}

void claim_begin(struct sched *s, struct live *l)
{
    if (!l->claimed) {
        struct claims *c = s->claims;
        mem_grow(&c->live, &c->capacity, c->n, sizeof *c->live);
        c->live[c->n++] = s->job[l->job].live;
        l->claimed = true;
    }
    l->held_since_ns = s->now_ns;
    if (l->counting)
        wait_own(s, l, WAIT_RELEASING);
    else if (!l->leaving)
        wait_begin(s, l, WAIT_RELEASING);
    decision_log(s, l->job, "decision", "claim", "");
}

void claim_give_back(struct sched *s, struct live *l)
{
    job_id j = l->job;
    struct placement *p = l->now.held;
    timeline_left(s, l, HOLD_RUN);
    l->now.held = NULL;
    placement_give(s->idle, ask_of(s, j), p);
    if (s->releasing)
        placement_give(s->releasing, ask_of(s, j), p);
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
    for (size_t i = 0; i < l->now.held->n; i++)
        if (!free_index_settled(s->idle, &l->now.held->piece[i]))
            return false;
    return true;
}

void claims_settle(struct sched *s)
{
    struct claims *c = s->claims;
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct live *l = &s->live[c->live[i]];
        bool claims = s->job[l->job].state == JOB_CLAIMED;
        if (claims && !settled(s, l)) {
            c->live[kept++] = c->live[i];
            continue;
        }
        l->claimed = false;
        if (claims) {
            state_set(s, l->job, JOB_RUNNING);
            job_begin(s, l);
        }
    }
    c->n = kept;
}
