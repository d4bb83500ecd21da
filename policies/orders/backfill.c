/* backfill.c - jobs behind may start early where no promise is delayed.
 *
 * The first `depth` jobs that cannot start are promised the earliest time at which they fit by the
 * submitted estimates; a later job starts only if it fits now and until it is expected to end.
 * depth 1 is EASY (Lifka, JSSPP 1995), no bound is conservative backfilling (Mu'alem and Feitelson,
 * IEEE TPDS 12(6), 2001). A job without an estimate runs for ever: a job that must wait for its end
 * can be promised no time, and then no other job without an estimate gets GPUs that it might use.
 * When a job gives up GPUs, each promise is looked at again, first come
 * first, with those of all others in place: it never gets later. New jobs only add to them. "Free
 * over the whole window" needs no rule about extra nodes: on counts it says the same. */
#include "sim/contract/timeline.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/minmax.h"

#include <stddef.h>
#include <string.h>

struct backfill_params { double depth, order, tests, overrun; };
enum { BY_ARRIVAL, BY_ESTIMATE };
#define TESTS_ALL 1e9
#define DEPTH_ALL 1e9
enum { PLACER_TRIES = 1000 };     /* moments at which one reservation asks the placer */
static const char *const orders[] = { "arrival", "shortest", NULL };
static const char *const overruns[] = { "extend", "literal", NULL };      /* as enum overrun */

struct list { job_id *job; size_t n, capacity; };
struct own { bool listed, in_order, limited; };      /* of a job: among the promised; in `order`; waits for its limit, and is marked */
enum { MARK_LIMITED = 1 };
struct backfill {
    struct line *waiting, *shortest;
    /* every pass looks at all jobs, or leaves them out because that would change nothing */
    bool all;
    bool everyone;                /* every job is promised a time, in the order of arrival */
    bool limits;                  /* some job has been marked so far */
    /* jobs that the last pass left waiting with a promise, or without one if there is no time */
    double ahead;
    int64_t due_ns;               /* the first of the promises */
    uint64_t seen;                /* timeline_version of the last pass */
    bool passed;
    struct list fresh;            /* arrived since the last pass */
    struct list timeless;         /* of each shape the first job that could be promised no time */
    struct list promised;         /* all with a promise, and some that had one; unless `all` */
    struct list order;            /* if `everyone`: all that wait as in the line, and some that do not */
    /* [n_shapes] did not fit before the promises; is among the timeless; what a job without an estimate was told last that can be
       promised no time, at that timeline_outlook() */
    struct too_long { int64_t estimate_ns; uint64_t pass, timeless, outlook; enum wait_reason told; } *too_long;
    size_t n_shapes;
    uint64_t pass, looked;        /* passes; those that looked at all jobs */
};

static void backfill_begin(struct sched *s, const void *params, void *state)
{
    const struct backfill_params *p = params;
    struct backfill *b = state;
    b->waiting = line_new(s);
    b->shortest = p->order > 0 ? line_new(s) : NULL;
    b->all = p->tests >= TESTS_ALL;
    b->everyone = b->all && !b->shortest && p->depth >= DEPTH_ALL;
    timeline_overrun(s, p->overrun > 0 ? OVERRUN_LITERAL : OVERRUN_EXTEND);
}

static void backfill_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)s;
    (void)params;
    struct backfill *b = state;
    line_remove(b->waiting, j);
    if (b->shortest)
        line_remove(b->shortest, j);
}

static void mark(struct sched *s, struct backfill *b, job_id j, bool limited)
{
    if (!limited && !b->limits)
        return;
    b->limits = true;
    struct own *own = job_own(s, j);
    if (own->limited != limited)
        line_mark(b->waiting, j, limited ? MARK_LIMITED : 0);
    own->limited = limited;
}

static void tell(struct sched *s, struct backfill *b, job_id j, enum wait_reason why)
{
    mark(s, b, j, why == WAIT_LIMIT);
    sched_blocked(s, j, why);
}

/* The limit of its queue: no time is promised, and no job waits behind it. */
static bool held_by_limit(struct sched *s, struct backfill *b, job_id j)
{
    if (!job_over_limit(s, j)) {
        mark(s, b, j, false);
        return false;
    }
    plan_drop(s, j);
    tell(s, b, j, WAIT_LIMIT);
    return true;
}

