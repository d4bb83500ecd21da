/* jobs.c - see jobs.h. */
#include "sim/engine/jobs.h"
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/base/wide.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/intervals.h"
#include "sim/engine/livelock.h"
#include "sim/engine/models.h"
#include "sim/engine/notices.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/waiting.h"
#include "sim/workload/early.h"

#include <stdlib.h>
#include <string.h>

struct jobs {
    size_t live_capacity, own_capacity;
    uint32_t *free;               /* slots of s->live */
    size_t n_free, free_capacity;
    const char **refusal;         /* [n_jobs] made with the first refusal */
    uint16_t *open;               /* [blocks of observer.final_block] jobs that are not final yet; NULL: nobody is told */
    job_id final;                 /* all below it are */
    uint32_t largest_node;        /* its GPUs */
};

/* ---- Jobs of which nothing changes any more ---- */

static job_id final_block_end(const struct sched *s, job_id first)
{
    job_id block = s->setup.observer.final_block;
    return s->n_jobs - first < block ? s->n_jobs : first + block;
}

static void begin_final(struct sched *s)
{
    job_id block = s->setup.observer.final_block;
    s->jobs->open = mem_new(s->n_jobs / block + (size_t)1, sizeof *s->jobs->open);
    for (job_id first = 0; first < s->n_jobs; first = final_block_end(s, first))
        s->jobs->open[first / block] = (uint16_t)(final_block_end(s, first) - first);
}

/* Jobs on demand may come again. Others have gone for good. */
static void is_final(struct sched *s, job_id j)
{
    struct jobs *jobs = s->jobs;
    job_id block = s->setup.observer.final_block, was = jobs->final;
    if (on_demand(s, j) || --jobs->open[j / block] > 0)
        return;
    while (jobs->final < s->n_jobs && !jobs->open[jobs->final / block])
        jobs->final = final_block_end(s, jobs->final);
    if (jobs->final != was)
        s->setup.observer.final(s->setup.observer.self, jobs->final);
}

void jobs_begin(struct sched *s)
{
    s->jobs = arena_alloc(s->memory, sizeof *s->jobs);
    s->job = bulk_resize(NULL, s->n_jobs, sizeof *s->job, workload_resident(s->workload, sizeof *s->job));
    if (s->setup.early)
        early_table(s->setup.early, s->job, sizeof *s->job);
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        uint32_t gpus = cluster_node_gpus(s->cluster, n);
        s->jobs->largest_node = gpus > s->jobs->largest_node ? gpus : s->jobs->largest_node;
    }
    if (s->setup.observer.final)
        begin_final(s);
    if (s->all_needs & (STARTS_PARTIAL | RESIZES) || s->workload->n_running)
        s->gpu_time = arena_alloc(s->memory, s->n_jobs * sizeof *s->gpu_time);
}

void jobs_turn(struct sched *s, job_id j)
{
    if (!s->setup.early)
        bulk_ahead(s->job, j, JOBS_TURN, sizeof *s->job);
    if (j > WORKLOAD_STILL_USED)
        bulk_filled_to(s->job, j - WORKLOAD_STILL_USED, sizeof *s->job);
}

void jobs_end(struct sched *s)
{
    if (s->setup.early)
        early_table(s->setup.early, NULL, 0);
    bulk_free(s->job);
    stable_free(&s->costs);
    wide_free(s->live, s->jobs->live_capacity, sizeof *s->live);
    wide_free(s->own, s->jobs->own_capacity, sizeof *s->own);
    free(s->jobs->free);
    free(s->jobs->open);
}

size_t live_slots(const struct sched *s)
{
    return s->jobs->live_capacity;
}

size_t jobs_in_slots(const struct sched *s)
{
    return s->n_live - s->jobs->n_free;
}

const char *job_refusal(const struct sched *s, job_id j)
{
    return s->job[j].state == JOB_GONE && !outcome_was_served(s->job[j].outcome) ? s->jobs->refusal[j] : NULL;
}

/* ---- Coming and going ---- */

