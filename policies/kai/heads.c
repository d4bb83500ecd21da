/* heads.c - see heads.h. */
#include "policies/kai/heads.h"
#include "sim/contract/util/heap.h"

/* An open shape, and how far its order has been read: order.entry[at] is next. */
struct open_shape { shape_id shape; size_t at; };

/* In that pass: the shape of the first open head of a leaf. ID_NONE: it has none, or has had its turn. */
struct open_head { uint64_t pass; shape_id shape; };

/* Its place in an order is old. While the heads of the leaf have not moved, one of the shape `before` stands
 * before this one; ID_NONE: not known. */
struct unordered_leaf { queue_id leaf; shape_id before; uint64_t moved; };

/* So many are put off in an order: to look through them in each pass is cheap. */
enum { MOST_PUT_OFF = 256 };

bool heads_apply(const struct quota_state *q)
{
    return q->n_queues > 1 && quota_is_plain(q) && !q->budgets && order_is_flat(&q->jobs);
}

/* ---- The first open head of a leaf ---- */

static bool is_open(const struct quota_state *q, shape_id shape)
{
    return q->open_bits & quota_shape_bit(shape) && q->check[shape].opened_in == q->pass;
}

static shape_id find_open(struct sched *s, const struct quota_state *q, queue_id leaf)
{
    struct leaf *l = &q->leaf[leaf];
    leaf_heads(s, l);
    for (uint32_t at = 0; at < l->n_heads; at++)
        if (is_open(q, l->head_shape[at]))
            return l->head_shape[at];
    return ID_NONE;
}

/* Where bits say that it has one open shape, nothing of the leaf is read, which is in no near cache. */
static inline shape_id open_of(struct sched *s, const struct quota_state *q, queue_id leaf)
{
    struct open_head *open = &q->open_head[leaf];
    if (open->pass == q->pass)
        return open->shape;
    uint64_t bits = q->asks[leaf] & q->open_bits;
    bool one = bits && !(bits & (bits - 1)) && (bits & q->lone_bits);
    open->pass = q->pass;
    open->shape = one ? q->open_by_bit[__builtin_ctzll(bits)] : bits ? find_open(s, q, leaf) : ID_NONE;
    return open->shape;
}

/* ---- Orders ---- */

static struct leaf_shape *shape_of(struct leaf *l, shape_id shape)
{
    struct leaf_shape *at = l->shape;
    while (at->shape != shape)
        at++;
    return at;
}

static struct shape_head *head_of(struct sched *s, struct leaf *l, shape_id shape)
{
    size_t at = 0;
    leaf_heads(s, l);
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
            check->unordered[check->n_unordered++] = (struct unordered_leaf){ leaf, ID_NONE, 0 };
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
    struct kept_entry now = kept_entry_of(leaf_standing(q, leaf, head_of(s, l, shape)), leaf);
    if (!here->ordered)
        here->about = (uint32_t)kept_insert(sched_alloc, s, order, &now);
    else if (!kept_same(&here->more->entry, &now))
        here->about = (uint32_t)kept_move(order, &here->more->entry, here->about, &now);
    here->ordered = true;
    here->more->entry = now;
}

/* Leaves that stand with the shape in this pass, and those where nothing waits for it. Others may
 * come to stand with it only when a shape is not open that is now, or their heads move. */
static void order_changed(struct sched *s, struct quota_state *q, shape_id shape)
{
    struct admission_check *check = &q->check[shape];
    bool all = check->n_unordered > MOST_PUT_OFF;
    size_t n = 0;
    for (size_t i = 0; i < check->n_unordered; i++) {
        struct unordered_leaf u = check->unordered[i];
        uint64_t moved = q->heads_moved[u.leaf];
        bool behind = u.before != ID_NONE && u.moved == moved && is_open(q, u.before);
        shape_id first = all || behind ? ID_NONE : open_of(s, q, u.leaf);
        if (!all && behind)
            check->unordered[n++] = u;
        else if (first != ID_NONE && first != shape)
            check->unordered[n++] = (struct unordered_leaf){ u.leaf, first, moved };
        else
            order_leaf(s, q, shape, u.leaf);
    }
    check->n_unordered = n;
}

