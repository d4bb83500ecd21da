/* blocked.c - the reason that a policy gives for the wait of one job. That a reservation is in the way
 * is for the world to say: policies see no room, or none for so long. */
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/waiting.h"

/* The policy says that there is no room, or none for so long: reservations may be why. */
static bool is_of_room(enum wait_reason why)
{
    return why == WAIT_GPUS || why == WAIT_FRAGMENTED || why == WAIT_TOPOLOGY || why == WAIT_TYPE ||
           why == WAIT_PROTECTED || why == WAIT_RESERVED;
}

/* j would fit on what is idle now, but has no place there until it has ended by its estimate, for
 * reservations are in the way. Few clusters have any: it is kept off the path of all calls. */
static __attribute__((noinline)) bool kept_off(struct sched *s, job_id j)
{
    struct request ask = job_request(s, j);
    const struct shape_kinds *now = s->idle->shape, *open = s->placing->kinds;
    const struct shape_kinds *throughout =
        reserved_kinds(s, s->now_ns, timeline_plus(s->now_ns, timeline_length_ns(s, j)));
    if (throughout[ask.shape].n == open[ask.shape].n)
        return false;
    struct placing_answer kept = placing_keep(s);
    free_index_set_shapes(s->idle, open);
    bool fits = placing_whatever_limit(s, s->idle, &ask);
    free_index_set_shapes(s->idle, throughout);
    fits = fits && !placing_whatever_limit(s, s->idle, &ask);
    free_index_set_shapes(s->idle, now);
    placing_put_back(s, kept);
    return fits;
}

/* For the log, and to be taken back. */
static __attribute__((noinline)) void note(struct sched *s, job_id j, const struct live *l, enum wait_reason why)
{
    struct undo *u = undo_add(s, UNDO_OWN, j);
    if (u)
        u->why = l->own_why;
    if (s->setup.observer.decision && why != WAIT_GROUP && why != wait_reason_now(s, l))
        decision_log(s, j, "decision", "blocked", wait_reason_name[why]);
}

void sched_blocked(struct sched *s, job_id j, enum wait_reason why)
{
    struct live *l = j < s->n_jobs ? live_of(s, j) : NULL;
    if (!l || !l->counting)
        return;
    why = wait_credible(s, why);
    if (s->reserved && is_of_room(why) && kept_off(s, j))
        why = WAIT_RESERVATION;
    if (why == WAIT_REASONS || why > WAIT_GROUP || l->own_why == why)
        return;
    if (s->stage->marked || s->setup.observer.decision)
        note(s, j, l, why);
    wait_own(s, l, why);
}
