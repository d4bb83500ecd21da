/* preemption.c - running jobs stopped for waiting ones ahead of them. See queueing.h. */
#include "policies/common/preemption.h"
#include "policies/common/excess.h"
#include "policies/common/free_gpus.h"
#include "policies/common/running.h"
#include "sim/contract/util/array.h"

#include <stdlib.h>

struct victim {
    job_id job;
    struct running_job *kept;
    struct line_key bound;        /* under which it stands in its group */
    struct line_key key;          /* as of now, the same or better; once `judged` */
    bool judged;
    int64_t sum_milli;            /* GPUs that it and all victims before it free, at most */
};

/* ---- Keys of running jobs ---- */

/* The key under which a running job stands in its group, as of now. With `shrinks` that is the time
 * of its end, start-up included, which orders jobs of one group at any time; compared is the
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

/* Of v, as was found before, and rounding does not say otherwise now. */
static bool is_known_ahead(struct sched *s, const struct queueing_state *o, job_id v,
                           struct running_job *kept, struct line_key key)
{
    int64_t now_ns = sched_now(s);
    if (now_ns >= kept->ahead_until_ns || key.major < kept->ahead_of)
        return false;
    if (now_ns >= kept->sure_until_ns)
        kept->sure_until_ns = o->discipline->sure_ns(s, o, v);
    return now_ns < kept->sure_until_ns;
}

/* No later than the first time at which v may be behind job j with this key. kept NULL: nothing is
 * kept of it. */
static int64_t behind_ns(struct sched *s, const struct queueing_state *o, job_id v,
                         struct running_job *kept, job_id j, struct line_key key)
{
    if (!o->discipline->behind_ns)
        return sched_now(s);
    if (kept && is_known_ahead(s, o, v, kept, key))
        return kept->ahead_until_ns;
    int64_t at_ns = o->discipline->behind_ns(s, o, v, j, key);
    if (kept && at_ns > sched_now(s)) {
        kept->ahead_of = key.major;
        kept->ahead_until_ns = at_ns;
    }
    return at_ns;
}

/* ---- Victims, from the end of the order ---- */

static void head_of(struct sched *s, const struct queueing_state *o, struct queue_head *h)
{
    const struct running_group *g = h->of;
    const struct ranked *last = ranking_at(&g->order, g->next);
    h->job = last->job;
    h->key = bound_of(s, o, last->job, last->key);
}

static void victims_begin(struct sched *s, const struct queueing_state *o, struct running *r)
{
    if (r->pass == o->pass)
        return;
    r->pass = o->pass;
    r->n_victims = r->n_heap = 0;
    r->heap = sched_scratch(s, (r->n_groups + 1) * sizeof *r->heap);
    for (size_t i = 0; i < r->n_groups; i++) {
        if (!ranking_last(&r->group[i].order, &r->group[i].next))
            continue;
        r->heap[r->n_heap].of = &r->group[i];
        head_of(s, o, &r->heap[r->n_heap++]);
    }
    last_heads_make(NULL, r->heap, r->n_heap);
}

