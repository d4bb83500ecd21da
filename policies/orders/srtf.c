/* srtf.c - shortest remaining time first, with preemption. On one server SRPT, which is optimal for
 * the mean JCT (Schrage, Operations Research 16(3), 1968). The preemption overhead is the
 * simulator's, and may be zero. */
#include "policies/common/queueing.h"

static const struct discipline srtf = { .key = key_remaining, .preempts = true, .shrinks = true };
QUEUEING_CALLBACKS(srtf, &srtf)
static const struct param srtf_params[] = { QUEUEING_PARAM_SCOPE,
                                            QUEUEING_PARAM_BLOCKING(BLOCKING_SKIP),
                                            { 0 } };

const struct policy srtf_policy = {
    QUEUEING_TABLE(srtf),
    .name = "srtf",
    .summary = "shortest remaining time first, with preemption",
    .needs = SEES_RUN_TIME | SEES_RELEASING,
    .params = srtf_params,
    .params_size = sizeof(struct queueing_params),
};
