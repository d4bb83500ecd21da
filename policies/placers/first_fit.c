/* first_fit.c - the node with the lowest number that has room. */
#include "policies/placers/filling.h"

static enum place_result first_fit_place(struct builder *b, const struct request *r,
                                         const void *params)
{
    return fill_as(b, r, BY_ID, BY_ID, params);
}

static bool first_fit_passes_by(const struct request *r, const struct placement *p, node_id n,
                           uint32_t free, const void *params)
{
    (void)r;
    (void)params;
    return fill_passes_by(p, n, free, BY_ID, BY_ID);
}

static const struct param first_fit_params[] = { FILL_DEVICES(DEVICES_OF_NODE), { 0 } };

const struct placer first_fit_placer = {
    .abi = PLACEMENT_ABI,
    .name = "first-fit",
    .summary = "the node with the lowest number that has room",
    .params = first_fit_params,
    .params_size = sizeof(struct fill_params),
    .place = first_fit_place,
    .passes_by = first_fit_passes_by,
};
