/* again.c - a scenario when its units have left: who finds a place, in the order of the queues. See
 * search.h.
 *
 * Counted: where all nodes are alike, and all that take part are plain jobs of which numbers of GPUs
 * decide (admission.c), totals or tasks of one GPU each, each finds a place if as many GPUs are free.
 * Then shares and the number of free GPUs go through the order, and nothing is placed. That tells
 * that the job finds no place, or that it does and all units are lost; where some come back, where
 * they come to lie has to be tried. */
#include "policies/kai/places/places.h"
#include "policies/kai/search/search.h"

#include <stdlib.h>

static const struct placement *what_stays(struct sched *s, const struct quota_state *q,
                                          struct search *x, job_id j)
{
    const struct placement *has = quota_has(s, q, j);
    if (!has || search_first_evicted(s, x, j) == ID_NONE)
        return has;
    struct piece *piece = sched_scratch(s, has->n * sizeof *piece);
    uint32_t n = 0;
    for (size_t i = 0; i < has->n; i++)
        if (!search_evicted(s, x, j, has->piece[i].task))
            piece[n++] = has->piece[i];
    return n ? search_pieces(s, piece, n) : NULL;
}

/* As many GPUs of the same nodes. */
static bool same_nodes(const struct placement *x, const struct placement *y)
{
    bool same = x->n == y->n;
    for (size_t i = 0; same && i < x->n; i++)
        same = x->piece[i].node == y->piece[i].node && x->piece[i].gpus == y->piece[i].gpus;
    return same;
}

/* A total has one fate, whatever its pieces. */
static void reinstate_total(struct search *x, uint32_t first, const struct placement *had,
                            const struct placement *where)
{
    enum fate fate = same_nodes(had, where) ? FATE_KEPT : FATE_MOVED;
    for (uint32_t i = first; i != ID_NONE; i = x->evicted[i].next_of_job)
        x->evicted[i].fate = fate;
}

/* The placer need not be asked: it would find nothing. One that draws nodes is asked all the same, as it
 * counts how often. */
static bool finds_nothing(struct sched *s, struct quota_state *q, const struct request *ask, uint32_t n)
{
    return places_of(s, q)->apply && !ask->next && quota_lacks_nodes(s, FREE_OR_RELEASING, ask, n);
}

/* Places a victim again if it fits. On its own node any whole GPUs are as good as those that it
 * held. */
static void reinstate_victim(struct sched *s, struct quota_state *q, struct search *x, job_id j,
                             const struct wanted *w)
{
    const struct request *ask = quota_ask(s, q, j);
    if (w->n == 0 || finds_nothing(s, q, ask, w->n) ||
        !quota_has_capacity(s, q, job_facts(s, j), &w->amount, NULL))
        return;
    const struct placement *where = quota_place_tentatively(s, q, j, w->task, w->n);
    const struct placement *had = quota_has(s, q, j);
    if (where && job_facts(s, j)->ask->tasks == SPLIT_ANY) {
        reinstate_total(x, search_first_evicted(s, x, j), had, where);
        return;
    }
    for (size_t i = 0; where && i < where->n; i++) {
        const struct piece *p = &where->piece[i];
        struct evicted *e = search_evicted(s, x, j, p->task);
        if (!e)
            continue;
        const struct piece *old = placement_task(had, p->task);
        bool same = e->from == p->node && (p->milli >= MILLI_ALL || p->gpu_mask == old->gpu_mask);
        e->fate = same ? FATE_KEPT : FATE_MOVED;
        e->to = p->node;
    }
}

/* A job that takes part in the scenario: the job of the search or a victim. */
struct contender {
    job_id job;
    queue_id leaf;
    struct line_key key;
    struct wanted wanted;
    bool counted;                 /* it has found a place, as it was counted */
};

static bool contends_before(const struct contender *a, const struct contender *b)
{
    return a->leaf != b->leaf ? a->leaf < b->leaf : line_key_before(a->key, a->job, b->key, b->job);
}

static int by_leaf_and_key(const void *a, const void *b)
{
    return contends_before(b, a) - contends_before(a, b);
}