static struct too_long *of_shape(struct sched *s, struct backfill *b, job_id j)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    b->too_long =
        array_covering(sched_alloc, s, b->too_long, &b->n_shapes, shape, sizeof *b->too_long);
    return &b->too_long[shape];
}

/* j, just given, waits for its limit, as all of its shape do now: those that know it are left out, unless longer ones are. */
static void leave_out_limited(struct sched *s, struct backfill *b, struct line_walk *walk, job_id j)
{
    const struct own *own = job_own(s, j);                /* NULL: it is gone */
    if (own && own->limited && b->all && !b->shortest && of_shape(s, b, j)->pass != b->pass)
        line_skip_marked(walk, MARK_LIMITED);
}

static void list_add(struct sched *s, struct list *l, job_id j)
{
    l->job = array_grown(sched_alloc, s, l->job, &l->capacity, l->n, sizeof j);
    l->job[l->n++] = j;
}

static void is_timeless(struct sched *s, struct backfill *b, job_id j)
{
    struct too_long *known = of_shape(s, b, j);
    if (known->timeless != b->looked)
        list_add(s, &b->timeless, j);
    known->timeless = b->looked;
}

/* A task of `run` might use what a task of `own` holds on that piece. */
static bool might_use(const struct view *v, const struct request *run, const struct request *own,
                      const struct piece *p)
{
    if (!view_allows(v, run, p->node))
        return false;
    if ((run->cpu_milli && own->cpu_milli) || (run->mem_mib && own->mem_mib))
        return true;
    return run->gpus && p->gpus && (!p->gpu_mask || p->gpu_mask & view_slots(v, run, p->node));
}

/* j would hold for ever what a job ahead, which can be promised no time, might use. */
static bool holds_for_ever(const struct sched *s, const struct backfill *b, job_id j, const struct request *own,
                           const struct placement *where)
{
    const struct view *v = sched_view(s, FREE_IDLE);
    if (job_estimate_ns(s, j) != TIME_NEVER)
        return false;
    for (size_t k = 0; k < b->timeless.n; k++)
        for (const struct request *run = job_facts(s, b->timeless.job[k])->ask; run; run = run->next)
            for (size_t i = 0; i < where->n; i++)
                if (might_use(v, run, own, &where->piece[i]))
                    return true;
    return false;
}

/* Its time has come, and a late job has its place. */
static bool is_broken(struct sched *s, job_id j)
{
    return plan_start(s, j) <= sched_now(s) && !plan_ready(s, j);
}

/* The `most` jobs behind j are promised times anew, after it: else they would pass it. */
static void drop_behind(struct sched *s, const struct backfill *b, job_id j, double most)
{
    struct line_walk walk = { .l = b->waiting };
    job_id other;
    for (bool behind = false; most > 0 && line_next(&walk, &other); behind |= other == j) {
        if (!behind)
            continue;
        plan_drop(s, other);
        most--;
    }
}

/* j has neither an estimate nor a promise, and is answered as the last such job of its shape: nothing has happened since then. */
static bool refused_again(struct sched *s, struct backfill *b, job_id j)
{
    shape_id shape = job_facts(s, j)->ask->shape;
    if (shape >= b->n_shapes || !b->too_long[shape].outlook || b->too_long[shape].outlook != timeline_outlook(s) ||
        job_estimate_ns(s, j) != TIME_NEVER || plan_start(s, j) != TIME_NEVER)
        return false;
    tell(s, b, j, b->too_long[shape].told);
    return true;
}

static enum wait_reason reason_of(struct sched *s, const struct request *r)
{
    return sched_fits(s, sched_view(s, FREE_IDLE), r) ? WAIT_RESERVED : sched_why_not(s);
}

/* j can be promised no time, which jobs of its shape need not ask again before something happens. */
static void is_refused(struct sched *s, struct backfill *b, job_id j, uint64_t outlook, enum wait_reason why)
{
    plan_drop(s, j);
    is_timeless(s, b, j);
    struct too_long *known = of_shape(s, b, j);
    bool known_now = job_estimate_ns(s, j) == TIME_NEVER && timeline_outlook(s) == outlook;
    known->outlook = known_now ? outlook : 0;
    known->told = why;
}

/* Starts j now, or promises it the earliest time that its estimate and the promises of all others
 * allow: never later than its own last promise, unless that time has come and a running job exceeds
 * its estimate. true: it has started, or takes no promise. */
