/* engine.c - the loop: pop, apply, notify, ask. See architecture.md 3 and models.md 0.
 *
 *   t = earliest of: event, arrival, wake-up, pass due
 *   settle the integrals up to t; apply every event at t in its order; then one pass
 *
 * A pass that makes events at its own instant (work of no length) is followed by another round at that instant. */
#include "sim/accounting/books.h"
#include "sim/engine/dependencies.h"
#include "sim/physics/flows.h"
#include "sim/engine/host.h"
#include "sim/engine/leaving.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/livelock.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/scheduler/placing.h"
#include "sim/physics/pools.h"
#include "sim/engine/running.h"
#include "sim/engine/switch.h"
#include "sim/scheduler/transaction.h"
#include "sim/scheduler/waiting.h"
#include "sim/capacity/headroom.h"

#include <string.h>

enum {
    ROUNDS_MOST = 1000000,         /* at one instant, beyond one per job */
    FRUITLESS_WAKES_MOST = 1000,   /* passes that change nothing when nothing else can happen any more */
    WAKES_MOST = 1000000,
    GLANCE_EVERY = 4096,           /* rounds between looks at the clock of the progress bar */
    CACHE_LINE = 64                /* bytes; a guess does no harm */
};

/* ---- Wake-ups: a set of times, the earliest last ---- */

