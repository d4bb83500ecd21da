/* pace.c - see pace.h. */
#include "sim/engine/pace.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/livelock.h"
#include "sim/engine/models.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/sizes.h"

#include <math.h>
#include <string.h>

const struct pace pace_neutral = { .tasks = 1, .compute_s = 1, .reference_s = 1, .gamma = 2, .interference = 1, .slow = 1,
                                    .slow_link = 1, .clock = 1, .computing = 1, .reading = 1, .duty = 1 };

double pace_iteration_s(const struct pace *p)
{
    double comm_s = p->comm_s + (p->slow_link < 1 ? p->network_s * (1 / p->slow_link - 1) : 0);
    double alone_s = iteration_s(p->compute_s / (p->interference * p->slow * p->clock), comm_s, p->gamma);
    return fmax(alone_s, fmax(p->read_s, p->input_s));
}

double pace_rate(const struct pace *p)
{
    return p->stalled ? 0 : p->tasks * (p->reference_s / pace_iteration_s(p));
}

double pace_begin_rate(const struct sched *s, const struct live *l)
{
    return s->n_models ? pace_rate(&l->pace) : l->pace.tasks;
}

/* Time in which progress was made since the mark. */
static int64_t since_mark_ns(const struct sched *s, const struct live *l)
{
    return l->pace.stalled || s->now_ns <= l->pace.mark_ns ? 0 : s->now_ns - l->pace.mark_ns;
}

void pace_begin(struct sched *s, struct live *l)
{
    int64_t at_risk_ns = l->suspended ? l->pace.at_risk_ns : 0;
    if (s->n_models)
        l->pace = pace_neutral;
    else
        memset(&l->pace, 0, offsetof(struct pace, compute_s));
    l->pace.at_risk_ns = at_risk_ns;
    l->pace.mark_done_ns = l->begin_left_ns - l->progress.left_ns;
    l->on = l->now.held;
    l->pace.tasks = tasks_rate(s, l);
    l->pace.mark_ns = s->now_ns + l->start_cost_ns;
    for (hook_walk i = HOOKED(s, placed); i; hook_next(&i))
        hooked(s, i)->placed(s, l);
}

/* ---- Quiet GPUs ---- */

static void set_quiet(struct sched *s, struct live *l, int64_t milli)
{
    struct pace *p = &l->pace;
    p->quiet_milli_ns += (int128_t)p->quiet_milli * (s->now_ns - p->quiet_since_ns);
    p->quiet_since_ns = s->now_ns;
    if (milli != p->quiet_milli)
        ledger_busy(s, p->quiet_milli - milli);
    p->quiet_milli = milli;
}

/* All of its GPUs work, or it makes no more progress; rounded down to whole nanoseconds. */
static void quiet_ends(struct sched *s, struct live *l, const struct placement *on)
{
    if (!l->pace.has_duty)
        return;
    set_quiet(s, l, 0);
    if (l->pace.quiet_milli_ns)
        l->stall_ns[ACCOUNT_QUIET] += (int64_t)(l->pace.quiet_milli_ns / placement_gpu_milli(on));
    l->pace.quiet_milli_ns = 0;
    l->pace.duty_owed = 0;
    l->pace.duty = 1;
    l->pace.steps = l->pace.tdp = 0;
    l->pace.has_duty = false;
}

void pace_duty(struct sched *s, struct live *l, struct pace_load load)
{
    int64_t all = placement_gpu_milli(l->on);
    double quiet = (1 - load.duty) * (double)all + l->pace.duty_owed;
    int64_t milli = llround(fmin(fmax(quiet, 0), (double)all));
    bool same = load.duty == l->pace.duty && load.steps == l->pace.steps && load.tdp == l->pace.tdp;
    MUST(s, load.duty >= 0 && load.duty <= 1 && !l->pace.stalled && !l->progress_event);
    l->pace.has_duty = true;
    set_quiet(s, l, milli);
    l->pace.duty_owed = quiet - (double)milli;
    l->pace.duty = load.duty;
    l->pace.steps = load.steps;
    l->pace.tdp = load.tdp;
    if (!same)
        models_paced(s, l);
}

static void count_work(const struct sched *s, struct live *l)
{
    l->work_ns += l->progress.rate * (double)since_mark_ns(s, l);
    l->pace.fastest = fmax(l->pace.fastest, l->progress.rate);
}

void pace_end(struct sched *s, struct live *l, const struct placement *from)
{
    quiet_ends(s, l, from);
    count_work(s, l);
    for (hook_walk i = HOOKED(s, left); i; hook_next(&i))
        hooked(s, i)->left(s, l, from);
    l->on = NULL;
}

/* ---- What is safe: done_ns is progress since the last start ---- */

static int64_t durable_ns(const struct sched *s, const struct live *l, int64_t done_ns)
{
    if (l->writing.on)
        return l->begin_left_ns - l->writing.safe_left_ns;
    return overhead_durable_ns(job_overhead(s, l->job), done_ns);
}

struct stop_overhead pace_stop(const struct sched *s, const struct live *l, enum stop_mode mode, int64_t done_ns)
{
    const struct overhead *p = job_overhead(s, l->job);
    int64_t safe_ns = durable_ns(s, l, done_ns);
    bool saves = mode == STOP_SAVE || mode == STOP_CANCEL;
    if (!saves || p->save_ns >= 0 || p->checkpoint == CHECKPOINT_NONE)
        return overhead_of_stop(p, mode, done_ns, safe_ns);
    struct overhead now = *p;
    now.save_ns = models_save_ns(s, l);
    return overhead_of_stop(&now, mode, done_ns, safe_ns);
}

