/* best_fit.c - the node that is left with the least CPU and GPU, each as a part of the largest
 * node's.
 *
 * score = int(100 (1 - [(CPU left over) / (most CPU of a node) + (GPU left over) / (most GPU of a
 * node)] / 2)), after
 * hkust-adsl/kubernetes-scheduler-simulator:pkg/simulator/plugin/best_fit_score.go, where the most
 * is fixed at 128 CPUs and 8 GPUs. Where CPUs are not modelled, the GPUs count alone. A share takes
 * the GPU with the least left that fits. */
#include "policies/placers/scored.h"

static const void *best_fit_begin(const struct view *v, const void *params)
{
    (void)params;
    struct amount *most = view_alloc(v, sizeof *most);
    *most = largest_node(v);
    return most;
}

static int32_t best_fit_score(const struct view *v, const struct request *r, node_id n,
                              const void *state)
{
    return fit_points(v, r, n, state);
}

static enum place_result best_fit_place(struct builder *b, const struct request *r,
                                        const void *params)
{
    static const struct placing_by_score how = { .by = { best_fit_begin, best_fit_score } };
    return place_best(b, r, &how, params);
}

const struct placer best_fit_placer = {
    .abi = PLACEMENT_ABI,
    .name = "best-fit",
    .summary = "the node that is left with the least CPU and GPU together",
    .place = best_fit_place,
};
