/* heads.h - the heads of sibling leaves, by shape, in the order in which allocate serves them.
 *
 * Of each leaf the first head that finds a place stands for it. Which shapes find one differs from
 * pass to pass, and mostly there are one or two of them. So the leaves with a waiting job of a
 * shape are kept in order by the standing that they have with it, shape by shape; a pass merges the
 * orders of the shapes that are open, and passes by leaves that stand there with another of their
 * heads, and those of which all heads have failed since. It pays for the leaves that it comes to, and
 * for those that have changed. An order is brought up to date when its shape is open: with what has
 * changed since it was last, but for leaves that stand with another head in this pass. Where those
 * stand in it does not matter.
 *
 * What leaves are told is what a look at each of them would say: a shape that finds no place is
 * noted as failed when allocate begins if in some leaf no open head stands before it; otherwise
 * when the first leaf comes to it. */
#pragma once
#include "policies/kai/quota.h"

/* Its heads may have changed, or their standing. */
static inline void heads_changed(struct quota_state *q, queue_id leaf)
{
    changes_note(&q->heads_changed, leaf);
}

/* Allocate may go by them: plain jobs, and siblings whose order is total. */
bool heads_apply(const struct quota_state *q);
/* A pass allocates: opens the shapes that find a place, and notes those that do not, as if all
 * leaves but those that it has acted on had been looked at. How many of these have an open head; 2:
 * two or more. */
uint32_t heads_begin(struct sched *s, struct quota_state *q);
/* When shares are divided: puts in order what has changed. While at most one leaf of all has an open
 * head, none need be: what has changed waits, and much of it changes back. */
void heads_order(struct sched *s, struct quota_state *q);
/* The leaf that is first by the first of its heads that were open as allocate began, without those
 * that have had a turn; ID_NONE: no more. Its entry and that head are good until it is passed over
 * or has its turn. *entry is left as it is where nothing was put in order. */
queue_id heads_top(struct sched *s, struct quota_state *q, const struct kept_entry **entry,
                   struct shape_head **head);
/* It has its turn in this pass. */
void heads_met(struct quota_state *q, queue_id leaf);
/* No head of the leaf from this one on may find a place, as far as checks know. */
bool heads_have_failed(const struct quota_state *q, queue_id leaf, const struct shape_head *from);
/* Of plain jobs, after the turn of this head, the first of the leaf in this pass that has one: none
 * behind it finds a place. That is noted, as if each had been looked at; false: nothing is. */
bool heads_end(struct sched *s, struct quota_state *q, queue_id leaf,
               const struct shape_head *after);
