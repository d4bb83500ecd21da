/* order.h - which head of a cycle goes first; knows no scheduler.
 *
 * Classical: the head that gets quota from the smaller subtree (not borrowing first); higher
 * priority; longer wait (kubernetes-sigs/kueue:pkg/scheduler/scheduler.go, makeClassicalIterator).
 * By shares, between two nodes of one cohort with the head that each sends: the one that does not
 * borrow what its head asks for; the smaller share; higher priority; longer wait
 * (fair_sharing_iterator.go). Both end on the lower id. */
#pragma once
#include "policies/kueue/fair.h"

struct standing {
    const struct cohort_workload *as;
    uint32_t height;              /* classical: of the subtree that its quota comes from */
    bool borrows;                 /* by shares: with the head, some of what the head asks for */
    struct cohort_share share;    /* the same, with the head */
};

/* <0: a goes first. By age: of two in one queue, by priority and wait alone. */
int  cohort_compare_by_age(const struct cohort_workload *a, const struct cohort_workload *b);
int  cohort_compare_classical(const struct standing *a, const struct standing *b);
int  cohort_compare_by_share(const struct standing *a, const struct standing *b);

/* `borrows` and `share` of `node`, which is `queue` or above it, as they are with `need` more in
 * that queue. */
void cohort_stand_at(struct cohort_books *b, uint32_t node, uint64_t weight, uint32_t queue,
                     const int64_t *need, struct standing *x);
