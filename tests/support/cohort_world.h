/* cohort_world.h - random trees of cohorts with quotas, and queues full of workloads. */
#pragma once
#include "policies/kueue/fair.h"
#include "sim/base/random.h"

#include <string.h>

enum { CW_NODES = 12, CW_CELLS = 3, CW_WORKLOADS = 40 };

struct cohort_world {
    uint32_t n, cells, n_workloads, leaf[CW_NODES], n_leaves;
    uint32_t parent[CW_NODES], resource[CW_CELLS];
    struct cohort_rules rules[CW_NODES];
    uint64_t weight[CW_NODES];
    struct cohort_books books;
    char memory[16384];
    struct cohort_members members[CW_NODES];
    struct cohort_workload *member[CW_NODES][CW_WORKLOADS], workload[CW_WORKLOADS + 1];
    int64_t need[CW_WORKLOADS + 1][CW_CELLS];
    struct cohort_victim victim[CW_WORKLOADS], candidate[CW_WORKLOADS];
    int64_t own[CW_CELLS];
    struct cohort_range range[CW_NODES];
    struct cohort_known known[CW_NODES];
    struct cohort_source source[CW_NODES];
    struct cohort_search search;
    bool contested[CW_CELLS];
};

/* Parents before children; cells 0 and 1 are two flavours of one resource. */
static inline void cw_tree(struct cohort_world *w, struct random *r, uint32_t inner)
{
    w->n = 3 + (uint32_t)random_below(r, CW_NODES - 2);
    w->cells = 1 + (uint32_t)random_below(r, CW_CELLS);
    w->resource[2] = 1;
    w->parent[0] = ID_NONE;
    for (uint32_t v = 1; v < w->n; v++)
        w->parent[v] = random_below(r, 12) ? (uint32_t)random_below(r, v < inner ? v : inner) : ID_NONE;
    for (uint32_t v = 0; v < w->n; v++) {
        bool leaf = true;
        for (uint32_t u = v + 1; u < w->n; u++)
            leaf &= w->parent[u] != v;
        if (leaf)
            w->leaf[w->n_leaves++] = v;
    }
}

static inline void cw_quotas(struct cohort_world *w, struct random *r)
{
    w->books = (struct cohort_books){ .n = w->n, .cells = w->cells, .resources = 2, .parent = w->parent, .resource = w->resource };
    cohort_books_lay(&w->books, w->memory);
    for (uint32_t i = 0; i < w->n * w->cells; i++)
        w->books.quota[i] = (struct cohort_quota){
            (int64_t)random_below(r, 8), random_below(r, 3) ? UNLIMITED : (int64_t)random_below(r, 6),
            random_below(r, 3) ? UNLIMITED : (int64_t)random_below(r, 6),
        };
    cohort_books_settle(&w->books);
    for (uint32_t v = 0; v < w->n; v++) {
        w->weight[v] = random_below(r, 5) * COHORT_WEIGHT_ONE / 2;
        w->rules[v] = (struct cohort_rules){
            .within_queue = (int)random_below(r, 3), .reclaim = (int)random_below(r, 3), .borrow = (int)random_below(r, 2),
            .borrow_priority_threshold = random_below(r, 2) ? INT32_MAX : (int32_t)random_below(r, 3),
        };
    }
}

static inline void cw_workload(struct cohort_world *w, struct random *r, uint32_t i)
{
    for (uint32_t cell = 0; cell < w->cells; cell++)
        w->need[i][cell] = (int64_t)random_below(r, random_below(r, 3) ? 3 : 7);
    w->workload[i] = (struct cohort_workload){
        .id = i, .queue = w->leaf[random_below(r, w->n_leaves)], .priority = (int32_t)random_below(r, 3),
        .queued_ns = (int64_t)random_below(r, 50), .admitted_ns = (int64_t)random_below(r, 50),
        .leaving = random_below(r, 10) == 0, .firm = random_below(r, 10) == 0, .need = w->need[i],
    };
}

/* As full as it gets with those drawn; then the last, workload[CW_WORKLOADS], wants in. The first
 * `inner` nodes may have others below. */
static inline void cw_make_tree(struct cohort_world *w, uint64_t seed, uint32_t inner)
{
    struct random r;
    random_init(&r, seed, "cohorts", 0);
    memset(w, 0, sizeof *w);
    cw_tree(w, &r, inner);
    cw_quotas(w, &r);
    for (uint32_t i = 0; i < CW_WORKLOADS; i++) {
        cw_workload(w, &r, i);
        uint32_t q = w->workload[i].queue;
        if (!cohort_fits(&w->books, q, w->need[i]))
            continue;
        cohort_use(&w->books, q, w->need[i], 1);
        w->members[q].of = w->member[q];
        cohort_members_add(w->members, &w->books, &w->workload[i]);
        w->n_workloads++;
    }
    cw_workload(w, &r, CW_WORKLOADS);
    for (uint32_t cell = 0; cell < w->cells; cell++)
        w->contested[cell] = w->need[CW_WORKLOADS][cell] > cohort_available(&w->books, w->workload[CW_WORKLOADS].queue, cell);
    w->search = (struct cohort_search){ .books = &w->books, .rules = w->rules, .members = w->members, .weight = w->weight,
                                        .victim = w->victim, .candidate = w->candidate, .own = w->own, .range = w->range,
                                        .known = w->known, .source = w->source };
}

static inline void cw_make(struct cohort_world *w, uint64_t seed)
{
    cw_make_tree(w, seed, 4);
}
