/* consolidation_bound.c - feasibility bound of consolidation: from the nodes of the jobs that could
 * be moved, without a scenario.
 *
 * Nothing may be lost, so every task that leaves needs a place again. Take widths, whole GPUs of a
 * task, from the largest down. If no node can come to hold one more task of a width, from what is
 * free there and from narrower tasks that leave, then each node holds as many of them afterwards as
 * before, and their GPUs are of no use to narrower tasks. The new tasks are infeasible if that
 * holds down to their own width. Tasks that share GPUs, and jobs that give only a total, count as
 * narrower than any. */
#include "policies/kai/search/search.h"

/* ---- What could be moved ---- */

static uint32_t width_of(const struct request *run, const struct request *ask,
                         const struct piece *p)
{
    return ask->tasks == SPLIT_ANY || run->mig || p->milli != MILLI_ALL ? 0 : p->gpus;
}

static void add_movable(struct sched *s, struct quota_state *q, struct search *x, job_id j,
                        const struct piece *piece, size_t n)
{
    const struct request *ask = quota_ask(s, q, j);
    for (size_t i = 0; i < n; i++) {
        const struct piece *p = &piece[i];
        const struct request *run = ask->tasks == SPLIT_ANY ? ask : request_of_task(ask, p->task);
        x->movable = array_grown(sched_alloc, s, x->movable, &x->movable_capacity, x->n_movable,
                                 sizeof *x->movable);
        x->movable[x->n_movable++] =
            (struct movable){ p->node, width_of(run, ask, p), search_milli_of(p), run };
    }
}

/* Of the victims that it looks at. false: they are not known without a walk. */
static bool list_worst(struct sched *s, struct quota_state *q, struct search *x)
{
    size_t n;
    const struct worst *list = worst_victims(s, q, x, &n);
    if (list && x->movable_worst && !x->worst->changed)
        return true;
    x->n_movable = 0;
    x->movable_worst = list;
    for (size_t i = 0; list && i < n; i++) {
        const struct victim_candidate *v = &q->leaf[list[i].at.queue].candidates.at[list[i].k];
        add_movable(s, q, x, v->job, v->has->piece, v->has->n);
    }
    return list;
}

/* All tasks that a consolidation for a job that holds nothing may look at: the same for every such
 * job until something changes. */
static void list_movable(struct sched *s, struct quota_state *q, struct search *x)
{
    /* the order of victims goes by the shares, and only so many are looked at */
    quota_divide_now(s, q);
    x->n_moved = 0;
    x->movable_elastic = false;
    x->movable_at = q->changes;
    if (list_worst(s, q, x))
        return;
    search_victims(s, q, x);
    for (uint32_t u; search_next_victim(s, q, x, &u);)
        ;
    for (size_t u = 0; u < x->n_units; u++) {
        add_movable(s, q, x, x->unit[u].job, x->unit[u].piece, x->unit[u].n);
        x->movable_elastic =
            x->movable_elastic || x->unit[u].n < quota_has(s, q, x->unit[u].job)->n;
    }
}

/* ---- What they could make room for ---- */

/* A node before anything leaves, of which nothing need be known before so much does. Field by field: gcc would copy
 * the whole of what has just been written, and wait. */
static void node_begins(struct search *x, node_id node, int64_t least)
{
    struct on_node *n = &x->node[node];
    n->stamp = x->stamp;
    n->first = ID_NONE;
    n->milli = 0;
    n->needs = least;
    n->able = false;
}

/* It is known from now on, with what is free there. */
static void look_at_node(struct search *x, const struct view *v, node_id node, uint32_t gpus, bool fits_nowhere)
{
    struct node_gpus f = view_gpus_for(v, x->run, node);
    int64_t fit = fits_nowhere || f.whole < gpus ? 0 : f.whole / gpus;
    struct on_node *n = &x->node[node];
    n->milli += ((int64_t)f.whole + f.shared) * MILLI_ALL;
    n->needs = (fit + 1) * gpus * MILLI_ALL;
    n->able = true;
}

/* Before it has gained so much of tasks that leave, no node can come to hold one more: where none has half of a task
 * free, less than half is no help. 0: not known. */
