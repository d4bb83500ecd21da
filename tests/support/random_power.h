/* random_power.h - a section `power` for a random cluster: what its nodes and GPUs draw, from a
 * seed. */
#pragma once
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "sim/cluster/cluster.h"
#include "sim/models/power.h"

static inline void with_power(struct cluster *c, uint64_t seed)
{
    struct random r;
    random_init(&r, seed, "watts", 0);
    struct power *p = c->power = arena_alloc(c->memory, sizeof *p);
    *p = (struct power){ .law = power_law_usual, .duty = random_uniform(&r), .pue = 1 + random_uniform(&r), .off_after_ns = TIME_NEVER,
                         .carbon = hourly_constant(1000), .cap_nw = INT64_MAX, .rack_cap_nw = INT64_MAX };
    p->of_group = arena_alloc(c->memory, c->n_groups * sizeof *p->of_group);
    for (uint32_t g = 0, n = 0; g < c->n_groups; g++) {
        while (c->group_of[n] != g)
            n++;
        struct node_watts w = { 1000 * random_uniform(&r), 60 * random_uniform(&r), 100 + 300 * random_uniform(&r) };
        p->of_group[g] = node_power_of(&p->law, &w, c->group_gpus[g], cluster_node_milli(c, n));
    }
}
