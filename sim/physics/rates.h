/* rates.h - how their placements let jobs get on. */
#pragma once
#include "sim/engine/state.h"

static inline bool piece_on_island(const struct cluster *c, const struct request *run, const struct piece *p)    /* if it must be */
{
    return !run->one_island || !p->gpu_mask ||
           !(p->gpu_mask & ~cluster_node_type(c, p->node)->island_of[__builtin_ctzll(p->gpu_mask)]);
}
uint32_t rates_gpus(const struct request *ask);                           /* of all runs */
