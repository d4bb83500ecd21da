/* books.h - what the queues of cohorts may use, use, borrow and lend, for each flavour and resource
 * by itself.
 *
 * A cell is a pair (flavour, resource); amounts are integers in any unit, dense by [node * cells +
 * cell]. Nodes are queues: cohorts above, queues with jobs at the leaves; a parent's number is
 * lower than its children's. Quota of a node is its own, in addition to that of the nodes below.
 * Everything is exact; adding and taking back usage costs O(depth) and cancels out.
 *
 * After kubernetes-sigs/kueue:pkg/cache/scheduler/resource_node.go:
 *   subtree   = nominal + sum over children (subtree - local)
 *   local     = max(0, subtree - lending limit): never lent, so not seen from above;
 *               0 without a limit
 *   usage     = of a leaf its own; of a cohort the sum over children max(0, usage - local)
 *   available = max(0, local - usage) + what the parent has available, at most what the
 *               borrowing limit leaves */
#pragma once
#include "sim/contract/queues.h"

enum { COHORT_RESOURCES = 16 };   /* at most */

/* The limits: UNLIMITED; nominal: never. */
struct cohort_quota { int64_t nominal, borrowing, lending; };
struct cohort_books {
    uint32_t n, cells, resources;
    const uint32_t *parent;       /* [n] ID_NONE: a root */
    const uint32_t *resource;     /* [cells] which resource of [0, resources) a cell is of */
    uint32_t *root, *depth, *height;    /* [n]; height: to the furthest leaf */
    uint32_t *child, *sibling;    /* [n] the first below it; the next beside it; ID_NONE: no more */
    struct cohort_quota *quota;   /* [n * cells] */
    int64_t *subtree, *local;     /* [n * cells] */
    int64_t *potential;           /* [n * cells] available without any usage */
    int64_t *lendable;            /* [n * resources] potential of a node, over all flavours */
    int64_t *usage;               /* [n * cells] */
    int64_t *borrowed;            /* [n * resources] sum over flavours of max(0, usage - subtree) */
    /* [n] other than before if usage of the node was written since. What is written and taken back
     * exactly may have its version back: no version is given twice. */
    uint64_t *version;
    uint64_t clock;               /* the last version given */
    /* [n] of a parent the first child whose usage was written since cohort_take_written(), ID_NONE:
     * none; of a child in that list the next one, or itself at the end; ID_NONE: not in it */
    uint32_t *written, *next_written;
    /* [n_as_if] scratch of cohort_as_if(): how much more is used of these cells, as it shows at the
     * node that it has come to */
    struct cohort_more { int64_t by; uint32_t cell; } *as_if;
    uint32_t n_as_if;
    /* [n + 1] where numbers of a node's children begin: all have one, those of a parent in a row */
    uint32_t *first_child;
};

/* Bytes of all but parent and resource, which the caller keeps; and their layout in zeroed memory
 * of that size. */
size_t cohort_books_size(uint32_t n, uint32_t cells, uint32_t resources);
/* n, cells, resources, parent and resource are set before. */
void   cohort_books_lay(struct cohort_books *b, void *memory);
/* Once quota is filled in: the rest, and no usage. */
void   cohort_books_settle(struct cohort_books *b);
/* Once quota has changed: the same, and what leaves use stays. used: scratch, [n * cells] */
void   cohort_books_again(struct cohort_books *b, int64_t *used);

/* Usage of a leaf, on it and as far up as it shows. `sign`: 1 adds, -1 takes back. */
void    cohort_use(struct cohort_books *b, uint32_t node, const int64_t *need, int sign);
/* As if a leaf used `more`, and less by `less` (NULL: nothing), while the books stay: at the leaf,
 * and from a node to its parent. */
void    cohort_as_if(struct cohort_books *b, const int64_t *more, const int64_t *less);
void    cohort_as_if_up(struct cohort_books *b, uint32_t node);
/* The node would borrow in one of these cells. */
bool    cohort_as_if_borrows(const struct cohort_books *b, uint32_t node);
/* At the leaf: there is as much of these cells, of those of which `need` asks something. */
bool    cohort_as_if_fits(const struct cohort_books *b, uint32_t leaf, const int64_t *need);
/* A child of the parent whose usage was written; it leaves the list. ID_NONE: there are no more. */
uint32_t cohort_take_written(struct cohort_books *b, uint32_t parent);
/* What is available to the node; below zero: used beyond quota. */
int64_t cohort_available(const struct cohort_books *b, uint32_t node, uint32_t cell);
int64_t cohort_local_available(const struct cohort_books *b, uint32_t node, uint32_t cell);
/* All of need is available; need of 0 always is. */
bool    cohort_fits(const struct cohort_books *b, uint32_t node, const int64_t *need);
/* All of need would be available without any usage. */
bool    cohort_could_fit(const struct cohort_books *b, uint32_t node, const int64_t *need);

static inline size_t cohort_at(const struct cohort_books *b, uint32_t node, uint32_t cell)
{
    return (size_t)node * b->cells + cell;
}

/* With `more` on top the node borrows: it uses more than the quota of its subtree. */
static inline bool cohort_borrows(const struct cohort_books *b, uint32_t node, uint32_t cell,
                                  int64_t more)
{
    size_t i = cohort_at(b, node, cell);
    return b->usage[i] + more > b->subtree[i];
}

/* The node is within its quota in every contested cell. */
bool cohort_within_nominal(const struct cohort_books *b, uint32_t node, const bool *contested);

/* How far up quota for `amount` more has to come from: the height of the lowest subtree around the
 * leaf that has it within its own quota, 0: the leaf itself. *more_above: that subtree is not the
 * whole tree (kubernetes-sigs/kueue:pkg/scheduler/preemption/classical/hierarchical_preemption.go,
 * FindHeightOfLowestSubtreeThatFits). */
uint32_t cohort_borrow_height(const struct cohort_books *b, uint32_t leaf, uint32_t cell,
                              int64_t amount, bool *more_above);

/* Cuts `need` to what a head that must preempt, and cannot, keeps from others: up to the nominal
 * quota of its queue; of one that would borrow, up to nominal + borrowing limit, all without one
 * (kubernetes-sigs/kueue:pkg/scheduler/scheduler.go, quotaResourcesToReserve). */
void cohort_cut_to_reserve(const struct cohort_books *b, uint32_t leaf, bool borrows,
                           int64_t *need);
