/* queue.c - two orders and a list. See queue.h. */
#include "policies/kubernetes/queue.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/heap.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

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

static void room_for_one(struct sched *s, struct pod_list *l)
{
    l->pod = array_grown(sched_alloc, s, l->pod, &l->capacity, l->n, sizeof *l->pod);
}

typedef bool pod_before(const void *none, const struct waiting_pod *a, const struct waiting_pod *b);

/* To the run, if it comes after all of it. */
static bool joins_run(struct sched *s, struct pod_order *o, const struct waiting_pod *pod,
                      pod_before *before)
{
    struct pod_list *run = &o->run;
    if (o->first < run->n && before(NULL, pod, &run->pod[run->n - 1]))
        return false;
    if (o->first == run->n) {
        o->first = run->n = 0;
    } else if (run->n == run->capacity && o->first > run->n / 2) {
        memmove(run->pod, run->pod + o->first, (run->n - o->first) * sizeof *run->pod);
        run->n -= o->first;
        o->first = 0;
    }
    room_for_one(s, run);
    run->pod[run->n++] = *pod;
    return true;
}

static bool is_empty(const struct pod_order *o)
{
    return o->first == o->run.n && !o->heap.n;
}

/* The first of all is that of the run. */
static bool run_is_first(const struct pod_order *o, pod_before *before)
{
    return o->first < o->run.n &&
           (!o->heap.n || before(NULL, &o->run.pod[o->first], &o->heap.pod[0]));
}

static void push_ready(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    if (joins_run(s, &q->ready, &pod, ready_before))
        return;
    room_for_one(s, &q->ready.heap);
    ready_push(NULL, q->ready.heap.pod, q->ready.heap.n++, pod);
}

static void push_resting(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    if (joins_run(s, &q->resting, &pod, rested_before))
        return;
    room_for_one(s, &q->resting.heap);
    resting_push(NULL, q->resting.heap.pod, q->resting.heap.n++, pod);
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

void queue_begin(struct sched *s, struct kube_queue *q, double backoff_s, double backoff_max_s)
{
    double next_s = backoff_s;
    for (q->n_backoffs = 1; next_s > 0 && next_s < backoff_max_s; next_s *= 2)
        q->n_backoffs++;
    q->backoff_ns = sched_alloc(s, q->n_backoffs * sizeof *q->backoff_ns);
    for (uint32_t i = 0; i < q->n_backoffs; i++, backoff_s *= 2)
        q->backoff_ns[i] = (int64_t)((backoff_s < backoff_max_s ? backoff_s : backoff_max_s) * 1e9);
}

static int64_t rests_until_ns(const struct kube_queue *q, const struct waiting_pod *pod)
{
    return pod->failed_ns + q->backoff_ns[min_u32(pod->attempts, q->n_backoffs) - 1];
}

static void make_ready(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    pod.time_ns = pod.failed_ns;
    push_ready(s, q, pod);
}

bool queue_rests(const struct kube_queue *q, int64_t *until_ns)
{
    const struct pod_order *o = &q->resting;
    if (is_empty(o))
        return false;
    *until_ns = run_is_first(o, rested_before) ? o->run.pod[o->first].time_ns
                                               : o->heap.pod[0].time_ns;
    return true;
}

void queue_wake_rested(struct sched *s, struct kube_queue *q)
{
    for (int64_t until_ns; queue_rests(q, &until_ns) && until_ns <= sched_now(s);)
        make_ready(s, q, run_is_first(&q->resting, rested_before)
                             ? q->resting.run.pod[q->resting.first++]
                             : resting_pop(NULL, q->resting.heap.pod, q->resting.heap.n--));
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
        push_resting(s, q, pod);
        rests(s, pod.job);
        last_ns = max_i64(last_ns, until_ns);
    }
    q->parked.n = 0;
    return last_ns;
}

bool queue_next(struct kube_queue *q, struct waiting_pod *pod)
{
    if (is_empty(&q->ready))
        return false;
    *pod = run_is_first(&q->ready, ready_before)
               ? q->ready.run.pod[q->ready.first++]
               : ready_pop(NULL, q->ready.heap.pod, q->ready.heap.n--);
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
