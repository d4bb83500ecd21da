/* victims.c - potential victims of a search, the worst first: jobs by queue and age, elastic ones
 * task by task. See search.h.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/actions/{reclaim,preempt,consolidation} (which jobs can
 * be victims), plugins/minruntime (which are protected), api/podgroup_info/eviction_info.go
 * (units). The worst candidate of each leaf, and the order of the leaves by it, are kept from
 * search to search; what a search changes of that order is rolled back before the next. */
#include "policies/kai/search/search.h"

/* ---- Protection by a minimum run time ---- */

/* The victim's minimum run time: the first that is set from its queue up, or (reclaim) from just
 * below the queue that it shares with the job's, its top queue if they share none; 0: none is set.
 * NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/minruntime/resolver.go. */
static int64_t min_runtime_ns(const struct quota_state *q, const struct sched *s,
                              const struct search *x, queue_id victim)
{
    bool reclaim = x->action == RECLAIM;
    queue_id from = victim;
    if (reclaim && (int)q->params->min_runtime_of == RUNTIME_OF_ANCESTOR) {
        queue_id below = victim;
        for (from = victim; from != ID_NONE; below = from, from = q->queue[from].parent) {
            queue_id up = job_facts(s, x->job)->queue;
            while (up != ID_NONE && up != from)
                up = q->queue[up].parent;
            if (up == from)
                break;
        }
        from = below;
    }
    for (; from != ID_NONE; from = q->queue[from].parent) {
        const struct queue_facts *f = queue_facts(s, from);
        int64_t ns = reclaim ? f->reclaim_min_runtime_ns : f->preempt_min_runtime_ns;
        if (ns >= 0)
            return ns;
    }
    return 0;
}

static bool is_protected(const struct quota_state *q, const struct sched *s, const struct search *x,
                         job_id v)
{
    if (x->action == CONSOLIDATION || !(x->action == RECLAIM ? q->protects : q->protects_within))
        return false;
    int64_t since = job_last_start_ns(s, v);
    return since != -1 && sched_now(s) < since + min_runtime_ns(q, s, x, job_facts(s, v)->queue);
}

/* ---- Units ---- */

static uint32_t group_of(const struct request *ask, uint32_t task)
{
    return ask->tasks == SPLIT_ANY ? 0 : request_of_task(ask, task)->group;
}

/* The last task of the group of j that holds the largest multiple of its minimum, if more than the
 * minimum, among these pieces. */
static bool surplus_task(const struct sched *s, const struct piece *piece, uint32_t n, job_id j,
                         uint32_t *at)
{
    const struct job_facts *f = job_facts(s, j);
    if (f->ask->tasks == SPLIT_ANY || n <= f->min_tasks)
        return false;
    if (!f->n_groups) {
        *at = n - 1;
        return true;
    }
    uint32_t best_held = 0, best_min = 1;
    bool found = false;
    for (uint32_t g = 0; g < f->n_groups; g++) {
        uint32_t held = 0, last = 0, min = f->group[g].min_tasks;
        for (uint32_t i = 0; i < n; i++)
            if (group_of(f->ask, piece[i].task) == g) {
                held++;
                last = i;
            }
        if (held > min && (!found || (uint64_t)held * best_min >= (uint64_t)best_held * min)) {
            found = true;
            best_held = held;
            best_min = min;
            *at = last;
        }
    }
    return found;
}

int64_t search_free_milli(struct sched *s, const struct search *x, node_id n)
{
    struct node_gpus f = view_gpus_for(sched_view(s, FREE_OR_RELEASING), x->run, n);
    return (int64_t)f.whole * x->run->gpu_milli + (int64_t)f.shared * MILLI_ALL;
}

/* Recorded units may leave something on n. */
static bool is_left(const struct search *x, node_id n)
{
    return x->n_recorded > 0 && (!x->room.lacks || x->leaving[n].room == x->room.number);
}

int64_t search_room_milli(struct sched *s, const struct search *x, node_id n)
{
    int64_t milli = search_free_milli(s, x, n);
    for (size_t i = 0; is_left(x, n) && i < x->n_recorded; i++)
        for (uint32_t k = 0; k < x->recorded[i].n; k++)
            if (x->recorded[i].piece[k].node == n)
                milli += search_milli_of(&x->recorded[i].piece[k]);
    return milli;
}

