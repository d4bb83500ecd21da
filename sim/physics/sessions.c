/* sessions.c - see sessions.h. */
#include "sim/physics/sessions.h"
#include "sim/base/memory.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"
#include "sim/physics/physics.h"
#include "sim/physics/sharing.h"
#include "sim/results/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session_run *session_of(const struct sched *s, job_id j)
{
    if (!on_demand(s, j))
        return NULL;
    const struct sessions_run *r = sessions_of(s);
    uint32_t i = r->of_job[j - s->workload->n_jobs];
    return i == ID_NONE ? NULL : &r->one[i];
}

/* ---- Counts by activity ---- */

static void count(struct sched *s, struct session_run *x, enum session_spent on)
{
    if (x->counted == on)
        return;
    struct sessions_run *r = sessions_of(s);
    r->now[x->counted]--;
    r->now[on]++;
    x->counted = on;
    run_shown(s);
    run_series_changed(s);
}

/* ---- The next event ---- */

static void plan_at(struct sched *s, struct session_run *x, int64_t time_ns)
{
    uint32_t i = (uint32_t)(x - sessions_of(s)->one);
    if (time_ns == TIME_NEVER) {
        if (x->event)
            event_queue_cancel(s->events, x->event);
        x->event = 0;
    } else if (x->event) {
        event_queue_move(s->events, x->event, time_ns);
    } else {
        x->event = event_queue_push(s->events, (struct event){ time_ns, EVENT_SESSION, i });
    }
}

static void plan(struct sched *s, struct session_run *x)
{
    struct session_step step = { .at_ns = TIME_NEVER };
    count(s, x, session_spent_on(&x->life));
    if (x->begun && !session_next(&x->life, &step))
        step.at_ns = TIME_NEVER;
    plan_at(s, x, x->started_up ? s->now_ns : step.at_ns);
}

/* ---- What it does to its job ---- */

static void is_lost(struct sched *s, struct session_run *x)
{
    session_lost(&x->life, s->job[x->job].end_ns);
    run_open(s, -1);
}

/* After a fault its job may still be leaving the GPUs that it held before. */
static void submit(struct sched *s, struct session_run *x)
{
    x->asks_again = live_of(s, x->job) != NULL;
    if (x->asks_again)
        return;
    on_demand_submit(s, x->job);
    if (!on_demand_is_there(s, x->job))
        is_lost(s, x);
}

static void withdraw(struct sched *s, struct session_run *x, enum job_fate fate, const char *why)
{
    x->started_up = x->asks_again = false;
    if (on_demand_is_there(s, x->job))
        on_demand_withdraw(s, x->job, fate, why);
}

static void ends(struct sched *s, struct session_run *x)
{
    bool gave_up = x->life.end == SESSION_ABANDONED;
    withdraw(s, x, gave_up ? FATE_CANCELLED : FATE_COMPLETED, session_end_name[x->life.end]);
    run_open(s, -1);
}

/* It is stalled while its user thinks. */
static void follow(struct sched *s, struct session_run *x)
{
    struct live *l = live_of(s, x->job);
    if (x->life.place != SESSION_USABLE || l->pace.stalled != session_is_active(&x->life))
        return;
    if (l->pace.stalled) {
        sharing_goes_on(s, l);
        pace_resume(s, l);
    } else {
        pace_stall(s, l, ACCOUNT_IDLE);
        sharing_rests(s, l);
    }
}

static void acts(struct sched *s, struct session_run *x, const struct session_step *step)
{
    enum session_place before = x->life.place;
    session_acts(&x->life, step);
    if (x->life.place == SESSION_OVER)
        ends(s, x);
    else if (x->life.place == SESSION_RELEASED && before != SESSION_RELEASED)
        withdraw(s, x, FATE_COMPLETED, "released");
    else if (before == SESSION_RELEASED && x->life.place == SESSION_QUEUED)
        submit(s, x);
}

/* ---- Events ---- */

static void begins(struct sched *s, struct session_run *x, const struct session *of)
{
    x->begun = true;
    x->life = session_begin(of, &x->group->culling, x->group->cap_ns);
    submit(s, x);
}

