/* engine.c - see engine.h. */
#include "sim/engine/engine.h"
#include "sim/accounting/books.h"
#include "sim/accounting/ledger.h"
#include "sim/base/fetch.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/intervals.h"
#include "sim/engine/jobs.h"
#include "sim/engine/leaving.h"
#include "sim/engine/livelock.h"
#include "sim/engine/models.h"
#include "sim/engine/nodes.h"
#include "sim/engine/notices.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/running.h"
#include "sim/engine/state.h"
#include "sim/engine/switch.h"
#include "sim/workload/early.h"
#include "sim/scheduler/lines.h"
#include "sim/scheduler/pass.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/waiting.h"
#include "sim/scheduler/wakes.h"

#include <string.h>

enum {
    ROUNDS_MOST = 1000000,         /* at one instant, beyond one per job */
    FRUITLESS_WAKES_MOST = 1000,   /* passes that change nothing when nothing else can happen any more */
    FETCHED_PIECES = 8,            /* of a placement; most have no more */
    GLANCE_EVERY = 4096,           /* rounds between looks at the clock of the progress bar */
    ARRIVALS_AHEAD = 2             /* whose rows are fetched: one could still be late */
};

struct loop {
    int64_t arrival_ns;           /* of job next_arrival; TIME_NEVER: all have arrived */
    uint32_t known;               /* jobs of the trace that are there: all, or early_known() */
    int64_t pass_due_ns;          /* TIME_NEVER: nothing changed */
    bool begun;                   /* the first policy has */
    bool idles;                   /* its own jobs have ended, and time goes on beside other runs */
    uint64_t rounds, rounds_here; /* in all, at this instant */
    unsigned fruitless_wakes;     /* passes that changed nothing, and nothing else could happen any more */
};

/* The next arrival is job j. */
static void arrival_set(struct sched *s, uint32_t j)
{
    s->next_arrival = j;
    if (j >= s->loop->known && j < s->workload->n_jobs)
        s->loop->known = early_known(s->setup.early, j);
    s->loop->arrival_ns = j < s->loop->known ? s->workload->facts[j].submit_ns : TIME_NEVER;
}

void loop_begin(struct sched *s)
{
    s->loop = arena_alloc(s->memory, sizeof *s->loop);
    s->loop->pass_due_ns = TIME_NEVER;
    s->loop->known = s->setup.early ? 0 : s->workload->n_jobs;
    arrival_set(s, 0);
}

/* ---- One instant ---- */

