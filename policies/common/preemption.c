/* preemption.c - running jobs stopped for waiting ones ahead of them. See queueing.h. */
#include "policies/common/preemption.h"
#include "policies/common/free_gpus.h"
#include "policies/common/hopeless.h"
#include "sim/contract/util/array.h"

#include <stdlib.h>

/* ---- How many victims ---- */

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

int64_t preempt_lacks_milli(struct sched *s, job_id j)
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
                        job_id j, struct line_key key, int64_t lacks, size_t *min)
{
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

/* The same by present keys: how many have to be looked at. false: all those behind j free too
 * little, which is noted; *some: not nothing. Of a chain of requests it says nothing: what is free
 * for one part may be no use for another. */
static bool enough_victims(struct sched *s, const struct queueing_state *o, struct running *r,
                           job_id j, struct line_key key, int64_t lacks, size_t *enough, bool *some)
{
    int64_t frees = 0;
    size_t n = *enough = 0;
    if (lacks == 0 || job_facts(s, j)->ask->next)
        return true;
    struct hopeless h;
    hopeless_begin(&h, j, key, ID_NONE);
    for (; frees < lacks && victim_behind(s, o, r, n, j, key); n++) {
        struct victim *v = &r->victim[n];
        frees += !hopeless_ahead(s, o, &h, v->job, v->kept, v->bound) && victim_judged_behind(s, o, v, j, key)
                     ? v->kept->frees_milli
                     : 0;
    }
    *enough = n;
    *some = frees > 0;
    if (frees < lacks)
        hopeless_keep(s, r, &h, n ? r->victim[n - 1].sum_milli : 0);
    return frees >= lacks;
}

/* The queue that all behind j, stopped, would leave over its limit: no place is found for it then. ID_NONE: there is none. */
static queue_id stays_over(struct sched *s, const struct queueing_state *o, struct running *r, job_id j,
                           struct line_key key)
{
    struct excess e = excess_of(s, j);
    if (e.queue == ID_NONE || o->moved)                   /* of a job that has moved a stop is refused, and counted */
        return ID_NONE;
    for (size_t i = 0; e.milli > 0 && victim_behind(s, o, r, i, j, key); i++)
        if (excess_eased(s, e.queue, r->victim[i].job) && victim_is_behind(s, o, &r->victim[i], j, key))
            e.milli -= r->victim[i].kept->frees_milli;
    return e.milli > 0 ? e.queue : ID_NONE;
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
        if (victim_is_behind(s, o, v, j, key) && sched_stop(s, v->job, STOP_SAVE) == SCHED_OK)
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
        if (sched_keep(s, v) == SCHED_OK)
            continue;
        const struct placement *where = find_room(s, v);
        if (where && sched_start(s, v, where) <= SCHED_LATER) {
            o->moved = true;
            continue;
        }
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

/* The first `enough` victims, if they are: then they are the fewest, and evict_enough() need not
 * search. It would go on in steps that double, `end` victims at the end: these are touched, as jobs
 * are carried out in the order of first touch. NULL: nothing has changed. */
static const struct placement *evict_just_enough(struct sched *s, struct queueing_state *o,
                                                 struct running *r, job_id j, struct line_key key,
                                                 size_t min, size_t enough)
{
    const void *params;
    size_t end = min;
    /* more or fewer questions would change draws; of a job that has moved a stop is refused, and counted */
    if (!enough || o->moved || sched_placer(s, &params)->needs & DRAWS_NODES)
        return NULL;
    struct step step = step_begin(s, o);
    stop_victims(s, o, r, 0, enough, j, key);
    const struct placement *where = find_room(s, j);
    if (!where) {
        step_back(s, o, step);
        return NULL;
    }
    for (size_t stride = 1; end < enough; stride *= 2)
        for (size_t from = end; end < from + stride && victim_behind(s, o, r, end, j, key);)
            end++;
    step = step_begin(s, o);
    stop_victims(s, o, r, enough, end, j, key);
    step_back(s, o, step);
    return where;
}

/* Stops as few jobs from the end as make room for j, at least one; of fewer than `enough` it is
 * known that they do not. NULL: there are not enough. */
static const struct placement *evict_enough(struct sched *s, struct queueing_state *o,
                                            struct running *r, job_id j, struct line_key key,
                                            size_t min, size_t enough)
{
    size_t low = min, high = min;    /* the first `low` victims are too few */
    struct step step;
    size_t evicted_before = o->n_evicted;
    stop_victims(s, o, r, 0, min, j, key);
    const struct placement *where =
        o->n_evicted > evicted_before && high >= enough ? find_room(s, j) : NULL;
    for (size_t stride = 1; !where; stride *= 2) {
        for (low = high; high < low + stride && victim_behind(s, o, r, high, j, key);)
            high++;
        if (high == low)
            return NULL;
        step = step_begin(s, o);
        stop_victims(s, o, r, low, high, j, key);
        where = o->n_evicted > evicted_before && high >= enough ? find_room(s, j) : NULL;
    }
    for (size_t stopped = low; high - low > 1; where = NULL) {    /* before `step` */
        size_t middle = low + (high - low) / 2;
        if (middle < enough) {
            low = middle;
            continue;
        }
        step_back(s, o, step);
        stop_victims(s, o, r, stopped, middle, j, key);
        if (o->n_evicted > evicted_before && find_room(s, j)) {
            high = middle;
        } else {
            low = stopped = middle;
            step = step_begin(s, o);
            stop_victims(s, o, r, low, high, j, key);
        }
    }
    return where ? where : find_room(s, j);
}

static void note_try(struct sched *s, struct tries *of, struct running *r, job_id j,
                     struct line_key key)
{
    of->try = array_grown(sched_scratch, s, of->try, &of->capacity, of->n, sizeof *of->try);
    of->try[of->n++] = (struct try){ r, j, key };
}

/* A try before this one in the pass touches all that this one would: what is behind a job is behind all before it. Not once
 * jobs have moved: of these a stop is refused, and counted. */
static bool touches_nothing_new(const struct queueing_state *o, const struct running *r)
{
    return r->touched == o->pass && !o->moved;
}

/* It has failed, and would have stopped and kept all that are behind j. */
static void note_untouched(struct sched *s, struct queueing_state *o, struct running *r, job_id j, struct line_key key)
{
    if (touches_nothing_new(o, r))
        return;
    note_try(s, &o->untouched, r, j, key);
    r->touched = o->pass;
}

/* All that are behind j. Of jobs that have moved a stop is refused, and counted: these are stopped and kept. */
static void touch_victims(struct sched *s, struct queueing_state *o, const struct try *t)
{
    struct step before = step_begin(s, o);
    for (size_t i = 0; victim_behind(s, o, t->r, i, t->job, t->key); i++) {
        struct victim *v = &t->r->victim[i];
        if (o->moved)
            stop_victims(s, o, t->r, i, i + 1, t->job, t->key);
        else if (victim_is_behind(s, o, v, t->job, t->key))
            sched_touch(s, v->job);
    }
    step_back(s, o, before);
}

static void touch_all(struct sched *s, struct queueing_state *o)
{
    for (size_t i = 0; i < o->untouched.n; i++)
        touch_victims(s, o, &o->untouched.try[i]);
    o->untouched.n = 0;
}

/* In the room of running jobs behind it. */
static bool start_instead(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                          struct line_key key, int64_t lacks)
{
    size_t min, enough;
    bool some = false;
    victims_begin(s, o, r);
    if (!min_victims(s, o, r, j, key, lacks, &min)) {
        hopeless_note(s, o, r, j, key, ID_NONE);
        return false;
    }
    if (!enough_victims(s, o, r, j, key, lacks, &enough, &some)) {
        if (some)
            note_untouched(s, o, r, j, key);
        return false;
    }
    if (stays_over(s, o, r, j, key) != ID_NONE) {
        note_untouched(s, o, r, j, key);
        return false;
    }
    touch_all(s, o);
    struct step before = step_begin(s, o);
    const struct placement *where = evict_just_enough(s, o, r, j, key, min, enough);
    if (!where)
        where = evict_enough(s, o, r, j, key, min, enough);
    if (where && sched_start(s, j, where) <= SCHED_LATER) {
        reinstate_those_that_fit(s, o, j);
        return true;
    }
    step_back(s, o, before);
    hopeless_note(s, o, r, j, key, ID_NONE);
    return false;
}

static void try_skipped(struct sched *s, struct queueing_state *o)
{
    size_t n = o->skipped.n;
    o->skipped.n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct try t = o->skipped.try[i];
        if (!touches_nothing_new(o, t.r))
            start_instead(s, o, t.r, t.job, t.key, preempt_lacks_milli(s, t.job));
    }
}

void preempt_catch_up(struct sched *s, struct queueing_state *o)
{
    try_skipped(s, o);
    touch_all(s, o);
}

/* A limit is in its way, or it is known to fail; *some: though it may touch something. */
static bool is_hopeless(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                        struct line_key key, int64_t lacks, bool *some)
{
    if (hopeless_again(s, o, r, j, key, lacks, some))
        return true;
    victims_begin(s, o, r);
    queue_id over = stays_over(s, o, r, j, key);
    if (over != ID_NONE)
        hopeless_note(s, o, r, j, key, over);
    *some = over != ID_NONE;
    return *some;
}

bool preempt_by_order(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                      struct line_key key)
{
    bool some = false;
    int64_t lacks = preempt_lacks_milli(s, j);
    if (!is_hopeless(s, o, r, j, key, lacks, &some)) {
        if (o->skipped.n) {
            try_skipped(s, o);
            lacks = preempt_lacks_milli(s, j);
        }
        return start_instead(s, o, r, j, key, lacks);
    }
    if (some && !touches_nothing_new(o, r))
        note_try(s, &o->skipped, r, j, key);
    return false;
}