/* Refused by the policy, cancelled by it, or failed once too often. */
static bool was_dropped(const struct sched *s, const struct session_run *x)
{
    return x->life.place == SESSION_QUEUED && !x->asks_again && !on_demand_is_there(s, x->job);
}

static void goes_on(struct sched *s, struct session_run *x)
{
    struct session_step step;
    if (was_dropped(s, x))
        is_lost(s, x);
    else if (session_next(&x->life, &step) && step.at_ns <= s->now_ns)
        acts(s, x, &step);
    else if (x->asks_again)
        submit(s, x);
    if (x->life.place == SESSION_STARTING && x->started_up)
        session_usable(&x->life, s->now_ns);
    x->started_up = false;
    follow(s, x);
}

static void happens(struct sched *s, const struct event *e)
{
    struct session_run *x = &sessions_of(s)->one[e->subject];
    x->event = 0;
    if (x->begun)
        goes_on(s, x);
    else
        begins(s, x, x->life.of);
    plan(s, x);
}

/* ---- With its job ---- */

static int64_t start_up(const struct sched *s, job_id j, const struct placement *on, bool first)
{
    const struct session_run *x = session_of(s, j);
    (void)on;
    (void)first;
    return x ? x->life.of->start_up_ns : -1;
}

static void placed(struct sched *s, struct live *l)
{
    struct session_run *x = session_of(s, l->job);
    if (!x)
        return;
    l->pace.gamma = 1;            /* what it does not compute it waits, one after the other */
    l->pace.compute_s = x->group->duty;
    l->pace.comm_s = 1 - x->group->duty;
    session_granted(&x->life, s->now_ns);
    plan(s, x);
}

static void paced(struct sched *s, struct live *l)
{
    struct session_run *x = session_of(s, l->job);
    if (!x || x->life.place != SESSION_STARTING || l->progress_event)
        return;
    x->started_up = true;
    plan(s, x);
}

static void left(struct sched *s, struct live *l, const struct placement *from)
{
    struct session_run *x = session_of(s, l->job);
    (void)from;
    if (!x || !session_holds(&x->life) || sessions_of(s)->ended)
        return;
    x->started_up = false;
    session_taken(&x->life, s->now_ns);
    plan(s, x);
}

/* Not by its own doing: it learns of it at this instant. */
static void gone(struct sched *s, job_id j)
{
    struct session_run *x = session_of(s, j);
    if (x && x->life.place == SESSION_QUEUED && x->event)
        plan_at(s, x, s->now_ns);
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    struct session_run *x = session_of(s, j);
    (void)p;
    if (x && sign < 0 && x->asks_again)
        plan_at(s, x, s->now_ns);
}

/* ---- The run ---- */

static bool wanted(const struct sched *s)
{
    return s->workload->sessions != NULL;
}

static int by_submit(const void *left_, const void *right_)
{
    const struct session_run *a = left_, *b = right_;
    if (a->life.of->submit_ns != b->life.of->submit_ns)
        return a->life.of->submit_ns < b->life.of->submit_ns ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->life.of > b->life.of) - (a->life.of < b->life.of);
}

/* Jobs are in the same order as sessions. */
static void find_jobs(struct sched *s)
{
    struct sessions_run *r = sessions_of(s);
    uint32_t i = 0;
    for (uint32_t d = 0; d < s->workload->n_on_demand; d++) {
        job_id j = s->workload->n_jobs + d;
        r->of_job[d] = ID_NONE;
        if (s->workload->facts[j].class != CLASS_INTERACTIVE)
            continue;
        MUST(s, i < r->n);
        r->one[i].job = j;
        r->of_job[d] = i++;
    }
    MUST(s, i == r->n);
}

