/* tightest.c - the tightest domain that holds all of it: a node, an island across nodes, a rack, a
 * pod, a domain of a level further out.
 *
 * Levels from near to far; of one level the domain with the fewest free GPUs that holds it
 * (schedulers.md g.1 and g.2: KAI's and Kueue's rule). Inside, best fit. What none holds takes
 * racks with the most room first, until the rest fits one. */
#include "policies/placers/filling.h"
#include "policies/placers/tight.h"

static enum place_result tightest_place(struct builder *b, const struct request *r,
                                        const void *params)
{
    const struct view *v = builder_view(b);
    struct tight_job j = tight_job(b, r);
    uint32_t task = r->tasks == SPLIT_ANY ? 0 : request_task(r, 0);
    (void)params;
    if ((r->tasks == SPLIT_ANY || r->tasks == 1) &&
        fill_one_node(b, r, 0, task, r->gpus, FULLEST_FIRST))
        return PLACED;
    for (enum level l = LEVEL_ISLAND; l < LEVEL_CLUSTER; l = tight_outwards(v, l))
        if (tight_any(v, l) && tight_all_in_one(&j, l))
            return PLACED;
    if (!tight_any(v, LEVEL_RACK))
        return fill(b, r, FULLEST_FIRST, EMPTIEST_FIRST);
    return tight_few(&j, LEVEL_RACK) ? PLACED : fill_failed(r);
}

const struct placer tightest_placer = {
    .abi = PLACEMENT_ABI,
    .name = "tightest",
    .summary =
        "the tightest node, island, rack, pod or wider domain that holds it; inside, best fit",
    .needs = TIGHTEST_DOMAINS,
    .place = tightest_place,
};
