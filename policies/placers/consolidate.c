/* consolidate.c - whole nodes and one rest, as S-Lab-System-Group/HeliosArtifact places
 * (reproductions.md 1).
 *
 * What fits a node goes to the node with the fewest free GPUs that has room, never split. What is
 * larger takes fully free nodes, lowest number first, and its remainder the node then most free. A
 * node's size is that of the node most free. */
#include "policies/placers/filling.h"
#include "sim/contract/util/minmax.h"

static bool most_free(const struct builder *b, const struct request *r, node_id *n)
{
    struct node_walk w = { .v = builder_view(b), .r = r, .order = EMPTIEST_FIRST };
    return node_walk_next(&w, n);
}

static enum place_result place_total(struct builder *b, const struct request *r)
{
    uint32_t left = r->gpus;
    node_id n;
    if (!most_free(b, r, &n))
        return fill_failed(r);
    if (left <= view_node_for(builder_view(b), r, n).capacity)
        return fill_one_node(b, r, 0, 0, left, FULLEST_FIRST) ? PLACED : fill_failed(r);
    for (uint32_t rank = 0; left > 0; rank++) {
        if (!most_free(b, r, &n))
            return fill_failed(r);
        struct node_free f = view_node_for(builder_view(b), r, n);
        uint32_t take = min_u32(left, f.capacity);
        if (f.whole < take || !builder_add_some(b, r, rank, n, take))
            return fill_failed(r);
        left -= take;
    }
    return PLACED;
}

static enum place_result consolidate_place(struct builder *b, const struct request *r,
                                           const void *params)
{
    (void)params;
    return r->tasks == SPLIT_ANY ? place_total(b, r) : fill(b, r, FULLEST_FIRST, EMPTIEST_FIRST);
}

const struct placer consolidate_placer = {
    .abi = PLACEMENT_ABI,
    .name = "consolidate",
    .summary = "one node if it fits one, else fully free nodes and the rest on the node most free",
    .place = consolidate_place,
};
