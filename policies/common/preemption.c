/* preemption.c - running jobs stopped for waiting ones ahead of them. See queueing.h. */
#include "policies/common/preemption.h"
#include "policies/common/free_gpus.h"
#include "sim/contract/util/array.h"

#include <stdlib.h>

/* ---- Running jobs ---- */

struct victim {
    job_id job;
    struct line_key bound;        /* under which it stands in its line */
    struct line_key key;          /* as of now, the same or better; once `judged` */
    bool judged;
    int64_t sum_milli;            /* GPUs that it and all victims before it free, at most */
};

enum { PUSHED_KEPT = 256 };       /* a try that has missed more is made again */

static bool shape_before(const void *entry, const void *key)
{
    return ((const struct running_shape *)entry)->shape < *(const shape_id *)key;
}

static size_t shape_place(const struct running *r, shape_id shape)
{
    return lower_bound(r->shape, r->n_shapes, sizeof *r->shape, &shape, shape_before);
}

static void shape_insert(struct sched *s, struct running *r, size_t at, shape_id shape)
{
    r->shape = array_grown(sched_alloc, s, r->shape, &r->capacity, r->n_shapes, sizeof *r->shape);
    array_open(r->shape, r->n_shapes++, at, sizeof *r->shape);
    r->shape[at] = (struct running_shape){ shape, line_new(s) };
}

void running_push(struct sched *s, struct running *r, job_id j, struct line_key k)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    size_t at = shape_place(r, shape);
    if (at == r->n_shapes || r->shape[at].shape != shape)
        shape_insert(s, r, at, shape);
    line_push(r->shape[at].line, j, k);
    r->pushed = r->pushed ? r->pushed : sched_alloc(s, PUSHED_KEPT * sizeof *r->pushed);
    r->pushed[r->n_pushed++ % PUSHED_KEPT] = (struct pushed){ j, k };
}

void running_remove(struct sched *s, struct running *r, job_id j)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    size_t at = shape_place(r, shape);
    if (at < r->n_shapes && r->shape[at].shape == shape)
        line_remove(r->shape[at].line, j);
}

size_t running_count(const struct running *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_shapes; i++)
        n += line_length(r->shape[i].line);
    return n;
}

void running_list(const struct running *r, job_id **to)
{
    for (size_t i = 0; i < r->n_shapes; i++)
        for (struct line_walk walk = { .l = r->shape[i].line }; line_next(&walk, *to);)
            ++*to;
}

/* ---- Keys of running jobs ---- */

/* The key under which a running job stands in its line, as of now. With `shrinks` that is the time
 * of its end, start-up included, which orders jobs of one shape at any time; compared is the
 * remaining work. */
static struct line_key bound_of(struct sched *s, const struct queueing_state *o, job_id j,
                                struct line_key k)
{
    if (o->discipline->shrinks)
        k.time_ns -= sched_now(s);
    if (o->discipline->by_gpus)
        k = (struct line_key){ .major = (double)k.time_ns * (double)job_size(s, j).gpu_milli };
    return k;
}

/* The key by which a running job is judged: its bound or better. */
static struct line_key present_key(struct sched *s, const struct queueing_state *o, job_id j,
                                   struct line_key bound)
{
    const struct discipline *d = o->discipline;
    return d->present ? d->present(s, o, j) : d->shrinks ? d->key(s, j, o->params) : bound;
}

/* ---- Victims, from the end of the order ---- */

static void victims_begin(struct sched *s, const struct queueing_state *o, struct running *r)
{
    if (r->pass == o->pass)
        return;
    r->pass = o->pass;
    r->n_victims = r->victims_capacity = r->n_heap = 0;
    r->heap = sched_scratch(s, (r->n_shapes + 1) * sizeof *r->heap);
    for (size_t i = 0; i < r->n_shapes; i++) {
        struct queue_head *h = &r->heap[r->n_heap];
        h->of = r->shape[i].line;
        if (!line_last(r->shape[i].line, &h->job, &h->key))
            continue;
        h->key = bound_of(s, o, h->job, h->key);
        r->n_heap++;
    }
    last_heads_make(NULL, r->heap, r->n_heap);
}

