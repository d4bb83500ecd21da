/* leaving.c - jobs that are stopped and leave their GPUs: at once, or when they have saved. */
#include "sim/engine/leaving.h"
#include "sim/accounting/books.h"
#include "sim/physics/checkpoints.h"
#include "sim/engine/host.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/engine/running.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/tasks.h"
#include "sim/scheduler/waiting.h"

void job_leave(struct sched *s, struct live *l, bool moves)
{
    job_id j = l->job;
    struct stop_overhead overhead = pace_stop(s, l, l->stop_mode, l->stop_done_ns);
    bool at_risk = checkpoint_save_at_risk(s, l);
    if (at_risk)
        overhead = (struct stop_overhead){ job_overhead(s, j)->grace_ns, 0 };
    job_halt(s, l, l->was.held);
    job_loses(s, l, l->stop_done_ns, overhead.lost_ns);
    l->split[ACCOUNT_SAVE] = overhead.stay_ns;
    bool stands = l->stop_mode == STOP_SUSPEND;
    l->cancelled = l->stop_mode == STOP_CANCEL;
    enum preemption_cause unsaid = moves ? PREEMPTED_MOVE : PREEMPTED_POLICY;
    if (!l->cancelled)
        books_preempted(s, l, unsaid);
    books_lost(s, l, unsaid, l->was.held, l->split[ACCOUNT_LOST]);
    l->leave_why = moves || l->anew ? "moved" : stands ? "suspended" : l->cancelled ? "cancelled" : "preempted";
    stop_log(s, l, l->leave_why);
    notice_add(s, NOTICE_STOPPED, j, l->cancelled ? STOPPED_CANCELLED : STOPPED_BY_POLICY);
    if (stands)
        suspend_begins(s, l, l->was.held);
    job_departs(s, l, l->was.held, &overhead, at_risk, unsaid, moves);
}

/* It will not come back: told to go, or it has failed too often. */
static bool leaves_for_good(struct sched *s, struct live *l)
{
    if (!l->cancelled && !l->given_up)
        return false;
    books_pending(s, l->job, request_amount(ask_of(s, l->job)), -1);
    job_is_over(s, l, l->cancelled ? FATE_CANCELLED : FATE_FAILED);
    return true;
}

/* What a fault would cost while it saves. */
static void note_unsaved(struct sched *s, struct live *l, const struct stop_overhead *overhead)
{
    bool saves = l->stop_mode == STOP_SAVE && overhead->lost_ns == 0;
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
        if (s->faults)
            note_unsaved(s, l, overhead);
        checkpoint_save_begins(s, l, overhead, at_risk);
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
    if (!checkpoint_save_ends(s, l))
        return;
    job_loses_wall(l, l->writing.lost_ns, l->writing.lost_wall_ns);
    books_lost(s, l, l->writing.cause, p, l->split[ACCOUNT_LOST]);
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
    if (l->held) {
        wait_begin(s, l, WAIT_RELEASING);
    } else if (l->withdrawn) {
        on_demand_is_over(s, l);
    } else if (leaves_for_good(s, l)) {
        job_retire(s, j);
    } else if (running_leaves_for_good(s, j)) {
        books_pending(s, j, request_amount(ask_of(s, j)), -1);
        job_is_over(s, l, s->workload->truth[j].fate);
        job_retire(s, j);                            /* no policy has ever heard of it */
    } else {
        state_set(s, j, JOB_PENDING);
        wait_begin_pending(s, l);
        notice_add(s, NOTICE_ARRIVED, j, 0);
    }
    claims_settle(s);
}
