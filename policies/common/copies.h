/* copies.h - how many tasks of a request a node has room for. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/contract/util/minmax.h"

/* Tasks of r that fit on n, which it may use and where f is free, by GPUs, shares, CPUs and memory.
 * An upper bound where GPU memory, islands, power or a limit of tasks on a node bind. INT64_MAX: r
 * asks for nothing that the node counts. */
static inline int64_t copies_on(const struct view *v, const struct request *r, node_id n,
                                const struct node_free *f)
{
    int64_t gpus = f->whole, copies = INT64_MAX;
    if (r->gpus && r->gpu_milli < MILLI_ALL) {
        gpus *= MILLI_ALL / r->gpu_milli;
        for (uint64_t m = f->shared_mask; m; m &= m - 1)
            gpus += view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m)) / r->gpu_milli;
    }
    if (r->gpus)
        copies = gpus / r->gpus;
    if (r->cpu_milli && f->cpu_milli != INT64_MAX)
        copies = min_i64(copies, f->cpu_milli / r->cpu_milli);
    if (r->mem_mib && f->mem_mib != INT64_MAX)
        copies = min_i64(copies, f->mem_mib / r->mem_mib);
    return max_i64(copies, 0);
}
