/* srsf.c - shortest remaining service first: remaining time x GPUs, with preemption (Tiresias,
 * NSDI'19, calls it SRSF). The preemption overhead is the simulator's. Ties by submit time. */
#include "policies/common/queueing.h"

static const struct discipline srsf = {
    .key = key_service, .preempts = true, .shrinks = true, .by_gpus = true
};
QUEUEING_CALLBACKS(srsf, &srsf)
static const struct param srsf_params[] = { QUEUEING_PARAM_SCOPE,
                                            QUEUEING_PARAM_BLOCKING(BLOCKING_SKIP),
                                            { 0 } };

const struct policy srsf_policy = {
    QUEUEING_TABLE(srsf),
    .name = "srsf",
    .summary = "smallest remaining time x GPUs first, with preemption",
    .needs = SEES_RUN_TIME | SEES_RELEASING,
    .params = srsf_params,
    .params_size = sizeof(struct queueing_params),
};
