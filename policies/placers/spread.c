/* spread.c - worst fit: the emptiest node, so that load is even. */
#include "policies/placers/filling.h"

static enum place_result spread_place(struct builder *b, const struct request *r, const void *params)
{
    (void)params;
    return fill(b, r, EMPTIEST_FIRST, EMPTIEST_FIRST);
}

const struct placer spread_placer = {
    .abi = PLACEMENT_ABI,
    .name = "spread",
    .summary = "worst fit: the emptiest node",
    .place = spread_place,
};