static uint32_t live_slot(struct sched *s)
{
    if (s->jobs->n_free)
        return s->jobs->free[--s->jobs->n_free];
    wide_grow(&s->live, &s->jobs->live_capacity, s->n_live, sizeof *s->live);
    wide_grow(&s->own, &s->jobs->own_capacity, s->n_live, sizeof *s->own);
    s->live[s->n_live] = (struct live){ .pace = pace_neutral };
    s->own[s->n_live] = s->own_size ? arena_alloc(s->memory, s->own_size) : NULL;
    return (uint32_t)s->n_live++;
}

/* Predicted, but never more than what was submitted. */
static int64_t estimate_at_arrival(const struct sched *s, job_id j)
{
    int64_t submitted_ns = s->workload->truth[j].estimate_ns;
    if (!s->predictor)
        return submitted_ns;
    int64_t ns = predictor_ask(s->predictor, s->workload->facts[j].user, request_gpu_milli(ask_of(s, j)));
    return ns < submitted_ns ? ns : submitted_ns;
}

void on_demand_enters(struct sched *s, struct live *l)
{
    struct job_run *run = &s->job[l->job];
    l->progress.left_ns = l->least_left_ns = ENDLESS_NS;
    for (unsigned r = 0; r < WAIT_REASONS; r++)
        l->wait[r] = wait_so_far(l, r);
    wait_parts(s, run, l->wait);
    l->waited = (1u << WAIT_REASONS) - 1;
    run->waits = 0;               /* until it goes again */
}

/* 1 + the flavor in which it counts first: that of its first node, if it runs already; 0: none */
static uint8_t first_flavor(const struct sched *s, job_id j)
{
    const struct job_facts *facts = &s->workload->facts[j];
    const struct queue_facts *f = &s->cluster->queue[facts->queue];
    if (!s->cluster->n_flavors || !f->n_flavor_quotas)
        return 0;
    const struct job_running *ran = running_of(s, j);
    for (uint32_t i = 0; ran && ran->n && i < f->n_flavor_quotas; i++)
        if (cluster_node_has_flavor(s->cluster, ran->on[0].node, f->flavor_quota[i].flavor))
            return (uint8_t)(f->flavor_quota[i].flavor + 1);
    for (uint32_t i = 0; i < f->n_flavor_quotas; i++)
        if (flavor_holds(s, f->flavor_quota[i].flavor, j))
            return (uint8_t)(f->flavor_quota[i].flavor + 1);
    return 0;
}

const struct job_run job_run_begun = { .start_ns = -1, .end_ns = -1, .contending_ns = -1, .distance = UINT8_MAX };

struct live *job_enter(struct sched *s, job_id j)
{
    uint32_t slot = live_slot(s);
    struct live *l = &s->live[slot];
    memset(l, 0, s->n_models ? LIVE_MODELS : LIVE_PLAIN);
    l->job = j;
    l->flavor = first_flavor(s, j);
    l->now.stopped_for = ID_NONE;
    l->entry = l->wait_sub = ID_NONE;
    l->last_start_ns = -1;
    memset(l->hold, 0xff, sizeof l->hold);                   /* ORDERED_NONE */
    if (s->own[slot])
        memset(s->own[slot], 0, s->own_size);
    l->progress.left_ns = l->least_left_ns = s->workload->truth[j].duration_ns;
    if (s->now_ns > s->workload->facts[j].submit_ns)
        wait_add(l, WAIT_DEPENDENCY, s->now_ns - s->workload->facts[j].submit_ns);
    if (on_demand(s, j))
        on_demand_enters(s, l);
    l->estimate_ns = estimate_at_arrival(s, j);
    timeline_arrived(s, l);
    l->contending_before = s->totals.contending;
    if (s->job[j].state == JOB_ABSENT)    /* else it comes again, on demand */
        s->job[j] = job_run_begun;
    s->job[j].not_slot = ~slot;
    s->n_submitted++;
    books_present(s, j, 1);
    run_changed(s);
    state_set(s, j, JOB_PENDING);
    livelock_advanced(s);
    return l;
}