static void begin(struct sched *s)
{
    const struct session_groups *all = s->workload->sessions;
    struct sessions_run *r = arena_alloc(s->memory, sizeof *r);
    model_state_set(s, &sessions_model, r);
    size_t n = 0;
    for (size_t g = 0; g < all->n; g++)
        n += all->group[g].n;
    r->one = arena_alloc(s->memory, (n + 1) * sizeof *r->one);
    r->of_job = arena_alloc(s->memory, (s->workload->n_on_demand + (size_t)1) * sizeof *r->of_job);
    for (size_t g = 0; g < all->n; g++)
        for (size_t k = 0; k < all->group[g].n; k++)
            r->one[r->n++] = (struct session_run){ .group = &all->group[g], .life.of = &all->group[g].session[k], .counted = SESSION_SPENTS };
    r->now[SESSION_SPENTS] = r->n;
    qsort(r->one, r->n, sizeof *r->one, by_submit);
    find_jobs(s);
    for (uint32_t i = 0; i < r->n; i++)
        plan_at(s, &r->one[i], r->one[i].life.of->submit_ns);
    run_open(s, (int)r->n);
}

/* What goes on at the end of the run stays as it is, and is counted no more. */
static void last(struct sched *s)
{
    struct sessions_run *r = sessions_of(s);
    r->ended = true;
    for (uint32_t i = 0; i < r->n; i++) {
        if (!r->one[i].begun || r->one[i].life.place == SESSION_OVER)
            continue;
        session_settle(&r->one[i].life, s->now_ns);
        count(s, &r->one[i], SESSION_SPENTS);
    }
}

static int broken(const struct sched *s, const struct session_run *x, const char *what, int64_t a, int64_t b, struct error *err)
{
    return error_set(err, "an identity is broken, please report it: session %s: %s: %.17g s is not %.17g s", s->workload->truth[x->job].name,
                     what, seconds(a), seconds(b));
}

/* See sessions.h. */
static int check(struct sched *s, struct error *err)
{
    bool faults = s->cluster->failures && failures_happen(s->cluster->failures);
    int128_t idle = 0;
    const struct sessions_run *all = sessions_of(s);
    for (uint32_t i = 0; i < all->n; i++) {
        const struct session_run *x = &all->one[i];
        struct job_result r = run_job(s, x->job);
        const int64_t *spent_ns = x->life.spent_ns;
        int64_t in_use_ns = spent_ns[SPENT_ACTIVE] + spent_ns[SPENT_IDLE], sum_ns = 0;
        if (!x->begun)
            continue;
        for (int k = 0; k < SESSION_SPENTS; k++)
            sum_ns += spent_ns[k];
        if (sum_ns != x->life.now_ns - x->life.of->submit_ns)
            return broken(s, x, "time by what it was spent on, and in all", sum_ns, x->life.now_ns - x->life.of->submit_ns, err);
        if (r.run_ns - r.overhead_ns != in_use_ns)
            return broken(s, x, "active and idle, and held without overheads", in_use_ns, r.run_ns - r.overhead_ns, err);
        if (r.overhead_ns < spent_ns[SPENT_STARTING] || (!faults && r.overhead_ns != spent_ns[SPENT_STARTING]))
            return broken(s, x, "starting up, and overheads", spent_ns[SPENT_STARTING], r.overhead_ns, err);
        idle += (int128_t)spent_ns[SPENT_IDLE] * request_gpu_milli(ask_of(s, x->job));
    }
    return idle == s->totals.account[ACCOUNT_IDLE] ? 0 : error_set(err, "an identity is broken, please report it: GPU-seconds held idle by "
                                                                        "sessions, and in all: %.17g is not %.17g", (double)idle,
                                                                   (double)s->totals.account[ACCOUNT_IDLE]);
}

enum { P99_LEAST_SESSIONS = 1000 };    /* models.md 10.5 */

static bool is_over(const struct session_run *x)
{
    return x->life.place == SESSION_OVER;
}

static int64_t start_ns(const struct session_run *x)         /* -1: not usable yet */
{
    return x->life.usable_ns < 0 ? -1 : x->life.usable_ns - x->life.of->submit_ns;
}

/* 1: it started within its objective; 0: not, or it was given up; -1: not known yet. */
static int slo_met(const struct session_run *x)
{
    int64_t waited_ns = start_ns(x) >= 0 ? start_ns(x) : x->life.now_ns - x->life.of->submit_ns;
    if (waited_ns > x->group->slo_ns || (is_over(x) && (x->life.end == SESSION_ABANDONED || x->life.end == SESSION_LOST)))
        return 0;
    return start_ns(x) >= 0 ? 1 : -1;
}

/* ---- sessions.csv ---- */

