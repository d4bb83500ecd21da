/* sessions_results.c - what came of interactive sessions: sessions.csv, metrics (models.md 10.9). */
#include "sim/physics/sessions.h"
#include "sim/base/memory.h"
#include "sim/physics/physics.h"
#include "sim/results/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P99_LEAST_SESSIONS = 1000 };    /* models.md 10.5 */

static bool is_over(const struct session_run *x)
{
    return x->life.place == SESSION_OVER;
}

static int64_t start_ns(const struct session_run *x)         /* -1: it could not be used yet */
{
    return x->life.usable_ns < 0 ? -1 : x->life.usable_ns - x->life.of->submit_ns;
}

/* Who gives up has missed it, whenever that is. -1: it is not known yet. */
static int slo_met(const struct session_run *x)
{
    int64_t waited_ns = start_ns(x) >= 0 ? start_ns(x) : x->life.now_ns - x->life.of->submit_ns;
    if (waited_ns > x->group->slo_ns || (is_over(x) && (x->life.end == SESSION_ABANDONED || x->life.end == SESSION_LOST)))
        return 0;
    return start_ns(x) >= 0 ? 1 : -1;
}

/* ---- sessions.csv ---- */

const char *const session_columns[] = {
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

void sessions_rows(struct output *o, const struct sched *s)
{
    for (uint32_t i = 0; i < s->sessions->n; i++)
        if (s->sessions->one[i].begun)
            row(o, s, &s->sessions->one[i]);
}

const char *const session_node_columns[] = { "idle_gpu_s", NULL };

void session_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_wide_seconds(o, s->node_account[n][ACCOUNT_IDLE] / MILLI_ALL);
}

const char *const session_series_columns[] = { [SPENT_QUEUED] = "sessions_queued",     [SPENT_STARTING] = "sessions_starting",
                                               [SPENT_ACTIVE] = "sessions_active",     [SPENT_IDLE] = "sessions_idle",
                                               [SPENT_RELEASED] = "sessions_released", [SESSION_SPENTS] = NULL };

void session_series_row(struct output *o, const struct sched *s)
{
    for (unsigned i = 0; i < SESSION_SPENTS; i++) {
        out_char(o, ',');
        out_integer(o, s->sessions->now[i]);
    }
}

/* ---- Metrics ---- */

enum { SESSIONS, CLOSED, EXPIRED, ABANDONED, CULLED, LOST, OPEN, FORGOTTEN, RELEASES, TAKEN, START_P50, START_P90, START_P99, SLO, SLO_KEPT,
       DELAYED, HELD, STARTING, ACTIVE, IDLE, ACTIVE_SHARE, SESSION_METRICS };
const struct metric_kind session_metrics[] = {
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

struct tally {
    uint64_t n, count[SESSION_METRICS], decided, met, started;
    int128_t delayed_ns, gpu_ns[SESSION_SPENTS];              /* milli-GPU ns */
    int64_t *start_ns;                                        /* [started] */
};

static void count_end(struct tally *t, const struct session_run *x)
{
    static const uint8_t metric[SESSION_ENDS] = { [SESSION_CLOSED] = CLOSED, [SESSION_EXPIRED] = EXPIRED, [SESSION_ABANDONED] = ABANDONED,
                                                  [SESSION_CULLED] = CULLED, [SESSION_LOST] = LOST };
    t->count[is_over(x) ? metric[x->life.end] : OPEN]++;
    t->count[FORGOTTEN] += x->life.left;
    t->count[RELEASES] += x->life.releases;
    t->count[TAKEN] += x->life.taken;
}

static void count_one(struct tally *t, const struct sched *s, const struct session_run *x)
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

static double start_s(const struct tally *t, double p)
{
    return t->started ? quantile(t->start_ns, t->started, p) / (double)NS_PER_S : (double)NAN;
}

/* Of all groups, in whose file one was. */
static void put_kept(struct maker *k)
{
    const struct sessions_run *r = k->s->sessions;
    const struct session_groups *all = k->s->workload->sessions;
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
    summary_put_kind(k, &session_metrics[SLO_KEPT], "all", (double)kept / (double)groups, groups);
}

static void put(struct maker *k, const char *scope, const struct tally *t)
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
    summary_put_kind(k, &session_metrics[SESSIONS], scope, (double)t->n, t->n);
    for (unsigned m = CLOSED; m <= TAKEN; m++)
        summary_put_kind(k, &session_metrics[m], scope, (double)t->count[m], t->n);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        summary_put_kind(k, &session_metrics[rest[i].metric], scope, rest[i].value, rest[i].n);
}

/* q ID_NONE: of all queues. */
static void tally(struct tally *t, const struct sched *s, queue_id q)
{
    int64_t *start = t->start_ns;
    *t = (struct tally){ .start_ns = start };
    for (uint32_t i = 0; i < s->sessions->n; i++) {
        const struct session_run *x = &s->sessions->one[i];
        if (x->begun && (q == ID_NONE || s->workload->facts[x->job].queue == q))
            count_one(t, s, x);
    }
}

void sessions_summarise(struct maker *k)
{
    const struct sched *s = k->s;
    bool *used = mem_new(s->cluster->n_queues, sizeof *used);
    struct tally t = { .start_ns = mem_new(s->sessions->n + (size_t)1, sizeof *t.start_ns) };
    for (uint32_t i = 0; i < s->sessions->n; i++)
        used[s->workload->facts[s->sessions->one[i].job].queue] |= s->sessions->one[i].begun;
    tally(&t, s, ID_NONE);
    put(k, "all", &t);
    put_kept(k);
    put(k, "class=interactive", &t);
    for (queue_id q = 0; q < s->cluster->n_queues; q++) {
        if (!used[q])
            continue;
        tally(&t, s, q);
        put(k, summary_scope(k, "queue", s->cluster->queue[q].name), &t);
    }
    free(t.start_ns);
    free(used);
}
