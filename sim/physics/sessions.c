/* sessions.c - interactive sessions: each is a job on demand, which comes, gives its GPUs back and goes as sim/sessions/session_life.h has
 * it. What is told here is what that job holds: its GPUs are granted, taken, and useful once they have started up.
 *
 * A session whose user thinks holds its GPUs without progress (ACCOUNT_IDLE). In a run each GPU computes for `duty` of the time. A run takes
 * the time that was drawn, however fast its GPUs are. */
#include "sim/physics/sessions.h"
#include "sim/physics/physics.h"
#include "sim/engine/on_demand.h"
#include "sim/engine/pace.h"

#include <stdlib.h>

static struct session_run *session_of(const struct sched *s, job_id j)
{
    uint32_t i = on_demand(s, j) ? s->sessions->of_job[j - s->workload->n_jobs] : ID_NONE;
    return i == ID_NONE ? NULL : &s->sessions->one[i];
}

/* ---- How many do what ---- */

static void count(struct sched *s, struct session_run *x)
{
    enum session_spent on = session_spent_on(&x->life);
    if (x->counted == on)
        return;
    s->sessions->now[x->counted]--;
    s->sessions->now[on]++;
    x->counted = on;
    s->shown = true;
    s->series_changes++;
}

/* ---- When something comes next ---- */

static void plan_at(struct sched *s, struct session_run *x, int64_t time_ns)
{
    uint32_t i = (uint32_t)(x - s->sessions->one);
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
    count(s, x);
    if (x->begun && !session_next(&x->life, &step))
        step.at_ns = TIME_NEVER;
    plan_at(s, x, x->started_up ? s->now_ns : step.at_ns);
}

/* ---- What it does to its job ---- */

static void is_lost(struct sched *s, struct session_run *x)
{
    session_lost(&x->life, s->job[x->job].end_ns);
    s->n_open--;
}

/* A former life may still be leaving its GPUs, after a fault. */
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
    s->n_open--;
}

/* Its pace is as what it does. */
static void follow(struct sched *s, struct session_run *x)
{
    struct live *l = live_of(s, x->job);
    if (x->life.place != SESSION_USABLE || l->pace.stalled != session_is_active(&x->life))
        return;
    if (l->pace.stalled) {
        sharing_goes_on(s, l);
        pace_go_on(s, l);
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
    struct session_run *x = &s->sessions->one[e->subject];
    x->event = 0;
    if (x->begun)
        goes_on(s, x);
    else
        begins(s, x, x->life.of);
    plan(s, x);
}

/* ---- What its job is told ---- */

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
    if (!x || !session_holds(&x->life))
        return;
    x->started_up = false;
    session_taken(&x->life, s->now_ns);
    plan(s, x);
}

/* Not by its own doing: it learns of it at once. */
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

/* Their jobs are in the same order as they are. */
static void find_jobs(struct sched *s)
{
    struct sessions_run *r = s->sessions;
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
    struct sessions_run *r = s->sessions = arena_alloc(s->memory, sizeof *r);
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
    s->n_open += r->n;
}

static void end(struct sched *s)
{
    for (uint32_t i = 0; i < s->sessions->n; i++)
        if (s->sessions->one[i].begun && s->sessions->one[i].life.place != SESSION_OVER)
            session_settle(&s->sessions->one[i].life, s->now_ns);
}

static int broken(const struct sched *s, const struct session_run *x, const char *what, int64_t a, int64_t b, struct error *err)
{
    return error_set(err, "an identity is broken, please report it: session %s: %s: %.17g s is not %.17g s", s->workload->truth[x->job].name,
                     what, seconds(a), seconds(b));
}

/* What each spent is what its job was charged for. */
static int check(struct sched *s, struct error *err)
{
    int128_t idle = 0;
    for (uint32_t i = 0; i < s->sessions->n; i++) {
        const struct session_run *x = &s->sessions->one[i];
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
        if (r.overhead_ns < spent_ns[SPENT_STARTING] || (!s->faults && r.overhead_ns != spent_ns[SPENT_STARTING]))
            return broken(s, x, "starting up, and overheads", spent_ns[SPENT_STARTING], r.overhead_ns, err);
        idle += (int128_t)spent_ns[SPENT_IDLE] * request_gpu_milli(ask_of(s, x->job));
    }
    return idle == s->totals.account[ACCOUNT_IDLE] ? 0 : error_set(err, "an identity is broken, please report it: GPU-seconds held idle by "
                                                                        "sessions, and in all: %.17g is not %.17g", (double)idle,
                                                                   (double)s->totals.account[ACCOUNT_IDLE]);
}

const struct run_model sessions_model = {
    .name = "sessions", .summary = "interactive sessions, of a workload file with `sessions`", .wanted = wanted, .begin = begin,
    .placed = placed, .start_up = start_up, .left = left, .gone = gone, .held = held, .paced = paced, .events = 1u << EVENT_SESSION, .happens = happens,
    .end = end, .check = check, .node_columns = session_node_columns, .node_row = session_node_row,
    .series_columns = session_series_columns, .series_row = session_series_row,
    .file = "sessions", .file_columns = session_columns, .file_rows = sessions_rows,
    .metrics = session_metrics, .summarise = sessions_summarise,
};
