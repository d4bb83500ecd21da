/* order.c - see order.h. */
#include "policies/kai/queues/order.h"
#include "policies/kai/quota.h"
#include "sim/contract/util/heap.h"

void order_new(struct sched *s, struct order *o, struct quota_state *q, bool victims)
{
    size_t n = q->n_queues + (size_t)1;
    *o = (struct order){ .q = q, .victims = victims };
    o->node = sched_alloc(s, n * sizeof *o->node);
    o->heap = sched_alloc(s, n * sizeof *o->heap);
    o->active = sched_alloc(s, n * sizeof *o->active);
}

static void save_now(struct order *o, uint32_t i)
{
    o->saved[o->n_saved++] = (struct order_saved){ i, o->node[i] };
    o->node[i].marked = o->mark;
}

/* Before a node of a marked order changes. */
static inline void save(struct order *o, uint32_t i)
{
    if (o->mark && o->node[i].marked != o->mark)
        save_now(o, i);
}

static uint32_t parent_of(const struct order *o, queue_id i)
{
    return o->q->queue[i].parent == ID_NONE ? o->q->n_queues : o->q->queue[i].parent;
}

static struct order_entry entry_of(const struct order *o, queue_id i)
{
    return (struct order_entry){ o->node[i].standing.rank, o->node[i].standing.with, i };
}

static void stand_anew(const struct order *o, struct order_node *n, queue_id i)
{
    quota_stand(&n->standing, &o->q->queue[i], NULL, &n->amount, &o->q->total);
    n->less = quota_lessened(&n->standing, &o->q->total);
}

/* With one leaf alone nothing is compared. */
static void stand(struct order *o, queue_id i, const struct quota_amount *amount)
{
    struct order_node *n = &o->node[i];
    save(o, i);
    n->amount = *amount;
    if (!o->compares)
        return;
    if (!o->victims)
        quota_stand(&n->standing, &o->q->queue[i], &n->amount, NULL, &o->q->total);
    else if (!n->stands)
        stand_anew(o, n, i);
    else
        quota_standing_less(&n->standing, &n->amount, &o->q->total);
    n->stands = o->victims;
    if (n->in)
        o->heap[o->q->first[parent_of(o, i)] + n->at] = entry_of(o, i);
}

bool order_above_tied(const struct order *o, const struct order_entry *a,
                      const struct order_entry *b)
{
    const struct order_entry *x = o->victims ? b : a, *y = o->victims ? a : b;
    return quota_tie_before(&o->node[x->queue].standing, &o->node[y->queue].standing);
}

static bool above(const struct order *o, const struct order_entry *a, const struct order_entry *b)
{
    return order_above(o, a, b);
}

static void placed(struct order *o, const struct order_entry *e, size_t at)
{
    save(o, e->queue);
    o->node[e->queue].at = (uint32_t)at;
}

HEAP_DEFINE(siblings, struct order_entry, struct order, above, placed);

/* A queue that has fallen from the top mostly falls far. Where quotas are of several measures a before b and b before c do
 * not tell about a and c: then which queue is on top depends on how the heap was made, so all sift this way. */
static void sift(struct order *o, uint32_t parent, uint32_t at)
{
    struct order_entry *heap = &o->heap[o->q->first[parent]];
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
    save(o, i);
    save(o, parent);
    if (!o->node[i].listed)
        o->active[o->n_active++] = i;
    o->node[i].listed = o->node[i].in = true;
    siblings_put(o, &o->heap[o->q->first[parent]], o->node[parent].n++, entry_of(o, i));
}

void order_add(struct order *o, queue_id leaf, const struct quota_amount *amount)
{
    o->node[leaf].amount = *amount;
    o->n_leaves++;
    for (queue_id i = leaf; i != o->q->n_queues && !o->node[i].in; i = parent_of(o, i))
        enter(o, i);
}

void order_add_standing(struct order *o, queue_id leaf, const struct quota_amount *amount,
                        const struct quota_standing *standing)
{
    o->node[leaf].standing = *standing;
    o->node[leaf].stands = true;
    order_add(o, leaf, amount);
}

/* A node's first child stands for it; the root is compared with nothing. */
static void settle(struct order *o, uint32_t i)
{
    if (o->node[i].n && i != o->q->n_queues)
        stand(o, i, &o->node[o->heap[o->q->first[i]].queue].amount);
}