static int64_t gains_least(const struct quota_state *q, const struct search *x, const struct view *v, uint32_t gpus)
{
    struct request half = *x->run;
    half.gpus = max_u32(gpus / 2, 1);
    if (q->shares || half.mig || q->has_node || view_kinds(v) > 1 || domain_fits(v, 0, &half) > 0)
        return 0;
    return (int64_t)(gpus - (half.gpus - 1)) * MILLI_ALL;
}

/* Some node could come to hold one more task of that many whole GPUs than now. Not one that only tasks
 * leave which are as wide: but of a GPU that is shared the others that share it are not known here. */
static bool gains(struct sched *s, const struct quota_state *q, struct search *x, uint32_t gpus,
                  bool fits_nowhere)
{
    bool narrow_alone = !q->shares && !fits_nowhere;
    const struct view *v = sched_view(s, FREE_OR_RELEASING);
    int64_t least = gains_least(q, x, v, gpus);
    x->stamp++;
    for (size_t i = 0; i < x->n_movable; i++) {
        const struct movable *m = &x->movable[i];
        if (m->gpus >= gpus && narrow_alone)
            continue;
        struct on_node *n = &x->node[m->node];
        if (n->stamp != x->stamp)
            node_begins(x, m->node, least);
        n->milli += m->gpus < gpus ? m->milli : 0;
        if (n->milli >= n->needs && !n->able)
            look_at_node(x, v, m->node, gpus, fits_nowhere);
        if (n->milli >= n->needs)
            return true;
    }
    return false;
}

static bool fits_nowhere(struct sched *s, const struct search *x, uint32_t gpus)
{
    for (size_t i = 0; i < x->n_movable; i++)
        if (x->movable[i].gpus == gpus &&
            domain_fits(sched_view(s, FREE_OR_RELEASING), 0, x->movable[i].run) > 0)
            return false;
    return true;
}

static uint32_t next_width(const struct search *x, uint32_t below)
{
    uint32_t widest = 0;
    for (size_t i = 0; i < x->n_movable; i++)
        if (x->movable[i].gpus < below && x->movable[i].gpus > widest)
            widest = x->movable[i].gpus;
    return widest;
}

static bool some_gain(struct sched *s, const struct quota_state *q, struct search *x)
{
    for (uint32_t gpus = UINT32_MAX; (gpus = next_width(x, gpus)) > x->run->gpus;)
        if (!fits_nowhere(s, x, gpus) || gains(s, q, x, gpus, true))
            return true;
    return gains(s, q, x, x->run->gpus, false);
}

/* The same for all tasks that want as many GPUs of a kind, while the list stands. */
static bool could_move(struct sched *s, const struct quota_state *q, struct search *x)
{
    for (size_t i = 0; i < x->n_moved; i++)
        if (x->moved[i].gpus == x->run->gpus && x->moved[i].mig == x->run->mig)
            return x->moved[i].could;
    bool could = some_gain(s, q, x);
    x->moved = array_grown(sched_alloc, s, x->moved, &x->moved_capacity, x->n_moved,
                           sizeof *x->moved);
    x->moved[x->n_moved++] = (struct moved){ x->run->gpus, x->run->mig, could };
    return could;
}

bool consolidation_infeasible(struct sched *s, struct quota_state *q, const struct request *ask,
                              uint32_t min_tasks)
{
    struct search *x = search_begin(s, q);
    x->action = CONSOLIDATION;
    x->moves_only = true;
    x->job = ID_NONE;
    x->n_recorded = 0;
    if (x->movable_at != q->changes)
        list_movable(s, q, x);
    /* if the first task moves some, the second may look at others */
    if (x->movable_elastic)
        min_tasks = 1;
    for (x->run = ask; x->run && x->run->first_task < min_tasks && ask->tasks != SPLIT_ANY;
         x->run = x->run->next) {
        uint32_t left = min_u32(min_tasks - x->run->first_task, x->run->tasks);
        if (quota_lacks_nodes(s, FREE_OR_RELEASING, x->run, left) && !could_move(s, q, x))
            return true;
    }
    return false;
}
