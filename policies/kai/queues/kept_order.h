/* kept_order.h - sibling leaves in the order in which they are served, kept from pass to pass: an
 * array, in which a leaf that changes moves.
 *
 * A leaf stands there with its job of one shape, so all of an order ask for as much, and one that
 * gets something or gives it back moves a few places: a search of the place by halves, and as many
 * entries moved as it passes. The others move by one then, and where each of them stands is not noted: it
 * is looked for from the place on that it had. The entry is a copy of what quota_goes_before() compares, so the
 * order stands while shares change; whoever has changed a leaf moves its entry before the order is
 * read. One measure: no quota and no limit but of GPUs, so allocatable shares differ in GPUs alone,
 * and the order is total. */
#pragma once
#include "policies/kai/queues/rules.h"
#include "sim/contract/util/array.h"

struct kept_entry {               /* of a leaf; see struct quota_standing */
    uint64_t rank;
    double with, without;
    int64_t allocatable;          /* GPUs; INT64_MAX: unlimited */
    queue_id leaf;
};
struct kept_order {
    struct kept_entry *entry;     /* [n] the first to be served first */
    /* [n] their leaves, side by side: where a leaf stands is found by it, near where it was */
    queue_id *leaf;
    size_t n, capacity, leaves_capacity;
    uint32_t *about;              /* [n_about] of a leaf 1 + its place, or near it; 0: it is not there */
    size_t n_about;
};

static inline struct kept_entry kept_entry_of(const struct quota_standing *s, queue_id leaf)
{
    int64_t gpus = s->allocatable.of[Q_GPU];
    return (struct kept_entry){ s->rank, s->with, s->without, gpus == UNLIMITED ? INT64_MAX : gpus,
                                leaf };
}

/* As quota_goes_before(). */
static inline bool kept_before(const struct kept_entry *a, const struct kept_entry *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->with != b->with)
        return a->with < b->with;
    if (a->without != b->without)
        return a->without < b->without;
    return a->allocatable != b->allocatable ? a->allocatable < b->allocatable : a->leaf < b->leaf;
}

static inline bool kept_same(const struct kept_entry *a, const struct kept_entry *b)
{
    return a->rank == b->rank && a->with == b->with && a->without == b->without &&
           a->allocatable == b->allocatable && a->leaf == b->leaf;
}

static inline bool kept_has(const struct kept_order *o, queue_id leaf)
{
    return leaf < o->n_about && o->about[leaf];
}
/* The leaf of the entry comes to stand there, or moves to it. Memory from alloc(s). */
void kept_put(array_alloc *alloc, struct sched *s, struct kept_order *o, const struct kept_entry *e);
/* The leaf, which is there, goes. */
void kept_drop(struct kept_order *o, queue_id leaf);
