/* cluster.h - the machine: nodes with their GPUs, how they hang together, and the queues that share them.
 *
 * Immutable during a run. Nodes are numbered so that every island across nodes, rack and pod is a range of ids: groups
 * in the order of the file, racks filled one after the other. Nodes alike in every respect that a request can ask about
 * (type, owner) are one kind, whatever group they are of. */
#pragma once
#include "sim/contract/policy.h"
#include "sim/base/error.h"
#include "sim/base/intern.h"
#include "sim/base/units.h"
#include "sim/cluster/catalogue.h"
#include "sim/cluster/cluster_spec.h"
#include "sim/models/elastic.h"
#include "sim/cluster/mig.h"
#include "sim/models/overhead.h"
#include "sim/models/sharing.h"
#include "sim/models/storage.h"

struct node_type {
    uint32_t gpu_model;           /* number in cluster.gpu_models; ID_NONE: no GPU */
    uint32_t gpus;                /* or MIG instances */
    bool counted;                 /* GPUs without names: one pool costs a number. Always over 64 GPUs */
    bool mig_single;              /* its instances are asked for as GPUs */
    bool mig_dynamic;             /* its GPUs are cut as jobs ask: GPU i is the memory slices 8 i to 8 i + 7, all of them `gpus` */
    uint32_t gpu_mem_mib;         /* of one GPU, or of an instance if all are alike; 0: not known */
    uint32_t labels, taints;      /* texts of labels.h, in cluster.texts */
    int64_t cpu_milli, mem_mib;   /* INT64_MAX: not modelled, never binds */
    uint64_t island_of[NAMED_GPUS_MAX];    /* mask of the GPUs that share GPU i's island; counted nodes: unused */
    uint64_t numa_of[NAMED_GPUS_MAX];      /* likewise for the NUMA node */
    uint16_t mig[NAMED_GPUS_MAX];          /* profile of each instance, alike ones side by side; 0: a GPU */
};
struct node_kind {
    uint32_t type;                /* index into types */
    queue_id owner;               /* the pinned queue whose nodes these are; ID_NONE: anyone's */
    uint32_t n_nodes;
    node_id *node;                /* ascending */
    /* Nodes with instances of several profiles are as many kinds, one after the other: each is these nodes as somebody
     * sees them who wants that profile. Of mig_dynamic nodes, every profile of their model is one, the whole GPU the last;
     * what is free of one is where an instance could begin. */
    uint16_t parts;               /* kinds of these nodes from here on; 1: this is the last, or the only one */
    bool first;                   /* the first of them: kind_of says it, and who wants no GPU sees it */
    uint16_t mig;                 /* profile of all its GPUs; 0: they are GPUs */
    uint32_t gpus;                /* of each node, of this profile */
    uint64_t slots;               /* which those are; mig_dynamic: the slices at which one may begin */
    uint8_t slices;               /* that each takes, from its own on: 1; of mig_dynamic nodes as many as its memory slices */
    uint32_t slot_milli;          /* what each counts, see mig.h: MILLI_ALL, or x g */
};
struct domain {                   /* node n itself is domain n_domains + n */
    enum level level;
    domain_id parent;
    node_id first, end;
};

struct cluster {
    const char *name;
    uint32_t n_nodes, n_types, n_kinds, n_domains;
    int64_t  gpus;                /* all of them, as mig.h counts them */
    uint32_t n_groups;
    const char **group_name;      /* [n_groups] */
    uint32_t *group_gpus;         /* [n_groups] of each node, uncut */
    uint32_t *group_of;           /* [n_nodes] */
    uint16_t *kind_of;            /* [n_nodes] */
    uint32_t *local_of;           /* [n_nodes] position in its kind */
    uint64_t *gpu_base;           /* [n_nodes + 1] number of named GPUs on nodes before it */
    domain_id *domain_of;         /* [n_nodes] innermost domain across nodes: island, rack, pod or cluster */
    struct node_type *type;
    struct node_kind *kind;
    struct domain *domain;        /* [n_domains], parents before children, [0] the cluster */
    struct intern *gpu_models, *texts;
    const struct gpu_model **gpu_known;       /* [gpu_models] what the catalogue tells of it; NULL: nothing */
    const struct node_design **group_design;  /* [n_groups] likewise; NULL: the group names no node type */
    struct node_nics *nics_of;    /* [n_groups] */
    struct catalogue *catalogue;  /* what its file adds to it; NULL: nothing */
    struct training_models *models;   /* likewise; NULL: the built-in ones alone */
    struct rate_rules *rates;     /* NULL: placements make nobody fast or slow */

