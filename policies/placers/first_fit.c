/* first_fit.c - the node with the lowest number that has room. */
#include "policies/placers/filling.h"

static enum place_result first_fit_place(struct builder *b, const struct request *r,
                                         const void *params)
{
    return fill_as(b, r, BY_ID, BY_ID, params);
}

static const struct param first_fit_params[] = { FILL_DEVICES(DEVICES_OF_NODE), { 0 } };

const struct placer first_fit_placer = {
    .abi = PLACEMENT_ABI,
    .name = "first-fit",
    .summary = "the node with the lowest number that has room",
    .params = first_fit_params,
    .params_size = sizeof(struct fill_params),
    .place = first_fit_place,
};
