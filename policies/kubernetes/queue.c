/* queue.c - two heaps and a list. See queue.h. */
#include "policies/kubernetes/queue.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/heap.h"
#include "sim/contract/util/minmax.h"

static bool ready_before(const void *none, const struct waiting_pod *a, const struct waiting_pod *b)
{
    (void)none;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->order != b->order)
        return a->order < b->order;
    return a->job < b->job;
}

static bool rested_before(const void *none, const struct waiting_pod *a,
                          const struct waiting_pod *b)
{
    (void)none;
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

HEAP_DEFINE(ready, struct waiting_pod, void, ready_before, HEAP_NOT_PLACED);
HEAP_DEFINE(resting, struct waiting_pod, void, rested_before, HEAP_NOT_PLACED);

static void room_for_one(struct sched *s, struct pod_heap *h)
{
    h->pod = array_grown(sched_alloc, s, h->pod, &h->capacity, h->n, sizeof *h->pod);
}

static void push_ready(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    room_for_one(s, &q->ready);
    ready_push(NULL, q->ready.pod, q->ready.n++, pod);
}

void queue_enter(struct sched *s, struct kube_queue *q, job_id j, uint32_t task, uint32_t epoch)
{
    push_ready(s, q,
               (struct waiting_pod){ .time_ns = sched_now(s),
                                     .order = (q->pass << 32) + task,
                                     .job = j,
                                     .task = task,
                                     .epoch = epoch,
                                     .priority = job_facts(s, j)->priority });
}

void queue_pass(struct kube_queue *q)
{
    q->pass++;
    q->failures = 0;
}

static int64_t rests_until_ns(const struct kube_queue *q, const struct waiting_pod *pod)
{
    double back_off_s = q->backoff_s;
    for (uint32_t i = 1; i < pod->attempts && back_off_s < q->backoff_max_s; i++)
        back_off_s *= 2;
    return pod->failed_ns +
           (int64_t)((back_off_s < q->backoff_max_s ? back_off_s : q->backoff_max_s) * 1e9);
}

static void make_ready(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    pod.time_ns = pod.failed_ns;
    push_ready(s, q, pod);
}

void queue_wake_rested(struct sched *s, struct kube_queue *q)
{
    while (q->resting.n && q->resting.pod[0].time_ns <= sched_now(s))
        make_ready(s, q, resting_pop(NULL, q->resting.pod, q->resting.n--));
}

int64_t queue_wake_parked(struct sched *s, struct kube_queue *q,
                          void (*rests)(struct sched *s, job_id j))
{
    int64_t last_ns = 0;
    for (size_t i = 0; i < q->parked.n; i++) {
        struct waiting_pod pod = q->parked.pod[i];
        int64_t until_ns = rests_until_ns(q, &pod);
        if (until_ns <= sched_now(s)) {
            make_ready(s, q, pod);
            continue;
        }
        pod.time_ns = until_ns;
        room_for_one(s, &q->resting);
        resting_push(NULL, q->resting.pod, q->resting.n++, pod);
        rests(s, pod.job);
        last_ns = max_i64(last_ns, until_ns);
    }
    q->parked.n = 0;
    return last_ns;
}

bool queue_next(struct kube_queue *q, struct waiting_pod *pod)
{
    if (!q->ready.n)
        return false;
    *pod = ready_pop(NULL, q->ready.pod, q->ready.n--);
    return true;
}

void queue_return(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    push_ready(s, q, pod);
}

void queue_failed(struct sched *s, struct kube_queue *q, struct waiting_pod *pod)
{
    pod->attempts++;
    pod->failed_ns = pod->time_ns = sched_now(s);
    pod->order = (q->pass << 32) + q->failures++;
    room_for_one(s, &q->parked);
    q->parked.pod[q->parked.n++] = *pod;
}
