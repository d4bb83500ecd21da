/* random.c - any node with room, each equally likely. */
#include "policies/placers/filling.h"

static enum place_result random_place(struct builder *b, const struct request *r, const void *params)
{
    (void)params;
    return fill(b, r, ANY_ORDER, ANY_ORDER);
}

const struct placer random_placer = {
    .abi = PLACEMENT_ABI,
    .name = "random",
    .summary = "any node with room, drawn",
    .place = random_place,
};
