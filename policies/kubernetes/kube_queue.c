/* kube_queue.c - see kube_queue.h. Two heaps and a list; what they outgrow stays with the run. */
#include "policies/kubernetes/kube_queue.h"

#include <string.h>

static bool before(const struct waiting_pod *a, const struct waiting_pod *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->order != b->order)
        return a->order < b->order;
    return a->job < b->job;
}

static bool rested_before(const struct waiting_pod *a, const struct waiting_pod *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

typedef bool pod_order(const struct waiting_pod *a, const struct waiting_pod *b);

static void heap_push(struct sched *s, struct pod_heap *h, pod_order *less, struct waiting_pod pod)
{
    h->pod = array_grown(s, h->pod, &h->capacity, h->n, sizeof *h->pod);
    size_t i = h->n++;
    for (size_t parent; i > 0 && less(&pod, &h->pod[parent = (i - 1) / 2]); i = parent)
        h->pod[i] = h->pod[parent];
    h->pod[i] = pod;
}

static struct waiting_pod heap_pop(struct pod_heap *h, pod_order *less)
{
    struct waiting_pod first = h->pod[0], last = h->pod[--h->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        child += child + 1 < h->n && less(&h->pod[child + 1], &h->pod[child]);
        if (!less(&h->pod[child], &last))
            break;
        h->pod[i] = h->pod[child];
    }
    h->pod[i] = last;
    return first;
}

void queue_enter(struct sched *s, struct kube_queue *q, job_id j, uint32_t task, uint32_t epoch)
{
    heap_push(s, &q->ready, before, (struct waiting_pod){
        .time_ns = sched_now(s), .order = (q->pass << 32) + task, .job = j, .task = task, .epoch = epoch,
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
    for (uint32_t i = 1; i < pod->attempts && back_off_s < q->backoff_most_s; i++)
        back_off_s *= 2;
    return pod->failed_ns + (int64_t)((back_off_s < q->backoff_most_s ? back_off_s : q->backoff_most_s) * 1e9);
}

static void make_ready(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    pod.time_ns = pod.failed_ns;
    heap_push(s, &q->ready, before, pod);
}

void queue_wake_rested(struct sched *s, struct kube_queue *q)
{
    while (q->resting.n && q->resting.pod[0].time_ns <= sched_now(s))
        make_ready(s, q, heap_pop(&q->resting, rested_before));
}

void queue_wake_parked(struct sched *s, struct kube_queue *q, void (*rests)(struct sched *s, job_id j))
{
    for (size_t i = 0; i < q->parked.n; i++) {
        struct waiting_pod pod = q->parked.pod[i];
        int64_t until_ns = rests_until_ns(q, &pod);
        if (until_ns <= sched_now(s)) {
            make_ready(s, q, pod);
            continue;
        }
        pod.time_ns = until_ns;
        heap_push(s, &q->resting, rested_before, pod);
        rests(s, pod.job);
    }
    q->parked.n = 0;
}

bool queue_next(struct kube_queue *q, struct waiting_pod *pod)
{
    if (!q->ready.n)
        return false;
    *pod = heap_pop(&q->ready, before);
    return true;
}

void queue_return(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    heap_push(s, &q->ready, before, pod);
}

void queue_failed(struct sched *s, struct kube_queue *q, struct waiting_pod *pod)
{
    pod->attempts++;
    pod->failed_ns = pod->time_ns = sched_now(s);
    pod->order = (q->pass << 32) + q->failures++;
    q->parked.pod = array_grown(s, q->parked.pod, &q->parked.capacity, q->parked.n, sizeof *q->parked.pod);
    q->parked.pod[q->parked.n++] = *pod;
}