static bool start_or_promise(struct sched *s, struct backfill *b, job_id j)
{
    if (refused_again(s, b, j))
        return false;
    if (held_by_limit(s, b, j))
        return true;
    uint64_t outlook = timeline_outlook(s);
    struct request r = job_request(s, j);
    int64_t last_ns = plan_start(s, j), promised_ns = last_ns > sched_now(s) ? last_ns : TIME_NEVER;
    if (plan_ready(s, j) && sched_start(s, j, plan_placement(s, j)) == SCHED_OK)
        return true;                                  /* its time has come */
    struct slot slot = timeline_earliest(s, j, sched_now(s), promised_ns, PLACER_TRIES);
    if (slot.where && holds_for_ever(s, b, j, &r, slot.where))
        slot.where = NULL;
    if (slot.where && slot.start_ns == sched_now(s) && sched_start(s, j, slot.where) == SCHED_OK)
        return true;
    bool promised = slot.where && plan_set(s, j, slot.start_ns, slot.where) == SCHED_OK;
    struct own *own = job_own(s, j);
    if (promised && !b->all && !own->listed) {
        list_add(s, &b->promised, j);
        own->listed = true;
    }
    enum wait_reason why = reason_of(s, &r);
    if (!promised && promised_ns == TIME_NEVER)
        is_refused(s, b, j, outlook, why);
    b->due_ns = min_i64(plan_start(s, j), b->due_ns);
    tell(s, b, j, why);
    return false;
}

/* j would fit but for its estimate, and so would jobs of its shape that are no shorter: those of
 * known reason are left out. */
static void reserved(struct sched *s, struct backfill *b, struct line_walk *walk, job_id j,
                     int64_t too_long_ns)
{
    tell(s, b, j, WAIT_RESERVED);
    if (walk && b->all)
        line_skip_longer(walk, too_long_ns);
}

/* A place where j, which fits now, is in the way of no promise until it ends; NULL: none. Mostly it
 * is the first of them that what would still run then is in the way of. */
static const struct placement *place_beside(struct sched *s, const struct backfill *b, job_id j,
                                            const struct request *r, int64_t length_ns)
{
    int64_t now_ns = sched_now(s), until_ns = TIME_NEVER;
    if (length_ns != TIME_NEVER)
        until_ns = now_ns + job_start_cost_ns(s, j) + length_ns;
    if (until_ns > b->due_ns && timeline_lacks(s, r, b->due_ns))
        return NULL;
    const struct placement *where = timeline_place(s, r, now_ns, until_ns);
    return where && !holds_for_ever(s, b, j, r, where) ? where : NULL;
}

/* Starts j if that delays no promise. What fails for one estimate fails for all longer ones of the
 * same shape. */
static void fill_behind(struct sched *s, struct backfill *b, struct line *line,
                        struct line_walk *walk, job_id j)
{
    if (held_by_limit(s, b, j))
        return;
    shape_id shape = job_facts(s, j)->ask->shape;
    int64_t length_ns = job_estimate_ns(s, j);
    int64_t left_out_ns = walk ? line_skipped_longer(walk) : TIME_NEVER;
    struct too_long *known = of_shape(s, b, j);
    if (left_out_ns < (known->pass == b->pass ? known->estimate_ns : TIME_NEVER)) {
        known->estimate_ns = left_out_ns;
        known->pass = b->pass;
    }
    if (known->pass == b->pass && length_ns >= known->estimate_ns) {
        reserved(s, b, walk, j, known->estimate_ns);
        return;
    }
    struct request r = job_request(s, j);
    if (!sched_fits(s, sched_view(s, FREE_IDLE), &r)) {
        tell(s, b, j, WAIT_GROUP);
        line_blocked(s, line, shape, sched_why_not(s));
        if (walk)
            /* no room now, promise or not: the same for its whole shape */
            line_skip_shape(walk, shape);
        return;
    }
    const struct placement *where = place_beside(s, b, j, &r, length_ns);
    if (where && sched_start(s, j, where) == SCHED_OK)
        return;
    known->estimate_ns = length_ns;
    known->pass = b->pass;
    reserved(s, b, walk, j, length_ns);
}

