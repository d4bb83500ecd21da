/* switch.c - see switch.h. */
#include "sim/engine/switch.h"
#include "sim/accounting/books.h"
#include "sim/engine/jobs.h"
#include "sim/engine/leaving.h"
#include "sim/engine/livelock.h"
#include "sim/engine/nodes.h"
#include "sim/engine/notices.h"
#include "sim/engine/params.h"
#include "sim/engine/state.h"
#include "sim/engine/tasks.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/waiting.h"
#include "sim/scheduler/wakes.h"

#include <stdlib.h>
#include <string.h>

struct policies {
    struct policy_instance *instance;    /* [1 + setup.n_switches] */
    uint64_t n_switched;          /* times that another took over */
};

static unsigned needs_of(const struct policy *p, const void *params)
{
    return p->needs | (p->also_needs ? p->also_needs(params) : 0);
}

/* ---- Which go together ---- */

static const struct { unsigned one, other; const char *does, *and; } exclusive[] = {
    { STARTS_PARTIAL, SEES_TIMELINE, "starts single tasks", "plans ahead" },
    { RESIZES, SEES_TIMELINE, "resizes jobs", "plans ahead" },
    { RESIZES, STARTS_PARTIAL, "resizes jobs", "starts single tasks" },
    { SUSPENDS, SEES_TIMELINE, "suspends jobs", "plans ahead" },
};

/* The first policy of the setup that has such a need; NULL: none. */
static const struct policy *first_with_need(const struct run_setup *setup, unsigned need)
{
    struct arena *scratch = arena_new();
    const struct policy *found = NULL;
    for (size_t i = 0; !found && i <= setup->n_switches; i++) {
        const struct policy *p = i ? setup->switches[i - 1].policy : setup->policy;
        const void *given = i ? setup->switches[i - 1].params : setup->policy_params;
        if (needs_of(p, params_complete(scratch, p->params, p->params_size, given)) & need)
            found = p;
    }
    arena_free(scratch);
    return found;
}

int run_check_policies(const struct run_setup *setup, struct error *err)
{
    for (size_t i = 0; i < sizeof exclusive / sizeof exclusive[0]; i++) {
        const struct policy *one = first_with_need(setup, exclusive[i].one), *other = first_with_need(setup, exclusive[i].other);
        if (one && other)
            return error_set(err, "policy %s %s and policy %s %s: want no more than one of these in a run", one->name,
                             exclusive[i].does, other->name, exclusive[i].and);
    }
    return 0;
}

/* ---- The policy in force ---- */

static struct policy_instance instance_for(struct sched *s, const struct policy_switch *w)
{
    struct policy_instance instance = { .policy = w->policy, .period_ns = w->period_ns, .time_ns = w->time_ns };
    instance.params = params_complete(s->memory, w->policy->params, w->policy->params_size, w->params);
    instance.state = arena_alloc(s->memory, w->policy->state_size + 1);
    instance.needs = needs_of(w->policy, instance.params);
    s->all_needs |= instance.needs;
    s->own_size = w->policy->job_size > s->own_size ? w->policy->job_size : s->own_size;
    return instance;
}

void policies_begin(struct sched *s)
{
    const struct run_setup *setup = &s->setup;
    const struct policy_switch first = { TIME_NEVER, setup->policy, setup->policy_params, s->cluster->period_ns };
    struct error err = { "" };
    s->policies = arena_alloc(s->memory, sizeof *s->policies);
    s->policies->instance = arena_alloc(s->memory, (1 + setup->n_switches) * sizeof *s->policies->instance);
    s->policies->instance[0] = instance_for(s, &first);
    for (size_t i = 0; i < setup->n_switches; i++)
        s->policies->instance[1 + i] = instance_for(s, &setup->switches[i]);
    s->force = &s->policies->instance[0];
    if (run_check_policies(setup, &err))
        ENGINE_BUG(s, "%s", err.text);
}

const void *run_policy_params(const struct sched *s)
{
    return s->policies->instance[0].params;
}

const void *run_switch_params(const struct sched *s, size_t i)
{
    return s->policies->instance[1 + i].params;
}

void run_switch_at(struct sched *s, size_t i, int64_t time_ns)
{
    s->policies->instance[1 + i].time_ns = time_ns;
}

