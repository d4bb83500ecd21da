/* leaving.c - see leaving.h. */
#include "sim/engine/leaving.h"
#include "sim/accounting/books.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/intervals.h"
#include "sim/engine/jobs.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/engine/notices.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/engine/tasks.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/waiting.h"

#include <stdlib.h>

/* ---- Claims ---- */

struct claims {
    uint32_t *live;               /* slots of jobs, in the order of claiming; some may claim no more */
    size_t n, capacity;
};

void claims_begin(struct sched *s)
{
    s->claims = arena_alloc(s->memory, sizeof *s->claims);
}

void claims_end(struct sched *s)
{
    free(s->claims->live);
}

void claim_begin(struct sched *s, struct live *l)
{
    if (!l->claimed) {
        struct claims *c = s->claims;
        mem_grow(&c->live, &c->capacity, c->n, sizeof *c->live);
        c->live[c->n++] = job_slot(s, l->job);
        l->claimed = true;
    }
    l->held_since_ns = s->now_ns;
    if (l->counting)
        wait_own(s, l, WAIT_RELEASING);
    else if (!l->leaving)
        wait_begin(s, l, WAIT_RELEASING);
    decision_log(s, l->job, "decision", "claim", "");
}

void claim_give_back(struct sched *s, struct live *l)
{
    job_id j = l->job;
    struct placement *p = l->now.held;
    timeline_left(s, l, HOLD_RUN);
    l->now.held = NULL;
    placement_give(s->idle, ask_of(s, j), p);
    if (s->releasing)
        placement_give(s->releasing, ask_of(s, j), p);
    books_given_up(s, l, p);
    nodes_held_changed(s, p);
    placement_drop(s, p);
    state_set(s, j, l->leaving ? JOB_RELEASING : JOB_PENDING);
    decision_log(s, j, "decision", "unclaim", "");
    if (!l->leaving)
        wait_own(s, l, WAIT_GROUP);                  /* else it moves, and is still on its old pieces */
}

static bool settled(const struct sched *s, const struct live *l)
{
    if (l->leaving)
        return false;
    for (size_t i = 0; i < l->now.held->n; i++)
        if (!free_index_settled(s->idle, &l->now.held->piece[i]))
            return false;
    return true;
}

void claims_settle(struct sched *s)
{
    struct claims *c = s->claims;
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct live *l = &s->live[c->live[i]];
        bool claims = s->job[l->job].state == JOB_CLAIMED;
        if (claims && !settled(s, l)) {
            c->live[kept++] = c->live[i];
            continue;
        }
        l->claimed = false;
        if (claims) {
            state_set(s, l->job, JOB_RUNNING);
            job_begin(s, l);
        }
    }
    c->n = kept;
}

/* ---- Leaving ---- */

bool job_requeues(struct sched *s, struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    bool may = !p->most_stops || l->requeues + 1 < p->most_stops;
    l->requeues += may;
    s->totals.not_requeued += !may;
    return may;
}

void job_leave(struct sched *s, struct live *l, bool moves)
{
    job_id j = l->job;
    struct stop_overhead overhead = pace_stop(s, l, l->now.stop_mode, l->stop_done_ns);
    bool at_risk = models_save_at_risk(s, l);
    if (at_risk)
        overhead = (struct stop_overhead){ job_overhead(s, j)->grace_ns, 0 };
    job_halt(s, l, l->was.held);
    job_loses(s, l, l->stop_done_ns, overhead.lost_ns);
    l->split[ACCOUNT_SAVE] = overhead.stay_ns;
    bool stands = l->now.stop_mode == STOP_SUSPEND;
    l->cancelled = l->now.stop_mode == STOP_CANCEL;
    unsigned cause = books_cause(s, l, moves ? PREEMPTED_MOVE : PREEMPTED_POLICY);
    l->given_up = !moves && !l->now.anew && !stands && !l->cancelled && !job_requeues(s, l);
    if (!l->cancelled)
        books_preempted(s, j, cause);
    books_lost(s, j, cause, l->was.held, l->split[ACCOUNT_LOST]);
    l->leave_why = moves || l->now.anew ? "moved" : stands ? "suspended" : l->cancelled ? "cancelled" : "preempted";
    stop_log(s, l, l->leave_why);
    notice_add(s, NOTICE_STOPPED, j, l->cancelled  ? STOPPED_CANCELLED
                                 : l->given_up ? STOPPED_FAILED
                                               : STOPPED_BY_POLICY);
    if (stands)
        suspend_begins(s, l, l->was.held);
    job_departs(s, l, l->was.held, &overhead, at_risk, cause, moves);
}

/* It is cancelled, has failed too often, or may not be requeued again: it is over. */
static bool leaves_for_good(struct sched *s, struct live *l)
{
    if (!l->cancelled && !l->given_up)
        return false;
    books_pending(s, l->job, request_amount(ask_of(s, l->job)), -1);
    job_is_over(s, l, l->cancelled ? FATE_CANCELLED : FATE_FAILED);
    return true;
}

