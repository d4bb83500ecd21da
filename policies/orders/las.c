/* las.c - least attained service first, in queues: las by seconds of running, las2d by GPU-seconds.
 *
 * After Tiresias (Gu et al., NSDI'19; SymbioticLab/Tiresias:simulator/run_sim.py). A job starts in
 * the first queue and falls to the next at the moment when its service crosses a threshold; jobs of
 * later queues are preempted. Inside a queue (order=entry) those that run go first, then by the
 * time of entry, ties by submit time. A job that has waited longer than `promote` x its service
 * goes back to the first queue, and its service counts from 0 again.
 *
 * order=list is the order and the moments of that program. A queue is a list: first the jobs that
 * ran after the last pass, in the order in which they joined, then those that waited. A job that
 * arrives, falls or is promoted is put at the end of its list, behind those that wait, though it
 * runs; in one pass in the order of ids, and by one queue. After the pass the jobs that run come
 * before those that do not; each part keeps its order. So what is preempted stands before what
 * waited already. Passes come also when no job waits. In las2d a job falls at the first pass after
 * the moment of crossing, and for that alone a pass comes ceil((threshold - seconds of running) /
 * GPUs) seconds after each pass: exact for a job that has just started, late for others of several
 * GPUs (dlas_sim_jobs(), next_job_jump).
 *
 * With continuous=yes every quantum is a queue, and with order=entry running is no advantage: plain
 * least attained service, on one server foreground-background (Kleinrock, Queueing Systems vol. 2,
 * 4.6), in round robin among equals. Sees no run times.
 *
 * Jobs that take turns make no progress where a stop loses all their work: without checkpoints, or
 * with quanta shorter than a restart, a run ends as a livelock (not with promote=0 in queues, since
 * running jobs go first in the last of them). */
#include "policies/orders/attained.h"
#include "sim/contract/util/array.h"

#include <math.h>
#include <stdlib.h>

enum { ORDER_ENTRY, ORDER_LIST };
struct las_params {
    struct queueing_params queueing;
    double threshold1, threshold2, promote, continuous, quantum_s, order;
};
/* order=list: places in all lists, ascending; an account's key has its place as time_ns, and as
 * minor whether it stands among those that run (0) or wait (1). */
struct lists {
    int64_t first, last;          /* places given so far */
    /* [n_changed] started, stopped or fell since the lists were sorted */
    job_id *changed;
    size_t n_changed, capacity;
    int64_t look_ns;              /* jobs fall and are promoted at a pass at this time, ... */
    int64_t event_ns;             /* ... or when a job has come or left */
};
struct las { struct attained attained; const struct las_params *params; struct lists lists; };

static double las_stage_end(const struct attained *a, uint32_t stage)
{
    const struct las_params *p = ((const struct las *)a)->params;
    if (p->continuous > 0)
        return (stage + 1.0) * p->quantum_s;
    double first = fmin(p->threshold1, p->threshold2), second = fmax(p->threshold1, p->threshold2);
    double end[] = { first > 0 ? first : second, first > 0 ? second : 0 };
    return stage < 2 && end[stage] > 0 ? end[stage] : INFINITY;
}

static bool by_list(const struct las *l)
{
    return l->params->order >= ORDER_LIST;
}

static struct line_key las_key(struct sched *s, const struct attained *a, job_id j,
                               const struct account *of)
{
    (void)s;
    (void)j;
    if (by_list((const struct las *)a))
        return of->key;
    bool runs = of->since_ns >= 0 && ((const struct las *)a)->params->continuous <= 0;
    return (struct line_key){ .major = of->stage, .minor = !runs, .time_ns = of->entered_ns };
}

static const struct attained_rule las_rule = {
    .discipline = { .key = attained_key, .preempts = true, .tells_running = true },
    .stage_end = las_stage_end,
    .key = las_key,
};

/* ---- Lists ---- */

struct listed { struct line_key key; job_id job; };

static int in_list(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    double over = x->key.major != y->key.major ? x->key.major - y->key.major
                                               : x->key.minor - y->key.minor;
    if (over != 0)
        return over < 0 ? -1 : 1;
    return x->key.time_ns != y->key.time_ns ? (x->key.time_ns > y->key.time_ns) * 2 - 1
                                            : (x->job > y->job) - (x->job < y->job);
}

static int by_id(const void *a, const void *b)
{
    job_id x = *(const job_id *)a, y = *(const job_id *)b;
    return (x > y) - (x < y);
}

static void note_change(struct sched *s, struct las *l, job_id j)
{
    struct lists *of = &l->lists;
    of->changed = array_grown(sched_alloc, s, of->changed, &of->capacity, of->n_changed,
                              sizeof *of->changed);
    of->changed[of->n_changed++] = j;
}

