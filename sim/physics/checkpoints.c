/* checkpoints.c - checkpoints that take time: when they are due, how long they are written, what of a job's work is safe.
 *
 * models.md 3.3, 3.4. After an interval of progress since its start, or since the last snapshot, a job takes a snapshot and
 * writes it. For the first `blocking` part of that time it makes no progress; it is durable when all of it is written. One
 * at a time: the next waits for it. A write that is cut short, by a stop, a failure or the end, leaves nothing behind.
 *
 * With contention what is written goes through flows.c; without, what a write takes is known when it begins. Checkpoints that
 * cost nothing are not here: price.c knows by the progress alone which there are. */
#include "sim/physics/checkpoint_parts.h"
#include "sim/physics/milestones.h"
#include "sim/engine/models.h"
#include "sim/engine/pace.h"
#include "sim/physics/storage_links.h"

static bool periodic(const struct overhead *p)
{
    return p->checkpoint == CHECKPOINT_PERIODIC && overhead_writes(p);
}

static void set_due(struct sched *s, struct live *l)
{
    int64_t due_ns = l->writing.from_left_ns - checkpoint_interval_ns(s, l);
    if (due_ns > 0)
        milestone_set(s, l, MILESTONE_CHECKPOINT, due_ns);
}

/* ---- Writing: a part for a time that is known, then its bytes with whoever else goes through the storage ---- */

static unsigned part_of(const struct writing *w)
{
    return w->stage == WRITING_BLOCKED ? 0 : 1;
}

static void part_over(struct sched *s, struct live *l);

static void flow_done(struct sched *s, job_id j, flow_id f)
{
    (void)f;
    struct live *l = live_of(s, j);
    l->writing.flows = false;
    part_over(s, l);
}

static const struct flow_kind write_flow = { .done = flow_done };

static void part_flows(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    double bytes = w->part_bytes[part_of(w)];
    if (bytes <= 0) {
        part_over(s, l);
        return;
    }
    w->flow = storage_write_flow(s, l->job, l->leaving ? l->leaving : l->held, bytes, &write_flow);
    w->flows = true;
}

void writing_begins(struct sched *s, struct live *l)
{
    int64_t ns = l->writing.part_ns[part_of(&l->writing)];
    l->writing.end_ns = s->now_ns + ns;
    if (ns > 0)
        l->writing.event = event_queue_push(s->events, (struct event){ l->writing.end_ns, EVENT_CHECKPOINT, l->job });
    else
        part_flows(s, l);
}

void writing_parts(struct writing *w, double blocking, int64_t ns, double bytes)
{
    w->part_ns[0] = blocking >= 1 ? ns : (int64_t)(blocking * (double)ns);
    w->part_ns[1] = ns - w->part_ns[0];
    w->part_bytes[0] = blocking * bytes;
    w->part_bytes[1] = bytes - w->part_bytes[0];
}

void writing_put_down(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    if (w->event)
        event_queue_cancel(s->events, w->event);
    if (w->flows)
        flow_close(s, w->flow);
    w->event = 0;
    w->flows = false;
}

void writing_ends(struct sched *s, struct live *l, bool durable)
{
    struct checkpoints *c = s->checkpoints;
    struct checkpoints_of *of = &c->job[l->job];
    l->writing.stage = WRITING_NOTHING;
    c->writers--;
    if (!durable) {
        c->cut_short++;
        return;
    }
    c->written++;
    of->written++;
    of->bytes += checkpoint_bytes(s, l->job);
    c->bytes += checkpoint_bytes(s, l->job);
}

static void stall_counted(struct sched *s, const struct live *l, const struct placement *on)
{
    s->checkpoints->job[l->job].stalled += (int128_t)(s->now_ns - l->pace.stalled_since_ns) * placement_gpu_milli(on);
}

static void is_durable(struct sched *s, struct live *l)
{
    writing_ends(s, l, true);
    l->writing.safe_left_ns = l->writing.from_left_ns = l->writing.shot_left_ns;
    l->writing.safe_wall_ns = l->writing.shot_wall_ns;
    set_due(s, l);
}

static void part_over(struct sched *s, struct live *l)
{
    switch ((enum writing_stage)l->writing.stage) {
    case WRITING_BLOCKED:
        stall_counted(s, l, l->held);
        pace_go_on(s, l);
        l->writing.stage = WRITING_BACKGROUND;
        writing_begins(s, l);
        break;
    case WRITING_BACKGROUND:
        is_durable(s, l);
        break;
    default:                                         /* in time: it may go */
        MUST(s, l->writing.stage == WRITING_AT_RISK);
        event_queue_move(s->events, l->release_event, s->now_ns);
    }
}

