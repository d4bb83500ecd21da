/* last_fit.c - the free node with the highest number; a job that needs several takes all that each has free. */
#include "placement.h"

static bool last_with(const struct builder *b, const struct request *r, uint32_t gpus, node_id *last)
{
    struct node_walk walk = { .v = builder_view(b), .r = r, .min_whole = gpus, .order = BY_ID };
    bool any = false;
    for (node_id n; node_walk_next(&walk, &n); any = true)
        *last = n;
    return any;
}

static enum place_result place(struct builder *b, const struct request *r, const void *params)
{
    node_id n;
    if (r->tasks != SPLIT_ANY) {                    /* each task on one node */
        for (uint32_t k = 0; k < r->tasks; k++)
            if (!last_with(b, r, r->gpus, &n) || !builder_add_some(b, r, request_task(r, k), n, r->gpus))
                return NO_ROOM_FRAGMENTED;
        return PLACED;
    }
    for (uint32_t left = r->gpus, piece = 0; left > 0; piece++) {    /* only the total is given: split it */
        if (!last_with(b, r, left, &n) && !last_with(b, r, 1, &n))
            return NO_ROOM_FRAGMENTED;
        uint32_t free = view_node(builder_view(b), n).whole, take = free < left ? free : left;
        if (!builder_add_some(b, r, piece, n, take))
            return NO_ROOM_FRAGMENTED;
        left -= take;
    }
    return PLACED;
}

const struct placer placer_plugin = {
    .abi = PLACEMENT_ABI, .name = "last-fit", .summary = "the highest node number first", .place = place,
};
