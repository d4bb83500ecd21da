/* spread.c - worst fit: the emptiest node, so that load is even. */
#include "policies/placers/filling.h"

static enum place_result spread_place(struct builder *b, const struct request *r,
                                      const void *params)
{
    return fill_as(b, r, EMPTIEST_FIRST, EMPTIEST_FIRST, params);
}

static bool spread_passes_by(const struct request *r, const struct placement *p, node_id n,
                           uint32_t free, const void *params)
{
    (void)r;
    (void)params;
    return fill_passes_by(p, n, free, EMPTIEST_FIRST, EMPTIEST_FIRST);
}

static const struct param spread_params[] = { FILL_DEVICES(DEVICES_OF_NODE), { 0 } };

const struct placer spread_placer = {
    .abi = PLACEMENT_ABI,
    .name = "spread",
    .summary = "worst fit: the emptiest node",
    .params = spread_params,
    .params_size = sizeof(struct fill_params),
    .place = spread_place,
    .passes_by = spread_passes_by,
};