uint32_t search_whole_gpus(struct sched *s, const struct search *x, node_id n)
{
    return is_left(x, n) ? x->leaving[n].recorded
                         : view_gpus_for(sched_view(s, FREE_OR_RELEASING), x->run, n).whole;
}

/* A node before any potential victim of it is known. Field by field, here and where victims and units are
 * added: gcc would copy the whole of what has just been written, and wait. */
static void node_begins(struct sched *s, const struct search *x, node_id node, struct on_node *n)
{
    n->stamp = x->stamp;
    n->first = ID_NONE;
    n->able = false;
    if (x->lacks) {
        uint32_t each = x->run->gpus, gpus = search_whole_gpus(s, x, node);
        n->milli = (int64_t)gpus * MILLI_ALL;
        /* a division less where fewer are free than one task wants, as on most nodes */
        n->needs = (gpus < each ? 1 : (int64_t)(gpus / each) + 1) * each * MILLI_ALL;
    } else {
        n->milli = x->run ? search_room_milli(s, x, node) : 0;
        n->needs = x->run ? x->task_milli : 0;
    }
}

static void link_unit(struct sched *s, struct search *x, uint32_t u)
{
    if (x->job == ID_NONE)
        return;                    /* no scenario will be tried */
    for (uint32_t i = 0; i < x->unit[u].n; i++) {
        const struct piece *p = &x->unit[u].piece[i];
        struct on_node *n = &x->node[p->node];
        int64_t milli = search_milli_of(p);
        if (n->stamp != x->stamp)
            node_begins(s, x, p->node, n);
        x->freed_milli += milli;
        n->milli += milli;
        x->n_able += !n->able && n->milli >= n->needs;
        n->able = n->milli >= n->needs;
        if (n->first != ID_NONE && x->link[n->first].unit == u)
            continue;
        x->link =
            array_grown(sched_alloc, s, x->link, &x->link_capacity, x->n_links, sizeof *x->link);
        x->link[x->n_links] = (struct on_node_link){ u, n->first };
        n->first = (uint32_t)x->n_links++;
    }
}

static bool is_recorded(const struct search *x, job_id j, uint32_t task)
{
    for (size_t i = 0; i < x->n_recorded; i++)
        for (uint32_t k = 0; x->recorded[i].job == j && k < x->recorded[i].n; k++)
            if (x->recorded[i].piece[k].task == task)
                return true;
    return false;
}

/* The pieces of v that are in no unit yet. */
static uint32_t pieces_left(struct sched *s, const struct search *x, const struct victim *v,
                            const struct piece **to)
{
    const struct placement *has = v->of->has;
    *to = has->piece;
    if (x->n_recorded == 0 && v->first_unit == ID_NONE)
        return (uint32_t)has->n;
    struct piece *piece = sched_scratch(s, has->n * sizeof *piece);
    uint32_t n = 0;
    for (size_t i = 0; i < has->n; i++) {
        bool out = is_recorded(x, v->job, has->piece[i].task);
        for (uint32_t u = v->first_unit; u != ID_NONE && !out; u = x->unit[u].next_of_job)
            for (uint32_t k = 0; k < x->unit[u].n && !out; k++)
                out = x->unit[u].piece[k].task == has->piece[i].task;
        if (!out)
            piece[n++] = has->piece[i];
    }
    *to = piece;
    return n;
}

bool search_has_recorded(const struct search *x, job_id j)
{
    bool some = false;
    for (size_t i = 0; i < x->n_recorded; i++)
        some = some || x->recorded[i].job == j;
    return some;
}

static struct quota_amount amount_of(struct sched *s, job_id j, const struct piece *piece,
                                     uint32_t n)
{
    uint32_t *task = sched_scratch(s, n * sizeof *task);
    for (uint32_t i = 0; i < n; i++)
        task[i] = piece[i].task;
    return quota_of_tasks(s, j, task, n);
}

/* These pieces of it are another victim, in the order of such a job; without the one at `but`. */
static void requeue(struct sched *s, struct search *x, uint32_t which, const struct piece *piece,
                    uint32_t n, uint32_t but)
{
    job_id j = x->victim[which].job;
    struct piece *rest = sched_scratch(s, n * sizeof *rest);
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++)
        if (i != but)
            rest[left++] = piece[i];
    x->requeued = array_grown(sched_alloc, s, x->requeued, &x->requeued_capacity, x->n_requeued,
                              sizeof *x->requeued);
    x->requeued[x->n_requeued++] =
        (struct requeued){ which, quota_key(s, j, left), amount_of(s, j, rest, left) };
}

