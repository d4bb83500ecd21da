/* verbs.c - what a policy may do. Each verb is checked against the world and staged at once. */
#include "sim/accounting/books.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/engine/tasks.h"
#include "sim/scheduler/checks.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/closed/reserved.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/stage.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/tentative.h"
#include "sim/scheduler/timeline.h"

#include <string.h>

static inline bool is_limited(const struct sched *s, job_id j)
{
    return s->workload->shape[ask_of(s, j)->shape].limited != ID_NONE;
}

static inline bool over_limit(const struct sched *s, job_id j, struct amount more)
{
    return is_limited(s, j) && queue_over_limit(s, s->workload->facts[j].queue, more);
}

enum sched_result sched_count_in(struct sched *s, job_id j, uint32_t flavor)
{
    struct live *l = j < s->n_jobs && flavor < s->cluster->n_flavors ? live_of(s, j) : NULL;
    if (!l || s->job[j].state != JOB_PENDING || l->touched || l->now.held || l->leaving || l->part)
        return SCHED_WRONG_STATE;
    books_count_in(s, l, flavor);
    return SCHED_OK;
}

/* ---- Start ---- */

static enum sched_result start_more(struct sched *s, struct live *l, const struct placement *p)
{
    job_id j = l->job;
    for (size_t i = 0; i < p->n; i++)
        if (placement_task(l->now.held, p->piece[i].task))
            return verb_refused(s, j, VERB_START, SCHED_WRONG_STATE);
    const struct placement *all = p->n > 0 ? placement_with(s, l->now.held, p) : p;
    if (!placement_joins(s, j, p, all) || reserved_denies_more(s, j, p, NULL))
        return verb_refused(s, j, VERB_START, SCHED_MISMATCH);
    const struct amount size = placement_amount(ask_of(s, j), p);
    if (over_limit(s, j, size))
        return verb_refused(s, j, VERB_START, SCHED_OVER_LIMIT);
    stage_touch(s, l);
    struct placement *added = placement_stage(s, j, placement_copy(s, p));
    if (!stage_take_if_free(s, s->idle, j, added))
        return verb_refused(s, j, VERB_START, SCHED_NO_ROOM);
    stage_take(s, s->releasing, j, added);
    stage_state(s, l, tasks_state(s, l, all), placement_stage(s, j, placement_copy(s, all)), false);
    stage_served(s, j, size, size);
    return SCHED_OK;
}

/* Takes the pieces from the indexes: idle now, or idle once jobs that are leaving have left. A job
 * with tasks stopped one by one in this pass does not wait for others to leave: it would hold
 * nothing meanwhile, and go on as if it had never stopped. */
static enum sched_result take(struct sched *s, const struct live *l, const struct placement *p)
{
    job_id j = l->job;
    bool waits = !l->was.held || l->now.stopping;
    if (stage_take_if_free(s, s->idle, j, p)) {
        stage_take(s, s->releasing, j, p);
        return SCHED_OK;
    }
    if (!waits || !releasing_seen(s) || tentative_any_out(s) || !stage_take_if_free(s, s->releasing, j, p))
        return SCHED_NO_ROOM;
    stage_take(s, s->idle, j, p);
    return SCHED_LATER;
}

static bool leaves_late(const struct sched *s, const struct live *l)
{
    return pace_stop(s, l, l->now.stop_mode, l->stop_done_ns).stay_ns > 0;
}

