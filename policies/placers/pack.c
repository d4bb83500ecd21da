/* pack.c - best fit: the fullest node with room; what needs several takes the emptiest first, so as
 * few as can be. */
#include "policies/placers/filling.h"

static enum place_result pack_place(struct builder *b, const struct request *r, const void *params)
{
    return fill_as(b, r, FULLEST_FIRST, EMPTIEST_FIRST, params);
}

static size_t pack_choose(const struct request *r, struct node_offer *offer, size_t n,
                          const void *params)
{
    (void)params;
    return fill_choose(offer, n, r->gpus, FULLEST_FIRST, EMPTIEST_FIRST);
}

static const struct param pack_params[] = { FILL_DEVICES(DEVICES_PACK), { 0 } };

const struct placer pack_placer = {
    .abi = PLACEMENT_ABI,
    .name = "pack",
    .summary = "best fit: the fullest node with room, as few nodes as can be",
    .params = pack_params,
    .params_size = sizeof(struct fill_params),
    .place = pack_place,
    .choose = pack_choose,
};