static void make_heap(struct order *o, uint32_t i)
{
    for (uint32_t k = 0; k < o->node[i].n; k++) {
        queue_id child = o->heap[o->q->first[i] + k].queue;
        if (o->node[child].n)
            make_heap(o, child);
        else if (o->victims || !o->node[child].stands)
            stand(o, child, &o->node[child].amount);
        else
            o->node[child].stands = false;    /* until now */
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
        i = o->heap[o->q->first[i]].queue;
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
            save(o, i);
            save(o, parent);
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

void order_set_standing(struct order *o, queue_id leaf, const struct quota_amount *amount,
                        const struct quota_standing *standing)
{
    struct order_node *n = &o->node[leaf];
    save(o, leaf);
    n->amount = *amount;
    n->standing = *standing;
    if (n->in)
        o->heap[o->q->first[parent_of(o, leaf)] + n->at] = entry_of(o, leaf);
    move_up(o, leaf, true);
}

void order_refresh(struct order *o, queue_id i)
{
    o->node[i].stands = false;
    if (o->node[i].in) {
        stand(o, i, &o->node[i].amount);
        move_up(o, i, true);
    }
}

void order_mark(struct sched *s, struct order *o)
{
    size_t n = o->q->n_queues + (size_t)1;
    o->saved = o->saved ? o->saved : sched_alloc(s, n * sizeof *o->saved);
    o->mark = ++o->n_marks;
    o->n_saved = 0;
    o->active_before = o->n_active;
}

/* What a place of a heap held before was moved, or taken out, and so is saved. */
void order_rollback(struct order *o)
{
    for (size_t k = 0; k < o->n_saved; k++)
        o->node[o->saved[k].i] = o->saved[k].node;
    for (size_t k = 0; k < o->n_saved; k++) {
        uint32_t i = o->saved[k].i;
        if (o->node[i].in)
            o->heap[o->q->first[parent_of(o, i)] + o->node[i].at] = entry_of(o, i);
    }
    if (o->mark)
        o->n_active = o->active_before;
    o->n_saved = 0;
    o->mark = 0;
}

/* ---- All before a bound ---- */
bool order_is_flat(const struct order *o)
{
    const struct quota_state *q = o->q;
    return q->one_measure && q->first[q->n_queues + 1] - q->first[q->n_queues] == q->n_queues;
}

void order_scan_begin(struct order_scan *scan, const struct order *o)
{
    uint32_t root = o->q->n_queues;
    scan->o = o;
    scan->heap = &o->heap[o->q->first[root]];
    scan->in_heap = o->node[root].n;
    scan->next[0] = 0;
    scan->n = 1;
}

/* ---- A walk ---- */

void order_walk_new(struct sched *s, struct order_walk *w, const struct quota_state *q)
{
    size_t n = q->n_queues + (size_t)1;
    w->begun = sched_alloc(s, n * sizeof *w->begun);
    w->n = sched_alloc(s, n * sizeof *w->n);
    w->step = sched_alloc(s, n * sizeof *w->step);
    w->amount = sched_alloc(s, n * sizeof *w->amount);
}

void order_walk_begin(struct order_walk *w, const struct order *o)
{
    w->o = o;
    w->number++;
}

static bool step_above(const struct order_walk *w, const struct order_step *a,
                       const struct order_step *b)
{
    return order_above(w->o, &a->entry, &b->entry);
}

HEAP_DEFINE(steps, struct order_step, const struct order_walk, step_above, HEAP_NOT_PLACED);

/* The entry at that place of the heap of node i may be next. */
static void reach(struct order_walk *w, uint32_t i, uint32_t at)
{
    uint32_t first = w->o->q->first[i];
    if (at < w->o->node[i].n)
        steps_push(w, &w->step[first], w->n[i]++,
                   (struct order_step){ w->o->heap[first + at], at });
}

queue_id order_walk_top(struct order_walk *w)
{
    uint32_t i = w->o->q->n_queues, root = i;
    while (w->o->node[i].n) {
        if (w->begun[i] != w->number) {
            w->begun[i] = w->number;
            w->n[i] = 0;
            reach(w, i, 0);
        }
        if (w->n[i] == 0)
            return ID_NONE;
        i = w->step[w->o->q->first[i]].entry.queue;
    }
    return i == root ? ID_NONE : i;
}

struct order_entry order_entry_with(const struct order *o, queue_id i,
                                    const struct quota_amount *amount)
{
    const struct quota_standing *now = &o->node[i].standing;
    return (struct order_entry){
        now->rank, o->compares ? quota_share_without(now, amount, &o->q->total) : now->with, i
    };
}

void order_walk_set(struct order_walk *w, queue_id top, const struct quota_amount *amount)
{
    const struct order *o = w->o;
    uint32_t parent;
    for (queue_id i = top; i != o->q->n_queues; i = parent) {
        parent = parent_of(o, i);
        struct order_step *step = &w->step[o->q->first[parent]];
        uint32_t at = step->at;
        if (amount) {
            w->amount[i] = *amount;
            *step = (struct order_step){ order_entry_with(o, i, amount), ID_NONE };
            steps_down_far(w, step, w->n[parent], 0);
        } else {
            steps_pop(w, step, w->n[parent]--);
        }
        for (uint32_t below = 2 * at + 1; at != ID_NONE && below <= 2 * at + 2; below++)
            reach(w, parent, below);
        const struct order_step *next = w->n[parent] ? step : NULL;
        amount = !next                 ? NULL
                 : next->at == ID_NONE ? &w->amount[next->entry.queue]
                                       : &o->node[next->entry.queue].amount;
    }
}