enum sched_result sched_start(struct sched *s, job_id j, const struct placement *p)
{
    if (j >= s->n_jobs || !p || !s->in_pass)
        return verb_refused(s, ID_NONE, VERB_START, SCHED_MISMATCH);
    struct live *l = live_of(s, j);
    enum job_state state = s->job[j].state;
    if (l && l->now.held && (s->force->needs & STARTS_PARTIAL) && state != JOB_CLAIMED)
        return start_more(s, l, p);
    if (!l || !(state == JOB_PENDING || (state == JOB_RELEASING && l->now.stopping)))
        return verb_refused(s, j, VERB_START, SCHED_WRONG_STATE);
    if (!placement_matches(s, j, p, (s->force->needs & STARTS_PARTIAL) && !l->now.stopping))
        return verb_refused(s, j, VERB_START, SCHED_MISMATCH);
    const struct placement *suspended = job_suspended(s, j);
    bool stands = suspended || (l->now.stopping && l->now.stop_mode == STOP_SUSPEND);
    books_fetch(s, s->workload->facts[j].queue);
    line_entry_fetch(s, l);
    stage_touch(s, l);
    if (l->now.stopping && placement_same(l->was.held, p))
        return sched_keep(s, j);
    if (reserved_denies_more(s, j, p, NULL))
        return verb_refused(s, j, VERB_START, SCHED_MISMATCH);
    if ((stands && !(suspended && placement_same(suspended, p))) || (l->now.stopping && l->now.stop_mode == STOP_CANCEL))
        return verb_refused(s, j, VERB_START, SCHED_MISMATCH);
    const struct request *ask = ask_of(s, j);
    if (tasks_missing(s, j, p))
        return start_more(s, l, p);
    if (is_limited(s, j) && over_limit(s, j, placement_amount(ask, p)))
        return verb_refused(s, j, VERB_START, SCHED_OVER_LIMIT);
    struct placement *copy = placement_stage(s, j, placement_copy(s, p));
    if (suspended)
        suspend_unstage(s, l, suspended);
    enum sched_result result = take(s, l, copy);
    if (suspended && result == SCHED_NO_ROOM)
        suspend_stage(s, l, suspended);
    if (result == SCHED_NO_ROOM)
        return verb_refused(s, j, VERB_START, result);
    if (l->now.stopping && l->was.state == JOB_RUNNING && leaves_late(s, l))
        result = SCHED_LATER;
    stage_state(s, l, result == SCHED_LATER ? JOB_CLAIMED : tasks_state(s, l, p), copy, l->now.stopping);
    sub_line_fetch(s, l);
    timeline_started(s, l);
    stage_served(s, j, request_amount(ask), placement_amount(ask, p));
    return result;
}

/* ---- Stop ---- */

enum sched_result sched_stop(struct sched *s, job_id j, enum stop_mode m)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (m > STOP_CANCEL)
        return verb_refused(s, l ? j : ID_NONE, VERB_STOP, SCHED_MISMATCH);
    if (l && !l->now.held && m == STOP_RESTART && job_suspended(s, j))
        return suspend_drop(s, l);
    if (!l || !l->now.held || l->tentative_out)
        return verb_refused(s, l ? j : ID_NONE, VERB_STOP, SCHED_WRONG_STATE);
    bool starts_now = l->touched && l->now.held != l->was.held;    /* staged in this pass: nothing has happened yet */
    bool claim = s->job[j].state == JOB_CLAIMED;
    if (s->job[j].state == JOB_GATHERING || (starts_now && !l->now.stopping && l->was.state == JOB_RUNNING))
        return verb_refused(s, j, VERB_STOP, SCHED_WRONG_STATE);
    if (!starts_now && !claim && !s->workload->facts[j].preemptible)
        return verb_refused(s, j, VERB_STOP, SCHED_NOT_ALLOWED);
    bool all = !tasks_missing(s, j, l->now.held);
    if (!starts_now && !claim && m == STOP_SUSPEND && (s->timeline || !all))
        return verb_refused(s, j, VERB_STOP, SCHED_NOT_ALLOWED);
    stage_touch(s, l);
    const struct placement *held = l->now.held;
    if (starts_now || claim) {
        enum job_state back = l->now.stopping || l->leaving ? JOB_RELEASING : JOB_PENDING;
        stage_state(s, l, back, NULL, l->now.stopping);
        stage_give(s, s->idle, j, held);
        timeline_left(s, l, HOLD_RUN);
    } else {
        int64_t done = job_done_ns(s, l);
        stage_state(s, l, JOB_RELEASING, NULL, true);
        l->now.stop_mode = (uint8_t)m;
        l->stop_done_ns = done;
        l->now.stopped_for = ID_NONE;
        l->now.anew = false;
        int64_t stay_ns = pace_stop(s, l, m, done).stay_ns;
        if (!stay_ns) {
            stage_give(s, s->idle, j, held);
            view_freed(s);
        }
        timeline_stopped(s, l, stay_ns);
    }
    stage_give(s, s->releasing, j, held);
    if (job_suspended(s, j) || (l->now.stopping && m == STOP_SUSPEND && !starts_now && !claim))
        suspend_stage(s, l, held);
    const struct amount size = placement_amount(ask_of(s, j), held);
    stage_held(s, j, size, -1);
    stage_pending(s, j, amount_served(s, j, held), 1);
    return SCHED_OK;
}

