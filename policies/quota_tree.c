/* quota_tree.c - the shares of the queues as of now, and who is next among them. */
#include "policies/quota.h"

#include <math.h>

/* ---- Shares ---- */

static void refresh_one(const struct sched *s, struct quota_queue *q, queue_id i)
{
    struct quota_amount held = quota_amount(queue_held(s, i)), firm = quota_amount(queue_held_firm(s, i)),
                        pending = quota_amount(queue_pending(s, i));
    for (int r = 0; r < Q_RESOURCES; r++) {
        q->of[r].allocated = held.of[r];
        q->of[r].firm = firm.of[r];
        q->of[r].request = held.of[r] + pending.of[r];
    }
}

void quota_refresh(struct sched *s, struct quota_state *q, queue_id leaf)
{
    for (queue_id i = leaf; i != ID_NONE; i = q->queue[i].parent)
        refresh_one(s, &q->queue[i], i);
}

void quota_refresh_all(struct sched *s, struct quota_state *q)
{
    for (queue_id i = 0; i < q->n_queues; i++)
        refresh_one(s, &q->queue[i], i);
}

/* Of nodes that are up. Where CPUs or memory are not modelled there is no end of them. */
static struct quota_amount capacity_of(struct sched *s)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    node_id first, end;
    view_domain_nodes(v, 0, &first, &end);
    struct quota_amount sum = { { 0 } };
    for (node_id n = first; n < end; n++) {
        if (!sched_node_up(s, n))
            continue;
        struct quota_amount size = quota_amount(view_node_size(v, n));
        for (int r = 0; r < Q_RESOURCES; r++)
            sum.of[r] = size.of[r] == INT64_MAX || sum.of[r] == INT64_MAX / 4 ? INT64_MAX / 4 : sum.of[r] + size.of[r];
    }
    return sum;
}

static void order_new(struct sched *s, struct quota_state *q, struct order *o, bool victims)
{
    *o = (struct order){ .q = q, .victims = victims };
    o->node = sched_alloc(s, (q->n_queues + (size_t)1) * sizeof *o->node);
    o->heap = sched_alloc(s, (q->n_queues + (size_t)1) * sizeof *o->heap);
    o->active = sched_alloc(s, (q->n_queues + (size_t)1) * sizeof *o->active);
}

void quota_tree_begin(struct sched *s, struct quota_state *q)
{
    uint32_t n = q->n_queues = queue_count(s);
    q->queue = sched_alloc(s, n * sizeof *q->queue);
    q->taker = sched_alloc(s, n * sizeof *q->taker);
    q->loss = sched_alloc(s, n * sizeof *q->loss);
    q->first = sched_alloc(s, (n + (size_t)2) * sizeof *q->first);
    for (queue_id i = 0; i < n; i++) {
        const struct queue_facts *f = queue_facts(s, i);
        struct quota_amount deserved = quota_amount(f->quota.deserved), limit = quota_amount(f->quota.limit);
        const double weight[Q_RESOURCES] = { f->weight, f->cpu_weight, f->mem_weight };
        q->queue[i] = (struct quota_queue){ .priority = f->priority, .parent = f->parent };
        for (int r = 0; r < Q_RESOURCES; r++)
            q->queue[i].of[r] = (struct quota_share){ .deserved = deserved.of[r], .limit = limit.of[r], .weight = weight[r] };
        q->first[(f->parent == ID_NONE ? n : f->parent) + 1]++;
    }
    for (uint32_t i = 0; i <= n; i++)
        q->first[i + 1] += q->first[i];
    q->top = quota_arrange(q->queue, n);
    q->total = capacity_of(s);
    order_new(s, q, &q->jobs, false);
    order_new(s, q, &q->victims, true);
    order_new(s, q, &q->again, false);
}

void quota_capacity_changed(struct sched *s, struct quota_state *q)
{
    q->total = capacity_of(s);
    q->divided = false;
}

