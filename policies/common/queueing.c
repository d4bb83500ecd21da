/* queueing.c - serving lines in order, and preemption by that order. See queueing.h. */
#include "policies/common/preemption.h"
#include "policies/common/running.h"
#include "policies/common/standstill.h"
#include "sim/contract/util/array.h"

const char *const queueing_scopes[] = { "pool", "queue", NULL };
const char *const queueing_blockings[] = { "strict", "skip", NULL };
const char *const param_no_yes[] = { "no", "yes", NULL };

struct line_key key_submit(struct sched *s, job_id j, const void *params)
{
    (void)params;
    return (struct line_key){ .time_ns = job_facts(s, j)->submit_ns };
}

struct line_key key_remaining(struct sched *s, job_id j, const void *params)
{
    (void)params;
    return (struct line_key){ .time_ns = job_true_ns(s, j) };
}

struct line_key key_priority(struct sched *s, job_id j, const void *params)
{
    (void)params;
    return (struct line_key){ .major = -job_facts(s, j)->priority,
                              .time_ns = job_facts(s, j)->submit_ns };
}

struct line_key key_service(struct sched *s, job_id j, const void *params)
{
    return (struct line_key){ .major = (double)key_remaining(s, j, params).time_ns *
                                       (double)job_size(s, j).gpu_milli };
}

static struct queueing_line *queue_of(const struct sched *s, const struct queueing_state *o,
                                      job_id j)
{
    return &o->queue[o->per_queue ? job_facts(s, j)->queue : 0];
}

struct running *queueing_victims_of(const struct sched *s, const struct queueing_state *o, job_id j)
{
    if (o->one_pool)
        return &o->running[queue_count(s)];
    queue_id q = job_facts(s, j)->queue;
    return &o->running[o->per_queue || queue_facts(s, q)->pinned ? q : queue_count(s)];
}

/* ---- Notices ---- */

void queueing_begin(struct sched *s, struct queueing_state *o, const struct discipline *d,
                    const void *params)
{
    o->discipline = d;
    o->params = params;
    o->per_queue = ((const struct queueing_params *)params)->scope > 0;
    uint32_t n = o->per_queue ? queue_count(s) : 1;
    o->queue = sched_alloc(s, n * sizeof *o->queue);
    o->running =
        d->preempts ? sched_alloc(s, (queue_count(s) + (size_t)1) * sizeof *o->running) : NULL;
    o->one_pool = !o->per_queue;
    for (queue_id q = 0; q < queue_count(s); q++)
        o->one_pool &= !queue_facts(s, q)->pinned;
    o->busy = sched_alloc(s, n * sizeof *o->busy);
    for (uint32_t q = 0; q < n; q++) {
        o->queue[q].waiting = line_new(s);
        o->queue[q].blocked = o->queue[q].fresh = ID_NONE;
    }
}

/* Jobs may join a line, or leave it, during a pass. */
static bool lines_grow(const struct queueing_state *o)
{
    return o->running || o->discipline->preempt_for;
}

/* The fresh job, if there is one and it still waits. */
static void put_in_line(struct sched *s, struct queueing_line *q)
{
    job_id j = q->fresh;
    q->fresh = ID_NONE;
    if (j != ID_NONE && job_state(s, j) == JOB_PENDING)
        line_push(q->waiting, j, q->fresh_key);
}

void queueing_arrived(struct sched *s, struct queueing_state *o, job_id j)
{
    struct queueing_line *q = queue_of(s, o, j);
    struct line_key key = o->discipline->key(s, j, o->params);
    standstill_forget(o);
    if (q->fresh != j)
        put_in_line(s, q);
    if (line_length(q->waiting) || lines_grow(o) || o->discipline->reads_lines) {
        line_push(q->waiting, j, key);
    } else {
        q->fresh = j;
        q->fresh_key = key;
    }
    q->parked = NOT_PARKED;
    if (!q->listed) {
        q->listed = true;
        o->busy[o->n_busy++] = (queue_id)(q - o->queue);
    }
}

void queueing_started(struct sched *s, struct queueing_state *o, job_id j)
{
    struct queueing_line *q = queue_of(s, o, j);
    standstill_forget(o);
    if (q->fresh == j)
        q->fresh = ID_NONE;
    else
        line_remove(q->waiting, j);
    q->parked = NOT_PARKED;
    if (!o->running)
        return;
    struct line_key k = o->discipline->shrinks ? key_remaining(s, j, o->params)
                                               : o->discipline->key(s, j, o->params);
    if (o->discipline->shrinks)
        k.time_ns += sched_now(s) + job_start_cost_ns(s, j);    /* the end: the same at any time */
    running_push(s, o, queueing_victims_of(s, o, j), j, k);
}

void queueing_stopped(struct sched *s, struct queueing_state *o, job_id j)
{
    standstill_forget(o);
    if (o->running)
        running_remove(s, o, queueing_victims_of(s, o, j), j);
}

