/* edf.c - earliest deadline first; jobs without a deadline last. Equal ones by submit time. Sees
 * deadlines only.
 *
 * With preempt=yes jobs with later deadlines are preempted: on one server, if any schedule meets
 * every deadline, this one does (Dertouzos, IFIP 1974). */
#include "policies/common/queueing.h"

struct edf_params { struct queueing_params queueing; double preempt; };

static struct line_key key_deadline(struct sched *s, job_id j, const void *params)
{
    (void)params;
    return (struct line_key){ .time_ns = job_facts(s, j)->deadline_ns };
}

static const struct discipline non_preemptive = { .key = key_deadline };
static const struct discipline preemptive = { .key = key_deadline, .preempts = true };

static unsigned edf_needs(const void *params)
{
    return ((const struct edf_params *)params)->preempt > 0 ? SEES_RELEASING : 0;
}

QUEUEING_CALLBACKS(edf,
                   ((const struct edf_params *)params)->preempt > 0 ? &preemptive : &non_preemptive)
static const struct param edf_param_list[] = {
    QUEUEING_PARAM_SCOPE,
    QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
    QUEUEING_PARAM_PREEMPT("deadline is later", offsetof(struct edf_params, preempt)),
    { 0 },
};

const struct policy edf_policy = {
    QUEUEING_TABLE(edf),
    .name = "edf",
    .summary = "earliest deadline first, without a deadline last",
    .also_needs = edf_needs,
    .params = edf_param_list,
    .params_size = sizeof(struct edf_params),
};
