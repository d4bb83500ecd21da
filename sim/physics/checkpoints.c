/* checkpoints.c - checkpoints that take time: when they are due, how long a write takes, what of a job's work is safe.
 *
 * models.md 3.3, 3.4. A job takes a snapshot after an interval of progress since its start or its last snapshot, and writes it.
 * For the first `blocking` share of the write it makes no progress; the checkpoint is durable when all of it is written. A job
 * writes one checkpoint at a time, the next waits. A write that a stop, a failure or the end cuts short leaves nothing behind.
 *
 * A write has two parts, one that blocks and one in the background. Each takes a time that is known when it begins; then, if
 * the storage is shared (storage.h), its bytes go through a flow. Checkpoints that cost nothing are not here: price.c derives
 * them from the progress alone.
 *
 * Saving at a stop (3.3): a job that is stopped and may save writes once more, for at most its grace. Where writes share
 * the storage, other jobs may slow it so much that the grace ends first (WRITING_AT_RISK): then it falls back to its last
 * durable checkpoint. l->writing is written here, and its field `cause` by leaving.c. */
#include "sim/engine/overhead.h"
#include "sim/engine/pace.h"
#include "sim/models/checkpoint_laws.h"
#include "sim/models/failures.h"
#include "sim/physics/flows.h"
#include "sim/physics/milestones.h"
#include "sim/physics/physics.h"
#include "sim/physics/storage.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/timeline.h"

extern const struct run_model checkpoints_model;

struct job_checkpoints {
    struct milestone due;         /* of the next snapshot */
    int128_t stalled;             /* milli-GPU ns without progress */
    int64_t bytes;                /* written */
    uint32_t written;
};
struct checkpoints {
    uint32_t writers;             /* jobs that are writing now */
    uint64_t written, cut_short;
    int128_t bytes;
    struct job_checkpoints *job;  /* [n_jobs] */
};

static struct checkpoints *checkpoints_of(const struct sched *s)
{
    return model_state(s, &checkpoints_model);
}

static struct job_checkpoints *job_checkpoints(const struct sched *s, const struct live *l)
{
    return &checkpoints_of(s)->job[l->job];
}

/* ---- Size, time and interval ---- */

static int64_t write_ns(const struct sched *s, job_id j, const struct placement *on, uint32_t writers)
{
    const struct storage *to = &s->cluster->storage;
    return job_overhead(s, j)->write_ns + storage_write_ns(to, checkpoint_bytes(s, j), placement_node_count(on), writers);
}

/* Mean time between failures of the job's nodes: of the section `preemption`, or else of `failures`. */
static double mtbf_of(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    if (p->node_mtbf_ns)
        return seconds(p->node_mtbf_ns) / placement_node_count(l->now.held);
    return 1 / failures_job_rate(s->cluster->failures, (double)placement_gpu_milli(l->now.held) / MILLI_ALL);
}

/* In reference ns of progress; the laws are in wall time. */
static int64_t interval_ns(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    if (p->interval_ns != INTERVAL_AUTO)
        return p->interval_ns;
    double write_s = p->blocking * seconds(write_ns(s, l->job, l->now.held, 1));
    double mtbf_s = mtbf_of(s, l);
    double law_s = p->interval_law == LAW_YOUNG ? young_interval_s(write_s, mtbf_s) : daly_interval_s(write_s, mtbf_s);
    double rate = l->pace.tasks * (l->pace.reference_s / pace_iteration_s(&l->pace));
    return ns_of_seconds(auto_interval_s(law_s) * rate);
}

/* Its bytes go through a flow. */
static bool shares_storage(const struct sched *s, const struct live *l)
{
    int64_t bytes = checkpoint_bytes(s, l->job);
    return storage_is_shared(s) && bytes > 0 && storage_write_ns(&s->cluster->storage, bytes, 1, 1) > 0;
}

static bool periodic(const struct overhead *p)
{
    return p->checkpoint == CHECKPOINT_PERIODIC && overhead_writes(p);
}

static void set_due(struct sched *s, struct live *l)
{
    int64_t due_ns = l->writing.from_left_ns - interval_ns(s, l);
    if (due_ns > 0)
        milestone_set(s, l, &job_checkpoints(s, l)->due, EVENT_CHECKPOINT, due_ns);
}