static const char *const session_columns[] = {
    "session", "group", "user", "queue", "gpus", "submit_s", "usable_s", "end_s", "outcome", "time_to_start_s", "patience_s", "slo_met",
    "forgotten", "releases", "preemptions", "delayed_s", "starting_gpu_s", "active_gpu_s", "idle_gpu_s", NULL,
};

static void comma_text(struct output *o, const char *text)
{
    out_char(o, ',');
    out_csv(o, text);
}

static void comma_integer(struct output *o, int64_t value)
{
    out_char(o, ',');
    if (value >= 0)
        out_integer(o, value);
}

static void comma_seconds(struct output *o, int64_t ns)
{
    out_char(o, ',');
    if (ns >= 0)
        out_seconds(o, ns);
}

static void comma_gpu_s(struct output *o, int64_t ns, int64_t gpu_milli)
{
    out_char(o, ',');
    out_wide_seconds(o, (int128_t)ns * gpu_milli / MILLI_ALL);
}

static void row(struct output *o, const struct sched *s, const struct session_run *x)
{
    const struct workload *w = s->workload;
    const struct job_facts *f = &w->facts[x->job];
    const struct session_life *l = &x->life;
    int64_t gpu_milli = request_gpu_milli(f->ask);
    out_csv(o, w->truth[x->job].name);
    comma_text(o, x->group->name);
    comma_text(o, f->user == ID_NONE ? "" : intern_text(w->users, f->user));
    comma_text(o, s->cluster->queue[f->queue].name);
    out_char(o, ',');
    out_decimal(o, gpu_milli, MILLI_ALL);
    comma_seconds(o, l->of->submit_ns);
    comma_seconds(o, l->usable_ns);
    comma_seconds(o, is_over(x) ? l->now_ns : -1);
    comma_text(o, is_over(x) ? session_end_name[l->end] : "open");
    comma_seconds(o, start_ns(x));
    comma_seconds(o, l->of->patience_ns);
    comma_integer(o, slo_met(x));
    comma_integer(o, l->left);
    comma_integer(o, l->releases);
    comma_integer(o, l->taken);
    comma_seconds(o, l->delayed_ns);
    comma_gpu_s(o, l->spent_ns[SPENT_STARTING], gpu_milli);
    comma_gpu_s(o, l->spent_ns[SPENT_ACTIVE], gpu_milli);
    comma_gpu_s(o, l->spent_ns[SPENT_IDLE], gpu_milli);
    out_char(o, '\n');
}

static void sessions_rows(struct output *o, const struct sched *s)
{
    const struct sessions_run *r = sessions_of(s);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->one[i].begun)
            row(o, s, &r->one[i]);
}

static const char *const session_node_columns[] = { "idle_gpu_s", NULL };

static void session_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_wide_seconds(o, s->ledger.node_account[ACCOUNT_IDLE][n] / MILLI_ALL);
}

static const char *const session_series_columns[] = { [SPENT_QUEUED] = "sessions_queued",     [SPENT_STARTING] = "sessions_starting",
                                               [SPENT_ACTIVE] = "sessions_active",     [SPENT_IDLE] = "sessions_idle",
                                               [SPENT_RELEASED] = "sessions_released", [SESSION_SPENTS] = NULL };

static void session_series_row(struct output *o, const struct sched *s)
{
    const struct sessions_run *r = sessions_of(s);
    for (unsigned i = 0; i < SESSION_SPENTS; i++) {
        out_char(o, ',');
        out_integer(o, r->now[i]);
    }
}

/* ---- Metrics ---- */

enum { SESSIONS, CLOSED, EXPIRED, ABANDONED, CULLED, LOST, OPEN, FORGOTTEN, RELEASES, TAKEN, START_P50, START_P90, START_P99, SLO, SLO_KEPT,
       DELAYED, HELD, STARTING, ACTIVE, IDLE, ACTIVE_SHARE, SESSION_METRICS };
