/* checkpoints.c - checkpoints that take time: when they are due, how long they are written, what of a job's work is safe.
 *
 * models.md 3.3, 3.4. After an interval of progress since its start, or since the last snapshot, a job takes a snapshot and
 * writes it. For the first `blocking` part of that time it makes no progress; it is durable when all of it is written. One
 * at a time: the next waits for it. A write that is cut short, by a stop, a failure or the end, leaves nothing behind.
 *
 * Told to leave, a job that may save writes once more, for as long as it is given. With contention all that is written goes
 * through flows.c, and who is slow because of others may find its grace over; without, what a write takes is known when it
 * begins. Checkpoints that cost nothing are not here: price.c knows by the progress alone which there are. */
#include "sim/run/checkpoints.h"
#include "sim/run/host.h"
#include "sim/run/models.h"
#include "sim/run/storage_links.h"
#include "sim/world/checkpoint_laws.h"

struct of_job { uint32_t written; int64_t bytes; int128_t stalled; };    /* milli-GPU ns */
struct checkpoints {
    uint32_t writers;             /* jobs that are writing */
    uint64_t written, cut_short;
    int128_t bytes;
    struct of_job *job;           /* [n_jobs] */
};

static bool periodic(const struct price *p)
{
    return p->checkpoint == CHECKPOINT_PERIODIC && price_writes(p);
}

/* ---- What a checkpoint is ---- */

static int64_t bytes_of(const struct sched *s, job_id j)
{
    (void)s;
    const struct price *p = price_of(s, j);
    return p->checkpoint_bytes;
}

static int64_t write_ns(const struct sched *s, job_id j, const struct placement *on, uint32_t writers)
{
    return price_of(s, j)->write_ns + storage_write_ns(&s->cluster->storage, bytes_of(s, j), placement_nodes(on), writers);
}

/* Of progress, in reference nanoseconds: the laws speak of wall time. */
static int64_t interval_ns(const struct sched *s, const struct live *l)
{
    const struct price *p = price_of(s, l->job);
    if (p->interval_ns != INTERVAL_AUTO)
        return p->interval_ns;
    double write_s = p->blocking * seconds(write_ns(s, l->job, l->held, 1));
    double mtbf_s = seconds(p->node_mtbf_ns) / placement_nodes(l->held);
    double law_s = p->interval_law == LAW_YOUNG ? young_interval_s(write_s, mtbf_s) : daly_interval_s(write_s, mtbf_s);
    double rate = l->pace.tasks * (l->pace.reference_s / pace_iteration_s(&l->pace));
    return ns_of_seconds(auto_interval_s(law_s) * rate);
}

static void set_due(struct sched *s, struct live *l)
{
    int64_t due_ns = l->writing.from_left_ns - interval_ns(s, l);
    if (due_ns > 0)
        milestone_set(s, l, MILESTONE_CHECKPOINT, due_ns);
}

/* ---- Writing: a part for a time that is known, then its bytes with whoever else goes through the storage ---- */

static bool shares(const struct sched *s, const struct live *l)
{
    return s->storage_links && bytes_of(s, l->job) > 0 && storage_write_ns(&s->cluster->storage, bytes_of(s, l->job), 1, 1) > 0;
}

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

static void part_begins(struct sched *s, struct live *l)
{
    int64_t ns = l->writing.part_ns[part_of(&l->writing)];
    l->writing.end_ns = s->now_ns + ns;
    if (ns > 0)
        l->writing.event = event_queue_push(s->events, (struct event){ l->writing.end_ns, EVENT_CHECKPOINT, l->job });
    else
        part_flows(s, l);
}

static void parts_set(struct writing *w, double blocking, int64_t ns, double bytes)
{
    w->part_ns[0] = blocking >= 1 ? ns : (int64_t)(blocking * (double)ns);
    w->part_ns[1] = ns - w->part_ns[0];
    w->part_bytes[0] = blocking * bytes;
    w->part_bytes[1] = bytes - w->part_bytes[0];
}

static void put_down(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    if (w->event)
        event_queue_cancel(s->events, w->event);
    if (w->flows)
        flow_close(s, w->flow);
    w->event = 0;
    w->flows = false;
}

