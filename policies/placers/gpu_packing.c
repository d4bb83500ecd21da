/* gpu_packing.c - GPUs that are shared already, then free GPUs of nodes in use, then idle nodes.
 *
 * Scores, after hkust-adsl/kubernetes-scheduler-simulator:pkg/simulator/plugin/gpu_packing_score.go
 * (the placement of MLaaS in the wild, Weng et al., NSDI'22): 50 to 100 if no wholly free GPU is
 * needed, less the more is left on those taken; 33 to 50 on a node in use, less one for each free
 * GPU that is taken; up to 33 on an idle node, less one for each GPU that it has. What asks for no
 * GPU takes the first node with room. GPUs are taken fullest first. */
#include "policies/placers/scored.h"
#include "sim/contract/util/minmax.h"

enum { MOST = 100 };

/* What is left, in percent of each GPU, of the `gpus` fullest shared ones that have that share;
 * *whole: of how many there are none, so that whole ones must serve. */
static int32_t percent_left(const struct view *v, node_id n, const struct request *r,
                            uint64_t shared, uint32_t *whole)
{
    int32_t percent = 0;
    uint32_t gpus = r->gpus;
    for (; gpus > 0; gpus--) {
        uint64_t fullest = 0;
        uint32_t least = MILLI_ALL;
        for (uint64_t m = shared; m; m &= m - 1) {
            uint32_t left = view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m));
            if (left < least && view_gpu_fits(v, r, n, (unsigned)__builtin_ctzll(m))) {
                least = left;
                fullest = m & -m;
            }
        }
        if (!fullest)
            break;
        shared &= ~fullest;
        percent += (int32_t)(least * 100 / MILLI_ALL);
    }
    *whole = gpus;
    return percent;
}

static int32_t gpu_packing_score(const struct view *v, const struct request *r, node_id n,
                                 const void *state)
{
    struct node_free f = view_node_for(v, r, n);
    uint32_t whole;
    (void)state;
    if (!r->gpus)
        return 0;
    if (f.whole == f.capacity)
        return max_i32(MOST / 3 - (int32_t)f.whole, (int32_t)f.whole);
    int32_t percent = percent_left(v, n, r, f.shared_mask, &whole);
    return whole ? max_i32(MOST / 2 - (int32_t)whole, MOST / 3)
                 : max_i32(MOST - percent / 10, MOST / 2);
}

static enum place_result gpu_packing_place(struct builder *b, const struct request *r,
                                           const void *params)
{
    static const struct placing_by_score how = {
        .by = { NULL, gpu_packing_score, scored_draws_ties }
    };
    return place_best(b, r, &how, params);
}

const struct placer gpu_packing_placer = {
    .abi = PLACEMENT_ABI,
    .name = "gpu-packing",
    .summary = "shared GPUs first, then nodes in use, then idle nodes",
    .params = scored_param_list,
    .params_size = sizeof(struct scored_params),
    .place = gpu_packing_place,
};
