/* cluster_parts.h - between the files that make a cluster; the rest of the program includes cluster.h alone. */
#pragma once
#include "sim/cluster/cluster.h"

/* Which part of what was given is at fault, so that a reader can say where in the file it stands. */
struct culprit {
    enum { FAULT_WHOLE, FAULT_GROUP, FAULT_QUEUE } part;
    size_t index;
};
struct cluster_given {
    const char *name;
    const struct group_spec *group;
    size_t n_groups;
    const struct queue_spec *queue;
    size_t n_queues;
    struct catalogue *catalogue;  /* becomes the cluster's if one is made; NULL: the built-in one alone */
};
/* cluster_build(), naming the culprit if it fails. */
struct cluster *cluster_assemble(const struct cluster_given *given, struct culprit *culprit, struct error *err);

/* Everything but the number of kinds. 0, or -1 with both. */
int cluster_check(const struct cluster_given *given, struct culprit *culprit, struct error *err);

/* Nodes of one island across nodes; 0: the group's islands are no larger than a node. */
uint32_t group_island_nodes(const struct group_spec *g);

/* Fills domain, n_domains and domain_of; nodes are numbered. */
void domains_build(struct cluster *c, const struct group_spec *groups, size_t n_groups);
