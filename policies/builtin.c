/* builtin.c - the list of policies and placers. */
#include "policies/registry.h"

extern const struct policy fifo_policy, sjf_policy, srtf_policy, priority_policy, static_policy, easy_policy, conservative_policy,
    drf_policy, fair_share_policy, multifactor_policy, fair_tree_policy, themis_policy;
extern const struct placer pack_placer, first_fit_placer, spread_placer, random_placer, consolidate_placer, count_placer;

const struct policy *const builtin_policies[] = {
    &fifo_policy, &sjf_policy, &srtf_policy, &priority_policy, &easy_policy, &conservative_policy, &static_policy, &drf_policy,
    &fair_share_policy, &multifactor_policy, &fair_tree_policy, &themis_policy, NULL,
};
const struct placer *const builtin_placers[] = {
    &pack_placer, &first_fit_placer, &spread_placer, &random_placer, &consolidate_placer, &count_placer, NULL,
};
