/* priority.c - higher priority first, equal ones by submit time; with preempt=yes lower ones are
 * preempted.
 *
 * With age_weight, every full hour that a job has waited adds to its priority, up to age_max.
 * Between two such moments no priority changes, so each is a timer that moves one job. A running
 * job keeps the priority of its start. */
#include "policies/common/queueing.h"
#include "policies/common/timers.h"

struct priority_params { struct queueing_params queueing; double preempt, age_weight, age_max; };
struct priority {
    struct queueing_state queueing;
    const struct priority_params *params;
    struct timers timers;
};
/* Of a job: without the present wait, which began at since_ns. */
struct age { int64_t waited_ns, since_ns, hours; };
static const int64_t hour_ns = 3600 * INT64_C(1000000000);

static struct line_key key_aged(struct sched *s, job_id j, const void *params)
{
    const struct priority_params *p = params;
    struct line_key k = key_priority(s, j, params);
    double aged = (double)((const struct age *)job_own(s, j))->hours * p->age_weight;
    k.major -= aged < p->age_max ? aged : p->age_max;
    return k;
}

static const struct discipline non_preemptive = { .key = key_aged };
static const struct discipline preemptive = { .key = key_aged, .preempts = true };

static unsigned priority_needs(const void *params)
{
    return ((const struct priority_params *)params)->preempt > 0 ? SEES_RELEASING : 0;
}

static void set_timer(struct sched *s, struct priority *p, job_id j)
{
    const struct age *a = job_own(s, j);
    if ((double)a->hours * p->params->age_weight < p->params->age_max)
        timer_set(s, &p->timers, j, a->since_ns + (a->hours + 1) * hour_ns - a->waited_ns);
    else
        timer_drop(s, &p->timers, j);
}

static void priority_begin(struct sched *s, const void *params, void *state)
{
    struct priority *p = state;
    p->params = params;
    timers_begin(&p->timers);
    queueing_begin(s, &p->queueing, p->params->preempt > 0 ? &preemptive : &non_preemptive, params);
}

static void priority_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct priority *p = state;
    ((struct age *)job_own(s, j))->since_ns = sched_now(s);
    if (p->params->age_weight > 0)
        set_timer(s, p, j);
    queueing_arrived(s, &p->queueing, j);
    timers_arm(s, &p->timers);
}

static void priority_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct priority *p = state;
    struct age *a = job_own(s, j);
    a->waited_ns += sched_now(s) - a->since_ns;
    timer_drop(s, &p->timers, j);
    queueing_started(s, &p->queueing, j);
}

static void priority_stopped(struct sched *s, const void *params, void *state, job_id j,
                             enum stop_cause why)
{
    (void)params;
    (void)why;
    struct age *a = job_own(s, j);
    a->since_ns = sched_now(s);       /* it may move, and start without having arrived */
    queueing_stopped(s, &((struct priority *)state)->queueing, j);
}

static void priority_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct priority *p = state;
    job_id j;
    for (int64_t time_ns; timer_due(s, &p->timers, &j, &time_ns);) {
        ((struct age *)job_own(s, j))->hours++;
        set_timer(s, p, j);
        queueing_moved(s, &p->queueing, j);
    }
    queueing_serve(s, &p->queueing);
    timers_arm(s, &p->timers);
}

static const struct param priority_param_list[] = {
    QUEUEING_PARAM_SCOPE,
    QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
    QUEUEING_PARAM_PREEMPT("priority is lower", offsetof(struct priority_params, preempt)),
    { "age_weight", "added for every full hour of waiting", "", 0, 1e9, 0, NULL,
      offsetof(struct priority_params, age_weight) },
    { "age_max", "the largest sum that waiting adds", "", 0, 1e9, 10, NULL,
      offsetof(struct priority_params, age_max) },
    { 0 },
};

const struct policy priority_policy = {
    .abi = POLICY_ABI,
    .name = "priority",
    .summary = "higher priority first, then arrival order",
    .also_needs = priority_needs,
    .params = priority_param_list,
    .params_size = sizeof(struct priority_params),
    .state_size = sizeof(struct priority),
    .job_size = sizeof(struct age),
    .begin = priority_begin,
    .schedule = priority_schedule,
    .job_arrived = priority_arrived,
    .job_started = priority_started,
    .job_stopped = priority_stopped,
};
