/* plans.c - reservations: the earliest slot for a whole run, and what each job is promised. See contract/timeline.h. */
#include "sim/contract/util/minmax.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/timeline.h"

/* ---- The earliest slot ---- */

static int64_t kind_gpus_milli(const struct cluster *c, uint32_t kind)
{
    return (int64_t)c->kind[kind].n_nodes * c->kind[kind].gpus * c->kind[kind].slot_milli;
}

/* The earliest time from which on the totals of the kinds that r may use leave enough. */
static int64_t totals_fit(const struct sched *s, const struct request *r, int64_t after_ns, int64_t length_ns)
{
    const struct timeline *t = s->timeline;
    const struct shape_kinds *kinds = &s->placing->kinds[r->shape];
    int64_t need = r->next ? group_places_whole(s->idle, r) * MILLI_ALL : request_gpu_milli(r);
    if (kinds->n == 1)
        return profile_fit(t->kind_taken[kinds->kind[0]], after_ns, TIME_NEVER, TIME_NEVER, length_ns,
                           kind_gpus_milli(s->cluster, kinds->kind[0]) - need);
    while (after_ns != TIME_NEVER) {
        int64_t until_ns = length_ns > TIME_NEVER - after_ns ? TIME_NEVER : after_ns + length_ns, free = 0;
        for (uint32_t i = 0; i < kinds->n && free < need; i++)
            free += kind_gpus_milli(s->cluster, kinds->kind[i]) -
                    profile_max(t->kind_taken[kinds->kind[i]], after_ns, until_ns);
        if (free >= need)
            break;
        after_ns = timeline_next_end_ns(t, after_ns);
    }
    return after_ns;
}

static struct slot earliest(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns, unsigned tries)
{
    struct request r = job_request(s, j);
    int64_t length_ns = timeline_length_ns(s, j);
    for (; tries > 0; tries--) {
        after_ns = totals_fit(s, &r, after_ns, length_ns);
        if (after_ns == TIME_NEVER || after_ns > horizon_ns)
            break;
        const struct placement *where = sched_place(s, timeline_view(s, after_ns, timeline_plus(after_ns, length_ns)), &r);
        if (where)
            return (struct slot){ after_ns, where };
        after_ns = timeline_next_end_ns(s->timeline, after_ns);
    }
    return (struct slot){ TIME_NEVER, NULL };
}

/* Totals say all of the plan: they say it all of its job, and no other hold is in the way. */
static bool totals_say_all(const struct sched *s, const struct hold *plan)
{
    const struct request *r = ask_of(s, plan->job);
    uint32_t kind = s->placing->kinds[r->shape].kind[0];
    const struct profile *taken = s->timeline->kind_taken[kind];
    int64_t all = kind_gpus_milli(s->cluster, kind);
    return placing_by_totals(s, r) &&
           (profile_peak(taken) <= all || profile_max(taken, plan->start_ns, plan->end_ns) <= all);
}

/* The earliest start before `latest`; `latest` if there is none. */
static int64_t totals_fit_before(const struct sched *s, const struct hold *plan, int64_t after_ns, int64_t latest_ns)
{
    const struct request *r = ask_of(s, plan->job);
    uint32_t kind = s->placing->kinds[r->shape].kind[0];
    return profile_fit(s->timeline->kind_taken[kind], after_ns, latest_ns, plan->start_ns, plan->end_ns - plan->start_ns,
                       kind_gpus_milli(s->cluster, kind) - request_gpu_milli(r));
}

/* Starts before the plan's own from here on need not be looked at. */
static int64_t looked_up_to_ns(const struct sched *s, const struct hold *plan, int64_t after_ns)
{
    if (!plan->look.done || after_ns < plan->look.after_ns)
        return plan->start_ns;
    return max_i64(after_ns, min_i64(plan->start_ns, freed_since(&s->timeline->room, plan->look.count)));
}

