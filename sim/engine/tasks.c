/* tasks.c - see tasks.h. */
#include "sim/engine/tasks.h"
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/intervals.h"
#include "sim/engine/leaving.h"
#include "sim/engine/livelock.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/engine/notices.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/waiting.h"

#include <string.h>

/* ---- Carrying out ---- */

struct tasks { struct part *free; };    /* parts that are used no more */

void tasks_begin(struct sched *s)
{
    s->tasks = arena_alloc(s->memory, sizeof *s->tasks);
}

bool tasks_concern(const struct sched *s, const struct live *l)
{
    if (l->now.stopping || ask_of(s, l->job)->tasks == SPLIT_ANY || !(s->force->needs & STARTS_PARTIAL))
        return false;
    return l->now.broken || l->was.state == JOB_GATHERING || s->job[l->job].state == JOB_GATHERING ||
           (l->was.state == JOB_RUNNING && s->job[l->job].state == JOB_RUNNING);
}

/* Since l->held_since_ns these pieces were held for nothing. */
static void gathering_ends(struct sched *s, struct live *l, struct placement *p)
{
    memset(l->split, 0, sizeof l->split);
    l->split[ACCOUNT_GANG] = s->now_ns - l->held_since_ns;
    if (l->split[ACCOUNT_GANG])
        hold_end(s, l, p, l->held_since_ns, "gang");
    else
        books_occupied(s, l->job, p, -1);
}

void tasks_gather(struct sched *s, struct live *l)
{
    l->held_since_ns = s->now_ns;
    books_occupied(s, l->job, l->now.held, 1);
    enum wait_reason why = l->part && tasks_enough(s, l->job, l->now.held) ? WAIT_RELEASING : WAIT_GANG;
    if (l->counting)
        wait_own(s, l, why);
    else
        wait_begin(s, l, why);
    decision_log(s, l->job, "decision", "gather", "");
}

static void part_begins(struct sched *s, struct live *l, int64_t stay_ns)
{
    struct part *part = s->tasks->free, **last = &l->part;
    if (part)
        s->tasks->free = part->next;
    else
        part = arena_alloc(s->memory, sizeof *part);
    *part = (struct part){ .p = l->now.saving, .since_ns = s->now_ns, .until_ns = s->now_ns + stay_ns };
    if (l->unsaved_ns)
        part->gang = placement_copy(s, l->was.held);
    while (*last && (*last)->until_ns <= part->until_ns)
        last = &(*last)->next;
    part->next = *last;
    *last = part;
    books_occupied(s, l->job, l->now.saving, 1);
    part->event = event_queue_push(
        s->events, (struct event){ part->until_ns, EVENT_RELEASED, l->job });
}

static void gang_breaks(struct sched *s, struct live *l)
{
    struct stop_overhead overhead = pace_stop(s, l, l->now.stop_mode, l->stop_done_ns);
    job_halt(s, l, l->was.held);
    job_loses(s, l, l->stop_done_ns, overhead.lost_ns);
    const char *how = l->now.anew ? "moved" : "broken";
    run_ends(s, l, how);
    ledger_running(s, -1);
    unsigned cause = books_cause(s, l, PREEMPTED_BROKEN);
    books_preempted(s, l->job, cause);
    books_lost(s, l->job, cause, l->was.held, l->split[ACCOUNT_LOST]);
    stop_log(s, l, how);
    l->now.stopped_for = ID_NONE;
    if (l->now.saving) {
        if (s->n_models)
            job_note_unsaved(s, l, &overhead);
        l->stood_ns += l->split[ACCOUNT_USEFUL];
        part_begins(s, l, overhead.stay_ns);
    }
    l->now.saving = NULL;
    wait_begin(s, l, WAIT_GROUP);
}

/* From l->was.held, which is dropped, to l->now.held; it goes on after that time, or what is left of its start-up. */
static void job_resized(struct sched *s, struct live *l, int64_t cost_ns)
{
    progress_settle(&l->progress, s->now_ns);
    livelock_settled(s, l);
    pace_end(s, l, l->was.held);
    if (l->progress_event)
        event_queue_cancel(s->events, l->progress_event);
    else if (!l->pace.stalled)
        ledger_busy(s, -placement_gpu_milli(l->was.held));
    pace_split(s, l);
    run_ends(s, l, "resized");
    l->held_since_ns = s->now_ns;
    l->start_cost_ns -= l->split[ACCOUNT_START];
    cost_ns += models_wake_ns(s, l->now.held);
    if (l->start_cost_ns < cost_ns)
        l->start_cost_ns = cost_ns;
    l->begin_left_ns = l->progress.left_ns;
    l->stood_ns = 0;
    pace_begin(s, l);
    progress_begin(&l->progress, s->now_ns + l->start_cost_ns, pace_rate(&l->pace));
    event_queue_move(s->events, l->event, progress_end_ns(&l->progress));
    books_occupied(s, l->job, l->now.held, 1);
    l->progress_event = 0;
    if (l->start_cost_ns > 0)
        l->progress_event =
            event_queue_push(s->events, (struct event){ s->now_ns + l->start_cost_ns, EVENT_PROGRESS, l->job });
    else
        ledger_busy(s, placement_gpu_milli(l->now.held));
    models_paced(s, l);
    placement_drop(s, l->was.held);
    decision_log(s, l->job, "start", "resize", "");
}

