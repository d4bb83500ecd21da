/* kept_division.h - the division of division.h, kept from one time to the next: the same fair
 * shares, at the cost of what has changed.
 *
 * Terms. Base: min(deserved, requestable), step 1. Wants: what a queue requests above its base.
 * Peers: siblings of one priority and one weight above 0 in one resource; all of them that are not
 * satisfied have got the same in every round of step 2 (`given`). So among peers in the order of
 * their wants those that are satisfied come first, up to the wants of the last of them (`most`),
 * and a round is a binary search and two sums. A unit of step 3 goes to peers that have lost the
 * same fraction in the order of age: to those of them before one place (`cut`).
 *
 * fair = base + wants                                       if wants <= most
 *      = base + given + (a unit before the cut)             otherwise
 *
 * After a change these few numbers are found again, and written are the fair shares of queues that
 * were touched, that lie between the old and the new `most` or `cut`, and of all peers that are not
 * satisfied if `given` is another.
 *
 * The same integers as quota_divide(): each round computes with the same doubles, and only the sum
 * of the weights is taken by peers instead of one after the other, which is exact while weights are
 * whole numbers and what is left x that sum is below 2^53. Siblings for which this does not hold,
 * or with more than KEPT_PEERS kinds of peers, are divided by quota_divide(). Past use is not
 * known here: with it every share changes all the time.
 *
 * Cost of a division: O(touched x (log siblings + a block of kept_wants.h)), and rounds x peers x
 * log siblings x blocks. Priorities, weights and parents never change. */
#pragma once
#include "policies/kai/queues/division.h"
#include "sim/contract/util/array.h"

enum { KEPT_PEERS = 16 };
struct quota_kept;

/* q: [n] arranged, of the caller; it divides q[].of[].fair. Memory from alloc(s). At first
 * everything is to be divided. */
struct quota_kept *quota_kept_new(array_alloc *alloc, struct sched *s, struct quota_queue *q,
                                  uint32_t n, queue_id first_top);
/* The request, the deserved quota or the limit of i has changed; settled: the shares of its
 * siblings and itself do not depend on it, as quota_same_share() says. */
void quota_kept_touch(struct quota_kept *k, queue_id i, enum quota_resource r, bool settled);
/* The children of that queue have to be divided again; ID_NONE: the top queues. */
void quota_kept_unsettle(struct quota_kept *k, queue_id parent, enum quota_resource r);
/* Divides where something is not settled. Returns how many queues may have another fair share than
 * before, each once; *changed: they, by id, until the next call. scratch: as of
 * quota_divide(). */
size_t quota_kept_divide(struct quota_kept *k, const struct quota_amount *capacity,
                         struct quota_taker *scratch, const queue_id **changed);
