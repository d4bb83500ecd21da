/* themis.c - finish-time fairness by auctions of leases (Mahajan et al., NSDI 2020), for jobs of a
 * fixed size.
 *
 * A job that starts has its GPUs for a lease, and for another if no job takes them at its end. With
 * ends=together it is rounded up to the next multiple of its length since the first submission, so
 * that many end at once and a large job may find room; with ends=apart each ends exactly when it is
 * over, which makes an auction per lease. Free GPUs and those with an ending lease are offered to
 * the fraction 1 - f of the jobs with the worst rho (of those that wait or have an ending lease,
 * rounded up), among them the shortest remaining time first; the others get the rest, the worst rho
 * first. A job that does not fit is passed over, one that is not preemptible runs without a lease. rho = (time since submit + remaining) / T_id, a
 * waiting job's as if it started now; T_id = E max(1, n N / C), N the mean number of contending
 * jobs, users or queues since submit (fair_to; models.md 10.4). Themis shares the cluster among apps,
 * each a set of jobs that search together: a job here is an app of its own, unless it is fair to
 * users or queues. With one queue, fair to queues, T_id is E and the order nearly that of srtf.
 *
 * An auction costs O(waiting jobs): rho of each changes with time at its own rate, and f counts
 * them. What does not change while a job waits is kept. Only those that may get GPUs are put in
 * order, and those with an ending lease. Between auctions, while nothing was released, only new jobs
 * are looked at. */
#include "policies/common/excess.h"
#include "policies/common/running.h"
#include "sim/contract/util/array.h"
#include "sim/contract/util/heap.h"
#include "sim/contract/util/minmax.h"

#include <math.h>
#include <stdlib.h>

struct themis_params { double f, lease_s, ends, work, fair_to; };
enum { ENDS_TOGETHER, ENDS_APART };
static const char *const endings[] = { "together", "apart", NULL };
enum { WORK_TRUE, WORK_ESTIMATE };
static const char *const works[] = { "true", "estimate", NULL };
enum { FAIR_TO_JOB, FAIR_TO_USER, FAIR_TO_QUEUE };
static const char *const parties[] = { "job", "user", "queue", NULL };

struct themis_job {
    double service_s, contending_before;    /* E; the integral at its arrival */
    bool known;
    size_t place;                 /* 1 + its place among `pending`; 0: it has none */
};
/* What an auction has to know of a job, which stays while it waits. */
struct contender {
    job_id job;
    shape_id shape;
    double submit_s, gpus, service_s, contending_before, remaining_s;
    /* it came as the policy began: what another one has stopped may not be saved yet, and be lost */
    bool may_lose;
};
struct bidder { job_id job; shape_id shape; double rho, remaining_s; bool running; };
struct themis {
    struct line *waiting, *leases;    /* by submit time; by the end of the lease */
    /* [n_pending] the jobs of `waiting`, in no order */
    struct contender *pending;
    size_t n_pending, pending_capacity;
    struct bidder *bidder;        /* [bidders_capacity] of one pass */
    size_t bidders_capacity;
    uint32_t *present;            /* [n_parties] jobs in the system, by user or queue */
    size_t n_parties;
    double contending, contending_s, settled_s;    /* parties with a job; their integral until then */
    double capacity_milli;        /* of the cluster, at this pass */
    int64_t origin_ns;            /* when the run began */
    uint64_t version;             /* of room, at the last auction */
    job_id *fresh;                /* [n_fresh] jobs that have come since */
    size_t n_fresh, fresh_capacity;
    /* jobs waited when the last pass ended: no end of a lease was missed */
    bool watched;
};

/* ---- Time and rho ---- */

static double now_s(const struct sched *s)
{
    return (double)sched_now(s) / 1e9;
}

static int64_t lease_ns(const void *params)
{
    return (int64_t)(((const struct themis_params *)params)->lease_s * 1e9 + .5);
}