int64_t pace_useful_ns(const struct sched *s, const struct live *l)
{
    return l->pace.useful_ns + since_mark_ns(s, l);
}

static int64_t at_risk_ns(const struct sched *s, const struct live *l, int64_t done_ns, int64_t lost_ns)
{
    int64_t since_ns = since_mark_ns(s, l), made_ns = done_ns - l->pace.mark_done_ns;
    if (lost_ns > made_ns)
        return l->pace.at_risk_ns + since_ns;
    double wall = l->progress.rate == 1.0 ? (double)lost_ns : (double)lost_ns / l->progress.rate;
    return wall < (double)since_ns ? (int64_t)wall : since_ns;
}

int64_t pace_lost_wall_ns(const struct sched *s, const struct live *l, int64_t done_ns, int64_t lost_ns)
{
    if (lost_ns <= 0 || lost_ns >= done_ns)
        return lost_ns <= 0 ? 0 : INT64_MAX;
    if (!l->writing.on)
        return at_risk_ns(s, l, done_ns, lost_ns);
    return (l->event ? pace_useful_ns(s, l) : l->writing.left_wall_ns) - l->writing.safe_wall_ns;
}

/* Progress, and what of it would be lost, up to now. */
static void mark(struct sched *s, struct live *l)
{
    int64_t done_ns = job_done_ns(s, l);
    l->pace.at_risk_ns = at_risk_ns(s, l, done_ns, done_ns - durable_ns(s, l, done_ns));
    l->pace.mark_done_ns = done_ns;
    count_work(s, l);
    l->pace.useful_ns = pace_useful_ns(s, l);
    if (s->now_ns > l->pace.mark_ns)
        l->pace.mark_ns = s->now_ns;
}

void pace_suspend(struct sched *s, struct live *l)
{
    int64_t done_ns = job_done_ns(s, l);
    l->pace.at_risk_ns = at_risk_ns(s, l, done_ns, done_ns - durable_ns(s, l, done_ns));
    l->pace.mark_done_ns = done_ns;
    l->pace.stalled = true;
}

void pace_roll_back(struct live *l, int64_t lost_ns)
{
    progress_roll_back(&l->progress, lost_ns);
    l->work_ns -= (double)lost_ns;
}

void pace_check_work(const struct sched *s, const struct live *l)
{
    double wanted_ns = (double)s->workload->truth[l->job].duration_ns;
    double rounding_ns = 1e-9 * wanted_ns + 4 + l->pace.fastest;    /* the end is rounded up by less than 1 ns, at its rate */
    if (fabs(l->work_ns - wanted_ns) > rounding_ns)
        ENGINE_BUG(s, "job %s has done %.17g ns of work, and had %.17g ns to do", s->workload->truth[l->job].name, l->work_ns, wanted_ns);
}

/* ---- Changes ---- */

void pace_changed(struct sched *s, struct live *l)
{
    double rate = pace_rate(&l->pace);
    if (rate == l->progress.rate)
        return;
    mark(s, l);
    progress_set_rate(&l->progress, s->now_ns, rate);
    livelock_settled(s, l);
    event_queue_move(s->events, l->event, progress_end_ns(&l->progress));
    models_paced(s, l);
}

void pace_stall(struct sched *s, struct live *l, enum account on)
{
    models_stall(s, l, on);
    MUST(s, !l->pace.stalled);
    if (l->progress_event) {                          /* that was all of its start-up */
        event_queue_cancel(s->events, l->progress_event);
        l->progress_event = 0;
        l->start_cost_ns = s->now_ns - l->held_since_ns;
        l->progress.since_ns = l->pace.mark_ns = s->now_ns;
    } else {
        ledger_busy(s, -placement_gpu_milli(l->on));
    }
    quiet_ends(s, l, l->on);
    mark(s, l);
    l->pace.stalled = true;
    l->pace.stalled_on = (uint8_t)on;
    l->pace.stalled_since_ns = s->now_ns;
    pace_changed(s, l);
}

static void stall_ends(struct sched *s, struct live *l)
{
    l->pace.stalled = false;
    l->stall_ns[l->pace.stalled_on] += s->now_ns - l->pace.stalled_since_ns;
    l->pace.mark_ns = s->now_ns;
}

void pace_resume(struct sched *s, struct live *l)
{
    MUST(s, l->pace.stalled);
    stall_ends(s, l);
    ledger_busy(s, placement_gpu_milli(l->on));
    pace_changed(s, l);
}

void pace_split(struct sched *s, struct live *l)
{
    int64_t useful_ns = s->now_ns - l->held_since_ns;
    memset(l->split, 0, sizeof l->split);
    l->split[ACCOUNT_START] = useful_ns < l->start_cost_ns ? useful_ns : l->start_cost_ns;
    useful_ns -= l->split[ACCOUNT_START];
    if (l->pace.stalled)
        stall_ends(s, l);
    for (unsigned a = 0; s->n_models && a < HELD_ACCOUNTS; a++) {    /* only models stall jobs */
        l->split[a] += l->stall_ns[a];
        useful_ns -= l->stall_ns[a];
        l->stall_ns[a] = 0;
    }
    l->split[ACCOUNT_USEFUL] = useful_ns;
}
