/* quota_world.h - random trees of queues and random jobs, as plain data: for the promises of
 * guaranteed quota. Header only. */
#pragma once
#include "policies/kai/quota.h"
#include "sim/base/random.h"
#include "sim/engine/run.h"
#include "tests/support/named.h"
#include "tests/unit/test_core.h"

enum { POOLS = 2, TREE_MOST = 24, JOBS = 60, NODES_MOST = 5, NODE_GPUS = 4, TASKS_MOST = 4, SEEN_MOST = 4096, TAIL_S = 40 };

/* ---- Worlds ---- */

struct kind {
    const char *name;
    const char *policy;
    bool single;                  /* jobs of one task and whole GPUs */
    bool whole;                   /* jobs of whole GPUs, single and gangs, on three nodes at most */
    bool light;                   /* a third as many of them at a time, two thirds of them in one queue */
    bool grace, runtimes;
    bool pools;                   /* two node pools, and quotas of each */
    bool racks;                   /* of two nodes, and gangs that want one */
    /* Controls: what spoils a pass. shares: after they were divided; blind: the policy sees no minimum run times. */
    void (*shares)(struct quota_state *q);
    void (*before)(struct sched *s, struct quota_state *q);
    void (*after)(struct sched *s, struct quota_state *q);
    bool blind, may_fail;
};
struct world {
    struct queue_spec queue[TREE_MOST];
    char name[TREE_MOST][2];
    uint32_t n_queues, n_leaves, leaf[TREE_MOST];
    struct group_spec group[POOLS];
    uint32_t n_groups, n_nodes;
    struct flavor_quota pool_quota[TREE_MOST][POOLS];
    struct overhead overhead;
    struct job_row job[JOBS];
    int64_t last_ns;
};

static inline int64_t draw(struct random *r, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(r, (uint64_t)(most - least + 1));
}

static inline int64_t run_time(struct random *r, bool top)
{
    return top || draw(r, 0, 1) ? draw(r, 0, 3) * 10 * NS_PER_S : -1;
}

/* Of each pool, in either order; a leaf may have one of them only. Inner queues: some have limits of their own, for the others
 * it is the sum of those below. */
static inline void make_pool_quotas(struct world *w, struct random *r, uint32_t me)
{
    static const struct amount free = { UNLIMITED, UNLIMITED, UNLIMITED };
    struct queue_facts *f = &w->queue[me].facts;
    uint32_t first = (uint32_t)draw(r, 0, POOLS - 1);
    for (uint32_t i = 0; i < POOLS; i++) {
        w->pool_quota[me][i] = (struct flavor_quota){
            (first + i) % POOLS, 0, { draw(r, 0, 4) * MILLI_ALL, UNLIMITED, UNLIMITED }, free, free
        };
        if (draw(r, 0, 3) == 0)
            w->pool_quota[me][i].borrowing.gpu_milli = draw(r, 0, 3) * MILLI_ALL;
    }
    f->flavor_quota = w->pool_quota[me];
    f->n_flavor_quotas = draw(r, 0, 4) ? POOLS : 1;
}

static inline void make_queues(struct world *w, struct random *r, const struct kind *k, uint32_t parent, int depth)
{
    uint32_t n = (uint32_t)draw(r, parent == ID_NONE ? 2 : 1, 3);
    for (uint32_t i = 0; i < n && w->n_queues < TREE_MOST; i++) {
        uint32_t me = w->n_queues++;
        struct queue_facts *f = &w->queue[me].facts;
        int64_t deserved = draw(r, 0, 9) ? draw(r, 0, depth == 1 ? 5 : 10) * MILLI_ALL : UNLIMITED;
        w->name[me][0] = (char)('a' + me);
        *f = (struct queue_facts){
            .name = w->name[me], .parent = parent, .priority = (int32_t)draw(r, 0, 4) / 4,
            .weight = (double)draw(r, 0, 3), .cpu_weight = 1, .mem_weight = 1,
            .quota = { { deserved, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } },
            .preempt_min_runtime_ns = k->runtimes ? run_time(r, parent == ID_NONE) : -1,
            .reclaim_min_runtime_ns = k->runtimes ? run_time(r, parent == ID_NONE) : -1,
            .cohort = COHORT_RULES_UNSAID,
        };
        if (draw(r, 0, 3) == 0)
            f->quota.limit.gpu_milli = deserved == UNLIMITED ? UNLIMITED : deserved + draw(r, 0, 4) * MILLI_ALL;
        if (!k->single && !k->whole && draw(r, 0, 5) == 0) {
            f->quota.deserved.cpu_milli = draw(r, 0, 12) * 1000;
            f->quota.limit.cpu_milli = f->quota.deserved.cpu_milli + draw(r, 0, 6) * 1000;
        }
        if (k->pools)
            make_pool_quotas(w, r, me);
        if (depth > 1 && draw(r, 0, 2))
            make_queues(w, r, k, me, depth - 1);
        else
            w->leaf[w->n_leaves++] = me;
        if (k->pools && w->leaf[w->n_leaves - 1] != me && draw(r, 0, 1))
            f->n_flavor_quotas = 0;
    }
}

