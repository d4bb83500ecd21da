/* quota_victims.c - whom a search may evict, the worst first: jobs by queue and age, elastic ones task by task.
 *
 * After NVIDIA/KAI-Scheduler:pkg/scheduler/actions/{reclaim,preempt,consolidation} (who may be one), plugins/minruntime (who is protected) and
 * api/podgroup_info/eviction_info.go (surplus tasks one by one, then the rest as one unit). */
#include "policies/quota_search.h"

/* Minimum run time, 0 where nobody says. The victim's queue and up, or (reclaim) from just below the queue that both share; if they share
 * none, of the victim's top queue only. NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/minruntime/resolver.go. */
static int64_t min_runtime_ns(const struct quota_state *q, const struct sched *s, const struct search *x, queue_id victim)
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

static bool is_protected(const struct quota_state *q, const struct sched *s, const struct search *x, job_id v)
{
    int64_t since = job_last_start_ns(s, v);
    return x->action != CONSOLIDATION && since != -1 &&
           sched_now(s) < since + min_runtime_ns(q, s, x, job_facts(s, v)->queue);
}

static uint32_t tasks_left(const struct sched *s, job_id j)
{
    return job_facts(s, j)->ask->tasks == SPLIT_ANY ? 1 : (uint32_t)job_placement(s, j)->n;
}

static bool may_be_victim(struct sched *s, const struct quota_state *q, const struct search *x, job_id v)
{
    const struct job_facts *f = job_facts(s, v), *mine = job_facts(s, x->job);
    const struct quota_job *own = job_own(s, v);
    if (v == x->job || own->pass == q->pass || !job_placement(s, v))
        return false;
    if (x->action == PREEMPT && f->priority >= mine->priority)
        return false;
    return tasks_left(s, v) > f->min_tasks || !is_protected(q, s, x, v);
}

/* Of this leaf something might be taken for good, not only moved. */
static bool may_be_taken_from(struct sched *s, struct quota_state *q, const struct search *x, queue_id leaf)
{
    static const struct quota_amount nothing;
    const struct job_facts *f = job_facts(s, x->job);
    struct quota_scenario scenario;
    quota_divide_now(s, q);
    quota_scenario_begin(&scenario, q->queue, q->loss, f->queue, &x->wanted.amount, !f->preemptible, q->params->saturation);
    bool may = quota_scenario_take(&scenario, leaf, &nothing);
    quota_scenario_end(&scenario);
    return may;
}

static bool is_victim_leaf(const struct sched *s, const struct search *x, queue_id leaf)
{
    queue_id mine = job_facts(s, x->job)->queue;
    return x->action == CONSOLIDATION || (x->action == RECLAIM) == (leaf != mine);
}

/* The next job of the leaf's line that may be one, from its end. */
static bool line_victim(struct sched *s, struct quota_state *q, struct search *x, queue_id leaf)
{
    if (x->leaf[leaf].done)
        return false;
    do {
        bool there = true;
        if (x->leaf[leaf].begun) {
            there = line_before(q->leaf[leaf].running, &x->leaf[leaf].at, &x->leaf[leaf].key);
        } else {
            const struct head *worst = leaf_worst(s, &q->leaf[leaf]);
            x->leaf[leaf].at = worst->job;
            x->leaf[leaf].key = worst->key;
            there = worst->job != ID_NONE;
        }
        x->leaf[leaf].begun = true;
        x->leaf[leaf].done = !there || (x->action == PREEMPT && -x->leaf[leaf].key.major >= job_facts(s, x->job)->priority);
    } while (!x->leaf[leaf].done && !may_be_victim(s, q, x, x->leaf[leaf].at));
    return !x->leaf[leaf].done;
}

/* Of the leaf: the best of who comes again; n_back: none that is worse than the next of the line. */
static size_t back_victim(const struct search *x, queue_id leaf)
{
    size_t best = x->n_back;
    for (size_t i = 0; i < x->n_back; i++) {
        const struct victim *v = &x->victim[x->back[i].victim];
        if (v->leaf != leaf)
            continue;
        job_id than = best < x->n_back ? x->victim[x->back[best].victim].job : x->leaf[leaf].at;
        bool first = best == x->n_back && x->leaf[leaf].done;
        if (first || key_before(best < x->n_back ? x->back[best].key : x->leaf[leaf].key, than, x->back[i].key, v->job))
            best = i;
    }
    return best;
}

static struct quota_amount unit_amount(struct sched *s, const struct unit *u)
{
    uint32_t *task = sched_scratch(s, u->n * sizeof *task);
    for (uint32_t i = 0; i < u->n; i++)
        task[i] = u->piece[i].task;
    return quota_of_tasks(s, u->job, task, u->n);
}

static uint32_t group_of(const struct request *ask, uint32_t task)
{
    return ask->tasks == SPLIT_ANY ? 0 : request_of_task(ask, task)->group;
}

/* Of these pieces of j the last task of the group that holds most of its minimum, if that is more than the minimum. */
static bool surplus_task(const struct sched *s, const struct piece *piece, uint32_t n, job_id j, uint32_t *at)
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

