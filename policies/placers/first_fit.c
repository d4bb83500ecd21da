/* first_fit.c - the node with the lowest number that has room. */
#include "policies/placers/filling.h"

static enum place_result first_fit_place(struct builder *b, const struct request *r,
                                         const void *params)
{
    return fill_as(b, r, BY_ID, BY_ID, params);
}

static size_t first_fit_choose(const struct request *r, struct node_offer *offer, size_t n,
                               const void *params)
{
    (void)params;
    return fill_choose(offer, n, r->gpus, BY_ID, BY_ID);
}

static const struct param first_fit_params[] = { FILL_DEVICES(DEVICES_OF_NODE), { 0 } };

const struct placer first_fit_placer = {
    .abi = PLACEMENT_ABI,
    .name = "first-fit",
    .summary = "the node with the lowest number that has room",
    .params = first_fit_params,
    .params_size = sizeof(struct fill_params),
    .place = first_fit_place,
    .choose = first_fit_choose,
};
