/* node_list.h - a cluster from a published list of its nodes, CSV with one node a row, recognised
 * by its header:
 *
 *     sn,cpu_milli,memory_mib,gpu,model                openb: alibaba/clusterdata:
 *                                                      cluster-trace-gpu-v2023
 *     machine,gpu_type,cap_cpu,cap_mem,cap_gpu         PAI: cluster-trace-gpu-v2020,
 *                                                      pai_machine_spec; also cap_mem(GB); and, as
 *                                                      published, in this order without header
 *     gpu_model,gpu_capacity_num,cpu_num,node_name     cluster-trace-v2026-spot-gpu; memory is not
 *                                                      modelled
 *
 * Columns in any order, others are ignored. Nodes are numbered by name, so that the order of the
 * file does not matter: names of digits alone first, by their number, then the others by their
 * bytes. Equal neighbours are one group, named after its first node. GPU models have the names of
 * the list, which its jobs use. Lists have no NVLink, NUMA nodes, racks or queues: each GPU is an
 * island of its own, and queues come from the trace.
 *
 * And a list of hosts with their switches, Lingjun
 * (alibaba/alibaba-lingjun-dataset-2023:data/topo.csv):
 *
 *     ip,DSW,PSW,ASW        a host and the switches above it, from the core to its rack
 *
 * A rack is the pair (PSW, ASW), as names of ASWs repeat; a pod has all hosts below one PSW, and is
 * a group; racks may have different sizes. Racks, pods and hosts are numbered by name, shorter
 * names first (P8, P10), then by their bytes. The list has no resources of hosts: 8 GPUs are
 * assumed, each an island of its own; CPU and memory are not modelled. */
#pragma once
#include "sim/io/input.h"
#include "sim/cluster/cluster.h"

bool node_list_recognise(const char *head, size_t length);
/* Whether it begins like a table of no known list: err then names the known ones. */
bool node_list_refuses(const char *head, size_t length, const char *file, struct error *err);
/* NULL with err. */
struct cluster *cluster_from_nodes(struct input *in, const char *name, struct error *err);

#define TOPOLOGY_NODE_GPUS 8

bool node_topology_recognise(const char *head, size_t length);
/* NULL with err. */
struct cluster *cluster_from_topology(struct input *in, const char *name, struct error *err);