/* Of a lease that begins now. */
static int64_t lease_end_ns(const struct sched *s, const struct themis *t, const void *params)
{
    int64_t lease = lease_ns(params), end = sched_now(s) - t->origin_ns + lease;
    bool apart = (int)((const struct themis_params *)params)->ends == ENDS_APART;
    return t->origin_ns + (apart ? end : (end + lease - 1) / lease * lease);
}

static double remaining_s(struct sched *s, const void *params, job_id j)
{
    bool estimate = (int)((const struct themis_params *)params)->work == WORK_ESTIMATE;
    int64_t ns = estimate ? job_estimate_ns(s, j) : job_true_ns(s, j);
    return ns == TIME_NEVER ? (double)INFINITY : (double)ns / 1e9;
}

static void settle(struct sched *s, struct themis *t)
{
    t->contending_s += t->contending * (now_s(s) - t->settled_s);
    t->settled_s = now_s(s);
}

static struct contender contender(struct sched *s, const void *params, job_id j)
{
    const struct themis_job *own = job_own(s, j);
    return (struct contender){ .job = j,
                               .shape = job_facts(s, j)->ask->shape,
                               .submit_s = (double)job_facts(s, j)->submit_ns / 1e9,
                               .gpus = (double)job_size(s, j).gpu_milli,
                               .service_s = own->service_s,
                               .contending_before = own->contending_before,
                               .remaining_s = remaining_s(s, params, j) };
}

static struct bidder bid(const struct themis *t, const struct contender *c, double time_s,
                         bool running)
{
    double there_s = time_s - c->submit_s, parties_s = t->contending_s - c->contending_before;
    double n = there_s > 0 ? parties_s / there_s : t->contending;
    double share = c->gpus * n / t->capacity_milli;
    double alone_s = c->service_s * (c->gpus > 0 && share > 1 ? share : 1);
    struct bidder b = { .job = c->job, .shape = c->shape, .running = running,
                        .remaining_s = c->remaining_s };
    if (alone_s == (double)INFINITY)
        b.rho = 0;                /* without an estimate: served last */
    else
        b.rho = alone_s > 0 ? (there_s + b.remaining_s) / alone_s : (double)INFINITY;
    return b;
}

static struct bidder waiting_bid(struct sched *s, const struct themis *t, const void *params,
                                 struct contender *c)
{
    if (c->may_lose)
        c->remaining_s = remaining_s(s, params, c->job);
    return bid(t, c, now_s(s), false);
}

static int worst_first(const void *left, const void *right)
{
    const struct bidder *a = left, *b = right;
    if (a->rho != b->rho)
        return a->rho > b->rho ? -1 : 1;
    return a->job < b->job ? -1 : 1;
}

static int shortest_first(const void *left, const void *right)
{
    const struct bidder *a = left, *b = right;
    if (a->remaining_s != b->remaining_s)
        return a->remaining_s < b->remaining_s ? -1 : 1;
    return a->job < b->job ? -1 : 1;
}

static bool is_worse(const void *none, const struct bidder *a, const struct bidder *b)
{
    (void)none;
    return worst_first(a, b) < 0;
}

static bool is_shorter(const void *none, const struct bidder *a, const struct bidder *b)
{
    (void)none;
    return shortest_first(a, b) < 0;
}

HEAP_DEFINE(worst, struct bidder, void, is_worse, HEAP_NOT_PLACED);
HEAP_DEFINE(shortest, struct bidder, void, is_shorter, HEAP_NOT_PLACED);

static void exchange(struct bidder *a, struct bidder *b)
{
    struct bidder c = *a;
    *a = *b;
    *b = c;
}

/* Moves the `first` worst to the front, in no order. O(n) expected. */
static void select_worst(struct bidder *b, size_t n, size_t first)
{
    size_t from = 0, to = n;      /* all before from are worse than all from `to` on */
    while (from < first && first < to && to - from > 1) {
        exchange(&b[from + (to - from) / 2], &b[to - 1]);
        const struct bidder pivot = b[to - 1];
        size_t at = from;
        for (size_t i = from; i < to - 1; i++)
            if (worst_first(&b[i], &pivot) < 0)
                exchange(&b[i], &b[at++]);
        exchange(&b[at], &b[to - 1]);
        if (at < first)
            from = at + 1;
        else
            to = at;
    }
}