void queueing_moved(struct sched *s, struct queueing_state *o, job_id j)
{
    if (job_state(s, j) == JOB_RUNNING) {
        running_push(s, o, queueing_victims_of(s, o, j), j, o->discipline->key(s, j, o->params));
        return;
    }
    queueing_arrived(s, o, j);
}

void queueing_fell(struct sched *s, struct queueing_state *o, job_id j)
{
    running_fell(s, o, queueing_victims_of(s, o, j), j, o->discipline->key(s, j, o->params));
}

const job_id *queueing_jobs(struct sched *s, const struct queueing_state *o, size_t *n)
{
    size_t queues = o->per_queue ? queue_count(s) : 1,
           sets = o->running ? queue_count(s) + (size_t)1 : 0;
    *n = 0;
    for (size_t i = 0; i < queues; i++)
        put_in_line(s, &o->queue[i]);
    for (size_t i = 0; i < queues; i++)
        *n += line_length(o->queue[i].waiting);
    for (size_t i = 0; i < sets; i++)
        *n += running_count(&o->running[i]);
    job_id *all = sched_scratch(s, (*n + 1) * sizeof *all), *to = all;
    for (size_t i = 0; i < queues; i++)
        for (struct line_walk walk = { .l = o->queue[i].waiting }; line_next(&walk, to);)
            to++;
    for (size_t i = 0; i < sets; i++)
        running_list(&o->running[i], &to);
    return all;
}

/* ---- Queues with a head that fails again ---- */

/* No other queue's jobs count here. */
static bool stands_alone(const struct sched *s, queue_id q)
{
    bool alone = queue_facts(s, q)->first_child == ID_NONE;
    for (; alone && q != ID_NONE; q = queue_facts(s, q)->parent) {
        const struct amount *limit = &queue_facts(s, q)->quota.limit;
        alone = limit->gpu_milli == UNLIMITED && limit->cpu_milli == UNLIMITED &&
                limit->mem_mib == UNLIMITED;
    }
    return alone;
}

/* The head j of q has failed, and blocks it. */
static void park(struct sched *s, struct queueing_state *o, struct queueing_line *q, job_id j,
                 bool admitted, enum wait_reason why)
{
    const struct request *ask = job_facts(s, j)->ask;
    queue_id id = job_facts(s, j)->queue;
    if (!o->per_queue || o->running || o->discipline->preempt_for || !stands_alone(s, id) ||
        queue_quota_version(s))
        return;
    if (!admitted)
        q->parked = PARKED_BY_QUEUE;
    else if (why == WAIT_GPUS && lacking_shape(s, &o->lacking, ask))
        q->parked = PARKED_BY_SHAPE;
    q->ask = ask;
    q->held_milli = queue_held(s, id).gpu_milli;
}

/* Its head is the same, and would fail again for the same reason. */
static bool stays_parked(struct sched *s, struct queueing_state *o, struct queueing_line *q)
{
    job_id head;
    if (!q->parked)
        return false;
    bool stays = line_first(q->waiting, &head, NULL) && head == q->blocked;
    if (stays && q->parked == PARKED_BY_SHAPE)
        stays = lacking_shape(s, &o->lacking, q->ask);
    else if (stays)
        stays = queue_held(s, (queue_id)(q - o->queue)).gpu_milli == q->held_milli;
    q->parked = stays ? q->parked : NOT_PARKED;
    return stays;
}

/* ---- A pass: the lines merged by key ---- */

struct served {
    struct line_walk walk;
    struct queueing_line *queue;
    size_t n;                     /* jobs of the line that were served */
    job_id first;                 /* before the walk began; ID_NONE: none was */
    bool grows;                   /* jobs may join the line, or leave it, during the pass */
};

/* The head, if it waits. Most passes serve no other job: the walk begins with the next. */
static bool served_first(struct sched *s, struct queue_head *h)
{
    struct served *w = h->of;
    const struct queueing_line *q = w->queue;
    w->first = ID_NONE;
    if (q->fresh != ID_NONE) {
        h->job = q->fresh;
        h->key = q->fresh_key;
    } else if (w->grows || !line_first(q->waiting, &h->job, &h->key) || job_state(s, h->job) != JOB_PENDING) {
        return false;
    }
    w->first = h->job;
    w->n = 1;
    return true;
}

static bool served_next(struct sched *s, struct queue_head *h)
{
    struct served *w = h->of;
    if (!w->grows && w->n >= line_length(w->queue->waiting))
        return false;
    do {
        if (!line_next(&w->walk, &h->job))
            return false;
        /* a claim stays in line until it runs */
    } while (job_state(s, h->job) != JOB_PENDING || h->job == w->first);
    h->key = line_walk_key(&w->walk);
    w->n++;
    return true;
}