bool search_take_unit(struct sched *s, const struct quota_state *q, struct search *x,
                      uint32_t which, struct quota_amount *popped)
{
    struct victim *v = &x->victim[which];
    bool again = v->popped, all = !v->of->surplus && !search_has_recorded(x, v->job);
    const struct piece *piece = v->of->has->piece;
    uint32_t n = all ? (uint32_t)v->of->has->n : pieces_left(s, x, v, &piece), at = 0;
    v->popped = true;
    *popped = again ? amount_of(s, v->job, piece, n) : v->of->holds;
    if (!again && !all && search_has_recorded(x, v->job)) {
        if (n > 0)
            requeue(s, x, which, piece, n, ID_NONE);
        return false;
    }
    bool surplus = !all && surplus_task(s, piece, n, v->job, &at);
    if (!surplus && is_protected(q, s, x, v->job))
        return false;
    x->unit = array_grown(sched_alloc, s, x->unit, &x->unit_capacity, x->n_units, sizeof *x->unit);
    struct unit *u = &x->unit[x->n_units];
    u->job = v->job;
    u->leaf = v->leaf;
    u->n = surplus ? 1 : n;
    u->next_of_job = v->first_unit;
    u->victim = which;
    u->piece = surplus ? &piece[at] : piece;
    v->first_unit = (uint32_t)x->n_units++;
    link_unit(s, x, v->first_unit);
    if (surplus)
        requeue(s, x, which, piece, n, at);
    return true;
}

/* ---- Candidates ---- */

/* In a leaf that this pass acted on a candidate may have lost what it held, or be leaving; otherwise
 * it holds something. One that this pass acted on is a victim only of what it was promised. */
bool search_may_take(struct sched *s, const struct quota_state *q, const struct search *x,
                     const struct leaf *l, const struct victim_candidate *v)
{
    if (v->job == x->job)
        return false;
    bool turn = quota_had_turn(s, q, l, v->job), leaves = l->acted == q->pass && l->leaving > 0;
    if ((turn || (leaves && !job_placement(s, v->job))) && !quota_is_promised(s, q, v->job))
        return false;
    return v->surplus || !is_protected(q, s, x, v->job);
}

bool search_may_take_all(const struct quota_state *q, const struct search *x, queue_id leaf)
{
    return q->leaf[leaf].acted != q->pass && x->action != PREEMPT &&
           (x->action == CONSOLIDATION || !q->protects);
}

/* This leaf may lose something by the rules of reclaim. */
static bool may_lose(struct sched *s, struct quota_state *q, const struct search *x, queue_id leaf)
{
    static const struct quota_amount nothing;
    const struct job_facts *f = job_facts(s, x->job);
    struct quota_scenario scenario;
    quota_divide_now(s, q);
    quota_scenario_begin(&scenario, q->queue, q->loss, f->queue, &x->wanted.amount, !f->preemptible,
                         q->params->saturation);
    bool may = quota_scenario_take(&scenario, leaf, &nothing);
    quota_scenario_end(&scenario);
    return may;
}

static bool is_victim_leaf(const struct sched *s, const struct search *x, queue_id leaf)
{
    return x->action == CONSOLIDATION ||
           (x->action == RECLAIM) == (leaf != job_facts(s, x->job)->queue);
}

/* The next candidate from the end of the leaf's line that may be a victim. NULL: no more. */
static const struct victim_candidate *next_of_line(struct sched *s, const struct quota_state *q,
                                                   const struct search *x, queue_id leaf, size_t *k)
{
    for (const struct victim_candidate *v; (v = leaf_candidate(s, q, &q->leaf[leaf], *k)); ++*k) {
        if (x->action == PREEMPT && -v->key.major >= job_facts(s, x->job)->priority)
            return NULL;
        if (search_may_take(s, q, x, &q->leaf[leaf], v))
            return v;
    }
    return NULL;
}

/* What the search has taken of the leaf so far. */
static struct leaf_victims *victims_of(struct sched *s, const struct quota_state *q,
                                       struct search *x, queue_id leaf)
{
    struct leaf_victims *l = &x->leaf[leaf];
    if (l->stamp == x->stamp)
        return l;
    *l = (struct leaf_victims){ .stamp = x->stamp };
    l->next = next_of_line(s, q, x, leaf, &l->at);
    return l;
}

