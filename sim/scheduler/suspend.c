/* suspend.c - jobs that stand still where they are, as Slurm suspends them: they keep the memory of their nodes and nothing
 * else, lose nothing, and go on only on the very pieces that they left.
 *
 * A suspended job is pending. Dropped, it falls to its last durable checkpoint and is like any other that was stopped; what
 * it then loses was booked as useful, on the same pieces, and is booked over. */
#include "sim/scheduler/suspend.h"
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/intervals.h"
#include "sim/engine/models.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/stage.h"

#include <string.h>

/* ---- Staged ---- */

static void stage(struct sched *s, struct live *l, const struct placement *p, enum undo_kind kind)
{
    struct view *const views[] = { s->idle, s->releasing };
    for (size_t i = 0; i < 2 && views[i]; i++) {
        struct undo *u = undo_add(s, kind, l->job);
        if (u) {
            u->u.piece.view = views[i];
            u->u.piece.p = p;
        }
        (kind == UNDO_MEMORY_TAKE ? memory_take : memory_give)(views[i], ask_of(s, l->job), p);
    }
}

void suspend_stage(struct sched *s, struct live *l, const struct placement *p)
{
    stage(s, l, p, UNDO_MEMORY_TAKE);
}

void suspend_unstage(struct sched *s, struct live *l, const struct placement *p)
{
    stage(s, l, p, UNDO_MEMORY_GIVE);
}

enum sched_result suspend_drop(struct sched *s, struct live *l)
{
    stage_touch(s, l);
    stage_state(s, l, s->job[l->job].state, NULL, false);
    l->now.dropped = true;
    suspend_unstage(s, l, l->suspended);
    view_freed(s);
    return SCHED_OK;
}

/* ---- The truth ---- */

void suspend_begins(struct sched *s, struct live *l, const struct placement *p)
{
    l->suspended = placement_copy(s, p);
    models_suspended(s, p, 1);
    pace_suspend(s, l);
    l->stood_ns += l->split[ACCOUNT_USEFUL];
    l->start_cost_ns -= l->split[ACCOUNT_START];
}

void suspend_dropped(struct sched *s, struct live *l, unsigned cause, const char *why)
{
    run_changed(s);
    int64_t done_ns = job_done_ns(s, l), lost_ns = pace_stop(s, l, STOP_RESTART, done_ns).lost_ns;
    job_loses_later(s, l, l->suspended, cause, lost_ns, pace_lost_wall_ns(s, l, done_ns, lost_ns));
    suspend_forgets(s, l);
    decision_log(s, l->job, "stop", "dropped", why);
}
