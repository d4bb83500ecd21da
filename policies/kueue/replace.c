/* replace.c - jobs that a fault has struck and that keep their quota: they go back to where they
 * were, but for the node that they have lost. See cohort.h. */
#include "policies/kueue/cohort.h"

bool replace_applies(const struct sched *s, const struct cohort *c, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    return cohort_wants_place(c) && !ask->next && ask->tasks != SPLIT_ANY;
}

void replace_remember(struct sched *s, const struct cohort *c, struct entrant *e)
{
    const struct placement *held = job_placement(s, e->as.id);
    if (!replace_applies(s, c, e->as.id))
        return;
    if (held->n > e->was_on_capacity) {
        e->was_on_capacity = held->n;
        e->was_on = sched_alloc(s, held->n * sizeof *e->was_on);
    }
    e->n_was_on = (uint32_t)held->n;
    for (uint32_t i = 0; i < e->n_was_on; i++)
        e->was_on[i] = (struct task_was){ held->piece[i].task, held->piece[i].node };
}

/* Its tasks on nodes that are left to it. NULL: it has lost more than one node, or its room on one.
 */
static const struct placement *what_stays(struct sched *s, const struct request *all,
                                          const struct entrant *e)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    struct builder *b = sched_builder(s, v, all);
    node_id lost = ID_NONE;
    bool stays = true;
    for (uint32_t i = 0; i < e->n_was_on && stays; i++) {
        const struct task_was *was = &e->was_on[i];
        if (view_allows(v, all, was->node)) {
            stays = builder_add_some(b, all, was->task, was->node, all->gpus);
            continue;
        }
        stays = lost == ID_NONE || lost == was->node;
        lost = was->node;
    }
    const struct placement *p = builder_take(b);
    return stays ? p : NULL;
}

static bool start_lost(struct sched *s, const struct request *all, job_id j)
{
    const struct request *lost = cohort_lacking(s, all, j, job_placement(s, j));
    const struct placement *where = lost ? sched_place(s, sched_view(s, FREE_IDLE), lost) : NULL;
    return !lost || (where && sched_start(s, j, where) == SCHED_OK);
}

/* If nothing stays it is placed anew. */
static bool go_back(struct sched *s, struct cohort *c, struct entrant *e)
{
    job_id j = e->as.id;
    sched_mark_t before = sched_mark(s);
    struct request all = cohort_request(s, c, j, e->tasks, cohort_runs(c, e));
    const struct placement *stays = what_stays(s, &all, e);
    if (!stays)
        return false;
    if (!stays->n)
        return cohort_place(s, c, j);
    if (sched_start(s, j, stays) == SCHED_OK && start_lost(s, &all, j)) {
        e->phase = PHASE_PLACED;
        replace_remember(s, c, e);
        return true;
    }
    sched_rollback(s, before);
    return false;
}

void replace_all(struct sched *s, struct cohort *c)
{
    for (uint32_t i = 0; i < c->struck.n; i++) {
        struct entrant *e = job_own(s, c->struck.job[i]);
        if (!e || e->phase != PHASE_BACK || go_back(s, c, e))
            continue;
        cohort_release(s, c, e);
        cohort_wait(s, c, e->as.id);
    }
    c->struck.n = 0;
}
