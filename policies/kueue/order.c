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

bool cohort_borrows_asked(const struct cohort_books *b, uint32_t node, const int64_t *need)
{
    for (uint32_t cell = 0; cell < b->cells; cell++)
        if (need[cell] > 0 && cohort_borrows(b, node, cell, 0))
            return true;
    return false;
}

void cohort_stand_at(struct cohort_books *b, uint32_t node, uint64_t weight, uint32_t queue,
                     const int64_t *need, struct standing *x)
{
    cohort_look_begin(b, queue);
    cohort_use(b, queue, need, 1);
    x->borrows = cohort_borrows_asked(b, node, need);
    x->share = cohort_share_of(b, node, weight);
    cohort_use(b, queue, need, -1);
    cohort_look_end(b, queue);
}
