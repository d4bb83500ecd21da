/* builtin.c - the list of policies and placers, in the order in which they are shown. */
#include "policies/registry.h"

#define EACH_POLICY(x)                                                                             \
    x(fifo) x(sjf) x(ljf) x(qssf) x(edf) x(srtf) x(srsf) x(las) x(las2d) x(gittins) x(priority) x(preemptive) \
    x(multifactor) x(fair_tree) x(slurm) x(easy) x(conservative) x(static) x(kube) x(gang) x(quota) x(cohort) x(drf) \
    x(fair_share) x(themis) x(elastic) x(goodput) x(loss) x(recorded)
#define EACH_PLACER(x)                                                                             \
    x(pack) x(first_fit) x(spread) x(random) x(consolidate) x(count) x(best_fit) x(fgd) x(dot_product) x(gpu_packing) \
    x(gpu_clustering) x(rack) x(tightest) x(fastest) x(rate) x(cached) \
    x(kueue_tas)

#define DECLARE_POLICY(name) extern const struct policy name##_policy;
#define DECLARE_PLACER(name) extern const struct placer name##_placer;
#define POLICY_ADDRESS(name) &name##_policy,
#define PLACER_ADDRESS(name) &name##_placer,

EACH_POLICY(DECLARE_POLICY)
EACH_PLACER(DECLARE_PLACER)

const struct policy *const builtin_policies[] = { EACH_POLICY(POLICY_ADDRESS) NULL };
const struct placer *const builtin_placers[] = { EACH_PLACER(PLACER_ADDRESS) NULL };
