/* spread.c - worst fit: the emptiest node, so that load is even. */
#include "policies/placers/filling.h"

static enum place_result spread_place(struct builder *b, const struct request *r,
                                      const void *params)
{
    return fill_as(b, r, EMPTIEST_FIRST, EMPTIEST_FIRST, params);
}

static size_t spread_choose(const struct request *r, struct node_offer *offer, size_t n,
                            const void *params)
{
    (void)params;
    return fill_choose(offer, n, r->gpus, EMPTIEST_FIRST, EMPTIEST_FIRST);
}

static const struct param spread_params[] = { FILL_DEVICES(DEVICES_OF_NODE), { 0 } };

const struct placer spread_placer = {
    .abi = PLACEMENT_ABI,
    .name = "spread",
    .summary = "worst fit: the emptiest node",
    .params = spread_params,
    .params_size = sizeof(struct fill_params),
    .place = spread_place,
    .choose = spread_choose,
};
