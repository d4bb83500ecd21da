/* session_life.c - see session_life.h. */
#include "sim/sessions/session_life.h"

#include "sim/base/units.h"

#include <assert.h>

const char *const session_end_name[SESSION_ENDS] = {
    [SESSION_CLOSED] = "closed", [SESSION_EXPIRED] = "expired", [SESSION_ABANDONED] = "abandoned",
    [SESSION_CULLED] = "culled", [SESSION_LOST] = "lost",
};

struct session_life session_begin(const struct session *of, const struct session_culling *culling,
                                  int64_t cap_ns)
{
    return (struct session_life){ .of = of,
                                  .culling = culling,
                                  .cap_ns = cap_ns,
                                  .now_ns = of->submit_ns,
                                  .wants_since_ns = of->submit_ns,
                                  .usable_ns = -1 };
}

enum session_spent session_spent_on(const struct session_life *l)
{
    static const enum session_spent by_place[] = {
        [SESSION_QUEUED] = SPENT_QUEUED, [SESSION_STARTING] = SPENT_STARTING,
        [SESSION_USABLE] = SPENT_IDLE,   [SESSION_RELEASED] = SPENT_RELEASED,
        [SESSION_OVER] = SESSION_SPENTS,
    };
    return session_is_active(l) ? SPENT_ACTIVE : by_place[l->place];
}

void session_settle(struct session_life *l, int64_t now_ns)
{
    assert(now_ns >= l->now_ns);
    if (l->place != SESSION_OVER)
        l->spent_ns[session_spent_on(l)] += now_ns - l->now_ns;
    if (l->place != SESSION_OVER && l->mind == MIND_WANTS && !l->left)
        l->delayed_ns += now_ns - l->now_ns;
    l->now_ns = now_ns;
}

/* ---- the next event ---- */

/* The first visit of the culler that finds the session idle for limit_ns. */
static int64_t found_idle_ns(const struct session_life *l, int64_t limit_ns)
{
    int64_t period_ns = l->culling->period_ns, due_ns = l->idle_since_ns + limit_ns;
    return (due_ns + period_ns - 1) / period_ns * period_ns;
}

static void consider(struct session_step *best, int64_t at_ns, enum session_act act)
{
    if (at_ns < best->at_ns)
        *best = (struct session_step){ at_ns, act };
}

static void consider_culling(const struct session_life *l, struct session_step *best)
{
    bool idle = l->mind == MIND_THINKS || l->mind == MIND_AWAY;
    if (!idle || l->culling->how == CULL_OFF)
        return;
    consider(best, found_idle_ns(l, l->culling->delete_ns), SESSION_DELETED);
    if (l->culling->how == CULL_RELEASE && l->place != SESSION_RELEASED)
        consider(best, found_idle_ns(l, l->culling->release_ns), SESSION_RELEASES);
}

/* Considered in the order of enum session_act: at equal times the first stays. */
bool session_next(const struct session_life *l, struct session_step *step)
{
    const struct session *of = l->of;
    bool waits = l->mind == MIND_FIRST || l->mind == MIND_WANTS, in_use = l->usable_ns >= 0;
    step->at_ns = TIME_NEVER;
    if (l->place == SESSION_OVER)
        return false;
    if (in_use && !of->forgotten)
        consider(step, l->usable_ns + of->length_ns, SESSION_CLOSES);
    if (in_use)
        consider(step, l->usable_ns + l->cap_ns, SESSION_EXPIRES);
    if (waits && l->place == SESSION_QUEUED && !l->left)
        consider(step, l->wants_since_ns + of->patience_ns, SESSION_ABANDONS);
    if (l->mind == MIND_THINKS || l->mind == MIND_RUNS)
        consider(step, l->turn_ns, SESSION_TURNS);
    if (in_use && of->forgotten && !l->left)
        consider(step, l->usable_ns + of->length_ns, SESSION_FORGOTTEN);
    consider_culling(l, step);
    if (step->at_ns < l->now_ns)  /* the patience ended while the session had GPUs */
        step->at_ns = l->now_ns;
    return step->at_ns != TIME_NEVER;
}

/* ---- own events ---- */

static int64_t phase_ns(const struct session_life *l)
{
    assert(l->phase < l->of->n_phases);
    return l->of->phase_ns[l->phase];
}

static void run_on(struct session_life *l, int64_t left_ns)
{
    l->mind = MIND_RUNS;
    l->turn_ns = l->now_ns + left_ns;
}

static void want_to_run(struct session_life *l)
{
    l->phase++;
    if (l->place == SESSION_USABLE) {
        run_on(l, phase_ns(l));
        return;
    }
    l->mind = MIND_WANTS;
    l->turn_ns = phase_ns(l);
    l->wants_since_ns = l->now_ns;
    if (l->place == SESSION_RELEASED)
        l->place = SESSION_QUEUED;
}

static void run_is_over(struct session_life *l)
{
    l->idle_since_ns = l->now_ns;
    l->mind = MIND_AWAY;
    if (l->left)
        return;
    l->mind = MIND_THINKS;
    l->phase++;
    l->turn_ns = l->now_ns + phase_ns(l);
}

static void leave(struct session_life *l)
{
    l->left = true;
    if (l->mind == MIND_THINKS)
        l->mind = MIND_AWAY;
}

static void finish(struct session_life *l, enum session_end end)
{
    l->place = SESSION_OVER;
    l->end = end;
}

void session_acts(struct session_life *l, const struct session_step *step)
{
    session_settle(l, step->at_ns);
    switch (step->act) {
    case SESSION_CLOSES:
        finish(l, SESSION_CLOSED);
        break;
    case SESSION_EXPIRES:
        finish(l, SESSION_EXPIRED);
        break;
    case SESSION_ABANDONS:
        finish(l, SESSION_ABANDONED);
        break;
    case SESSION_DELETED:
        finish(l, SESSION_CULLED);
        break;
    case SESSION_TURNS:
        if (l->mind == MIND_RUNS)
            run_is_over(l);
        else
            want_to_run(l);
        break;
    case SESSION_FORGOTTEN:
        leave(l);
        break;
    case SESSION_RELEASES:
        l->place = SESSION_RELEASED;
        l->releases++;
        break;
    }
}

/* ---- changes by the caller ---- */

void session_granted(struct session_life *l, int64_t now_ns)
{
    assert(l->place == SESSION_QUEUED);
    session_settle(l, now_ns);
    l->place = SESSION_STARTING;
}

void session_usable(struct session_life *l, int64_t now_ns)
{
    assert(l->place == SESSION_STARTING);
    session_settle(l, now_ns);
    l->place = SESSION_USABLE;
    if (l->mind == MIND_WANTS)
        run_on(l, l->turn_ns);
    if (l->mind != MIND_FIRST)
        return;
    l->usable_ns = l->idle_since_ns = now_ns;
    l->mind = MIND_THINKS;
    l->turn_ns = now_ns + phase_ns(l);
}

void session_taken(struct session_life *l, int64_t now_ns)
{
    assert(session_holds(l));
    session_settle(l, now_ns);
    l->place = SESSION_QUEUED;
    l->taken++;
    if (l->mind != MIND_RUNS)
        return;
    l->mind = MIND_WANTS;
    l->turn_ns -= now_ns;
    l->wants_since_ns = now_ns;
}

void session_lost(struct session_life *l, int64_t now_ns)
{
    assert(l->place != SESSION_OVER);
    session_settle(l, now_ns);
    finish(l, SESSION_LOST);
}
