/* las.c - least attained service first, in queues: las by seconds of running, las2d by GPU-seconds.
 *
 * After Tiresias (Gu et al., NSDI'19; SymbioticLab/Tiresias:simulator/run_sim.py). A job starts in
 * the first queue and falls to the next at the moment when its service crosses a threshold; jobs of
 * later queues are preempted. Inside a queue those that run go first, then by the time of entry,
 * ties by submit time. A job that has waited longer than `promote` x its service goes back to the
 * first queue, and its service counts from 0 again.
 *
 * With continuous=yes every quantum is a queue, and running is no advantage: plain least attained
 * service, on one server foreground-background (Kleinrock, Queueing Systems vol. 2, 4.6), in round
 * robin among equals. Sees no run times.
 *
 * Jobs that take turns make no progress where a stop loses all their work: without checkpoints, or
 * with quanta shorter than a restart, a run ends as a livelock (not with promote=0 in queues, since
 * running jobs go first in the last of them). */
#include "policies/orders/attained.h"

#include <math.h>

struct las_params {
    struct queueing_params queueing;
    double threshold1, threshold2, promote, continuous, quantum_s;
};
struct las { struct attained attained; const struct las_params *params; };

static double las_stage_end(const struct attained *a, uint32_t stage)
{
    const struct las_params *p = ((const struct las *)a)->params;
    if (p->continuous > 0)
        return (stage + 1.0) * p->quantum_s;
    double first = fmin(p->threshold1, p->threshold2), second = fmax(p->threshold1, p->threshold2);
    double end[] = { first > 0 ? first : second, first > 0 ? second : 0 };
    return stage < 2 && end[stage] > 0 ? end[stage] : INFINITY;
}

static struct line_key las_key(const struct attained *a, job_id j, const struct account *of,
                               double service)
{
    (void)j;
    (void)service;
    bool runs = of->since_ns >= 0 && ((const struct las *)a)->params->continuous <= 0;
    return (struct line_key){ .major = of->stage, .minor = !runs, .time_ns = of->entered_ns };
}

static const struct attained_rule las_rule = {
    .discipline = { .key = attained_key, .preempts = true },
    .stage_end = las_stage_end,
    .key = las_key,
};

static void las_begin(struct sched *s, const void *params, void *state)
{
    struct las *l = state;
    l->params = params;
    l->attained.promote = l->params->continuous > 0 ? 0 : l->params->promote;
    attained_begin(s, &l->attained, &las_rule, params);
}

static void las2d_begin(struct sched *s, const void *params, void *state)
{
    ((struct las *)state)->attained.by_gpus = true;
    las_begin(s, params, state);
}

ATTAINED_CALLBACKS(las)
#define LAS_PARAMS(unit)                                                                           \
    QUEUEING_PARAM_SCOPE, QUEUEING_PARAM_BLOCKING(BLOCKING_SKIP),                                  \
    { "threshold1", "service that ends the first queue; 0: there is no such queue", unit, 0, 1e12, 3250, NULL, \
      offsetof(struct las_params, threshold1) },                                                   \
    { "threshold2", "service that ends the second queue; 0: there is no such queue", unit, 0, 1e12, 7200, NULL, \
      offsetof(struct las_params, threshold2) },                                                   \
    { "promote", "waiting time, as a multiple of its service, that brings a job back to the first queue; 0: never", \
      "", 0, 1e9, 8, NULL, offsetof(struct las_params, promote) },                                 \
    { "continuous", "yes: plain least attained service, a queue for every quantum", "", 0, 0, 0, param_no_yes, \
      offsetof(struct las_params, continuous) },                                                   \
    { "quantum_s", "service in a quantum", unit, 1e-6, 1e9, 60, NULL, offsetof(struct las_params, quantum_s) }, \
    { 0 }
static const struct param las_param_list[] = { LAS_PARAMS("s") };
static const struct param las2d_param_list[] = { LAS_PARAMS("GPU-s") };

#define LAS_TABLE                                                                                  \
    ATTAINED_TABLE(las), .needs = SEES_RELEASING, .params_size = sizeof(struct las_params),        \
                         .state_size = sizeof(struct las)
const struct policy las_policy = {
    LAS_TABLE, .name = "las", .summary = "least attained service first, in queues, with preemption",
    .begin = las_begin, .params = las_param_list,
};
const struct policy las2d_policy = {
    LAS_TABLE,
    .name = "las2d",
    .summary = "least attained GPU-seconds first, in queues, with preemption",
    .begin = las2d_begin,
    .params = las2d_param_list,
};