/* The worst of the requeued victims of the leaf; n_requeued: none is worse than the next candidate
 * of its line. */
static size_t requeued_victim(const struct search *x, queue_id leaf)
{
    const struct victim_candidate *next = x->leaf[leaf].next;
    size_t best = x->n_requeued;
    for (size_t i = 0; i < x->n_requeued; i++) {
        const struct victim *v = &x->victim[x->requeued[i].victim];
        if (v->leaf != leaf)
            continue;
        bool first = best == x->n_requeued && !next;
        if (first || line_key_before(best < x->n_requeued ? x->requeued[best].key : next->key,
                                     best < x->n_requeued ? x->victim[x->requeued[best].victim].job
                                                          : next->job,
                                     x->requeued[i].key, v->job))
            best = i;
    }
    return best;
}

/* *sum: what its victims so far and the next one held, each when its turn came. An elastic job
 * that loses its tasks one by one counts at every turn with all that it still has, as in the
 * source. false: it has no more. */
static bool leaf_next(struct sched *s, const struct quota_state *q, struct search *x, queue_id leaf,
                      struct quota_amount *sum)
{
    const struct leaf_victims *l = victims_of(s, q, x, leaf);
    size_t again = requeued_victim(x, leaf);
    if (again == x->n_requeued && !l->next)
        return false;
    const struct quota_amount *next =
        again < x->n_requeued ? &x->requeued[again].holds : &l->next->holds;
    *sum = quota_sum(next, &l->taken);
    return true;
}

uint32_t search_add_victim(struct sched *s, struct search *x, queue_id leaf,
                           const struct victim_candidate *of)
{
    x->victim = array_grown(sched_alloc, s, x->victim, &x->victim_capacity, x->n_victims,
                            sizeof *x->victim);
    struct victim *v = &x->victim[x->n_victims];
    v->job = of->job;
    v->leaf = leaf;
    v->first_unit = ID_NONE;
    v->popped = false;
    v->of = of;
    return (uint32_t)x->n_victims++;
}

static queue_id next_leaf(struct search *x)
{
    return x->action == PREEMPT ? x->preempted : order_walk_top(&x->walk);
}

/* A victim of that leaf has had its turn, of which so much was taken. */
static void goes_on(struct sched *s, const struct quota_state *q, struct search *x, queue_id leaf,
                    const struct quota_amount *popped)
{
    struct leaf_victims *l = victims_of(s, q, x, leaf);
    if (x->action == PREEMPT) {
        x->preempted = l->next || requeued_victim(x, leaf) < x->n_requeued ? leaf : ID_NONE;
        return;
    }
    l->taken = quota_sum(&l->taken, popped);
    struct quota_amount sum;
    bool more = leaf_next(s, q, x, leaf, &sum);
    order_walk_set(&x->walk, leaf, more ? &sum : NULL);
}

bool search_next_victim(struct sched *s, struct quota_state *q, struct search *x, uint32_t *unit)
{
    double most = x->moves_only ? q->params->consolidation_victims : q->params->victims;
    for (queue_id leaf; (leaf = next_leaf(x)) != ID_NONE;) {
        struct leaf_victims *l = victims_of(s, q, x, leaf);
        size_t again = requeued_victim(x, leaf);
        uint32_t which;
        if (again < x->n_requeued) {
            which = x->requeued[again].victim;
            x->requeued[again] = x->requeued[--x->n_requeued];
        } else {
            if (most >= 0 && (double)x->n_victims > most)    /* KAI compares so: one more passes */
                return false;
            which = search_add_victim(s, x, leaf, l->next);
            l->at++;
            l->next = next_of_line(s, q, x, leaf, &l->at);
        }
        struct quota_amount popped;
        bool taken = search_take_unit(s, q, x, which, &popped);
        goes_on(s, q, x, leaf, &popped);
        if (taken) {
            *unit = (uint32_t)x->n_units - 1;
            return true;
        }
    }
    return false;
}

