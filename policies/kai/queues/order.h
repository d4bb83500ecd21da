/* order.h - the next leaf over the tree of queues, by standing (rules.h): the best by its next job, or the
 * worst by its victims. Heaps of siblings, in which an inner queue stands with the best, or worst, leaf
 * below it.
 *
 * An order is filled (order_begin(), order_add(), order_make()), and then follows changes of amounts
 * (order_set()) and of shares (order_refresh()). Walks and scans read it without changing it. Amounts
 * and units: division.h. Memory lives as long as the run. */
#pragma once
#include "policies/kai/queues/rules.h"

struct quota_state;

struct order_node {
    struct quota_lessened less;   /* with `victims`, of the standing when it was last made anew */
    struct quota_standing standing;
    struct quota_amount amount;   /* of its first job, or of its victims */
    uint32_t n, at;               /* children in the heap; its place among its siblings */
    bool in, listed;              /* in the heap; among `active` */
    /* of victims: the standing is that of its present shares; else: of those and the amount */
    bool stands;
    uint32_t marked;              /* saved since the mark of that number */
};
/* A node as it was when the order was marked. */
struct order_saved { uint32_t i; struct order_node node; };
/* In a heap: with what decides between most queues, of its standing. */
struct order_entry { uint64_t rank; double with; queue_id queue; };
struct order {
    struct quota_state *q;
    bool victims;                 /* the worst on top, and amounts are those of victims */
    bool compares;                /* there is more than one leaf; one alone needs no standing */
    struct order_node *node;      /* [queues + 1] the last is the root */
    struct order_entry *heap;     /* children of node i from q->first[i] on */
    queue_id *active;             /* [n_active] nodes to clear */
    size_t n_active, n_leaves;
    uint32_t mark;                /* number of the last mark; 0: the order is not marked */
    uint32_t n_marks;
    struct order_saved *saved;    /* [n_saved] of a marked order, [queues + 1] at most */
    size_t n_saved, active_before;
};

/* Takes the leaves of an order one after another, the top first, and leaves the order as it is. Of
 * each heap of siblings it knows the entries that may be next: those that it has changed, and of
 * the others those below none but entries that it has taken. So n leaves cost O(n log n), whatever
 * the number of queues. */
struct order_step {
    struct order_entry entry;
    uint32_t at;                  /* place in the heap of the order; ID_NONE: changed by the walk */
};
struct order_walk {
    const struct order *o;
    uint32_t number;
    uint32_t *begun;              /* [queues + 1] the walk in which n and step were begun */
    uint32_t *n;                  /* [queues + 1] children of node i in its heap of steps */
    struct order_step *step;      /* those of node i from q->first[i] on */
    struct quota_amount *amount;  /* [queues] of entries that the walk has changed */
};

void order_new(struct sched *s, struct order *o, struct quota_state *q, bool victims);
/* Empties it; then order_add(), order_make(). */
void order_begin(struct order *o);
/* Of its first job, or of its victims. */
void order_add(struct order *o, queue_id leaf, const struct quota_amount *amount);
/* The same of its first job, if the standing with it is known. */
void order_add_standing(struct order *o, queue_id leaf, const struct quota_amount *amount,
                        const struct quota_standing *standing);
/* Also when the shares of many queues have changed since. */
void order_make(struct order *o);
/* The best leaf, or the worst with `victims`; ID_NONE: empty. */
queue_id order_top(const struct order *o);
/* The amount from now on; NULL: the leaf has no more. */
void order_set(struct order *o, queue_id leaf, const struct quota_amount *amount);
void order_set_standing(struct order *o, queue_id leaf, const struct quota_amount *amount,
                        const struct quota_standing *standing);
/* The shares of i have changed. */
void order_refresh(struct order *o, queue_id i);
/* From now on its nodes are saved as they change; then it is as it was. Costs what has changed. */
void order_mark(struct sched *s, struct order *o);
void order_rollback(struct order *o);
/* All leaves are siblings, and order_above() is a total order: what comes out is sorted by it. */
bool order_is_flat(const struct order *o);
/* i with that amount, of victims; and which of two comes first, both as entries of their leaves with
 * what they have lost so far. */
struct order_entry order_entry_with(const struct order *o, queue_id i,
                                    const struct quota_amount *amount);
bool order_above_tied(const struct order *o, const struct order_entry *a,
                      const struct order_entry *b);
static inline bool order_above(const struct order *o, const struct order_entry *a,
                               const struct order_entry *b)
{
    if (a->rank != b->rank)
        return (a->rank < b->rank) != o->victims;
    if (a->with != b->with)
        return (a->with < b->with) != o->victims;
    return order_above_tied(o, a, b);
}
/* Leaves of a flat order that do not come behind a bound (NULL: all of them, so far), which may
 * move towards the top meanwhile; in no order, and at no cost for others. */
enum { ORDER_DEEPEST = 64 };      /* one sibling waits on each level, and the next */
struct order_scan {
    const struct order *o;
    const struct order_entry *heap;    /* [in_heap] */
    uint32_t in_heap, n, next[ORDER_DEEPEST];
};
void order_scan_begin(struct order_scan *scan, const struct order *o);
static inline queue_id order_scan_next(struct order_scan *scan, const struct order_entry *bound)
{
    while (scan->n > 0) {
        uint32_t at = scan->next[--scan->n];
        if (at >= scan->in_heap || (bound && order_above(scan->o, bound, &scan->heap[at])))
            continue;
        scan->next[scan->n++] = 2 * at + 2;
        scan->next[scan->n++] = 2 * at + 1;
        return scan->heap[at].queue;
    }
    return ID_NONE;
}
/* The leaf that comes next unless it is behind the bound; ID_NONE: none. To fetch what will be read of it. */
static inline queue_id order_scan_soon(const struct order_scan *scan)
{
    uint32_t at = scan->n > 0 ? scan->next[scan->n - 1] : UINT32_MAX;
    return at < scan->in_heap ? scan->heap[at].queue : ID_NONE;
}
/* Memory for walks of orders of this shard, one after the other. */
void order_walk_new(struct sched *s, struct order_walk *w, const struct quota_state *q);
/* From the top again; until then the order does not change. */
void order_walk_begin(struct order_walk *w, const struct order *o);
queue_id order_walk_top(struct order_walk *w);
/* The amount of that top from now on; NULL: it has no more. */
void order_walk_set(struct order_walk *w, queue_id top, const struct quota_amount *amount);
