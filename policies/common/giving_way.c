/* giving_way.c - whom to stop for a job that is ahead of them. See giving_way.h.
 *
 * Victims are taken from the end of the order. How many it takes is found by totals first, then by doubling and halving:
 * where fewer suffice, more do too. Whoever was stopped and still fits beside the newcomer stays. */
#include "policies/common/giving_way.h"
#include "policies/common/ordered.h"
#include "sim/contract/util/array.h"

#include <stdlib.h>

/* The bound is where it stands in its line. Its key is that or better: then it is ahead of some who are behind its bound. */
struct victim { job_id job; struct line_key bound, key; bool judged; int64_t sum_milli; };    /* judged: its key is known */

/* ---- Who runs ---- */

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

/* ---- Victims, the last in the order first ---- */

static void victims_begin(struct sched *s, const struct ordered *o, struct running *r)
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
        h->key = ordered_bound(s, o, h->job, h->key);
        r->n_heap++;
    }
    last_heads_make(NULL, r->heap, r->n_heap);
}

/* At most: who shares a GPU may be the only one on it. */
static int64_t frees_milli(struct sched *s, job_id v)
{
    int64_t gpus = 0;
    for (const struct request *r = job_facts(s, v)->ask; r; r = r->next)
        gpus += (int64_t)r->gpus * (r->tasks == SPLIT_ANY ? 1 : (int64_t)r->tasks);
    return gpus * MILLI_ALL;
}

/* false: there are no more. */
static bool victims_fetch(struct sched *s, const struct ordered *o, struct running *r)
{
    if (r->n_heap == 0)
        return false;
    r->victim = array_grown(sched_scratch, s, r->victim, &r->victims_capacity, r->n_victims, sizeof *r->victim);
    struct queue_head *h = &r->heap[0];
    struct victim *v = &r->victim[r->n_victims];
    *v = (struct victim){ .job = h->job, .bound = h->key };
    v->sum_milli = (r->n_victims ? v[-1].sum_milli : 0) + frees_milli(s, v->job);
    r->n_victims++;
    if (line_before(h->of, &h->job, &h->key))
        h->key = ordered_bound(s, o, h->job, h->key);
    else
        *h = r->heap[--r->n_heap];
    if (r->n_heap)
        last_heads_down(NULL, r->heap, r->n_heap, 0);
    return true;
}

/* Is there an i-th victim, and may it be behind j? */
static bool victim_behind(struct sched *s, const struct ordered *o, struct running *r, size_t i, job_id j, struct line_key key)
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

/* How many victims it takes at least, by GPUs alone. false: all those behind j do not make room for it. */
static bool least_victims(struct sched *s, const struct ordered *o, struct running *r, job_id j, struct line_key key,
                          size_t *least)
{
    struct request ask = job_request(s, j);
    int64_t lacks = job_size(s, j).gpu_milli - (int64_t)domain_free_gpus(sched_view(s, FREE_OR_RELEASING), 0, &ask) * ask.gpu_milli;
    *least = 0;
    if (lacks <= 0 || wants_shares(&ask))    /* a part of a GPU may be free where no whole one is */
        return true;
    while (!r->n_victims || r->victim[r->n_victims - 1].sum_milli < lacks)
        if (!victims_fetch(s, o, r) || !victim_behind(s, o, r, r->n_victims - 1, j, key))
            return false;
    size_t last = lower_bound(r->victim, r->n_victims, sizeof *r->victim, &lacks, frees_too_little);
    *least = last + 1;
    return victim_behind(s, o, r, last, j, key);
}

/* ---- Stopping ---- */

static void drop(struct sched *s, struct ordered *o, const struct victim *v)
{
    o->dropped = array_grown(sched_scratch, s, o->dropped, &o->dropped_capacity, o->n_dropped, sizeof *o->dropped);
    o->dropped[o->n_dropped++] = (struct dropped){ v->job, v->key };
}

static void stop_victims(struct sched *s, struct ordered *o, const struct running *r, size_t from, size_t to, job_id j,
                         struct line_key key)
{
    for (size_t i = from; i < to; i++) {
        struct victim *v = &r->victim[i];
        if (!v->judged)
            v->key = ordered_present(s, o, v->job, v->bound);
        v->judged = true;
        if (line_key_before(key, j, v->key, v->job) && job_state(s, v->job) == JOB_RUNNING &&
            job_facts(s, v->job)->preemptible && sched_stop(s, v->job, STOP_SAVE) == SCHED_OK)
            drop(s, o, v);
    }
}

static const struct placement *find_room(struct sched *s, job_id j)
{
    struct request ask = job_request(s, j);
    return sched_place(s, sched_view(s, FREE_OR_RELEASING), &ask);
}

static int by_order(const void *a, const void *b)
{
    const struct dropped *x = a, *y = b;
    return line_key_before(y->key, y->job, x->key, x->job) - line_key_before(x->key, x->job, y->key, y->job);
}

/* Whoever was stopped stays after all if it still fits, first come first. */
static void keep_who_fits(struct sched *s, struct ordered *o, job_id j)
{
    size_t kept = 0;
    if (o->n_dropped > 1)
        qsort(o->dropped, o->n_dropped, sizeof *o->dropped, by_order);
    for (size_t i = 0; i < o->n_dropped; i++) {
        job_id v = o->dropped[i].job;
        const struct placement *where;
        if (sched_keep(s, v) == SCHED_OK || ((where = find_room(s, v)) && sched_start(s, v, where) <= SCHED_LATER))
            continue;
        sched_note(s, v, j);
        o->dropped[kept++] = o->dropped[i];
    }
    o->n_dropped = kept;
}

struct step { sched_mark_t mark; size_t n_dropped; };

static struct step step_begin(struct sched *s, const struct ordered *o)
{
    return (struct step){ sched_mark(s), o->n_dropped };
}

static void step_back(struct sched *s, struct ordered *o, struct step step)
{
    sched_rollback(s, step.mark);
    o->n_dropped = step.n_dropped;
}

/* Stops as few from the end as make room for j, but somebody: what others are leaving anyway is not claimed, since a claim
 * is not taken back for who comes ahead of it later. NULL: nobody's stop makes room. */
static const struct placement *make_room(struct sched *s, struct ordered *o, struct running *r, job_id j, struct line_key key,
                                         size_t least)
{
    size_t low = least, high = least;    /* [0, low) stopped is too few */
    struct step step;
    size_t dropped_before = o->n_dropped;
    stop_victims(s, o, r, 0, least, j, key);
    const struct placement *where = o->n_dropped > dropped_before ? find_room(s, j) : NULL;
    for (size_t stride = 1; !where; stride *= 2) {
        for (low = high; high < low + stride && victim_behind(s, o, r, high, j, key);)
            high++;
        if (high == low)
            return NULL;
        step = step_begin(s, o);
        stop_victims(s, o, r, low, high, j, key);
        where = o->n_dropped > dropped_before ? find_room(s, j) : NULL;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        step_back(s, o, step);
        stop_victims(s, o, r, low, middle, j, key);
        if (o->n_dropped > dropped_before && find_room(s, j)) {
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

bool preempt_for(struct sched *s, struct ordered *o, struct running *r, job_id j, struct line_key key)
{
    size_t least;
    victims_begin(s, o, r);
    if (!least_victims(s, o, r, j, key, &least))
        return false;
    struct step before = step_begin(s, o);
    const struct placement *where = make_room(s, o, r, j, key, least);
    if (where && sched_start(s, j, where) <= SCHED_LATER) {
        keep_who_fits(s, o, j);
        return true;
    }
    step_back(s, o, before);
    return false;
}