static bool comes_before(const struct sched *s, job_id a, job_id b)
{
    int64_t a_ns = job_facts(s, a)->submit_ns, b_ns = job_facts(s, b)->submit_ns;
    return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static void order_remove(struct backfill *b, job_id j)
{
    size_t i = b->order.n - 1;
    while (b->order.job[i] != j)
        i--;
    array_close(b->order.job, b->order.n--, i, sizeof *b->order.job);
}

/* At its place: a job that is back may have another submit time than when it left. */
static void order_add(struct sched *s, struct backfill *b, job_id j)
{
    struct own *own = job_own(s, j);
    if (!b->everyone)
        return;
    if (own->in_order)
        order_remove(b, j);
    own->in_order = true;
    list_add(s, &b->order, j);
    size_t i = b->order.n - 1;
    for (; i > 0 && comes_before(s, j, b->order.job[i - 1]); i--)
        b->order.job[i] = b->order.job[i - 1];
    b->order.job[i] = j;
}

static void backfill_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct backfill *b = state;
    int64_t submit_ns = job_facts(s, j)->submit_ns;
    if (b->shortest)
        line_push(
            b->shortest, j,
            (struct line_key){ .major = (double)job_estimate_ns(s, j), .time_ns = submit_ns });
    line_push(b->waiting, j, (struct line_key){ .time_ns = submit_ns });
    ((struct own *)job_own(s, j))->limited = false;
    list_add(s, &b->fresh, j);
    order_add(s, b, j);
}

/* No job has given up GPUs since the last pass: what it refused stays refused, and only new jobs
 * are looked at. */
static void serve_fresh(struct sched *s, const struct backfill_params *p, struct backfill *b)
{
    for (size_t i = 0; i < b->fresh.n; i++) {
        if (job_state(s, b->fresh.job[i]) != JOB_PENDING)
            continue;                                 /* it ran when it arrived */
        if (b->ahead < p->depth)
            b->ahead += !start_or_promise(s, b, b->fresh.job[i]);
        else
            fill_behind(s, b, b->waiting, NULL, b->fresh.job[i]);
    }
}

static bool is_ahead(const struct sched *s, job_id j, struct line_key last, job_id last_job)
{
    int64_t submit_ns = job_facts(s, j)->submit_ns;
    return submit_ns != last.time_ns ? submit_ns < last.time_ns : j <= last_job;
}

/* Jobs with a promise are looked at in every pass, however few `tests` are: a promise that is only
 * kept would hold up others for ever. */
static void serve_promised(struct sched *s, struct backfill *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->promised.n; i++) {
        job_id j = b->promised.job[i];
        struct own *own = job_own(s, j);                  /* NULL: it is gone */
        if (own && plan_start(s, j) != TIME_NEVER)
            b->promised.job[kept++] = j;
        else if (own)
            own->listed = false;
    }
    b->promised.n = kept;
    for (size_t i = 0; i < kept; i++)
        if (job_state(s, b->promised.job[i]) == JOB_PENDING)
            start_or_promise(s, b, b->promised.job[i]);
}

/* It still waits in its place, as it did. */
static bool waits_again(struct sched *s, struct backfill *b, job_id j)
{
    const struct own *own = job_own(s, j);                /* NULL: it is gone */
    return own && own->in_order && job_state(s, j) == JOB_PENDING && refused_again(s, b, j);
}

/* In the order of the line, jobs whose promises the timeline renews at once left out. Jobs without one mostly stand behind each
 * other. */
static void promise_everyone(struct sched *s, struct backfill *b)
{
    job_id *job = b->order.job;
    size_t n = b->order.n, kept = 0;
    bool has_none = false;        /* the last job */
    for (size_t i = 0; i < n;) {
        if (has_none && waits_again(s, b, job[i])) {
            job[kept++] = job[i++];
            continue;
        }
        size_t same = plans_renew(s, job + i, n - i, &b->due_ns);
        if (kept < i)
            memmove(job + kept, job + i, same * sizeof *job);
        kept += same;
        i += same;
        if (i == n)
            break;
        job_id j = job[i++];
        struct own *own = job_own(s, j);                  /* NULL: it is gone */
        if (own && job_state(s, j) != JOB_PENDING)
            own->in_order = false;
        if (!own || !own->in_order)
            continue;
        job[kept++] = j;
        if (is_broken(s, j))
            drop_behind(s, b, j, DEPTH_ALL);
        start_or_promise(s, b, j);
        has_none = plan_start(s, j) == TIME_NEVER;
    }
    b->order.n = kept;
}