void tasks_carry_out(struct sched *s, struct live *l)
{
    job_id j = l->job;
    enum job_state was = l->was.state, now = s->job[j].state;
    if (was == now && l->now.held && l->was.held && placement_same(l->now.held, l->was.held)) {
        placement_drop(s, l->now.held);                  /* stopped and started where they were: nothing has happened */
        placement_drop(s, l->now.saving);
        l->now.held = l->was.held;
        l->now.saving = NULL;
        l->now.stopped_for = ID_NONE;
        return;
    }
    run_changed(s);
    MUST(s, was == now || life_allows(was, now) || (was == JOB_RUNNING && life_allows(JOB_GATHERING, now)));
    if (was == JOB_RUNNING && now == JOB_RUNNING && !l->now.broken) {
        job_resized(s, l, 0);
        return;
    }
    if (was == JOB_RUNNING)
        gang_breaks(s, l);
    else if (was == JOB_GATHERING)
        gathering_ends(s, l, l->was.held);
    placement_drop(s, l->was.held);
    if (now == JOB_RUNNING) {
        job_begin(s, l);
    } else if (now == JOB_GATHERING) {
        tasks_gather(s, l);
    } else {
        wait_own(s, l, WAIT_GROUP);
        notice_add(s, NOTICE_ARRIVED, j, 0);
    }
}

/* ---- Whole resizes ---- */

bool resize_concerns(const struct sched *s, const struct live *l)
{
    return s->force->needs & RESIZES && l->was.state == JOB_RUNNING && s->job[l->job].state == JOB_RUNNING && !l->now.stopping;
}

void resize_carry_out(struct sched *s, struct live *l)
{
    run_changed(s);
    s->totals.resizes++;
    models_resized(s, l->job);
    l->size = placement_size(ask_of(s, l->job), l->now.held);
    s->job[l->job].distance = (uint8_t)cluster_placement_distance(s->cluster, l->now.held);
    job_resized(s, l, job_resize_cost_ns(s, l->job));
}

/* ---- Later ---- */

void tasks_scatter(struct sched *s, struct live *l)
{
    struct placement *p = l->now.held;
    const struct amount size = placement_amount(ask_of(s, l->job), p);
    l->now.held = NULL;
    placement_give(s->idle, ask_of(s, l->job), p);
    if (s->releasing)
        placement_give(s->releasing, ask_of(s, l->job), p);
    books_held(s, l->job, size, -1);
    books_pending(s, l->job, size, 1);
    gathering_ends(s, l, p);
    nodes_held_changed(s, p);
    placement_drop(s, p);
    view_freed(s);
    state_set(s, l->job, JOB_PENDING);
    wait_own(s, l, WAIT_GROUP);
}

static void part_ends(struct sched *s, struct live *l, struct part *part)
{
    memset(l->split, 0, sizeof l->split);
    l->split[ACCOUNT_SAVE] = s->now_ns - part->since_ns;
    hold_end(s, l, part->p, part->since_ns, "saved");
    placement_drop(s, part->p);
    placement_drop(s, part->gang);
    part->next = s->tasks->free;
    s->tasks->free = part;
}

void part_released(struct sched *s, struct live *l)
{
    struct part *part = l->part;
    MUST(s, part && part->until_ns == s->now_ns);
    l->part = part->next;
    placement_give(s->idle, ask_of(s, l->job), part->p);
    view_freed(s);
    part_ends(s, l, part);
    if (l->withdrawn && !l->part)
        on_demand_is_over(s, l);
    else if (l->now.held && s->job[l->job].state == JOB_GATHERING && tasks_state(s, l, l->now.held) == JOB_RUNNING) {
        gathering_ends(s, l, l->now.held);
        state_set(s, l->job, JOB_RUNNING);
        job_begin(s, l);
    }
    claims_settle(s);
}

void part_save_fails(struct sched *s, struct live *l, struct part *part, unsigned cause)
{
    if (!part->gang)
        return;
    job_loses_later(s, l, part->gang, cause, l->unsaved_ns, l->unsaved_wall_ns);
    placement_drop(s, part->gang);
    part->gang = NULL;
}

void part_leaves_now(struct sched *s, struct live *l, struct part *part)
{
    struct part **at = &l->part;
    while (*at != part)
        at = &(*at)->next;
    *at = part->next;
    part->next = l->part;
    l->part = part;
    part->until_ns = s->now_ns;
    event_queue_move(s->events, part->event, s->now_ns);
}

void tasks_cut_off(struct sched *s, struct live *l)
{
    if (s->job[l->job].state == JOB_GATHERING)
        gathering_ends(s, l, l->now.held);
    for (struct part *part; (part = l->part) != NULL;) {
        l->part = part->next;
        part_ends(s, l, part);
    }
}