static int64_t next_arrival_ns(const struct sched *s)
{
    return s->loop->arrival_ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_instant_ns(struct sched *s)
{
    _Static_assert(TIME_NEVER == INT64_MAX, "as event_queue_next_ns() has it");
    int64_t t = earlier(next_arrival_ns(s), s->loop->pass_due_ns);
    t = earlier(t, event_queue_next_ns(s->events));
    t = earlier(t, switch_next_ns(s));
    t = earlier(t, timeline_due_ns(s));
    return earlier(t, wake_next_ns(s));
}

static void apply(struct sched *s, const struct event *e)
{
    s->totals.events++;
    switch (e->kind) {
    case EVENT_JOB_END:
        job_end(s, e->subject);
        break;
    case EVENT_RELEASED:
        run_changed(s);
        job_released(s, e->subject);
        break;
    case EVENT_PROGRESS:
        job_progressing(s, e->subject);
        break;
    default:
        MUST(s, models_happens(s, e));
    }
    notices_give(s);
}

static void fetch_rows(const struct sched *s, job_id j)
{
    fetch_both_ends(&s->job[j], sizeof *s->job);
    fetch_both_ends(&s->workload->facts[j], sizeof *s->workload->facts);
    fetch(&s->workload->truth[j]);
    if (s->gpu_time)
        fetch_both_ends(&s->gpu_time[j], sizeof *s->gpu_time);
}

/* NULL: there is no such event, or it ends no job. */
static const struct live *ends(const struct sched *s, const struct event *ahead, size_t n, size_t i)
{
    return i < n && ahead[i].kind == EVENT_JOB_END ? live_of(s, ahead[i].subject) : NULL;
}

static void fetch_nodes(const struct sched *s, const struct live *l)
{
    const struct placement *p = l->now.held;
    sub_line_fetch(s, l);
    fetch_lines(s->own[job_slot(s, l->job)], s->own_size);
    fetch_lines(l->wait, sizeof l->wait);
    for (size_t i = 0; p && i < p->n && i < FETCHED_PIECES; i++) {
        node_id n = p->piece[i].node;
        fetch_both_ends(&s->idle->node[n], sizeof *s->idle->node);
        if (s->releasing)
            fetch_both_ends(&s->releasing->node[n], sizeof *s->releasing->node);
        fetch(&s->cluster->kind_of[n]);
        fetch(&s->cluster->local_of[n]);
        fetch(&s->ledger.node_account[ACCOUNT_USEFUL][n]);
    }
}

/* Prefetch. Of tens of thousands of running jobs the one that ends next was last read when it started, and is in no near cache.
 * What its end reads is fetched step by step, as where a thing is kept is itself in a line that has to be fetched: an event before its
 * own, the nodes, the sub-line, its waits and what the policy keeps of it; before that the placement, the books of its queue and its
 * place in a line; before that its slot, and first the job's rows. It changes nothing but the time. */
static void fetch_ahead(const struct sched *s)
{
    enum { NODES, PLACEMENT, SLOT, ROWS = SLOT + 2 };
    struct event ahead[EVENTS_AHEAD];
    size_t n = event_queue_ahead(s->events, ahead);
    if (n > ROWS && ahead[ROWS].kind == EVENT_JOB_END)
        fetch_rows(s, ahead[ROWS].subject);
    const struct live *l = ends(s, ahead, n, SLOT);
    if (l)
        fetch_lines(l, LIVE_PLAIN);
    if ((l = ends(s, ahead, n, PLACEMENT))) {
        fetch_lines(l->now.held, sizeof(struct placement) + sizeof(struct piece));
        books_fetch(s, s->workload->facts[l->job].queue);
        line_entry_fetch(s, l);
    }
    if ((l = ends(s, ahead, n, NODES)))
        fetch_nodes(s, l);
}

static int arrive(struct sched *s, job_id j, struct error *err)
{
    if (workload_extra(s->workload, j)->running)
        return running_arrive(s, j, err);
    if (!dependencies_hold(s, j))
        job_arrive(s, j);
    return 0;
}

/* Jobs with dependencies met arrive, those with some that can never be met are cancelled; true:
 * there were such jobs. One that is rejected or cancelled may let in more. */
static bool let_in(struct sched *s)
{
    job_id j = dependencies_next(s);
    bool any = j != ID_NONE;
    for (; j != ID_NONE; j = dependencies_next(s)) {
        const char *never = dependencies_never(s, j);
        if (on_demand(s, j)) {
            models_due(s, j, never);
            continue;
        }
        dependencies_let_in(s);
        if (never)
            job_unmet(s, j, never);
        else
            job_arrive(s, j);
        notices_give(s);
    }
    return any;
}

static bool arrive_next(struct sched *s)
{
    return s->dependencies && let_in(s);
}

/* At most so many of the trace. */
static int apply_arrivals(struct sched *s, uint32_t most, struct error *err)
{
    for (; most > 0 && next_arrival_ns(s) == s->now_ns; arrival_set(s, s->next_arrival + 1)) {
        if (s->next_arrival % JOBS_TURN == 0)
            jobs_turn(s, s->next_arrival);
        if (s->setup.part.takes && !run_takes(s, s->next_arrival))
            continue;
        s->totals.events++;
        if (arrive(s, s->next_arrival, err))
            return RUN_BAD_INPUT;
        notices_give(s);
        if (s->next_arrival > WORKLOAD_STILL_USED)
            run_pass(s, s->next_arrival - WORKLOAD_STILL_USED);
        most--;
        if (s->loop->known - s->next_arrival <= ARRIVALS_AHEAD)
            continue;
        fetch_rows(s, s->next_arrival + ARRIVALS_AHEAD);
        books_fetch(s, s->workload->facts[s->next_arrival + ARRIVALS_AHEAD - 1].queue);
    }
    return 0;
}

static bool event_is_due(const struct sched *s)
{
    return event_queue_next_ns(s->events) == s->now_ns;
}

static int apply_together(struct sched *s, struct error *err)
{
    struct event e;
    while (event_is_due(s)) {
        event_queue_pop(s->events, &e);
        fetch_ahead(s);
        apply(s, &e);
    }
    return apply_arrivals(s, UINT32_MAX, err);
}

/* ---- One by one ---- */

struct ends { const struct sched *s; bool foretold; job_id first; };

static bool is_foretold(const struct sched *s, const struct live *l)
{
    if (l->estimate_ns == TIME_NEVER)
        return false;
    int64_t done_ns = s->workload->truth[l->job].duration_ns - l->begin_left_ns;
    return l->last_start_ns + l->start_cost_ns + l->estimate_ns - done_ns == s->now_ns;
}

static bool starts_before(const struct sched *s, job_id a, job_id b)
{
    int64_t a_ns = live_of(s, a)->last_start_ns, b_ns = live_of(s, b)->last_start_ns;
    return a_ns != b_ns ? a_ns < b_ns : a < b;
}

static void find_first(void *self, uint32_t j)
{
    struct ends *x = self;
    if (x->foretold && !is_foretold(x->s, live_of(x->s, j)))
        return;
    if (x->first == ID_NONE || starts_before(x->s, j, x->first))
        x->first = j;
}

/* Of the ends at this instant, or only of those that were foretold, the first in the order of starts; false: there is none. */
static bool apply_end(struct sched *s, bool foretold)
{
    struct ends x = { s, foretold, ID_NONE };
    event_queue_visit(s->events, s->now_ns, EVENT_JOB_END, find_first, &x);
    if (x.first == ID_NONE)
        return false;
    event_queue_cancel(s->events, live_of(s, x.first)->event);
    apply(s, &(struct event){ s->now_ns, EVENT_JOB_END, x.first });
    return true;
}

/* The next step of this instant. What the world does as the first job arrives comes before that. */
static int apply_step(struct sched *s, struct error *err)
{
    struct event e;
    bool ended = false;
    while (s->next_arrival == 0 && event_is_due(s) && event_queue_pop(s->events, &e))
        apply(s, &e);
    while (apply_end(s, true))
        ended = true;
    if (ended)
        return 0;
    if (next_arrival_ns(s) == s->now_ns)
        return apply_arrivals(s, 1, err);
    if (!apply_end(s, false) && event_is_due(s) && event_queue_pop(s->events, &e))
        apply(s, &e);
    return 0;
}

static int apply_all(struct sched *s, struct error *err)
{
    bool each = s->cluster->pass_per_event;
    /* At the start jobs run already: what fails or is drained at that instant hits them. */
    if (s->next_arrival == 0 && s->workload->n_running && apply_arrivals(s, UINT32_MAX, err))
        return RUN_BAD_INPUT;
    if (each ? apply_step(s, err) : apply_together(s, err))
        return RUN_BAD_INPUT;
    (void)arrive_next(s); /* s->happened.changed says it */
    if (each && (event_is_due(s) || next_arrival_ns(s) == s->now_ns))
        return 0;
    if (wake_next_ns(s) == s->now_ns) {
        s->totals.events++;
        (void)wake_cancel(s, s->now_ns);
        run_changed(s);
    }
    if (timeline_is_due(s))
        run_changed(s);
    if (switch_next_ns(s) == s->now_ns) {
        switch_policy(s);
        s->loop->fruitless_wakes = 0;
    }
    return 0;
}

static int64_t on_grid(const struct sched *s, int64_t t)
{
    int64_t period = s->force->period_ns;
    return period ? (t + period - 1) / period * period : t;
}

static void check_indexes(const struct sched *s)
{
    MUST(s, free_index_consistent(s->idle));
    MUST(s, !s->releasing || free_index_consistent(s->releasing));
    MUST(s, nodes_consistent(s));
}

static void instant_ends(struct sched *s)
{
    if (s->setup.check)
        check_indexes(s);
    if (s->setup.observer.instant)
        s->setup.observer.instant(s->setup.observer.self, s);
    books_instant_ends(s);
}

/* ---- The end ---- */

bool run_pass_is_due(const struct sched *s)
{
    return s->happened.changed || s->loop->pass_due_ns != TIME_NEVER;
}

/* An event of this instant is still to come where they come one by one. */
static bool world_is_over(const struct sched *s)
{
    return s->next_arrival == s->workload->n_jobs && event_queue_length(s->events) == s->happened.background_events &&
           !event_is_due(s);
}

static bool nothing_follows(struct sched *s)
{
    return world_is_over(s) && s->loop->pass_due_ns == TIME_NEVER && wake_next_ns(s) == TIME_NEVER &&
           timeline_due_ns(s) == TIME_NEVER && switch_next_ns(s) == TIME_NEVER;
}

static int round_of(struct sched *s, struct error *err)
{
    if (apply_all(s, err))
        return RUN_BAD_INPUT;
    if (s->happened.changed)
        s->loop->pass_due_ns = on_grid(s, s->now_ns);
    bool changed = s->happened.changed, acted = false;
    s->happened.changed = false;
    if (s->loop->pass_due_ns == s->now_ns) {
        s->loop->pass_due_ns = TIME_NEVER;
        acted = pass_run(s);
        s->loop->fruitless_wakes = s->happened.changed || !world_is_over(s) ? 0 : s->loop->fruitless_wakes + 1;
        s->happened.changed = false;
        if (arrive_next(s)) /* a refusal let them in */
            s->loop->pass_due_ns = on_grid(s, s->now_ns + (s->force->period_ns > 0));
        s->happened.changed = false;
    }
    models_round(s);
    if (changed || acted || s->happened.shown || books_changes(s))
        instant_ends(s);
    s->happened.shown = false;
    models_instant(s, changed || acted);
    return acted ? livelock_check(s, err) : 0;
}

static bool is_interrupted(const struct sched *s)
{
    return s->setup.interrupted && atomic_load_explicit(s->setup.interrupted, memory_order_relaxed);
}

/* It waits for a job that will not come as this workload would have it. */
static bool is_missed(const struct sched *s)
{
    return s->next_arrival >= s->loop->known && s->next_arrival < s->workload->n_jobs;
}

static void cut_off(struct sched *s)
{
    int64_t t = s->setup.until_ns > s->now_ns ? s->setup.until_ns : s->now_ns;
    s->totals.cut_off = true;
    ledger_settle(s, t);
    s->now_ns = t;
}

/* Nothing will ever happen again. A deadlock is held until the cut-off, so that what it wastes
 * is counted, and what changes by the clock alone is shown. */
static int stand_still(struct sched *s, struct error *err)
{
    if (stall_check(s, err))
        return -1;
    if (!s->totals.deadlocked || !s->setup.until_ns)
        return 0;
    for (int64_t t; (t = models_level_ns(s)) <= s->setup.until_ns;) {
        ledger_settle(s, t);
        s->now_ns = t;
        run_series_changed(s);
        instant_ends(s);
    }
    cut_off(s);
    return 0;
}

/* All that happens before that time; TIME_NEVER: to the end of the run, and what that is. */
static int play(struct sched *s, int64_t before_ns, struct error *err)
{
    while (s->ledger.in_system > 0 || s->next_arrival < s->workload->n_jobs || s->happened.open > 0 || s->loop->idles) {
        if (is_missed(s))
            return RUN_MISSED;
        int64_t t = next_instant_ns(s);
        bool stands = t == TIME_NEVER || (!s->loop->idles && (nothing_follows(s) || s->loop->fruitless_wakes > FRUITLESS_WAKES_MOST));
        bool beyond = s->setup.until_ns && t > s->setup.until_ns;
        if (before_ns != TIME_NEVER && (stands || beyond || t >= before_ns))
            return 0;
        if (stands)
            return stand_still(s, err);
        if (beyond) {
            cut_off(s);
            return 0;
        }
        if (t > CLOCK_END_NS)
            return error_set(err, "policy %s: at %.9g s the run is not over: want one of at most 180 years, with less work or more GPUs",
                             s->force->policy->name, seconds(s->now_ns));
        s->loop->rounds_here = t == s->now_ns ? s->loop->rounds_here + 1 : 0;
        if (s->loop->rounds_here > ROUNDS_MOST + (uint64_t)s->n_jobs)
            return error_set(err, "policy %s does not let time pass at %.9g s", s->force->policy->name, seconds(t));
        ledger_settle(s, t);
        s->now_ns = t;
        int result = round_of(s, err);
        if (result)
            return result;
        if (is_interrupted(s))
            return error_set(err, "interrupted");
        if (++s->loop->rounds % GLANCE_EVERY == 0 && s->setup.progress)
            s->setup.progress(s->setup.progress_self, s);
    }
    return 0;
}

int run_until(struct sched *s, int64_t time_ns, struct error *err)
{
    if (!s->loop->begun && s->force->policy->begin)
        s->force->policy->begin(s, s->force->params, s->force->state);
    if (!s->loop->begun)
        run_shown(s);            /* also in a member of a federation that gets jobs only later */
    s->loop->begun = true;
    return play(s, time_ns, err);
}

int run_end(struct sched *s, int64_t end_ns, struct error *err)
{
    int result = 0;
    if (end_ns > s->now_ns) {
        s->loop->idles = true;
        result = run_until(s, end_ns + 1, err);
        ledger_settle(s, end_ns);
        s->now_ns = end_ns;
    }
    if (result)
        return result;
    models_last(s);
    jobs_cut_off(s);
    quotas_end(s);
    models_end(s);
    s->totals.last_ns = s->now_ns;
    s->totals.installed = (int128_t)(s->now_ns - s->totals.first_ns) * s->cluster->gpus * MILLI_ALL;
    s->totals.without_estimate = timeline_without_estimate(s);
    instant_ends(s);
    return identities_check(s, err);
}

int run_execute(struct sched *s, struct error *err)
{
    int result = run_until(s, TIME_NEVER, err);
    return result ? result : run_end(s, s->now_ns, err);
}