void job_arrive(struct sched *s, job_id j)
{
    wait_begin_pending(s, job_enter(s, j));
    decision_log(s, j, "arrival", "", "");
    const char *never = placing_never_job(s, j);
    books_pending(s, j, request_amount(ask_of(s, j)), 1);
    if (never) {
        state_set(s, j, JOB_GONE);
        job_rejected(s, j, never);
    } else {
        notice_add(s, NOTICE_ARRIVED, j, 0);
    }
}

/* It waits, and goes without having been served. */
static void goes_unserved(struct sched *s, job_id j, enum job_outcome outcome, const char *reason)
{
    if (!s->jobs->refusal)
        s->jobs->refusal = arena_alloc(s->memory, s->n_jobs * sizeof *s->jobs->refusal);
    s->jobs->refusal[j] = reason;
    s->job[j].outcome = (uint8_t)outcome;
    s->job[j].end_ns = s->now_ns;
    books_present(s, j, -1);
    dependencies_ended(s, j);
    books_pending(s, j, request_amount(ask_of(s, j)), -1);
    wait_end(s, live_of(s, j));
    if (outcome == OUTCOME_REJECTED)
        decision_log(s, j, "decision", "refuse", reason);
    else
        decision_log(s, j, "end", "cancelled", reason);
    job_retire(s, j);
}

void job_rejected(struct sched *s, job_id j, const char *reason)
{
    s->totals.rejected++;
    goes_unserved(s, j, OUTCOME_REJECTED, reason);
    if (on_demand(s, j))
        models_gone(s, j);
}

void job_unmet(struct sched *s, job_id j, const char *reason)
{
    wait_begin(s, job_enter(s, j), WAIT_DEPENDENCY);
    books_pending(s, j, request_amount(ask_of(s, j)), 1);
    state_set(s, j, JOB_GONE);
    s->totals.cancelled++;
    s->totals.unmet++;
    goes_unserved(s, j, OUTCOME_UNMET, reason);
}

/* It was spread over several nodes when it last ran, though one would have been enough. */
static void count_scattered(struct sched *s, job_id j)
{
    const struct request *ask = ask_of(s, j);
    uint8_t distance = s->job[j].distance;
    bool scattered = distance >= SAME_RACK && distance != UINT8_MAX && ask->tasks == SPLIT_ANY && ask->gpus <= s->jobs->largest_node;
    if (!scattered || on_demand(s, j) || s->workload->facts[j].sizing)
        return;
    if (!s->totals.scattered++ || j < s->totals.first_scattered)
        s->totals.first_scattered = j;
}

void job_retire(struct sched *s, job_id j)
{
    struct live *l = live_of(s, j);
    lines_forget(s, j);
    timeline_forget(s, l);
    ledger_gone(s, j, wait_store(s, j, l));
    count_scattered(s, j);
    mem_grow(&s->jobs->free, &s->jobs->free_capacity, s->jobs->n_free, sizeof *s->jobs->free);
    s->jobs->free[s->jobs->n_free++] = job_slot(s, j);
    s->job[j].not_slot = 0;
    livelock_advanced(s);
    if (s->jobs->open)
        is_final(s, j);
}

/* ---- Ends ---- */

/* How it ends, as the trace says. */
static const struct ending { enum job_outcome outcome; enum stop_cause cause; const char *why; } endings[] = {
    [FATE_COMPLETED] = { OUTCOME_COMPLETED, STOPPED_DONE, "done" },
    [FATE_FAILED] = { OUTCOME_FAILED, STOPPED_FAILED, "failed" },
    [FATE_CANCELLED] = { OUTCOME_CANCELLED, STOPPED_CANCELLED, "cancelled" },
};

const char *job_ending(const struct sched *s, job_id j)
{
    return endings[s->workload->truth[j].fate].why;
}