static void to_end(struct las *l, struct account *of, uint32_t stage)
{
    of->key = (struct line_key){ .major = stage, .minor = 1, .time_ns = ++l->lists.last };
}

static void stand_at(struct sched *s, struct las *l, job_id j, bool waits, int64_t place)
{
    struct account *of = job_own(s, j);
    of->key.minor = waits;
    of->key.time_ns = place;
    if (job_state(s, j) == JOB_RUNNING || job_state(s, j) == JOB_PENDING)
        queueing_moved(s, &l->attained.queueing, j);
}

/* After a pass those that run come first. */
static void sort_lists(struct sched *s, struct las *l)
{
    struct lists *lists = &l->lists;
    size_t n = 0;
    if (!lists->n_changed)
        return;
    struct listed *all = sched_scratch(s, lists->n_changed * sizeof *all);
    qsort(lists->changed, lists->n_changed, sizeof *lists->changed, by_id);
    for (size_t i = 0; i < lists->n_changed; i++) {
        job_id j = lists->changed[i];
        const struct account *of = job_own(s, j);
        bool again = i && j == lists->changed[i - 1];
        if (!again && job_state(s, j) != JOB_GONE && (of->since_ns < 0) != (of->key.minor > 0))
            all[n++] = (struct listed){ of->key, j };
    }
    lists->n_changed = 0;
    qsort(all, n, sizeof *all, in_list);
    for (size_t i = 0; i < n; i++)
        if (all[i].key.minor > 0)
            stand_at(s, l, all[i].job, false, ++lists->last);
    while (n-- > 0)
        if (all[n].key.minor <= 0)
            stand_at(s, l, all[n].job, true, --lists->first);
}

/* Jobs that are due fall, or are promoted. */
static void change_lists(struct sched *s, struct las *l)
{
    struct attained *a = &l->attained;
    job_id *due = sched_scratch(s, (a->timers.jobs.n + 1) * sizeof *due);
    size_t n = 0;
    for (int64_t time_ns; timer_due(s, &a->timers, &due[n], &time_ns); n++)
        timer_drop(s, &a->timers, due[n]);
    qsort(due, n, sizeof *due, by_id);
    for (size_t i = 0; i < n; i++) {
        struct account *of = job_own(s, due[i]);
        uint32_t stage = of->since_ns < 0 ? 0 : of->stage + 1;
        if (of->since_ns < 0)
            of->had_ns = of->waited_ns = 0;
        else
            note_change(s, l, due[i]);
        to_end(l, of, stage);
        attained_place(s, a, due[i], stage);
    }
}

/* The next look of j: at its moment, or later, as that program counts. */
static int64_t next_look_ns(struct sched *s, const struct las *l, job_id j)
{
    const struct account *of = job_own(s, j);
    int64_t moment_ns = attained_moment_ns(s, &l->attained, j);
    if (!l->attained.by_gpus || of->since_ns < 0 || moment_ns == TIME_NEVER)
        return moment_ns;
    double gpus = (double)job_size(s, j).gpu_milli / MILLI_ALL;
    double had_s = (double)(of->had_ns + sched_now(s) - of->since_ns) * 1e-9;
    double left_s = ceil((las_stage_end(&l->attained, of->stage) - had_s) / gpus);
    int64_t look_ns = sched_now(s) + (left_s < 4e9 ? (int64_t)left_s : 0) * 1000000000;
    return look_ns > moment_ns ? look_ns : moment_ns;
}

static void look_at(struct sched *s, struct las *l, int64_t look_ns)
{
    if (look_ns > sched_now(s) && look_ns < l->lists.look_ns) {
        l->lists.look_ns = look_ns;
        sched_wake_at(s, look_ns);
    }
}

struct look { struct timer timer; int64_t time_ns; };

static int by_timer(const void *a, const void *b)
{
    const struct timer *x = &((const struct look *)a)->timer, *y = &((const struct look *)b)->timer;
    return timer_before(x, y) ? -1 : timer_before(y, x);
}

/* A look counts from the last one: what was asked for before is void. Jobs are looked at in the order
 * of their timers; behind the first with the earliest look none asks for another. */
static void look_again(struct sched *s, struct las *l)
{
    const struct timers *t = &l->attained.timers;
    struct look *all = sched_scratch(s, (t->jobs.n + 1) * sizeof *all), first = { .time_ns = TIME_NEVER };
    size_t n = 0, kept = 0;
    l->lists.look_ns = TIME_NEVER;
    for (size_t i = 0; i < t->jobs.n_given; i++) {
        const struct timer *timer = timer_of(t, i);
        if (!timer)
            continue;
        job_id j = timer->job;
        const struct account *of = job_own(s, j);
        if (timer_is_void(s, j) || (of->since_ns >= 0) != (job_state(s, j) == JOB_RUNNING))
            continue;
        struct look x = { *timer, next_look_ns(s, l, j) };
        if (x.time_ns <= sched_now(s) || x.time_ns == TIME_NEVER)
            continue;
        all[n++] = x;
        if (x.time_ns < first.time_ns ||
            (x.time_ns == first.time_ns && timer_before(&x.timer, &first.timer)))
            first = x;
    }
    for (size_t i = 0; i < n; i++)
        if (!timer_before(&first.timer, &all[i].timer))
            all[kept++] = all[i];
    qsort(all, kept, sizeof *all, by_timer);
    for (size_t i = 0; i < kept; i++)
        look_at(s, l, all[i].time_ns);
}

