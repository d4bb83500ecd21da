/* checkpoint_saving.c - told to leave, a job that may save writes once more, for as long as it is given. models.md 3.3.
 *
 * Where writes share the storage, who is slow because of others may find its grace over: then it falls back. */
#include "sim/physics/checkpoint_parts.h"
#include "sim/physics/flows.h"
#include "sim/engine/pace.h"

int64_t checkpoint_save_ns(const struct sched *s, const struct live *l)
{
    const struct writing *w = &l->writing;
    if (w->stage == WRITING_BLOCKED && w->part_bytes[0] <= 0)    /* nothing was done since the snapshot */
        return w->end_ns - s->now_ns + w->part_ns[1];
    uint32_t others = s->checkpoints->writers - (w->stage != WRITING_NOTHING);
    const struct placement *on = l->leaving ? l->leaving : l->touched ? l->was.held : l->held;
    return checkpoint_write_ns(s, l->job, on, checkpoint_shares(s, l) ? 1 : others + 1);
}

static bool saves(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    return l->stop_mode == STOP_SAVE && p->save_ns < 0 && p->checkpoint != CHECKPOINT_NONE;
}

bool checkpoint_save_at_risk(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    const struct overhead *p = job_overhead(s, l->job);
    if (!saves(s, l) || p->checkpoint != CHECKPOINT_PERIODIC || p->grace_ns == 0 || !checkpoint_shares(s, l))
        return false;
    int64_t ns = p->write_ns;
    double bytes = (double)checkpoint_bytes(s, l->job);
    if (w->stage == WRITING_BLOCKED) {               /* what is left to write of the snapshot */
        ns = (w->event ? w->end_ns - s->now_ns : 0) + w->part_ns[1];
        bytes = (w->flows ? flow_left(s, w->flow) : w->part_bytes[0]) + w->part_bytes[1];
    }
    writing_parts(w, 0, ns, bytes);
    return true;
}

void checkpoint_save_begins(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk)
{
    struct writing *w = &l->writing;
    if (!saves(s, l))
        return;
    w->stage = at_risk ? WRITING_AT_RISK : overhead->lost_ns ? WRITING_IN_VAIN : WRITING_TO_LEAVE;
    s->checkpoints->writers++;
    timeline_left(s, l, HOLD_LEAVING);               /* others may have begun to write since the stop was staged */
    timeline_leaves(s, l, overhead->stay_ns);
    if (!at_risk)
        return;
    w->lost_ns = pace_stop(s, l, STOP_RESTART, l->stop_done_ns).lost_ns;
    w->lost_wall_ns = pace_lost_wall_ns(s, l, l->stop_done_ns, w->lost_ns);
    writing_begins(s, l);
}

/* A flow of which less than a nanosecond is left is over at this very instant. */
static bool in_time(const struct sched *s, const struct writing *w)
{
    return !w->event && (!w->flows || flow_left(s, w->flow) < flow_share(s, w->flow) * 1e-9);
}

bool checkpoint_save_ends(struct sched *s, struct live *l)
{
    enum writing_stage stage = l->writing.stage;
    if (stage == WRITING_NOTHING)
        return false;
    bool saved = stage == WRITING_TO_LEAVE || (stage == WRITING_AT_RISK && in_time(s, &l->writing));
    writing_put_down(s, l);
    writing_ends(s, l, saved);
    return stage == WRITING_AT_RISK && !saved;
}

void checkpoint_save_fails(struct sched *s, struct live *l)
{
    if (l->writing.stage == WRITING_NOTHING)
        return;
    writing_put_down(s, l);
    writing_ends(s, l, false);
}
