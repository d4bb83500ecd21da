/* qssf.c - smallest expected service first: the estimated run time x the GPUs asked for, without
 * preemption.
 *
 * After "quasi-shortest service first" (Hu et al., SC'21); its predictor is the source of the
 * estimates. Jobs without an estimate go last; equal ones go by submit time. Sees estimates
 * only. */
#include "policies/common/queueing.h"

#include <math.h>

static struct line_key key_expected(struct sched *s, job_id j, const void *params)
{
    (void)params;
    int64_t estimate_ns = job_estimate_ns(s, j);
    double gpus = (double)job_size(s, j).gpu_milli / MILLI_ALL;
    return (struct line_key){ .major = estimate_ns == TIME_NEVER ? INFINITY
                                                                 : (double)estimate_ns * gpus };
}

static const struct discipline qssf = { .key = key_expected };
QUEUEING_CALLBACKS(qssf, &qssf)
static const struct param qssf_params[] = { QUEUEING_PARAM_SCOPE,
                                            QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
                                            { 0 } };

const struct policy qssf_policy = {
    QUEUEING_TABLE(qssf),
    .name = "qssf",
    .summary = "smallest estimated run time x GPUs first; without an estimate last",
    .params = qssf_params,
    .params_size = sizeof(struct queueing_params),
};