/* false: there are no more. */
static bool victims_fetch(struct sched *s, const struct queueing_state *o, struct running *r)
{
    if (r->n_heap == 0)
        return false;
    r->victim = array_grown(sched_alloc, s, r->victim, &r->victims_capacity, r->n_victims,
                            sizeof *r->victim);
    struct queue_head *h = &r->heap[0];
    struct running_group *g = h->of;
    struct victim *v = &r->victim[r->n_victims];
    struct running_job *kept = &g->job[ranking_entry(&g->order, g->next)];
    *v = (struct victim){ .job = h->job, .kept = kept, .bound = h->key };
    v->sum_milli = (r->n_victims ? v[-1].sum_milli : 0) + kept->frees_milli;
    r->n_victims++;
    if (ranking_previous(&g->order, &g->next))
        head_of(s, o, h);
    else
        *h = r->heap[--r->n_heap];
    if (r->n_heap > 1)
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

static void judge(struct sched *s, const struct queueing_state *o, struct victim *v)
{
    if (!v->judged)
        v->key = present_key(s, o, v->job, v->bound);
    v->judged = true;
}

/* By its present key. */
static bool is_behind(struct sched *s, const struct queueing_state *o, struct victim *v, job_id j,
                      struct line_key key)
{
    if (!v->judged && v->kept && behind_ns(s, o, v->job, v->kept, j, key) > sched_now(s))
        return false;
    judge(s, o, v);
    return line_key_before(key, j, v->key, v->job) && job_state(s, v->job) == JOB_RUNNING &&
           job_facts(s, v->job)->preemptible;
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
 * little, *some: not nothing. Of a chain of requests it says nothing: what is free for one part may
 * be no use for another. */
static bool enough_victims(struct sched *s, const struct queueing_state *o, struct running *r,
                           job_id j, struct line_key key, int64_t lacks, size_t *enough, bool *some)
{
    int64_t frees = 0;
    *enough = 0;
    if (lacks == 0 || job_facts(s, j)->ask->next)
        return true;
    for (; frees < lacks && victim_behind(s, o, r, *enough, j, key); ++*enough)
        frees += is_behind(s, o, &r->victim[*enough], j, key) ? r->victim[*enough].kept->frees_milli
                                                              : 0;
    *some = frees > 0;
    return frees >= lacks;
}

/* ---- Tries that fail again ---- */

/* v stands behind by its bound. */
static void count_behind(struct sched *s, const struct queueing_state *o, struct hopeless *h,
                         job_id v, struct running_job *kept, struct line_key bound)
{
    int64_t at_ns = behind_ns(s, o, v, kept, h->job, h->key);
    int64_t frees = kept ? kept->frees_milli : running_frees_milli(s, v);
    h->frees_milli += frees;
    h->over_milli += excess_eased(s, h->over, v) ? frees : 0;
    if (at_ns > sched_now(s)) {
        if (at_ns < h->until_ns)
            h->until_ns = at_ns;
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
    h->job = j;
    h->key = key;
    h->seen = r->n_pushed;
    h->until_ns = TIME_NEVER;
    h->frees_milli = h->over_milli = 0;
    h->over = excess_of(s, j).queue;
    h->n_maybe = 0;
    for (size_t i = 0; victim_behind(s, o, r, i, j, key); i++)
        count_behind(s, o, h, r->victim[i].job, r->victim[i].kept, r->victim[i].bound);
}

/* NULL: it does not run. */
static struct running_job *kept_of(struct sched *s, const struct queueing_state *o,
                                   const struct running *r, job_id v)
{
    struct running_group *g = running_group_of(s, o, r, v);
    uint32_t e = g ? ranking_find(&g->order, v) : ID_NONE;
    return e == ID_NONE ? NULL : &g->job[e];
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
            count_behind(s, o, h, v->job, kept_of(s, o, r, v->job), bound);
    }
}

/* GPUs of those that may be behind, and are now; with `over`, of that queue alone. */
static int64_t maybe_frees(struct sched *s, const struct queueing_state *o, const struct running *r,
                           const struct hopeless *h, queue_id over)
{
    int64_t frees = 0;
    for (unsigned i = 0; i < h->n_maybe; i++) {
        job_id j = h->maybe[i].job;
        if (job_state(s, j) != JOB_RUNNING || (over != ID_NONE && !excess_eased(s, over, j)))
            continue;
        struct victim v = { .job = j, .kept = kept_of(s, o, r, j), .bound = h->maybe[i].key };
        if (!v.kept || !is_known_ahead(s, o, j, v.kept, h->key))
            judge(s, o, &v);
        frees += is_behind(s, o, &v, h->job, h->key) ? running_frees_milli(s, j) : 0;
    }
    return frees;
}

/* What is known of tries of j with this key. NULL: nothing. */
static struct hopeless *hopeless_of(struct sched *s, const struct running *r, job_id j,
                                    struct line_key key)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    struct hopeless *h = shape < r->n_hopeless ? &r->hopeless[shape] : NULL;
    bool known = h && h->job == j && h->seen && r->n_pushed - h->seen <= PUSHED_KEPT &&
                 !line_key_before(key, j, h->key, j) && !line_key_before(h->key, j, key, j);
    return known ? h : NULL;
}

/* It fails again; *some: though some running job is behind it. */
static bool is_hopeless(struct sched *s, const struct queueing_state *o, const struct running *r,
                        job_id j, struct line_key key, int64_t lacks, bool *some)
{
    struct hopeless *h = hopeless_of(s, r, j, key);
    if (!h)
        return false;
    catch_up(s, o, r, h);
    if (h->frees_milli < lacks)
        return true;
    if (sched_now(s) >= h->until_ns)
        return false;
    int64_t frees = maybe_frees(s, o, r, h, ID_NONE);
    *some = frees > 0;
    return frees == 0 || frees < lacks;
}

/* j has failed with this key, and fails again: a queue stays over its limit whatever runs behind j. */
static bool stays_over(struct sched *s, const struct queueing_state *o, const struct running *r,
                       job_id j, struct line_key key)
{
    struct hopeless *h = hopeless_of(s, r, j, key);
    if (!h || h->over == ID_NONE || o->moved)
        return false;
    struct excess e = excess_of(s, j);
    if (h->over != e.queue)
        return false;
    catch_up(s, o, r, h);
    return h->over_milli < e.milli ||
           (sched_now(s) < h->until_ns && maybe_frees(s, o, r, h, e.queue) < e.milli);
}

bool preempt_moved_behind(struct sched *s, const struct queueing_state *o, const struct running *r,
                          job_id j, struct line_key key)
{
    struct hopeless *h = hopeless_of(s, r, j, key);
    for (; h && h->seen < r->n_pushed; h->seen++) {
        const struct pushed *v = &r->pushed[h->seen % PUSHED_KEPT];
        if (line_key_before(key, j, bound_of(s, o, v->job, v->key), v->job))
            return true;
    }
    return !h;
}

int64_t preempt_fails_until(struct sched *s, const struct queueing_state *o,
                            const struct running *r, job_id j, struct line_key key, int64_t lacks)
{
    bool some;
    int64_t frees = 0;
    if (!is_hopeless(s, o, r, j, key, lacks, &some))
        return 0;
    const struct hopeless *h = &r->hopeless[job_facts(s, j)->ask->shape];
    if (h->frees_milli < lacks)
        return TIME_NEVER;
    for (unsigned i = 0; i < h->n_maybe; i++)
        frees += running_frees_milli(s, h->maybe[i].job);
    return frees == 0 || frees < lacks ? h->until_ns : sched_now(s) + 1;
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
        if (is_behind(s, o, v, j, key) && sched_stop(s, v->job, STOP_SAVE) == SCHED_OK)
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

/* Stops all that are behind j, and keeps them. */
static void touch_victims(struct sched *s, struct queueing_state *o, const struct try *t)
{
    struct step before = step_begin(s, o);
    for (size_t i = 0; victim_behind(s, o, t->r, i, t->job, t->key); i++)
        stop_victims(s, o, t->r, i, i + 1, t->job, t->key);
    step_back(s, o, before);
}

static void touch_all(struct sched *s, struct queueing_state *o)
{
    for (size_t i = 0; i < o->untouched.n; i++)
        touch_victims(s, o, &o->untouched.try[i]);
    o->untouched.n = 0;
}

/* All that are behind j, stopped, would leave a queue over its limit: no place is found for it then. */
static bool limit_binds(struct sched *s, const struct queueing_state *o, struct running *r, job_id j,
                        struct line_key key)
{
    struct excess e = excess_of(s, j);
    if (e.queue == ID_NONE || o->moved)                   /* of a job that has moved a stop is refused, and counted */
        return false;
    for (size_t i = 0; e.milli > 0 && victim_behind(s, o, r, i, j, key); i++)
        if (excess_eased(s, e.queue, r->victim[i].job) && is_behind(s, o, &r->victim[i], j, key))
            e.milli -= r->victim[i].kept->frees_milli;
    return e.milli > 0;
}

/* In the room of running jobs behind it. */
static bool start_instead(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                          struct line_key key, int64_t lacks)
{
    size_t min, enough;
    bool some = false;
    victims_begin(s, o, r);
    if (!min_victims(s, o, r, j, key, lacks, &min)) {
        note_hopeless(s, o, r, j, key);
        return false;
    }
    if (!enough_victims(s, o, r, j, key, lacks, &enough, &some)) {
        note_hopeless(s, o, r, j, key);
        if (some)
            note_untouched(s, o, r, j, key);
        return false;
    }
    if (limit_binds(s, o, r, j, key)) {
        note_hopeless(s, o, r, j, key);
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
    note_hopeless(s, o, r, j, key);
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

bool preempt_by_order(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                      struct line_key key)
{
    bool some = false;
    int64_t lacks = preempt_lacks_milli(s, j);
    if (!is_hopeless(s, o, r, j, key, lacks, &some) && !(some = stays_over(s, o, r, j, key))) {
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