static void writer_ends(struct sched *s, struct live *l, bool durable)
{
    struct checkpoints *c = s->checkpoints;
    struct of_job *of = &c->job[l->job];
    l->writing.stage = WRITING_NOTHING;
    c->writers--;
    if (!durable) {
        c->cut_short++;
        return;
    }
    c->written++;
    of->written++;
    of->bytes += bytes_of(s, l->job);
    c->bytes += bytes_of(s, l->job);
}

static void stall_counted(struct sched *s, const struct live *l, const struct placement *on)
{
    s->checkpoints->job[l->job].stalled += (int128_t)(s->now_ns - l->pace.stalled_since_ns) * placement_gpu_milli(on);
}

static void is_durable(struct sched *s, struct live *l)
{
    writer_ends(s, l, true);
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
        part_begins(s, l);
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
    const struct price *p = price_of(s, l->job);
    int64_t left_ns = job_left_ns(s, l);
    bool late = (double)(due_ns - left_ns) > l->progress.rate + 1;
    w->shot_left_ns = late ? left_ns : due_ns;
    w->shot_wall_ns = pace_useful_ns(s, l);
    s->checkpoints->writers++;
    if (shares(s, l))
        parts_set(w, p->blocking, p->write_ns, (double)bytes_of(s, l->job));
    else
        parts_set(w, p->blocking, write_ns(s, l->job, l->held, s->checkpoints->writers), 0);
    w->stage = w->part_ns[0] > 0 || w->part_bytes[0] > 0 ? WRITING_BLOCKED : WRITING_BACKGROUND;
    if (w->stage == WRITING_BLOCKED)
        pace_stall(s, l, ACCOUNT_CHECKPOINT);
    part_begins(s, l);
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
    put_down(s, l);
    writer_ends(s, l, false);
    if (blocked) {
        stall_counted(s, l, l->held);
        pace_go_on(s, l);
    }
    set_due(s, l);
}

static void checkpoints_placed(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    w->on = periodic(price_of(s, l->job));
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
    put_down(s, l);
    writer_ends(s, l, false);
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
    l->writing.safe_left_ns += done_ns % interval_ns(s, l);
    l->writing.from_left_ns = l->writing.safe_left_ns;
    set_due(s, l);
}

/* ---- Told to leave ---- */

int64_t checkpoint_save_ns(const struct sched *s, const struct live *l)
{
    const struct writing *w = &l->writing;
    if (w->stage == WRITING_BLOCKED && !w->part_bytes[0])    /* nothing was done since the snapshot */
        return w->end_ns - s->now_ns + w->part_ns[1];
    uint32_t others = s->checkpoints->writers - (w->stage != WRITING_NOTHING);
    const struct placement *on = l->leaving ? l->leaving : l->touched ? l->was.held : l->held;
    return write_ns(s, l->job, on, shares(s, l) ? 1 : others + 1);
}

static bool saves(const struct sched *s, const struct live *l)
{
    const struct price *p = price_of(s, l->job);
    return l->stop_mode == STOP_SAVE && p->save_ns < 0 && p->checkpoint != CHECKPOINT_NONE;
}

bool checkpoint_save_at_risk(struct sched *s, struct live *l)
{
    struct writing *w = &l->writing;
    const struct price *p = price_of(s, l->job);
    if (!saves(s, l) || p->checkpoint != CHECKPOINT_PERIODIC || p->grace_ns == 0 || !shares(s, l))
        return false;
    int64_t ns = p->write_ns;
    double bytes = (double)bytes_of(s, l->job);
    if (w->stage == WRITING_BLOCKED) {               /* what is left to write of the snapshot */
        ns = (w->event ? w->end_ns - s->now_ns : 0) + w->part_ns[1];
        bytes = (w->flows ? flow_left(s, w->flow) : w->part_bytes[0]) + w->part_bytes[1];
    }
    parts_set(w, 0, ns, bytes);
    return true;
}