/* ---- Writing ---- */

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
    w->flow = storage_write_flow(s, l->job, l->leaving ? l->leaving : l->now.held, bytes, &write_flow);
    w->flows = true;
}

/* The part of l->writing.stage. */
static void writing_begins(struct sched *s, struct live *l)
{
    int64_t ns = l->writing.part_ns[part_of(&l->writing)];
    l->writing.end_ns = s->now_ns + ns;
    if (ns > 0)
        l->writing.event = event_queue_push(s->events, (struct event){ l->writing.end_ns, EVENT_CHECKPOINT, l->job });
    else
        part_flows(s, l);
}

static void writing_parts(struct writing *w, double blocking, int64_t ns, double bytes)
{
    w->part_ns[0] = blocking >= 1 ? ns : (int64_t)(blocking * (double)ns);
    w->part_ns[1] = ns - w->part_ns[0];
    w->part_bytes[0] = blocking * bytes;
    w->part_bytes[1] = bytes - w->part_bytes[0];
}

/* No event and no flow any more. */
static void writing_put_down(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    if (w->event)
        event_queue_cancel(s->events, w->event);
    if (w->flows)
        flow_close(s, w->flow);
    w->event = 0;
    w->flows = false;
}

/* One writer less, in the counts. */
static void writing_ends(struct sched *s, struct live *l, bool durable)
{
    struct checkpoints *c = checkpoints_of(s);
    struct job_checkpoints *of = &c->job[l->job];
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
    job_checkpoints(s, l)->stalled += (int128_t)(s->now_ns - l->pace.stalled_since_ns) * placement_gpu_milli(on);
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
        stall_counted(s, l, l->now.held);
        pace_resume(s, l);
        l->writing.stage = WRITING_BACKGROUND;
        writing_begins(s, l);
        break;
    case WRITING_BACKGROUND:
        is_durable(s, l);
        break;
    default:                                         /* saved in time: it may leave */
        MUST(s, l->writing.stage == WRITING_AT_RISK);
        event_queue_move(s->events, l->release_event, s->now_ns);
    }
}

/* Of the work done when it was due, to the nanosecond; of the work done now if it comes late. */
static void snapshot(struct sched *s, struct live *l, int64_t due_ns)
{
    struct writing *w = &l->writing;
    const struct overhead *p = job_overhead(s, l->job);
    int64_t left_ns = job_left_ns(s, l);
    bool late = (double)(due_ns - left_ns) > l->progress.rate + 1;
    w->shot_left_ns = late ? left_ns : due_ns;
    w->shot_wall_ns = pace_useful_ns(s, l);
    struct checkpoints *c = checkpoints_of(s);
    c->writers++;
    if (shares_storage(s, l))
        writing_parts(w, p->blocking, p->write_ns, (double)checkpoint_bytes(s, l->job));
    else
        writing_parts(w, p->blocking, write_ns(s, l->job, l->now.held, c->writers), 0);
    w->stage = w->part_ns[0] > 0 || w->part_bytes[0] > 0 ? WRITING_BLOCKED : WRITING_BACKGROUND;
    if (w->stage == WRITING_BLOCKED)
        pace_stall(s, l, ACCOUNT_CHECKPOINT);
    writing_begins(s, l);
}

static void checkpoints_happens(struct sched *s, const struct event *e)
{
    struct live *l = live_of(s, e->subject);
    if (l->writing.stage == WRITING_NOTHING) {
        snapshot(s, l, milestone_reached(&job_checkpoints(s, l)->due));
        return;
    }
    l->writing.event = 0;
    part_flows(s, l);
}

/* ---- With the job ---- */

static void checkpoint_stalls(struct sched *s, struct live *l, enum account on)
{
    if (l->writing.stage == WRITING_NOTHING || !(l->pace.stalled || on == ACCOUNT_FAULT))
        return;
    bool blocked = l->writing.stage == WRITING_BLOCKED;
    writing_put_down(s, l);
    writing_ends(s, l, false);
    if (blocked) {
        stall_counted(s, l, l->now.held);
        pace_resume(s, l);
    }
    set_due(s, l);
}

