/* queue.c - two orders, a list and a crowd. See queue.h. */
#include "policies/kubernetes/queue.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/heap.h"
#include "sim/contract/util/minmax.h"

#include <string.h>

static int64_t rests_until_ns(const struct kube_queue *q, const struct waiting_pod *pod)
{
    return pod->since_ns + q->backoff_ns[pod->attempts - 1];
}

static bool ready_before(const void *none, const struct waiting_pod *a, const struct waiting_pod *b)
{
    (void)none;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->since_ns != b->since_ns)
        return a->since_ns < b->since_ns;
    if (a->order != b->order)
        return a->order < b->order;
    return a->job < b->job;
}

static bool rested_before(const void *queue, const struct waiting_pod *a,
                          const struct waiting_pod *b)
{
    int64_t a_ns = rests_until_ns(queue, a), b_ns = rests_until_ns(queue, b);
    return a_ns != b_ns ? a_ns < b_ns : a->order < b->order;
}

HEAP_DEFINE(ready, struct waiting_pod, void, ready_before, HEAP_NOT_PLACED);
HEAP_DEFINE(resting, struct waiting_pod, struct kube_queue, rested_before, HEAP_NOT_PLACED);

typedef bool pod_before(const void *queue, const struct waiting_pod *a,
                        const struct waiting_pod *b);

static void room_for_one(struct sched *s, struct pod_list *l)
{
    l->pod = array_grown(sched_alloc, s, l->pod, &l->capacity, l->n, sizeof *l->pod);
}

/* The first of all is that of the run. */
static bool run_is_first(const struct kube_queue *q, const struct pod_order *o, pod_before *before)
{
    return o->first < o->run.n && (!o->heap.n || before(q, &o->run.pod[o->first], &o->heap.pod[0]));
}

/* NULL: it is empty. */
static const struct waiting_pod *first_in(const struct kube_queue *q, const struct pod_order *o,
                                          pod_before *before)
{
    if (run_is_first(q, o, before))
        return &o->run.pod[o->first];
    return o->heap.n ? &o->heap.pod[0] : NULL;
}

