/* summary_builder.h - what the files that make a summary share, and nobody else. */
#pragma once
#include "sim/results/summary.h"

enum {
    JOBS_SUBMITTED, JOBS_COMPLETED, JOBS_FAILED, JOBS_CANCELLED, JOBS_REJECTED, JOBS_RUNNING, JOBS_PENDING,
    JOBS_NEVER_STARTED, JOBS_DEADLOCKED, JCT_MEAN, JCT_P50, JCT_P90, JCT_P99, JCT_CENSORED_MEAN,
    WAIT_MEAN, WAIT_P50, WAIT_P90, WAIT_P99,
    FIRST_WAIT_MEAN, WAITED, SLOWDOWN_MEAN, BOUNDED_SLOWDOWN_MEAN, MAKESPAN, UTIL_ALLOC, UTIL_BUSY, UTIL_EFFECTIVE, GOODPUT,
    GPU_H_HELD, GPU_H_FREE_WHILE_WAITING, PREEMPTIONS, RESTARTS, GANG_GPU_H, LOST_GPU_H, OVERHEAD_GPU_H, QUEUE_LENGTH_MEAN,
    GPUS_WAITING_MEAN, FAIRNESS_P95, FAIRNESS_MAX, FAIRNESS_KEPT,
    QUOTA_SATISFACTION, QUOTA_UNMET, QUOTA_UNUSED, BORROWED, RECLAIMS, RECLAIMS_OPEN, RECLAIM_MEAN, RECLAIM_P90, RECLAIM_MAX,
    FAIR_SHARE_HELD, JAIN_INDEX, PREEMPTED_FIRST, LOST_FIRST = PREEMPTED_FIRST + PREEMPTION_CAUSES,
    JOBS_ROUTED = LOST_FIRST + PREEMPTION_CAUSES, METRICS
};

struct summary_builder { struct summary *m; size_t capacity; const struct sched *s; const struct run_totals *totals; };
void   summary_put_kind(struct summary_builder *k, const struct metric_kind *kind, const char *scope, double value, uint64_t n);
void   summary_put(struct summary_builder *k, unsigned metric, const char *scope, double value, uint64_t n);    /* n 0: no value */
const char *summary_scope(struct summary_builder *k, const char *kind, const char *name);    /* "queue=Q", in the summary's memory */
double gpu_hours(int128_t milli_ns);

/* summary_quota.c - of one queue, which may have queues below it; of all that have none. */
void summary_queue_quota(struct summary_builder *k, const char *scope, queue_id q);
void summary_all_quota(struct summary_builder *k, const char *scope);
