/* pools.c - see pools.h. */
#include "sim/physics/pools.h"
#include "sim/engine/interruption.h"
#include "sim/engine/nodes.h"
#include "sim/engine/run.h"
#include "sim/physics/physics.h"
#include "sim/physics/sleep.h"
#include "sim/scheduler/timeline.h"
#include "sim/scheduler/wakes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Subjects of EVENT_POOL: what x n_nodes + node. */
enum what { READY, IDLE, RECLAIM, GONE, SCAN };
enum { USELESS_TIMES = 3, ASKED_TIMES = 1000 };

static bool wanted(const struct sched *s)
{
    return s->cluster->pool != NULL;
}

/* No wait ends by these alone. */
static bool is_background(const struct sched *s, enum what what, node_id n)
{
    return what == READY ? pools_of(s)->node[n].hopeless : what != GONE;    /* a node that is gone can be asked for again */
}

static event_id push(struct sched *s, enum what what, node_id n, int64_t at_ns)
{
    run_background(s, is_background(s, what, n));
    return event_queue_push(s->events, (struct event){ at_ns, EVENT_POOL, what * s->cluster->n_nodes + n });
}

static void log_node(const struct sched *s, const char *kind, node_id n)
{
    char what[32];
    snprintf(what, sizeof what, "node %u", n);
    decision_log(s, ID_NONE, kind, what, "");
}

static int by_price(const void *a, const void *b, const struct cluster *c)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double p = c->pool[x].usd_per_node_h / (c->group_gpus[x] + 1e-9), q = c->pool[y].usd_per_node_h / (c->group_gpus[y] + 1e-9);
    return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

static void list_pools(struct sched *s, struct pools *p)
{
    const struct cluster *c = s->cluster;
    p->scan_ns = p->due_ns = TIME_NEVER;
    for (uint32_t g = 0, n = 0; g < c->n_groups; g++) {
        p->first[g] = n;
        while (n < c->n_nodes && c->group_of[n] == g)
            n++;
        p->first[g + 1] = n;
        if (!c->pool[g].is)
            continue;
        uint32_t at = p->n_pools++;
        p->nodes += n - p->first[g];
        for (; at > 0 && by_price(&p->by_price[at - 1], &g, c) > 0; at--)
            p->by_price[at] = p->by_price[at - 1];
        p->by_price[at] = g;
        p->scan_ns = c->pool[g].scan_ns < p->scan_ns ? c->pool[g].scan_ns : p->scan_ns;
    }
}

/* ---- Coming ---- */

static void look_later(struct sched *s, node_id n)
{
    struct pool_node *x = &pools_of(s)->node[n];
    int64_t idle_ns = pool_of(s, n)->idle_ns;
    x->due = x->idle_since_ns <= TIME_NEVER - 1 - idle_ns;
    if (x->due)
        push(s, IDLE, n, x->idle_since_ns + idle_ns > s->now_ns ? x->idle_since_ns + idle_ns : s->now_ns);
}

/* Nodes that were idle while their pool was at its min, or nodes were coming, may be removed now. */
static void look_at_idle(struct sched *s)
{
    struct pools *p = pools_of(s);
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (p->node[n].state == POOL_THERE && !p->node[n].pieces && !p->node[n].due)
            look_later(s, n);
}

static void is_there(struct sched *s, node_id n)
{
    struct pool_node *x = &pools_of(s)->node[n];
    const struct pool *p = pool_of(s, n);
    x->state = POOL_THERE;
    pools_of(s)->paid[s->cluster->group_of[n]]++;
    sleep_there(s, n, true);
    x->since_ns = x->idle_since_ns = s->now_ns;
    x->reclaim = 0;
    if (p->reclaims_per_day > 0) {
        double after_s = -log(random_uniform(&x->draws)) * 86400 / p->reclaims_per_day;
        int64_t after_ns = ns_of_seconds(after_s);
        if (after_ns < TIME_NEVER - s->now_ns - p->notice_ns)
            x->reclaim = push(s, RECLAIM, n, s->now_ns + after_ns);
    }
}

/* Changes when a job arrives, starts, stops or ends. */
static uint64_t turn_of(const struct sched *s)
{
    const struct run_totals *t = &s->totals;
    return pools_of(s)->held_changes + s->n_submitted + t->completed + t->failed + t->cancelled + t->rejected;
}

