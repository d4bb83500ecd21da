/* order.c - the order of heads. See order.h. */
#include "policies/kueue/order.h"

int cohort_compare_by_age(const struct cohort_workload *a, const struct cohort_workload *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->queued_ns != b->queued_ns)
        return a->queued_ns < b->queued_ns ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

int cohort_compare_classical(const struct standing *a, const struct standing *b)
{
    return a->height != b->height ? (a->height > b->height) - (a->height < b->height)
                                  : cohort_compare_by_age(a->as, b->as);
}

int cohort_compare_by_share(const struct standing *a, const struct standing *b)
{
    if (a->borrows != b->borrows)
        return a->borrows ? 1 : -1;
    int shares = cohort_share_compare(a->share, b->share);
    return shares ? shares : cohort_compare_by_age(a->as, b->as);
}

void cohort_stand_at(struct cohort_books *b, uint32_t node, uint64_t weight, uint32_t queue,
                     const int64_t *need, struct standing *x)
{
    cohort_as_if(b, need, NULL);
    for (uint32_t v = queue; v != node; v = b->parent[v])
        cohort_as_if_up(b, v);
    x->borrows = cohort_as_if_borrows(b, node);
    x->share = cohort_share_as_if(b, node, weight);
}
