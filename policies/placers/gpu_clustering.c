/* gpu_clustering.c - tasks that want GPUs alike stay together: shares with shares, pairs with
 * pairs.
 *
 * Points of a node, after
 * hkust-adsl/kubernetes-scheduler-simulator:pkg/simulator/plugin/gpu_clustering_score.go (after
 * Gandiva, Xiao et al., OSDI'18): 75 if only tasks of the same kind hold its GPUs, 50 if others do
 * too, 25 if none does, 0 if only others do; and up to 25 for how little GPU is left, as a part of
 * the largest node's. What asks for no GPU takes the first node with room. */
#include "policies/placers/scored.h"

static const void *gpu_clustering_begin(const struct view *v, const void *params)
{
    (void)params;
    struct amount *most = view_alloc(v, sizeof *most);
    *most = largest_node(v);
    return most;
}

static int32_t gpu_clustering_score(const struct view *v, const struct request *r, node_id n,
                                    const void *state)
{
    const struct amount *most = state;
    struct node_free f = view_node_for(v, r, n);
    struct tenants t = view_tenants(v, n, r);
    if (!r->gpus || !most->gpu_milli)
        return 0;
    int32_t company = t.alike ? t.others ? 50 : 75 : t.others ? 0 : 25;
    return company +
           (int32_t)(25 * (most->gpu_milli - node_milli_left(v, n, &f)) / most->gpu_milli);
}

static enum place_result gpu_clustering_place(struct builder *b, const struct request *r,
                                              const void *params)
{
    static const struct placing_by_score how = {
        .by = { gpu_clustering_begin, gpu_clustering_score, scored_draws_ties }
    };
    return place_best(b, r, &how, params);
}

const struct placer gpu_clustering_placer = {
    .abi = PLACEMENT_ABI,
    .name = "gpu-clustering",
    .summary = "tasks that want GPUs alike stay together",
    .needs = SEES_TENANTS,
    .params = scored_param_list,
    .params_size = sizeof(struct scored_params),
    .place = gpu_clustering_place,
};