/* ---- Callbacks ---- */

static void las_begin(struct sched *s, const void *params, void *state)
{
    struct las *l = state;
    l->params = params;
    l->attained.promote = l->params->continuous > 0 ? 0 : l->params->promote;
    l->attained.by_lists = by_list(l);
    l->lists.look_ns = TIME_NEVER;
    l->lists.event_ns = -1;
    attained_begin(s, &l->attained, &las_rule, params);
}

static void las2d_begin(struct sched *s, const void *params, void *state)
{
    ((struct las *)state)->attained.by_gpus = true;
    las_begin(s, params, state);
}

static void las_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct las *l = state;
    if (!by_list(l)) {
        attained_schedule(s, &l->attained);
        return;
    }
    bool looks = l->lists.look_ns == sched_now(s) || l->lists.event_ns == sched_now(s);
    sort_lists(s, l);
    if (looks)
        change_lists(s, l);
    queueing_serve(s, &l->attained.queueing);
    if (looks)
        look_again(s, l);
}

static void las_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct las *l = state;
    struct account *of = job_own(s, j);
    bool new = !of->known;
    attained_arrived(s, &l->attained, j);
    if (!by_list(l))
        return;
    l->lists.event_ns = sched_now(s);
    look_at(s, l, next_look_ns(s, l, j));
    if (new) {
        to_end(l, of, 0);
        queueing_moved(s, &l->attained.queueing, j);
    }
}

static void las_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    attained_started(s, state, j);
    if (!by_list(state))
        return;
    note_change(s, state, j);
    look_at(s, state, next_look_ns(s, state, j));
}

static void las_stopped(struct sched *s, const void *params, void *state, job_id j,
                        enum stop_cause why)
{
    (void)params;
    struct las *l = state;
    attained_stopped(s, &l->attained, j);
    if (!by_list(l))
        return;
    l->lists.event_ns = sched_now(s);
    if (!stopped_for_good(why))
        note_change(s, l, j);
}

static const char *const las_orders[] = { "entry", "list", NULL };
#define LAS_PARAMS(unit)                                                                           \
    QUEUEING_PARAM_SCOPE, QUEUEING_PARAM_BLOCKING(BLOCKING_SKIP),                                  \
    { "threshold1", "service that ends the first queue; 0: there is no such queue", unit, 0, 1e12, 3250, NULL, \
      offsetof(struct las_params, threshold1) },                                                   \
    { "threshold2", "service that ends the second queue; 0: there is no such queue", unit, 0, 1e12, 7200, NULL, \
      offsetof(struct las_params, threshold2) },                                                   \
    { "promote", "waiting time, as a multiple of its service, that brings a job back to the first queue; 0: never", \
      "", 0, 1e9, 8, NULL, offsetof(struct las_params, promote) },                                 \
    { "continuous", "yes: plain least attained service, a queue for every quantum", "", 0, 0, 0, param_no_yes, \
      offsetof(struct las_params, continuous) },                                                   \
    { "quantum_s", "service in a quantum", unit, 1e-6, 1e9, 60, NULL, offsetof(struct las_params, quantum_s) }, \
    { "order", "of a queue, entry: running jobs, then by the time of entry; list: Tiresias' lists, a job that falls " \
      "stands behind those that wait", "", 0, 0, ORDER_ENTRY, las_orders, offsetof(struct las_params, order) }, \
    { 0 }
static const struct param las_param_list[] = { LAS_PARAMS("s") };
static const struct param las2d_param_list[] = { LAS_PARAMS("GPU-s") };

#define LAS_TABLE                                                                                  \
    ATTAINED_TABLE(las), .needs = SEES_RELEASING, .params_size = sizeof(struct las_params),        \
                         .state_size = sizeof(struct las)
const struct policy las_policy = {
    LAS_TABLE, .name = "las", .summary = "least attained service first, in queues, with preemption",
    .begin = las_begin, .params = las_param_list,
};
const struct policy las2d_policy = {
    LAS_TABLE,
    .name = "las2d",
    .summary = "least attained GPU-seconds first, in queues, with preemption",
    .begin = las2d_begin,
    .params = las2d_param_list,
};
