/* kept_wants.h - what queues want, in order, with sums: for kept_division.h.
 *
 * A rank is the number of those that come before: those that want less, and of as much those of
 * lower id. Entries lie in blocks, each with its sum; a block that is full is cut in two, and two
 * neighbours that are nearly empty become one. So a change moves entries within a block, and what is
 * asked by rank costs a look at the blocks, of which ten thousand queues have a few hundred. */
#pragma once
#include "sim/contract/queues.h"
#include "sim/contract/util/array.h"

enum { WANTS_BLOCK = 64 };
struct wanting { int64_t wants; queue_id queue; };
struct wants_block { size_t n; int64_t sum; struct wanting at[WANTS_BLOCK]; };
struct kept_wants {
    struct wants_block **block;   /* [n_blocks] in order, none empty; behind them those not in use */
    size_t n_blocks, n;
};

/* Room for `most` entries, from alloc(s). */
struct kept_wants wants_new(array_alloc *alloc, struct sched *s, size_t most);
void wants_add(struct kept_wants *w, int64_t wants, queue_id i);
void wants_remove(struct kept_wants *w, int64_t wants, queue_id i);    /* it is there */
/* The rank that it has, or would have. */
size_t wants_rank(const struct kept_wants *w, int64_t wants, queue_id i);
const struct wanting *wants_at(const struct kept_wants *w, size_t rank);    /* below n */
int64_t wants_sum(const struct kept_wants *w, size_t n);    /* of the first n */

/* From a rank on. */
struct wants_walk { const struct kept_wants *of; size_t block, at; };
struct wants_walk wants_from(const struct kept_wants *w, size_t rank);
static inline const struct wanting *wants_next(struct wants_walk *w)    /* NULL: no more */
{
    if (w->block == w->of->n_blocks)
        return NULL;
    const struct wants_block *b = w->of->block[w->block];
    const struct wanting *one = &b->at[w->at++];
    if (w->at == b->n) {
        w->block++;
        w->at = 0;
    }
    return one;
}
