/* heads.c - see heads.h. */
#include "policies/kai/heads.h"
#include "sim/contract/util/heap.h"

/* An open shape, and how far its order has been read: order.entry[at] is next. */
struct open_shape { shape_id shape; size_t at; };

/* In that pass: the shape of the first open head of a leaf, and which head that is. ID_NONE: the
 * leaf has had its turn. */
struct open_head { uint64_t pass; shape_id shape; uint32_t head; };

bool heads_apply(const struct quota_state *q)
{
    return q->n_queues > 1 && quota_is_plain(q) && !q->budgets && order_is_flat(&q->jobs);
}

/* ---- Orders ---- */

static struct leaf_shape *shape_of(struct leaf *l, shape_id shape)
{
    struct leaf_shape *at = l->shape;
    while (at->shape != shape)
        at++;
    return at;
}

static struct shape_head *head_of(struct leaf *l, shape_id shape)
{
    size_t at = 0;
    while (l->head_shape[at] != shape)
        at++;
    return &l->head[at];
}

/* Of thousands of leaves few are in a near cache: prefetch of the leaf of the change after the next, then its shapes. */
static inline void fetch_ahead(const struct quota_state *q)
{
    size_t left = q->n_heads_changed;
    if (left > 4)
        __builtin_prefetch(&q->leaf[q->heads_changed[left - 5]]);
    if (left > 1)
        __builtin_prefetch(q->leaf[q->heads_changed[left - 2]].shape);
}

/* Each shape gets to know the leaves that may stand elsewhere in its order. */
static void pass_on_changes(struct sched *s, struct quota_state *q)
{
    while (q->n_heads_changed) {
        queue_id leaf = q->heads_changed[--q->n_heads_changed];
        struct leaf *l = &q->leaf[leaf];
        fetch_ahead(q);
        l->heads_changed = false;
        for (size_t i = 0; i < l->n_shapes; i++) {
            struct admission_check *check = &q->check[l->shape[i].shape];
            if (l->shape[i].unordered || (!l->shape[i].waiting && !l->shape[i].ordered))
                continue;
            l->shape[i].unordered = true;
            check->unordered = array_grown(sched_alloc, s, check->unordered,
                                           &check->unordered_capacity, check->n_unordered,
                                           sizeof *check->unordered);
            check->unordered[check->n_unordered++] = leaf;
        }
    }
}

static void order_leaf(struct sched *s, struct quota_state *q, shape_id shape, queue_id leaf)
{
    struct leaf *l = &q->leaf[leaf];
    struct leaf_shape *here = shape_of(l, shape);
    struct kept_order *order = &q->check[shape].order;
    here->unordered = false;
    if (!here->waiting) {
        if (here->ordered)
            kept_remove(order, &here->more->entry, here->about);
        here->ordered = false;
        return;
    }
    leaf_heads(s, l);
    struct kept_entry now = kept_entry_of(leaf_standing(q, leaf, head_of(l, shape)), leaf);
    if (!here->ordered)
        here->about = (uint32_t)kept_insert(sched_alloc, s, order, &now);
    else if (!kept_same(&here->more->entry, &now))
        here->about = (uint32_t)kept_move(order, &here->more->entry, here->about, &now);
    here->ordered = true;
    here->more->entry = now;
}

/* ---- What is open ---- */

static bool is_open(const struct quota_state *q, shape_id shape)
{
    return q->check[shape].opened_in == q->pass;
}

/* In some leaf that this pass has not acted on no open head stands before the one of this shape. */
static bool is_looked_at(struct sched *s, struct quota_state *q, shape_id shape)
{
    const struct admission_check *check = &q->check[shape];
    for (size_t i = 0; i < check->n_leaves; i++) {
        struct leaf *l = &q->leaf[check->leaf[i]];
        if (l->acted == q->pass)
            continue;
        leaf_heads(s, l);
        const shape_id *h = l->head_shape;
        while (*h != shape && !is_open(q, *h))
            h++;
        if (*h == shape)
            return true;
    }
    return false;
}

/* How many leaves, of those that the pass has not acted on, have an open head; 2: or more. *one: the
 * first of them. */
static uint32_t open_leaves(const struct quota_state *q, queue_id *one)
{
    *one = ID_NONE;
    for (size_t i = 0; i < q->n_open_shapes; i++) {
        const struct admission_check *check = &q->check[q->open_shape[i].shape];
        for (size_t k = 0; k < check->n_leaves; k++) {
            if (q->leaf[check->leaf[k]].acted == q->pass || check->leaf[k] == *one)
                continue;
            if (*one != ID_NONE)
                return 2;
            *one = check->leaf[k];
        }
    }
    return *one != ID_NONE;
}

uint32_t heads_begin(struct sched *s, struct quota_state *q)
{
    if (!q->open_head)
        q->open_head = sched_alloc(s, q->n_queues * sizeof *q->open_head);
    q->n_open_shapes = 0;
    for (size_t i = 0; i < q->n_asked; i++) {
        struct admission_check *check = &q->check[q->asked[i]];
        if (quota_has_failed(q, check, check->min_tasks) || !quota_one_fits(s, q, q->asked[i]))
            continue;
        check->opened_in = q->pass;
        q->open_shape = array_grown(sched_alloc, s, q->open_shape, &q->open_shapes_capacity,
                                    q->n_open_shapes, sizeof *q->open_shape);
        q->open_shape[q->n_open_shapes++] = (struct open_shape){ q->asked[i], 0 };
    }
    for (size_t i = 0; i < q->n_asked; i++) {
        struct admission_check *check = &q->check[q->asked[i]];
        if (!quota_has_failed(q, check, check->min_tasks) && check->opened_in != q->pass &&
            is_looked_at(s, q, q->asked[i]))
            quota_shape_failed(q, check);
    }
    for (size_t i = 0; i < q->n_acted; i++)
        heads_met(q, q->acted[i]);
    return open_leaves(q, &q->one_open);
}

