/* node_topology.h - a cluster from the list of hosts of Lingjun (alibaba/alibaba-lingjun-dataset-2023:data/topo.csv), CSV:
 *
 *     ip,DSW,PSW,ASW        a host and the switches above it, from the core to its rack
 *
 * A rack is the pair (PSW, ASW), for names of ASWs repeat; a pod is what is below one PSW, and a group; racks are as large
 * as they are. Racks, pods and hosts are numbered by name, shorter names first (P8, P10), then by their bytes. The list
 * does not tell what a host has: 8 GPUs are assumed, each an island of its own, CPU and memory are not modelled. */
#pragma once
#include "sim/io/input.h"
#include "sim/cluster/cluster.h"

#define TOPOLOGY_NODE_GPUS 8

bool node_topology_recognise(const char *head, size_t length);
/* NULL with err. */
struct cluster *cluster_from_topology(struct input *in, const char *name, struct error *err);
