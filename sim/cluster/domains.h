/* domains.h - the tree of pods, racks and islands across nodes, each a range of node ids. Racks and
 * pods span groups only where a group joins the one before. */
#pragma once
#include "sim/cluster/cluster.h"

/* Of a cluster with numbered nodes. */
void cluster_build_domains(struct cluster *c, const struct group_spec *groups, size_t n_groups);