static inline void make_job(struct world *w, struct random *r, const struct kind *k, struct job_row *x)
{
    static const int32_t priority[] = { 50, 50, 50, 75, 100, 125 };
    *x = job_row_default;
    x->submit_ns = w->last_ns += draw(r, 0, k->light ? 6 : 2) * NS_PER_S;
    x->duration_ns = draw(r, 1, draw(r, 0, 3) ? 30 : 80) * NS_PER_S;
    x->tasks = 1;
    x->gpus = (uint32_t)draw(r, 1, NODE_GPUS);
    if (!k->single && draw(r, 0, 2) == 0) {
        x->tasks = (uint32_t)draw(r, 2, TASKS_MOST);
        x->gpus = x->tasks * (uint32_t)draw(r, 1, 2);
        x->min_tasks = (uint32_t)draw(r, 0, x->tasks);
    } else if (!k->single && !k->whole && draw(r, 0, 4) == 0) {
        x->gpus = 1;
        x->gpu_milli = (uint32_t)draw(r, 1, 9) * 100;
    }
    x->cpu_milli = k->single || k->whole ? 0 : draw(r, 0, 2) * 1000;
    x->priority = priority[draw(r, 0, 5)];
    x->preemptible = x->priority < 100;
    x->queue = w->name[w->leaf[k->light && draw(r, 0, 2) ? 0 : draw(r, 0, w->n_leaves - 1)]];
    x->queue_length = 1;
    if (k->racks && x->tasks > 1 && draw(r, 0, 1))
        x->required_level = LEVEL_RACK;
    if (k->pools && draw(r, 0, 2)) {
        x->gpu_type = draw(r, 0, 1) ? "A100" : "H100";
        x->gpu_type_length = strlen(x->gpu_type);
    }
}

/* In place: its rows point to its names. */
static inline void world_make(struct world *w, const struct kind *k, uint64_t seed)
{
    struct random r;
    *w = (struct world){ .n_queues = 0 };
    random_init(&r, seed, "quota invariants", 0);
    make_queues(w, &r, k, ID_NONE, (int)draw(&r, 1, 3));
    w->n_groups = k->pools ? POOLS : 1;
    for (uint32_t g = 0; g < w->n_groups; g++) {
        w->group[g] = (struct group_spec){
            .name = g ? "other" : "node", .gpu_model = g ? "H100" : "A100", .labels = g ? "kind=h" : "kind=a", .gpus = NODE_GPUS,
            .count = k->pools ? (uint32_t)draw(&r, 1, NODES_MOST / POOLS) : (uint32_t)draw(&r, 2, k->whole ? 3 : NODES_MOST),
            .cpu_milli = k->single || k->whole ? INT64_MAX : 8000, .mem_mib = INT64_MAX, .nodes_per_rack = k->racks ? 2 : 0
        };
        w->n_nodes += w->group[g].count;
    }
    w->overhead = (struct overhead){ .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 5 * NS_PER_S, .restart_ns = draw(&r, 0, 2) * NS_PER_S };
    if (k->grace)
        w->overhead.grace_ns = draw(&r, 1, 4) * NS_PER_S, w->overhead.save_ns = draw(&r, 0, 3) * NS_PER_S;
    for (size_t j = 0; j < JOBS; j++)
        make_job(w, &r, k, &w->job[j]);
}
