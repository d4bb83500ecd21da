/* cached.c - nodes that keep what the job wants there: its data set, then its container image; of
 * those alike, and where no such node has room, best fit as `pack`.
 *
 * Each task goes to the node with room that keeps most (view_keeps()). A request without tasks (only
 * a total) goes whole onto such a node, else whole onto any; if none has room, piece by piece onto
 * the emptiest nodes that keep something, then the emptiest. */
#include "policies/placers/filling.h"

/* The node that keeps most, in `order` of those alike, as `take` can use it; what it took, 0: none
 * keeps anything. */
typedef uint32_t take_node(struct builder *b, const struct request *r, uint32_t task, node_id n,
                           uint32_t gpus);

static uint32_t whole(struct builder *b, const struct request *r, uint32_t task, node_id n,
                      uint32_t gpus)
{
    return builder_add_some(b, r, task, n, gpus) ? gpus + !gpus : 0;
}

static uint32_t part(struct builder *b, const struct request *r, uint32_t task, node_id n,
                     uint32_t gpus)
{
    domain_id node = view_domain(builder_view(b), n, LEVEL_NODE);
    return fill_piece(b, r, node, task, gpus, EMPTIEST_FIRST);
}

static uint32_t on_keeper(struct builder *b, const struct request *r, uint32_t task, uint32_t gpus,
                          uint32_t min_whole, enum node_order order, take_node *take)
{
    const struct view *v = builder_view(b);
    for (unsigned keeps = KEEPS_ALL; keeps > 0; keeps--) {
        struct node_walk w = { .v = v, .r = r, .min_whole = min_whole, .order = order };
        for (node_id n; node_walk_next(&w, &n);) {
            uint32_t taken = view_keeps(v, r, n) == keeps ? take(b, r, task, n, gpus) : 0;
            if (taken)
                return taken;
        }
    }
    return 0;
}

static bool one_node(struct builder *b, const struct request *r, uint32_t task, uint32_t gpus)
{
    bool named = r->try_first != ID_NONE && view_fits(builder_view(b), r, r->try_first);
    uint32_t min_whole = r->gpu_milli < MILLI_ALL ? 0 : gpus;
    return (!named && on_keeper(b, r, task, gpus, min_whole, FULLEST_FIRST, whole)) ||
           fill_one_node(b, r, 0, task, gpus, FULLEST_FIRST);
}

static enum place_result total(struct builder *b, const struct request *r)
{
    uint32_t left = r->gpus;
    for (uint32_t rank = 0; left > 0; rank++) {
        if (one_node(b, r, rank, left))
            return PLACED;
        uint32_t taken = on_keeper(b, r, rank, left, 1, EMPTIEST_FIRST, part);
        if (!taken)
            taken = fill_piece(b, r, 0, rank, left, EMPTIEST_FIRST);
        if (!taken)
            return fill_failed(r);
        left -= taken;
    }
    return PLACED;
}

static enum place_result cached_place(struct builder *b, const struct request *r,
                                      const void *params)
{
    (void)params;
    if (r->tasks == SPLIT_ANY)
        return total(b, r);
    for (uint32_t k = 0; k < r->tasks; k++)
        if (!one_node(b, r, request_task(r, k), r->gpus))
            return fill_failed(r);
    return PLACED;
}

const struct placer cached_placer = {
    .abi = PLACEMENT_ABI,
    .name = "cached",
    .summary = "nodes that keep the job's data set or image; else best fit",
    .place = cached_place,
};
