/* pools_scan.c - a look of the autoscaler: which jobs wait, which nodes would help, as pools.h says. */
#include "sim/physics/pools.h"
#include "sim/engine/nodes.h"
#include "sim/scheduler/placements.h"
#include "sim/scheduler/placing.h"
#include "sim/scheduler/waiting.h"

#include <stdlib.h>

enum { SCANNED = 1000 };

/* ---- Which jobs wait ---- */

struct waiting { job_id job; bool behind; };    /* behind: others; GPUs are free for it */

enum { NOT_FOR_ROOM, FOR_ROOM, BEHIND };
static unsigned waits_for(const struct sched *s, const struct live *l)
{
    static const uint8_t room[WAIT_REASONS] = {
        [WAIT_GPUS] = FOR_ROOM, [WAIT_FRAGMENTED] = FOR_ROOM, [WAIT_TOPOLOGY] = FOR_ROOM, [WAIT_TYPE] = FOR_ROOM, [WAIT_GANG] = FOR_ROOM, [WAIT_RESERVATION] = FOR_ROOM,
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

static size_t list_waiting(const struct sched *s, struct waiting *list)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_live; i++) {
        unsigned why = job_slot(s, s->live[i].job) == i ? waits_for(s, &s->live[i]) : NOT_FOR_ROOM;
        if (why != NOT_FOR_ROOM)
            list[n++] = (struct waiting){ s->live[i].job, why == BEHIND };
    }
    qsort(list, n, sizeof *list, by_number);
    return n < SCANNED ? n : SCANNED;
}

/* The tasks that the job does not hold, as a request; NULL: none. Scratch. */
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

/* ---- Which nodes would help ---- */

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

/* More nodes than this cannot help the job. */
static uint32_t max_nodes(const struct sched *s, const struct request *r, uint32_t group)
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

static bool may_use(const struct scan *x, const struct request *r, node_id n)
{
    for (; r; r = r->next)
        if (view_allows(x->s->idle, r, n))
            return true;
    return false;
}

/* Shows nodes of the group until the job fits. */
static bool fits_with(struct scan *x, job_id j, const struct request *r, uint32_t group)
{
    const struct pools *p = pools_of(x->s);
    uint32_t left = max_nodes(x->s, r, group);
    for (node_id n = p->first[group]; n < p->first[group + 1] && left > 0; n++) {
        if (p->node[n].state != POOL_ABSENT || !nodes_imaginable(x->s, n) || is_shown(x, n))
            continue;
        nodes_imagine(x->s, n, true);
        if (!may_use(x, r, n)) {
            nodes_imagine(x->s, n, false);
            continue;
        }
        x->shown[x->n_shown++] = n;
        left--;
        if (place(x, j, r))
            return true;
    }
    return false;
}

/* With nodes of those pools together: of n_groups, the cheapest first. */
static bool helps(struct scan *x, job_id j, const struct request *r, const uint32_t *group, uint32_t n_groups)
{
    size_t before = x->n_shown;
    bool fits = false;
    for (uint32_t i = 0; i < n_groups && !fits; i++)
        fits = fits_with(x, j, r, group[i]);
    for (size_t i = before; fits && i < x->n_shown; i++)
        pool_provision(x->s, x->shown[i]);
    while (!fits && x->n_shown > before)
        nodes_imagine(x->s, x->shown[--x->n_shown], false);
    return fits;
}

static void help(struct scan *x, job_id j)
{
    const struct pools *p = pools_of(x->s);
    const struct request *r = missing(x->s, j);
    if (!r || place(x, j, r))
        return;
    for (uint32_t i = 0; i < p->n_pools; i++)
        if (helps(x, j, r, &p->by_price[i], 1))
            return;
    if (p->n_pools > 1)
        helps(x, j, r, p->by_price, p->n_pools);
}

static void give_back(struct scan *x)
{
    while (x->n_taken > 0) {
        const struct taken *t = &x->taken[--x->n_taken];
        placement_give(x->s->idle, ask_of(x->s, t->job), t->p);
    }
}

/* ---- Where the policy sees it otherwise ---- */

/* No node is asked for, and passes have met all that is there: they leave jobs waiting for which
 * nothing seems to be missing. */
static bool is_no_help(const struct sched *s)
{
    const struct pools *p = pools_of(s);
    return p->coming == 0 && !p->any_unseen && !run_pass_is_due(s);
}

/* Nodes of all pools that may help the job, though the placer finds room for it without them. */
static void help_beyond(struct scan *x, job_id j)
{
    const struct pools *p = pools_of(x->s);
    const struct request *r = missing(x->s, j);
    for (uint32_t i = 0; r && i < p->n_pools; i++) {
        uint32_t group = p->by_price[i], left = max_nodes(x->s, r, group);
        for (node_id n = p->first[group]; n < p->first[group + 1] && left > 0; n++) {
            if (p->node[n].state != POOL_ABSENT || !nodes_imaginable(x->s, n))
                continue;
            nodes_imagine(x->s, n, true);
            bool may = may_use(x, r, n);
            nodes_imagine(x->s, n, false);
            if (may)
                pool_provision(x->s, n);
            left -= may;
        }
    }
}

static void help_alone(struct scan *x, const struct waiting *waiting, size_t n)
{
    for (size_t i = 0; i < n && is_no_help(x->s); i++) {
        give_back(x);
        help(x, waiting[i].job);
    }
    give_back(x);
    for (size_t i = 0; i < n && is_no_help(x->s); i++)
        if (!waiting[i].behind)
            help_beyond(x, waiting[i].job);
}

static void imagine(struct sched *s, const struct waiting *waiting, size_t n)
{
    struct scan x = { .s = s, .shown = mem_new(s->cluster->n_nodes, sizeof *x.shown), .taken = mem_new(n, sizeof *x.taken) };
    struct placing_answer kept = placing_keep(s);
    for (node_id k = 0; k < s->cluster->n_nodes; k++)
        if (pool_of(s, k) && pools_of(s)->node[k].state == POOL_COMING && nodes_imaginable(s, k)) {
            nodes_imagine(s, k, true);
            x.shown[x.n_shown++] = k;
        }
    for (size_t i = 0; i < n; i++)
        help(&x, waiting[i].job);
    help_alone(&x, waiting, n);
    give_back(&x);
    while (x.n_shown > 0)
        nodes_imagine(s, x.shown[--x.n_shown], false);
    placing_put_back(s, kept);
    arena_reset(s->scratch);
    free(x.shown);
    free(x.taken);
}

void pools_scan(struct sched *s)
{
    struct waiting *waiting = mem_new(s->n_live + 1, sizeof *waiting);
    size_t n = list_waiting(s, waiting);
    if (n)
        imagine(s, waiting, n);
    free(waiting);
}
