/* autoscaler.c - which nodes of pools are asked for: after kubernetes/autoscaler:cluster-autoscaler, its scale-up.
 *
 * At a multiple of scan_s after something has changed, while somebody waits: those that wait for room, and after them those that wait behind
 * others, are placed one after the other, in the order of arrival, by the run's own placer, into what is free now and what is coming. For one
 * that does not fit, nodes of a pool are added until it does, as many as can help it at most; the first pool that helps is
 * asked, the cheapest GPU first. What was placed is given back: only the nodes stay asked for. At most SCANNED jobs are looked
 * at. If so many nodes as all pools have were asked for three times over, and no job has come, started or gone, no more are. */
#include "sim/scheduler/placements.h"
#include "sim/engine/nodes.h"
#include "sim/physics/pools.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/waiting.h"

#include <stdlib.h>

enum { SCANNED = 1000 };

void autoscaler_after(struct sched *s, bool changed)
{
    struct pools *p = s->pools;
    if (p->scan_due || !changed || (!s->ledger.waiting && !s->n_live))
        return;
    p->scan_due = true;
    event_queue_push(s->events, (struct event){ (s->now_ns / p->scan_ns + 1) * p->scan_ns, EVENT_POOL, 4 * s->cluster->n_nodes });
}

/* ---- Who waits ---- */

struct waiting { job_id job; bool behind; };    /* behind: others, not for want of room itself */

enum { NOT_FOR_ROOM, FOR_ROOM, BEHIND };
static unsigned what_for(const struct sched *s, const struct live *l)
{
    static const uint8_t room[WAIT_REASONS] = {
        [WAIT_GPUS] = FOR_ROOM, [WAIT_FRAGMENTED] = FOR_ROOM, [WAIT_TOPOLOGY] = FOR_ROOM, [WAIT_TYPE] = FOR_ROOM, [WAIT_GANG] = FOR_ROOM,
        [WAIT_PROTECTED] = FOR_ROOM, [WAIT_ORDER] = BEHIND, [WAIT_RESERVED] = BEHIND, [WAIT_PASS] = BEHIND, [WAIT_OTHER] = BEHIND,
    };
    enum job_state state = s->job[l->job].state;
    return (state == JOB_PENDING || state == JOB_GATHERING) && l->counting ? room[wait_reason_now(s, l)] : NOT_FOR_ROOM;
}

static int by_number(const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    if (x->behind != y->behind)
        return x->behind ? 1 : -1;
    return (x->job > y->job) - (x->job < y->job);
}

static size_t who_waits(const struct sched *s, struct waiting *list)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_live; i++) {
        unsigned why = s->job[s->live[i].job].live == i ? what_for(s, &s->live[i]) : NOT_FOR_ROOM;
        if (why != NOT_FOR_ROOM)
            list[n++] = (struct waiting){ s->live[i].job, why == BEHIND };
    }
    qsort(list, n, sizeof *list, by_number);
    return n < SCANNED ? n : SCANNED;
}

/* The tasks that it does not hold, as a request; NULL: none. Scratch. */
static const struct request *missing(struct sched *s, job_id j)
{
    const struct live *l = live_of(s, j);
    const struct request *ask = ask_of(s, j);
    struct request *first = NULL, **end = &first;
    for (const struct request *run = ask; run; run = run->next) {
        struct request *r = sched_scratch(s, sizeof *r);
        *r = *run;
        r->job = j;
        r->next = NULL;
        if (run->tasks != SPLIT_ANY && l->now.held) {
            uint32_t *task = sched_scratch(s, run->tasks * sizeof *task);
            r->tasks = 0;
            r->task = task;
            for (uint32_t t = run->first_task; t < run->first_task + run->tasks; t++)
                if (!placement_task(l->now.held, t))
                    task[r->tasks++] = t;
        }
        if (r->tasks == 0)
            continue;
        *end = r;
        end = (struct request **)(uintptr_t)&r->next;
    }
    return first;
}

/* ---- What would help ---- */

struct scan {
    struct sched *s;
    node_id *shown;               /* as if they were there */
    size_t n_shown;
    struct taken { job_id job; const struct placement *p; } *taken;
    size_t n_taken;
};

static bool place(struct scan *x, job_id j, const struct request *r)
{
    const struct placement *p = sched_place(x->s, x->s->idle, r);
    if (!p)
        return false;
    placement_take(x->s->idle, ask_of(x->s, j), p);
    x->taken[x->n_taken++] = (struct taken){ j, p };
    return true;
}

/* More nodes than this cannot help it. */
static uint32_t most_nodes(const struct sched *s, const struct request *r, uint32_t group)
{
    uint64_t nodes = 0, gpus = s->cluster->group_gpus[group] ? s->cluster->group_gpus[group] : 1;
    for (; r; r = r->next)
        nodes += r->tasks == SPLIT_ANY ? (r->gpus + gpus - 1) / gpus : r->tasks;
    return nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

static bool is_shown(const struct scan *x, node_id n)
{
    for (size_t i = 0; i < x->n_shown; i++)
        if (x->shown[i] == n)
            return true;
    return false;
}

static bool helps(struct scan *x, job_id j, const struct request *r, uint32_t group)
{
    struct pools *p = x->s->pools;
    size_t before = x->n_shown;
    uint32_t left = most_nodes(x->s, r, group);
    for (node_id n = p->first[group]; n < p->first[group + 1] && left > 0; n++) {
        if (p->node[n].state != POOL_ABSENT || !nodes_imaginable(x->s, n) || is_shown(x, n))
            continue;
        nodes_imagine(x->s, n, true);
        x->shown[x->n_shown++] = n;
        left--;
        if (place(x, j, r)) {
            for (size_t i = before; i < x->n_shown; i++)
                pool_provision(x->s, x->shown[i]);
            return true;
        }
    }
    while (x->n_shown > before)
        nodes_imagine(x->s, x->shown[--x->n_shown], false);
    return false;
}

static void help(struct scan *x, job_id j)
{
    const struct pools *p = x->s->pools;
    const struct request *r = missing(x->s, j);
    if (!r || place(x, j, r))
        return;
    for (uint32_t i = 0; i < p->n_pools; i++)
        if (helps(x, j, r, p->by_price[i]))
            return;
}

static void imagine(struct sched *s, const struct waiting *waiting, size_t n)
{
    struct scan x = { .s = s, .shown = mem_new(s->cluster->n_nodes, sizeof *x.shown), .taken = mem_new(n, sizeof *x.taken) };
    struct placing_answer kept = placing_keep(s);
    for (node_id k = 0; k < s->cluster->n_nodes; k++)
        if (pool_of(s, k) && s->pools->node[k].state == POOL_COMING && nodes_imaginable(s, k)) {
            nodes_imagine(s, k, true);
            x.shown[x.n_shown++] = k;
        }
    for (size_t i = 0; i < n; i++)
        help(&x, waiting[i].job);
    while (x.n_taken-- > 0)
        placement_give(s->idle, ask_of(s, x.taken[x.n_taken].job), x.taken[x.n_taken].p);
    while (x.n_shown > 0)
        nodes_imagine(s, x.shown[--x.n_shown], false);
    placing_put_back(s, kept);
    arena_reset(s->scratch);
    free(x.shown);
    free(x.taken);
}

void autoscaler_scan(struct sched *s)
{
    struct pools *p = s->pools;
    p->scan_due = false;
    if (pools_in_vain(s))
        return;
    struct waiting *waiting = mem_new(s->n_live + 1, sizeof *waiting);
    size_t n = who_waits(s, waiting);
    if (n)
        imagine(s, waiting, n);
    free(waiting);
}
