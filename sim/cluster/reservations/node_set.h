/* node_set.h - a set of nodes as a key of the cluster file names it: `all`, or by group `all` or
 * positions in it from 0, { a: "0-3,8", b: all }. Bit n % 64 of word n / 64: node n is in it. */
#pragma once
#include "sim/cluster/cluster_spec.h"
#include "sim/io/config.h"

/* Adds to `nodes` [nodes of all groups / 64 + 1]. 0, or -1 with err. */
int node_set_read(struct config_value v, const struct group_spec *group, size_t n_groups,
                  uint64_t *nodes, struct error *err);
static inline bool node_set_has(const uint64_t *nodes, node_id n)
{
    return nodes[n / 64] >> n % 64 & 1;
}
