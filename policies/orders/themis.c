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
 * An auction costs O(waiting jobs): rho of each changes with time at its own rate. Between
 * auctions, while nothing was released, only new jobs are looked at. */
#include "policies/common/queueing.h"
#include "sim/contract/util/array.h"
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
};
struct bidder { job_id job; double rho, remaining_s; bool running; };
struct themis {
    struct line *waiting, *leases;    /* by submit time; by the end of the lease */
    uint32_t *present;            /* [n_parties] jobs in the system, by user or queue */
    size_t n_parties;
    double contending, contending_s, settled_s;    /* parties with a job; their integral until then */
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
    double capacity = (double)sched_capacity(s).gpu_milli, gpus = (double)job_size(s, j).gpu_milli;
    double there_s = now_s(s) - (double)job_facts(s, j)->submit_ns / 1e9;
    double parties_s = t->contending_s - own->contending_before;
    double n = there_s > 0 ? parties_s / there_s : t->contending;
    double alone_s = own->service_s * (gpus > 0 ? fmax(1, gpus * n / capacity) : 1);
    struct bidder b = { .job = j, .running = running, .remaining_s = remaining_s(s, params, j) };
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

/* ---- An auction ---- */

struct failed { bool *shape; size_t n; };

static bool has_failed(const struct failed *f, shape_id shape)
{
    return shape < f->n && f->shape[shape];
}

static void has_failed_now(struct sched *s, struct failed *f, shape_id shape)
{
    f->shape = array_covering(sched_scratch, s, f->shape, &f->n, shape, sizeof *f->shape);
    f->shape[shape] = true;
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

/* Returns how many still wait. */
static size_t auction(struct sched *s, struct themis *t, const void *params, struct bidder *b,
                      size_t n)
{
    size_t worst = (size_t)ceil((1 - ((const struct themis_params *)params)->f) * (double)n - 1e-9),
           left = 0;
    struct failed failed = { NULL, 0 };
    qsort(b, n, sizeof *b, worst_first);
    qsort(b, min_size(worst, n), sizeof *b, shortest_first);
    for (size_t i = 0; i < n; i++) {
        if (job_state(s, b[i].job) == JOB_RUNNING)
            continue;             /* its lease goes on */
        shape_id shape = job_request(s, b[i].job).shape;
        if (!(has_failed(&failed, shape) && !b[i].running) && serve(s, b, n, i))
            continue;
        left++;
        if (has_failed(&failed, shape))
            continue;
        has_failed_now(s, &failed, shape);
        line_blocked(s, t->waiting, shape, sched_why_not(s));
    }
    for (size_t i = 0; i < n; i++)
        if (b[i].running && job_state(s, b[i].job) == JOB_RUNNING)
            line_push(t->leases, b[i].job,
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
    struct line_walk walk = { .l = t->waiting };
    for (job_id j; line_next(&walk, &j);)
        if (job_state(s, j) == JOB_PENDING)
            b[n++] = bid(s, t, params, j, false);
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
    if (waiting) {
        struct bidder *b = sched_scratch(s, (waiting + line_length(t->leases)) * sizeof *b);
        n = leases_ending(s, t, params, b);
        bool all = n > 0 || sched_room_version(s) != t->version;
        size_t more = all ? waiting_jobs(s, t, params, b + n) : fresh_jobs(s, t, params, b);
        size_t left = auction(s, t, params, b, n + more);
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

static void themis_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct themis *t = state;
    struct themis_job *own = job_own(s, j);
    settle(s, t);
    if (!own->known) {
        *own = (struct themis_job){ remaining_s(s, params, j), t->contending_s, true };
        comes(s, t, params, j);
    }
    line_push(t->waiting, j, key_submit(s, j, params));
    t->fresh =
        array_grown(sched_alloc, s, t->fresh, &t->fresh_capacity, t->n_fresh, sizeof *t->fresh);
    t->fresh[t->n_fresh++] = j;
}

static void themis_started(struct sched *s, const void *params, void *state, job_id j)
{
    struct themis *t = state;
    line_remove(t->waiting, j);
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
