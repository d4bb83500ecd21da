/* jobs.c - the truth: jobs arrive, run, are stopped, leave and end. Every change of state passes through here. */
#include "sim/run/checkpoints.h"
#include "sim/run/host.h"
#include "sim/run/models.h"
#include "sim/run/nodes.h"
#include "sim/run/on_demand.h"
#include "sim/run/sleep.h"

#include <stdlib.h>
#include <string.h>

void state_set(struct sched *s, job_id j, enum job_state to)
{
    enum job_state from = s->job[j].state;
    if (!life_allows(from, to))
        HOST_BUG(s, "job %s goes from %s to %s", s->workload->truth[j].name, life_state_name(from), life_state_name(to));
    s->job[j].state = (uint8_t)to;
}

void decision_log(const struct sched *s, job_id j, const char *kind, const char *decision, const char *reason)
{
    const struct run_observer *o = &s->setup.observer;
    if (o->decision)
        o->decision(o->self, j, s->now_ns, kind, decision, reason);
}

void stop_log(const struct sched *s, const struct live *l, const char *how)
{
    decision_log(s, l->job, "stop", how, l->stopped_for == ID_NONE ? "" : s->workload->truth[l->stopped_for].name);
}

/* ---- Coming and going ---- */

static uint32_t live_slot(struct sched *s)
{
    if (s->n_live_free)
        return s->live_free[--s->n_live_free];
    mem_grow(&s->live, &s->live_capacity, s->n_live, sizeof *s->live);
    s->live[s->n_live] = (struct live){ .own = NULL };
    if (s->own_size)
        s->live[s->n_live].own = arena_alloc(s->memory, s->own_size);
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

struct live *job_enter(struct sched *s, job_id j)
{
    uint32_t slot = live_slot(s);
    struct live *l = &s->live[slot];
    void *own = l->own;
    int64_t *wait_before = l->wait_before;
    memset(l, 0, s->n_models ? sizeof *l : offsetof(struct live, writing));
    l->wait_before = wait_before;
    l->job = j;
    l->stopped_for = ID_NONE;
    l->entry = l->wait_sub = ID_NONE;
    l->last_start_ns = -1;
    memset(l->hold, 0xff, sizeof l->hold);                   /* ORDERED_NONE */
    l->own = own;
    if (own)
        memset(own, 0, s->own_size);
    l->progress.left_ns = l->least_left_ns = s->workload->truth[j].duration_ns;
    l->wait[WAIT_DEPENDENCY] = s->now_ns - s->workload->facts[j].submit_ns;
    if (on_demand(s, j))
        on_demand_enters(s, l);
    l->estimate_ns = estimate_at_arrival(s, j);
    l->contending_before = s->totals.contending;
    s->job[j].live = slot;
    s->n_submitted++;
    books_present(s, j, 1);
    s->changed = true;
    state_set(s, j, JOB_PENDING);
    livelock_got_on(s);
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

void job_rejected(struct sched *s, job_id j, const char *reason)
{
    if (!s->refusal)
        s->refusal = arena_alloc(s->memory, s->n_jobs * sizeof *s->refusal);
    s->refusal[j] = reason;
    s->job[j].outcome = OUTCOME_REJECTED;
    s->job[j].end_ns = s->now_ns;
    s->totals.rejected++;
    books_present(s, j, -1);
    dependencies_ended(s, j);
    books_pending(s, j, request_amount(ask_of(s, j)), -1);
    wait_end(s, live_of(s, j));
    decision_log(s, j, "decision", "refuse", reason);
    job_retire(s, j);
    if (on_demand(s, j))
        models_gone(s, j);
}

void job_retire(struct sched *s, job_id j)
{
    struct live *l = live_of(s, j);
    lines_forget(s, j);
    timeline_forget(s, l);
    wait_store(s, j, l);
    mem_grow(&s->live_free, &s->live_free_capacity, s->n_live_free, sizeof *s->live_free);
    s->live_free[s->n_live_free++] = s->job[j].live;
    s->job[j].live = ID_NONE;
    livelock_got_on(s);
}

/* ---- Running ---- */

void job_begin(struct sched *s, struct live *l)
{
    job_id j = l->job;
    struct job_run *run = &s->job[j];
    bool first = run->start_ns < 0;
    if (l->counting)
        wait_end(s, l);
    if (l->suspended) {
        suspend_ends(s, l);
        return;
    }
    if (first) {
        run->start_ns = s->now_ns;
        livelock_got_on(s);
    } else {
        run->restarts++;
    }
    job_runs(s, l, start_cost_ns(s, l, l->held, first));
    decision_log(s, j, "start", first ? "start" : "restart", "");
    notice_add(s, NOTICE_STARTED, j, 0);
}

void job_runs(struct sched *s, struct live *l, int64_t start_cost_ns)
{
    job_id j = l->job;
    s->job[j].distance = (uint8_t)cluster_placement_distance(s->cluster, l->held);
    l->held_since_ns = l->last_start_ns = s->now_ns;
    l->stopped_for = ID_NONE;
    l->size = placement_size(ask_of(s, j), l->held);
    l->start_cost_ns = start_cost_ns + sleep_wake_ns(s, l->held);
    if (!l->suspended) {                             /* else what it did before counts on */
        l->begin_left_ns = l->progress.left_ns;
        l->stood_ns = 0;
    }
    pace_begin(s, l);
    progress_begin(&l->progress, s->now_ns + l->start_cost_ns, pace_rate(&l->pace));
    l->event = event_queue_push(s->events, (struct event){ progress_end_ns(&l->progress), EVENT_JOB_END, j });
    books_occupied(s, j, l->held, 1);
    l->progress_event = 0;
    if (l->start_cost_ns > 0)
        l->progress_event = event_queue_push(
            s->events, (struct event){ s->now_ns + l->start_cost_ns, EVENT_PROGRESS, j });
    else
        s->busy_milli += placement_gpu_milli(l->held);
    models_paced(s, l);
    s->running++;
    s->totals.starts++;
}

void job_progressing(struct sched *s, job_id j)
{
    struct live *l = live_of(s, j);
    l->progress_event = 0;
    s->busy_milli += placement_gpu_milli(l->held);
    models_paced(s, l);
}

int64_t job_done_ns(const struct sched *s, const struct live *l)
{
    if (!l->event || l->progress.since_ns >= s->now_ns)       /* not running in truth, or still starting up */
        return l->begin_left_ns - l->progress.left_ns;
    struct progress p = l->progress;
    progress_settle(&p, s->now_ns);
    return l->begin_left_ns - p.left_ns;
}

int64_t job_left_ns(const struct sched *s, const struct live *l)
{
    return l->begin_left_ns - job_done_ns(s, l);
}

void job_halt(struct sched *s, struct live *l, const struct placement *on)
{
    progress_settle(&l->progress, s->now_ns);
    livelock_settled(s, l);
    pace_end(s, l, on);
    event_queue_cancel(s->events, l->event);
    l->event = 0;
    if (l->progress_event)
        event_queue_cancel(s->events, l->progress_event);
    else if (!l->pace.stalled)
        s->busy_milli -= placement_gpu_milli(on);
    pace_split(s, l);
    l->progress_event = 0;
}

void hold_end(struct sched *s, struct live *l, const struct placement *p, int64_t since_ns, const char *why)
{
    int64_t milli = placement_gpu_milli(p), overhead_ns = pace_overhead_ns(l->split) + l->split[ACCOUNT_GANG];
    books_occupied(s, l->job, p, -1);
    nodes_held_changed(s, p);
    if (s->gpu_time) {
        struct gpu_time *t = &s->gpu_time[l->job];
        t->held += (int128_t)(s->now_ns - since_ns) * milli;
        t->lost += (int128_t)l->split[ACCOUNT_LOST] * milli;
        t->overhead += (int128_t)overhead_ns * milli;
    }
    ledger_interval(s, p, l->split);
    if (s->setup.observer.interval)
        s->setup.observer.interval(s->setup.observer.self,
                                   &(struct interval){ l->job, p, since_ns, s->now_ns, l->stopped_for, why });
}

/* The job has left its pieces for good. */
static void interval_close(struct sched *s, struct live *l, struct placement *p, int64_t since_ns, const char *why)
{
    struct job_run *run = &s->job[l->job];
    run->run_ns += s->now_ns - since_ns;
    run->lost_ns += l->split[ACCOUNT_LOST];
    run->overhead_ns += pace_overhead_ns(l->split);
    s->running--;
    s->room_version++;
    hold_end(s, l, p, since_ns, why);
    placement_drop(s, p);
}

void job_loses_wall(struct live *l, int64_t lost_ns, int64_t wall_ns)
{
    int64_t useful_ns = l->stood_ns + l->split[ACCOUNT_USEFUL], here_ns = wall_ns < useful_ns ? wall_ns : useful_ns;
    pace_roll_back(l, lost_ns);
    l->split[ACCOUNT_LOST] = here_ns;
    l->split[ACCOUNT_USEFUL] -= here_ns;
}

void job_loses(struct sched *s, struct live *l, int64_t done_ns, int64_t lost_ns)
{
    job_loses_wall(l, lost_ns, pace_lost_wall_ns(s, l, done_ns, lost_ns));
}

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
        s->job[j].fairness_micro = books_fairness_micro(s, l);
    books_present(s, j, -1);
    if (s->predictor && l->progress.left_ns == 0)
        predictor_ended(s->predictor, s->workload->facts[j].user, request_gpu_milli(ask_of(s, j)),
                        s->workload->truth[j].duration_ns);
    decision_log(s, j, "end", endings[fate].why, "");
    if (on_demand(s, j))
        models_gone(s, j);
}

void job_leave(struct sched *s, struct live *l, bool moves)
{
    job_id j = l->job;
    struct leaving price = pace_stop(s, l, l->stop_mode, l->stop_done_ns);
    bool at_risk = checkpoint_save_at_risk(s, l);
    if (at_risk)
        price = (struct leaving){ price_of(s, j)->grace_ns, 0 };
    job_halt(s, l, l->was.held);
    job_loses(s, l, l->stop_done_ns, price.lost_ns);
    l->split[ACCOUNT_SAVE] = price.stay_ns;
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
    job_departs(s, l, l->was.held, &price, at_risk, unsaid, moves);
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
static void note_unsaved(struct sched *s, struct live *l, const struct leaving *price)
{
    bool saves = l->stop_mode == STOP_SAVE && price->lost_ns == 0;
    l->unsaved_ns = saves ? pace_stop(s, l, STOP_RESTART, l->stop_done_ns).lost_ns : 0;
    l->unsaved_wall_ns = saves ? pace_lost_wall_ns(s, l, l->stop_done_ns, l->unsaved_ns) : 0;
}

void job_departs(struct sched *s, struct live *l, struct placement *p, const struct leaving *price, bool at_risk, unsigned cause, bool moves)
{
    job_id j = l->job;
    if (price->stay_ns > 0) {
        l->leaving = p;
        l->leaving_since_ns = l->held_since_ns;
        l->release_event = event_queue_push(s->events, (struct event){ s->now_ns + price->stay_ns, EVENT_RELEASED, j });
        l->writing.cause = (uint8_t)cause;
        if (s->faults)
            note_unsaved(s, l, price);
        checkpoint_save_begins(s, l, price, at_risk);
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

/* It stops running for good. */
static void runs_no_more(struct sched *s, struct live *l, unsigned fate, const char *why)
{
    job_id j = l->job;
    struct placement *p = l->held;
    timeline_left(s, l, HOLD_RUN);
    job_halt(s, l, p);
    l->held = NULL;
    placement_give(s->idle, ask_of(s, j), p);
    if (s->room)
        placement_give(s->room, ask_of(s, j), p);
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

/* ---- Claims ---- */

void claim_give_back(struct sched *s, struct live *l)
{
    job_id j = l->job;
    struct placement *p = l->held;
    timeline_left(s, l, HOLD_RUN);
    l->held = NULL;
    placement_give(s->idle, ask_of(s, j), p);
    if (s->room)
        placement_give(s->room, ask_of(s, j), p);
    books_given_up(s, l, p);
    nodes_held_changed(s, p);
    placement_drop(s, p);
    state_set(s, j, l->leaving ? JOB_RELEASING : JOB_PENDING);
    decision_log(s, j, "decision", "unclaim", "");
    if (!l->leaving)
        wait_own(s, l, WAIT_GROUP);                  /* else it was moving: it is still where it was */
}

static bool settled(const struct sched *s, const struct live *l)
{
    if (l->leaving)
        return false;
    for (size_t i = 0; i < l->held->n; i++)
        if (!free_index_settled(s->idle, &l->held->piece[i]))
            return false;
    return true;
}

void claims_settle(struct sched *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n_claims; i++) {
        struct live *l = &s->live[s->claim[i]];
        bool claims = s->job[l->job].state == JOB_CLAIMED;
        if (claims && !settled(s, l)) {
            s->claim[kept++] = s->claim[i];
            continue;
        }
        l->claimed = false;
        if (claims) {
            state_set(s, l->job, JOB_RUNNING);
            job_begin(s, l);
        }
    }
    s->n_claims = kept;
}

/* ---- The cut-off: what still runs or waits is counted up to now, and stays what it is. ---- */

void jobs_cut_off(struct sched *s)
{
    (void)dependencies_enter(s);
    for (job_id j = 0; j < s->n_jobs; j++) {
        struct live *l = live_of(s, j);
        if (!l)
            continue;
        if (l->counting)
            wait_end(s, l);
        if (l->leaving) {
            unsigned stays = l->split[ACCOUNT_FAULT] ? ACCOUNT_FAULT : ACCOUNT_SAVE;
            l->split[stays] = 0;
            for (unsigned a = 0; a < HELD_ACCOUNTS; a++)
                l->split[stays] -= a == stays ? l->leaving_since_ns - s->now_ns : l->split[a];
            interval_close(s, l, l->leaving, l->leaving_since_ns, "cutoff");
        } else if (s->job[j].state == JOB_RUNNING) {
            job_halt(s, l, l->held);
            interval_close(s, l, l->held, l->held_since_ns, "cutoff");
        }
        tasks_cut_off(s, l);
        *(s->job[j].state == JOB_RUNNING ? &s->totals.running : &s->totals.pending) += 1;
        job_retire(s, j);
    }
}
