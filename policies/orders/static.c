/* static.c - "two for me, two for you": each queue has GPUs of its own, used or idle.
 *
 * A queue that owns nodes (pinned form) is confined to them by the world. Any other queue holds at
 * most its deserved GPUs at a time (count form), on whatever nodes. Nothing is ever borrowed. */
#include "policies/common/queueing.h"

#include <stdio.h>

struct static_params { struct queueing_params queueing; double order; };
enum { BY_SUBMIT, BY_DURATION, BY_PRIORITY };
static const char *const orders[] = { "submit", "shortest", "priority", NULL };

/* The queue holds at most its deserved GPUs; a job that asks for more than it ever
 * deserves is refused for good. */
static bool own_share(struct sched *s, job_id j, enum wait_reason *why)
{
    queue_id q = job_facts(s, j)->queue;
    const struct queue_facts *facts = queue_facts(s, q);
    int64_t share = facts->quota.deserved.gpu_milli, need = job_size(s, j).gpu_milli;
    if (facts->pinned || share == UNLIMITED || queue_held(s, q).gpu_milli + need <= share)
        return true;
    *why = WAIT_LIMIT;
    share = queue_most_deserved(s, q);
    if (share != UNLIMITED && need > share) {
        char reason[128];
        snprintf(reason, sizeof reason, "asks for more than the %g GPUs of its queue",
                 (double)share / MILLI_ALL);
        sched_refuse(s, j, reason);
    }
    return false;
}

static struct line_key static_key(struct sched *s, job_id j, const void *params)
{
    switch ((int)((const struct static_params *)params)->order) {
    case BY_DURATION:
        return key_remaining(s, j, params);
    case BY_PRIORITY:
        return key_priority(s, j, params);
    default:
        return key_submit(s, j, params);
    }
}

static unsigned static_needs(const void *params)
{
    return (int)((const struct static_params *)params)->order == BY_DURATION ? SEES_RUN_TIME : 0;
}

static const struct discipline partition = { .key = static_key, .admits = own_share };
QUEUEING_CALLBACKS(static, &partition)
static const struct param static_param_list[] = {
    { "scope", "queue: a line for each queue; pool: one line, and its head blocks all", "", 0, 0,
      SCOPE_QUEUE, queueing_scopes, offsetof(struct queueing_params, scope) },
    QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
    { "order", "order of the jobs of a queue", "", 0, 0, BY_SUBMIT, orders,
      offsetof(struct static_params, order) },
    { 0 },
};

const struct policy static_policy = {
    QUEUEING_TABLE(static),
    .name = "static",
    .reads = READS_QUOTAS,
    .summary = "each queue has GPUs of its own: its nodes, or its deserved number",
    .also_needs = static_needs,
    .params = static_param_list,
    .params_size = sizeof(struct static_params),
};
