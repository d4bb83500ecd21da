/* livelock.c - see livelock.h. */
#include "sim/engine/livelock.h"
#include "sim/capacity/headroom.h"
#include "sim/engine/leaving.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/waiting.h"

enum { FRUITLESS_MOST = 20000, FRUITLESS_PER_JOB = 100 };

struct livelock {
    int64_t advanced_ns;            /* when a job last advanced */
    uint64_t fruitless_passes;    /* since then, passes that started or stopped something */
};

void livelock_begin(struct sched *s)
{
    s->livelock = arena_alloc(s->memory, sizeof *s->livelock);
}

void livelock_advanced(struct sched *s)
{
    s->livelock->fruitless_passes = 0;
    s->livelock->advanced_ns = s->now_ns;
}

void livelock_settled(struct sched *s, struct live *l)
{
    if (l->progress.left_ns >= l->least_left_ns)
        return;
    l->least_left_ns = l->progress.left_ns;
    livelock_advanced(s);
}

static bool advances(const struct sched *s, const struct live *l)
{
    return l->last_start_ns <= s->livelock->advanced_ns || l->begin_left_ns - job_done_ns(s, l) < l->least_left_ns;
}

int livelock_check(struct sched *s, struct error *err)
{
    uint64_t most = s->setup.fruitless_most ? s->setup.fruitless_most : FRUITLESS_MOST;
    if (++s->livelock->fruitless_passes <= most + FRUITLESS_PER_JOB * (uint64_t)s->ledger.in_system)
        return 0;
    for (job_id j = 0; j < s->n_jobs; j++)
        if (s->job[j].state == JOB_RUNNING && advances(s, live_of(s, j))) {
            livelock_advanced(s);
            return 0;
        }
    return error_set(err,
                     "policy %s is in a livelock at %.9g s: since %.9g s its passes have started and stopped jobs %llu times, and "
                     "none has come further than before: jobs lose at a stop (preemption: checkpoint, interval_s, restart_s) all "
                     "that they do until the next, or gangs are given up before they are complete",
                     s->force->policy->name, seconds(s->now_ns), seconds(s->livelock->advanced_ns),
                     (unsigned long long)s->livelock->fruitless_passes);
}

/* ---- Stalls ---- */

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
    for (size_t i = 0; l->now.held && i < l->now.held->n; i++)
        held += l->now.held->piece[i].task - run->first_task < run->tasks;
    return held == run->tasks;
}

static bool total_fits(const struct sched *s, const struct request *ask, node_id n)
{
    const struct piece all = { .node = n, .gpus = ask->gpus, .milli = ask->gpu_milli };
    return view_allows(s->idle, ask, n) && view_node_for(s->idle, ask, n).whole >= ask->gpus && (!s->idle->headroom || headroom_has(s->idle->headroom, &all, 0));
}

/* Would a task of that run start now, beside those that it holds? */
static bool task_of_fits(const struct sched *s, const struct live *l, const struct request *ask)
{
    struct request one = *ask;
    one.next = NULL;
    one.tasks = ask->tasks == SPLIT_ANY ? SPLIT_ANY : 1;
    if (request_over_limit(s, &one))
        return false;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (ask->tasks == SPLIT_ANY ? total_fits(s, ask, n)
                                    : view_fits(s->idle, ask, n) && may_hold_more_on(ask, l->now.held, n))
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

/* Some job waits for what never comes, so that those behind it in its line do, too. */
static bool head_may_wait(const struct sched *s)
{
    for (job_id j = 0; j < s->n_jobs; j++) {
        const struct live *l = s->job[j].state == JOB_PENDING ? live_of(s, j) : NULL;
        if (l && may_wait_for_ever(wait_reason_now(s, l)))
            return true;
    }
    return false;
}

static bool any_gathers(const struct sched *s)
{
    for (job_id j = 0; j < s->n_jobs; j++)
        if (s->job[j].state == JOB_GATHERING)
            return true;
    return false;
}

/* Groups, or tasks that differ, find none by the policy's own rules, whatever the placer says. */
static bool no_place_by_rules(const struct sched *s, const struct request *ask,
                              enum wait_reason why)
{
    return s->force->needs & PLACES_GROUPS && group_places_wanted(s, ask) &&
           (why == WAIT_TOPOLOGY || why == WAIT_FRAGMENTED);
}

/* Its pods want to be beside others, or away from them, which stay where they are. */
static bool pods_bar(const struct sched *s, const struct request *ask, enum wait_reason why)
{
    return s->force->policy->reads & READS_PODS && pods_of_shape(s, ask->shape) && why == WAIT_TOPOLOGY;
}

/* Nothing will ever happen again. That is right if the wait reasons say so, or if incomplete gangs hold what all jobs lack; else
 * the policy has forgotten a job. */
int stall_check(struct sched *s, struct error *err)
{
    bool deadlock = any_gathers(s), behind = head_may_wait(s);
    shape_id last_shape = ID_NONE;
    jobs_enter_held(s);
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
        bool waits = may_wait_for_ever(why) || (behind && why == WAIT_ORDER) ||
                     no_place_by_rules(s, ask, why) || pods_bar(s, ask, why);
        if (state != JOB_PENDING || !(waits || too_wide || (deadlock && !fits)))
            return error_set(err, "policy %s stalls: job %s is %s (%s) at %.9g s, and nothing will ever happen again",
                             s->force->policy->name, s->workload->truth[j].name, life_state_name(s->job[j].state),
                             wait_reason_name[why], seconds(s->now_ns));
        s->totals.never_started++;
    }
    return 0;
}
