/* pass.c - see pass.h. */
#include "sim/scheduler/pass.h"
#include "sim/accounting/books.h"
#include "sim/engine/intervals.h"
#include "sim/engine/jobs.h"
#include "sim/engine/leaving.h"
#include "sim/engine/notices.h"
#include "sim/engine/state.h"
#include "sim/engine/tasks.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/tentative.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/waiting.h"
#include "sim/scheduler/wakes.h"

#include <string.h>

static void undo_change_of_view(struct sched *s, const struct undo *u)
{
    void (*back)(struct view *, const struct request *, const struct placement *) =
        u->kind == UNDO_TAKE ? placement_give : u->kind == UNDO_GIVE ? placement_take : u->kind == UNDO_MEMORY_TAKE ? memory_give : memory_take;
    back(u->u.piece.view, ask_of(s, u->job), u->u.piece.p);
}

static void undo_one(struct sched *s, const struct undo *u)
{
    struct live *l = u->job == ID_NONE ? NULL : live_of(s, u->job);
    switch ((enum undo_kind)u->kind) {
    case UNDO_JOB:
        stage_restore(s, l, u->u.staged);
        break;
    case UNDO_TAKE:
    case UNDO_GIVE:
    case UNDO_MEMORY_TAKE:
    case UNDO_MEMORY_GIVE:
        undo_change_of_view(s, u);
        break;
    case UNDO_HELD:
        books_held(s, u->job, u->u.size, -u->sign);
        break;
    case UNDO_PENDING:
        books_pending(s, u->job, u->u.size, -u->sign);
        break;
    case UNDO_WAKE:
        wake_cancel(s, u->u.time_ns);
        break;
    case UNDO_PUSH:
        line_remove(s->lines->line[u->number], u->job);
        break;
    case UNDO_REMOVE:
        line_restore(s->lines->line[u->number], u->job, u->u.key, u->mode);
        line_mark(s->lines->line[u->number], u->job, u->why);
        break;
    case UNDO_MARK:
        line_mark(s->lines->line[u->number], u->job, u->why);
        break;
    case UNDO_OWN:
        wait_own(s, l, u->why);
        break;
    case UNDO_SUB:
        sub_line_reason(s, &s->lines->sub[u->number], u->why);
        break;
    case UNDO_LINE:
        wait_clock_set(&s->lines->line[u->number]->clock, s->now_ns, u->why);
        break;
    case UNDO_HOLD_ADD:
        hold_drop(s, u->job, u->mode);
        break;
    case UNDO_TENTATIVE:
        tentative_undo(s);
        break;
    case UNDO_HOLD_DROP:
        hold_add(s, u->job, u->mode, u->u.hold.start_ns, u->u.hold.end_ns, u->u.hold.p);
        break;
    }
}

sched_mark_t sched_mark(struct sched *s)
{
    struct stage *g = s->stage;
    g->marked = true;
    return g->n_undo;
}

void sched_rollback(struct sched *s, sched_mark_t m)
{
    struct stage *g = s->stage;
    if (m > g->n_undo)
        ENGINE_BUG(s, "rollback to a mark that has ended already");
    g->marked = false;             /* undoing is not itself logged */
    while (g->n_undo > m) {
        struct undo u = g->undo[--g->n_undo];
        undo_one(s, &u);
    }
    g->marked = true;
}

/* ---- Carrying out ---- */

static void carry_out(struct sched *s, struct live *l)
{
    enum job_state was = l->was.state, now = s->job[l->job].state;
    bool same = was == now && l->now.held == l->was.held && !l->now.broken;
    if (l->now.dropped)
        suspend_dropped(s, l, PREEMPTED_POLICY, "");
    if (same)
        return;
    if (resize_concerns(s, l)) {
        resize_carry_out(s, l);
        return;
    }
    if (tasks_concern(s, l)) {
        tasks_carry_out(s, l);
        return;
    }
    run_changed(s);
    bool moves = was == JOB_RUNNING && l->now.held;
    MUST(s, moves ? life_allows(was, JOB_RELEASING) && life_allows(JOB_RELEASING, now)
                  : was == now || life_allows(was, now));
    switch (was) {
    case JOB_RUNNING:
        s->totals.moves += moves;
        job_leave(s, l, moves);
        if (now == JOB_CLAIMED)
            claim_begin(s, l);
        else if (now == JOB_RUNNING)
            job_begin(s, l);
        break;
    case JOB_CLAIMED:
        placement_drop(s, l->was.held);
        if (now == JOB_RUNNING)
            job_begin(s, l);
        if (now != JOB_PENDING)
            break;
        wait_own(s, l, WAIT_GROUP);
        notice_add(s, NOTICE_ARRIVED, l->job, 0);
        break;
    default:
        if (now == JOB_RUNNING)
            job_begin(s, l);
        else if (now == JOB_CLAIMED)
            claim_begin(s, l);
        else if (now == JOB_GONE)
            job_rejected(s, l->job, l->leave_why);
        break;
    }
}

/* Copies of placements that were rolled back or given up within the pass. */
static void drop_unused(struct sched *s)
{
    struct stage *g = s->stage;
    for (size_t i = 0; i < g->n_copies; i++) {
        const struct live *l = &s->live[g->copy[i].live];
        if (l->now.held != g->copy[i].p && l->now.saving != g->copy[i].p && !plan_is_on(s, l, g->copy[i].p))
            placement_drop(s, g->copy[i].p);
    }
    g->n_copies = 0;
}

bool pass_run(struct sched *s)
{
    struct stage *g = s->stage;
    s->in_pass = true;
    s->happened.changed = false;
    s->totals.passes++;
    wait_pass_begins(s);
    timeline_pass(s);
    reserved_pass(s);
    wakes_pass(s);
    s->force->policy->schedule(s, s->force->params, s->force->state);
    s->in_pass = false;
    g->marked = false;
    g->n_undo = 0;
    tentative_erase(s);
    drop_unused(s);
    for (size_t i = 0; i < g->n_touched; i++) {
        carry_out(s, &s->live[g->touched[i]]);
        struct live *l = &s->live[g->touched[i]];    /* it may have moved: jobs may have entered */
        l->touched = false;
        l->now.stopping = l->now.broken = l->now.dropped = l->now.anew = false;
    }
    g->n_touched = 0;
    notices_give(s);
    arena_reset(s->scratch);
    return s->happened.changed;
}