enum sched_result sched_keep(struct sched *s, job_id j)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (!l || !l->now.stopping || l->now.held || l->was.state != JOB_RUNNING)
        return verb_refused(s, l ? j : ID_NONE, VERB_KEEP, SCHED_WRONG_STATE);
    if (over_limit(s, j, placement_amount(ask_of(s, j), l->was.held)))
        return SCHED_NO_ROOM;
    bool late = leaves_late(s, l);        /* then its GPUs are still taken in the idle index */
    bool stands = l->now.stop_mode == STOP_SUSPEND;
    struct view *in = late ? s->releasing : s->idle;
    if (stands)
        suspend_unstage(s, l, l->was.held);
    if (in && !stage_take_if_free(s, in, j, l->was.held)) {
        if (stands)
            suspend_stage(s, l, l->was.held);
        return SCHED_NO_ROOM;
    }
    if (!late)
        stage_take(s, s->releasing, j, l->was.held);
    stage_state(s, l, JOB_RUNNING, l->was.held, false);
    l->now.stopped_for = ID_NONE;
    timeline_kept(s, l);
    stage_served(s, j, amount_served(s, j, l->now.held), placement_amount(ask_of(s, j), l->now.held));
    return SCHED_OK;
}

/* ---- Single tasks ---- */

/* Progress ends: what this costs is fixed now. */
static void break_gang(struct sched *s, struct live *l, enum stop_mode m)
{
    int64_t done_ns = job_done_ns(s, l);
    stage_state(s, l, JOB_GATHERING, l->now.held, false);
    l->now.broken = true;
    l->now.stopped_for = ID_NONE;
    l->now.anew = false;
    l->now.stop_mode = (uint8_t)m;
    l->stop_done_ns = done_ns;
}

static bool stop_allowed(const struct sched *s, const struct live *l, const struct piece *p)
{
    enum job_state state = s->job[l->job].state;
    if (!(s->force->needs & STARTS_PARTIAL) || !p || l->tentative_out || !(state == JOB_RUNNING || state == JOB_GATHERING))
        return false;
    return ask_of(s, l->job)->tasks != SPLIT_ANY;
}

enum sched_result sched_stop_task(struct sched *s, job_id j, uint32_t task, enum stop_mode m)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    const struct piece *p = l ? placement_task(l->now.held, task) : NULL;
    if (!l || !stop_allowed(s, l, p))
        return verb_refused(s, l ? j : ID_NONE, VERB_STOP, SCHED_WRONG_STATE);
    stage_touch(s, l);
    bool ran = l->was.state == JOB_RUNNING, held = placement_task(l->was.held, task) != NULL;
    bool fixed = !s->workload->facts[j].preemptible && s->job[j].state != JOB_GATHERING;
    if (held && (fixed || m > STOP_RESTART))
        return verb_refused(s, j, VERB_STOP, SCHED_NOT_ALLOWED);
    const struct placement *rest = placement_without(s, l->now.held, task);
    if (!rest && ran && !l->now.broken && l->now.held == l->was.held)
        return sched_stop(s, j, m);
    struct placement *gone = placement_copy(s, &(struct placement){ .n = 0 });
    gone->n = 1;
    gone->piece[0] = *p;
    placement_stage(s, j, gone);
    if (ran && !l->now.broken && !tasks_enough(s, j, rest))
        break_gang(s, l, m);
    struct placement *now = rest ? placement_stage(s, j, placement_copy(s, rest)) : NULL, *late = l->now.saving;
    bool saves = l->now.broken && held && pace_stop(s, l, l->now.stop_mode, l->stop_done_ns).stay_ns > 0;
    if (saves)
        late = placement_stage(s, j, placement_copy(s, placement_with(s, l->now.saving, gone)));
    stage_state(s, l, s->job[j].state, now, false);
    l->now.saving = late;
    s->job[j].state = (uint8_t)tasks_state(s, l, now);
    if (!saves) {
        stage_give(s, s->idle, j, gone);
        view_freed(s);
    }
    stage_give(s, s->releasing, j, gone);
    const struct amount size = placement_amount(ask_of(s, j), gone);
    stage_held(s, j, size, -1);
    stage_pending(s, j, size, 1);
    return SCHED_OK;
}

/* ---- Resize ---- */