static void checkpoints_placed(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    w->on = periodic(job_overhead(s, l->job));
    if (!w->on)
        return;
    if (l->suspended) {                              /* it continues where it was: the same work is at risk */
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
    milestone_drop(s, &job_checkpoints(s, l)->due);
    w->left_wall_ns = pace_useful_ns(s, l);
    if (w->stage == WRITING_NOTHING)
        return;
    bool blocked = w->stage == WRITING_BLOCKED;
    writing_put_down(s, l);
    writing_ends(s, l, false);
    if (blocked)
        stall_counted(s, l, from);
    if (blocked && l->now.stopping && l->now.stop_mode == STOP_SAVE)
        checkpoints_of(s)->cut_short--;                 /* it saves that very snapshot now */
}

static void checkpoints_paced(struct sched *s, struct live *l)
{
    if (l->writing.on)
        milestone_paced(s, l, &job_checkpoints(s, l)->due);
}

static void checkpoint_ran_before(struct sched *s, struct live *l, int64_t done_ns)
{
    if (!l->writing.on)
        return;
    l->writing.safe_left_ns += done_ns % interval_ns(s, l);
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
    struct checkpoints *c = arena_alloc(s->memory, sizeof *c);
    c->job = arena_alloc(s->memory, s->n_jobs * sizeof *c->job);
    model_state_set(s, &checkpoints_model, c);
}

/* ---- Saving at a stop ---- */

static int64_t checkpoint_save_ns(const struct sched *s, const struct live *l)
{
    const struct writing *w = &l->writing;
    if (w->stage == WRITING_BLOCKED && w->part_bytes[0] <= 0)    /* nothing was done since the snapshot */
        return w->end_ns - s->now_ns + w->part_ns[1];
    uint32_t others = checkpoints_of(s)->writers - (w->stage != WRITING_NOTHING);
    const struct placement *on = l->leaving ? l->leaving : l->touched ? l->was.held : l->now.held;
    return write_ns(s, l->job, on, shares_storage(s, l) ? 1 : others + 1);
}

static bool saves(const struct sched *s, const struct live *l)
{
    const struct overhead *p = job_overhead(s, l->job);
    return l->now.stop_mode == STOP_SAVE && p->save_ns < 0 && p->checkpoint != CHECKPOINT_NONE;
}

static bool checkpoint_save_at_risk(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    const struct overhead *p = job_overhead(s, l->job);
    if (!saves(s, l) || p->checkpoint != CHECKPOINT_PERIODIC || p->grace_ns == 0 || !shares_storage(s, l))
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

static void checkpoint_save_begins(struct sched *s, struct live *l, const struct stop_overhead *overhead, bool at_risk)
{
    struct writing *w = &l->writing;
    if (!saves(s, l))
        return;
    w->stage = at_risk ? WRITING_AT_RISK : overhead->lost_ns ? WRITING_IN_VAIN : WRITING_TO_LEAVE;
    checkpoints_of(s)->writers++;
    timeline_left(s, l, HOLD_LEAVING);               /* other jobs may write since the stop was staged */
    timeline_leaves(s, l, overhead->stay_ns);
    if (!at_risk)
        return;
    w->lost_ns = pace_stop(s, l, STOP_RESTART, l->stop_done_ns).lost_ns;
    w->lost_wall_ns = pace_lost_wall_ns(s, l, l->stop_done_ns, w->lost_ns);
    writing_begins(s, l);
}

/* A flow with less than a nanosecond left ends at this very instant. */
static bool in_time(const struct sched *s, const struct writing *w)
{
    return !w->event && (!w->flows || flow_left(s, w->flow) < flow_share(s, w->flow) * 1e-9);
}

static bool checkpoint_save_ends(struct sched *s, struct live *l)
{
    enum writing_stage stage = l->writing.stage;
    if (stage == WRITING_NOTHING)
        return false;
    bool saved = stage == WRITING_TO_LEAVE || (stage == WRITING_AT_RISK && in_time(s, &l->writing));
    writing_put_down(s, l);
    writing_ends(s, l, saved);
    return stage == WRITING_AT_RISK && !saved;
}

static void checkpoint_save_fails(struct sched *s, struct live *l)
{
    if (l->writing.stage == WRITING_NOTHING)
        return;
    writing_put_down(s, l);
    writing_ends(s, l, false);
}

/* ---- Files and metrics ---- */

static int checkpoint_check(struct sched *s, struct error *err)
{
    const struct checkpoints *c = checkpoints_of(s);
    int128_t stalled = 0, bytes = 0;
    uint64_t written = 0;
    for (job_id j = 0; j < s->n_jobs; j++) {
        stalled += c->job[j].stalled;
        bytes += c->job[j].bytes;
        written += c->job[j].written;
    }
    if (stalled == s->totals.account[ACCOUNT_CHECKPOINT] && bytes == c->bytes && written == c->written)
        return 0;
    return error_set(err, "an identity is broken, please report it: GPU-seconds of checkpoints, by account and by job: "
                          "%.17g is not %.17g", (double)s->totals.account[ACCOUNT_CHECKPOINT], (double)stalled);
}

static const char *const checkpoint_columns[] = { "checkpoints", "checkpoint_gpu_s", "written_gib", NULL };

static void checkpoint_row(struct output *o, const struct sched *s, job_id j)
{
    const struct job_checkpoints *of = &checkpoints_of(s)->job[j];
    out_char(o, ',');
    out_integer(o, of->written);
    out_char(o, ',');
    out_wide_seconds(o, of->stalled / MILLI_ALL);
    out_char(o, ',');
    out_double(o, (double)of->bytes / (1 << 30));
}

static const char *const checkpoint_node_columns[] = { "checkpoint_gpu_s", NULL };

static void checkpoint_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_wide_seconds(o, s->ledger.node_account[ACCOUNT_CHECKPOINT][n] / MILLI_ALL);
}

static const struct metric_kind checkpoint_metrics[] = {
    { "checkpoint_gpu_h", "GPU h", "GPU-time in which jobs stood still to write checkpoints", BETTER_LOWER },
    { "checkpoints", "", "checkpoints written, those of jobs that were stopped included", BETTER_NEITHER },
    { "checkpoints_cut_short", "", "checkpoints begun and not finished: by a stop, a failure or the end of the job", BETTER_LOWER },
    { "written_gib", "GiB", "what the checkpoints came to", BETTER_NEITHER },
    { 0 },
};

static void checkpoint_summarise(struct summary_builder *b)
{
    const struct checkpoints *c = checkpoints_of(b->s);
    summary_put_kind(b, &checkpoint_metrics[0], "all", gpu_hours(b->s->totals.account[ACCOUNT_CHECKPOINT]), 1);
    summary_put_kind(b, &checkpoint_metrics[1], "all", (double)c->written, 1);
    summary_put_kind(b, &checkpoint_metrics[2], "all", (double)c->cut_short, 1);
    summary_put_kind(b, &checkpoint_metrics[3], "all", (double)c->bytes / (1 << 30), 1);
}

const struct run_model checkpoints_model = {
    .place = PLACE_OF(checkpoints_model),
    .unsaved = "checkpoints that are being written, and when the next are due",
    .name = "checkpoints", .summary = "checkpoints that take time to write",
    .wanted = checkpoints_wanted, .begin = checkpoints_begin,
    .placed = checkpoints_placed, .left = checkpoints_left, .paced = checkpoints_paced,
    .ran_before = checkpoint_ran_before, .stalls = checkpoint_stalls, .save_ns = checkpoint_save_ns,
    .save_at_risk = checkpoint_save_at_risk, .save_begins = checkpoint_save_begins, .save_ends = checkpoint_save_ends,
    .save_fails = checkpoint_save_fails,
    .events = 1u << EVENT_CHECKPOINT, .happens = checkpoints_happens,
    .check = checkpoint_check, .job_columns = checkpoint_columns, .job_row = checkpoint_row,
    .node_columns = checkpoint_node_columns, .node_row = checkpoint_node_row,
    .metrics = checkpoint_metrics, .summarise = checkpoint_summarise,
};