/* ---- The merge ---- */

static const struct kept_entry *next_of(const struct quota_state *q, const struct open_shape *o)
{
    const struct kept_order *order = &q->check[o->shape].order;
    return o->at < order->n ? &order->entry[o->at] : NULL;
}

/* Those that are read to their end come last. */
static bool next_before(const struct quota_state *q, const struct open_shape *a,
                        const struct open_shape *b)
{
    const struct kept_entry *x = next_of(q, a), *y = next_of(q, b);
    return x && (!y || kept_before(x, y));
}

HEAP_DEFINE(shapes, struct open_shape, const struct quota_state, next_before, HEAP_NOT_PLACED);

/* Of a leaf with one, or that has had its turn. */
static const struct open_head *open_head_of(struct sched *s, struct quota_state *q, queue_id leaf)
{
    struct open_head *open = &q->open_head[leaf];
    if (open->pass == q->pass)
        return open;
    struct leaf *l = &q->leaf[leaf];
    uint32_t at = 0;
    leaf_heads(s, l);
    while (!is_open(q, l->head_shape[at]))
        at++;
    *open = (struct open_head){ q->pass, l->head_shape[at], at };
    return open;
}

/* A leaf that stands there with another of its heads, or not at all, is passed by wherever its entry
 * is: it is left as it is until more of them are. */
enum { LEFT_UNORDERED = 32 };

static void order_shape(struct sched *s, struct quota_state *q, shape_id shape)
{
    struct admission_check *check = &q->check[shape];
    size_t left = 0;
    for (size_t i = 0; i < check->n_unordered; i++) {
        queue_id leaf = check->unordered[i];
        if (left < LEFT_UNORDERED && shape_of(&q->leaf[leaf], shape)->waiting &&
            open_head_of(s, q, leaf)->shape != shape)
            check->unordered[left++] = leaf;
        else
            order_leaf(s, q, shape, leaf);
    }
    check->n_unordered = left;
}

void heads_order(struct sched *s, struct quota_state *q)
{
    q->one_open = ID_NONE;
    q->heads_ordered = q->pass;
    pass_on_changes(s, q);
    for (size_t i = 0; i < q->n_open_shapes; i++)
        order_shape(s, q, q->open_shape[i].shape);
    shapes_make(q, q->open_shape, q->n_open_shapes);
}

/* Nothing was put in order: the only leaf, if there is one, until it has had its turn. */
static queue_id only_top(struct sched *s, struct quota_state *q, struct shape_head **head)
{
    queue_id leaf = q->one_open;
    const struct open_head *open = leaf == ID_NONE ? NULL : open_head_of(s, q, leaf);
    if (!open || open->shape == ID_NONE)
        return ID_NONE;
    *head = &q->leaf[leaf].head[open->head];
    return leaf;
}

queue_id heads_top(struct sched *s, struct quota_state *q, const struct kept_entry **entry,
                   struct shape_head **head)
{
    if (q->heads_ordered != q->pass)
        return only_top(s, q, head);
    struct open_shape *first = q->open_shape;
    while (q->n_open_shapes && (*entry = next_of(q, first))) {
        queue_id leaf = (*entry)->leaf;
        const struct open_head *open = open_head_of(s, q, leaf);
        if (open->shape == first->shape) {
            *head = &q->leaf[leaf].head[open->head];
            return leaf;
        }
        first->at++;
        if (q->n_open_shapes > 1)
            shapes_down(q, first, q->n_open_shapes, 0);
    }
    return ID_NONE;
}

void heads_met(struct quota_state *q, queue_id leaf)
{
    q->open_head[leaf] = (struct open_head){ q->pass, ID_NONE, 0 };
}

bool heads_have_failed(const struct quota_state *q, queue_id leaf, const struct shape_head *from)
{
    const struct leaf *l = &q->leaf[leaf];
    for (const struct shape_head *h = from; h < l->head + l->n_heads; h++)
        if (!quota_has_failed(q, &q->check[h->shape], h->min_tasks))
            return false;
    return true;
}

/* The head of its shape has had its turn: jobs behind it remain. */
static bool remains(struct leaf *l, const struct shape_head *h, const struct shape_head *had_turn)
{
    return h != had_turn || shape_of(l, h->shape)->waiting > 1;
}

bool heads_end(struct sched *s, struct quota_state *q, queue_id leaf,
               const struct shape_head *after)
{
    struct leaf *l = &q->leaf[leaf];
    const struct shape_head *end = l->head + l->n_heads;
    for (const struct shape_head *h = after; h < end; h++)
        if (!quota_has_failed(q, &q->check[h->shape], h->min_tasks) && remains(l, h, after) &&
            quota_alike_fits(s, q, h->shape, h->job))
            return false;
    for (const struct shape_head *h = after; h < end; h++)
        if (!quota_has_failed(q, &q->check[h->shape], h->min_tasks) && remains(l, h, after))
            quota_shape_failed(q, &q->check[h->shape]);
    return true;
}
