/* ordered.c - serving lines in order. See ordered.h.
 *
 * Every queue (or the one pool) has a line of waiting jobs. A pass merges them by key. The first misfit ends its line
 * (strict), or only its shape is left out of the rest of the pass (skip). */
#include "policies/common/ordered.h"

const char *const ordered_scopes[] = { "pool", "queue", NULL };
const char *const ordered_blockings[] = { "strict", "skip", NULL };
const char *const ordered_no_yes[] = { "no", "yes", NULL };

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
    return (struct line_key){ .major = -job_facts(s, j)->priority, .time_ns = job_facts(s, j)->submit_ns };
}

struct line_key key_service(struct sched *s, job_id j, const void *params)
{
    return (struct line_key){ .major = (double)key_remaining(s, j, params).time_ns * (double)job_size(s, j).gpu_milli };
}

static struct ordered_queue *queue_of(const struct sched *s, const struct ordered *o, job_id j)
{
    return &o->queue[o->per_queue ? job_facts(s, j)->queue : 0];
}

/* Among whom j may make room: whoever runs where it could. A queue with nodes of its own keeps to itself. */
static struct running *rivals_of(const struct sched *s, const struct ordered *o, job_id j)
{
    queue_id q = job_facts(s, j)->queue;
    return &o->running[o->per_queue || queue_facts(s, q)->pinned ? q : queue_count(s)];
}

/* ---- Notices ---- */

void ordered_begin(struct sched *s, struct ordered *o, const struct discipline *d, const void *params)
{
    o->discipline = d;
    o->params = params;
    o->per_queue = ((const struct ordered_params *)params)->scope > 0;
    uint32_t n = o->per_queue ? queue_count(s) : 1;
    o->queue = sched_alloc(s, n * sizeof *o->queue);
    o->running = d->preempts ? sched_alloc(s, (queue_count(s) + (size_t)1) * sizeof *o->running) : NULL;
    o->busy = sched_alloc(s, n * sizeof *o->busy);
    for (uint32_t q = 0; q < n; q++) {
        o->queue[q].waiting = line_new(s);
        o->queue[q].blocked = ID_NONE;
    }
}

void ordered_arrived(struct sched *s, struct ordered *o, job_id j)
{
    struct ordered_queue *q = queue_of(s, o, j);
    line_push(q->waiting, j, o->discipline->key(s, j, o->params));
    if (!q->listed) {
        q->listed = true;
        o->busy[o->n_busy++] = (queue_id)(q - o->queue);
    }
}

void ordered_started(struct sched *s, struct ordered *o, job_id j)
{
    line_remove(queue_of(s, o, j)->waiting, j);
    if (!o->running)
        return;
    struct line_key k = o->discipline->shrinks ? key_remaining(s, j, o->params) : o->discipline->key(s, j, o->params);
    if (o->discipline->shrinks)
        k.time_ns += sched_now(s) + job_start_cost_ns(s, j);    /* the end: the same at any time */
    running_push(s, rivals_of(s, o, j), j, k);
}

void ordered_stopped(struct sched *s, struct ordered *o, job_id j)
{
    if (o->running)
        running_remove(s, rivals_of(s, o, j), j);
}

void ordered_moved(struct sched *s, struct ordered *o, job_id j)
{
    if (job_state(s, j) == JOB_RUNNING)
        running_push(s, rivals_of(s, o, j), j, o->discipline->key(s, j, o->params));
    else
        line_push(queue_of(s, o, j)->waiting, j, o->discipline->key(s, j, o->params));
}