/* An upper bound: a job that shares a GPU may be alone on it. */
static int64_t frees_milli(struct sched *s, job_id v)
{
    int64_t gpus = 0;
    for (const struct request *r = job_facts(s, v)->ask; r; r = r->next)
        gpus += (int64_t)r->gpus * (r->tasks == SPLIT_ANY ? 1 : (int64_t)r->tasks);
    return gpus * MILLI_ALL;
}

/* false: there are no more. */
static bool victims_fetch(struct sched *s, const struct queueing_state *o, struct running *r)
{
    if (r->n_heap == 0)
        return false;
    r->victim = array_grown(sched_scratch, s, r->victim, &r->victims_capacity, r->n_victims,
                            sizeof *r->victim);
    struct queue_head *h = &r->heap[0];
    struct victim *v = &r->victim[r->n_victims];
    *v = (struct victim){ .job = h->job, .bound = h->key };
    v->sum_milli = (r->n_victims ? v[-1].sum_milli : 0) + frees_milli(s, v->job);
    r->n_victims++;
    if (line_before(h->of, &h->job, &h->key))
        h->key = bound_of(s, o, h->job, h->key);
    else
        *h = r->heap[--r->n_heap];
    if (r->n_heap)
        last_heads_down(NULL, r->heap, r->n_heap, 0);
    return true;
}

/* There is an i-th victim, and its bound is behind j. */
static bool victim_behind(struct sched *s, const struct queueing_state *o, struct running *r,
                          size_t i, job_id j, struct line_key key)
{
    while (r->n_victims <= i)
        if (!victims_fetch(s, o, r))
            return false;
    return line_key_before(key, j, r->victim[i].bound, r->victim[i].job);
}

static bool wants_shares(const struct request *r)
{
    while (r && r->gpu_milli == MILLI_ALL)
        r = r->next;
    return r;
}

static bool frees_too_little(const void *victim, const void *lacks_milli)
{
    return ((const struct victim *)victim)->sum_milli < *(const int64_t *)lacks_milli;
}

/* GPUs that j lacks, at least; 0 if none, or if it wants shares: one may be free where no whole GPU
 * is. */
static int64_t lacks_milli(struct sched *s, job_id j)
{
    struct request ask = job_request(s, j);
    if (wants_shares(&ask))
        return 0;
    int64_t lacks =
        job_size(s, j).gpu_milli -
        (int64_t)free_gpus_for(sched_view(s, FREE_OR_RELEASING), &ask) * ask.gpu_milli;
    return lacks > 0 ? lacks : 0;
}

/* A lower bound of the number of victims, by GPUs alone. false: all those behind j free too
 * little. */
static bool min_victims(struct sched *s, const struct queueing_state *o, struct running *r,
                        job_id j, struct line_key key, size_t *min)
{
    int64_t lacks = lacks_milli(s, j);
    *min = 0;
    if (lacks == 0)
        return true;
    while (!r->n_victims || r->victim[r->n_victims - 1].sum_milli < lacks)
        if (!victims_fetch(s, o, r) || !victim_behind(s, o, r, r->n_victims - 1, j, key))
            return false;
    size_t last = lower_bound(r->victim, r->n_victims, sizeof *r->victim, &lacks, frees_too_little);
    *min = last + 1;
    return victim_behind(s, o, r, last, j, key);
}

/* ---- Tries that fail again ---- */

/* By its present key. */
static bool is_behind(struct sched *s, const struct queueing_state *o, job_id j,
                      struct line_key key, job_id v, struct line_key bound)
{
    return job_state(s, v) == JOB_RUNNING && job_facts(s, v)->preemptible &&
           line_key_before(key, j, present_key(s, o, v, bound), v);
}

