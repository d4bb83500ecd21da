/* sjf.c - shortest job first, by the true run time: the bound that honest policies are measured
 * against. With order=gpus, which sees no run time, the job that asks for the fewest GPUs is the
 * shortest. Equal ones by submit time. */
#include "policies/common/queueing.h"

struct sjf_params { struct queueing_params queueing; double order; };
enum { BY_TIME, BY_GPUS };
static const char *const orders[] = { "time", "gpus", NULL };

static struct line_key key_gpus(struct sched *s, job_id j, const void *params)
{
    (void)params;
    return (struct line_key){ .time_ns = job_size(s, j).gpu_milli };
}

static const struct discipline by_time = { .key = key_remaining };
static const struct discipline by_gpus = { .key = key_gpus };

static unsigned sjf_needs(const void *params)
{
    return (int)((const struct sjf_params *)params)->order == BY_TIME ? SEES_RUN_TIME : 0;
}

QUEUEING_CALLBACKS(sjf,
                   (int)((const struct sjf_params *)params)->order == BY_TIME ? &by_time : &by_gpus)
static const struct param sjf_param_list[] = {
    QUEUEING_PARAM_SCOPE,
    QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
    { "order", "time: shortest run time first; gpus: fewest GPUs first", "", 0, 0, BY_TIME, orders,
      offsetof(struct sjf_params, order) },
    { 0 },
};

const struct policy sjf_policy = {
    QUEUEING_TABLE(sjf),
    .name = "sjf",
    .summary = "shortest job first, without preemption",
    .also_needs = sjf_needs,
    .params = sjf_param_list,
    .params_size = sizeof(struct sjf_params),
};
