/* scenario_bound.c - feasibility bound of a scenario: from what leaves in it, before it does.
 *
 * Once the units that leave for the first tasks of a gang free enough nodes for one more, KAI tries
 * every victim for it. Nearly all of them come back to where they were, or are lost against the rules.
 *
 * A node has room for so many tasks of the job as its whole GPUs allow. Wide: a task of a victim
 * that takes the room of one at least, wherever it is placed. With `fit`, the tasks for which there
 * is room when all units have left, `mine`, those of the job, and `may`, the wide tasks that may be
 * lost, it must be that
 *   wide - may <= fit - mine
 * since the others are placed again. What may be lost the rules of the action say: of a giver of
 * reclaim units as long as it has lost less than it has to spare. And units that come back first are
 * not lost: in the order of queues a leaf comes the earlier the less it holds, so a unit comes before
 * the job of the search at least if it would with all placed again that stand before it in its line;
 * and if the job finds a place after it, there was one for a victim that asks for no more of the same
 * nodes.
 *
 * Most of it is known from the recorded units, which leave in all scenarios of a task: x->room. */
#include "policies/kai/search/search.h"

#include <stdlib.h>

uint32_t search_alike(const struct search *x, uint32_t tasks)
{
    uint32_t n = 0;
    while (n < tasks && x->wanted.task[tasks - 1 - n] >= x->run->first_task)
        n++;
    return n;
}

/* ---- What fits ---- */

/* A piece of a recorded unit leaves; or of another one, in this scenario. So many tasks more fit. */
static uint32_t piece_leaves(struct sched *s, struct search *x, const struct piece *p, bool recorded)
{
    struct leaving *n = &x->leaving[p->node];
    uint32_t each = x->run->gpus;
    bool known = n->room == x->room.number;
    if ((recorded && !known) || (!recorded && n->scenario != x->scenario)) {
        uint32_t free = known
                            ? n->recorded
                            : view_gpus_for(sched_view(s, FREE_OR_RELEASING), x->run, p->node).whole;
        *n = recorded ? (struct leaving){ x->room.number, 0, free, 0 }
                      : (struct leaving){ n->room, x->scenario, n->recorded, free };
    }
    uint32_t *gpus = recorded ? &n->recorded : &n->gpus, before = *gpus / each;
    *gpus += p->gpus;
    return *gpus / each - before;
}

static uint32_t unit_leaves(struct sched *s, struct search *x, const struct unit *u, bool recorded)
{
    uint32_t more = 0;
    for (uint32_t k = 0; k < u->n; k++)
        more += piece_leaves(s, x, &u->piece[k], recorded);
    return more;
}

void scenario_room_begin(struct sched *s, struct search *x, uint32_t tasks)
{
    struct scenario_room *r = &x->room;
    *r = (struct scenario_room){ .number = r->number + 1 };
    if (!x->run)
        return;
    r->mine = search_alike(x, tasks);
    r->lacks = search_lacks_nodes(s, x, tasks);
    if (!r->lacks)
        return;
    r->fit = domain_fits(sched_view(s, FREE_OR_RELEASING), 0, x->run);
    for (size_t i = 0; i < x->n_recorded; i++)
        r->fit += unit_leaves(s, x, &x->recorded[i], true);
}

/* ---- Which tasks are wide ---- */

static bool finds_all_suit(struct sched *s, const struct quota_state *q, const struct request *run)
{
    const struct view *v = sched_view(s, FREE_OR_RELEASING);
    node_id n, end;
    view_domain_nodes(v, 0, &n, &end);
    while (n < end && ((q->has_node && !q->has_node[n]) || view_suits(v, run, n)))
        n++;
    return n == end;
}

/* It may use all nodes of the shard. */
static bool all_suit(struct sched *s, const struct quota_state *q, struct search *x,
                     const struct request *run)
{
    x->suits = array_covering(sched_alloc, s, x->suits, &x->n_suits, run->shape, sizeof *x->suits);
    enum search_suits *suits = &x->suits[run->shape];
    if (*suits == SUITS_UNKNOWN)
        *suits = finds_all_suit(s, q, run) ? SUITS_ALL : SUITS_SOME;
    return *suits == SUITS_ALL;
}

static uint32_t wide_tasks(struct sched *s, const struct search *x, const struct unit *u)
{
    const struct request *ask = job_facts(s, u->job)->ask;
    uint32_t n = 0;
    for (uint32_t k = 0; k < u->n && ask->tasks != SPLIT_ANY; k++) {
        const struct piece *p = &u->piece[k];
        if (p->gpus < x->run->gpus || p->milli != MILLI_ALL)
            continue;
        const struct request *run = request_of_task(ask, p->task);
        n += !run->mig && (x->room.anywhere || run->alike == x->run->alike);
    }
    return n;
}