static const struct metric_kind session_metrics[] = {
    [SESSIONS] = { "sessions", "", "interactive sessions that were submitted", BETTER_NEITHER },
    [CLOSED] = { "sessions_closed", "", "closed by their users", BETTER_HIGHER },
    [EXPIRED] = { "sessions_expired", "", "ended at their cap", BETTER_LOWER },
    [ABANDONED] = { "sessions_abandoned", "", "given up by users who waited for longer than they had patience", BETTER_LOWER },
    [CULLED] = { "sessions_culled", "", "deleted for having been idle", BETTER_NEITHER },
    [LOST] = { "sessions_lost", "", "refused by the cluster, or failed once too often", BETTER_LOWER },
    [OPEN] = { "sessions_open", "", "not over at the end", BETTER_NEITHER },
    [FORGOTTEN] = { "sessions_forgotten", "", "left by their users without being closed", BETTER_NEITHER },
    [RELEASES] = { "session_releases", "", "times that one gave its GPUs back for being idle", BETTER_NEITHER },
    [TAKEN] = { "session_preemptions", "", "times that one lost its GPUs to the policy or a fault", BETTER_LOWER },
    [START_P50] = { "session_start_p50_s", "s", "median time to start: from the submit until it can be used; of those that could", BETTER_LOWER },
    [START_P90] = { "session_start_p90_s", "s", "its 90th percentile", BETTER_LOWER },
    [START_P99] = { "session_start_p99_s", "s", "its 99th percentile; from 1000 sessions on", BETTER_LOWER },
    [SLO] = { "session_slo_attainment", "", "share of sessions that started within their objective and were not given up", BETTER_HIGHER },
    [SLO_KEPT] = { "session_slo_kept", "", "share of the groups in which it is at least the objective's share", BETTER_HIGHER },
    [DELAYED] = { "session_delayed_mean_s", "s", "time that a user waited to go on after the first start; mean of those that could be used", BETTER_LOWER },
    [HELD] = { "session_gpu_h_held", "GPU h", "held by sessions; what follows is all of it", BETTER_NEITHER },
    [STARTING] = { "session_gpu_h_starting", "GPU h", "of that starting up", BETTER_LOWER },
    [ACTIVE] = { "session_gpu_h_active", "GPU h", "of that running something", BETTER_HIGHER },
    [IDLE] = { "session_gpu_h_idle", "GPU h", "of that while the user thinks or is away", BETTER_LOWER },
    [ACTIVE_SHARE] = { "session_active_share", "", "active / (active + idle)", BETTER_HIGHER },
    { 0 },
};

struct session_tally {
    uint64_t n, count[SESSION_METRICS], decided, met, started;
    int128_t delayed_ns, gpu_ns[SESSION_SPENTS];              /* milli-GPU ns */
    int64_t *start_ns;                                        /* [started] */
};

static void count_end(struct session_tally *t, const struct session_run *x)
{
    static const uint8_t metric[SESSION_ENDS] = { [SESSION_CLOSED] = CLOSED, [SESSION_EXPIRED] = EXPIRED, [SESSION_ABANDONED] = ABANDONED,
                                                  [SESSION_CULLED] = CULLED, [SESSION_LOST] = LOST };
    t->count[is_over(x) ? metric[x->life.end] : OPEN]++;
    t->count[FORGOTTEN] += x->life.left;
    t->count[RELEASES] += x->life.releases;
    t->count[TAKEN] += x->life.taken;
}

static void count_one(struct session_tally *t, const struct sched *s, const struct session_run *x)
{
    int64_t gpu_milli = request_gpu_milli(ask_of(s, x->job));
    int met = slo_met(x);
    t->n++;
    count_end(t, x);
    t->decided += met >= 0;
    t->met += met > 0;
    if (start_ns(x) >= 0)
        t->start_ns[t->started++] = start_ns(x);
    t->delayed_ns += x->life.delayed_ns;
    for (int i = 0; i < SESSION_SPENTS; i++)
        t->gpu_ns[i] += (int128_t)x->life.spent_ns[i] * gpu_milli;
}

static double start_s(const struct session_tally *t, double p)
{
    return t->started ? quantile(t->start_ns, t->started, p) / (double)NS_PER_S : (double)NAN;
}

