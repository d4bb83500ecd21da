/* standstill.c - see standstill.h. */
#include "policies/common/standstill.h"
#include "policies/common/free_gpus.h"
#include "policies/common/hopeless.h"
#include "policies/common/preemption.h"
#include "policies/common/running.h"
#include "sim/contract/util/array.h"

void standstill_begin(struct sched *s, struct queueing_state *o)
{
    const struct discipline *d = o->discipline;
    o->still.known = false;
    o->still.n = 0;
    o->still.r = NULL;
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

/* All were looked at, and fail until some time. */
static void note_looked(struct standstill *still)
{
    still->r = still->n ? still->stuck[0].r : NULL;
    still->until_ns = TIME_NEVER;
    for (size_t i = 0; i < still->n; i++) {
        const struct stuck *x = &still->stuck[i];
        still->r = x->r == still->r ? still->r : NULL;
        still->until_ns = x->until_ns < still->until_ns ? x->until_ns : still->until_ns;
    }
    still->looked = still->seen = still->r ? still->r->n_pushed : 0;
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
    note_looked(&o->still);
    return true;
}

/* No time has come, and what has moved since all were looked at is not behind the first of them, so behind none. Each of them
 * reads the pushes itself before these are overwritten. */
static bool still_fail(struct sched *s, struct queueing_state *o)
{
    struct standstill *still = &o->still;
    if (!still->r || sched_now(s) >= still->until_ns || still->r->n_pushed - still->looked > PUSHED_KEPT / 2)
        return false;
    for (; still->seen < still->r->n_pushed; still->seen++) {
        const struct pushed *v = &still->r->pushed[still->seen % PUSHED_KEPT];
        if (line_key_before(still->stuck[0].key, still->stuck[0].job, victim_bound(s, o, v->job, v->key), v->job))
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
    if (!still_fail(s, o) && !all_fail(s, o))
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