static bool pools_useless(const struct sched *s)
{
    struct pools *p = pools_of(s);
    uint64_t jobs = turn_of(s), nodes = nodes_changes(s) - p->own_changes + p->gone;
    if (p->turn != jobs)
        p->asked = 0;
    if (p->turn != jobs || p->others_changes != nodes || p->due_ns <= s->now_ns)
        p->useless = 0;
    p->due_ns = timeline_due_ns(s);
    p->turn = jobs;
    p->others_changes = nodes;
    return p->useless >= USELESS_TIMES * p->nodes || p->asked >= ASKED_TIMES * p->nodes;
}

static void comes(struct sched *s, node_id n)
{
    pools_of(s)->own_changes++;
    node_comes(s, n);
}

static void goes(struct sched *s, node_id n)
{
    pools_of(s)->own_changes++;
    node_goes(s, n);
}

void pool_provision(struct sched *s, node_id n)
{
    struct pools *p = pools_of(s);
    p->node[n].hopeless = pools_useless(s);
    p->node[n].state = POOL_COMING;
    p->there[s->cluster->group_of[n]]++;
    p->asked++;
    p->added++;
    p->coming++;
    log_node(s, "provision", n);
    push(s, READY, n, s->now_ns + pool_of(s, n)->provision_ns);
}

/* ---- Going ---- */

static void leaves(struct sched *s, node_id n)
{
    struct pool_node *x = &pools_of(s)->node[n];
    x->state = POOL_ABSENT;
    sleep_there(s, n, false);
    x->there_ns += s->now_ns - x->since_ns;
    pools_of(s)->there[s->cluster->group_of[n]]--;
    pools_of(s)->paid[s->cluster->group_of[n]]--;
}

static bool is_on(const struct placement *p, node_id n)
{
    for (size_t i = 0; p && i < p->n; i++)
        if (p->piece[i].node == n)
            return true;
    return false;
}

static bool holds_suspended(const struct sched *s, node_id n)
{
    for (size_t i = 0; i < s->n_live; i++)
        if (job_slot(s, s->live[i].job) == i && is_on(s->live[i].suspended, n))
            return true;
    return false;
}

/* Of a node of which no job holds anything: what is taken of it is claimed. */
static bool is_claimed(const struct sched *s, node_id n)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    const struct node_state *x = &s->idle->node[n];
    return !x->out && (x->whole < (int64_t)t->gpus || x->cpu_milli < t->cpu_milli || x->mem_mib < t->mem_mib);
}

/* No pass has met it, and one will. */
static bool will_be_met(const struct sched *s, const struct pool_node *x)
{
    return x->unseen && (run_pass_is_due(s) || wake_next_ns(s) <= x->met_ns);
}

static void remove_if_idle(struct sched *s, node_id n)
{
    struct pool_node *x = &pools_of(s)->node[n];
    const struct pool *p = pool_of(s, n);
    x->due = false;
    if (x->state != POOL_THERE || x->pieces || pools_of(s)->coming || pools_of(s)->there[s->cluster->group_of[n]] <= p->min)
        return;
    if (will_be_met(s, x)) {
        x->kept = true;
        return;
    }
    if (is_claimed(s, n) || holds_suspended(s, n)) {
        x->idle_since_ns = s->now_ns;
        x->due = true;
        push(s, IDLE, n, s->now_ns + (p->idle_ns > p->scan_ns ? p->idle_ns : p->scan_ns));
        return;
    }
    if (x->idle_since_ns < pools_of(s)->last_ready_ns)
        x->idle_since_ns = pools_of(s)->last_ready_ns;
    if (x->idle_since_ns + p->idle_ns > s->now_ns) {
        look_later(s, n);
        return;
    }
    if (x->reclaim && event_queue_cancel(s->events, x->reclaim))
        run_background(s, -1);
    pools_of(s)->removed++;
    log_node(s, "remove", n);
    leaves(s, n);
    goes(s, n);
}

static void reclaim(struct sched *s, node_id n)
{
    struct pool_node *x = &pools_of(s)->node[n];
    const struct pool *p = pool_of(s, n);
    x->reclaim = 0;
    x->state = POOL_LEAVING;
    pools_of(s)->reclaimed++;
    log_node(s, "reclaim", n);
    node_goes(s, n);
    interrupt_nodes(s, &(struct interruption){ CAUSE_RECLAIM, n, n + 1, 0, p->notice_ns });
    push(s, GONE, n, s->now_ns + p->notice_ns);
    run_changed(s);
}

