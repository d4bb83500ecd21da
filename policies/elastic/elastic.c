/* elastic.c - arrival order, and GPUs that no job waits for go to running elastic jobs until a job
 * waits.
 *
 * The job that has waited longest gets its usual size, if need be with what running jobs hold above
 * theirs; otherwise as much as it can from its minimum up, if need be with what they hold above
 * their minimum. Jobs shrink in the order of their starts, the newest first, all the way, but the
 * last one gets back what is not needed. Then idle GPUs go to running jobs that hold less than
 * their usual size, and then to those that could hold more: the oldest first, as much as it can
 * use. A job grows at most once in `every_s`; it shrinks at any time, never below its minimum. */
#include "policies/common/queueing.h"
#include "policies/elastic/sizes.h"

struct elastic_params { struct queueing_params how; double every_s; };
/* By submit time; those that can be resized, by start. */
struct elastic { struct line *waiting, *running; };
struct elastic_job { int64_t grown_ns; bool runs; };

static void elastic_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    *(struct elastic *)state = (struct elastic){ line_new(s), line_new(s) };
}

static void elastic_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    line_push(((struct elastic *)state)->waiting, j,
              (struct line_key){ .time_ns = job_facts(s, j)->submit_ns });
}

static void elastic_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct elastic *e = state;
    line_remove(e->waiting, j);
    *(struct elastic_job *)job_own(s, j) = (struct elastic_job){ sched_now(s), true };
    if (resizable(s, j))
        line_push(e->running, j, (struct line_key){ .time_ns = sched_now(s) });
}

static void elastic_stopped(struct sched *s, const void *params, void *state, job_id j,
                            enum stop_cause why)
{
    (void)params;
    (void)why;
    line_remove(((struct elastic *)state)->running, j);
    ((struct elastic_job *)job_own(s, j))->runs = false;
}

/* ---- Shrinking ---- */

enum bound { USUAL, LEAST };

static uint32_t size_at(const struct sched *s, job_id j, enum bound b)
{
    struct job_sizes z = job_sizes(s, j);
    return b == USUAL ? z.usual : z.min;
}

static bool resized(struct sched *s, job_id j, uint32_t least, uint32_t most)
{
    struct sized_place p = largest_place(s, j, least, most);
    return p.where && sched_resize(s, j, p.where) == SCHED_OK;
}

/* Starts j at the largest size from this bound to its usual one; others shrink to the same bound of
 * theirs. */
static bool start_at(struct sched *s, const struct elastic *e, job_id j, enum bound b)
{
    sched_mark_t before = sched_mark(s);
    job_id v = ID_NONE;
    uint32_t had = 0;
    bool more = line_last(e->running, &v, NULL);
    struct sized_place p = largest_place(s, j, size_at(s, j, b), size_at(s, j, USUAL));
    for (; !p.where && more; more = line_before(e->running, &v, NULL)) {
        uint32_t held = job_size_held(s, v), floor = size_at(s, v, b);
        if (held <= floor || !resized(s, v, floor, floor))
            continue;
        had = held;
        p = largest_place(s, j, size_at(s, j, b), size_at(s, j, USUAL));
        if (p.where)
            break;
    }
    if (!p.where || sched_start(s, j, p.where) != SCHED_OK) {
        sched_rollback(s, before);
        return false;
    }
    if (had)
        resized(s, v, job_size_held(s, v) + 1, had);
    return true;
}

static void serve(struct sched *s, const struct elastic *e, bool skip)
{
    struct line_walk w = { .l = e->waiting };
    for (job_id j; line_next(&w, &j);) {
        if (!least_over_limit(s, j) &&
            (start_at(s, e, j, USUAL) || (job_facts(s, j)->sizing && start_at(s, e, j, LEAST)))) {
            if (resizable(s, j))
                line_push(e->running, j, (struct line_key){ .time_ns = sched_now(s) });
            continue;
        }
        if (!skip_over(s, e->waiting, &w, j, skip))
            return;
    }
}

/* ---- Growing ---- */

static void grow(struct sched *s, job_id j, uint32_t to, int64_t every_ns)
{
    struct elastic_job *own = job_own(s, j);
    uint32_t held = job_size_held(s, j);
    if (held >= to ||
        domain_free_gpus(sched_view(s, FREE_IDLE), 0, job_facts(s, j)->ask) < size_unit_gpus(s, j))
        return;
    if (own->runs && sched_now(s) - own->grown_ns < every_ns)
        sched_wake_at(s, own->grown_ns + every_ns);
    else if (resized(s, j, held + 1, to))
        own->grown_ns = sched_now(s);                    /* no rollback follows: serve() is over */
}

static void elastic_schedule(struct sched *s, const void *params, void *state)
{
    const struct elastic_params *p = params;
    const struct elastic *e = state;
    serve(s, e, (int)p->how.blocking == BLOCKING_SKIP);
    for (int round = 0; round < 2 && sched_idle_gpus(s) > 0; round++) {
        struct line_walk w = { .l = e->running };
        for (job_id j; line_next(&w, &j);)
            if (job_state(s, j) == JOB_RUNNING)
                grow(s, j, round == 0 ? job_sizes(s, j).usual : job_sizes(s, j).max,
                     (int64_t)(p->every_s * 1e9 + .5));
    }
}

static const struct param elastic_params[] = {
    QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
    { "every_s", "a job grows at most once in that time", "s", 0, 1e9, 300, NULL,
      offsetof(struct elastic_params, every_s) },
    { 0 },
};
const struct policy elastic_policy = {
    .abi = POLICY_ABI,
    .name = "elastic",
    .summary = "arrival order; idle GPUs go to elastic jobs until a job waits",
    .needs = RESIZES,
    .params = elastic_params,
    .params_size = sizeof(struct elastic_params),
    .state_size = sizeof(struct elastic),
    .job_size = sizeof(struct elastic_job),
    .begin = elastic_begin,
    .schedule = elastic_schedule,
    .job_arrived = elastic_arrived,
    .job_started = elastic_started,
    .job_stopped = elastic_stopped,
};
