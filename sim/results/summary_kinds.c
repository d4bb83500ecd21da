/* summary_kinds.c - what the metrics are called, and what each of them is. See summary.h. */
#include "sim/engine/models.h"
#include "sim/results/summary_parts.h"

#include <string.h>

const struct metric_kind metric_kinds[] = {
    [JOBS_SUBMITTED] = { "jobs_submitted", "", "jobs of the trace that arrived", BETTER_NEITHER },
    [JOBS_COMPLETED] = { "jobs_completed", "", "ended, and completed according to the trace", BETTER_HIGHER },
    [JOBS_FAILED] = { "jobs_failed", "", "ended, and failed according to the trace", BETTER_LOWER },
    [JOBS_CANCELLED] = { "jobs_cancelled", "", "ended, and cancelled according to the trace", BETTER_NEITHER },
    [JOBS_REJECTED] = { "jobs_rejected", "", "could never have run, or were refused by the policy", BETTER_LOWER },
    [JOBS_RUNNING] = { "jobs_running", "", "still running at the cut-off", BETTER_NEITHER },
    [JOBS_PENDING] = { "jobs_pending", "", "still waiting at the end", BETTER_LOWER },
    [JOBS_NEVER_STARTED] = { "jobs_never_started", "", "waiting at the end for quota, limit, a dependency or a deadlock, for ever", BETTER_LOWER },
    [JOBS_DEADLOCKED] = { "jobs_deadlocked", "", "holding part of a gang at the end, for ever", BETTER_LOWER },
    [JCT_MEAN] = { "jct_mean_s", "s", "job completion time: last end - submit; of jobs that ended", BETTER_LOWER },
    [JCT_P50] = { "jct_p50_s", "s", "its median (type 7)", BETTER_LOWER },
    [JCT_P90] = { "jct_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [JCT_P99] = { "jct_p99_s", "s", "its 99th percentile; from 1000 jobs on", BETTER_LOWER },
    [JCT_CENSORED_MEAN] = { "jct_censored_mean_s", "s", "mean JCT with unfinished jobs counted up to the end: a lower bound", BETTER_LOWER },
    [WAIT_MEAN] = { "wait_mean_s", "s", "all time in queue, requeues included; of jobs that ended", BETTER_LOWER },
    [WAIT_P50] = { "wait_p50_s", "s", "its median", BETTER_LOWER },
    [WAIT_P90] = { "wait_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [WAIT_P99] = { "wait_p99_s", "s", "its 99th percentile; from 1000 jobs on", BETTER_LOWER },
    [FIRST_WAIT_MEAN] = { "first_wait_mean_s", "s", "first start - submit; of jobs that ended", BETTER_LOWER },
    [WAITED] = { "waited_share", "", "share of the jobs that ended whose wait was not zero", BETTER_LOWER },
    [SLOWDOWN_MEAN] = { "slowdown_mean", "", "JCT / service time; of jobs that ended and had any", BETTER_LOWER },
    [BOUNDED_SLOWDOWN_MEAN] = { "bounded_slowdown_mean", "", "max(1, JCT / max(service time, 10 s)); of jobs that ended", BETTER_LOWER },
    [MAKESPAN] = { "makespan_s", "s", "last end - first submit", BETTER_LOWER },
    [UTIL_ALLOC] = { "util_alloc", "", "GPU-time held / GPU-time that was up; of a queue: its part of that", BETTER_HIGHER },
    [UTIL_BUSY] = { "util_busy", "", "GPU-time in which work was done / GPU-time that was up", BETTER_HIGHER },
    [UTIL_EFFECTIVE] = { "util_effective", "", "GPU-time of work that survived / GPU-time that was up", BETTER_HIGHER },
    [GOODPUT] = { "goodput", "", "GPU-time of work that survived / GPU-time held", BETTER_HIGHER },
    [GPU_H_HELD] = { "gpu_h_held", "GPU h", "GPU-time held", BETTER_NEITHER },
    [GPU_H_FREE_WHILE_WAITING] = { "gpu_h_free_while_waiting", "GPU h", "GPU-time free while at least one job waited", BETTER_LOWER },
    [PREEMPTIONS] = { "preemptions", "", "stops by the policy", BETTER_LOWER },
    [RESTARTS] = { "restarts", "", "starts of jobs that had run before", BETTER_LOWER },
    [GANG_GPU_H] = { "gang_gpu_h", "GPU h", "GPU-time held by gangs that were not complete", BETTER_LOWER },
    [LOST_GPU_H] = { "lost_gpu_h", "GPU h", "GPU-time of work that was rolled back", BETTER_LOWER },
    [OVERHEAD_GPU_H] = { "overhead_gpu_h", "GPU h", "GPU-time of starting up, of saving, and of incomplete gangs", BETTER_LOWER },
    [QUEUE_LENGTH_MEAN] = { "queue_length_mean", "", "jobs waiting, mean over time", BETTER_LOWER },
    [GPUS_WAITING_MEAN] = { "gpus_waiting_mean", "GPUs", "GPUs that waiting jobs ask for, mean over time", BETTER_LOWER },
    [FAIRNESS_P95] = { "finish_time_fairness_p95", "", "95th percentile of JCT / JCT on an exclusive 1/N of the GPUs", BETTER_LOWER },
    [FAIRNESS_MAX] = { "finish_time_fairness_max", "", "the largest of it", BETTER_LOWER },
    [FAIRNESS_KEPT] = { "finish_time_fairness_kept", "", "share of the jobs for which it is at most 1", BETTER_HIGHER },
    [QUOTA_SATISFACTION] = { "quota_satisfaction", "", "GPU-time held of what was owed: of what a queue asked for within its "
        "deserved quota. Without a quota: within the cluster; without demand: 1. In all: of the queues that have a quota", BETTER_HIGHER },
    [QUOTA_UNMET] = { "quota_unmet_gpu_h", "GPU h", "GPU-time owed and not held", BETTER_LOWER },
    [QUOTA_UNUSED] = { "quota_unused_gpu_h", "GPU h", "GPU-time of the deserved quota that its queue did not hold", BETTER_NEITHER },
    [BORROWED] = { "borrowed_gpu_h", "GPU h", "GPU-time held beyond the deserved quota", BETTER_NEITHER },
    [RECLAIMS] = { "reclaims", "", "times in which a queue held less than it was owed", BETTER_LOWER },
    [RECLAIMS_OPEN] = { "reclaims_open", "", "of these, the ones not over at the end", BETTER_LOWER },
    [RECLAIM_MEAN] = { "time_to_reclaim_mean_s", "s", "until it held what it was owed; those not over count up to the end: "
        "a lower bound", BETTER_LOWER },
    [RECLAIM_P90] = { "time_to_reclaim_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [RECLAIM_MAX] = { "time_to_reclaim_max_s", "s", "the longest of it", BETTER_LOWER },
    [FAIR_SHARE_HELD] = { "fair_share_held", "", "GPU-time held / GPU-time asked for within the fair share: the deserved quota "
        "and, of what no quota covers, a part by weight", BETTER_HIGHER },
    [JAIN_INDEX] = { "jain_index", "", "Jain's index of fair_share_held over the queues that had demand: 1 if all are alike, "
        "1/N at worst", BETTER_HIGHER },
    [PREEMPTED_FIRST + PREEMPTED_RECLAIM] = { "preemptions_reclaim", "", "preemptions for a job of another queue", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_PRIORITY] = { "preemptions_preempt", "", "preemptions for a job of the same queue", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_MOVE] = { "preemptions_move", "", "preemptions of jobs started elsewhere in the same pass", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_BROKEN] = { "preemptions_broken", "", "preemptions of gangs of which a task was stopped; the "
        "policy did not say for whom", BETTER_LOWER },
    [PREEMPTED_FIRST + PREEMPTED_POLICY] = { "preemptions_policy", "", "all others: the policy did not say for whom", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_RECLAIM] = { "lost_gpu_h_reclaim", "GPU h", "GPU-time rolled back by preemptions_reclaim", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_PRIORITY] = { "lost_gpu_h_preempt", "GPU h", "by preemptions_preempt", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_MOVE] = { "lost_gpu_h_move", "GPU h", "by preemptions_move", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_BROKEN] = { "lost_gpu_h_broken", "GPU h", "by preemptions_broken", BETTER_LOWER },
    [LOST_FIRST + PREEMPTED_POLICY] = { "lost_gpu_h_policy", "GPU h", "by preemptions_policy", BETTER_LOWER },
    [JOBS_ROUTED] = { "jobs_routed", "", "jobs of the trace that a federation has sent to the member", BETTER_NEITHER },
    [METRICS] = { NULL, NULL, NULL, BETTER_NEITHER },
};

const struct metric_kind *metric_find(const char *name)
{
    for (const struct metric_kind *m = metric_kinds; m->name; m++)
        if (!strcmp(m->name, name))
            return m;
    for (const struct run_model *const *of = run_models; *of; of++)
        for (const struct metric_kind *m = (*of)->metrics; m && m->name; m++)
            if (!strcmp(m->name, name))
                return m;
    return NULL;
}