void job_note_unsaved(struct sched *s, struct live *l, const struct stop_overhead *overhead)
{
    bool saves = l->now.stop_mode == STOP_SAVE && overhead->lost_ns == 0;
    l->unsaved_ns = saves ? pace_stop(s, l, STOP_RESTART, l->stop_done_ns).lost_ns : 0;
    l->unsaved_wall_ns = saves ? pace_lost_wall_ns(s, l, l->stop_done_ns, l->unsaved_ns) : 0;
}

void job_departs(struct sched *s, struct live *l, struct placement *p, const struct stop_overhead *overhead, bool at_risk, unsigned cause, bool moves)
{
    job_id j = l->job;
    if (overhead->stay_ns > 0) {
        l->leaving = p;
        l->leaving_since_ns = l->held_since_ns;
        l->release_event = event_queue_push(s->events, (struct event){ s->now_ns + overhead->stay_ns, EVENT_RELEASED, j });
        l->writing.cause = (uint8_t)cause;
        if (s->n_models)
            job_note_unsaved(s, l, overhead);
        models_save_begins(s, l, overhead, at_risk);
        return;
    }
    interval_close(s, l, p, l->held_since_ns, l->leave_why);
    if (!leaves_for_good(s, l) && !moves) {
        state_set(s, j, JOB_PENDING);
        wait_begin_pending(s, l);
        notice_add(s, NOTICE_ARRIVED, j, 0);
    }
}

/* It has left when it was done, or when its grace was over. */
static void saving_ends(struct sched *s, struct live *l, const struct placement *p)
{
    l->split[ACCOUNT_SAVE] = s->now_ns - l->leaving_since_ns;
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        l->split[ACCOUNT_SAVE] -= a == ACCOUNT_SAVE ? 0 : l->split[a];
    if (!models_save_ends(s, l))
        return;
    job_loses_wall(l, l->writing.lost_ns, l->writing.lost_wall_ns);
    books_lost(s, l->job, l->writing.cause, p, l->split[ACCOUNT_LOST]);
}

void job_released(struct sched *s, job_id j)
{
    struct live *l = live_of(s, j);
    struct placement *p = l->leaving;
    if (!p) {
        part_released(s, l);
        return;
    }
    timeline_left(s, l, HOLD_LEAVING);
    if (l->writing.stage != WRITING_NOTHING)
        saving_ends(s, l, p);
    l->leaving = NULL;
    placement_give(s->idle, ask_of(s, j), p);
    interval_close(s, l, p, l->leaving_since_ns, l->leave_why);
    if (l->now.held) {
        wait_begin(s, l, WAIT_RELEASING);
    } else if (l->withdrawn) {
        on_demand_is_over(s, l);
    } else if (leaves_for_good(s, l)) {
        job_retire(s, j);
    } else if (running_leaves_for_good(s, j)) {
        books_pending(s, j, request_amount(ask_of(s, j)), -1);
        job_is_over(s, l, s->workload->truth[j].fate);
        job_retire(s, j);                            /* the policy never had a notice of it */
    } else {
        state_set(s, j, JOB_PENDING);
        wait_begin_pending(s, l);
        notice_add(s, NOTICE_ARRIVED, j, 0);
    }
    claims_settle(s);
}

/* What it was to stay after its stop, up to now. */
static void stay_is_cut(const struct sched *s, struct live *l)
{
    unsigned stays = l->split[ACCOUNT_FAULT] ? ACCOUNT_FAULT : ACCOUNT_SAVE;
    l->split[stays] = 0;
    for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
        l->split[stays] -= a == stays ? l->leaving_since_ns - s->now_ns : l->split[a];
}

void job_leaves_now(struct sched *s, struct live *l)
{
    stay_is_cut(s, l);
    event_queue_move(s->events, l->release_event, s->now_ns);
}

/* ---- The end of the run ---- */

void jobs_enter_held(struct sched *s)
{
    for (job_id j = 0; j < s->next_arrival; j++) {
        if (!dependencies_unmet(s, j) || s->job[j].state != JOB_ABSENT)
            continue;
        dependencies_let_in(s);
        wait_begin(s, job_enter(s, j), WAIT_DEPENDENCY);
    }
}

/* What still runs or waits is counted up to now, and stays what it is. */
void jobs_cut_off(struct sched *s)
{
    jobs_enter_held(s);
    size_t left = jobs_in_slots(s);
    for (job_id j = 0; left > 0 && j < s->n_jobs; j++) {
        struct live *l = live_of(s, j);
        run_pass(s, j);
        if (!l)
            continue;
        left--;
        if (l->counting)
            wait_end(s, l);
        if (l->leaving) {
            stay_is_cut(s, l);
            interval_close(s, l, l->leaving, l->leaving_since_ns, "cutoff");
        } else if (s->job[j].state == JOB_RUNNING) {
            job_halt(s, l, l->now.held);
            interval_close(s, l, l->now.held, l->held_since_ns, "cutoff");
        }
        tasks_cut_off(s, l);
        *(s->job[j].state == JOB_RUNNING ? &s->totals.running : &s->totals.pending) += 1;
        job_retire(s, j);
    }
}