/* Of the jobs behind the promises those that would be told again what they were told before: that
 * they do not fit, or would be in the way of the first promise. */
static void leave_out(struct sched *s, const struct backfill *b, struct line_walk *walk)
{
    line_skip_full(walk, sched_view(s, FREE_IDLE));
    line_skip_reserved(walk, b->due_ns);
}

static void serve_all(struct sched *s, const struct backfill_params *p, struct backfill *b)
{
    struct line_walk walk = { .l = b->waiting };
    struct line_key last = { .time_ns = INT64_MIN };      /* key of the last job with a promise */
    double tested = 0;
    job_id j, last_job = 0;
    b->ahead = 0;
    b->looked++;
    b->timeless.n = 0;
    b->due_ns = TIME_NEVER;
    if (b->everyone) {
        promise_everyone(s, b);
        return;
    }
    while (b->ahead < p->depth && tested < p->tests && line_next(&walk, &j)) {
        last = line_walk_key(&walk);
        last_job = j;
        if (is_broken(s, j))
            drop_behind(s, b, j, p->depth - 1);
        b->ahead += plans_renew(s, &j, 1, &b->due_ns) || !start_or_promise(s, b, j);
        leave_out_limited(s, b, &walk, j);
        tested++;
    }
    struct line *line = b->shortest ? b->shortest : b->waiting;
    if (b->shortest)
        walk = (struct line_walk){ .l = b->shortest };    /* meets those with a promise again */
    else if (b->all)
        leave_out(s, b, &walk);
    while (tested < p->tests && line_next(&walk, &j)) {
        bool promised = plan_start(s, j) != TIME_NEVER;
        if (b->shortest &&
            (job_state(s, j) != JOB_PENDING || (promised && is_ahead(s, j, last, last_job))))
            continue;
        /* a job that was ahead of it is back in the line */
        if (promised)
            start_or_promise(s, b, j);
        else
            fill_behind(s, b, line, &walk, j);
        leave_out_limited(s, b, &walk, j);
        tested++;
    }
    if (!b->all)
        serve_promised(s, b);
}

static void backfill_schedule(struct sched *s, const void *params, void *state)
{
    const struct backfill_params *p = params;
    struct backfill *b = state;
    b->pass++;
    if (b->passed && b->seen == timeline_version(s) && sched_now(s) < b->due_ns && !b->shortest &&
        b->all)
        serve_fresh(s, p, b);
    else
        serve_all(s, p, b);
    b->passed = true;
    b->seen = timeline_version(s);
    b->fresh.n = 0;
}

#define BACKFILL_PARAMS(default_depth)                                                               \
    { "depth", "jobs that get a promise", "jobs", 1, 1e9, default_depth, NULL, offsetof(struct backfill_params, depth) }, \
    { "order", "order of those behind: arrival, or shortest estimate first (SJBF)", "", 0, 0, BY_ARRIVAL, orders, \
      offsetof(struct backfill_params, order) },                                                   \
    { "tests", "jobs looked at in a pass", "jobs", 1, TESTS_ALL, TESTS_ALL, NULL, offsetof(struct backfill_params, tests) }, \
    { "overrun", "what is expected of a job past its estimate: extend, or literal: its end at once", "", 0, 0, OVERRUN_EXTEND, \
      overruns, offsetof(struct backfill_params, overrun) },                                       \
    { 0 }
static const struct param easy_params[] = { BACKFILL_PARAMS(1) };
static const struct param conservative_params[] = { BACKFILL_PARAMS(1e9) };

#define BACKFILL_TABLE                                                                             \
    .abi = POLICY_ABI, .needs = SEES_TIMELINE, .params_size = sizeof(struct backfill_params),      \
    .state_size = sizeof(struct backfill), .job_size = sizeof(struct own),                         \
    .begin = backfill_begin, .schedule = backfill_schedule,                                        \
    .job_arrived = backfill_arrived, .job_started = backfill_started
const struct policy easy_policy = {
    BACKFILL_TABLE,
    .name = "easy",
    .summary = "backfilling that never delays the head",
    .params = easy_params,
};
const struct policy conservative_policy = {
    BACKFILL_TABLE, .name = "conservative", .summary = "backfilling that delays no job ahead",
    .params = conservative_params,
};
