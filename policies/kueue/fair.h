/* fair.h - weighted shares of what a cohort lends out, and the order by them.
 *
 * The share of a node is that of its dominant resource: max over resources of what it uses beyond
 * its subtree's quota, summed over flavours, by what its parent could have of that resource
 * (lendable); divided by its weight. Within its quota: 0. At a root: 0. With weight 0 and
 * borrowing: above any other, two such compare without weights. Compared as exact ratios. After
 * kubernetes-sigs/kueue:pkg/cache/scheduler/fair_sharing.go (DRS, CompareDRS).
 *
 * Victims (cohort_search_fair), with the usage of the preemptor added: from the root down into the
 * child with the highest share that has candidates, a cohort rather than a queue among equals.
 * Compared are the two nodes just below the lowest cohort above both:
 *   S2-a   share of the preemptor's node <= share of the victim's node without the victim
 *   S2-b   share of the preemptor's node <  share of the victim's node
 * First S2-a over all; then S2-b over those that failed it, at most one a queue. A preemptor that
 * stays within nominal quota takes them without either. After
 * kubernetes-sigs/kueue:pkg/scheduler/preemption/{fair_strategy.go, fairsharing}. */
#pragma once
#include "policies/kueue/search.h"

extern const struct cohort_share cohort_no_share;    /* of a root */
struct cohort_share cohort_share_of(const struct cohort_books *b, uint32_t node, uint64_t weight);
/* As if usage were other by b->as_if at the node. */
struct cohort_share cohort_share_as_if(const struct cohort_books *b, uint32_t node,
                                       uint64_t weight);
/* <0: a goes first. By exact ratios. */
int cohort_share_compare_exactly(const struct cohort_share *a, const struct cohort_share *b);

static inline bool cohort_share_is_zero(struct cohort_share a)
{
    return a.borrowed == 0;
}

/* Shares that are further apart, in parts of the larger one, differ as their doubles do: these are
 * rounded four times. */
#define COHORT_SHARES_CLOSE 1e-12

/* The same. */
static inline int cohort_share_compare(struct cohort_share a, struct cohort_share b)
{
    double apart = a.about - b.about, most = a.about > b.about ? a.about : b.about;
    if (!a.weight || !b.weight)
        return cohort_share_compare_exactly(&a, &b);
    if (apart > COHORT_SHARES_CLOSE * most || -apart > COHORT_SHARES_CLOSE * most)
        return apart > 0 ? 1 : -1;
    return a.borrowed || b.borrowed ? cohort_share_compare_exactly(&a, &b) : 0;
}

/* A / b against c / d, exactly; b and d above 0. */
int cohort_compare_ratios(unsigned __int128 a, unsigned __int128 b, unsigned __int128 c,
                          unsigned __int128 d);

/* Of a queue just below the root: its share with `amount` more of the cell; and whether anything
 * beside it has that share at least: else it takes from nothing by either rule. */
struct cohort_share cohort_fair_with(struct cohort_search *s, uint32_t queue, uint32_t cell,
                                     int64_t amount);
bool cohort_fair_may_take(struct cohort_search *s, uint32_t queue, struct cohort_share with);
