/* queue.h - the scheduling queue of kube: pods that are ready to be tried, that rest, and that are
 * set aside.
 *
 * After kubernetes/kubernetes:pkg/scheduler/internal/queue/scheduling_queue.go and
 * framework/plugins/queuesort. Ready pods go by priority, then by the time at which they entered or
 * last failed; pods that failed are set aside until something could help them, and then rest until
 * their back-off ends: 1 s after the first failure, twice as long after each, 10 s at most. Pods of
 * jobs that arrive at one instant alternate, since their controllers make them at the same time;
 * other ties end on the order of failing, then on the job. */
#pragma once
#include "sim/contract/policy.h"

#define ALL_PODS UINT32_MAX       /* a job as one entry */

struct waiting_pod {
    int64_t time_ns;              /* entered or failed last; of a resting one: rests until then */
    uint64_t order;               /* among those of one time */
    int64_t failed_ns;
    job_id job;
    uint32_t task, attempts, epoch;
    int32_t priority;
};
struct pod_list { struct waiting_pod *pod; size_t n, capacity; };
/* In an order: a run, which pods join that come after all of it, and a heap of the others. Mostly
 * pods come in order: those that failed together are woken together. */
struct pod_order {
    struct pod_list run, heap;
    size_t first;                 /* of the run: those before it are taken out */
};
struct kube_queue {
    struct pod_order ready, resting;
    struct pod_list parked;       /* in the order of failing */
    uint64_t pass, failures;
    int64_t *backoff_ns;          /* [n_backoffs] after each failure; the last also after later ones */
    uint32_t n_backoffs;
};

void queue_begin(struct sched *s, struct kube_queue *q, double backoff_s, double backoff_max_s);
void queue_enter(struct sched *s, struct kube_queue *q, job_id j, uint32_t task, uint32_t epoch);
void queue_pass(struct kube_queue *q);                       /* a pass begins */
/* When the first of those that rest is ready; false: none rests. */
bool queue_rests(const struct kube_queue *q, int64_t *until_ns);
void queue_wake_rested(struct sched *s, struct kube_queue *q);
/* Something may help: pods set aside become ready, or rest until their back-off ends; rests() is
 * called for each that rests. When the last of these is ready; 0: none rests. */
int64_t queue_wake_parked(struct sched *s, struct kube_queue *q,
                          void (*rests)(struct sched *s, job_id j));
/* Takes out the first ready one; false: none. */
bool queue_next(struct kube_queue *q, struct waiting_pod *pod);
/* Returns a pod to its place among the ready ones. */
void queue_return(struct sched *s, struct kube_queue *q, struct waiting_pod pod);
/* Sets a pod aside. */
void queue_failed(struct sched *s, struct kube_queue *q, struct waiting_pod *pod);
