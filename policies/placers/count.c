/* count.c - only totals matter: GPUs wherever they are free, by node number, however many nodes
 * that takes.
 *
 * A task that is to be on one node still is; a cluster of one counted node makes every request a
 * matter of totals. */
#include "policies/placers/filling.h"

static enum place_result count_place(struct builder *b, const struct request *r, const void *params)
{
    (void)params;
    if (r->tasks != SPLIT_ANY)
        return fill(b, r, BY_ID, BY_ID);
    uint32_t left = r->gpus;
    for (uint32_t rank = 0; left > 0; rank++) {
        uint32_t taken = fill_piece(b, r, 0, rank, left, BY_ID);
        if (!taken)
            return fill_failed(r);
        left -= taken;
    }
    return PLACED;
}

const struct placer count_placer = {
    .abi = PLACEMENT_ABI,
    .name = "count",
    .summary = "only totals matter: free GPUs by node number, on any number of nodes",
    .place = count_place,
};