static void link_unit(struct sched *s, struct search *x, uint32_t u)
{
    for (uint32_t i = 0; i < x->unit[u].n; i++) {
        const struct piece *p = &x->unit[u].piece[i];
        struct on_node *n = &x->node[p->node];
        if (n->stamp != x->stamp)
            *n = (struct on_node){ x->stamp, ID_NONE, 0 };
        x->freed_milli += (int64_t)p->gpus * (p->milli < MILLI_ALL ? MILLI_ALL : p->milli);
        n->milli += (int64_t)p->gpus * (p->milli < MILLI_ALL ? MILLI_ALL : p->milli);
        if (n->first != ID_NONE && x->link[n->first].unit == u)
            continue;
        x->link = array_grown(s, x->link, &x->link_capacity, x->n_links, sizeof *x->link);
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

/* What v holds and is no victim yet. */
static uint32_t pieces_left(struct sched *s, const struct search *x, const struct victim *v, struct piece **to)
{
    const struct placement *has = job_placement(s, v->job);
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

/* Takes the next unit of v. false: it has none (all are recorded already, or its core is protected). */
static bool take_unit(struct sched *s, const struct quota_state *q, struct search *x, uint32_t which)
{
    struct piece *piece;
    struct victim *v = &x->victim[which];
    uint32_t n = pieces_left(s, x, v, &piece), at = 0;
    if (n == 0)
        return false;
    bool surplus = surplus_task(s, piece, n, v->job, &at);
    if (!surplus && is_protected(q, s, x, v->job))
        return false;
    struct unit u = { v->job, v->leaf, surplus ? 1 : n, v->first_unit, surplus ? &piece[at] : piece };
    x->unit = array_grown(s, x->unit, &x->unit_capacity, x->n_units, sizeof *x->unit);
    x->unit[x->n_units] = u;
    v->first_unit = (uint32_t)x->n_units++;
    link_unit(s, x, v->first_unit);
    if (surplus) {
        x->back = array_grown(s, x->back, &x->back_capacity, x->n_back, sizeof *x->back);
        x->back[x->n_back++] = (struct back){ which, quota_key(s, v->job, n - 1) };
    }
    return true;
}

/* Of j, what was needed for fewer tasks already. */
static struct quota_amount recorded_amount(struct sched *s, const struct search *x, job_id j)
{
    struct quota_amount sum = { { 0 } };
    for (size_t i = 0; i < x->n_recorded; i++)
        if (x->recorded[i].job == j) {
            struct quota_amount unit = unit_amount(s, &x->recorded[i]);
            sum = quota_sum(&sum, &unit);
        }
    return sum;
}

/* What the leaf would have lost with its next one. false: it has no more. */
static bool leaf_next(struct sched *s, const struct quota_state *q, struct search *x, queue_id leaf, struct quota_amount *sum)
{
    size_t again = back_victim(x, leaf);
    if (again == x->n_back && x->leaf[leaf].done)
        return false;
    job_id v = again < x->n_back ? x->victim[x->back[again].victim].job : x->leaf[leaf].at;
    const struct head *worst = leaf_worst(s, &q->leaf[leaf]);
    *sum = v == worst->job ? q->leaf[leaf].worst_amount : quota_of_placement(s, v, job_placement(s, v));
    *sum = quota_sum(sum, &x->leaf[leaf].popped);
    return true;
}

/* The next potential victim of all: one more unit. */
bool search_next_victim(struct sched *s, struct quota_state *q, struct search *x, uint32_t *unit)
{
    double most = x->moves_only ? q->params->consolidation_victims : q->params->victims;
    for (queue_id leaf; (leaf = order_top(&q->victims)) != ID_NONE;) {
        size_t again = back_victim(x, leaf);
        uint32_t which;
        if (again < x->n_back) {
            which = x->back[again].victim;
            x->back[again] = x->back[--x->n_back];
        } else {
            if (most >= 0 && (double)x->n_victims > most)    /* the comparison of the original lets one more through */
                return false;
            which = (uint32_t)x->n_victims;
            x->victim = array_grown(s, x->victim, &x->victim_capacity, x->n_victims, sizeof *x->victim);
            x->victim[x->n_victims++] = (struct victim){ .job = x->leaf[leaf].at, .leaf = leaf, .first_unit = ID_NONE };
            line_victim(s, q, x, leaf);
        }
        bool taken = take_unit(s, q, x, which);
        struct quota_amount lost = taken ? unit_amount(s, &x->unit[x->n_units - 1]) : recorded_amount(s, x, x->victim[which].job);
        x->leaf[leaf].popped = quota_sum(&x->leaf[leaf].popped, &lost);
        struct quota_amount sum;
        bool more = leaf_next(s, q, x, leaf, &sum);
        order_next(&q->victims, leaf, more ? &sum : NULL);
        if (taken) {
            *unit = (uint32_t)x->n_units - 1;
            return true;
        }
    }
    return false;
}

/* In the end the rules decide whom it hits; but where nobody at all can be taken from, there is nothing to search. */
bool search_gives(struct sched *s, struct quota_state *q, struct search *x)
{
    for (queue_id i = 0; i < q->n_queues; i++)
        if (line_length(q->leaf[i].running) > 0 && is_victim_leaf(s, x, i) && may_be_taken_from(s, q, x, i))
            return true;
    return false;
}

void search_victims(struct sched *s, struct quota_state *q, struct search *x)
{
    x->stamp++;
    x->n_units = x->n_victims = x->n_back = x->n_links = x->tried = 0;
    x->freed_milli = 0;
    order_begin(&q->victims);
    for (queue_id i = 0; i < q->n_queues; i++) {
        if (!is_victim_leaf(s, x, i) || line_length(q->leaf[i].running) == 0)
            continue;
        memset(&x->leaf[i], 0, sizeof x->leaf[i]);
        struct quota_amount sum;
        if (line_victim(s, q, x, i) && leaf_next(s, q, x, i, &sum))
            order_add(&q->victims, i, &sum);
    }
    order_make(&q->victims);
}