/* ---- An auction ---- */

/* Jobs whose lease ends, in the order of the auction; those before next had their turn. touched: all others were, as jobs that
 * are stopped and kept are. */
struct ending { struct bidder *bidder; size_t n, next; bool touched; };

/* By shape: how many of these bidders are of it, and whether one of it has found no place. */
struct of_shape { size_t bidders; bool failed; };
struct shapes { struct of_shape *of; size_t n; };

static struct of_shape *of_shape(struct sched *s, struct shapes *all, shape_id shape)
{
    all->of = array_covering(sched_scratch, s, all->of, &all->n, shape, sizeof *all->of);
    return &all->of[shape];
}

static bool start_in(struct sched *s, enum free_kind in, job_id j)
{
    struct request r = job_request(s, j);
    const struct placement *where = sched_place(s, sched_view(s, in), &r);
    return where && sched_start(s, j, where) <= SCHED_LATER;
}

/* All whose turn is still to come, stopped, would leave a queue over its limit. */
static bool limit_stays(struct sched *s, const struct ending *e, job_id j)
{
    struct excess over = excess_of(s, j);
    for (size_t k = e->n; over.milli > 0 && k-- > e->next;) {
        job_id v = e->bidder[k].job;
        if (excess_eased(s, over.queue, v) && job_state(s, v) == JOB_RUNNING)
            over.milli -= running_frees_milli(s, v);
    }
    return over.milli > 0;
}

/* In the order in which they would be stopped. */
static void touch(struct sched *s, struct ending *e)
{
    for (size_t k = e->n; !e->touched && k-- > e->next;)
        if (job_state(s, e->bidder[k].job) == JOB_RUNNING)
            sched_touch(s, e->bidder[k].job);
    e->touched = true;
}

/* Stops those whose turn is still to come, the last first, until j fits; a stopped job that still
 * fits stays. */
static bool take_over(struct sched *s, struct ending *e, job_id j)
{
    if (limit_stays(s, e, j)) {
        touch(s, e);
        return false;
    }
    sched_mark_t before = sched_mark(s);
    for (size_t k = e->n; k-- > e->next;) {
        if (job_state(s, e->bidder[k].job) != JOB_RUNNING ||
            sched_stop(s, e->bidder[k].job, STOP_SAVE) != SCHED_OK)
            continue;
        if (!start_in(s, FREE_OR_RELEASING, j))
            continue;
        for (size_t v = e->next; v < e->n; v++)
            if (job_state(s, e->bidder[v].job) == JOB_RELEASING &&
                sched_keep(s, e->bidder[v].job) != SCHED_OK)
                sched_note(s, e->bidder[v].job, j);
        return true;
    }
    sched_rollback(s, before);
    return false;
}

/* A waiting job, or one that was stopped for another: does it get GPUs? */
static bool serve(struct sched *s, struct ending *e, const struct bidder *b)
{
    if (b->running && sched_keep(s, b->job) == SCHED_OK)
        return true;
    return start_in(s, FREE_IDLE, b->job) || start_in(s, FREE_OR_RELEASING, b->job) ||
           (e->next < e->n && take_over(s, e, b->job));
}

static size_t offered_to_worst(const void *params, size_t n)
{
    double f = ((const struct themis_params *)params)->f;
    return min_size((size_t)ceil((1 - f) * (double)n - 1e-9), n);
}

static void note_failed(struct sched *s, const struct themis *t, struct of_shape *of,
                        shape_id shape)
{
    of->failed = true;
    line_blocked(s, t->waiting, shape, sched_why_not(s));
}