/* v stands behind by its bound. */
static void count_behind(struct sched *s, const struct queueing_state *o, struct hopeless *h,
                         job_id v, struct line_key bound)
{
    const struct discipline *d = o->discipline;
    int64_t behind_ns = d->behind_ns ? d->behind_ns(s, o, v, h->job, h->key) : sched_now(s);
    h->frees_milli += frees_milli(s, v);
    if (behind_ns > sched_now(s)) {
        if (behind_ns < h->until_ns)
            h->until_ns = behind_ns;
    } else if (h->n_maybe < MAYBE_KEPT) {
        h->maybe[h->n_maybe++] = (struct pushed){ v, bound };
    } else {
        h->until_ns = 0;
    }
}

static void note_hopeless(struct sched *s, const struct queueing_state *o, struct running *r,
                          job_id j, struct line_key key)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    r->hopeless =
        array_covering(sched_alloc, s, r->hopeless, &r->n_hopeless, shape, sizeof *r->hopeless);
    struct hopeless *h = &r->hopeless[shape];
    *h = (struct hopeless){ .job = j, .key = key, .seen = r->n_pushed, .until_ns = TIME_NEVER };
    for (size_t i = 0; victim_behind(s, o, r, i, j, key); i++)
        count_behind(s, o, h, r->victim[i].job, r->victim[i].bound);
}

/* Those that have joined since may be behind; those that have ended are counted still. */
static void catch_up(struct sched *s, const struct queueing_state *o, const struct running *r,
                     struct hopeless *h)
{
    for (; h->seen < r->n_pushed; h->seen++) {
        const struct pushed *v = &r->pushed[h->seen % PUSHED_KEPT];
        struct line_key bound;
        if (job_state(s, v->job) == JOB_GONE)
            continue;
        bound = bound_of(s, o, v->job, v->key);
        if (line_key_before(h->key, h->job, bound, v->job))
            count_behind(s, o, h, v->job, bound);
    }
}

/* It fails again; *some: though some running job is behind it. */
static bool is_hopeless(struct sched *s, const struct queueing_state *o, const struct running *r,
                        job_id j, struct line_key key, bool *some)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    struct hopeless *h = shape < r->n_hopeless ? &r->hopeless[shape] : NULL;
    if (!h || h->job != j || !h->seen || r->n_pushed - h->seen > PUSHED_KEPT ||
        line_key_before(key, j, h->key, j) || line_key_before(h->key, j, key, j))
        return false;
    catch_up(s, o, r, h);
    int64_t lacks = lacks_milli(s, j), frees = 0;
    if (h->frees_milli < lacks)
        return true;
    if (sched_now(s) >= h->until_ns)
        return false;
    for (unsigned i = 0; i < h->n_maybe; i++)
        if (is_behind(s, o, j, key, h->maybe[i].job, h->maybe[i].key))
            frees += frees_milli(s, h->maybe[i].job);
    *some = frees > 0;
    return frees == 0 || frees < lacks;
}

/* ---- Stopping ---- */

static void note_evicted(struct sched *s, struct queueing_state *o, const struct victim *v)
{
    o->evicted = array_grown(sched_scratch, s, o->evicted, &o->evicted_capacity, o->n_evicted,
                             sizeof *o->evicted);
    o->evicted[o->n_evicted++] = (struct evicted){ v->job, v->key };
}

static void stop_victims(struct sched *s, struct queueing_state *o, const struct running *r,
                         size_t from, size_t to, job_id j, struct line_key key)
{
    for (size_t i = from; i < to; i++) {
        struct victim *v = &r->victim[i];
        if (!v->judged)
            v->key = present_key(s, o, v->job, v->bound);
        v->judged = true;
        if (line_key_before(key, j, v->key, v->job) && job_state(s, v->job) == JOB_RUNNING &&
            job_facts(s, v->job)->preemptible && sched_stop(s, v->job, STOP_SAVE) == SCHED_OK)
            note_evicted(s, o, v);
    }
}

static const struct placement *find_room(struct sched *s, job_id j)
{
    struct request ask = job_request(s, j);
    return sched_place(s, sched_view(s, FREE_OR_RELEASING), &ask);
}

