/* loss.c - no line: a job that does not fit when it arrives is refused for good (a loss system:
 * blocked calls are cleared).
 *
 * After a job has failed, jobs of its shape are refused without a search until something is
 * released. */
#include "sim/contract/policy.h"
#include "sim/contract/util/array.h"

struct loss {
    job_id *fresh;                /* arrived since the last pass */
    size_t n_fresh, capacity;
    /* by shape: 1 + the room version at which it did not fit; 0: never */
    uint64_t *failed_at;
    size_t n_shapes;
};

static void loss_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct loss *l = state;
    (void)params;
    l->fresh = array_grown(sched_alloc, s, l->fresh, &l->capacity, l->n_fresh, sizeof *l->fresh);
    l->fresh[l->n_fresh++] = j;
}

static bool fits(struct sched *s, struct loss *l, job_id j)
{
    struct request r = job_request(s, j);
    l->failed_at =
        array_covering(sched_alloc, s, l->failed_at, &l->n_shapes, r.shape, sizeof *l->failed_at);
    uint64_t *failed = &l->failed_at[r.shape], now = sched_room_version(s) + 1;
    if (*failed == now)
        return false;
    const struct placement *where = sched_place(s, sched_view(s, FREE_IDLE), &r);
    if (where && sched_start(s, j, where) == SCHED_OK)
        return true;
    *failed = now;
    return false;
}

static void loss_schedule(struct sched *s, const void *params, void *state)
{
    struct loss *l = state;
    (void)params;
    for (size_t i = 0; i < l->n_fresh; i++)
        if (job_state(s, l->fresh[i]) == JOB_PENDING && !fits(s, l, l->fresh[i]))
            sched_refuse(s, l->fresh[i], job_over_limit(s, l->fresh[i])
                                             ? "its queue was at its limit when it arrived"
                                             : "no room when it arrived");
    l->n_fresh = 0;
}

const struct policy loss_policy = {
    .abi = POLICY_ABI,
    .name = "loss",
    .summary = "no line: a job that does not fit on arrival is refused",
    .state_size = sizeof(struct loss),
    .schedule = loss_schedule,
    .job_arrived = loss_arrived,
};
