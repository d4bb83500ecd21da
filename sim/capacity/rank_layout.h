/* rank_layout.h - where the ranks of a job are, for groups of ranks that exchange something:
 * models.md 2.8.
 *
 * Ranks are given to the GPUs of a placement in the order of nodes, on a node in the order of its
 * islands, on an island in that of the GPUs: the nodes of a rack, and the racks of a pod, follow
 * each other. A `spot` is a stretch of ranks on one island and NUMA node.
 *
 * With rails NIC i of each node is on switch i of its pod, and a GPU uses the NIC of its number. A
 * group is *aligned* if its ranks have the same NICs on each of its units; what ranks of one number
 * send each other then stays on a switch in a pod. Other groups cross the spine of the pod, and so
 * does an all-to-all of several ranks a unit. */
#pragma once
#include "sim/capacity/placement_form.h"
#include "sim/models/training/parallel_time.h"

struct rank_spot {
    uint32_t gpus, unit, node;    /* unit: a node, or an island across nodes; numbered from 0 */
    uint32_t island, numa;        /* of its node; on an island across nodes: 0 */
    uint32_t rack, pod;           /* numbered; what is not described is one */
    uint32_t first;               /* rank */
    uint64_t mask;                /* of its GPUs; 0: the first of the node */
};
struct rank_node {                /* of the placement */
    uint32_t gpus;                /* that the job has there */
    double nic_bps, rail_bps;     /* of all NICs, and of those that these GPUs use, raw */
    uint32_t nics, room;          /* NICs, GPUs of the node */
};
struct rank_layout {
    struct rank_spot *spot;
    struct rank_node *node;
    uint32_t *spot_of;            /* by rank */
    size_t n_spots, n_nodes, spots_room, nodes_room, ranks_room;
    uint32_t ranks;
};
void rank_layout_free(struct rank_layout *l);                /* its lists */

/* Of a placement; or on empty nodes of a group: on so many units as even as possible, as
 * placement_form_of() has it, or unit by unit full, the rest on the last. false: no room. */
void rank_layout_on(struct rank_layout *l, const struct cluster *c, const struct fabric *fabric,
                    const struct placement *p, struct form_scratch *scratch);
bool rank_layout_of(struct rank_layout *l, const struct form_group *g, const struct fabric *fabric,
                    uint32_t gpus, uint32_t units, bool full);

/* of the GPU, 0: none; rails: of the fabric */
struct link_speeds { double nvlink_bps, pcie_bps, numa_factor; bool rails; };
void rank_layout_groups(const struct rank_layout *l, const struct parallel_split *split,
                        const struct link_speeds *links, struct rank_groups *groups);