/* The head waits for `why`, all jobs behind it for WAIT_ORDER, the head before it too. */
static void block_head(struct sched *s, struct queueing_line *q, job_id j, enum wait_reason why)
{
    if (q->blocked != j && q->blocked != ID_NONE)
        sched_blocked(s, q->blocked, WAIT_GROUP);
    q->blocked = j;
    sched_blocked(s, j, why);
}

/* false: this line is done for the pass. */
static bool serve_one(struct sched *s, struct queueing_state *o, struct queue_head *h)
{
    const struct discipline *d = o->discipline;
    struct served *w = h->of;
    job_id j = h->job;
    enum wait_reason why = WAIT_OTHER;
    struct request r = job_request(s, j);
    bool suspended = job_suspended(s, j) != NULL;
    bool admitted = !d->admits || d->admits(s, j, &why);
    if (admitted) {
        const struct placement *where =
            suspended ? NULL : sched_place(s, sched_view(s, FREE_IDLE), &r);
        why = where ? WAIT_OTHER : sched_why_not(s);
        if (where)
            preempt_catch_up(s, o);
        if (where && sched_start(s, j, where) == SCHED_OK) {
            standstill_forget(o);
            if (d->starting)
                d->starting(s, o, j);
            return true;
        }
        why = job_over_limit(s, j) ? WAIT_LIMIT : suspended ? WAIT_GPUS : why;
        if (d->preempt_for ? d->preempt_for(s, o, j, &why)
                          : d->preempts &&
                                 preempt_by_order(s, o, queueing_victims_of(s, o, j), j, h->key)) {
            standstill_forget(o);
            return true;
        }
    }
    put_in_line(s, w->queue);
    if (job_state(s, j) == JOB_GONE)
        return true;                                      /* refused by admits() */
    /* it waits for its own GPUs, others for any */
    if (suspended) {
        sched_blocked(s, j, why);
        return true;
    }
    bool limited = admitted && why == WAIT_LIMIT;         /* it and its like; others pass */
    if (((const struct queueing_params *)o->params)->blocking <= BLOCKING_STRICT && !limited) {
        block_head(s, w->queue, j, why);
        park(s, o, w->queue, j, admitted, why);
        return false;
    }
    /* its queue is full: others of its shape may be of another queue */
    if (!admitted && !o->per_queue) {
        sched_blocked(s, j, why);
        return true;
    }
    sched_blocked(s, j, WAIT_GROUP);
    line_blocked(s, w->queue->waiting, r.shape, why);
    standstill_note(s, o, w->queue->waiting, j, h->key, why);
    /* a job that asks for the same fails the same */
    line_skip_shape(&w->walk, r.shape);
    return true;
}

/* Queues in which no job waits any more leave the list. */
static void list_busy(struct sched *s, struct queueing_state *o)
{
    size_t still = 0;
    for (size_t i = 0; i < o->n_busy; i++) {
        struct queueing_line *q = &o->queue[o->busy[i]];
        if (q->fresh != ID_NONE && job_state(s, q->fresh) != JOB_PENDING)
            q->fresh = ID_NONE;
        q->listed = q->fresh != ID_NONE || line_length(q->waiting) > 0;
        if (q->listed)
            o->busy[still++] = o->busy[i];
    }
    o->n_busy = still;
}

bool queueing_serve(struct sched *s, struct queueing_state *o)
{
    if (standstill_again(s, o))
        return o->still.n > 0;
    size_t n = 0;
    bool left = false, grows = lines_grow(o);
    standstill_begin(s, o);
    o->pass++;
    lacking_begin(&o->lacking);
    o->n_evicted = o->evicted_capacity = 0;
    o->moved = false;
    o->skipped = o->untouched = (struct tries){ 0 };
    list_busy(s, o);
    if (!o->n_busy)
        return false;
    struct served only, *all = o->n_busy > 1 ? sched_scratch(s, o->n_busy * sizeof *all) : &only;
    struct queue_head top, *heap = &top;
    if (o->n_busy > 1)
        heap = sched_scratch(s, o->n_busy * sizeof *heap);
    for (size_t i = 0; i < o->n_busy; i++) {
        struct queueing_line *q = &o->queue[o->busy[i]];
        if (stays_parked(s, o, q)) {
            left = true;
            continue;
        }
        all[n] = (struct served){ { .l = q->waiting }, q, 0, ID_NONE, grows };
        heap[n].of = &all[n];
        n += served_first(s, &heap[n]) || served_next(s, &heap[n]);
    }
    first_heads_make(NULL, heap, n);
    while (n > 0) {
        bool more = serve_one(s, o, &heap[0]);
        left |= job_state(s, heap[0].job) == JOB_PENDING;
        if (!more || !served_next(s, &heap[0]))
            heap[0] = heap[--n];
        if (n)
            first_heads_down(NULL, heap, n, 0);
    }
    standstill_end(s, o);
    return left || o->n_evicted > 0;
}