const job_id *ordered_jobs(struct sched *s, const struct ordered *o, size_t *n)
{
    size_t queues = o->per_queue ? queue_count(s) : 1, sets = o->running ? queue_count(s) + (size_t)1 : 0;
    *n = 0;
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

/* Jobs of one shape are in the order of their ends, start-up included; what is compared is the work that is left. */
struct line_key ordered_bound(struct sched *s, const struct ordered *o, job_id j, struct line_key k)
{
    if (o->discipline->shrinks)
        k.time_ns -= sched_now(s);
    if (o->discipline->by_gpus)
        k = (struct line_key){ .major = (double)k.time_ns * (double)job_size(s, j).gpu_milli };
    return k;
}

struct line_key ordered_present(struct sched *s, const struct ordered *o, job_id j, struct line_key bound)
{
    const struct discipline *d = o->discipline;
    return d->present ? d->present(s, o, j) : d->shrinks ? d->key(s, j, o->params) : bound;
}

/* ---- A pass: the lines merged by key ---- */

struct served { struct line_walk walk; struct ordered_queue *queue; };

static bool served_next(struct sched *s, struct queue_head *h)
{
    struct served *w = h->of;
    do {
        if (!line_next(&w->walk, &h->job))
            return false;
    } while (job_state(s, h->job) != JOB_PENDING);        /* a claim stays in line until it runs */
    h->key = line_walk_key(&w->walk);
    return true;
}

/* The head waits for `why`, all behind it for WAIT_ORDER; so does whoever was the head before. */
static void block_head(struct sched *s, struct ordered_queue *q, job_id j, enum wait_reason why)
{
    if (q->blocked != j && q->blocked != ID_NONE)
        sched_blocked(s, q->blocked, WAIT_GROUP);
    q->blocked = j;
    sched_blocked(s, j, why);
}

/* false: this line is done for the pass. */
static bool serve_one(struct sched *s, struct ordered *o, struct queue_head *h)
{
    const struct discipline *d = o->discipline;
    struct served *w = h->of;
    job_id j = h->job;
    enum wait_reason why = WAIT_OTHER;
    struct request r = job_request(s, j);
    bool suspended = job_suspended(s, j) != NULL;
    bool strict = ((const struct ordered_params *)o->params)->blocking <= 0;
    bool admitted = !d->admits || d->admits(s, j, &why);
    if (admitted) {
        const struct placement *where = suspended ? NULL : sched_place(s, sched_view(s, FREE_IDLE), &r);
        if (where && sched_start(s, j, where) == SCHED_OK)
            return true;
        why = suspended ? WAIT_GPUS : sched_why_not(s);
        if (d->makes_room ? d->makes_room(s, o, j, &why)
                          : d->preempts && preempt_for(s, o, rivals_of(s, o, j), j, h->key))
            return true;
    }
    if (job_state(s, j) == JOB_GONE)
        return true;                                      /* admits() has refused it */
    if (suspended) {                                      /* it waits for GPUs of its own, others for any */
        sched_blocked(s, j, why);
        return true;
    }
    if (strict) {
        block_head(s, w->queue, j, why);
        return false;
    }
    if (!admitted && !o->per_queue) {                     /* its queue is full: others of its shape may be of another queue */
        sched_blocked(s, j, why);
        return true;
    }
    sched_blocked(s, j, WAIT_GROUP);
    line_blocked(s, w->queue->waiting, r.shape, why);
    line_skip_shape(&w->walk, r.shape);                   /* who asks for the same fails the same */
    return true;
}

bool ordered_serve(struct sched *s, struct ordered *o)
{
    size_t n = 0, still = 0;
    struct served *all = o->n_busy ? sched_scratch(s, o->n_busy * sizeof *all) : NULL;
    struct queue_head *heap = o->n_busy ? sched_scratch(s, o->n_busy * sizeof *heap) : NULL;
    bool left = false;
    o->pass++;
    o->n_dropped = o->dropped_capacity = 0;
    for (size_t i = 0; i < o->n_busy; i++) {
        struct ordered_queue *q = &o->queue[o->busy[i]];
        if (!(q->listed = line_length(q->waiting) > 0))
            continue;
        o->busy[still++] = o->busy[i];
        all[n] = (struct served){ { .l = q->waiting }, q };
        heap[n].of = &all[n];
        n += served_next(s, &heap[n]);
    }
    o->n_busy = still;
    first_heads_make(NULL, heap, n);
    while (n > 0) {
        bool more = serve_one(s, o, &heap[0]);
        left |= job_state(s, heap[0].job) == JOB_PENDING;
        if (!more || !served_next(s, &heap[0]))
            heap[0] = heap[--n];
        if (n)
            first_heads_down(NULL, heap, n, 0);
    }
    return left || o->n_dropped > 0;
}