/* No pass is due: those that have come were met by the last, or will be when it said. */
static void are_seen(struct sched *s)
{
    struct pools *p = pools_of(s);
    p->any_unseen = false;
    for (node_id n = 0; n < s->cluster->n_nodes; n++) {
        struct pool_node *x = &p->node[n];
        if (x->unseen && !x->met_ns)
            x->met_ns = wakes_deferred_ns(s);
        if (will_be_met(s, x)) {
            p->any_unseen = true;
            continue;
        }
        if (x->unseen && x->state == POOL_THERE && node_is_up(s, n))
            p->useless++;
        if (x->kept && x->state == POOL_THERE && !x->pieces)
            look_later(s, n);
        x->unseen = x->kept = false;
    }
}

/* A round is over: a scan follows while jobs wait. */
static void autoscaler_after(struct sched *s, bool changed)
{
    struct pools *p = pools_of(s);
    if (p->any_unseen && !run_pass_is_due(s))
        are_seen(s);
    if (p->scan_again && !run_pass_is_due(s)) {
        p->scan_again = false;
        changed = true;
    }
    if (p->scan_due || !changed || (!s->ledger.waiting && !s->n_live))
        return;
    p->scan_due = true;
    event_queue_push(s->events, (struct event){ (s->now_ns / p->scan_ns + 1) * p->scan_ns, EVENT_POOL, 4 * s->cluster->n_nodes });
}

/* ---- Events ---- */

static void scan_is_due(struct sched *s)
{
    pools_of(s)->scan_due = false;
    pools_of(s)->scan_again = run_pass_is_due(s);
    if (!pools_useless(s))
        pools_scan(s);
}

static void happens(struct sched *s, const struct event *e)
{
    node_id n = e->subject % s->cluster->n_nodes;
    enum what what = e->subject / s->cluster->n_nodes;
    run_background(s, -(what != SCAN && is_background(s, what, n)));
    switch (what) {
    case READY:
        is_there(s, n);
        pools_of(s)->any_unseen = pools_of(s)->node[n].unseen = true;
        pools_of(s)->node[n].met_ns = 0;
        log_node(s, "ready", n);
        comes(s, n);
        pools_of(s)->last_ready_ns = s->now_ns;
        if (--pools_of(s)->coming == 0)
            look_at_idle(s);
        break;
    case IDLE:
        remove_if_idle(s, n);
        break;
    case RECLAIM:
        reclaim(s, n);
        break;
    case GONE:
        interrupt_gone(s, &(struct interruption){ CAUSE_RECLAIM, n, n + 1, 0, 0 });
        leaves(s, n);
        pools_of(s)->gone++;
        if (pools_of(s)->there[s->cluster->group_of[n]] < pool_of(s, n)->min)
            pool_provision(s, n);
        autoscaler_after(s, true);
        break;
    case SCAN:
        scan_is_due(s);
        break;
    }
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    struct pools *pools = pools_of(s);
    (void)j;
    pools->held_changes++;
    for (size_t i = 0; i < p->n; i++) {
        node_id n = p->piece[i].node;
        if (!pool_of(s, n))
            continue;
        struct pool_node *x = &pools->node[n];
        x->pieces += (uint32_t)sign;
        if (x->pieces)
            continue;
        x->idle_since_ns = s->now_ns;
        if (!x->due && x->state == POOL_THERE)
            look_later(s, n);
    }
}

/* ---- The run ---- */

/* The nodes on which jobs run at the start, and then the first ones up to the min. */
static void there_at_start(struct sched *s, bool *there)
{
    const struct cluster *c = s->cluster;
    const struct pools *p = pools_of(s);
    const struct workload *w = s->workload;
    for (size_t i = 0; i < w->n_running; i++)
        for (uint32_t k = 0; k < w->running[i].n; k++)
            there[w->running[i].on[k].node] = true;
    for (uint32_t i = 0; i < p->n_pools; i++) {
        uint32_t g = p->by_price[i], n_there = 0;
        for (node_id n = p->first[g]; n < p->first[g + 1]; n++)
            n_there += there[n];
        for (node_id n = p->first[g]; n < p->first[g + 1] && n_there < c->pool[g].min; n++) {
            n_there += !there[n];
            there[n] = true;
        }
    }
}

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    struct pools *p = arena_alloc(s->memory, sizeof *p);
    model_state_set(s, &pools_model, p);
    p->node = arena_alloc(s->memory, c->n_nodes * sizeof *p->node);
    p->there = arena_alloc(s->memory, c->n_groups * sizeof *p->there);
    p->paid = arena_alloc(s->memory, c->n_groups * sizeof *p->paid);
    p->first = arena_alloc(s->memory, (c->n_groups + (size_t)1) * sizeof *p->first);
    p->by_price = arena_alloc(s->memory, c->n_groups * sizeof *p->by_price);
    list_pools(s, p);
    nodes_begin(s);
    bool *there = mem_new(c->n_nodes, sizeof *there);
    there_at_start(s, there);
    for (node_id n = 0; n < c->n_nodes; n++) {
        if (!pool_of(s, n))
            continue;
        random_init(&p->node[n].draws, s->setup.seed, "spot reclaims", n);
        if (there[n]) {
            p->there[c->group_of[n]]++;
            is_there(s, n);
        } else {
            sleep_there(s, n, false);
            goes(s, n);
        }
    }
    free(there);
}

