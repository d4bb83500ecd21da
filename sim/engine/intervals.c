/* intervals.c - see intervals.h. */
#include "sim/engine/intervals.h"
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/livelock.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/engine/notices.h"
#include "sim/engine/overhead.h"
#include "sim/engine/pace.h"
#include "sim/engine/state.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/suspend.h"
#include "sim/scheduler/waiting.h"

#include <string.h>

void suspend_forgets(struct sched *s, struct live *l)
{
    models_suspended(s, l->suspended, -1);
    placement_drop(s, l->suspended);
    l->suspended = NULL;
}

void suspend_ends(struct sched *s, struct live *l)
{
    job_runs(s, l, l->start_cost_ns);
    suspend_forgets(s, l);
    decision_log(s, l->job, "start", "resume", "");
    notice_add(s, NOTICE_STARTED, l->job, 0);
}

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
        dependencies_started(s, j);
        livelock_advanced(s);
    } else {
        job_cost_add(s, j, (struct job_cost){ .restarts = 1 });
    }
    job_runs(s, l, start_cost_ns(s, l, l->now.held, first));
    decision_log(s, j, "start", first ? "start" : "restart", "");
    notice_add(s, NOTICE_STARTED, j, 0);
}

void job_runs(struct sched *s, struct live *l, int64_t start_cost_ns)
{
    job_id j = l->job;
    s->job[j].distance = (uint8_t)cluster_placement_distance(s->cluster, l->now.held);
    l->held_since_ns = l->last_start_ns = s->now_ns;
    l->now.stopped_for = ID_NONE;
    l->size = placement_size(ask_of(s, j), l->now.held);
    l->start_cost_ns = start_cost_ns + models_wake_ns(s, l->now.held);
    if (!l->suspended) {                             /* else what it did before still counts */
        l->begin_left_ns = l->progress.left_ns;
        l->stood_ns = 0;
    }
    pace_begin(s, l);
    progress_begin(&l->progress, s->now_ns + l->start_cost_ns, pace_begin_rate(s, l));
    l->event = event_queue_push(s->events, (struct event){ progress_end_ns(&l->progress), EVENT_JOB_END, j });
    books_occupied(s, j, l->now.held, 1);
    l->progress_event = 0;
    if (l->start_cost_ns > 0)
        l->progress_event = event_queue_push(
            s->events, (struct event){ s->now_ns + l->start_cost_ns, EVENT_PROGRESS, j });
    else
        ledger_busy(s, placement_gpu_milli(l->now.held));
    models_paced(s, l);
    ledger_running(s, 1);
    s->totals.starts++;
}

void job_progressing(struct sched *s, job_id j)
{
    struct live *l = live_of(s, j);
    l->progress_event = 0;
    ledger_busy(s, placement_gpu_milli(l->now.held));
    models_paced(s, l);
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
        ledger_busy(s, -placement_gpu_milli(on));
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
                                   &(struct interval){ l->job, p, since_ns, s->now_ns, l->now.stopped_for, why });
}

/* It held all of its GPUs since then. */
static void count_run(struct sched *s, const struct live *l, int64_t since_ns)
{
    const struct job_cost cost = { .lost_ns = l->split[ACCOUNT_LOST], .overhead_ns = pace_overhead_ns(l->split) };
    s->job[l->job].run_ns += s->now_ns - since_ns;
    if (cost.lost_ns || cost.overhead_ns)
        job_cost_add(s, l->job, cost);
}

void interval_close(struct sched *s, struct live *l, struct placement *p, int64_t since_ns, const char *why)
{
    count_run(s, l, since_ns);
    ledger_running(s, -1);
    view_freed(s);
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

void job_loses_later(struct sched *s, struct live *l, const struct placement *p, unsigned cause, int64_t lost_ns,
                     int64_t wall_ns)
{
    memset(l->split, 0, sizeof l->split);
    job_loses_wall(l, lost_ns, wall_ns);
    ledger_interval(s, p, l->split);
    job_cost_add(s, l->job, (struct job_cost){ .lost_ns = l->split[ACCOUNT_LOST] });
    books_lost(s, l->job, cause, p, l->split[ACCOUNT_LOST]);
    job_gpu_time_lost(s, l->job, (int128_t)l->split[ACCOUNT_LOST] * placement_gpu_milli(p));
}

void job_loses(struct sched *s, struct live *l, int64_t done_ns, int64_t lost_ns)
{
    job_loses_wall(l, lost_ns, pace_lost_wall_ns(s, l, done_ns, lost_ns));
}

void run_ends(struct sched *s, struct live *l, const char *why)
{
    count_run(s, l, l->held_since_ns);
    hold_end(s, l, l->was.held, l->held_since_ns, why);
}

void job_gpu_time_lost(struct sched *s, job_id j, int128_t gpu_milli_ns)
{
    if (s->gpu_time)
        s->gpu_time[j].lost += gpu_milli_ns;
}