/* To the run, if it comes after all of it. */
static inline bool join_run(struct sched *s, const struct kube_queue *q, struct pod_order *o,
                     const struct waiting_pod *pod, pod_before *before)
{
    struct pod_list *run = &o->run;
    if (o->first < run->n && before(q, pod, &run->pod[run->n - 1]))
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

static void push_ready(struct sched *s, struct kube_queue *q, const struct waiting_pod *pod)
{
    if (join_run(s, q, &q->ready, pod, ready_before))
        return;
    room_for_one(s, &q->ready.heap);
    ready_push(NULL, q->ready.heap.pod, q->ready.heap.n++, *pod);
}

static void push_resting(struct sched *s, struct kube_queue *q, const struct waiting_pod *pod)
{
    if (join_run(s, q, &q->resting, pod, rested_before))
        return;
    room_for_one(s, &q->resting.heap);
    resting_push(q, q->resting.heap.pod, q->resting.heap.n++, *pod);
}

void queue_enter(struct sched *s, struct kube_queue *q, job_id j, uint32_t task, uint32_t epoch)
{
    push_ready(s, q,
               &(struct waiting_pod){ .since_ns = sched_now(s),
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

/* Some of those set aside may be helped: this one is ready, or rests until its back-off ends, which
 * is returned; 0: it is ready. */
static int64_t wake(struct sched *s, struct kube_queue *q, struct waiting_pod *pod, pod_rests *rests)
{
    int64_t until_ns = rests_until_ns(q, pod);
    if (until_ns <= sched_now(s)) {
        push_ready(s, q, pod);
        return 0;
    }
    rests(s, pod);
    pod->why = 1 + WAIT_PASS;
    push_resting(s, q, pod);
    return until_ns;
}

/* ---- The crowd ---- */

static int64_t crowd_until_ns(const struct kube_queue *q)
{
    return q->crowd.since_ns + q->backoff_ns[q->n_backoffs - 1];
}

static void crowd_is_ready(struct crowd *c)
{
    c->state = CROWD_READY;
    c->next = c->kept = c->n_short = 0;
}

static struct waiting_pod of_crowd(const struct crowd *c, size_t i)
{
    struct waiting_pod pod = c->pods.pod[i];
    pod.since_ns = c->since_ns;
    if (!c->parted)
        pod.order = c->order + i;
    return pod;
}

/* Those that have not been tried yet move up by so many places. */
static void crowd_moves_up(struct sched *s, struct crowd *c, size_t places)
{
    struct pod_list *l = &c->pods;
    if (l->n + places > l->capacity)
        l->pod =
            array_covering(sched_alloc, s, l->pod, &l->capacity, l->n + places, sizeof *l->pod);
    memmove(l->pod + c->next + places, l->pod + c->next, (l->n - c->next) * sizeof *l->pod);
    l->n += places;
    c->next += places;
    c->order -= places;
}

/* Has failed, after all that failed in this pass. */
static void join_crowd(struct sched *s, struct crowd *c, const struct waiting_pod *pod)
{
    if (c->kept == c->next)
        crowd_moves_up(s, c, 1 + (c->pods.n - c->next) / 2);
    c->pods.pod[c->kept++] = *pod;
}

/* Those that have the longest back-off become ready or rest together, each of the others alone.
 * When the last of these is ready. */
static int64_t wake_crowd(struct sched *s, struct kube_queue *q, pod_rests *rests)
{
    struct crowd *c = &q->crowd;
    int64_t last_ns = 0;
    size_t together = 0;
    if (crowd_until_ns(q) <= sched_now(s)) {
        crowd_is_ready(c);
        return 0;
    }
    for (size_t i = 0; i < c->pods.n; i++) {
        struct waiting_pod *pod = &c->pods.pod[i];
        if (c->n_short && pod->attempts < q->n_backoffs) {
            struct waiting_pod alone = of_crowd(c, i);
            last_ns = max_i64(last_ns, wake(s, q, &alone, rests));
            continue;
        }
        rests(s, pod);
        pod->why = 1 + WAIT_PASS;
        pod->order = c->order + i;
        if (together < i)
            c->pods.pod[together] = *pod;
        together++;
    }
    c->pods.n = together;
    c->parted = true;
    if (!together) {
        crowd_is_ready(c);
        return last_ns;
    }
    c->state = CROWD_RESTS;
    return crowd_until_ns(q);
}

/* How far those of the crowd that are next come before `alone`: all of them if it is NULL. */
static size_t crowd_before(const struct crowd *c, const struct waiting_pod *alone)
{
    size_t from = c->next, to = c->pods.n;
    while (alone && from < to) {
        size_t middle = from + (to - from) / 2;
        struct waiting_pod pod = of_crowd(c, middle);
        if (ready_before(NULL, &pod, alone))
            from = middle + 1;
        else
            to = middle;
    }
    return to;
}

/* Passes over those that are next and before `alone` while they fail for the reasons given. */
static void crowd_fails(struct sched *s, struct crowd *c, const struct waiting_pod *alone,
                        const uint8_t *fails_for)
{
    struct waiting_pod *pod = c->pods.pod + c->next, *end = c->pods.pod + crowd_before(c, alone);
    size_t gone = c->next - c->kept;
    for (uint8_t why; pod < end && (why = fails_for[pod->kind]); pod++) {
        if (pod->why != why) {
            sched_blocked(s, pod->job, (enum wait_reason)(why - 1));
            pod->why = why;
        }
        if (gone)
            *(pod - gone) = *pod;
    }
    c->next = (size_t)(pod - c->pods.pod);
    c->kept = c->next - gone;
}

void queue_tried(struct sched *s, struct kube_queue *q)
{
    struct crowd *c = &q->crowd;
    if (c->state != CROWD_READY)
        return;
    for (; c->next < c->pods.n; c->next++) {
        struct waiting_pod pod = of_crowd(c, c->next);
        push_ready(s, q, &pod);
    }
    c->pods.n = c->next = c->kept;
    c->since_ns = sched_now(s);
    c->order = (q->pass << 32) + q->failures;
    c->parted = false;
    q->failures += c->kept;
    c->parked_before = q->parked.n;
    if (c->kept)
        c->state = CROWD_PARKED;
}

/* ---- All of them ---- */

bool queue_rests(const struct kube_queue *q, int64_t *until_ns)
{
    const struct waiting_pod *alone = first_in(q, &q->resting, rested_before);
    bool crowd = q->crowd.state == CROWD_RESTS;
    if (crowd)
        *until_ns = crowd_until_ns(q);
    if (alone && (!crowd || rests_until_ns(q, alone) < *until_ns))
        *until_ns = rests_until_ns(q, alone);
    return alone || crowd;
}

void queue_wake_rested(struct sched *s, struct kube_queue *q)
{
    struct pod_order *o = &q->resting;
    int64_t now_ns = sched_now(s);
    if (q->crowd.state == CROWD_RESTS && crowd_until_ns(q) <= now_ns)
        crowd_is_ready(&q->crowd);
    for (;;) {
        const struct waiting_pod *first = first_in(q, o, rested_before);
        if (!first || rests_until_ns(q, first) > now_ns)
            return;
        struct waiting_pod pod = *first;
        if (first == o->heap.pod)
            resting_pop(q, o->heap.pod, o->heap.n--);
        else
            o->first++;
        push_ready(s, q, &pod);
    }
}

int64_t queue_wake_parked(struct sched *s, struct kube_queue *q, pod_rests *rests)
{
    int64_t last_ns = 0;
    size_t n = q->parked.n, before = q->crowd.state == CROWD_PARKED ? q->crowd.parked_before : n;
    for (size_t i = 0; i < before; i++)
        last_ns = max_i64(last_ns, wake(s, q, &q->parked.pod[i], rests));
    if (q->crowd.state == CROWD_PARKED)
        last_ns = max_i64(last_ns, wake_crowd(s, q, rests));
    for (size_t i = before; i < n; i++)
        last_ns = max_i64(last_ns, wake(s, q, &q->parked.pod[i], rests));
    q->parked.n = 0;
    return last_ns;
}

static bool crowd_has_next(const struct crowd *c)
{
    return c->state == CROWD_READY && c->next < c->pods.n;
}

/* Takes out the first ready one; false: none. `alone`: the first that is not of the crowd. */
static bool take_next(struct kube_queue *q, const struct waiting_pod *alone,
                      struct waiting_pod *pod)
{
    struct pod_order *o = &q->ready;
    if (crowd_has_next(&q->crowd)) {
        *pod = of_crowd(&q->crowd, q->crowd.next);
        if (!alone || ready_before(NULL, pod, alone)) {
            q->crowd.next++;
            return true;
        }
    }
    if (!alone)
        return false;
    *pod = *alone;
    if (alone == o->heap.pod)
        ready_pop(NULL, o->heap.pod, o->heap.n--);
    else
        o->first++;
    return true;
}

bool queue_next(struct sched *s, struct kube_queue *q, const uint8_t *fails_for,
                struct waiting_pod *pod)
{
    for (;;) {
        const struct waiting_pod *alone = first_in(q, &q->ready, ready_before);
        if (fails_for && crowd_has_next(&q->crowd))
            crowd_fails(s, &q->crowd, alone, fails_for);
        if (!take_next(q, alone, pod))
            return false;
        uint8_t why = fails_for ? fails_for[pod->kind] : 0;
        if (!why)
            return true;
        if (pod->why != why)
            sched_blocked(s, pod->job, (enum wait_reason)(why - 1));
        pod->why = why;
        queue_failed(s, q, pod);
    }
}

void queue_return(struct sched *s, struct kube_queue *q, struct waiting_pod pod)
{
    push_ready(s, q, &pod);
}

void queue_failed(struct sched *s, struct kube_queue *q, struct waiting_pod *pod)
{
    if (pod->attempts < q->n_backoffs)
        pod->attempts++;
    bool has_longest = pod->attempts == q->n_backoffs;
    pod->kind = has_longest ? pod->kind : 0;
    if (q->crowd.state == CROWD_READY) {
        q->crowd.n_short += !has_longest;
        join_crowd(s, &q->crowd, pod);
        return;
    }
    pod->since_ns = sched_now(s);
    pod->order = (q->pass << 32) + q->failures++;
    room_for_one(s, &q->parked);
    q->parked.pod[q->parked.n++] = *pod;
}

static void disown(struct sched *s, struct pod_list *l, pod_gone *gone)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->pod[i].kind && gone(s, &l->pod[i]))
            l->pod[i].kind = 0;
}

void queue_disown(struct sched *s, struct kube_queue *q, pod_gone *gone)
{
    disown(s, &q->ready.run, gone);
    disown(s, &q->ready.heap, gone);
    disown(s, &q->resting.run, gone);
    disown(s, &q->resting.heap, gone);
    disown(s, &q->parked, gone);
    disown(s, &q->crowd.pods, gone);
}
