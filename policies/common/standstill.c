/* standstill.c - see standstill.h. */
#include "policies/common/standstill.h"
#include "policies/common/free_gpus.h"
#include "policies/common/hopeless.h"
#include "policies/common/preemption.h"
#include "sim/contract/util/array.h"

void standstill_begin(struct sched *s, struct queueing_state *o)
{
    const struct discipline *d = o->discipline;
    o->still.known = false;
    o->still.n = 0;
    o->still.possible =
        d->preempts && !d->preempt_for && !d->admits && !queue_quota_version(s) &&
        ((const struct queueing_params *)o->params)->blocking > BLOCKING_STRICT;
}

/* It finds no place whatever the placer does. */
static bool lacks_gpus(struct sched *s, job_id j)
{
    const struct request *ask = job_facts(s, j)->ask;
    return !ask->next && ask->gpu_milli >= MILLI_ALL &&
           free_gpus_for(sched_view(s, FREE_IDLE), ask) <
               (uint64_t)ask->gpus * (ask->tasks == SPLIT_ANY ? 1 : ask->tasks);
}

void standstill_note(struct sched *s, struct queueing_state *o, struct line *waiting, job_id j,
                     struct line_key key, enum wait_reason why)
{
    struct standstill *still = &o->still;
    if (!still->possible)
        return;
    still->stuck =
        array_grown(sched_alloc, s, still->stuck, &still->capacity, still->n, sizeof *still->stuck);
    still->stuck[still->n++] =
        (struct stuck){ .job = j, .key = key, .waiting = waiting, .until_ns = INT64_MIN, .why = why };
}

/* x was tried, and has not been looked at since. false: another try may succeed. Over its limit it
 * finds no place whatever is free. */
static bool look(struct sched *s, const struct queueing_state *o, struct stuck *x)
{
    x->r = queueing_victims_of(s, o, x->job);
    x->lacks_milli = preempt_lacks_milli(s, x->job);
    return x->why == WAIT_LIMIT || lacks_gpus(s, x->job);
}

/* Looked at anew are those behind which a running job may have moved, or of which the time has
 * come. */
static bool all_fail(struct sched *s, struct queueing_state *o)
{
    for (size_t i = 0; i < o->still.n; i++) {
        struct stuck *x = &o->still.stuck[i];
        if (x->until_ns == INT64_MIN && !look(s, o, x))
            return false;
        if (sched_now(s) >= x->until_ns || hopeless_moved_behind(s, o, x->r, x->job, x->key))
            x->until_ns = hopeless_until(s, o, x->r, x->job, x->key, x->lacks_milli);
        if (x->until_ns <= sched_now(s))
            return false;
    }
    return true;
}

void standstill_end(struct sched *s, struct queueing_state *o)
{
    struct standstill *still = &o->still;
    still->known = still->possible && !o->n_evicted;
    still->room = sched_room_version(s);
}

bool standstill_again(struct sched *s, struct queueing_state *o)
{
    struct standstill *still = &o->still;
    if (!still->known || still->room != sched_room_version(s))
        return false;
    for (size_t i = 0; i < still->n; i++)
        if (job_state(s, still->stuck[i].job) != JOB_PENDING)
            return false;
    if (!all_fail(s, o))
        return false;
    for (size_t i = 0; i < still->n && sched_has_outages(s); i++) {
        struct stuck *x = &still->stuck[i];
        struct request r = job_request(s, x->job);
        if (sched_place(s, sched_view(s, FREE_IDLE), &r))
            return false;
        if (sched_why_not(s) == x->why)
            continue;
        x->why = sched_why_not(s);
        line_blocked(s, x->waiting, r.shape, x->why);
    }
    return true;
}
