/* hopeless.c - see hopeless.h. */
#include "policies/common/hopeless.h"
#include "sim/contract/util/array.h"

void hopeless_maybe(struct hopeless *h, job_id v, struct line_key bound)
{
    if (h->n_maybe < MAYBE_KEPT)
        h->maybe[h->n_maybe++] = (struct pushed){ v, bound };
    else
        h->until_ns = 0;
}

/* v stands behind by its bound. */
static inline void count_behind(struct sched *s, const struct queueing_state *o, struct hopeless *h,
                                job_id v, struct running_job *kept, struct line_key bound)
{
    if (h->of != ID_NONE && !excess_eased(s, h->of, v))
        return;
    (void)hopeless_ahead(s, o, h, v, kept, bound);
    h->frees_milli += kept ? kept->frees_milli : running_frees_milli(s, v);
}

void hopeless_begin(struct hopeless *h, job_id j, struct line_key key, queue_id of)
{
    h->job = j;
    h->key = key;
    h->until_ns = TIME_NEVER;
    h->frees_milli = 0;
    h->of = of;
    h->n_maybe = 0;
}

void hopeless_keep(struct sched *s, struct running *r, struct hopeless *h, int64_t frees_milli)
{
    shape_id shape = job_facts(s, h->job)->ask->shape;
    r->hopeless =
        array_covering(sched_alloc, s, r->hopeless, &r->n_hopeless, shape, sizeof *r->hopeless);
    h->seen = r->n_pushed;
    h->frees_milli = frees_milli;
    memcpy(&r->hopeless[shape], h, offsetof(struct hopeless, maybe) + h->n_maybe * sizeof *h->maybe);
}

void hopeless_note(struct sched *s, const struct queueing_state *o, struct running *r, job_id j,
                   struct line_key key, queue_id of)
{
    struct hopeless h;
    hopeless_begin(&h, j, key, of);
    for (size_t i = 0; victim_behind(s, o, r, i, j, key); i++)
        count_behind(s, o, &h, r->victim[i].job, r->victim[i].kept, r->victim[i].bound);
    hopeless_keep(s, r, &h, h.frees_milli);
}

/* NULL: it does not run, or is far from the end of the order. */
static struct running_job *kept_of(struct sched *s, const struct queueing_state *o,
                                   const struct running *r, job_id v)
{
    struct running_group *g = running_group_of(s, o, r, v);
    uint32_t e = g ? ranking_find(&g->order, v) : ID_NONE;
    return e == ID_NONE || ranking_is_far(&g->order, e) ? NULL : &g->job[e];
}

/* Those that have joined since may be behind; those that have ended are counted still. */
static void catch_up(struct sched *s, const struct queueing_state *o, const struct running *r,
                     struct hopeless *h)
{
    for (; h->seen < r->n_pushed; h->seen++) {
        const struct pushed *v = &r->pushed[h->seen % PUSHED_KEPT];
        struct line_key bound = victim_bound(s, o, v->job, v->key);
        if (line_key_before(h->key, h->job, bound, v->job) && job_state(s, v->job) != JOB_GONE)
            count_behind(s, o, h, v->job, kept_of(s, o, r, v->job), bound);
    }
}

/* GPUs of those that may be behind, and are now. */
static int64_t maybe_frees(struct sched *s, const struct queueing_state *o, const struct running *r,
                           const struct hopeless *h)
{
    int64_t frees = 0;
    for (unsigned i = 0; i < h->n_maybe; i++) {
        job_id j = h->maybe[i].job;
        if (job_state(s, j) != JOB_RUNNING)
            continue;
        struct victim v = { .job = j, .kept = kept_of(s, o, r, j), .bound = h->maybe[i].key };
        if (!v.kept || !victim_known_ahead(s, o, j, v.kept, h->key))
            victim_judge(s, o, &v);
        frees += victim_is_behind(s, o, &v, h->job, h->key) ? running_frees_milli(s, j) : 0;
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
                 key.major == h->key.major && key.minor == h->key.minor &&
                 key.time_ns == h->key.time_ns;
    return known ? h : NULL;
}

/* What the try of j needs, of those that h counts; 0: not of these. */
static int64_t needs_milli(struct sched *s, const struct queueing_state *o, const struct hopeless *h, job_id j,
                           int64_t lacks)
{
    if (h->of == ID_NONE)
        return lacks;
    struct excess e = excess_of(s, j);
    return e.queue == h->of && !o->moved ? e.milli : 0;    /* of jobs that have moved a stop is refused, and counted */
}

bool hopeless_again(struct sched *s, const struct queueing_state *o, const struct running *r,
                    job_id j, struct line_key key, int64_t lacks, bool *some)
{
    struct hopeless *h = hopeless_of(s, r, j, key);
    int64_t needs = h ? needs_milli(s, o, h, j, lacks) : 0;
    if (!h || (h->of != ID_NONE && !needs))
        return false;
    *some = h->of != ID_NONE;
    catch_up(s, o, r, h);
    if (h->frees_milli < needs)
        return true;
    if (sched_now(s) >= h->until_ns)
        return false;
    int64_t frees = maybe_frees(s, o, r, h);
    *some |= frees > 0;
    return frees == 0 || frees < needs;
}

bool hopeless_moved_behind(struct sched *s, const struct queueing_state *o, const struct running *r,
                           job_id j, struct line_key key)
{
    struct hopeless *h = hopeless_of(s, r, j, key);
    for (; h && h->seen < r->n_pushed; h->seen++) {
        const struct pushed *v = &r->pushed[h->seen % PUSHED_KEPT];
        if (line_key_before(key, j, victim_bound(s, o, v->job, v->key), v->job))
            return true;
    }
    return !h;
}

int64_t hopeless_until(struct sched *s, const struct queueing_state *o, const struct running *r,
                       job_id j, struct line_key key, int64_t lacks)
{
    bool some;
    if (!hopeless_again(s, o, r, j, key, lacks, &some))
        return 0;
    const struct hopeless *h = &r->hopeless[job_facts(s, j)->ask->shape];
    int64_t needs = needs_milli(s, o, h, j, lacks), frees = 0, until_ns = h->until_ns;
    if (h->frees_milli < needs)
        return TIME_NEVER;
    for (unsigned i = 0; i < h->n_maybe; i++) {
        job_id v = h->maybe[i].job;
        if (job_state(s, v) != JOB_RUNNING)
            continue;
        int64_t at_ns = victim_behind_ns(s, o, v, kept_of(s, o, r, v), j, key);
        if (at_ns > sched_now(s))
            until_ns = at_ns < until_ns ? at_ns : until_ns;
        else
            frees += running_frees_milli(s, v);
    }
    return frees == 0 || frees < needs ? until_ns : sched_now(s) + 1;
}
