/* replace.c - jobs that a fault has struck and that keep their quota: they go back to where they
 * were, but for the node that they have lost. See cohort.h. */
#include "policies/kueue/cohort.h"

const struct request *replace_lacking(struct sched *s, const struct request *run, job_id j,
                                      const struct placement *held)
{
    if (!run)
        return NULL;
    struct request *r = sched_scratch(s, sizeof *r);
    uint32_t *task = sched_scratch(s, run->tasks * sizeof *task), n = 0;
    for (uint32_t i = run->first_task; i < run->first_task + run->tasks; i++)
        if (!placement_task(held, i))
            task[n++] = i;
    *r = *run;
    r->job = j;
    r->task = task;
    r->tasks = n;
    r->next = replace_lacking(s, run->next, j, held);
    r->held = !run->next && !run->first_task ? held : NULL;
    return n ? r : r->next;
}

/* It keeps its quota and its place. */
static bool applies(const struct sched *s, const struct cohort *c, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    return cohort_wants_place(c) && !ask->next && ask->tasks != SPLIT_ANY;
}

void replace_remember(struct sched *s, const struct cohort *c, struct entrant *e)
{
    const struct placement *held = job_placement(s, e->as.id);
    if (!applies(s, c, e->as.id))
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
    const struct request *lost = replace_lacking(s, all, j, job_placement(s, j));
    const struct placement *where = lost ? sched_place(s, sched_view(s, FREE_IDLE), lost) : NULL;
    return !lost || (where && sched_start(s, j, where) == SCHED_OK);
}

enum replaced replace_start(struct sched *s, const struct request *all, const struct entrant *e)
{
    sched_mark_t before = sched_mark(s);
    const struct placement *stays = what_stays(s, all, e);
    if (stays && !stays->n)
        return NOTHING_STAYS;
    if (stays && sched_start(s, e->as.id, stays) == SCHED_OK && start_lost(s, all, e->as.id))
        return REPLACED;
    sched_rollback(s, before);
    return NO_REPLACEMENT;
}
