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
#include "sim/models/elastic.h"
#include "sim/cluster/mig.h"
#include "sim/models/sharing.h"
#include "sim/models/storage.h"

#define CLUSTER_NODE_GPUS_MAX  1000000u    /* of one counted node */
#define CLUSTER_NODES_MAX      10000000u
#define NAMED_GPUS_MAX         64u         /* of a node whose GPUs have names */

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
struct node_nics { uint32_t nics; double gbps; };       /* of a node: how many, each so fast per direction; 0: not known */
struct domain {                   /* node n itself is domain n_domains + n */
    enum level level;
    domain_id parent;
    node_id first, end;
};

struct overhead {                    /* of preemption and starting, see models.md 3.2 to 3.4; the section `preemption` */
    enum { CHECKPOINT_NONE, CHECKPOINT_PERFECT, CHECKPOINT_PERIODIC } checkpoint;
    enum { LAW_DALY, LAW_YOUNG } interval_law;               /* of INTERVAL_AUTO */
    int64_t interval_ns;          /* periodic: a checkpoint after each interval of progress since the (re)start. INTERVAL_AUTO */
    int64_t save_ns;              /* to write one when told to leave. -1: as long as any */
    int64_t grace_ns;             /* longest stay after a stop; a save that takes longer is lost */
    int64_t start_ns;             /* GPUs held without progress at the first start. START_BY_PARTS */
    int64_t restart_ns;           /* likewise at every later one */
    /* What writing one takes: write_ns, and its bytes by way of the storage. Both 0: checkpoints are free and durable at once. */
    int64_t write_ns;             /* checkpoint_s. 0 */
    int64_t checkpoint_bytes;     /* checkpoint_gib. 0; CHECKPOINT_OF_MODEL */
    double  blocking;             /* share of that time in which the job makes no progress: 1; asynchronous snapshots 0.1 [A] */
    int64_t node_mtbf_ns;         /* for that: mean time between failures of a node. 0: not said */
    int64_t init_ns, init_doubling_ns;    /* of START_BY_PARTS: 10 s, and 2 s for each doubling of the GPUs [A] */
};
#define INTERVAL_AUTO       (-2)  /* by the law, within 300 s and 4 h */
#define START_BY_PARTS      (-2)  /* pulling the image, initialising, loading the checkpoint */
#define CHECKPOINT_OF_MODEL (-2)  /* 14 bytes for each parameter of the job's model */

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

struct mig_spec { uint16_t profile; uint32_t count; };      /* on each node */
/* What a caller gives to build one; the YAML reader, tests and node lists all come through here. */
struct group_spec {
    const char *name, *gpu_model;           /* gpu_model NULL: no GPU */
    uint32_t count, gpus;
    bool counted, mig_single;
    bool mig_dynamic;             /* its GPUs, at most MIG_DYNAMIC_GPUS of a model with known profiles, are cut as jobs ask */
    uint32_t island_gpus;         /* GPUs of one NVLink island; 0: no NVLink (each GPU its own); may exceed gpus: then it
                                     must be a multiple, and the island spans nodes */
    uint32_t numa_nodes;          /* the GPUs are split evenly over them; 0 or 1: one */
    uint32_t gpu_mem_mib;
    int64_t cpu_milli, mem_mib;   /* INT64_MAX: not modelled */
    uint32_t nodes_per_rack;      /* 0: the group has no racks */
    uint32_t racks_per_pod;       /* 0: no pods */
    const char *labels, *taints;  /* as in labels.h; NULL: none */
    const uint32_t *rack_nodes;   /* [n_racks] racks that are not alike: their sizes, which add up to count; NULL: they are */
    uint32_t n_racks;
    const struct node_design *design;       /* of the catalogue; NULL: none */
    struct node_nics nics;
    const struct mig_spec *mig;   /* [n_mig] its GPUs are cut into these instances, and no other is used; NULL: they are not */
    uint32_t n_mig;
};
struct pin_spec { uint32_t group, count; };                  /* the next `count` free nodes of that group */
#define COHORT_RULES_UNSAID                                                                                            \
    { { UNLIMITED, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED }, -1, -1, -1, -1, INT32_MAX }
struct queue_spec {
    struct queue_facts facts;     /* name, parent (index of an earlier spec), quota, weight, priority */
    const struct pin_spec *pins;
    size_t n_pins;
};
/* Copies all that it is given. NULL with err ("queue 'a': wants 3 nodes of group 'g', 2 are left"). */
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