const struct placement *sched_place_anew(struct sched *s, job_id j, uint32_t size)
{
    struct request r = job_request_sized(s, j, size);
    const struct placement *held = s->job[j].state == JOB_RUNNING ? job_placement(s, j) : NULL;
    struct amount more = request_amount(&r);
    if (placing_limit_binds(s, r.shape, held ? amount_less(more, placement_amount(ask_of(s, j), held)) : more))
        return NULL;
    if (held)
        placement_give(s->idle, &r, held);
    const struct placement *p = placing_whatever_limit(s, s->idle, &r);
    if (held)
        placement_take(s->idle, &r, held);
    return p;
}

static enum sched_result resize_allowed(const struct sched *s, const struct live *l, const struct placement *p)
{
    if (!(s->force->needs & RESIZES) || s->job[l->job].state != JOB_RUNNING || l->now.stopping || l->tentative_out)
        return SCHED_WRONG_STATE;
    bool runs = !l->touched || l->was.state == JOB_RUNNING;
    return runs && !s->workload->facts[l->job].preemptible && !placement_same(p, l->now.held) ? SCHED_NOT_ALLOWED : SCHED_OK;
}

enum sched_result sched_resize(struct sched *s, job_id j, const struct placement *p)
{
    struct live *l = j < s->n_jobs && p && s->in_pass ? live_of(s, j) : NULL;
    enum sched_result allowed = l ? resize_allowed(s, l, p) : SCHED_WRONG_STATE;
    if (allowed != SCHED_OK)
        return verb_refused(s, l ? j : ID_NONE, VERB_RESIZE, allowed);
    if (!placement_matches(s, j, p, false) || reserved_denies_more(s, j, p, l->now.held))
        return verb_refused(s, j, VERB_RESIZE, SCHED_MISMATCH);
    const struct amount held = placement_amount(ask_of(s, j), l->now.held), wanted = placement_amount(ask_of(s, j), p);
    if (over_limit(s, j, amount_less(wanted, held)))
        return verb_refused(s, j, VERB_RESIZE, SCHED_OVER_LIMIT);
    stage_touch(s, l);
    struct placement *before = l->now.held, *now = placement_stage(s, j, placement_copy(s, p));
    stage_give(s, s->idle, j, before);
    if (!stage_take_if_free(s, s->idle, j, now)) {
        stage_take(s, s->idle, j, before);
        return verb_refused(s, j, VERB_RESIZE, SCHED_NO_ROOM);
    }
    stage_give(s, s->releasing, j, before);
    stage_take(s, s->releasing, j, now);
    view_freed(s);
    stage_held(s, j, placement_amount(ask_of(s, j), before), -1);
    stage_held(s, j, placement_amount(ask_of(s, j), now), 1);
    bool back = l->was.held && placement_same(l->was.held, now);
    stage_state(s, l, JOB_RUNNING, back ? l->was.held : now, false);
    return SCHED_OK;
}

/* ---- The rest ---- */

enum sched_result sched_refuse(struct sched *s, job_id j, const char *reason)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (!l || s->job[j].state != JOB_PENDING || (l->touched && l->was.state != JOB_PENDING) || l->suspended || l->part ||
        l->now.saving)
        return verb_refused(s, l ? j : ID_NONE, VERB_REFUSE, SCHED_WRONG_STATE);
    stage_touch(s, l);
    stage_state(s, l, JOB_GONE, NULL, false);
    l->leave_why = arena_text(s->memory, reason, strlen(reason));
    return SCHED_OK;
}

static void note(struct sched *s, job_id j, job_id for_job, bool anew)
{
    struct live *l = j < s->n_jobs ? live_of(s, j) : NULL;
    if (!l || !(l->now.stopping || l->now.broken) || for_job >= s->n_jobs)
        return;
    stage_state(s, l, s->job[j].state, l->now.held, l->now.stopping);
    l->now.stopped_for = for_job;
    l->now.anew = anew && l->now.stop_mode != STOP_CANCEL;
}

void sched_note(struct sched *s, job_id j, job_id for_job)
{
    note(s, j, for_job, false);
}

void sched_note_move(struct sched *s, job_id j, job_id for_job)
{
    note(s, j, for_job, true);
}

void sched_touch(struct sched *s, job_id j)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (!l)
        return;
    stage_touch(s, l);
    books_change(s, j, &(struct books_change){ .occupied_milli = 0 });    /* its queues are settled and shown, too */
}