/* The snapshot is of what it had done when it was due, to the nanosecond, or now if it comes late. */
static void snapshot(struct sched *s, struct live *l, int64_t due_ns)
{
    struct writing *w = &l->writing;
    const struct overhead *p = job_overhead(s, l->job);
    int64_t left_ns = job_left_ns(s, l);
    bool late = (double)(due_ns - left_ns) > l->progress.rate + 1;
    w->shot_left_ns = late ? left_ns : due_ns;
    w->shot_wall_ns = pace_useful_ns(s, l);
    s->checkpoints->writers++;
    if (checkpoint_shares(s, l))
        writing_parts(w, p->blocking, p->write_ns, (double)checkpoint_bytes(s, l->job));
    else
        writing_parts(w, p->blocking, checkpoint_write_ns(s, l->job, l->held, s->checkpoints->writers), 0);
    w->stage = w->part_ns[0] > 0 || w->part_bytes[0] > 0 ? WRITING_BLOCKED : WRITING_BACKGROUND;
    if (w->stage == WRITING_BLOCKED)
        pace_stall(s, l, ACCOUNT_CHECKPOINT);
    writing_begins(s, l);
}

static void checkpoints_happens(struct sched *s, const struct event *e)
{
    struct live *l = live_of(s, e->subject);
    if (l->writing.stage == WRITING_NOTHING) {
        snapshot(s, l, milestone_reached(l, MILESTONE_CHECKPOINT));
        return;
    }
    l->writing.event = 0;
    part_flows(s, l);
}

/* ---- With the job ---- */

void checkpoint_cut_short(struct sched *s, struct live *l)
{
    bool blocked = l->writing.stage == WRITING_BLOCKED;
    writing_put_down(s, l);
    writing_ends(s, l, false);
    if (blocked) {
        stall_counted(s, l, l->held);
        pace_go_on(s, l);
    }
    set_due(s, l);
}

static void checkpoints_placed(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    w->on = periodic(job_overhead(s, l->job));
    if (!w->on)
        return;
    if (l->suspended) {                              /* it goes on where it was: what was at risk still is */
        w->safe_wall_ns -= w->left_wall_ns;
    } else {
        w->safe_left_ns = w->from_left_ns = job_left_ns(s, l);
        w->safe_wall_ns = 0;
    }
    set_due(s, l);
}

static void checkpoints_left(struct sched *s, struct live *l, const struct placement *from)
{
    struct writing *w = &l->writing;
    if (!w->on)
        return;
    milestone_drop(s, l, MILESTONE_CHECKPOINT);
    w->left_wall_ns = pace_useful_ns(s, l);
    if (w->stage == WRITING_NOTHING)
        return;
    bool blocked = w->stage == WRITING_BLOCKED;
    writing_put_down(s, l);
    writing_ends(s, l, false);
    if (blocked)
        stall_counted(s, l, from);
    if (blocked && l->stopping && l->stop_mode == STOP_SAVE)
        s->checkpoints->cut_short--;                 /* what it saves now is that very snapshot */
}

static void checkpoints_paced(struct sched *s, struct live *l)
{
    milestone_paced(s, l, MILESTONE_CHECKPOINT);
}

void checkpoint_ran_before(struct sched *s, struct live *l, int64_t done_ns)
{
    if (!l->writing.on)
        return;
    l->writing.safe_left_ns += done_ns % checkpoint_interval_ns(s, l);
    l->writing.from_left_ns = l->writing.safe_left_ns;
    set_due(s, l);
}

/* ---- The model ---- */

static bool checkpoints_wanted(const struct sched *s)
{
    for (uint32_t i = 0; i <= intern_count(s->workload->overheads); i++)
        if (s->overhead[i].checkpoint != CHECKPOINT_NONE && overhead_writes(&s->overhead[i]))
            return true;
    return false;
}

static void checkpoints_begin(struct sched *s)
{
    s->checkpoints = arena_alloc(s->memory, sizeof *s->checkpoints);
    storage_links_begin(s);
    s->checkpoints->job = arena_alloc(s->memory, s->n_jobs * sizeof *s->checkpoints->job);
}

const struct run_model checkpoints_model = {
    .unsaved = "checkpoints that are being written, and when the next are due",
    .name = "checkpoints", .summary = "checkpoints that take time to write",
    .wanted = checkpoints_wanted, .begin = checkpoints_begin,
    .placed = checkpoints_placed, .left = checkpoints_left, .paced = checkpoints_paced,
    .events = 1u << EVENT_CHECKPOINT, .happens = checkpoints_happens,
    .check = checkpoint_check, .job_columns = checkpoint_columns, .job_row = checkpoint_row,
    .node_columns = checkpoint_node_columns, .node_row = checkpoint_node_row,
    .metrics = checkpoint_metrics, .summarise = checkpoint_summarise,
};
