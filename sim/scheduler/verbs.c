/* verbs.c - what a policy may do. Each verb is checked against the world and staged at once. */
#include "sim/engine/host.h"
#include "sim/engine/pace.h"
#include "sim/physics/rates.h"
#include "sim/scheduler/resize.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/tasks.h"
#include "sim/scheduler/transaction.h"

#include <string.h>

enum sched_result verb_refused(struct sched *s, job_id j, const char *verb, enum sched_result why)
{
    s->totals.refused[why]++;
    decision_log(s, j, "refusal", verb, sched_result_name[why]);
    return why;
}

/* ---- Start ---- */

static bool piece_matches(const struct sched *s, const struct request *ask, const struct piece *p)
{
    if (p->node >= s->cluster->n_nodes || !view_allows(s->idle, ask, p->node))
        return false;
    const struct node_type *t = cluster_node_type(s->cluster, p->node);
    if (p->gpus ? p->milli != ask->gpu_milli : ask->tasks == SPLIT_ANY)
        return false;                                    /* another share; a piece of nothing */
    if ((p->gpus ? p->gpu_mem_mib != ask->gpu_mem_mib || p->mig != ask->mig : p->gpu_mem_mib || p->mig) ||
        !piece_on_island(s->cluster, ask, p))
        return false;
    if (t->counted || p->gpus == 0)
        return p->gpu_mask == 0 && (p->gpus == 0 || p->milli == MILLI_ALL);
    return (t->gpus >= 64 || p->gpu_mask >> t->gpus == 0) && (p->gpu_mask & ~view_slots(s->idle, ask, p->node)) == 0 &&
           (uint32_t)__builtin_popcountll(p->gpu_mask) == p->gpus;
}

/* Pieces by rank, one a node, that add up to a total that it may have. */
static bool split_matches(struct sched *s, job_id j, const struct request *ask, const struct placement *p)
{
    uint64_t gpus = 0;
    s->node_stamp++;
    for (size_t i = 0; i < p->n; i++) {
        if (p->piece[i].task != i || !piece_matches(s, ask, &p->piece[i]) || s->node_seen[p->piece[i].node] == s->node_stamp)
            return false;
        s->node_seen[p->piece[i].node] = s->node_stamp;
        gpus += p->piece[i].gpus;
    }
    return size_allowed(s, j, gpus);
}

static bool crowded(const struct request *ask, const struct placement *p)
{
    for (size_t i = 0; ask->max_per_node && i < p->n; i++) {
        uint32_t on = 0;
        for (size_t k = 0; k <= i; k++)
            on += p->piece[k].node == p->piece[i].node;
        if (on > ask->max_per_node)
            return true;
    }
    return false;
}

static bool tasks_match(const struct sched *s, job_id j, const struct request *ask, const struct placement *p, bool partial)
{
    uint32_t tasks = partial ? request_tasks(ask) : (uint32_t)p->n;
    if (partial ? p->n > tasks : !size_allowed(s, j, p->n))
        return false;
    for (size_t i = 0; i < p->n; i++) {
        uint32_t task = p->piece[i].task;
        if (task >= tasks || (i > 0 && task <= p->piece[i - 1].task))
            return false;
        const struct request *run = request_of_piece(ask, &p->piece[i]);
        if (p->piece[i].gpus != run->gpus || !piece_matches(s, run, &p->piece[i]))
            return false;
    }
    return !crowded(ask, p);
}

static bool near_enough(const struct sched *s, const struct placement *p, enum level level)
{
    static const uint8_t farthest[] = {
        [LEVEL_ISLAND] = 1, [LEVEL_NODE] = 3, [LEVEL_RACK] = 4, [LEVEL_POD] = 5, [LEVEL_CLUSTER] = 6, [LEVEL_ANY] = 6,
    };
    return farthest[level] == 6 || cluster_placement_distance(s->cluster, p) <= farthest[level];
}

/* The tasks below each group that requires a level, whatever else the job holds. */
static bool groups_near(struct sched *s, job_id j, const struct placement *p)
{
    const struct job_facts *f = &s->workload->facts[j];
    for (uint32_t g = 1; g < f->n_groups; g++) {
        if (f->group[g].required_level >= LEVEL_CLUSTER)
            continue;
        struct placement *part = sched_scratch(s, sizeof *part + p->n * sizeof part->piece[0]);
        for (size_t i = 0; i < p->n; i++)
            if (group_within(f->group, request_of_piece(f->ask, &p->piece[i])->group, g))
                part->piece[part->n++] = p->piece[i];
        if (part->n && !near_enough(s, part, f->group[g].required_level))
            return false;
    }
    return true;
}

