/* best_fit.c - the node that is left with the least CPU and GPU, each as a part of the largest
 * node's or of norm_cpus and norm_gpus.
 *
 * score = int(100 (1 - [(CPU left over) / (most CPU of a node) + (GPU left over) / (most GPU of a
 * node)] / 2)), after
 * hkust-adsl/kubernetes-scheduler-simulator:pkg/simulator/plugin/best_fit_score.go, where the most
 * is fixed at 128 CPUs and 8 GPUs (norm_cpus=128,norm_gpus=8). Where CPUs are not modelled, the GPUs count alone. A share takes
 * the GPU with the least left that fits. */
#include "policies/placers/scored.h"

static const void *best_fit_begin(const struct view *v, const void *params)
{
    struct amount *most = view_alloc(v, sizeof *most);
    *most = norm_of(v, params);
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
    static const struct placing_by_score how = {
        .by = { best_fit_begin, best_fit_score, scored_draws_ties }
    };
    return place_best(b, r, &how, params);
}

static const struct param best_fit_params[] = { NORM_PARAMS, { 0 } };

const struct placer best_fit_placer = {
    .abi = PLACEMENT_ABI,
    .name = "best-fit",
    .summary = "the node that is left with the least CPU and GPU together",
    .params = best_fit_params,
    .params_size = sizeof(struct norm_params),
    .place = best_fit_place,
};