void quota_divide_now(struct sched *s, struct quota_state *q)
{
    if (q->divided)
        return;
    q->divided = true;
    for (queue_id i = 0; q->params->half_life_h > 0 && i < q->n_queues; i++) {
        struct leaf *l = &q->leaf[i];
        double past_s = (double)(sched_now(s) - l->settled_ns) / 1e9, half_life_s = q->params->half_life_h * 3600;
        double kept = exp2(-past_s / half_life_s);
        l->used = l->used * kept + (double)l->settled_milli / MILLI_ALL * half_life_s / M_LN2 * (1 - kept);
        l->settled_ns = sched_now(s);
        l->settled_milli = q->queue[i].of[Q_GPU].allocated;
        q->queue[i].of[Q_GPU].usage = l->used / ((double)q->total.of[Q_GPU] / MILLI_ALL * half_life_s / M_LN2);
    }
    quota_divide_tree(q->queue, q->top, &q->total, q->params->k, q->taker);
    for (queue_id i = 0; i < q->n_queues; i++)
        queue_fair_share(s, i, (struct amount){ q->queue[i].of[Q_GPU].fair, q->queue[i].of[Q_CPU].fair, q->queue[i].of[Q_MEM].fair });
}

/* ---- Order ---- */

static uint32_t parent_of(const struct order *o, queue_id i)
{
    return o->q->queue[i].parent == ID_NONE ? o->q->n_queues : o->q->queue[i].parent;
}

static void stand(struct order *o, queue_id i, const struct quota_amount *amount)
{
    struct order_node *n = &o->node[i];
    n->amount = *amount;
    if (o->n_leaves > 1 && i < o->q->n_queues)
        n->standing = quota_standing(&o->q->queue[i], o->victims ? NULL : &n->amount, o->victims ? &n->amount : NULL, &o->q->total);
}

static bool above(const struct order *o, queue_id a, queue_id b)
{
    const struct quota_standing *x = &o->node[a].standing, *y = &o->node[b].standing;
    return o->victims ? quota_goes_before(y, x) : quota_goes_before(x, y);
}

static void sift(struct order *o, uint32_t parent, uint32_t i)
{
    queue_id *heap = &o->heap[o->q->first[parent]], moved = heap[i];
    uint32_t n = o->node[parent].n;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && above(o, heap[child + 1], heap[child]))
            child++;
        if (!above(o, heap[child], moved))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

void order_begin(struct order *o)
{
    while (o->n_active)
        o->node[o->active[--o->n_active]] = (struct order_node){ .active = false };
    o->node[o->q->n_queues].n = 0;
    o->n_leaves = 0;
}

void order_add(struct order *o, queue_id leaf, const struct quota_amount *amount)
{
    o->node[leaf].amount = *amount;
    o->n_leaves++;
    for (queue_id i = leaf; i != o->q->n_queues && !o->node[i].active; i = parent_of(o, i)) {
        o->node[i].active = true;
        o->active[o->n_active++] = i;
        uint32_t parent = parent_of(o, i);
        o->heap[o->q->first[parent] + o->node[parent].n++] = i;
    }
}

/* A node's first child stands for it. */
static void settle(struct order *o, uint32_t i)
{
    if (o->node[i].n)
        stand(o, i, &o->node[o->heap[o->q->first[i]]].amount);
}

static void make_heap(struct order *o, uint32_t i)
{
    for (uint32_t k = 0; k < o->node[i].n; k++) {
        queue_id child = o->heap[o->q->first[i] + k];
        if (o->node[child].n)
            make_heap(o, child);
        else
            stand(o, child, &o->node[child].amount);
    }
    for (uint32_t k = o->node[i].n / 2; k-- > 0;)
        sift(o, i, k);
    settle(o, i);
}

void order_make(struct order *o)
{
    make_heap(o, o->q->n_queues);
}

queue_id order_top(const struct order *o)
{
    uint32_t i = o->q->n_queues;
    while (o->node[i].n)
        i = o->heap[o->q->first[i]];
    return i == o->q->n_queues ? ID_NONE : i;
}

void order_next(struct order *o, queue_id leaf, const struct quota_amount *amount)
{
    if (amount)
        stand(o, leaf, amount);
    bool gone = !amount;
    for (queue_id i = leaf; i != o->q->n_queues;) {
        uint32_t parent = parent_of(o, i);
        queue_id *heap = &o->heap[o->q->first[parent]];
        if (gone)
            heap[0] = heap[--o->node[parent].n];
        gone = o->node[parent].n == 0;
        if (!gone) {
            sift(o, parent, 0);
            settle(o, parent);
        }
        i = parent;
    }
}
