/* resize.c - jobs of several sizes: those that are given one when they start, and those that grow and shrink as a whole.
 *
 * A resize replaces the whole placement at one price: the job saves what it has done, holds its new GPUs for
 * job_resize_cost_ns() without progress, or for what is left of its start-up if that is longer, and goes on. Nothing is
 * lost, and it counts as a durable checkpoint. models.md 3.3, 3.6. */
#include "sim/scheduler/resize.h"
#include "sim/accounting/books.h"
#include "sim/engine/host.h"
#include "sim/engine/livelock.h"
#include "sim/engine/models.h"
#include "sim/engine/pace.h"
#include "sim/engine/running.h"
#include "sim/physics/sleep.h"
#include "sim/scheduler/tasks.h"
#include "sim/scheduler/transaction.h"

/* ---- Sizes ---- */

struct job_sizes job_sizes(const struct sched *s, job_id j)
{
    struct job_sizes z = workload_sizes(s->workload, j);
    const struct live *l = live_of(s, j);
    if (z.moldable && l && l->size)
        z.min = z.usual = z.max = l->size;
    return z;
}

uint32_t job_size_held(const struct sched *s, job_id j)
{
    const struct placement *p = job_placement(s, j);
    return p ? placement_size(ask_of(s, j), p) : 0;
}

struct request job_request_sized(const struct sched *s, job_id j, uint32_t size)
{
    struct request r = job_request(s, j);
    if (!s->workload->facts[j].sizing)
        return r;
    *(r.tasks == SPLIT_ANY ? &r.gpus : &r.tasks) = size;
    return r;
}

bool size_allowed(const struct sched *s, job_id j, uint64_t size)
{
    const struct request *ask = ask_of(s, j);
    if (!(s->needs & RESIZES) || !s->workload->facts[j].sizing)
        return size == (ask->tasks == SPLIT_ANY ? ask->gpus : request_tasks(ask));
    struct job_sizes z = job_sizes(s, j);
    return size >= z.min && size <= z.max;
}

double size_gpu_s(const struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    int128_t milli_ns = s->gpu_time[j].held + (int128_t)running_before_ns(s, j) * request_gpu_milli(ask_of(s, j));
    if (l && l->event)
        milli_ns += (int128_t)(s->now_ns - l->held_since_ns) * placement_gpu_milli(l->touched ? l->was.held : l->held);
    else if (l && l->leaving)
        milli_ns += (int128_t)(s->now_ns - l->leaving_since_ns) * placement_gpu_milli(l->leaving);
    return (double)milli_ns / MILLI_ALL / NS_PER_S;
}

uint32_t size_least(const struct sched *s, job_id j)
{
    const struct job_facts *f = &s->workload->facts[j];
    return s->all_needs & RESIZES && f->sizing ? workload_sizes(s->workload, j).min : f->min_tasks;
}

bool tasks_missing(const struct sched *s, job_id j, const struct placement *p)
{
    const struct request *ask = ask_of(s, j);
    return ask->tasks != SPLIT_ANY && p->n < request_tasks(ask) && !(s->all_needs & RESIZES);
}

struct amount amount_served(const struct sched *s, job_id j, const struct placement *p)
{
    return s->all_needs & RESIZES ? request_amount(ask_of(s, j)) : placement_amount(ask_of(s, j), p);
}

/* ---- The verb ---- */

const struct placement *sched_place_anew(struct sched *s, job_id j, uint32_t size)
{
    struct request r = job_request_sized(s, j, size);
    const struct placement *held = s->job[j].state == JOB_RUNNING ? job_placement(s, j) : NULL;
    if (held)
        placement_give(s->idle, &r, held);
    const struct placement *p = sched_place(s, s->idle, &r);
    if (held)
        placement_take(s->idle, &r, held);
    return p;
}