struct slot timeline_earliest(struct sched *s, job_id j, int64_t after_ns, int64_t horizon_ns, unsigned tries)
{
    struct hold *plan = plan_of(s, j);
    s->timeline->asked = true;
    if (!plan)
        return earliest(s, j, after_ns, horizon_ns, tries);
    if (plan->start_ns > after_ns && plan->start_ns <= horizon_ns && totals_say_all(s, plan)) {
        int64_t latest_ns = looked_up_to_ns(s, plan, after_ns), from_ns = totals_fit_before(s, plan, after_ns, latest_ns);
        if (from_ns == latest_ns) {
            plan->look = (struct look){ true, s->timeline->room.count, after_ns };
            return (struct slot){ plan->start_ns, plan->p };
        }
        after_ns = from_ns;
    }
    hold_show(s, plan, false);
    struct slot found = earliest(s, j, after_ns, horizon_ns, tries);
    hold_show(s, plan, true);
    return found;
}

/* ---- Plans ---- */

static bool room_in_window(struct sched *s, job_id j, int64_t from_ns, int64_t until_ns, const struct placement *p)
{
    struct view *v = timeline_own_view(s, timeline_view(s, from_ns, until_ns));
    if (reserved_denies(s, j, p, from_ns, until_ns) || !placement_take_if_free(v, ask_of(s, j), p))
        return false;
    placement_give(v, ask_of(s, j), p);
    return true;
}

enum sched_result plan_set(struct sched *s, job_id j, int64_t start_ns, const struct placement *p)
{
    struct live *l = s->in_pass && j < s->n_jobs ? live_of(s, j) : NULL;
    if (!l || s->job[j].state != JOB_PENDING || start_ns < s->now_ns)
        return SCHED_WRONG_STATE;
    int64_t end_ns = timeline_plus(start_ns, timeline_length_ns(s, j));
    struct hold *plan = plan_of(s, j);
    if (plan && plan->start_ns == start_ns && plan->end_ns == end_ns && placement_same(plan->p, p))
        return SCHED_OK;
    if (plan)
        hold_show(s, plan, false);
    bool room = room_in_window(s, j, start_ns, end_ns, p);
    if (plan)
        hold_show(s, plan, true);
    if (!room)
        return SCHED_NO_ROOM;
    plan_drop(s, j);
    struct placement *copy = placement_stage(s, j, placement_copy(s, p));
    hold_add(s, j, HOLD_PLAN, start_ns, end_ns, copy);
    if (s->setup.observer.decision && !timeline_rests(s->timeline, start_ns, s->now_ns)) {
        char text[32];
        text[decimal_format(text, start_ns, NS_PER_S)] = '\0';
        decision_log(s, j, "decision", "promise", text);
    }
    return SCHED_OK;
}

void plan_clear(struct sched *s)
{
    while (s->timeline->n_plans)
        plan_drop(s, s->timeline->hold[s->timeline->plan[s->timeline->n_plans - 1]].job);
}

int64_t plan_start(const struct sched *s, job_id j)
{
    const struct hold *plan = plan_of(s, j);
    return plan ? plan->start_ns : TIME_NEVER;
}

const struct placement *plan_placement(const struct sched *s, job_id j)
{
    const struct hold *plan = plan_of(s, j);
    return plan ? plan->p : NULL;
}

bool plan_ready(struct sched *s, job_id j)
{
    const struct hold *plan = plan_of(s, j);
    if (!plan || plan->start_ns > s->now_ns ||
        reserved_denies(s, j, plan->p, s->now_ns, timeline_plus(s->now_ns, timeline_length_ns(s, j))) ||
        !placement_take_if_free(s->idle, ask_of(s, j), plan->p))
        return false;
    placement_give(s->idle, ask_of(s, j), plan->p);
    return true;
}

uint64_t timeline_version(const struct sched *s)
{
    return s->timeline->freed;
}

bool plan_is_on(const struct sched *s, const struct live *l, const struct placement *p)
{
    uint32_t plan = l->hold[HOLD_PLAN];
    return plan != ORDERED_NONE && s->timeline->hold[plan].p == p;
}
