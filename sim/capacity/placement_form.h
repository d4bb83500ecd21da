/* placement_form.h - the properties of a placement that decide how fast it trains: how many GPUs on
 * how many nodes, their distance and links. Placements of one form train equally fast.
 *
 * A unit is a node, or an NVLink island across nodes with all of its nodes in the placement. */
#pragma once
#include "sim/cluster/cluster.h"
#include "sim/models/network/collectives.h"
#include "sim/models/network/phases.h"
#include "sim/models/network/rate_rules.h"

#define FORM_TYPES 4 /* groups of nodes that are kept apart; of further ones the slowest counts */

struct rank_groups;
struct placement_form {
    uint32_t gpus;                /* of all units; 0: CPU only, the rest means nothing */
    uint32_t units;
    uint32_t least, most;         /* GPUs of the unit with fewest, with most */
    unsigned distance;            /* class of models.md 1.5, but nodes without racks count as one
                                     rack and racks without pods as one pod: what is not described
                                     costs nothing */
    enum link_class inside;       /* slowest link between GPUs of one unit: NVLink or PCIe */
    double inside_bps;            /* raw bytes a second of it, per direction; less across NUMA
                                     nodes; 0: not known */
    double kappa;                 /* training speed of the slowest GPU; a V100 is 1 */
    uint32_t gpu_model;           /* of that GPU, in cluster.gpu_models */
    bool consolidated;            /* on as few nodes as it fits on */
    /* of the units: NICs, GPUs of their nodes, bytes a second of all NICs; 0: not known */
    struct form_nic { uint32_t nics, gpus; double bps; } nic[FORM_TYPES];
    unsigned n_nics;
    uint32_t unit_nodes;          /* nodes of the unit with fewest */
    /* What links leave each of its nodes, after losses, by how far its traffic goes: where jobs
     * share links, or uplinks are divided among the nodes that are there. 0: not looked at */
    double link_bps[REACHES];
    const struct rank_groups *groups;    /* of a job that trains by parallel_time.h; NULL: of
                                     others. Owned by what made the form */
};

struct form_rules { double numa_factor; };    /* of PCIe bandwidth where it crosses NUMA nodes */

/* Scratch space of one caller, grown as needed. */
struct form_scratch {
    struct form_node {
        node_id node;
        uint32_t gpus;
        uint64_t mask;
    } * node;
    size_t capacity;
    struct crossing *crossing;
    size_t crossings;
};
void form_scratch_free(struct form_scratch *s);
/* Its nodes with GPUs in ascending order, each once, in s->node; returns how many. */
size_t form_nodes(const struct placement *p, struct form_scratch *s);
bool form_across_nodes(const struct cluster *c, node_id n);    /* of an island across nodes */
bool form_same_unit(const struct cluster *c, node_id a, node_id b);

struct placement_form placement_form(const struct cluster *c, const struct form_rules *rules,
                                     const struct placement *p, struct form_scratch *scratch);

/* A group of nodes, as far as an empty one decides forms. */
struct form_group {
    const struct node_type *type;
    struct node_nics nics;
    uint32_t island_nodes, rack_nodes, pod_nodes;      /* across nodes, the largest; 0: none */
    uint32_t island_gpus, numa_gpus;                   /* inside a node, the largest */
};
struct form_group form_group(const struct cluster *c, uint32_t group);    /* O(nodes) */
/* The form of `gpus` GPUs on so many of its nodes (or islands across nodes), as even as possible,
 * as near to each other as racks and pods allow; the group may have fewer nodes than that. false: a
 * node is too small. */
bool placement_form_of(const struct cluster *c, const struct form_rules *rules,
                       const struct form_group *g, uint32_t gpus, uint32_t units,
                       struct placement_form *form);

/* ---- Links ----
 *
 * The network links that a placement crosses, for max-min sharing: models.md 1.4, 2.4. Links are
 * numbered: the NICs of node n together are link n; the uplink of rack or pod d is link n_nodes +
 * d. A placement on one unit crosses no link. One on several units crosses the NICs of each of its
 * nodes, the uplinks of its racks if these are several, and those of its pods if these are several.
 * Nodes of an island across nodes are assumed to spread what leaves it over all their NICs, which
 * are then not listed. */
uint32_t placement_links(const struct cluster *c);           /* count of link numbers */
/* [placement_links()] bytes a second per direction after losses; INFINITY: not known, or no such
 * link. */
void   placement_link_rates(const struct cluster *c, const struct fabric *fabric, double *bps);
/* Fills `crossing`, of 3 x the pieces, in ascending order of links; returns their number. On an
 * uplink each node below it is a flow. */
size_t placement_crossings(const struct cluster *c, const struct placement *p,
                           struct form_scratch *scratch, struct crossing *crossing);
/* What each of its nodes gets by reach if it is alone on the links; bps: placement_link_rates().
 * INFINITY: it crosses none. */
void placement_alone_bps(const struct cluster *c, const struct placement *p,
                         struct form_scratch *scratch, const double *bps,
                         double alone[REACHES]);

/* A piece is on one island, if each task of its request must be. */
static inline bool piece_on_island(const struct cluster *c, const struct request *run, const struct piece *p)
{
    return !run->one_island || !p->gpu_mask ||
           !(p->gpu_mask & ~cluster_node_type(c, p->node)->island_of[__builtin_ctzll(p->gpu_mask)]);
}
bool placement_on(const struct placement *p, node_id n);      /* a piece of it is on n */
