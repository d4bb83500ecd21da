/* pools.c - nodes of pools: provisioned on demand, removed when nobody has needed them for idle_s, reclaimed if they are spot.
 *
 * A node that is not there is out of service like one that has failed (nodes.h), in all views and accounts. One that the
 * autoscaler asks for (autoscaler.c) is there after provision_s. It is removed when it has held nothing for idle_s, its pool is above its
 * min, none is coming, and none has come for as long: what waits for several nodes meets all of them. Spot: after a time drawn from the node's own stream, the same under every policy, comes the notice: nothing
 * new starts there, its jobs are stopped at the price of a preemption if that takes no longer than the notice, else back to
 * their last checkpoint; at its end the node is gone, and asked for
 * anew if the pool is below its min. */
#include "sim/physics/pools.h"

#include "sim/physics/physics.h"
#include "sim/engine/nodes.h"
#include "sim/physics/sleep.h"
#include "sim/engine/interruption.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>

/* Subjects of EVENT_POOL: what x n_nodes + node. */
enum what { READY, IDLE, RECLAIM, GONE, SCAN };
enum { IN_VAIN = 3 };             /* times all nodes of pools */

static bool wanted(const struct sched *s)
{
    return s->cluster->pool != NULL;
}

/* Nobody's wait ends by these alone. */
static bool is_background(const struct sched *s, enum what what, node_id n)
{
    return what == READY ? s->pools->node[n].hopeless : what != GONE;    /* gone, it can be asked for again */
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
    p->scan_ns = TIME_NEVER;
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
    struct pool_node *x = &s->pools->node[n];
    int64_t idle_ns = pool_of(s, n)->idle_ns;
    x->due = x->idle_since_ns <= TIME_NEVER - 1 - idle_ns;
    if (x->due)
        push(s, IDLE, n, x->idle_since_ns + idle_ns > s->now_ns ? x->idle_since_ns + idle_ns : s->now_ns);
}

/* Those that were idle while their pool was at its min, or others were coming, may go now. */
static void look_at_idle(struct sched *s)
{
    struct pools *p = s->pools;
    for (node_id n = 0; n < s->cluster->n_nodes; n++)
        if (p->node[n].state == POOL_THERE && !p->node[n].pieces && !p->node[n].due)
            look_later(s, n);
}

