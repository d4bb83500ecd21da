/* fair_parts.h - what the parts of fair.h share: shares that are kept from one search to the next,
 * and one search. */
#pragma once
#include "policies/kueue/fair.h"

struct fair_search {
    struct cohort_search *s;
    const struct cohort_workload *preemptor;
    const bool *contested;
    uint32_t only;                /* the one cell that is contested; ID_NONE: there are several */
    bool within;                  /* the preemptor stays within nominal quota */
    bool second;                  /* the pass over those that were kept */
    uint32_t room;                /* of candidate[], taken */
};

static inline struct cohort_share fair_share(struct cohort_search *s, uint32_t node)
{
    struct cohort_known *k = &s->known[node];
    if (k->share_at != s->books->version[node]) {
        k->share = cohort_share_of(s->books, node, s->weight[node]);
        k->share_at = s->books->version[node];
    }
    return k->share;
}

static inline bool fair_may_evict(const struct fair_search *h, const struct cohort_workload *w)
{
    return (h->only == ID_NONE || w->need[h->only] > 0) &&
           cohort_may_evict(h->s, h->preemptor, w, h->contested);
}

/* Puts children of the cohort in order of share, the highest first. */
void fair_order(struct cohort_search *s, uint32_t cohort);
/* A bound: of the members of the queue one may be a candidate. */
bool fair_may_offer(const struct fair_search *h, uint32_t queue);
/* A bound: what all candidates hold that could be taken at all would do. Sets `within`. */
bool fair_may_succeed(struct fair_search *h);
