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
 * them. Only those that may get GPUs are put in order, unless a lease ends. Between auctions, while
 * nothing was released, only new jobs are looked at. */
#include "policies/common/queueing.h"
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
struct bidder { job_id job; shape_id shape; double rho, remaining_s; bool running; };
struct themis {
    struct line *waiting, *leases;    /* by submit time; by the end of the lease */
    /* [n_pending] the jobs of `waiting`, in no order */
    job_id *pending;
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

static struct bidder bid(struct sched *s, const struct themis *t, const void *params, job_id j,
                         bool running)
{
    const struct themis_job *own = job_own(s, j);
    double gpus = (double)job_size(s, j).gpu_milli;
    double there_s = now_s(s) - (double)job_facts(s, j)->submit_ns / 1e9;
    double parties_s = t->contending_s - own->contending_before;
    double n = there_s > 0 ? parties_s / there_s : t->contending;
    double alone_s = own->service_s * (gpus > 0 ? fmax(1, gpus * n / t->capacity_milli) : 1);
    struct bidder b = { .job = j, .shape = job_facts(s, j)->ask->shape, .running = running,
                        .remaining_s = remaining_s(s, params, j) };
    if (isinf(alone_s))
        b.rho = 0;                /* without an estimate: served last */
    else
        b.rho = alone_s > 0 ? (there_s + b.remaining_s) / alone_s : (double)INFINITY;
    return b;
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

/* Stops bidders behind i with an ending lease, the last first, until i fits; a stopped job that
 * still fits stays. */
static bool take_over(struct sched *s, struct bidder *b, size_t n, size_t i)
{
    sched_mark_t before = sched_mark(s);
    for (size_t k = n; k-- > i + 1;) {
        if (!b[k].running || job_state(s, b[k].job) != JOB_RUNNING ||
            sched_stop(s, b[k].job, STOP_SAVE) != SCHED_OK)
            continue;
        if (!start_in(s, FREE_OR_RELEASING, b[i].job))
            continue;
        for (size_t v = i + 1; v < n; v++)
            if (b[v].running && job_state(s, b[v].job) == JOB_RELEASING &&
                sched_keep(s, b[v].job) != SCHED_OK)
                sched_note(s, b[v].job, b[i].job);
        return true;
    }
    sched_rollback(s, before);
    return false;
}

/* A waiting job, or one that was stopped for another: does it get GPUs? */
static bool serve(struct sched *s, struct bidder *b, size_t n, size_t i)
{
    if (b[i].running && sched_keep(s, b[i].job) == SCHED_OK)
        return true;
    return start_in(s, FREE_IDLE, b[i].job) || start_in(s, FREE_OR_RELEASING, b[i].job) ||
           take_over(s, b, n, i);
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

/* An auction at the end of leases. Returns how many still wait. */
static size_t auction_of_leases(struct sched *s, struct themis *t, const void *params,
                                struct bidder *b, size_t n)
{
    size_t left = 0;
    struct shapes shapes = { NULL, 0 };
    qsort(b, n, sizeof *b, worst_first);
    qsort(b, offered_to_worst(params, n), sizeof *b, shortest_first);
    for (size_t i = 0; i < n; i++) {
        if (job_state(s, b[i].job) == JOB_RUNNING)
            continue;             /* its lease goes on */
        struct of_shape *of = of_shape(s, &shapes, b[i].shape);
        if (!(of->failed && !b[i].running) && serve(s, b, n, i))
            continue;
        left++;
        if (!of->failed)
            note_failed(s, t, of, b[i].shape);
    }
    for (size_t i = 0; i < n; i++)
        if (b[i].running && job_state(s, b[i].job) == JOB_RUNNING)
            line_push(t->leases, b[i].job,
                      (struct line_key){ .time_ns = lease_end_ns(s, t, params) });
    return left;
}

/* Offers free GPUs to these waiting jobs in their order, until all of them are of shapes that have
 * failed. Returns how many started. */
static size_t offer(struct sched *s, struct themis *t, struct shapes *shapes, struct bidder *b,
                    size_t n, bool by_length)
{
    size_t open = 0, started = 0;
    for (size_t i = 0; i < shapes->n; i++)
        shapes->of[i].bidders = 0;
    for (size_t i = 0; i < n; i++) {
        struct of_shape *of = of_shape(s, shapes, b[i].shape);
        of->bidders++;
        open += !of->failed;
    }
    (by_length ? shortest_make : worst_make)(NULL, b, n);
    while (open > 0) {
        struct bidder next = (by_length ? shortest_pop : worst_pop)(NULL, b, n--);
        struct of_shape *of = &shapes->of[next.shape];
        if (of->failed)
            continue;
        if (start_in(s, FREE_IDLE, next.job) || start_in(s, FREE_OR_RELEASING, next.job)) {
            started++;
            open--;
            of->bidders--;
            continue;
        }
        note_failed(s, t, of, next.shape);
        open -= of->bidders;
    }
    return started;
}

/* An auction of what is free. Returns how many still wait. */
static size_t auction_of_free(struct sched *s, struct themis *t, const void *params,
                              struct bidder *b, size_t n)
{
    struct shapes shapes = { NULL, 0 };
    size_t first = offered_to_worst(params, n), started;
    select_worst(b, n, first);
    started = offer(s, t, &shapes, b, first, true);
    return n - started - offer(s, t, &shapes, b + first, n - first, false);
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
            b[n++] = bid(s, t, params, j, true);
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
    for (size_t i = 0; i < t->n_pending; i++) {
        job_id j = t->pending[i];
        if (job_state(s, j) == JOB_PENDING)
            b[n++] = bid(s, t, params, j, false);
    }
    return n;
}

static size_t fresh_jobs(struct sched *s, const struct themis *t, const void *params,
                         struct bidder *b)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_fresh; i++)
        if (job_state(s, t->fresh[i]) == JOB_PENDING)
            b[n++] = bid(s, t, params, t->fresh[i], false);
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
        size_t left = (ending ? auction_of_leases : auction_of_free)(s, t, params, b, ending + more);
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

static void join_pending(struct sched *s, struct themis *t, job_id j)
{
    struct themis_job *own = job_own(s, j);
    if (own->place)
        return;
    t->pending = array_grown(sched_alloc, s, t->pending, &t->pending_capacity, t->n_pending,
                             sizeof *t->pending);
    t->pending[t->n_pending++] = j;
    own->place = t->n_pending;
}

static void leave_pending(struct sched *s, struct themis *t, job_id j)
{
    struct themis_job *own = job_own(s, j);
    if (!own->place)
        return;
    job_id last = t->pending[--t->n_pending];
    t->pending[own->place - 1] = last;
    ((struct themis_job *)job_own(s, last))->place = own->place;
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
    join_pending(s, t, j);
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
