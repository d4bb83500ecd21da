/* ordered.c - serving lines in order. See ordered.h.
 *
 * Every queue (or the one pool) has a line of waiting jobs and, for preemption, one of running jobs. A pass merges the
 * waiting lines by key. The first misfit ends its line (strict), or only its shape is left out of the rest of the pass (skip). */
#include "policies/ordered.h"

#include <string.h>

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

static bool key_before(struct line_key a, job_id a_job, struct line_key b, job_id b_job)
{
    if (a.major != b.major)
        return a.major < b.major;
    if (a.minor != b.minor)
        return a.minor < b.minor;
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a_job < b_job;
}

static struct ordered_queue *queue_of(const struct sched *s, const struct ordered *o, job_id j)
{
    return &o->queue[o->per_queue ? job_facts(s, j)->queue : 0];
}

/* ---- Notices ---- */

void ordered_begin(struct sched *s, struct ordered *o, const struct discipline *d, const void *params)
{
    o->discipline = d;
    o->params = params;
    o->per_queue = ((const struct ordered_params *)params)->scope > 0;
    uint32_t n = o->per_queue ? queue_count(s) : 1;
    o->queue = sched_alloc(s, n * sizeof *o->queue);
    o->busy = sched_alloc(s, n * sizeof *o->busy);
    for (uint32_t q = 0; q < n; q++) {
        o->queue[q].waiting = line_new(s);
        o->queue[q].running = d->preempts ? line_new(s) : NULL;
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
    struct ordered_queue *q = queue_of(s, o, j);
    line_remove(q->waiting, j);
    if (!q->running)
        return;
    struct line_key k = o->discipline->key(s, j, o->params);
    if (o->discipline->shrinks)
        k.time_ns += sched_now(s) + job_start_cost_ns(s, j);    /* the end: what is left is k.time_ns - now at any time */
    line_push(q->running, j, k);
}

void ordered_stopped(struct sched *s, struct ordered *o, job_id j)
{
    struct ordered_queue *q = queue_of(s, o, j);
    if (q->running)
        line_remove(q->running, j);
}

/* ---- Preemption ---- */

enum where_in_order { AHEAD, BEHIND, ALL_AHEAD };

/* Where running job v stands to waiting job j. Running jobs are in the order of their ends, start-up included; what is
 * compared is the work that is left, so of those that are starting up some may be ahead though their end is behind. */
static enum where_in_order order_of(struct sched *s, const struct ordered *o, job_id v, struct line_key k, job_id j,
                                    struct line_key key)
{
    if (!o->discipline->shrinks)
        return key_before(key, j, k, v) ? BEHIND : ALL_AHEAD;
    k.time_ns -= sched_now(s);
    if (!key_before(key, j, k, v))
        return ALL_AHEAD;
    return key_before(key, j, o->discipline->key(s, v, o->params), v) ? BEHIND : AHEAD;
}

/* Are there enough GPUs in all, counting those behind j? Saves most of the vain searches. */
static bool totals_suffice(struct sched *s, const struct ordered *o, const struct ordered_queue *q, job_id j,
                           struct line_key key)
{
    struct request r = job_request(s, j);
    int64_t have = (int64_t)domain_free_gpus(sched_view(s, FREE_OR_RELEASING), 0, &r) * MILLI_ALL;
    int64_t need = job_size(s, j).gpu_milli;
    struct line_key k;
    job_id v;
    for (bool more = line_last(q->running, &v, &k); more && have < need; more = line_before(q->running, &v, &k)) {
        enum where_in_order at = order_of(s, o, v, k, j, key);
        if (at == ALL_AHEAD)
            break;
        if (at == BEHIND && job_state(s, v) == JOB_RUNNING)
            have += job_size(s, v).gpu_milli;
    }
    return have >= need;
}

static void drop(struct sched *s, struct ordered *o, job_id v)
{
    if (o->n_dropped == o->dropped_capacity) {
        size_t capacity = o->dropped_capacity ? 2 * o->dropped_capacity : 64;
        job_id *grown = sched_scratch(s, capacity * sizeof *grown);
        if (o->n_dropped)
            memcpy(grown, o->dropped, o->n_dropped * sizeof *grown);
        o->dropped = grown;
        o->dropped_capacity = capacity;
    }
    size_t i = o->n_dropped++;
    struct line_key k = o->discipline->key(s, v, o->params);
    for (; i > 0 && key_before(k, v, o->discipline->key(s, o->dropped[i - 1], o->params), o->dropped[i - 1]); i--)
        o->dropped[i] = o->dropped[i - 1];
    o->dropped[i] = v;
}

static bool place_and_start(struct sched *s, enum free_kind in, job_id j)
{
    struct request r = job_request(s, j);
    const struct placement *where = sched_place(s, sched_view(s, in), &r);
    return where && sched_start(s, j, where) <= SCHED_LATER;
}

/* Whoever was stopped and is behind j in the order stays after all if it still fits, first come first. */
static void keep_who_fits(struct sched *s, struct ordered *o, job_id j)
{
    size_t kept = 0;
    for (size_t i = 0; i < o->n_dropped; i++) {
        job_id v = o->dropped[i];
        if (sched_keep(s, v) == SCHED_OK || place_and_start(s, FREE_OR_RELEASING, v))
            continue;
        sched_note(s, v, j);
        o->dropped[kept++] = v;
    }
    o->n_dropped = kept;
}

/* Stops those behind j in its own line, the last first, until j fits. */
static bool preempt_for(struct sched *s, struct ordered *o, struct ordered_queue *q, job_id j, struct line_key key)
{
    if (!totals_suffice(s, o, q, j, key))
        return false;
    sched_mark_t before = sched_mark(s);
    size_t dropped_before = o->n_dropped;
    job_id *was_dropped = sched_scratch(s, (dropped_before + 1) * sizeof *was_dropped);
    if (dropped_before)
        memcpy(was_dropped, o->dropped, dropped_before * sizeof *was_dropped);
    struct line_key k;
    job_id v;
    for (bool more = line_last(q->running, &v, &k); more; more = line_before(q->running, &v, &k)) {
        enum where_in_order at = order_of(s, o, v, k, j, key);
        if (at == ALL_AHEAD)
            break;
        if (at != BEHIND || job_state(s, v) != JOB_RUNNING || !job_facts(s, v)->preemptible || sched_stop(s, v, STOP_SAVE) != SCHED_OK)
            continue;
        drop(s, o, v);
        if (place_and_start(s, FREE_OR_RELEASING, j)) {
            keep_who_fits(s, o, j);
            return true;
        }
    }
    sched_rollback(s, before);
    o->n_dropped = dropped_before;
    if (dropped_before)
        memcpy(o->dropped, was_dropped, dropped_before * sizeof *was_dropped);
    return false;
}

/* ---- A pass: the lines merged by key, in a heap of their walks ---- */

struct served { struct line_walk walk; struct line_key key; job_id job; struct ordered_queue *queue; };

static bool served_next(struct sched *s, struct served *w)
{
    do {
        if (!line_next(&w->walk, &w->job))
            return false;
    } while (job_state(s, w->job) != JOB_PENDING);        /* a claim stays in line until it runs */
    w->key = line_walk_key(&w->walk);
    return true;
}

static void sift(struct served **heap, size_t n, size_t i)
{
    struct served *w = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && key_before(heap[child + 1]->key, heap[child + 1]->job, heap[child]->key, heap[child]->job))
            child++;
        if (!key_before(heap[child]->key, heap[child]->job, w->key, w->job))
            break;
        heap[i] = heap[child];
    }
    heap[i] = w;
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
static bool serve_one(struct sched *s, struct ordered *o, struct served *w)
{
    const struct discipline *d = o->discipline;
    enum wait_reason why = WAIT_OTHER;
    struct request r = job_request(s, w->job);
    bool admitted = !d->admits || d->admits(s, w->job, &why);
    if (admitted) {
        const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &r);
        if (where && sched_start(s, w->job, where) == SCHED_OK)
            return true;
        why = sched_why_not(s);
        if (d->preempts && preempt_for(s, o, w->queue, w->job, w->key))
            return true;
    }
    if (job_state(s, w->job) == JOB_GONE)
        return true;                                      /* admits() has refused it */
    if (((const struct ordered_params *)o->params)->blocking <= 0) {
        block_head(s, w->queue, w->job, why);
        return false;
    }
    if (!admitted && !o->per_queue) {                     /* its queue is full: others of its shape may be of another queue */
        sched_blocked(s, w->job, why);
        return true;
    }
    sched_blocked(s, w->job, WAIT_GROUP);
    line_blocked(s, w->queue->waiting, r.shape, why);
    line_skip_shape(&w->walk, r.shape);                   /* who asks for the same fails the same */
    return true;
}

void ordered_serve(struct sched *s, struct ordered *o)
{
    size_t n = 0, still = 0;
    struct served *all = o->n_busy ? sched_scratch(s, o->n_busy * sizeof *all) : NULL;
    struct served **heap = o->n_busy ? sched_scratch(s, o->n_busy * sizeof *heap) : NULL;
    o->dropped = NULL;
    o->n_dropped = o->dropped_capacity = 0;
    for (size_t i = 0; i < o->n_busy; i++) {
        struct ordered_queue *q = &o->queue[o->busy[i]];
        if (!(q->listed = line_length(q->waiting) > 0))
            continue;
        o->busy[still++] = o->busy[i];
        all[n].walk.l = q->waiting;
        all[n].queue = q;
        heap[n] = &all[n];
        n += served_next(s, &all[n]);
    }
    o->n_busy = still;
    for (size_t i = n / 2; i-- > 0;)
        sift(heap, n, i);
    while (n > 0) {
        if (!serve_one(s, o, heap[0]) || !served_next(s, heap[0]))
            heap[0] = heap[--n];
        if (n)
            sift(heap, n, 0);
    }
}