static int by_order(const void *a, const void *b)
{
    const struct evicted *x = a, *y = b;
    return line_key_before(y->key, y->job, x->key, x->job) -
           line_key_before(x->key, x->job, y->key, y->job);
}

/* A job stopped in this pass stays after all if it still fits; in the order of the line. */
static void reinstate_those_that_fit(struct sched *s, struct queueing_state *o, job_id j)
{
    size_t kept = 0;
    if (o->n_evicted > 1)
        qsort(o->evicted, o->n_evicted, sizeof *o->evicted, by_order);
    for (size_t i = 0; i < o->n_evicted; i++) {
        job_id v = o->evicted[i].job;
        const struct placement *where;
        if (sched_keep(s, v) == SCHED_OK ||
            ((where = find_room(s, v)) && sched_start(s, v, where) <= SCHED_LATER))
            continue;
        sched_note(s, v, j);
        o->evicted[kept++] = o->evicted[i];
    }
    o->n_evicted = kept;
}

struct step { sched_mark_t mark; size_t n_evicted; };

static struct step step_begin(struct sched *s, const struct queueing_state *o)
{
    return (struct step){ sched_mark(s), o->n_evicted };
}

static void step_back(struct sched *s, struct queueing_state *o, struct step step)
{
    sched_rollback(s, step.mark);
    o->n_evicted = step.n_evicted;
}

/* Stops as few jobs from the end as make room for j, at least one. NULL: there are not enough. */
static const struct placement *evict_enough(struct sched *s, struct queueing_state *o,
                                            struct running *r, job_id j, struct line_key key,
                                            size_t min)
{
    size_t low = min, high = min;    /* the first `low` victims are too few */
    struct step step;
    size_t evicted_before = o->n_evicted;
    stop_victims(s, o, r, 0, min, j, key);
    const struct placement *where = o->n_evicted > evicted_before ? find_room(s, j) : NULL;
    for (size_t stride = 1; !where; stride *= 2) {
        for (low = high; high < low + stride && victim_behind(s, o, r, high, j, key);)
            high++;
        if (high == low)
            return NULL;
        step = step_begin(s, o);
        stop_victims(s, o, r, low, high, j, key);
        where = o->n_evicted > evicted_before ? find_room(s, j) : NULL;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        step_back(s, o, step);
        stop_victims(s, o, r, low, middle, j, key);
        if (o->n_evicted > evicted_before && find_room(s, j)) {
            high = middle;
        } else {
            low = middle;
            step = step_begin(s, o);
            stop_victims(s, o, r, low, high, j, key);
        }
        where = NULL;
    }
    return where ? where : find_room(s, j);
}

/* In the room of running jobs behind it. */
static bool start_instead(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                          struct line_key key)
{
    size_t min;
    victims_begin(s, o, r);
    if (!min_victims(s, o, r, j, key, &min)) {
        note_hopeless(s, o, r, j, key);
        return false;
    }
    struct step before = step_begin(s, o);
    const struct placement *where = evict_enough(s, o, r, j, key, min);
    if (where && sched_start(s, j, where) <= SCHED_LATER) {
        reinstate_those_that_fit(s, o, j);
        return true;
    }
    step_back(s, o, before);
    note_hopeless(s, o, r, j, key);
    return false;
}

void preempt_catch_up(struct sched *s, struct queueing_state *o)
{
    size_t n = o->n_skipped;
    o->n_skipped = 0;
    for (size_t i = 0; i < n; i++)
        start_instead(s, o, o->skipped[i].r, o->skipped[i].job, o->skipped[i].key);
}

bool preempt_by_order(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                      struct line_key key)
{
    bool some = false;
    if (!is_hopeless(s, o, r, j, key, &some)) {
        preempt_catch_up(s, o);
        return start_instead(s, o, r, j, key);
    }
    if (some) {
        o->skipped = array_grown(sched_scratch, s, o->skipped, &o->skipped_capacity, o->n_skipped,
                                 sizeof *o->skipped);
        o->skipped[o->n_skipped++] = (struct skipped){ r, j, key };
    }
    return false;
}