/* Mostly there are two or three. */
static void sort(struct contender *c, size_t n)
{
    enum { FEW = 8 };
    if (n > FEW) {
        qsort(c, n, sizeof *c, by_leaf_and_key);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct contender one = c[i];
        size_t at = i;
        for (; at > 0 && contends_before(&one, &c[at - 1]); at--)
            c[at] = c[at - 1];
        c[at] = one;
    }
}

/* The job of the search stands as one of its pending tasks alone, which are its minimum. */
static struct contender job_contends(struct sched *s, const struct search *x, uint32_t tasks)
{
    return (struct contender){ x->job, job_facts(s, x->job)->queue, quota_key(s, x->job, 0),
                               { tasks, x->wanted.task,
                                 quota_of_tasks(s, x->job, x->wanted.task, tasks) },
                               false };
}

static struct contender victim_contends(struct sched *s, const struct quota_state *q,
                                        struct search *x, job_id j)
{
    const struct placement *stays = what_stays(s, q, x, j);
    return (struct contender){ j, job_facts(s, j)->queue, quota_key(s, j, stays ? stays->n : 0),
                               quota_wanted(s, j, stays), false };
}

/* All contenders, by leaf and in the order of its line. */
void scenario_contenders(struct sched *s, const struct quota_state *q, struct search *x,
                         uint32_t tasks)
{
    struct contender *c = x->contends = sched_scratch(s, (x->n_chosen + 1) * sizeof *c);
    c[0] = job_contends(s, x, tasks);
    size_t n = 1;
    for (size_t i = 0; i < x->n_evicted; i++) {
        job_id v = x->evicted[i].job;
        if (search_first_evicted(s, x, v) == i)
            c[n++] = victim_contends(s, q, x, v);
    }
    sort(c, n);
    x->n_contends = n;
}

/* The first of each leaf, in the order of the queues. */
static void contenders_begin(struct quota_state *q, const struct search *x)
{
    const struct contender *c = x->contends;
    size_t n = x->n_contends;
    order_begin(&q->again);
    for (size_t i = n; i-- > 0;)
        x->contender[c[i].leaf] = (uint32_t)i;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || c[i].leaf != c[i - 1].leaf)
            order_add(&q->again, c[i].leaf, &c[i].wanted.amount);
    order_make(&q->again);
}

/* One of the leaf has had its turn: on to the next. */
static void contenders_go_on(struct quota_state *q, const struct search *x, queue_id leaf)
{
    const struct contender *next = &x->contends[x->contender[leaf]];
    bool more = next < x->contends + x->n_contends && next->leaf == leaf;
    order_set(&q->again, leaf, more ? &next->wanted.amount : NULL);
}

bool scenario_place_again(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    quota_divide_now(s, q);
    contenders_begin(q, x);
    bool placed = false;
    for (queue_id leaf; (leaf = order_top(&q->again)) != ID_NONE;) {
        const struct contender *next = &x->contends[x->contender[leaf]++];
        job_id j = next->job;
        if (!placed && x->run && search_lacks_nodes(s, x, tasks))
            return false;
        if (j != x->job) {
            reinstate_victim(s, q, x, j, &next->wanted);
        } else {
            placed = true;
            const struct placement *where =
                quota_has_capacity(s, q, job_facts(s, j), &next->wanted.amount, NULL)
                    ? quota_place_tentatively(s, q, j, x->wanted.task, tasks)
                    : NULL;
            if (!where)
                return false;
            x->losing[leaf].touched = q->pass;
            if (job_facts(s, j)->ask->tasks != SPLIT_ANY)
                memcpy(x->placed, where->piece, where->n * sizeof *x->placed);
        }
        contenders_go_on(q, x, leaf);
    }
    return true;
}

/* ---- Counted ---- */

/* A place for it is a matter of numbers of GPUs, whatever nodes they are of. */
static bool is_counted(struct sched *s, struct quota_state *q, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    return quota_check(s, q, ask->shape)->by_numbers && (ask->tasks == SPLIT_ANY || ask->gpus == 1);
}

static bool all_counted(struct sched *s, struct quota_state *q, const struct search *x)
{
    if (!quota_is_plain(q) || q->has_node || q->pods || q->budgets ||
        view_kinds(sched_view(s, FREE_IDLE)) > 1 || !is_counted(s, q, x->job) ||
        !quota_check(s, q, job_facts(s, x->job)->ask->shape)->has_type)
        return false;
    bool all = true;
    for (size_t i = 0; i < x->n_chosen && all; i++)
        all = is_counted(s, q, x->chosen[i]->job);
    return all;
}

