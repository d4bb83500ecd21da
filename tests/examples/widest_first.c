/* widest_first.c - the job that asks for the most GPUs goes first; a job that does not fit is passed over. */
#include "policy.h"

struct widest { struct line *waiting; };

static void begin(struct sched *s, const void *params, void *state)
{
    ((struct widest *)state)->waiting = line_new(s);
}
static void arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct line_key key = { .major = -(double)job_size(s, j).gpu_milli, .time_ns = job_facts(s, j)->submit_ns };
    line_push(((struct widest *)state)->waiting, j, key);
}
static void started(struct sched *s, const void *params, void *state, job_id j)
{
    line_remove(((struct widest *)state)->waiting, j);
}
static void schedule(struct sched *s, const void *params, void *state)
{
    struct line *waiting = ((struct widest *)state)->waiting;
    struct line_walk walk = { .l = waiting };
    for (job_id j; line_next(&walk, &j);) {
        struct request r = job_request(s, j);
        const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &r);
        if (where && sched_start(s, j, where) == SCHED_OK)
            continue;
        line_blocked(s, waiting, r.shape, sched_why_not(s));    /* why all jobs like it wait from now on */
        line_skip_shape(&walk, r.shape);                        /* an equal request fails the same way */
    }
}

const struct policy policy_plugin = {
    .abi = POLICY_ABI, .name = "widest-first", .summary = "most GPUs first",
    .state_size = sizeof(struct widest), .begin = begin, .schedule = schedule,
    .job_arrived = arrived, .job_started = started,
};
