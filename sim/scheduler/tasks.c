/* tasks.c - single tasks: gangs that are not complete, jobs that grow and shrink.
 *
 * A job that holds fewer tasks than its minimum is gathering: it holds their GPUs, makes no progress and waits for the
 * rest (WAIT_GANG; account "gang"). From the minimum (of every group) on it progresses at the share of its tasks, or of its GPUs if the tasks differ, that it holds. Falling below the minimum
 * while it runs breaks the gang: progress stops at the price of a stop, the task that was stopped stays while it saves,
 * the others are held on. Growing or shrinking above the minimum loses nothing and counts as a durable checkpoint. */
#include "sim/scheduler/tasks.h"
#include "sim/accounting/books.h"
#include "sim/engine/host.h"
#include "sim/engine/leaving.h"
#include "sim/engine/nodes.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/scheduler/resize.h"
#include "sim/scheduler/transaction.h"
#include "sim/scheduler/waiting.h"

#include <string.h>

/* The runs of a leaf follow each other, and so do the pieces of p. */
static bool groups_enough(const struct job_facts *f, const struct placement *p)
{
    size_t i = 0;
    for (const struct request *r = f->ask, *next; r; r = next) {
        uint32_t held = 0;
        for (next = r; next && next->group == r->group; next = next->next)
            for (; i < p->n && p->piece[i].task - next->first_task < next->tasks; i++)
                held++;
        if (held < f->group[r->group].min_tasks)
            return false;
    }
    return true;
}

bool tasks_enough(const struct sched *s, job_id j, const struct placement *p)
{
    const struct job_facts *f = &s->workload->facts[j];
    if (f->ask->tasks == SPLIT_ANY)
        return p != NULL;
    return p && p->n >= size_least(s, j) && (!f->n_groups || groups_enough(f, p));
}

enum job_state tasks_state(const struct sched *s, const struct live *l, const struct placement *p)
{
    if (!p)
        return JOB_PENDING;
    return tasks_enough(s, l->job, p) && !l->late && !l->part ? JOB_RUNNING : JOB_GATHERING;
}

/* The share of the tasks (under SPLIT_ANY of the GPUs) that it usually has; where they differ, of their GPUs, if it holds any:
 * tasks without GPUs may be all that its minimum asks for, and then they do get on. */
double tasks_rate(const struct sched *s, const struct live *l)
{
    const struct request *ask = ask_of(s, l->job);
    uint32_t all = request_tasks(ask);
    if (all == SPLIT_ANY)
        return (double)placement_size(ask, l->held) / ask->gpus;
    if (l->held->n == all)
        return 1.0;
    int64_t gpu_milli = ask->next ? placement_gpu_milli(l->held) : 0;
    return gpu_milli ? (double)gpu_milli / (double)request_gpu_milli(ask) : (double)l->held->n / all;
}

/* ---- Verbs ---- */

enum sched_result start_more(struct sched *s, struct live *l, const struct placement *p)
{
    job_id j = l->job;
    for (size_t i = 0; i < p->n; i++)
        if (placement_task(l->held, p->piece[i].task))
            return verb_refused(s, j, "start", SCHED_WRONG_STATE);
    const struct placement *all = p->n > 0 ? placement_with(s, l->held, p) : p;
    if (ask_of(s, j)->tasks == SPLIT_ANY || !placement_matches(s, j, all, true))
        return verb_refused(s, j, "start", SCHED_MISMATCH);
    stage_touch(s, l);
    struct placement *added = placement_stage(s, j, placement_copy(s, p));
    if (!stage_take_if_free(s, s->idle, j, added))
        return verb_refused(s, j, "start", SCHED_NO_ROOM);
    stage_take(s, s->room, j, added);
    stage_state(s, l, tasks_state(s, l, all), placement_stage(s, j, placement_copy(s, all)), false);
    const struct amount size = placement_amount(ask_of(s, j), p);
    stage_pending(s, j, size, -1);
    stage_held(s, j, size, 1);
    return SCHED_OK;
}

