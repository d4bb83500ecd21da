/* order.c - the next leaf over the tree of queues: heaps of siblings, in which a queue stands for
 * the best leaf below it. */
#include "policies/kai/quota.h"
#include "sim/contract/util/heap.h"

#include <string.h>

void order_new(struct sched *s, struct order *o, struct quota_state *q, bool victims)
{
    size_t n = q->n_queues + (size_t)1;
    *o = (struct order){ .q = q, .victims = victims };
    o->node = sched_alloc(s, n * sizeof *o->node);
    o->heap = sched_alloc(s, n * sizeof *o->heap);
    o->active = sched_alloc(s, n * sizeof *o->active);
}

static uint32_t parent_of(const struct order *o, queue_id i)
{
    return o->q->queue[i].parent == ID_NONE ? o->q->n_queues : o->q->queue[i].parent;
}

/* With one leaf alone nothing is compared. */
static void stand(struct order *o, queue_id i, const struct quota_amount *amount)
{
    struct order_node *n = &o->node[i];
    n->amount = *amount;
    if (!o->compares || i == o->q->n_queues)
        return;
    if (!o->victims)
        n->standing = quota_standing(&o->q->queue[i], &n->amount, NULL, &o->q->total);
    else if (!n->stands)
        n->standing = quota_standing(&o->q->queue[i], NULL, &n->amount, &o->q->total);
    else
        quota_standing_less(&n->standing, &n->amount, &o->q->total);
    n->stands = o->victims;
}

static bool above(const struct order *o, const queue_id *a, const queue_id *b)
{
    const struct quota_standing *x = &o->node[o->victims ? *b : *a].standing,
                                *y = &o->node[o->victims ? *a : *b].standing;
    if (x->rank == y->rank && x->with != y->with)
        return x->with < y->with;
    return quota_goes_before(x, y);
}

static void placed(struct order *o, const queue_id *i, size_t at)
{
    o->node[*i].at = (uint32_t)at;
}

HEAP_DEFINE(siblings, queue_id, struct order, above, placed);

/* A queue that has fallen from the top mostly falls far. */
static void sift(struct order *o, uint32_t parent, uint32_t at)
{
    queue_id *heap = &o->heap[o->q->first[parent]];
    if (at > 0 && above(o, &heap[at], &heap[(at - 1) / 2]))
        siblings_up(o, heap, at);
    else
        siblings_down_far(o, heap, o->node[parent].n, at);
}

void order_begin(struct order *o)
{
    while (o->n_active)
        o->node[o->active[--o->n_active]] = (struct order_node){ 0 };
    o->node[o->q->n_queues].n = 0;
    o->n_leaves = 0;
    o->compares = false;
}

static void enter(struct order *o, queue_id i)
{
    uint32_t parent = parent_of(o, i);
    if (!o->node[i].listed)
        o->active[o->n_active++] = i;
    o->node[i].listed = o->node[i].in = true;
    siblings_put(o, &o->heap[o->q->first[parent]], o->node[parent].n++, i);
}

void order_add(struct order *o, queue_id leaf, const struct quota_amount *amount)
{
    o->node[leaf].amount = *amount;
    o->n_leaves++;
    for (queue_id i = leaf; i != o->q->n_queues && !o->node[i].in; i = parent_of(o, i))
        enter(o, i);
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
    siblings_make(o, &o->heap[o->q->first[i]], o->node[i].n);
    settle(o, i);
}

void order_make(struct order *o)
{
    o->compares = o->n_leaves > 1;
    make_heap(o, o->q->n_queues);
}

queue_id order_top(const struct order *o)
{
    uint32_t i = o->q->n_queues;
    while (o->node[i].n)
        i = o->heap[o->q->first[i]];
    return i == o->q->n_queues ? ID_NONE : i;
}

/* The amount of a queue, or of one below it, has changed. */
static void move_up(struct order *o, queue_id i, bool there)
{
    for (; i != o->q->n_queues; i = parent_of(o, i)) {
        uint32_t parent = parent_of(o, i);
        if (there && !o->node[i].in)
            enter(o, i);
        if (there) {
            sift(o, parent, o->node[i].at);
        } else if (o->node[i].in) {
            o->node[i].in = false;
            siblings_remove(o, &o->heap[o->q->first[parent]], o->node[parent].n--, o->node[i].at);
        }
        there = o->node[parent].n > 0;
        settle(o, parent);
    }
}

void order_set(struct order *o, queue_id leaf, const struct quota_amount *amount)
{
    if (amount)
        stand(o, leaf, amount);
    move_up(o, leaf, amount);
}

void order_refresh(struct order *o, queue_id i)
{
    o->node[i].stands = false;
    if (o->node[i].in) {
        stand(o, i, &o->node[i].amount);
        move_up(o, i, true);
    }
}

void order_copy(struct order *to, const struct order *from)
{
    size_t n = from->q->n_queues + (size_t)1;
    memcpy(to->node, from->node, n * sizeof *to->node);
    memcpy(to->heap, from->heap, n * sizeof *to->heap);
    memcpy(to->active, from->active, from->n_active * sizeof *to->active);
    to->n_active = from->n_active;
    to->compares = from->compares;
}