static void is_there(struct sched *s, node_id n)
{
    struct pool_node *x = &s->pools->node[n];
    const struct pool *p = pool_of(s, n);
    x->state = POOL_THERE;
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

/* Of jobs; what has no turn any more has ended. */
static uint64_t turn_of(const struct sched *s)
{
    const struct run_totals *t = &s->totals;
    return t->starts + s->n_submitted + t->completed + t->failed + t->cancelled + t->rejected;
}

bool pools_in_vain(const struct sched *s)
{
    struct pools *p = s->pools;
    if (p->mark != turn_of(s))
        p->in_vain = 0;
    p->mark = turn_of(s);
    return p->in_vain >= IN_VAIN * p->nodes;
}

void pool_provision(struct sched *s, node_id n)
{
    struct pools *p = s->pools;
    p->node[n].hopeless = pools_in_vain(s);
    p->node[n].state = POOL_COMING;
    p->there[s->cluster->group_of[n]]++;
    p->in_vain++;
    p->added++;
    p->coming++;
    log_node(s, "provision", n);
    push(s, READY, n, s->now_ns + pool_of(s, n)->provision_ns);
}

/* ---- Going ---- */

static void leaves(struct sched *s, node_id n)
{
    struct pool_node *x = &s->pools->node[n];
    x->state = POOL_ABSENT;
    sleep_there(s, n, false);
    x->there_ns += s->now_ns - x->since_ns;
    s->pools->there[s->cluster->group_of[n]]--;
}

static bool stands_on(const struct placement *p, node_id n)
{
    for (size_t i = 0; p && i < p->n; i++)
        if (p->piece[i].node == n)
            return true;
    return false;
}

static bool somebody_stands_on(const struct sched *s, node_id n)
{
    for (size_t i = 0; i < s->n_live; i++)
        if (s->job[s->live[i].job].live == i && stands_on(s->live[i].suspended, n))
            return true;
    return false;
}

/* Of a node on which nobody holds anything: what is taken of it all the same is claimed. */
static bool is_claimed(const struct sched *s, node_id n)
{
    const struct node_type *t = cluster_node_type(s->cluster, n);
    const struct node_state *x = &s->idle->node[n];
    return !x->out && (x->whole < (int64_t)t->gpus || x->cpu_milli < t->cpu_milli || x->mem_mib < t->mem_mib);
}

static void perhaps_remove(struct sched *s, node_id n)
{
    struct pool_node *x = &s->pools->node[n];
    const struct pool *p = pool_of(s, n);
    x->due = false;
    if (x->state != POOL_THERE || x->pieces || s->pools->coming || s->pools->there[s->cluster->group_of[n]] <= p->min)
        return;
    if (is_claimed(s, n) || somebody_stands_on(s, n)) {
        x->idle_since_ns = s->now_ns;
        x->due = true;
        push(s, IDLE, n, s->now_ns + (p->idle_ns > p->scan_ns ? p->idle_ns : p->scan_ns));
        return;
    }
    if (x->idle_since_ns < s->pools->last_ready_ns)
        x->idle_since_ns = s->pools->last_ready_ns;
    if (x->idle_since_ns + p->idle_ns > s->now_ns) {
        look_later(s, n);
        return;
    }
    if (x->reclaim && event_queue_cancel(s->events, x->reclaim))
        run_background(s, -1);
    s->pools->removed++;
    log_node(s, "remove", n);
    leaves(s, n);
    node_goes(s, n);
}

static void reclaim(struct sched *s, node_id n)
{
    struct pool_node *x = &s->pools->node[n];
    const struct pool *p = pool_of(s, n);
    x->reclaim = 0;
    x->state = POOL_LEAVING;
    s->pools->reclaimed++;
    log_node(s, "reclaim", n);
    node_goes(s, n);
    interrupt_nodes(s, &(struct interruption){ CAUSE_RECLAIM, n, n + 1, 0, p->notice_ns });
    push(s, GONE, n, s->now_ns + p->notice_ns);
    run_changed(s);
}

static void happens(struct sched *s, const struct event *e)
{
    node_id n = e->subject % s->cluster->n_nodes;
    enum what what = e->subject / s->cluster->n_nodes;
    run_background(s, -(what != SCAN && is_background(s, what, n)));
    switch (what) {
    case READY:
        is_there(s, n);
        log_node(s, "ready", n);
        node_comes(s, n);
        s->pools->last_ready_ns = s->now_ns;
        if (--s->pools->coming == 0)
            look_at_idle(s);
        break;
    case IDLE:
        perhaps_remove(s, n);
        break;
    case RECLAIM:
        reclaim(s, n);
        break;
    case GONE:
        leaves(s, n);
        if (s->pools->there[s->cluster->group_of[n]] < pool_of(s, n)->min)
            pool_provision(s, n);
        autoscaler_after(s, true);
        break;
    case SCAN:
        autoscaler_scan(s);
        break;
    }
}

static void held(struct sched *s, job_id j, const struct placement *p, int sign)
{
    (void)j;
    for (size_t i = 0; i < p->n; i++) {
        node_id n = p->piece[i].node;
        if (!pool_of(s, n))
            continue;
        struct pool_node *x = &s->pools->node[n];
        x->pieces += (uint32_t)sign;
        if (x->pieces)
            continue;
        x->idle_since_ns = s->now_ns;
        if (!x->due && x->state == POOL_THERE)
            look_later(s, n);
    }
}

/* ---- The run ---- */

static void begin(struct sched *s)
{
    const struct cluster *c = s->cluster;
    struct pools *p = s->pools = arena_alloc(s->memory, sizeof *p);
    p->node = arena_alloc(s->memory, c->n_nodes * sizeof *p->node);
    p->there = arena_alloc(s->memory, c->n_groups * sizeof *p->there);
    p->first = arena_alloc(s->memory, (c->n_groups + (size_t)1) * sizeof *p->first);
    p->by_price = arena_alloc(s->memory, c->n_groups * sizeof *p->by_price);
    list_pools(s, p);
    nodes_begin(s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct pool *of = pool_of(s, n);
        if (!of)
            continue;
        random_init(&p->node[n].draws, s->setup.seed, "spot reclaims", n);
        if (n - p->first[c->group_of[n]] < of->min) {
            p->there[c->group_of[n]]++;
            is_there(s, n);
        } else {
            node_goes(s, n);
        }
    }
}

static void end(struct sched *s)
{
    nodes_end(s);
}

int64_t pool_there_ns(const struct sched *s, node_id n)
{
    const struct pool_node *x = &s->pools->node[n];
    return x->there_ns + (x->state >= POOL_THERE ? s->now_ns - x->since_ns : 0);
}

static void interrupted(struct sched *s, const struct live *l, unsigned cause)
{
    (void)l;
    s->pools->stopped += cause == CAUSE_RECLAIM;
}

const struct run_model pools_model = {
    .unsaved = "which nodes of pools are there",
    .name = "pools", .summary = "groups of nodes that an autoscaler grows and shrinks; spot nodes: key pool of a group",
    .wanted = wanted, .begin = begin, .held = held, .interrupted = interrupted, .instant = autoscaler_after,
    .events = 1u << EVENT_POOL, .happens = happens, .end = end,
    .node_columns = pools_node_columns, .node_row = pools_node_row, .metrics = pools_metrics, .summarise = pools_summarise,
};
