/* domains.h - the tree of domains above the node, each a range of node ids: islands across nodes,
 * racks, pods, and up to six further levels. But for islands they span groups where a group joins
 * the one before. */
#pragma once
#include "sim/cluster/cluster.h"

/* Of a cluster with numbered nodes. */
void cluster_build_domains(struct cluster *c, const struct group_spec *groups, size_t n_groups);
