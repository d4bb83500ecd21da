/* pack.c - best fit: the fullest node with room; what needs several takes the emptiest first, so as
 * few as can be. */
#include "policies/placers/filling.h"

static enum place_result pack_place(struct builder *b, const struct request *r, const void *params)
{
    return fill_as(b, r, FULLEST_FIRST, EMPTIEST_FIRST, params);
}

static bool pack_passes_by(const struct request *r, const struct placement *p, node_id n,
                           uint32_t free, const void *params)
{
    (void)r;
    (void)params;
    return fill_passes_by(p, n, free, FULLEST_FIRST, EMPTIEST_FIRST);
}

static const struct param pack_params[] = { FILL_DEVICES(DEVICES_PACK), { 0 } };

const struct placer pack_placer = {
    .abi = PLACEMENT_ABI,
    .name = "pack",
    .summary = "best fit: the fullest node with room, as few nodes as can be",
    .params = pack_params,
    .params_size = sizeof(struct fill_params),
    .place = pack_place,
    .passes_by = pack_passes_by,
};