    uint32_t n_queues;            /* 0: taken from the trace, flat, without quotas */
    struct queue_facts *queue;    /* parents before children */
    bool queues_from_trace;       /* the file names none */

    int64_t period_ns;            /* of the scheduler; 0: a pass whenever something changed */
    bool period_said;             /* in the file or on the command line; otherwise the policy may have one of its own */
    struct overhead overhead;
    struct sharing sharing;       /* sharing_usual unless a file says more */
    struct failures *failures;    /* failures.h; NULL: nothing fails */
    struct storage storage;
    struct power *power;          /* sections power and prices; NULL: not given */
    struct tariff *tariff;
    struct pool *pool;            /* [n_groups] node pools, see pools.h; NULL: there are none */
    struct elastic elastic;
    struct arena *memory;
};

/* Makes a cluster, which has copies of all that is given. NULL with err and the culprit. */
struct cluster *cluster_assemble(const struct cluster_given *given, struct culprit *culprit, struct error *err);
/* The same without the culprit, with the built-in catalogue. */
struct cluster *cluster_build(const char *name, const struct group_spec *groups, size_t n_groups,
                              const struct queue_spec *queues, size_t n_queues, struct error *err);
void cluster_free(struct cluster *c);                        /* NULL: does nothing */

/* Distance classes: 0 same GPU, 1 same island, 2 same node and NUMA node, 3 same node, 4 same rack, 5 same pod,
 * 6 further. On counted nodes all GPUs are one island. Without racks every other node is 6. */
unsigned cluster_distance(const struct cluster *c, node_id a, unsigned gpu_a, node_id b, unsigned gpu_b);
unsigned cluster_placement_distance(const struct cluster *c, const struct placement *p);   /* the largest of all pairs */
extern const char *const cluster_distance_name[7];           /* gpu island numa node rack pod cluster */
domain_id cluster_domain_at(const struct cluster *c, node_id n, enum level l);   /* the innermost domain at or beyond l */
static inline const struct node_type *cluster_node_type(const struct cluster *c, node_id n)
{
    return &c->type[c->kind[c->kind_of[n]].type];
}
uint32_t cluster_node_gpus(const struct cluster *c, node_id n);         /* or instances */
int64_t cluster_node_milli(const struct cluster *c, node_id n);         /* what they count together */
/* Power of nodes [first, end) when all are on and idle: their lower bound. c->power must be given. */
int128_t cluster_idle_nw(const struct cluster *c, node_id first, node_id end);
/* What the slots of one kind count on each node. Of mig_dynamic nodes, whose kinds are the same GPUs, the whole GPUs do. */
int64_t cluster_kind_milli(const struct cluster *c, const struct node_kind *k);
uint32_t cluster_piece_kind(const struct cluster *c, const struct piece *p);      /* among those of its node */
uint64_t cluster_slots(const struct cluster *c, node_id n, uint16_t mig);         /* instances of that profile; 0: all */
/* Of `slots`, as the kind counts them: those from which on as many are in `free` as one takes. */
static inline uint64_t kind_begins(const struct node_kind *k, uint64_t free)
{
    for (unsigned have = 1; have < k->slices; have *= 2)
        free &= free >> have;
    return free & k->slots;
}
static inline uint64_t kind_takes(const struct node_kind *k, uint64_t begins)     /* all that they take */
{
    for (unsigned have = 1; have < k->slices; have *= 2)
        begins |= begins << have;
    return begins;
}