/* ---- Which units come back first ---- */

/* Its tasks are placed, all together, wherever enough nodes have room for them one by one. */
static bool needs_room_alone(struct sched *s, const struct quota_state *q, struct search *x,
                             const struct request *ask)
{
    return !ask->next && !ask->set && !ask->one_island && ask->max_per_node == 0 && !ask->mig &&
           ask->tasks != SPLIT_ANY && ask->required_level == LEVEL_ANY &&
           ask->preferred_level == LEVEL_ANY && all_suit(s, q, x, ask);
}

/* Where there is room for the job of the search, there is for this one. */
static bool asks_no_more(struct sched *s, const struct quota_state *q, struct search *x,
                         const struct unit *u)
{
    const struct request *a = job_facts(s, u->job)->ask, *b = x->run;
    return a->gpus == b->gpus && a->gpu_milli == b->gpu_milli && a->cpu_milli == b->cpu_milli &&
           a->mem_mib == b->mem_mib && a->gpu_mem_mib == b->gpu_mem_mib && u->n <= x->room.mine &&
           needs_room_alone(s, q, x, a);
}

/* The order may tell: one of plain jobs, each placed as a whole, in queues that are siblings. */
static bool order_tells(struct sched *s, struct quota_state *q, struct search *x)
{
    return x->action == RECLAIM && quota_is_plain(q) && !q->pods && order_is_flat(&q->worst) &&
           quota_chooses(s, q, x->job) && needs_room_alone(s, q, x, job_facts(s, x->job)->ask);
}

/* A recorded unit, in the order of its leaf. */
struct back { queue_id leaf; struct line_key key; job_id job; uint32_t at; struct quota_amount holds; };

static int by_leaf_and_line(const void *a, const void *b)
{
    const struct back *x = a, *y = b;
    if (x->leaf != y->leaf)
        return x->leaf < y->leaf ? -1 : 1;
    return line_key_before(y->key, y->job, x->key, x->job) -
           line_key_before(x->key, x->job, y->key, y->job);
}

static struct back *backs(struct sched *s, const struct search *x)
{
    struct back *b = sched_scratch(s, (x->n_recorded + 1) * sizeof *b);
    for (uint32_t i = 0; i < x->n_recorded; i++) {
        const struct unit *u = &x->recorded[i];
        b[i] = (struct back){ u->leaf, quota_key(s, u->job, 0), u->job, i,
                              quota_wanted(s, u->job, NULL).amount };
    }
    qsort(b, x->n_recorded, sizeof *b, by_leaf_and_line);
    return b;
}

static void add_held(struct quota_queue *q, const struct quota_amount *more, int sign)
{
    for (enum quota_resource r = 0; r < Q_RESOURCES; r++)
        q->of[r].allocated += sign * more->of[r];
}

/* The units b[0] to b[n - 1] of one leaf, as far as they come before the job. */
static void leaf_comes_back(struct sched *s, struct quota_state *q, struct search *x,
                            const struct back *b, size_t n)
{
    struct quota_queue leaf = q->queue[b->leaf];
    x->losing[b->leaf].stood = x->room.number;
    x->losing[b->leaf].first = false;    /* of others of the leaf nothing is said */
    for (size_t i = 0; i < n; i++)
        add_held(&leaf, &b[i].holds, -1);
    for (size_t i = 0; i < n; i++) {
        struct quota_standing with = quota_standing(&leaf, &b[i].holds, NULL, &q->total);
        with.queue = &q->queue[b->leaf];
        if (!quota_goes_before(&with, &x->room.me))
            return;
        add_held(&leaf, &b[i].holds, 1);
        x->room.comes_back[b[i].at] = asks_no_more(s, q, x, &x->recorded[b[i].at]);
    }
}

static void find_back(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    struct scenario_room *r = &x->room;
    struct quota_amount ask = quota_of_tasks(s, x->job, x->wanted.task, tasks);
    r->comes_back = sched_scratch(s, x->n_recorded + 1);
    for (size_t i = 0; i < x->n_recorded; i++)
        r->comes_back[i] = false;
    r->orders = order_tells(s, q, x);
    if (!r->orders)
        return;
    r->me = quota_standing(&q->queue[job_facts(s, x->job)->queue], &ask, NULL, &q->total);
    const struct back *b = backs(s, x);
    for (size_t i = 0, end; i < x->n_recorded; i = end) {
        for (end = i; end < x->n_recorded && b[end].leaf == b[i].leaf; end++)
            ;
        leaf_comes_back(s, q, x, &b[i], end - i);
    }
}

