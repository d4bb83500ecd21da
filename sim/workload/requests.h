/* requests.h - sizes of requests, which are chains of runs (placement.h), and groups of tasks
 * (policy.h). */
#pragma once
#include "sim/contract/policy.h"

/* The run of `ask` that a piece is of. */
static inline const struct request *request_of_piece(const struct request *ask,
                                                     const struct piece *p)
{
    return ask->next ? request_of_task(ask, p->task) : ask;
}
/* CPU and memory that go with one piece of this run. */
static inline int64_t piece_share(const struct request *run, const struct piece *p, int64_t each)
{
    return run->tasks == SPLIT_ANY ? each * (int64_t)p->gpus : each;
}
static inline bool group_within(const struct task_group *tree, uint32_t g, uint32_t outer)
{
    while (g > outer)                                     /* parents come before children */
        g = tree[g].parent;
    return g == outer;
}
/* Of one run. */
static inline int64_t run_gpus(const struct request *run)
{
    return (int64_t)run->gpus * (run->tasks == SPLIT_ANY ? 1 : (int64_t)run->tasks);
}
/* Of the whole chain. */
static inline int64_t request_gpu_milli(const struct request *ask)
{
    int64_t sum = run_gpus(ask) * ask->gpu_milli;
    for (const struct request *r = ask->next; r; r = r->next)
        sum += run_gpus(r) * r->gpu_milli;
    return sum;
}
static inline struct amount amount_less(struct amount a, struct amount b)
{
    return (struct amount){ a.gpu_milli - b.gpu_milli, a.cpu_milli - b.cpu_milli,
                            a.mem_mib - b.mem_mib };
}
int64_t request_gpus(const struct request *ask);
struct amount chain_amount(const struct request *ask);
static inline struct amount request_amount(const struct request *ask)
{
    if (ask->next)
        return chain_amount(ask);
    int64_t n = ask->tasks == SPLIT_ANY ? (int64_t)ask->gpus : (int64_t)ask->tasks;
    return (struct amount){ run_gpus(ask) * ask->gpu_milli, n * ask->cpu_milli, n * ask->mem_mib };
}
/* Its tasks; under SPLIT_ANY its GPUs. See struct job_sizes. */
uint32_t placement_size(const struct request *ask, const struct placement *p);
/* Totals of these pieces of `ask`. */
struct amount pieces_amount(const struct request *ask, const struct placement *p);
static inline struct amount placement_amount(const struct request *ask, const struct placement *p)
{
    if (ask->next)
        return pieces_amount(ask, p);
    int64_t n = placement_size(ask, p), gpus = ask->tasks == SPLIT_ANY ? n : n * (int64_t)ask->gpus;
    return (struct amount){ gpus * ask->gpu_milli, n * ask->cpu_milli, n * ask->mem_mib };
}