bool placement_matches(struct sched *s, job_id j, const struct placement *p, bool partial)
{
    const struct request *ask = ask_of(s, j);
    if (p->n == 0 || !(ask->tasks == SPLIT_ANY ? split_matches(s, j, ask, p) : tasks_match(s, j, ask, p, partial)))
        return false;
    return near_enough(s, p, ask->required_level) && groups_near(s, j, p);
}

/* Takes the pieces from the indexes: idle now, or idle once those who are leaving have left. */
static enum sched_result take(struct sched *s, job_id j, const struct placement *p)
{
    if (stage_take_if_free(s, s->idle, j, p)) {
        stage_take(s, s->room, j, p);
        return SCHED_OK;
    }
    if (!room_seen(s) || s->pencilled_out || !stage_take_if_free(s, s->room, j, p))
        return SCHED_NO_ROOM;
    stage_take(s, s->idle, j, p);
    return SCHED_LATER;
}

static bool leaves_late(const struct sched *s, const struct live *l)
{
    return pace_stop(s, l, l->stop_mode, l->stop_done_ns).stay_ns > 0;
}

enum sched_result sched_start(struct sched *s, job_id j, const struct placement *p)
{
    if (j >= s->n_jobs || !p || !s->in_pass)
        return verb_refused(s, ID_NONE, "start", SCHED_MISMATCH);
    struct live *l = live_of(s, j);
    enum job_state state = s->job[j].state;
    if (l && l->held && (s->needs & STARTS_PARTIAL) && state != JOB_CLAIMED)
        return start_more(s, l, p);
    if (!l || !(state == JOB_PENDING || (state == JOB_RELEASING && l->stopping)))
        return verb_refused(s, j, "start", SCHED_WRONG_STATE);
    if (!placement_matches(s, j, p, (s->needs & STARTS_PARTIAL) && !l->stopping))
        return verb_refused(s, j, "start", SCHED_MISMATCH);
    const struct placement *suspended = job_suspended(s, j);
    bool stands = suspended || (l->stopping && l->stop_mode == STOP_SUSPEND);
    stage_touch(s, l);
    if (l->stopping && placement_same(l->was.held, p))
        return sched_keep(s, j);
    if ((stands && !(suspended && placement_same(suspended, p))) || (l->stopping && l->stop_mode == STOP_CANCEL))
        return verb_refused(s, j, "start", SCHED_MISMATCH);
    const struct request *ask = ask_of(s, j);
    if (tasks_missing(s, j, p))
        return start_more(s, l, p);
    struct placement *copy = placement_stage(s, j, placement_copy(s, p));
    if (suspended)
        suspend_unstage(s, l, suspended);
    enum sched_result result = take(s, j, copy);
    if (suspended && result == SCHED_NO_ROOM)
        suspend_stage(s, l, suspended);
    if (result == SCHED_NO_ROOM)
        return verb_refused(s, j, "start", result);
    if (l->stopping && l->was.state == JOB_RUNNING && leaves_late(s, l))
        result = SCHED_LATER;
    stage_state(s, l, result == SCHED_LATER ? JOB_CLAIMED : tasks_state(s, l, p), copy, l->stopping);
    timeline_started(s, l);
    stage_pending(s, j, request_amount(ask), -1);
    stage_held(s, j, placement_amount(ask, p), 1);
    return result;
}

/* ---- Stop ---- */