static size_t wake_place(const struct sched *s, int64_t time_ns)
{
    size_t low = 0, high = s->n_wakes;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->wake[middle] > time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum sched_result sched_wake_at(struct sched *s, int64_t time_ns)
{
    if (time_ns <= s->now_ns || time_ns == TIME_NEVER || s->n_wakes >= WAKES_MOST) {
        s->totals.refused[SCHED_TOO_OFTEN]++;
        return SCHED_TOO_OFTEN;
    }
    size_t at = wake_place(s, time_ns);
    if (at < s->n_wakes && s->wake[at] == time_ns)
        return SCHED_OK;
    mem_grow(&s->wake, &s->wake_capacity, s->n_wakes, sizeof *s->wake);
    memmove(&s->wake[at + 1], &s->wake[at], (s->n_wakes - at) * sizeof *s->wake);
    s->wake[at] = time_ns;
    s->n_wakes++;
    struct undo *u = undo_add(s, UNDO_WAKE, ID_NONE);
    if (u)
        u->u.time_ns = time_ns;
    return SCHED_OK;
}

bool wake_cancel(struct sched *s, int64_t time_ns)
{
    size_t at = wake_place(s, time_ns);
    if (at >= s->n_wakes || s->wake[at] != time_ns)
        return false;
    memmove(&s->wake[at], &s->wake[at + 1], (s->n_wakes - at - 1) * sizeof *s->wake);
    s->n_wakes--;
    return true;
}

/* ---- One instant ---- */

static int64_t next_arrival_ns(const struct sched *s)
{
    return s->next_arrival < s->workload->n_jobs ? s->workload->facts[s->next_arrival].submit_ns : TIME_NEVER;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_instant_ns(struct sched *s)
{
    struct event e;
    int64_t t = earlier(next_arrival_ns(s), s->pass_due_ns);
    if (event_queue_peek(s->events, &e))
        t = earlier(t, e.time_ns);
    t = earlier(t, switch_next_ns(s));
    return s->n_wakes ? earlier(t, s->wake[s->n_wakes - 1]) : t;
}

static void apply(struct sched *s, const struct event *e)
{
    s->totals.events++;
    switch (e->kind) {
    case EVENT_JOB_END:
        s->changed = true;
        job_end(s, e->subject);
        break;
    case EVENT_RELEASED:
        s->changed = true;
        job_released(s, e->subject);
        break;
    case EVENT_PROGRESS:
        job_progressing(s, e->subject);
        break;
    case EVENT_FLOW:
        flow_over(s, e->subject);
        break;
    default:
        MUST(s, models_happens(s, e));
    }
    notices_give(s);
}

static void fetch_lines(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch((const char *)at + i);
}

/* Of tens of thousands of running jobs the one that ends next was last looked at when it started, and is in no near cache any
 * more. So while this event is dealt with, what the next will look at is fetched, in two steps, as where a job is kept is itself
 * told by a line that has to be fetched. Without this nothing is different but the time it takes. */
static void fetch_ahead(const struct sched *s)
{
    struct event e;
    for (size_t i = 0; event_queue_hint(s->events, i, &e); i++)
        if (e.kind == EVENT_JOB_END) {
            __builtin_prefetch(&s->job[e.subject]);
            __builtin_prefetch(&s->workload->facts[e.subject]);
            __builtin_prefetch(&s->workload->truth[e.subject]);
        }
    if (event_queue_peek(s->events, &e) && e.kind == EVENT_JOB_END)
        fetch_lines(live_of(s, e.subject), offsetof(struct live, split));
}

static int arrive(struct sched *s, job_id j, struct error *err)
{
    if (s->workload->truth[j].running)
        return running_arrive(s, j, err);
    if (!dependencies_hold(s, j))
        job_arrive(s, j);
    return 0;
}

static int apply_all(struct sched *s, struct error *err)
{
    struct event e;
    while (event_queue_peek(s->events, &e) && e.time_ns == s->now_ns) {
        event_queue_pop(s->events, &e);
        fetch_ahead(s);
        apply(s, &e);
    }
    for (; next_arrival_ns(s) == s->now_ns; s->next_arrival++) {
        if (s->setup.part.takes && !run_takes(s, s->next_arrival))
            continue;
        s->totals.events++;
        if (arrive(s, s->next_arrival, err))
            return RUN_BAD_INPUT;
        notices_give(s);
    }
    (void)dependencies_arrive(s); /* s->changed says it */
    if (s->n_wakes && s->wake[s->n_wakes - 1] == s->now_ns) {
        s->totals.events++;
        s->n_wakes--;
        s->changed = true;
    }
    if (switch_next_ns(s) == s->now_ns)
        switch_policy(s);
    return 0;
}

static int64_t on_grid(const struct sched *s, int64_t t)
{
    int64_t period = s->period_ns;
    return period ? (t + period - 1) / period * period : t;
}

static void check_indexes(const struct sched *s)
{
    MUST(s, free_index_consistent(s->idle));
    MUST(s, !s->room || free_index_consistent(s->room));
    MUST(s, nodes_consistent(s));
}

static void instant_ends(struct sched *s)
{
    if (s->setup.check)
        check_indexes(s);
    if (s->setup.observer.instant)
        s->setup.observer.instant(s->setup.observer.self, s);
    for (size_t i = 0; i < s->n_changed_queues; i++)
        s->books[s->changed_queue[i]].changed = false;
    s->n_changed_queues = 0;
}

/* ---- The end ---- */

static bool may_wait_for_ever(enum wait_reason why)
{
    return why == WAIT_LIMIT || why == WAIT_QUOTA || why == WAIT_DEPENDENCY;
}

static bool may_hold_more_on(const struct request *ask, const struct placement *held, node_id n)
{
    uint32_t on = 0;
    for (size_t i = 0; held && i < held->n; i++)
        on += held->piece[i].node == n;
    return !ask->max_per_node || on < ask->max_per_node;
}

static bool holds_all_of(const struct live *l, const struct request *run)
{
    uint32_t held = 0;
    for (size_t i = 0; l->held && i < l->held->n; i++)
        held += l->held->piece[i].task - run->first_task < run->tasks;
    return held == run->tasks;
}

static bool total_fits(const struct sched *s, const struct request *ask, node_id n)
{
    const struct piece all = { .node = n, .gpus = ask->gpus, .milli = ask->gpu_milli };
    return view_node_for(s->idle, ask, n).whole >= ask->gpus && (!s->idle->headroom || headroom_has(s->idle->headroom, &all, 0));
}

/* Would a task of that run start now, beside those that it holds? */
static bool task_of_fits(const struct sched *s, const struct live *l, const struct request *ask)
{
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (ask->tasks == SPLIT_ANY ? total_fits(s, ask, n)
                                    : view_fits(s->idle, ask, n) && may_hold_more_on(ask, l->held, n))
            return true;
    return false;
}

static bool task_fits(const struct sched *s, const struct live *l)
{
    for (const struct request *run = ask_of(s, l->job); run; run = run->next)
        if (!holds_all_of(l, run) && task_of_fits(s, l, run))
            return true;
    return false;
}

static bool anyone_gathers(const struct sched *s)
{
    for (job_id j = 0; j < s->n_jobs; j++)
        if (s->job[j].state == JOB_GATHERING)
            return true;
    return false;
}

/* Nothing will ever happen again. Fine if the reasons say so, or if incomplete gangs hold what everybody lacks; else the
 * policy has forgotten somebody. */
static int stall_check(struct sched *s, struct error *err)
{
    bool deadlock = anyone_gathers(s);
    shape_id last_shape = ID_NONE;
    (void)dependencies_enter(s);
    for (job_id j = 0; j < s->n_jobs; j++) {
        const struct live *l = live_of(s, j);
        if (!l)
            continue;
        enum wait_reason why = wait_reason_now(s, l);
        enum job_state state = s->job[j].state;
        const struct request *ask = ask_of(s, j);
        bool fits = deadlock && ask->shape != last_shape && task_fits(s, l);
        if (!fits && !ask->max_per_node)
            last_shape = ask->shape;
        if (state == JOB_GATHERING && !fits) {
            s->totals.deadlocked++;
            continue;
        }
        bool too_wide = placing_never(s, ask->shape);    /* all its tasks; with fewer it could run, and the policy waits for all */
        if (state != JOB_PENDING || !(may_wait_for_ever(why) || too_wide || (deadlock && !fits)))
            return error_set(err, "policy %s stalls: job %s is %s (%s) at %.9g s, and nothing will ever happen again",
                             s->policy->name, s->workload->truth[j].name, life_state_name(s->job[j].state),
                             wait_reason_name[why], seconds(s->now_ns));
        s->totals.never_started++;
    }
    return 0;
}

static bool world_is_over(const struct sched *s)
{
    return s->next_arrival == s->workload->n_jobs && event_queue_length(s->events) == s->background_events;
}

static bool nothing_follows(struct sched *s)
{
    return world_is_over(s) && s->pass_due_ns == TIME_NEVER && s->n_wakes == 0 && switch_next_ns(s) == TIME_NEVER;
}

static int round_of(struct sched *s, struct error *err)
{
    if (apply_all(s, err))
        return RUN_BAD_INPUT;
    if (s->changed)
        s->pass_due_ns = on_grid(s, s->now_ns);
    bool changed = s->changed, acted = false;
    s->changed = false;
    if (s->pass_due_ns == s->now_ns) {
        s->pass_due_ns = TIME_NEVER;
        acted = pass_run(s);
        s->fruitless_wakes = s->changed || !world_is_over(s) ? 0 : s->fruitless_wakes + 1;
        s->changed = false;
        if (dependencies_arrive(s)) /* a refusal let them in */
            s->pass_due_ns = on_grid(s, s->now_ns + (s->period_ns > 0));
        s->changed = false;
    }
    if (s->flows)
        flows_balance(s);
    if (changed || acted || s->shown || s->n_changed_queues)
        instant_ends(s);
    s->shown = false;
    if (s->pools)
        autoscaler_after(s, changed || acted);
    return acted ? livelock_check(s, err) : 0;
}

static bool is_interrupted(const struct sched *s)
{
    return s->setup.interrupted && atomic_load_explicit(s->setup.interrupted, memory_order_relaxed);
}

static void cut_off(struct sched *s)
{
    int64_t t = s->setup.until_ns > s->now_ns ? s->setup.until_ns : s->now_ns;
    s->totals.cut_off = true;
    ledger_settle(s, t);
    s->now_ns = t;
}

/* Nothing will ever happen again. A deadlock is held until the cut-off, so that what it wastes is counted. */
static int stand_still(struct sched *s, struct error *err)
{
    if (stall_check(s, err))
        return -1;
    if (s->totals.deadlocked && s->setup.until_ns)
        cut_off(s);
    return 0;
}

/* All that happens before that time; TIME_NEVER: to the end of the run, and what that is. */
static int play(struct sched *s, int64_t before_ns, struct error *err)
{
    while (s->in_system > 0 || s->next_arrival < s->workload->n_jobs || s->n_open > 0 || s->idles) {
        int64_t t = next_instant_ns(s);
        bool stands = t == TIME_NEVER || (!s->idles && (nothing_follows(s) || s->fruitless_wakes > FRUITLESS_WAKES_MOST));
        bool beyond = s->setup.until_ns && t > s->setup.until_ns;
        if (before_ns != TIME_NEVER && (stands || beyond || t >= before_ns))
            return 0;
        if (stands)
            return stand_still(s, err);
        if (beyond) {
            cut_off(s);
            return 0;
        }
        s->rounds_here = t == s->now_ns ? s->rounds_here + 1 : 0;
        if (s->rounds_here > ROUNDS_MOST + (uint64_t)s->n_jobs)
            return error_set(err, "policy %s does not let time pass at %.9g s", s->policy->name, seconds(t));
        ledger_settle(s, t);
        s->now_ns = t;
        int result = round_of(s, err);
        if (result)
            return result;
        if (is_interrupted(s))
            return error_set(err, "interrupted");
        if (++s->rounds % GLANCE_EVERY == 0 && s->setup.progress)
            s->setup.progress(s->setup.progress_self, s);
    }
    return 0;
}

int run_until(struct sched *s, int64_t time_ns, struct error *err)
{
    if (!s->begun && s->policy->begin)
        s->policy->begin(s, s->policy_params, s->policy_state);
    s->begun = true;
    return play(s, time_ns, err);
}

int run_end(struct sched *s, int64_t end_ns, struct error *err)
{
    int result = 0;
    if (end_ns > s->now_ns) {
        s->idles = true;
        result = run_until(s, end_ns + 1, err);
        ledger_settle(s, end_ns);
        s->now_ns = end_ns;
    }
    if (result)
        return result;
    jobs_cut_off(s);
    quotas_end(s);
    models_end(s);
    s->totals.last_ns = s->now_ns;
    instant_ends(s);
    return ledger_check(s, err);
}

int run_execute(struct sched *s, struct error *err)
{
    int result = run_until(s, TIME_NEVER, err);
    return result ? result : run_end(s, s->now_ns, err);
}