/* Counts the bidders by shape, and keeps those of shapes that have not failed: returns how many. */
static size_t keep_open(struct sched *s, struct shapes *shapes, struct bidder *b, size_t n)
{
    size_t open = 0;
    for (size_t i = 0; i < shapes->n; i++)
        shapes->of[i].bidders = 0;
    for (size_t i = 0; i < n; i++) {
        struct of_shape *of = of_shape(s, shapes, b[i].shape);
        of->bidders++;
        if (!of->failed)
            b[open++] = b[i];
    }
    return open;
}

/* Offers GPUs to these waiting jobs and to those with an ending lease before `until`, in their
 * order, until all are of shapes that have failed. Returns how many wait after it. */
static size_t offer(struct sched *s, struct themis *t, struct shapes *shapes, struct bidder *b,
                    size_t n, struct ending *e, size_t until, bool by_length)
{
    size_t left = n, open = n = keep_open(s, shapes, b, n);
    (by_length ? shortest_make : worst_make)(NULL, b, n);
    while (open > 0 || e->next < until) {
        struct bidder *first = e->next < until ? &e->bidder[e->next] : NULL;
        if (first && open > 0 && (by_length ? is_shorter : is_worse)(NULL, b, first))
            first = NULL;
        struct bidder next = first ? *first : (by_length ? shortest_pop : worst_pop)(NULL, b, n--);
        struct of_shape *of = of_shape(s, shapes, next.shape);
        e->next += next.running;
        /* its lease goes on, or all like it wait */
        if (next.running ? job_state(s, next.job) == JOB_RUNNING : of->failed)
            continue;
        bool served = serve(s, e, &next);
        left += next.running && !served;
        if (served && !next.running) {
            left--;
            open--;
            of->bidders--;
        } else if (!served && !of->failed) {
            note_failed(s, t, of, next.shape);
            open -= of->bidders;
        }
    }
    return left;
}

/* Moves the bidders with an ending lease out, in order. Returns how many remain. */
static size_t take_ending(struct ending *e, struct bidder *b, size_t n,
                          int (*in_order)(const void *, const void *))
{
    size_t left = 0, first = e->n;
    for (size_t i = 0; i < n; i++)
        if (b[i].running)
            e->bidder[e->n++] = b[i];
        else
            b[left++] = b[i];
    qsort(e->bidder + first, e->n - first, sizeof *b, in_order);
    return left;
}

/* An auction of what is free and, of so many of the n, of their ending leases. Returns how many
 * still wait. */
static size_t auction(struct sched *s, struct themis *t, const void *params, struct bidder *b,
                      size_t n, size_t ending)
{
    struct shapes shapes = { NULL, 0 };
    struct ending e = { 0 };
    size_t first = offered_to_worst(params, n), worst = first, others = n - first, of_worst = 0;
    select_worst(b, n, first);
    if (ending) {
        e.bidder = sched_scratch(s, ending * sizeof *e.bidder);
        worst = take_ending(&e, b, first, shortest_first);
        of_worst = e.n;
        others = take_ending(&e, b + first, n - first, worst_first);
    }
    size_t left = offer(s, t, &shapes, b, worst, &e, of_worst, true);
    left += offer(s, t, &shapes, b + first, others, &e, e.n, false);
    for (size_t i = 0; i < e.n; i++)
        if (job_state(s, e.bidder[i].job) == JOB_RUNNING)
            line_push(t->leases, e.bidder[i].job,
                      (struct line_key){ .time_ns = lease_end_ns(s, t, params) });
    return left;
}

/* ---- A pass ---- */

/* Moves the leases that end now from the line to b. A lease that ended while no job waited was
 * renewed. */
static size_t leases_ending(struct sched *s, struct themis *t, const void *params, struct bidder *b)
{
    size_t n = 0;
    int64_t lease = lease_ns(params), now = sched_now(s);
    struct line_key end;
    for (job_id j; line_first(t->leases, &j, &end) && end.time_ns <= now;) {
        if (t->watched || end.time_ns == now) {
            line_remove(t->leases, j);
            struct contender c = contender(s, params, j);
            b[n++] = bid(t, &c, now_s(s), true);
        } else {
            end.time_ns += (now - end.time_ns + lease - 1) / lease * lease;
            line_push(t->leases, j, end);
        }
    }
    return n;
}