enum sched_result sched_stop(struct sched *s, job_id j, enum stop_mode m)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (l && !l->held && m == STOP_RESTART && job_suspended(s, j))
        return suspend_drop(s, l);
    if (!l || !l->held || l->pencilled_out)
        return verb_refused(s, l ? j : ID_NONE, "stop", SCHED_WRONG_STATE);
    bool starts_now = l->touched && l->held != l->was.held;    /* staged in this pass: nothing has happened yet */
    bool claim = s->job[j].state == JOB_CLAIMED;
    if (s->job[j].state == JOB_GATHERING || (starts_now && !l->stopping && l->was.state == JOB_RUNNING))
        return verb_refused(s, j, "stop", SCHED_WRONG_STATE);
    if (!starts_now && !claim && !s->workload->facts[j].preemptible)
        return verb_refused(s, j, "stop", SCHED_NOT_ALLOWED);
    bool all = !tasks_missing(s, j, l->held);
    if (!starts_now && !claim && m == STOP_SUSPEND && (s->timeline || !all))
        return verb_refused(s, j, "stop", SCHED_NOT_ALLOWED);
    stage_touch(s, l);
    const struct placement *held = l->held;
    if (starts_now || claim) {
        enum job_state back = l->stopping || l->leaving ? JOB_RELEASING : JOB_PENDING;
        stage_state(s, l, back, NULL, l->stopping);
        stage_give(s, s->idle, j, held);
        timeline_left(s, l, HOLD_RUN);
    } else {
        int64_t done = job_done_ns(s, l);
        stage_state(s, l, JOB_RELEASING, NULL, true);
        l->stop_mode = (uint8_t)m;
        l->stop_done_ns = done;
        l->stopped_for = ID_NONE;
        int64_t stay_ns = pace_stop(s, l, m, done).stay_ns;
        if (!stay_ns) {
            stage_give(s, s->idle, j, held);
            s->room_version++;
        }
        timeline_stopped(s, l, stay_ns);
    }
    stage_give(s, s->room, j, held);
    if (job_suspended(s, j) || (l->stopping && m == STOP_SUSPEND && !starts_now && !claim))
        suspend_stage(s, l, held);
    const struct amount size = placement_amount(ask_of(s, j), held);
    stage_held(s, j, size, -1);
    stage_pending(s, j, amount_served(s, j, held), 1);
    return SCHED_OK;
}

enum sched_result sched_keep(struct sched *s, job_id j)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (!l || !l->stopping || l->held || l->was.state != JOB_RUNNING)
        return verb_refused(s, l ? j : ID_NONE, "keep", SCHED_WRONG_STATE);
    bool late = leaves_late(s, l);        /* then its GPUs are still taken in the idle index */
    bool stands = l->stop_mode == STOP_SUSPEND;
    struct view *in = late ? s->room : s->idle;
    if (stands)
        suspend_unstage(s, l, l->was.held);
    if (in && !stage_take_if_free(s, in, j, l->was.held)) {
        if (stands)
            suspend_stage(s, l, l->was.held);
        return SCHED_NO_ROOM;
    }
    if (!late)
        stage_take(s, s->room, j, l->was.held);
    stage_state(s, l, JOB_RUNNING, l->was.held, false);
    l->stopped_for = ID_NONE;
    timeline_kept(s, l);
    stage_pending(s, j, amount_served(s, j, l->held), -1);
    stage_held(s, j, placement_amount(ask_of(s, j), l->held), 1);
    return SCHED_OK;
}

/* ---- The rest ---- */

enum sched_result sched_refuse(struct sched *s, job_id j, const char *reason)
{
    struct live *l = j < s->n_jobs && s->in_pass ? live_of(s, j) : NULL;
    if (!l || s->job[j].state != JOB_PENDING || (l->touched && l->was.state != JOB_PENDING) || l->suspended)
        return verb_refused(s, l ? j : ID_NONE, "refuse", SCHED_WRONG_STATE);
    stage_touch(s, l);
    stage_state(s, l, JOB_GONE, NULL, false);
    l->leave_why = arena_text(s->memory, reason, strlen(reason));
    return SCHED_OK;
}

static void note(struct sched *s, job_id j, job_id for_whom, bool anew)
{
    struct live *l = j < s->n_jobs ? live_of(s, j) : NULL;
    if (!l || !(l->stopping || l->broken) || for_whom >= s->n_jobs)
        return;
    stage_state(s, l, s->job[j].state, l->held, l->stopping);
    l->stopped_for = for_whom;
    l->anew = anew;
}

void sched_note(struct sched *s, job_id j, job_id for_whom)
{
    note(s, j, for_whom, false);
}

void sched_note_move(struct sched *s, job_id j, job_id for_whom)
{
    note(s, j, for_whom, true);
}

const char *const sched_result_name[SCHED_RESULTS] = {
    "ok", "later", "no room", "mismatch", "wrong state", "not allowed", "too often",
};
