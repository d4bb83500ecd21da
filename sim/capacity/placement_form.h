/* placement_form.h - what of a placement matters for how fast it trains: how many GPUs on how many nodes, how far apart, over
 * which links. Placements of one form train equally fast.
 *
 * A unit is a node, or an NVLink island across nodes with all of its nodes in the placement. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/models/network/collectives.h"

#define FORM_TYPES 4              /* distinct groups of nodes that are told apart; of more, the slowest of the rest counts */

struct placement_form {
    uint32_t gpus;                /* of all units; 0: CPU only, the rest means nothing */
    uint32_t units;
    uint32_t least, most;         /* GPUs of the unit with fewest, with most */
    unsigned distance;            /* class of models.md 1.5, but nodes without racks are as of one rack, and racks without pods as of
                                     one pod: what is not described does not stand in the way */
    enum link_class inside;       /* slowest link between GPUs of one unit: NVLink or PCIe */
    double inside_bps;            /* raw bytes a second of it, per direction; less across NUMA nodes; 0: not known */
    double kappa;                 /* training speed of the slowest GPU; a V100 is 1 */
    uint32_t gpu_model;           /* of that GPU, in cluster.gpu_models */
    bool consolidated;            /* on as few nodes as it fits on */
    struct form_nic { uint32_t nics, gpus; double bps; } nic[FORM_TYPES];     /* of the units: NICs, GPUs of their nodes, bytes a
                                     second of all NICs; 0: not known */
    unsigned n_nics;
};

struct form_rules { double numa_factor; };    /* of PCIe bandwidth where it crosses NUMA nodes */

/* Scratch space of one caller, grown as needed. */
struct form_scratch { struct form_node { node_id node; uint32_t gpus; uint64_t mask; } *node; size_t room; };
void form_scratch_free(struct form_scratch *s);
/* Nodes on which a placement has GPUs, ascending, each once: scratch->node. Returns how many. */
size_t form_nodes(const struct placement *p, struct form_scratch *scratch);

struct placement_form placement_form(const struct cluster *c, const struct form_rules *rules, const struct placement *p,
                                     struct form_scratch *scratch);

/* A group of nodes as one could fill it if it were empty. */
struct form_group {
    const struct node_type *type;
    struct node_nics nics;
    uint32_t island_nodes, rack_nodes, pod_nodes;      /* across nodes, the largest; 0: none */
    uint32_t island_gpus, numa_gpus;                   /* inside a node, the largest */
};
struct form_group form_group(const struct cluster *c, uint32_t group);    /* O(nodes) */
/* The form of `gpus` GPUs on so many of its nodes (or islands across nodes), as even as can be, as near to each other as racks
 * and pods allow; nodes that it does not have are imagined. false: a node is too small. */
bool placement_form_of(const struct cluster *c, const struct form_rules *rules, const struct form_group *g, uint32_t gpus,
                       uint32_t units, struct placement_form *form);

/* A piece of a request whose tasks must each be on one island is on one. */
static inline bool piece_on_island(const struct cluster *c, const struct request *run, const struct piece *p)
{
    return !run->one_island || !p->gpu_mask ||
           !(p->gpu_mask & ~cluster_node_type(c, p->node)->island_of[__builtin_ctzll(p->gpu_mask)]);
}
