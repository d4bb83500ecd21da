/* recorded.c - as it was: each job starts when the log says that it did, and where, if the log says
 * so.
 *
 * The baseline of a comparison with what a cluster really did. A job that cannot start then, as
 * what it needs is not free, starts as soon as it can, in the order of recorded starts; the jobs
 * behind it are not held back. That happens where a log is impossible (more GPUs in use than there
 * are) or says too little (which nodes: the placer finds others, on which less fits). A job of
 * which the log says nothing is due when it is submitted. Ties: by job. */
#include "sim/contract/policy.h"

struct recorded {
    struct line *due;             /* waiting jobs by recorded start */
};

static void recorded_begin(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct recorded *r = state;
    r->due = line_new(s);
    line_blocked(s, r->due, ID_NONE, WAIT_OTHER);     /* for what kept them then */
}

static int64_t due_ns(struct sched *s, job_id j)
{
    int64_t start_ns = job_recorded_start_ns(s, j);
    return start_ns == TIME_NEVER ? job_facts(s, j)->submit_ns : start_ns;
}

static void recorded_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    (void)params;
    struct recorded *r = state;
    int64_t at_ns = due_ns(s, j);
    line_push(r->due, j, (struct line_key){ .time_ns = at_ns });
    if (at_ns > sched_now(s))
        sched_wake_at(s, at_ns);
}

static void recorded_started(struct sched *s, const void *params, void *state, job_id j)
{
    (void)s;
    (void)params;
    line_remove(((struct recorded *)state)->due, j);
}

static bool start(struct sched *s, job_id j)
{
    const struct placement *where = job_over_limit(s, j) ? NULL : sched_place_recorded(s, j);
    if (!where) {
        struct request ask = job_request(s, j);
        where = sched_place(s, sched_view(s, FREE_IDLE), &ask);
    }
    return where && sched_start(s, j, where) == SCHED_OK;
}

static void recorded_schedule(struct sched *s, const void *params, void *state)
{
    (void)params;
    struct recorded *r = state;
    int64_t now_ns = sched_now(s);
    struct line_walk walk = { .l = r->due };
    for (job_id j; line_next(&walk, &j);) {
        int64_t at_ns = due_ns(s, j);
        if (at_ns > now_ns)
            break;
        if (start(s, j))
            continue;
        shape_id shape = job_facts(s, j)->ask->shape;
        line_blocked(s, r->due, shape, sched_why_not(s));
        line_skip_shape(&walk, shape);
    }
}

const struct policy recorded_policy = {
    .abi = POLICY_ABI,
    .name = "recorded",
    .summary = "as it was: when, and where if it is known, the log says that jobs started",
    .needs = SEES_RECORD,
    .state_size = sizeof(struct recorded),
    .begin = recorded_begin,
    .schedule = recorded_schedule,
    .job_arrived = recorded_arrived,
    .job_started = recorded_started,
};
