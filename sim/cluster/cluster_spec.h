/* cluster_spec.h - what a cluster is made of: groups of nodes and queues, as a caller gives them,
 * and the rules that they keep.
 *
 * The YAML reader, node lists and tests all fill these structs; cluster_assemble() of cluster.h
 * makes a cluster of them. cluster_check() refuses what no cluster can be before anything is made,
 * and names the group or queue at fault, so that a reader can say where in the file it stands. */
#pragma once
#include "sim/base/error.h"
#include "sim/cluster/catalogue.h"
#include "sim/cluster/topology/levels.h"
#include "sim/contract/policy.h"
#include "sim/contract/site.h"

struct arena;
struct reservations;

#define CLUSTER_NODE_GPUS_MAX  1000000u    /* of one counted node */
#define CLUSTER_NODES_MAX      10000000u
#define NAMED_GPUS_MAX         64u         /* of a node that is not counted */

struct node_nics { uint32_t nics; double gbps; };       /* of a node: number, and speed of each per
                                                           direction; 0: unknown */
struct mig_spec { uint16_t profile; uint32_t count; };      /* on each node */
struct group_spec {
    const char *name, *gpu_model;           /* gpu_model NULL: no GPUs, or of unknown model */
    uint32_t count, gpus;
    bool counted, mig_single;
    bool mig_dynamic;             /* jobs cut its GPUs: at most MIG_DYNAMIC_GPUS, of a model with
                                     known profiles */
    uint32_t island_gpus;         /* GPUs of one NVLink island; 0: no NVLink (each GPU its own); may
                                     exceed gpus: then it must be a multiple, and the island spans
                                     nodes */
    uint32_t numa_nodes;          /* the GPUs are split evenly over them; 0 or 1: one */
    uint32_t gpu_mem_mib;
    int64_t cpu_milli, mem_mib;   /* INT64_MAX: not modelled */
    uint32_t nodes_per_rack;      /* 0: the group has no racks */
    uint32_t racks_per_pod;       /* 0: no pods */
    uint32_t further[LEVELS_ABOVE_NODE - 2];    /* of LEVEL_POD + 1 on: so many domains of the level
                                     before make one; 0: none, and none further out */
    uint8_t joins;                /* enum level above the node: its first nodes are of the last
                                     domain of that level of the group before, and of all around it;
                                     0: of none */
    const char *labels, *taints;  /* as in labels.h; NULL: none */
    const uint32_t *rack_nodes;   /* [n_racks] sizes of unequal racks, `count` in all; NULL: equal
                                     racks */
    uint32_t n_racks;
    const struct node_design *design;       /* of the catalogue; NULL: none */
    struct node_nics nics;
    const struct mig_spec *mig;   /* [n_mig] its GPUs are cut into exactly these instances; NULL:
                                     they are not cut */
    uint32_t n_mig;
    uint32_t weight;              /* of each node, for policies that prefer lower ones; 0: not given */
};
struct pin_spec { uint32_t group, count; };  /* the next `count` free nodes of that group */
#define COHORT_RULES_UNSAID                                                                        \
    {                                                                                              \
        { UNLIMITED, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED }, -1, -1, -1, -1,  \
            INT32_MAX                                                                              \
    }
struct queue_spec {
    struct queue_facts facts;     /* name, parent (index of an earlier spec), quota, weight,
                                     priority */
    const struct pin_spec *pins;
    size_t n_pins;
};

/* Texts as in labels.h, never NULL. A node is of the flavor if it has these labels; a job may use
 * it if it tolerates these taints; the tolerations are added to those of the job. */
struct flavor { const char *name, *labels, *taints, *tolerations; };

struct culprit {                  /* the part of a specification that is at fault */
    enum { FAULT_WHOLE, FAULT_GROUP, FAULT_QUEUE } part;
    size_t index;                 /* of the group or queue */
};
struct cluster_given {
    const char *name;
    const struct group_spec *group;
    size_t n_groups;
    const struct queue_spec *queue;
    size_t n_queues;
    struct level_names levels;    /* n 0: the usual ones */
    struct catalogue *catalogue;  /* becomes the cluster's if one is made; NULL: the built-in one
                                     alone */
    const struct flavor *flavor;
    size_t n_flavors;
    const struct site *site;      /* partitions and what goes with them, in site_memory; NULL: none */
    const struct reservations *reservations;    /* likewise */
    struct arena *site_memory;    /* becomes the cluster's if one is made */
};
/* Checks everything but the number of node kinds. 0, or -1 with err ("queue 'a': wants 3 nodes of
 * group 'g', 2 are left") and the culprit. */
int cluster_check(const struct cluster_given *given, struct culprit *culprit, struct error *err);
const struct level_names *given_levels(const struct cluster_given *given);
/* Levels above the node that the group has. */
uint32_t group_levels(const struct group_spec *g);
/* Of LEVEL_RACK + k, the k-th: nodes of an equal rack, or domains of the level before; 0: none. */
uint32_t group_level_holds(const struct group_spec *g, uint32_t k);
/* Nodes of one island across nodes; 0: the group's islands are no larger than a node. */
uint32_t group_island_nodes(const struct group_spec *g);