static enum sched_result resize_allowed(const struct sched *s, const struct live *l, const struct placement *p)
{
    if (!(s->needs & RESIZES) || s->job[l->job].state != JOB_RUNNING || l->stopping || l->pencilled_out)
        return SCHED_WRONG_STATE;
    bool runs = !l->touched || l->was.state == JOB_RUNNING;
    return runs && !s->workload->facts[l->job].preemptible && !placement_same(p, l->held) ? SCHED_NOT_ALLOWED : SCHED_OK;
}

enum sched_result sched_resize(struct sched *s, job_id j, const struct placement *p)
{
    struct live *l = j < s->n_jobs && p && s->in_pass ? live_of(s, j) : NULL;
    enum sched_result allowed = l ? resize_allowed(s, l, p) : SCHED_WRONG_STATE;
    if (allowed != SCHED_OK)
        return verb_refused(s, l ? j : ID_NONE, "resize", allowed);
    if (!placement_matches(s, j, p, false))
        return verb_refused(s, j, "resize", SCHED_MISMATCH);
    stage_touch(s, l);
    struct placement *before = l->held, *now = placement_stage(s, j, placement_copy(s, p));
    stage_give(s, s->idle, j, before);
    if (!stage_take_if_free(s, s->idle, j, now)) {
        stage_take(s, s->idle, j, before);
        return verb_refused(s, j, "resize", SCHED_NO_ROOM);
    }
    stage_give(s, s->room, j, before);
    stage_take(s, s->room, j, now);
    s->room_version++;
    stage_held(s, j, placement_amount(ask_of(s, j), before), -1);
    stage_held(s, j, placement_amount(ask_of(s, j), now), 1);
    bool back = l->was.held && placement_same(l->was.held, now);
    stage_state(s, l, JOB_RUNNING, back ? l->was.held : now, false);
    return SCHED_OK;
}

/* ---- Carrying out ---- */

bool resize_concerns(const struct sched *s, const struct live *l)
{
    return s->needs & RESIZES && l->was.state == JOB_RUNNING && s->job[l->job].state == JOB_RUNNING && !l->stopping;
}

void job_resized(struct sched *s, struct live *l, int64_t cost_ns)
{
    progress_settle(&l->progress, s->now_ns);
    livelock_settled(s, l);
    pace_end(s, l, l->was.held);
    if (l->progress_event)
        event_queue_cancel(s->events, l->progress_event);
    else if (!l->pace.stalled)
        s->busy_milli -= placement_gpu_milli(l->was.held);
    pace_split(s, l);
    run_ends(s, l, "resized");
    l->held_since_ns = s->now_ns;
    l->start_cost_ns -= l->split[ACCOUNT_START];
    cost_ns += sleep_wake_ns(s, l->held);
    if (l->start_cost_ns < cost_ns)
        l->start_cost_ns = cost_ns;
    l->begin_left_ns = l->progress.left_ns;
    l->stood_ns = 0;
    pace_begin(s, l);
    progress_begin(&l->progress, s->now_ns + l->start_cost_ns, pace_rate(&l->pace));
    event_queue_move(s->events, l->event, progress_end_ns(&l->progress));
    books_occupied(s, l->job, l->held, 1);
    l->progress_event = 0;
    if (l->start_cost_ns > 0)
        l->progress_event =
            event_queue_push(s->events, (struct event){ s->now_ns + l->start_cost_ns, EVENT_PROGRESS, l->job });
    else
        s->busy_milli += placement_gpu_milli(l->held);
    models_paced(s, l);
    placement_drop(s, l->was.held);
    decision_log(s, l->job, "start", "resize", "");
}

void resize_carry_out(struct sched *s, struct live *l)
{
    s->changed = true;
    s->totals.resizes++;
    elastic_resized(s, l->job);
    l->size = placement_size(ask_of(s, l->job), l->held);
    s->job[l->job].distance = (uint8_t)cluster_placement_distance(s->cluster, l->held);
    job_resized(s, l, job_resize_cost_ns(s, l->job));
}