/* Over all groups that had a session decided. */
static void put_kept(struct summary_builder *b)
{
    const struct sessions_run *r = sessions_of(b->s);
    const struct session_groups *all = b->s->workload->sessions;
    uint64_t kept = 0, groups = 0;
    for (size_t g = 0; g < all->n; g++) {
        uint64_t decided = 0, met = 0;
        for (uint32_t i = 0; i < r->n; i++)
            if (r->one[i].begun && r->one[i].group == &all->group[g]) {
                decided += slo_met(&r->one[i]) >= 0;
                met += slo_met(&r->one[i]) > 0;
            }
        groups += decided > 0;
        kept += decided > 0 && (double)met >= all->group[g].slo_share * (double)decided;
    }
    summary_put_kind(b, &session_metrics[SLO_KEPT], "all", (double)kept / (double)groups, groups);
}

static void put(struct summary_builder *b, const char *scope, const struct session_tally *t)
{
    int128_t active = t->gpu_ns[SPENT_ACTIVE], idle = t->gpu_ns[SPENT_IDLE], starting = t->gpu_ns[SPENT_STARTING];
    const struct { unsigned metric; double value; uint64_t n; } rest[] = {
        { START_P50, start_s(t, .5), t->started },
        { START_P90, start_s(t, .9), t->started },
        { START_P99, start_s(t, .99), t->started >= P99_LEAST_SESSIONS ? t->started : 0 },
        { SLO, (double)t->met / (double)t->decided, t->decided },
        { DELAYED, (double)t->delayed_ns / (double)t->started / (double)NS_PER_S, t->started },
        { HELD, gpu_hours(starting + active + idle), t->n },
        { STARTING, gpu_hours(starting), t->n },
        { ACTIVE, gpu_hours(active), t->n },
        { IDLE, gpu_hours(idle), t->n },
        { ACTIVE_SHARE, (double)active / (double)(active + idle), active + idle > 0 ? t->n : 0 },
    };
    summary_put_kind(b, &session_metrics[SESSIONS], scope, (double)t->n, t->n);
    for (unsigned m = CLOSED; m <= TAKEN; m++)
        summary_put_kind(b, &session_metrics[m], scope, (double)t->count[m], t->n);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        summary_put_kind(b, &session_metrics[rest[i].metric], scope, rest[i].value, rest[i].n);
}

/* q ID_NONE: of all queues. */
static void tally(struct session_tally *t, const struct sched *s, queue_id q)
{
    int64_t *start = t->start_ns;
    *t = (struct session_tally){ .start_ns = start };
    const struct sessions_run *r = sessions_of(s);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct session_run *x = &r->one[i];
        if (x->begun && (q == ID_NONE || s->workload->facts[x->job].queue == q))
            count_one(t, s, x);
    }
}

static void sessions_summarise(struct summary_builder *b)
{
    const struct sched *s = b->s;
    const struct sessions_run *r = sessions_of(s);
    bool *used = mem_new(s->cluster->n_queues, sizeof *used);
    struct session_tally t = { .start_ns = mem_new(r->n + (size_t)1, sizeof *t.start_ns) };
    for (uint32_t i = 0; i < r->n; i++)
        used[s->workload->facts[r->one[i].job].queue] |= r->one[i].begun;
    tally(&t, s, ID_NONE);
    put(b, "all", &t);
    put_kept(b);
    put(b, "class=interactive", &t);
    for (queue_id q = 0; q < s->cluster->n_queues; q++) {
        if (!used[q])
            continue;
        tally(&t, s, q);
        put(b, summary_scope(b, "queue", s->cluster->queue[q].name), &t);
    }
    free(t.start_ns);
    free(used);
}

const struct run_model sessions_model = {
    .place = PLACE_OF(sessions_model),
    .name = "sessions", .summary = "interactive sessions, of a workload file with `sessions`", .wanted = wanted, .begin = begin,
    .placed = placed, .start_up = start_up, .left = left, .gone = gone, .held = held, .paced = paced, .events = 1u << EVENT_SESSION, .happens = happens,
    .last = last, .check = check, .node_columns = session_node_columns, .node_row = session_node_row,
    .series_columns = session_series_columns, .series_row = session_series_row,
    .file = "sessions", .file_columns = session_columns, .file_rows = sessions_rows,
    .metrics = session_metrics, .summarise = sessions_summarise,
};