/* A unit that is not recorded, of a leaf that has lost none: at the latest the leaf comes when it
 * holds all that it does now. */
static bool comes_back(struct sched *s, struct quota_state *q, struct search *x,
                       const struct unit *u)
{
    struct scenario_queue *l = &x->losing[u->leaf];
    if (!x->room.orders)
        return false;
    if (l->stood != x->room.number) {
        struct quota_standing with = quota_standing(&q->queue[u->leaf], NULL, NULL, &q->total);
        l->stood = x->room.number;
        l->first = quota_goes_before(&with, &x->room.me);
    }
    return l->first && asks_no_more(s, q, x, u);
}

/* ---- What may be lost ---- */

/* Such a unit leaves, too. parts: some of its tasks may be lost alone. */
static void add_loss(struct scenario_losses *l, uint32_t tasks, uint32_t gpus, bool parts)
{
    if (l->spare <= 0)
        return;
    int64_t before = (l->spare - 1) / ((int64_t)gpus * MILLI_ALL);
    if (before >= 63) {
        l->most += tasks;
        return;
    }
    uint64_t may = l->lost & ((UINT64_C(2) << before) - 1);
    l->most = max_u32(l->most, 63 - (uint32_t)__builtin_clzll(may) + tasks);
    for (uint32_t n = parts ? 1 : tasks; n <= tasks && n < 64; n++)
        l->lost |= may << n;
}

/* So many more may be lost if that unit leaves. */
static uint32_t may_lose(const struct quota_state *q, struct search *x,
                         const struct quota_scenario *rules, const struct unit *u, uint32_t tasks,
                         bool recorded)
{
    queue_id giver;
    int64_t spare = quota_scenario_spare(rules, u->leaf, &giver);
    struct scenario_queue *g = &x->losing[giver];
    const struct scenario_losses none = { x->room.number, 1, spare, 0 };
    struct scenario_losses *l = recorded ? &g->recorded : &g->now;
    if (g->recorded.of != x->room.number)
        g->recorded = none;
    if (!recorded && g->now.of != x->scenario) {
        g->now = g->recorded;
        g->now.of = x->scenario;
    }
    uint32_t before = l->most;
    add_loss(l, tasks, x->run->gpus, !quota_is_plain(q));
    return l->most - before;
}

static struct quota_scenario rules_of(struct sched *s, const struct quota_state *q,
                                      const struct search *x)
{
    const struct job_facts *f = job_facts(s, x->job);
    struct quota_scenario rules;
    quota_scenario_begin(&rules, q->queue, q->loss, f->queue, &x->wanted.amount, !f->preemptible,
                         q->params->saturation);
    return rules;
}

static void know_room(struct sched *s, struct quota_state *q, struct search *x, uint32_t tasks)
{
    struct scenario_room *r = &x->room;
    r->known = true;
    r->anywhere = all_suit(s, q, x, x->run);
    find_back(s, q, x, tasks);
    struct quota_scenario rules = rules_of(s, q, x);
    for (size_t i = 0; i < x->n_recorded; i++) {
        const struct unit *u = &x->recorded[i];
        uint32_t wide = wide_tasks(s, x, u);
        r->wide += wide;
        if (wide > 0 && !r->comes_back[i] && x->action == RECLAIM)
            r->may += may_lose(q, x, &rules, u, wide, true);
    }
    quota_scenario_end(&rules);
}

enum scenario_bound scenario_bound(struct sched *s, struct quota_state *q, struct search *x,
                                   uint32_t tasks)
{
    struct scenario_room *r = &x->room;
    if (!r->lacks)
        return BOUND_SAYS_NOTHING;
    uint32_t fit = r->fit;
    for (size_t i = x->n_recorded; i < x->n_chosen; i++)
        fit += unit_leaves(s, x, x->chosen[i], false);
    if (fit < r->mine || x->action == PREEMPT)
        return fit < r->mine ? BOUND_LACKS_NODES : BOUND_SAYS_NOTHING;
    if (!r->known)
        know_room(s, q, x, tasks);
    uint32_t wide = r->wide, may = r->may;
    struct quota_scenario rules = rules_of(s, q, x);
    for (size_t i = x->n_recorded; i < x->n_chosen; i++) {
        const struct unit *u = x->chosen[i];
        uint32_t more = wide_tasks(s, x, u);
        wide += more;
        if (more > 0 && x->action == RECLAIM && !comes_back(s, q, x, u))
            may += may_lose(q, x, &rules, u, more, false);
    }
    quota_scenario_end(&rules);
    return wide > fit - r->mine + may ? BOUND_LOSES_TOO_MUCH : BOUND_SAYS_NOTHING;
}
