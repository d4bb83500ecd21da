/* free_gpus.h - how many GPUs are free for a job of which the parts may use different nodes. */
#pragma once
#include "sim/contract/placement.h"

/* Whole GPUs that are free on nodes that some part of it may use. At most: where the nodes of two
 * parts are different sets that overlap, those in both count twice. */
static inline uint64_t free_gpus_for(const struct view *v, const struct request *ask)
{
    uint64_t free = 0;
    for (const struct request *run = ask; run; run = run->next) {
        const struct request *before = ask;
        while (before != run && !view_same_nodes(v, before, run))
            before = before->next;
        free += before == run ? domain_free_gpus(v, 0, run) : 0;
    }
    return free;
}