/* Progress ends: what this costs is fixed now. */
static void break_gang(struct sched *s, struct live *l, enum stop_mode m)
{
    int64_t done_ns = job_done_ns(s, l);
    stage_state(s, l, JOB_GATHERING, l->held, false);
    l->broken = true;
    l->stopped_for = ID_NONE;
    l->stop_mode = (uint8_t)m;
    l->stop_done_ns = done_ns;
}

static bool stop_allowed(const struct sched *s, const struct live *l, const struct piece *p)
{
    enum job_state state = s->job[l->job].state;
    if (!(s->needs & STARTS_PARTIAL) || !p || l->pencilled_out || !(state == JOB_RUNNING || state == JOB_GATHERING))
        return false;
    return ask_of(s, l->job)->tasks != SPLIT_ANY;
}

enum sched_result sched_stop_task(struct sched *s, job_id j, uint32_t task, enum stop_mode m)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    const struct piece *p = l ? placement_task(l->held, task) : NULL;
    if (!l || !stop_allowed(s, l, p))
        return verb_refused(s, l ? j : ID_NONE, "stop", SCHED_WRONG_STATE);
    stage_touch(s, l);
    bool ran = l->was.state == JOB_RUNNING, held = placement_task(l->was.held, task) != NULL;
    if (held && (!s->workload->facts[j].preemptible || m > STOP_RESTART))
        return verb_refused(s, j, "stop", SCHED_NOT_ALLOWED);
    const struct placement *rest = placement_without(s, l->held, task);
    if (!rest && ran && !l->broken && held)
        return sched_stop(s, j, m);
    struct placement *gone = placement_copy(s, &(struct placement){ .n = 0 });
    gone->n = 1;
    gone->piece[0] = *p;
    placement_stage(s, j, gone);
    if (ran && !l->broken && !tasks_enough(s, j, rest))
        break_gang(s, l, m);
    struct placement *now = rest ? placement_stage(s, j, placement_copy(s, rest)) : NULL, *late = l->late;
    bool saves = l->broken && held && pace_stop(s, l, l->stop_mode, l->stop_done_ns).stay_ns > 0;
    if (saves)
        late = placement_stage(s, j, placement_copy(s, placement_with(s, l->late, gone)));
    stage_state(s, l, s->job[j].state, now, false);
    l->late = late;
    s->job[j].state = (uint8_t)tasks_state(s, l, now);
    if (!saves) {
        stage_give(s, s->idle, j, gone);
        s->room_version++;
    }
    stage_give(s, s->room, j, gone);
    const struct amount size = placement_amount(ask_of(s, j), gone);
    stage_held(s, j, size, -1);
    stage_pending(s, j, size, 1);
    return SCHED_OK;
}

/* ---- Carrying out ---- */

bool tasks_concern(const struct sched *s, const struct live *l)
{
    if (l->stopping || ask_of(s, l->job)->tasks == SPLIT_ANY || !(s->needs & STARTS_PARTIAL))
        return false;
    return l->broken || l->was.state == JOB_GATHERING || s->job[l->job].state == JOB_GATHERING ||
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
    books_occupied(s, l->job, l->held, 1);
    enum wait_reason why = l->part && tasks_enough(s, l->job, l->held) ? WAIT_RELEASING : WAIT_GANG;
    if (l->counting)
        wait_own(s, l, why);
    else
        wait_begin(s, l, why);
    decision_log(s, l->job, "decision", "gather", "");
}

void run_ends(struct sched *s, struct live *l, const char *why)
{
    struct job_run *run = &s->job[l->job];
    run->run_ns += s->now_ns - l->held_since_ns;
    run->lost_ns += l->split[ACCOUNT_LOST];
    run->overhead_ns += pace_overhead_ns(l->split);
    hold_end(s, l, l->was.held, l->held_since_ns, why);
}