static void end(struct sched *s)
{
    nodes_end(s);
}

int64_t pool_there_ns(const struct sched *s, node_id n)
{
    const struct pool_node *x = &pools_of(s)->node[n];
    return x->there_ns + (x->state >= POOL_THERE ? s->now_ns - x->since_ns : 0);
}

static void interrupted(struct sched *s, const struct live *l, unsigned cause)
{
    (void)l;
    pools_of(s)->stopped += cause == CAUSE_RECLAIM;
}

static void pools_node_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_seconds(o, pool_of(s, n) ? pool_there_ns(s, n) : s->now_ns - s->totals.first_ns);
}

static const char *const pools_node_columns[] = { "there_s", NULL };
enum { NODE_H, ADDED, REMOVED, RECLAIMED, STOPPED, LOST };
static const struct metric_kind pools_metrics[] = {
    [NODE_H] = { "pool_node_h", "h", "hours that nodes of pools were there", BETTER_NEITHER },
    [ADDED] = { "pool_nodes_added", "", "times that the autoscaler asked for one", BETTER_NEITHER },
    [REMOVED] = { "pool_nodes_removed", "", "times that one was removed because no job needed it", BETTER_NEITHER },
    [RECLAIMED] = { "pool_nodes_reclaimed", "", "spot nodes that were taken away", BETTER_NEITHER },
    [STOPPED] = { "jobs_reclaimed", "", "jobs stopped by that", BETTER_LOWER },
    [LOST] = { "lost_by_reclaims_gpu_h", "GPU h", "work to be done again for that; part of lost_gpu_h", BETTER_LOWER },
    { 0 },
};

static void pools_summarise(struct summary_builder *b)
{
    const struct sched *s = b->s;
    const struct pools *p = pools_of(s);
    int128_t there_ns = 0;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        there_ns += pool_of(s, n) ? pool_there_ns(s, n) : 0;
    const double value[] = { (double)there_ns / (double)NS_PER_S / 3600, (double)p->added, (double)p->removed, (double)p->reclaimed,
                             (double)p->stopped, gpu_hours(b->s->ledger.interruption_lost[CAUSE_RECLAIM]) };
    for (unsigned m = 0; m < sizeof value / sizeof value[0]; m++)
        summary_put_kind(b, &pools_metrics[m], "all", value[m], 1);
}

/* The account that the others of a node add up with; the model of failures has the column where it is on. */
static bool wants_down(const struct sched *s)
{
    return s->cluster->pool && !(s->cluster->failures && failures_happen(s->cluster->failures));
}

static void down_row(struct output *o, const struct sched *s, node_id n)
{
    out_char(o, ',');
    out_wide_seconds(o, s->ledger.node_account[ACCOUNT_DOWN][n] / MILLI_ALL);
}

static const char *const down_columns[] = { "down_gpu_s", NULL };

const struct run_model pools_model = {
    .place = PLACE_OF(pools_model),
    .unsaved = "which nodes of pools are there",
    .name = "pools", .summary = "groups of nodes that an autoscaler grows and shrinks; spot nodes: key pool of a group",
    .wanted = wanted, .begin = begin, .held = held, .interrupted = interrupted, .instant = autoscaler_after,
    .events = 1u << EVENT_POOL, .happens = happens, .end = end,
    .node_columns = pools_node_columns, .node_row = pools_node_row, .metrics = pools_metrics, .summarise = pools_summarise,
};

const struct run_model pools_down_model = {
    .place = PLACE_OF(pools_down_model),
    .name = "nodes that are not there", .summary = "GPU time of pools' nodes while they were not there", .wanted = wants_down,
    .node_columns = down_columns, .node_row = down_row,
};