void job_is_over(struct sched *s, struct live *l, unsigned fate)
{
    job_id j = l->job;
    state_set(s, j, JOB_GONE);
    s->job[j].outcome = (uint8_t)endings[fate].outcome;
    s->job[j].end_ns = s->now_ns;
    *(fate == FATE_COMPLETED ? &s->totals.completed : fate == FATE_FAILED ? &s->totals.failed : &s->totals.cancelled) += 1;
    dependencies_ended(s, j);
    if (s->setup.part.ended)
        s->setup.part.ended(s->setup.part.self, j, s->job[j].run_ns);
    if (!on_demand(s, j))
        s->job[j].contending_ns = books_contending_ns(s, l);
    books_present(s, j, -1);
    if (s->predictor && l->progress.left_ns == 0)
        predictor_ended(s->predictor, s->workload->facts[j].user, request_gpu_milli(ask_of(s, j)),
                        s->workload->truth[j].duration_ns);
    decision_log(s, j, "end", endings[fate].why, "");
    if (on_demand(s, j))
        models_gone(s, j);
}

/* It stops running for good. */
static void runs_no_more(struct sched *s, struct live *l, unsigned fate, const char *why)
{
    job_id j = l->job;
    struct placement *p = l->now.held;
    run_changed(s);
    timeline_left(s, l, HOLD_RUN);
    job_halt(s, l, p);
    l->now.held = NULL;
    placement_give(s->idle, ask_of(s, j), p);
    if (s->releasing)
        placement_give(s->releasing, ask_of(s, j), p);
    const struct request *ask = ask_of(s, j);
    struct amount held = placement_amount(ask, p);
    books_held(s, j, held, -1);
    if (tasks_missing(s, j, p))
        books_pending(s, j, amount_less(request_amount(ask), held), -1);
    interval_close(s, l, p, l->held_since_ns, why);
    job_is_over(s, l, fate);
    notice_add(s, NOTICE_STOPPED, j, endings[fate].cause);
}

void job_end(struct sched *s, job_id j)
{
    unsigned fate = s->workload->truth[j].fate;
    runs_no_more(s, live_of(s, j), fate, endings[fate].why);
    MUST(s, live_of(s, j)->progress.left_ns == 0);
    pace_check_work(s, live_of(s, j));
}

void job_finishes(struct sched *s, job_id j, unsigned fate, const char *why)
{
    runs_no_more(s, live_of(s, j), fate, why);
}

void job_fails(struct sched *s, job_id j, const char *why)
{
    decision_log(s, j, "stop", why, "");
    job_finishes(s, j, FATE_FAILED, endings[FATE_FAILED].why);
}

void on_demand_is_over(struct sched *s, struct live *l)
{
    job_id j = l->job;
    if (l->counting)
        wait_end(s, l);
    if (l->suspended) {
        memory_give(s->idle, ask_of(s, j), l->suspended);
        if (s->releasing)
            memory_give(s->releasing, ask_of(s, j), l->suspended);
        view_freed(s);
        suspend_forgets(s, l);
    }
    books_pending(s, j, request_amount(ask_of(s, j)), -1);
    job_is_over(s, l, l->withdrawn_as);
    notice_add(s, NOTICE_WITHDRAWN, j, 0);
}

/* ---- Notices ---- */

static void give_all(struct sched *s)
{
    const struct policy *p = s->force->policy;
    struct notice_of n;
    for (size_t i = 0; notice_next(s, &i, &n);) {
        job_id j = n.job;
        switch (n.kind) {
        case NOTICE_ARRIVED:
            if (p->job_arrived)
                p->job_arrived(s, s->force->params, s->force->state, j);
            break;
        case NOTICE_STARTED:
            if (p->job_started)
                p->job_started(s, s->force->params, s->force->state, j);
            break;
        case NOTICE_NODE:
            if (p->node_changed)
                p->node_changed(s, s->force->params, s->force->state, j);
            break;
        case NOTICE_WITHDRAWN:
            if (p->job_withdrawn)
                p->job_withdrawn(s, s->force->params, s->force->state, j);
            job_retire(s, j);
            break;
        case NOTICE_STOPPED:
            if (p->job_stopped)
                p->job_stopped(s, s->force->params, s->force->state, j, n.why);
            if (s->job[j].state == JOB_GONE && !live_of(s, j)->withdrawn)    /* else its other notice follows */
                job_retire(s, j);
            break;
        }
    }
    notices_forget(s);
}

void notices_give(struct sched *s)
{
    if (s->notices->n)
        give_all(s);
}