static void part_begins(struct sched *s, struct live *l, int64_t stay_ns)
{
    struct part *part = s->free_part, **last = &l->part;
    if (part)
        s->free_part = part->next;
    else
        part = arena_alloc(s->memory, sizeof *part);
    *part = (struct part){ .p = l->late, .since_ns = s->now_ns, .until_ns = s->now_ns + stay_ns };
    while (*last && (*last)->until_ns <= part->until_ns)
        last = &(*last)->next;
    part->next = *last;
    *last = part;
    books_occupied(s, l->job, l->late, 1);
    event_queue_push(s->events, (struct event){ part->until_ns, EVENT_RELEASED, l->job });
}

static void gang_breaks(struct sched *s, struct live *l)
{
    struct stop_overhead overhead = pace_stop(s, l, l->stop_mode, l->stop_done_ns);
    job_halt(s, l, l->was.held);
    job_loses(s, l, l->stop_done_ns, overhead.lost_ns);
    const char *how = l->anew ? "moved" : "broken";
    run_ends(s, l, how);
    s->running--;
    books_preempted(s, l, PREEMPTED_BROKEN);
    books_lost(s, l, PREEMPTED_BROKEN, l->was.held, l->split[ACCOUNT_LOST]);
    stop_log(s, l, how);
    l->stopped_for = ID_NONE;
    if (l->late)
        part_begins(s, l, overhead.stay_ns);
    l->late = NULL;
    wait_begin(s, l, WAIT_GROUP);
}

void tasks_carry_out(struct sched *s, struct live *l)
{
    job_id j = l->job;
    enum job_state was = l->was.state, now = s->job[j].state;
    if (was == now && l->held && l->was.held && placement_same(l->held, l->was.held)) {
        placement_drop(s, l->held);                  /* stopped and started where they were: nothing has happened */
        placement_drop(s, l->late);
        l->held = l->was.held;
        l->late = NULL;
        l->stopped_for = ID_NONE;
        return;
    }
    s->changed = true;
    MUST(s, was == now || life_allows(was, now) || (was == JOB_RUNNING && life_allows(JOB_GATHERING, now)));
    if (was == JOB_RUNNING && now == JOB_RUNNING && !l->broken) {
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

/* ---- Later ---- */

void tasks_scatter(struct sched *s, struct live *l)
{
    struct placement *p = l->held;
    const struct amount size = placement_amount(ask_of(s, l->job), p);
    l->held = NULL;
    placement_give(s->idle, ask_of(s, l->job), p);
    if (s->room)
        placement_give(s->room, ask_of(s, l->job), p);
    books_held(s, l->job, size, -1);
    books_pending(s, l->job, size, 1);
    gathering_ends(s, l, p);
    nodes_held_changed(s, p);
    placement_drop(s, p);
    s->room_version++;
    state_set(s, l->job, JOB_PENDING);
    wait_own(s, l, WAIT_GROUP);
}

static void part_ends(struct sched *s, struct live *l, struct part *part)
{
    memset(l->split, 0, sizeof l->split);
    l->split[ACCOUNT_SAVE] = s->now_ns - part->since_ns;
    hold_end(s, l, part->p, part->since_ns, "saved");
    placement_drop(s, part->p);
    part->next = s->free_part;
    s->free_part = part;
}

void part_released(struct sched *s, struct live *l)
{
    struct part *part = l->part;
    MUST(s, part && part->until_ns == s->now_ns);
    l->part = part->next;
    placement_give(s->idle, ask_of(s, l->job), part->p);
    s->room_version++;
    part_ends(s, l, part);
    if (l->withdrawn && !l->part)
        on_demand_is_over(s, l);
    else if (l->held && s->job[l->job].state == JOB_GATHERING && tasks_state(s, l, l->held) == JOB_RUNNING) {
        gathering_ends(s, l, l->held);
        state_set(s, l->job, JOB_RUNNING);
        job_begin(s, l);
    }
    claims_settle(s);
}

void tasks_cut_off(struct sched *s, struct live *l)
{
    if (s->job[l->job].state == JOB_GATHERING)
        gathering_ends(s, l, l->held);
    for (struct part *part; (part = l->part) != NULL;) {
        l->part = part->next;
        part_ends(s, l, part);
    }
}