static size_t waiting_jobs(struct sched *s, const struct themis *t, const void *params,
                           struct bidder *b)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_pending; i++)
        if (job_state(s, t->pending[i].job) == JOB_PENDING)
            b[n++] = waiting_bid(s, t, params, &t->pending[i]);
    return n;
}

static size_t fresh_jobs(struct sched *s, const struct themis *t, const void *params,
                         struct bidder *b)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_fresh; i++) {
        const struct themis_job *own = job_own(s, t->fresh[i]);
        if (job_state(s, t->fresh[i]) == JOB_PENDING)
            b[n++] = waiting_bid(s, t, params, &t->pending[own->place - 1]);
    }
    return n;
}

/* Room for so many: kept, since most passes need little of it. */
static struct bidder *bidders(struct sched *s, struct themis *t, size_t n)
{
    if (n > t->bidders_capacity)
        t->bidder = array_covering(sched_alloc, s, t->bidder, &t->bidders_capacity, n,
                                   sizeof *t->bidder);
    return t->bidder;
}

/* Jobs that start in this pass join the line of leases only once they run. */
static void wake_at_next_end(struct sched *s, const struct themis *t, const void *params)
{
    struct line_key end;
    job_id first;
    int64_t next_ns = lease_end_ns(s, t, params);
    if (line_first(t->leases, &first, &end) && end.time_ns < next_ns)
        next_ns = end.time_ns;
    sched_wake_at(s, next_ns);
}

static void themis_schedule(struct sched *s, const void *params, void *state)
{
    struct themis *t = state;
    size_t waiting = line_length(t->waiting), n = 0;
    settle(s, t);
    t->capacity_milli = (double)sched_capacity(s).gpu_milli;
    if (waiting) {
        struct bidder *b = bidders(s, t, waiting + line_length(t->leases));
        size_t ending = leases_ending(s, t, params, b);
        bool all = ending > 0 || sched_room_version(s) != t->version;
        size_t more = all ? waiting_jobs(s, t, params, b + ending) : fresh_jobs(s, t, params, b);
        size_t left = auction(s, t, params, b, ending + more, ending);
        n = all ? left : waiting - more + left;
        t->version = sched_room_version(s);
    }
    t->n_fresh = 0;
    t->watched = n > 0;
    if (t->watched)
        wake_at_next_end(s, t, params);
}

/* ---- Notices ---- */

static void themis_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct themis *t = state;
    t->waiting = line_new(s);
    t->leases = line_new(s);
    t->settled_s = now_s(s);
    t->origin_ns = sched_now(s);
}

/* Of users, 0 is the unknown one. */
static uint32_t *jobs_of_party(struct sched *s, struct themis *t, const void *params, job_id j)
{
    const struct job_facts *f = job_facts(s, j);
    bool by_user = (int)((const struct themis_params *)params)->fair_to == FAIR_TO_USER;
    uint32_t party = !by_user ? f->queue : f->user == ID_NONE ? 0 : f->user + 1;
    t->present =
        array_covering(sched_alloc, s, t->present, &t->n_parties, party, sizeof *t->present);
    return &t->present[party];
}

static bool each_alone(const void *params)
{
    return (int)((const struct themis_params *)params)->fair_to == FAIR_TO_JOB;
}

static void comes(struct sched *s, struct themis *t, const void *params, job_id j)
{
    t->contending += each_alone(params) || (*jobs_of_party(s, t, params, j))++ == 0;
}

static void goes(struct sched *s, struct themis *t, const void *params, job_id j)
{
    t->contending -= each_alone(params) || --*jobs_of_party(s, t, params, j) == 0;
}