/* ---- What is open ---- */

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
    q->open_bits = 0;
    uint64_t seen = 0, shared = 0;
    for (size_t i = 0; i < q->n_asked; i++) {
        struct admission_check *check = &q->check[q->asked[i]];
        shared |= seen & quota_shape_bit(q->asked[i]);
        seen |= quota_shape_bit(q->asked[i]);
        if (quota_has_failed(q, check, check->min_tasks) || !quota_one_fits(s, q, q->asked[i]))
            continue;
        check->opened_in = q->pass;
        q->open_bits |= quota_shape_bit(q->asked[i]);
        q->open_by_bit[q->asked[i] % 64] = q->asked[i];
        q->open_shape = array_grown(sched_alloc, s, q->open_shape, &q->open_shapes_capacity,
                                    q->n_open_shapes, sizeof *q->open_shape);
        q->open_shape[q->n_open_shapes++] = (struct open_shape){ q->asked[i], 0 };
    }
    q->lone_bits = ~shared;
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

void heads_order(struct sched *s, struct quota_state *q)
{
    q->one_open = ID_NONE;
    q->heads_ordered = q->pass;
    pass_on_changes(s, q);
    for (size_t i = 0; i < q->n_open_shapes; i++)
        order_changed(s, q, q->open_shape[i].shape);
    shapes_make(q, q->open_shape, q->n_open_shapes);
}

/* Nothing was put in order: the only leaf, if there is one, until it has had its turn. */
static queue_id only_top(struct sched *s, struct quota_state *q, struct shape_head **head)
{
    queue_id leaf = q->one_open;
    if (leaf == ID_NONE)
        return ID_NONE;
    shape_id open = open_of(s, q, leaf);
    if (open == ID_NONE)
        return ID_NONE;
    *head = head_of(s, &q->leaf[leaf], open);
    return leaf;
}

static uint64_t unfailed(struct quota_state *q)
{
    if (q->unfailed_in == q->pass && q->unfailed_noted == q->noted)
        return q->unfailed;
    q->unfailed = 0;
    q->unfailed_in = q->pass;
    q->unfailed_noted = q->noted;
    for (size_t i = 0; i < q->n_asked; i++) {
        const struct admission_check *check = &q->check[q->asked[i]];
        if (!quota_has_failed(q, check, check->min_tasks))
            q->unfailed |= quota_shape_bit(q->asked[i]);
    }
    return q->unfailed;
}

/* To the next leaf of the order, from this one on, that stands with its shape. Where that has failed,
 * which has been answered for, and so have all other heads of a leaf, its turn would change nothing. */
static void next_standing(struct sched *s, struct quota_state *q, struct open_shape *o)
{
    const struct admission_check *check = &q->check[o->shape];
    const struct kept_order *order = &check->order;
    bool failed = quota_some_feasible(q) && quota_has_failed(q, check, check->min_tasks);
    uint64_t left = failed ? unfailed(q) : UINT64_MAX;
    for (; o->at < order->n; o->at++) {
        queue_id leaf = order->entry[o->at].leaf;
        if (q->asks[leaf] & left && open_of(s, q, leaf) == o->shape)
            return;
    }
}

queue_id heads_top(struct sched *s, struct quota_state *q, const struct kept_entry **entry,
                   struct shape_head **head)
{
    if (q->heads_ordered != q->pass)
        return only_top(s, q, head);
    struct open_shape *first = q->open_shape;
    while (q->n_open_shapes && (*entry = next_of(q, first))) {
        size_t at = first->at;
        next_standing(s, q, first);
        if (first->at == at) {
            *head = head_of(s, &q->leaf[(*entry)->leaf], first->shape);
            return (*entry)->leaf;
        }
        if (q->n_open_shapes > 1)
            shapes_down(q, first, q->n_open_shapes, 0);
    }
    return ID_NONE;
}

void heads_met(struct quota_state *q, queue_id leaf)
{
    q->open_head[leaf] = (struct open_head){ q->pass, ID_NONE };
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