/* As if it held so much more, or less. */
static void holds(struct quota_state *q, queue_id leaf, const struct quota_amount *amount, int sign)
{
    for (queue_id i = leaf; i != ID_NONE; i = q->queue[i].parent)
        q->queue[i].of[Q_GPU].allocated += sign * amount->of[Q_GPU];
}

/* Of all units, which leave. */
static int64_t units_hold(struct quota_state *q, const struct search *x, int sign)
{
    int64_t milli = 0;
    for (size_t i = 0; i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        struct quota_amount amount = { { 0 } };
        for (uint32_t k = 0; k < u->n; k++)
            amount.of[Q_GPU] += search_milli_of(&u->piece[k]);
        holds(q, u->leaf, &amount, sign);
        milli += amount.of[Q_GPU];
    }
    return milli;
}

/* With so many milli-GPUs free. What has found a place is left held: contender.counted. */
static enum scenario_count count_again(struct quota_state *q, const struct search *x,
                                       int64_t free_milli)
{
    bool placed = false, back = false;
    contenders_begin(q, x);
    for (queue_id leaf; (leaf = order_top(&q->again)) != ID_NONE;) {
        struct contender *next = &x->contends[x->contender[leaf]++];
        const struct quota_amount *amount = &next->wanted.amount;
        next->counted = amount->of[Q_GPU] <= free_milli;
        if (next->counted) {
            holds(q, leaf, amount, 1);
            free_milli -= amount->of[Q_GPU];
        }
        if (next->job == x->job && !next->counted)
            return COUNT_NO_PLACE;
        placed = placed || next->job == x->job;
        back = back || (next->job != x->job && next->counted);
        contenders_go_on(q, x, leaf);
    }
    return placed && !back ? COUNT_ALL_LOST : COUNT_SAYS_NOTHING;
}

/* Where one task of one GPU comes to lie if no GPU was free: of the nodes that the units leave the one
 * that is first by free GPUs. ID_NONE: not known here. */
static node_id counted_node(struct sched *s, struct quota_state *q, const struct search *x)
{
    const struct places *how = places_of(s, q);
    node_id best = ID_NONE;
    uint32_t best_gpus = 0;
    if (how->spread && !how->alike)
        return ID_NONE;
    for (size_t i = 0; i < x->n_evicted; i++) {
        node_id n = x->evicted[i].from;
        struct node_free idle = view_node_for(sched_view(s, FREE_IDLE), x->run, n);
        if (freed_without(how, n, idle).whole > 0)
            return ID_NONE;
        uint32_t gpus = 0;
        for (size_t k = 0; k < x->n_evicted; k++)
            gpus += x->evicted[k].from == n ? x->evicted[k].gpus : 0;
        bool first = how->spread ? gpus > best_gpus : gpus < best_gpus;
        if (best == ID_NONE || first || (gpus == best_gpus && n < best)) {
            best = n;
            best_gpus = gpus;
        }
    }
    return best;
}

enum scenario_count scenario_count(struct sched *s, struct quota_state *q, struct search *x)
{
    const struct request *ask = job_facts(s, x->job)->ask;
    if (!all_counted(s, q, x))
        return COUNT_SAYS_NOTHING;
    int64_t free = domain_free_gpus(sched_view(s, FREE_OR_RELEASING), 0, ask);
    int64_t leaves_milli = units_hold(q, x, -1);
    enum scenario_count count = count_again(q, x, free * MILLI_ALL + leaves_milli);
    for (const struct contender *c = x->contends; c < x->contends + x->n_contends; c++)
        if (c->counted)
            holds(q, c->leaf, &c->wanted.amount, -1);
    (void)units_hold(q, x, 1);
    if (count != COUNT_ALL_LOST || ask->tasks == SPLIT_ANY)
        return count;
    node_id node = free == 0 && x->wanted.n == 1 ? counted_node(s, q, x) : ID_NONE;
    x->placed[0] = (struct piece){ .node = node, .task = x->wanted.task[0] };
    return node == ID_NONE ? COUNT_SAYS_NOTHING : COUNT_ALL_LOST;
}
