/* sjf.c - shortest job first, by the true run time: the bound that honest policies are measured against. */
#include "policies/ordered.h"

static const struct discipline sjf = { .key = key_remaining };
ORDERED_CALLBACKS(sjf, &sjf)
static const struct param sjf_params[] = { ORDERED_PARAM_SCOPE, ORDERED_PARAM_BLOCKING(BLOCKING_STRICT), { 0 } };

const struct policy sjf_policy = {
    ORDERED_TABLE(sjf),
    .name = "sjf",
    .summary = "shortest job first, without preemption",
    .needs = SEES_RUN_TIME,
    .params = sjf_params,
    .params_size = sizeof(struct ordered_params),
};
