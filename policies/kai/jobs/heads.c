/* heads.c - see heads.h. */
#include "policies/kai/jobs/heads.h"
#include "sim/contract/util/heap.h"

/* An open shape, and how far its order has been read: order.entry[at] is next. */
struct open_shape { shape_id shape; size_t at; };

/* In that pass: the shape of the first open head of a leaf. ID_NONE: it has none, or has had its turn. */
struct open_head { uint64_t pass; shape_id shape; };

/* A leaf that stands with another head, of the shape `before`; ID_NONE: not known. As of that change of
 * the leaf: when it changes again, it is looked at anew. */
struct put_off { struct change of; shape_id before; };

/* So many are put off in an order: to look through them in each pass is cheap. */
enum { MOST_PUT_OFF = 256 };

bool heads_apply(const struct quota_state *q)
{
    return q->n_queues > 1 && quota_is_plain(q) && !q->budgets && order_is_flat(&q->jobs);
}

/* ---- The first open head of a leaf ---- */

/* Mostly the check of the shape need not be read. */
static inline bool is_open(const struct quota_state *q, shape_id shape)
{
    uint64_t bit = quota_shape_bit(shape);
    if (!(q->open_bits & bit))
        return false;
    return q->lone_bits & bit ? q->open_by_bit[shape % 64] == shape
                              : q->check[shape].opened_in == q->pass;
}

static shape_id find_open(struct sched *s, const struct quota_state *q, queue_id leaf)
{
    struct leaf *l = &q->leaf[leaf];
    leaf_heads(s, q, l);
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

/* NULL: none waits whole for the shape. */
static struct shape_head *find_head(struct sched *s, const struct quota_state *q, queue_id leaf,
                                    shape_id shape)
{
    struct leaf *l = &q->leaf[leaf];
    leaf_heads(s, q, l);
    for (size_t at = 0; at < l->n_heads; at++)
        if (l->head_shape[at] == shape)
            return &l->head[at];
    return NULL;
}

/* Some job waits whole for the shape there. Mostly bits say so, and nothing of the leaf is read. */
static inline bool asks_for(struct sched *s, const struct quota_state *q, shape_id shape,
                            queue_id leaf)
{
    uint64_t bit = quota_shape_bit(shape);
    return q->asks[leaf] & bit && (q->lone_bits & bit || find_head(s, q, leaf, shape));
}

/* Plain jobs of one shape ask for as much: for the standing no head is read. */
static void order_leaf(struct sched *s, struct quota_state *q, shape_id shape, queue_id leaf)
{
    struct kept_order *order = &q->check[shape].order;
    if (asks_for(s, q, shape, leaf)) {
        struct quota_standing stands;
        quota_stand(&stands, &q->queue[leaf], &q->check[shape].min_ask, NULL, &q->total);
        struct kept_entry now = kept_entry_of(&stands, leaf);
        kept_put(sched_alloc, s, order, &now);
    } else if (kept_has(order, leaf)) {
        kept_drop(order, leaf);
    }
}

static void put_off(struct sched *s, struct admission_check *check, const struct change *of,
                    shape_id before)
{
    check->put_off = array_grown(sched_alloc, s, check->put_off, &check->put_off_capacity,
                                 check->n_put_off, sizeof *check->put_off);
    check->put_off[check->n_put_off++] = (struct put_off){ *of, before };
}

/* A leaf that does not stand with the shape in this pass is put off. It may come to only when a shape is
 * not open that is now, or when it changes. */
static inline void order_or_put_off(struct sched *s, struct quota_state *q, shape_id shape,
                                    const struct change *of)
{
    struct admission_check *check = &q->check[shape];
    bool asks = q->asks[of->of] & quota_shape_bit(shape);
    shape_id first = asks ? open_of(s, q, of->of) : shape;
    if (first != shape)
        put_off(s, check, of, first);
    else if (asks || kept_has(&check->order, of->of))
        order_leaf(s, q, shape, of->of);
}

static void order_changed(struct sched *s, struct quota_state *q, shape_id shape)
{
    struct admission_check *check = &q->check[shape];
    struct changes *c = &q->heads_changed;
    size_t n = check->n_put_off;
    bool all = n > MOST_PUT_OFF;
    check->n_put_off = 0;
    for (size_t i = 0; i < n; i++) {
        struct put_off p = check->put_off[i];
        if (!change_counts(c, &p.of))
            continue;              /* it is among the changes that follow */
        if (all)
            order_leaf(s, q, shape, p.of.of);
        else if (p.before != ID_NONE && is_open(q, p.before))
            check->put_off[check->n_put_off++] = p;
        else
            order_or_put_off(s, q, shape, &p.of);
    }
    size_t at = c->n;
    for (const struct change *one; (one = changes_next(c, check->heads_read, &at));)
        order_or_put_off(s, q, shape, one);
    check->heads_read = changes_read(c);
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
        leaf_heads(s, q, l);
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
    *head = find_head(s, q, leaf, open);
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
        queue_id leaf = order->leaf[o->at];
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
            *head = find_head(s, q, (*entry)->leaf, first->shape);
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