static void join_pending(struct sched *s, struct themis *t, const void *params, job_id j)
{
    struct themis_job *own = job_own(s, j);
    if (!own->place) {
        t->pending = array_grown(sched_alloc, s, t->pending, &t->pending_capacity, t->n_pending,
                                 sizeof *t->pending);
        own->place = ++t->n_pending;
    }
    t->pending[own->place - 1] = contender(s, params, j);
    t->pending[own->place - 1].may_lose = sched_now(s) == t->origin_ns;
}

static void leave_pending(struct sched *s, struct themis *t, job_id j)
{
    struct themis_job *own = job_own(s, j);
    if (!own->place)
        return;
    const struct contender *last = &t->pending[--t->n_pending];
    t->pending[own->place - 1] = *last;
    ((struct themis_job *)job_own(s, last->job))->place = own->place;
    own->place = 0;
}

static void themis_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct themis *t = state;
    struct themis_job *own = job_own(s, j);
    settle(s, t);
    if (!own->known) {
        *own = (struct themis_job){ remaining_s(s, params, j), t->contending_s, true, 0 };
        comes(s, t, params, j);
    }
    join_pending(s, t, params, j);
    line_push(t->waiting, j, key_submit(s, j, params));
    t->fresh =
        array_grown(sched_alloc, s, t->fresh, &t->fresh_capacity, t->n_fresh, sizeof *t->fresh);
    t->fresh[t->n_fresh++] = j;
}

static void themis_started(struct sched *s, const void *params, void *state, job_id j)
{
    struct themis *t = state;
    line_remove(t->waiting, j);
    leave_pending(s, t, j);
    if (job_facts(s, j)->preemptible)
        line_push(t->leases, j, (struct line_key){ .time_ns = lease_end_ns(s, t, params) });
}

static void themis_stopped(struct sched *s, const void *params, void *state, job_id j,
                           enum stop_cause why)
{
    struct themis *t = state;
    line_remove(t->leases, j);
    if (!stopped_for_good(why))
        return;
    leave_pending(s, t, j);
    settle(s, t);
    goes(s, t, params, j);
}

static void themis_withdrawn(struct sched *s, const void *params, void *state, job_id j)
{
    themis_stopped(s, params, state, j, STOPPED_CANCELLED);
}

static unsigned themis_needs(const void *params)
{
    return SEES_RELEASING |
           ((int)((const struct themis_params *)params)->work == WORK_TRUE ? SEES_RUN_TIME : 0);
}

static const struct param themis_param_list[] = {
    { "f", "offers go to the fraction 1 - f that is worst off", "", 0, 1, .8, NULL,
      offsetof(struct themis_params, f) },
    { "lease_s", "how long a start holds its GPUs", "s", 1, 1e7, 600, NULL,
      offsetof(struct themis_params, lease_s) },
    { "ends", "together: leases end at multiples of lease_s; apart: each when it is over", "", 0, 0,
      ENDS_TOGETHER, endings, offsetof(struct themis_params, ends) },
    { "work", "true: run times are known; estimate: by estimates", "", 0, 0, WORK_TRUE, works,
      offsetof(struct themis_params, work) },
    { "fair_to", "whose share of the cluster rho compares with: one of N jobs, users or queues", "",
      0, 0, FAIR_TO_JOB, parties, offsetof(struct themis_params, fair_to) },
    { 0 },
};

const struct policy themis_policy = {
    .abi = POLICY_ABI,
    .name = "themis",
    .summary = "finish-time fairness: leases, auctioned to the jobs that are worst off",
    .also_needs = themis_needs,
    .params = themis_param_list,
    .params_size = sizeof(struct themis_params),
    .state_size = sizeof(struct themis),
    .job_size = sizeof(struct themis_job),
    .begin = themis_begin,
    .schedule = themis_schedule,
    .job_arrived = themis_arrived,
    .job_started = themis_started,
    .job_stopped = themis_stopped,
    .job_withdrawn = themis_withdrawn,
};
