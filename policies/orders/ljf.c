/* ljf.c - longest job first, by the true run time: the adversary of sjf. Equal ones by submit
 * time. */
#include "policies/common/queueing.h"

static struct line_key key_longest(struct sched *s, job_id j, const void *params)
{
    struct line_key k = key_remaining(s, j, params);
    k.time_ns = -k.time_ns;
    return k;
}

static const struct discipline ljf = { .key = key_longest };
QUEUEING_CALLBACKS(ljf, &ljf)
static const struct param ljf_params[] = { QUEUEING_PARAM_SCOPE,
                                           QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
                                           { 0 } };

const struct policy ljf_policy = {
    QUEUEING_TABLE(ljf),
    .name = "ljf",
    .summary = "longest job first, without preemption",
    .needs = SEES_RUN_TIME,
    .params = ljf_params,
    .params_size = sizeof(struct queueing_params),
};