/* The first two leaves with victims from which somebody may take, for each of the two reasons. */
static void find_givers(struct quota_state *q, struct givers *g)
{
    size_t n_above = 0, n_over = 0;
    *g = (struct givers){ q->changes, { ID_NONE, ID_NONE }, { ID_NONE, ID_NONE } };
    for (queue_id i = 0; i < q->n_queues && (n_above < 2 || n_over < 2); i++) {
        const struct quota_queue *of = &q->queue[i];
        struct quota_amount left = { { of->of[Q_GPU].allocated, of->of[Q_CPU].allocated,
                                       of->of[Q_MEM].allocated } };
        if (q->leaf[i].candidates.all == 0)
            continue;
        if (n_above < 2 && quota_maintain_fair_share(of, &left))
            g->above_fair[n_above++] = i;
        if (n_over < 2 && quota_above_deserved(of, &left))
            g->above_deserved[n_over++] = i;
    }
}

/* Some leaf but this one. */
static bool some_other(const queue_id *giver, queue_id leaf)
{
    return giver[giver[0] == leaf] != ID_NONE;
}

/* Where all queues are siblings each reason is one of the giver, or of giver and taker apart. */
static bool can_take_from_siblings(struct sched *s, struct quota_state *q, struct search *x)
{
    queue_id mine = job_facts(s, x->job)->queue;
    quota_divide_now(s, q);
    if (x->givers.at != q->changes)
        find_givers(q, &x->givers);
    return some_other(x->givers.above_fair, mine) ||
           (some_other(x->givers.above_deserved, mine) &&
            quota_within_deserved(&q->queue[mine], &x->wanted.amount));
}

bool search_can_reclaim(struct sched *s, struct quota_state *q, struct search *x)
{
    if (order_is_flat(&q->worst))
        return can_take_from_siblings(s, q, x);
    for (queue_id i = 0; i < q->n_queues; i++)
        if (q->leaf[i].candidates.all > 0 && is_victim_leaf(s, x, i) && may_lose(s, q, x, i))
            return true;
    return false;
}

/* The order as if every running job could be a victim. */
static void refresh_worst(struct sched *s, struct quota_state *q)
{
    for (size_t k = 0; k < q->n_restanding; k++)
        q->worst.node[q->restanding[k]].stands = false;
    while (q->n_restanding) {
        queue_id i = q->restanding[--q->n_restanding];
        q->leaf[i].standing_changed = false;
        if (q->queue[i].first_child != ID_NONE) {
            order_refresh(&q->worst, i);
        } else {
            const struct victim_candidate *worst = leaf_candidate(s, q, &q->leaf[i], 0);
            order_set(&q->worst, i, worst ? &worst->holds : NULL);
        }
    }
}

static void refresh_order(struct sched *s, struct quota_state *q, struct search *x)
{
    x->order = &q->worst;
    order_rollback(x->order);
    refresh_worst(s, q);
}

/* The leaf's worst candidate cannot be a victim of this search: the order goes by the first that
 * can. */
static void correct(struct sched *s, struct quota_state *q, struct search *x, queue_id leaf)
{
    struct quota_amount sum;
    if (is_victim_leaf(s, x, leaf) && q->leaf[leaf].candidates.all > 0 &&
        victims_of(s, q, x, leaf)->at > 0)
        order_set(x->order, leaf, leaf_next(s, q, x, leaf, &sum) ? &sum : NULL);
}

/* The order of the leaves as the search begins: by the first victim of each. */
static void order_leaves(struct sched *s, struct quota_state *q, struct search *x)
{
    queue_id mine = x->job == ID_NONE ? ID_NONE : job_facts(s, x->job)->queue;
    refresh_order(s, q, x);
    order_mark(s, x->order);
    if (x->action == RECLAIM)
        order_set(x->order, mine, NULL);
    bool all = x->action == RECLAIM && q->protects;
    for (queue_id i = 0; i < (all ? q->n_queues : q->n_acted); i++)
        correct(s, q, x, all ? i : q->acted[i]);
    if (mine != ID_NONE)
        correct(s, q, x, mine);
}

void search_units_begin(struct search *x)
{
    x->stamp++;
    x->n_units = x->n_victims = x->n_requeued = x->n_links = x->tried = x->n_able = 0;
    x->freed_milli = 0;
}

void search_victims(struct sched *s, struct quota_state *q, struct search *x)
{
    search_units_begin(x);
    if (x->action == PREEMPT) {        /* from one leaf: there is no order */
        queue_id mine = job_facts(s, x->job)->queue;
        x->preempted = victims_of(s, q, x, mine)->next ? mine : ID_NONE;
        return;
    }
    order_leaves(s, q, x);
    order_walk_begin(&x->walk, x->order);
}
