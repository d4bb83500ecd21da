/* running.c - jobs that run already when they are submitted: the snapshot of a live cluster.
 *
 * Such a job holds what the trace says before the first pass of its instant. job_arrived comes with what it holds, and
 * job_started follows if it runs. It counts as started then, but with the start-up and the progress of the time that it
 * has run for: a stop may cost that, too. Its duration is what is left to do. */
#include "sim/engine/running.h"
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/contract/util/array.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/intervals.h"
#include "sim/engine/jobs.h"
#include "sim/engine/models.h"
#include "sim/engine/notices.h"
#include "sim/engine/overhead.h"
#include "sim/engine/state.h"
#include "sim/engine/tasks.h"
#include "sim/scheduler/checks.h"
#include "sim/scheduler/named_places.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/sizes.h"
#include "sim/scheduler/timeline.h"

#include <inttypes.h>
#include <string.h>

/* ---- In the run ---- */

static void hold(struct sched *s, struct live *l, struct placement *p)
{
    l->now.held = p;
    placement_take(s->idle, ask_of(s, l->job), p);
    if (s->releasing)
        placement_take(s->releasing, ask_of(s, l->job), p);
    struct amount size = placement_amount(ask_of(s, l->job), p);
    books_pending(s, l->job, amount_served(s, l->job, p), -1);
    books_held(s, l->job, size, 1);
}

static void run_on(struct sched *s, struct live *l, const struct job_running *r)
{
    int64_t start_ns = r->ran_ns < 0 ? 0 : start_expected_ns(s, l->job, true), ran_ns = r->ran_ns < 0 ? 0 : r->ran_ns;
    int64_t progress_ns = ran_ns > start_ns ? (int64_t)((double)(ran_ns - start_ns) * tasks_rate(s, l)) : 0;
    s->job[l->job].start_ns = s->now_ns;
    dependencies_started(s, l->job);
    job_runs(s, l, start_ns > ran_ns ? start_ns - ran_ns : 0);
    l->last_start_ns -= ran_ns;
    l->begin_left_ns += progress_ns;
    models_ran_before(s, l, progress_ns);
    timeline_started(s, l);
    decision_log(s, l->job, "start", "running", "");
    notice_add(s, NOTICE_STARTED, l->job, 0);
}

/* ---- Jobs that are leaving when they are submitted ---- */

struct leavers { job_id *job; size_t n, capacity; };    /* and others, that have left since */

static void note_leaver(struct sched *s, job_id j)
{
    struct leavers *l = s->leavers = s->leavers ? s->leavers : arena_alloc(s->memory, sizeof *l);
    l->job = array_grown(sched_alloc, s, l->job, &l->capacity, l->n, sizeof *l->job);
    l->job[l->n++] = j;
}

static bool leaves_since_submitted(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    return l && l->leaving && l->leaving_since_ns == s->workload->facts[j].submit_ns;
}

size_t sched_early_leavers(struct sched *s, const job_id **jobs)
{
    struct leavers *l = s->leavers;
    size_t n = 0;
    for (size_t i = 0; l && i < l->n; i++)
        if (leaves_since_submitted(s, l->job[i]))
            l->job[n++] = l->job[i];
    if (l)
        l->n = n;
    *jobs = l ? l->job : NULL;
    return n;
}

/* It was stopped before the trace begins, and what that has cost is known to the trace alone. */
static void leave(struct sched *s, struct live *l, struct placement *p, const struct job_running *r)
{
    l->leaving = p;
    note_leaver(s, l->job);
    l->leaving_since_ns = s->now_ns;
    l->last_start_ns = s->now_ns - (r->ran_ns > 0 ? r->ran_ns : 0);
    l->leave_why = running_leaves_for_good(s, l->job) ? job_ending(s, l->job) : "left";
    memset(l->split, 0, sizeof l->split);
    l->split[ACCOUNT_SAVE] = r->leaving_ns;
    placement_take(s->idle, ask_of(s, l->job), p);
    s->job[l->job].start_ns = s->now_ns;
    dependencies_started(s, l->job);
    s->job[l->job].distance = (uint8_t)cluster_placement_distance(s->cluster, p);
    books_occupied(s, l->job, p, 1);
    ledger_running(s, 1);
    timeline_leaves(s, l, r->leaving_ns);
    l->release_event = event_queue_push(
        s->events, (struct event){ s->now_ns + r->leaving_ns, EVENT_RELEASED, l->job });
    decision_log(s, l->job, "decision", "leaving", "");
}

static int cannot(const struct sched *s, job_id j, const struct job_running *r, const char *why, struct error *err)
{
    error_set(err, "%s:%zu: running_on: job '%.100s' cannot run there: %s", r->file, r->line, s->workload->truth[j].name, why);
    return RUN_BAD_INPUT;
}

int running_arrive(struct sched *s, job_id j, struct error *err)
{
    const struct job_running *r = running_of(s, j);
    const struct placement *where = named_place(s, s->idle, j, r->on, r->n);
    struct live *l = job_enter(s, j);
    if (!where)
        return cannot(s, j, r, "not all of that is free", err);
    if (!placement_matches(s, j, where, true))
        return cannot(s, j, r, "its GPU model, labels, level or tasks on one node want something else", err);
    struct placement *p = placement_copy(s, where);
    enum job_state state = tasks_state(s, l, p);
    arena_reset(s->scratch);
    if (state == JOB_GATHERING && !(s->force->needs & STARTS_PARTIAL) && r->leaving_ns < 0)
        return cannot(s, j, r, "that is less than its minimum, and the policy starts no single tasks", err);
    decision_log(s, j, "arrival", "", "");
    books_pending(s, j, request_amount(ask_of(s, j)), 1);
    if (r->leaving_ns >= 0) {
        state_set(s, j, JOB_RUNNING);                 /* until now */
        state_set(s, j, JOB_RELEASING);
        leave(s, l, p, r);
        return 0;
    }
    notice_add(s, NOTICE_ARRIVED, j, 0);
    state_set(s, j, state);
    hold(s, l, p);
    if (state == JOB_RUNNING)
        run_on(s, l, r);
    else
        tasks_gather(s, l);
    return 0;
}
