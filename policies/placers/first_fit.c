/* first_fit.c - the node with the lowest number that has room. */
#include "policies/placers/filling.h"

static enum place_result first_fit_place(struct builder *b, const struct request *r, const void *params)
{
    (void)params;
    return fill(b, r, BY_ID, BY_ID);
}

const struct placer first_fit_placer = {
    .abi = PLACEMENT_ABI,
    .name = "first-fit",
    .summary = "the node with the lowest number that has room",
    .place = first_fit_place,
};