void checkpoint_save_begins(struct sched *s, struct live *l, const struct leaving *price, bool at_risk)
{
    struct writing *w = &l->writing;
    if (!saves(s, l))
        return;
    w->stage = at_risk ? WRITING_AT_RISK : price->lost_ns ? WRITING_IN_VAIN : WRITING_TO_LEAVE;
    s->checkpoints->writers++;
    timeline_left(s, l, HOLD_LEAVING);               /* others may have begun to write since the stop was staged */
    timeline_leaves(s, l, price->stay_ns);
    if (!at_risk)
        return;
    w->lost_ns = pace_stop(s, l, STOP_RESTART, l->stop_done_ns).lost_ns;
    w->lost_wall_ns = pace_lost_wall_ns(s, l, l->stop_done_ns, w->lost_ns);
    part_begins(s, l);
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
    put_down(s, l);
    writer_ends(s, l, saved);
    return stage == WRITING_AT_RISK && !saved;
}

void checkpoint_save_fails(struct sched *s, struct live *l)
{
    if (l->writing.stage == WRITING_NOTHING)
        return;
    put_down(s, l);
    writer_ends(s, l, false);
}

/* ---- The model ---- */

static bool checkpoints_wanted(const struct sched *s)
{
    for (uint32_t i = 0; i <= intern_count(s->workload->prices); i++)
        if (s->price[i].checkpoint != CHECKPOINT_NONE && price_writes(&s->price[i]))
            return true;
    return false;
}

static void checkpoints_begin(struct sched *s)
{
    s->checkpoints = arena_alloc(s->memory, sizeof *s->checkpoints);
    storage_links_begin(s);
    s->checkpoints->job = arena_alloc(s->memory, s->workload->n_jobs * sizeof *s->checkpoints->job);
}

static int checkpoints_check(struct sched *s, struct error *err)
{
    int128_t stalled = 0, bytes = 0;
    uint64_t written = 0;
    for (job_id j = 0; j < s->workload->n_jobs; j++) {
        stalled += s->checkpoints->job[j].stalled;
        bytes += s->checkpoints->job[j].bytes;
        written += s->checkpoints->job[j].written;
    }
    if (stalled == s->totals.account[ACCOUNT_CHECKPOINT] && bytes == s->checkpoints->bytes && written == s->checkpoints->written)
        return 0;
    return error_set(err, "an identity is broken, please report it: GPU-seconds of checkpoints, by account and by job: "
                          "%.17g is not %.17g", (double)s->totals.account[ACCOUNT_CHECKPOINT], (double)stalled);
}

static const char *const job_columns[] = { "checkpoints", "checkpoint_gpu_s", "written_gib", NULL };

static void checkpoints_row(struct output *o, const struct sched *s, job_id j)
{
    const struct of_job *of = &s->checkpoints->job[j];
    out_char(o, ',');
    out_integer(o, of->written);
    out_char(o, ',');
    out_wide_seconds(o, of->stalled / MILLI_ALL);
    out_char(o, ',');
    out_double(o, (double)of->bytes / (1 << 30));
}

static const struct metric_kind metrics[] = {
    { "checkpoint_gpu_h", "GPU h", "GPU-time in which jobs stood still to write checkpoints", BETTER_LOWER },
    { "checkpoints", "", "checkpoints written, those of jobs that were told to leave included", BETTER_NEITHER },
    { "checkpoints_cut_short", "", "checkpoints begun and not finished: by a stop, a failure or the end of the job", BETTER_LOWER },
    { "written_gib", "GiB", "what the checkpoints came to", BETTER_NEITHER },
    { 0 },
};

static void checkpoints_summarise(struct maker *k)
{
    const struct checkpoints *c = k->s->checkpoints;
    summary_put_kind(k, &metrics[0], "all", gpu_hours(k->s->totals.account[ACCOUNT_CHECKPOINT]), 1);
    summary_put_kind(k, &metrics[1], "all", (double)c->written, 1);
    summary_put_kind(k, &metrics[2], "all", (double)c->cut_short, 1);
    summary_put_kind(k, &metrics[3], "all", (double)c->bytes / (1 << 30), 1);
}

const struct run_model checkpoints_model = {
    .name = "checkpoints", .summary = "checkpoints that take time to write",
    .wanted = checkpoints_wanted, .begin = checkpoints_begin,
    .placed = checkpoints_placed, .left = checkpoints_left, .paced = checkpoints_paced,
    .events = 1u << EVENT_CHECKPOINT, .happens = checkpoints_happens,
    .check = checkpoints_check, .job_columns = job_columns, .job_row = checkpoints_row,
    .metrics = metrics, .summarise = checkpoints_summarise,
};