static bool in_force(const struct sched *s, const struct policy_instance *instance)
{
    return instance->policy == s->force->policy && !memcmp(instance->params, s->force->params, s->force->policy->params_size);
}

/* NULL: none. Those that would change nothing are passed over. */
static struct policy_instance *next_instance(struct sched *s)
{
    for (;;) {
        struct policy_instance *next = NULL;
        for (size_t i = 1; i <= s->setup.n_switches; i++)
            if (s->policies->instance[i].time_ns != TIME_NEVER && (!next || s->policies->instance[i].time_ns < next->time_ns))
                next = &s->policies->instance[i];
        if (!next || !in_force(s, next))
            return next;
        next->time_ns = TIME_NEVER;
    }
}

int64_t switch_next_ns(struct sched *s)
{
    const struct policy_instance *next = s->setup.n_switches ? next_instance(s) : NULL;
    if (!next)
        return TIME_NEVER;
    return next->time_ns > s->now_ns ? next->time_ns : s->now_ns;
}

/* ---- The old policy's things go ---- */

static void settle_job(struct sched *s, struct live *l, bool single_tasks)
{
    lines_forget(s, l->job);
    if (s->job[l->job].state == JOB_CLAIMED)
        claim_give_back(s, l);
    if (s->job[l->job].state == JOB_GATHERING && !single_tasks) {
        tasks_scatter(s, l);
        decision_log(s, l->job, "stop", "gang", "");
    }
    if (l->suspended) {
        memory_give(s->idle, ask_of(s, l->job), l->suspended);
        if (s->releasing)
            memory_give(s->releasing, ask_of(s, l->job), l->suspended);
        suspend_dropped(s, l, PREEMPTED_POLICY, "");
    }
    if (l->counting && l->own_why != WAIT_PASS && s->job[l->job].state == JOB_PENDING)
        wait_own(s, l, WAIT_GROUP);
    if (s->own_size)
        memset(s->own[job_slot(s, l->job)], 0, s->own_size);
}

/* ---- Notices to the new policy ---- */

static void notify(struct sched *s, job_id j)
{
    enum job_state state = s->job[j].state;
    const char *never = state == JOB_PENDING ? placing_never_job(s, j) : NULL;
    if (never) {
        state_set(s, j, JOB_GONE);
        job_rejected(s, j, never);
        return;
    }
    if (state != JOB_PENDING && state != JOB_RUNNING && state != JOB_GATHERING)
        return;
    notice_add(s, NOTICE_ARRIVED, j, 0);
    if (state == JOB_RUNNING)
        notice_add(s, NOTICE_STARTED, j, 0);
}

static int by_number(const void *a, const void *b)
{
    job_id x = *(const job_id *)a, y = *(const job_id *)b;
    return (x > y) - (x < y);
}

static size_t present(const struct sched *s, job_id *list)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_live; i++)
        if (job_slot(s, s->live[i].job) == i)
            list[n++] = s->live[i].job;
    qsort(list, n, sizeof *list, by_number);
    return n;
}

void switch_policy(struct sched *s)
{
    struct policy_instance *instance = next_instance(s);
    job_id *list = mem_new(s->n_live + 1, sizeof *list);
    size_t n = present(s, list);
    for (size_t i = 0; i < n; i++)
        settle_job(s, live_of(s, list[i]), instance->needs & STARTS_PARTIAL);
    claims_settle(s);
    if (s->timeline) {
        plan_clear(s);
        timeline_overrun(s, OVERRUN_EXTEND);
    }
    wakes_forget(s);
    notices_forget(s);
    books_forget_policy(s);
    free_index_forget_changed(s->idle);
    s->force = instance;
    instance->time_ns = TIME_NEVER;
    random_init(&s->policy_random, s->setup.seed, "policy", ++s->policies->n_switched);
    livelock_advanced(s);
    decision_log(s, ID_NONE, "policy", s->force->policy->name, "");
    if (s->force->policy->begin)
        s->force->policy->begin(s, s->force->params, s->force->state);
    for (node_id k = 0; k < s->cluster->n_nodes; k++)
        if (!node_is_up(s, k))
            notice_add(s, NOTICE_NODE, k, 0);
    for (size_t i = 0; i < n; i++)
        notify(s, list[i]);
    free(list);
    notices_give(s);
    run_changed(s);
}
