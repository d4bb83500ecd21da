/* queue.h - the scheduling queue of kube: pods that are ready to be tried, that rest, and that are
 * set aside.
 *
 * After kubernetes/kubernetes:pkg/scheduler/internal/queue/scheduling_queue.go and
 * framework/plugins/queuesort. Ready pods go by priority, then by the time at which they entered or
 * last failed; pods that failed are set aside until something could help them, and then rest until
 * their back-off ends: 1 s after the first failure, twice as long after each, 10 s at most. Pods of
 * jobs that arrive at one instant alternate, since their controllers make them at the same time;
 * other ties end on the order of failing, then on the job.
 *
 * Mostly all pods fail whenever anything is released, for the same reasons as before. So those that
 * failed one after the other are kept as a crowd: an array in the order of failing, whose pods stay
 * where they are while they fail again, and become ready and rest together. All that fail while the
 * crowd is ready join it; pods with a shorter back-off leave it when it would rest without them.
 *
 * And a pod may have a kind: the policy vouches that it fails as others of its kind do, and says
 * which kinds fail now, and why. Such pods are passed over, a few instructions each. */
#pragma once
#include "sim/contract/policy.h"

#define ALL_PODS UINT32_MAX       /* a job as one entry */

struct waiting_pod {
    int64_t since_ns;             /* entered or failed last */
    uint64_t order;               /* among those of one time */
    job_id job;
    uint32_t task, epoch;
    int32_t priority;
    uint32_t kind;                /* 0: it has to be tried */
    uint16_t attempts;            /* that failed; as many as there are back-offs stands for more */
    uint8_t why;                  /* with a kind: 1 + the reason of its job */
};
struct pod_list { struct waiting_pod *pod; size_t n, capacity; };
/* In an order: a run, which pods join that come after all of it, and a heap of the others. Mostly
 * pods come in order: those that failed together are woken together. */
struct pod_order {
    struct pod_list run, heap;
    size_t first;                 /* of the run: those before it are taken out */
};
/* Their times and places in the order are those of the crowd: of pod i since_ns and order + i. While
 * it is ready: [0, kept) have failed in this pass, those from `next` on are to be tried. */
struct crowd {
    enum { CROWD_READY, CROWD_PARKED, CROWD_RESTS } state;    /* ready, too, when it is empty */
    struct pod_list pods;
    size_t next, kept;
    size_t n_short;               /* that have not the longest back-off */
    size_t parked_before;         /* so many of `parked` failed before it did */
    int64_t since_ns;
    uint64_t order;
    bool parted;                  /* some have left: each has its own `order` */
};
struct kube_queue {
    struct pod_order ready, resting;
    struct pod_list parked;       /* in the order of failing */
    struct crowd crowd;
    uint64_t pass, failures;
    int64_t *backoff_ns;          /* [n_backoffs] after each failure; the last also after later ones */
    uint32_t n_backoffs;
};

typedef void pod_rests(struct sched *s, const struct waiting_pod *pod);
typedef bool pod_gone(struct sched *s, const struct waiting_pod *pod);

void queue_begin(struct sched *s, struct kube_queue *q, double backoff_s, double backoff_max_s);
void queue_enter(struct sched *s, struct kube_queue *q, job_id j, uint32_t task, uint32_t epoch);
void queue_pass(struct kube_queue *q);                       /* a pass begins */
/* When the first of those that rest is ready; false: none rests. */
bool queue_rests(const struct kube_queue *q, int64_t *until_ns);
void queue_wake_rested(struct sched *s, struct kube_queue *q);
/* Something may help: pods set aside become ready, or rest until their back-off ends; rests() is
 * called for each that rests. When the last of these is ready; 0: none rests. */
int64_t queue_wake_parked(struct sched *s, struct kube_queue *q, pod_rests *rests);
static inline bool queue_has_next(const struct kube_queue *q)
{
    return q->ready.first < q->ready.run.n || q->ready.heap.n ||
           (q->crowd.state == CROWD_READY && q->crowd.next < q->crowd.pods.n);
}
/* Takes out the first ready one; false: none. fails_for, by kind: 1 + why it fails now; 0: it has to
 * be tried, as is all of kind 0. Those that fail so are set aside, and their jobs given the reason.
 * NULL: all are tried. */
bool queue_next(struct sched *s, struct kube_queue *q, const uint8_t *fails_for,
                struct waiting_pod *pod);
/* Returns a pod to its place among the ready ones. */
void queue_return(struct sched *s, struct kube_queue *q, struct waiting_pod pod);
/* Sets a pod aside. It loses its kind as long as it has not the longest back-off. */
void queue_failed(struct sched *s, struct kube_queue *q, struct waiting_pod *pod);
/* All ready ones have been tried, or none is to be tried any more. */
void queue_tried(struct sched *s, struct kube_queue *q);
/* Pods with a kind for which gone() says so have none any more. */
void queue_disown(struct sched *s, struct kube_queue *q, pod_gone *gone);
