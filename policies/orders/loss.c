/* loss.c - no line: who does not fit when it arrives is refused for good (a loss system: blocked calls are cleared).
 *
 * What asks for the same as one that failed is refused unasked until something is released. */
#include "sim/contract/policy.h"

#include <string.h>

struct loss {
    job_id *fresh;                /* arrived since the last pass */
    size_t n_fresh, capacity;
    uint64_t *failed_at;          /* by shape: 1 + the room version at which it did not fit; 0: never */
    shape_id n_shapes;
};

/* A larger copy; what is new is zero. */
static void *grown(struct sched *s, const void *old, size_t had, size_t bytes)
{
    void *new = sched_alloc(s, bytes);
    if (had)
        memcpy(new, old, had);
    return new;
}

static uint64_t *failed_at(struct sched *s, struct loss *l, shape_id shape)
{
    if (shape >= l->n_shapes) {
        shape_id n = 2 * shape + 64;
        l->failed_at = grown(s, l->failed_at, l->n_shapes * sizeof *l->failed_at, n * sizeof *l->failed_at);
        l->n_shapes = n;
    }
    return &l->failed_at[shape];
}

static void loss_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    struct loss *l = state;
    (void)params;
    if (l->n_fresh == l->capacity) {
        l->capacity = 2 * l->capacity + 64;
        l->fresh = grown(s, l->fresh, l->n_fresh * sizeof *l->fresh, l->capacity * sizeof *l->fresh);
    }
    l->fresh[l->n_fresh++] = j;
}

static bool fits(struct sched *s, struct loss *l, job_id j)
{
    struct request r = job_request(s, j);
    uint64_t *failed = failed_at(s, l, r.shape), now = sched_room_version(s) + 1;
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
            sched_refuse(s, l->fresh[i], "no room when it arrived");
    l->n_fresh = 0;
}

const struct policy loss_policy = {
    .abi = POLICY_ABI,
    .name = "loss",
    .summary = "no line: who does not fit on arrival is refused",
    .state_size = sizeof(struct loss),
    .schedule = loss_schedule,
    .job_arrived = loss_arrived,
};
