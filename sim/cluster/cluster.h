/* cluster.h - the machine: nodes with their GPUs, the domains that they form, and the queues that
 * share them.
 *
 * Immutable during a run. Nodes are numbered so that every island across nodes, rack and pod is a
 * range of ids: groups in the order of the file, racks filled one after the other. Nodes that are
 * equal in all that a request can ask for (type, owner) are one kind, even of different groups. A
 * cluster is made from a specification (cluster_spec.h); its file (cluster_file.h) also sets the
 * parameters of the models. */
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

#define GPU_MODEL_UNNAMED "gpu"    /* of GPUs for which the file names no model */
struct node_type {
    uint32_t gpu_model;           /* number in cluster.gpu_models; ID_NONE: no GPU */
    uint32_t gpus;                /* or MIG instances */
    bool counted;  /* its GPUs have no names, only a number of free ones; always above 64 GPUs */
    bool mig_single;              /* jobs ask for its instances as GPUs */
    bool mig_dynamic;             /* jobs cut its GPUs: slots are memory slices, 8 i to 8 i + 7 of
                                     GPU i, `gpus` in all */
    uint32_t gpu_mem_mib;         /* of one GPU, or of an instance if all are equal; 0: not known */
    uint32_t labels, taints;      /* texts of labels.h, in cluster.texts */
    int64_t cpu_milli, mem_mib;   /* INT64_MAX: not modelled, never binds */
    uint64_t island_of[NAMED_GPUS_MAX];    /* mask of the GPUs that share GPU i's island; counted
                                              nodes: unused */
    uint64_t numa_of[NAMED_GPUS_MAX];      /* mask of the GPUs of GPU i's NUMA node; counted nodes:
                                              unused */
    uint16_t mig[NAMED_GPUS_MAX];  /* profile of each instance, equal ones side by side; 0: a GPU */
};
struct node_kind {
    uint32_t type;                /* index into types */
    queue_id owner;               /* the pinned queue that owns these nodes; ID_NONE: none */
    uint32_t n_nodes;
    node_id *node;                /* ascending */
    /* Nodes with instances of several profiles are several kinds, one after the other: a kind has
     * these nodes with the instances of one profile. mig_dynamic nodes have a kind for every
     * profile of their model, the whole GPU the last; the free slots of a kind are the slices at
     * which an instance could begin. */
    uint16_t parts;               /* number of kinds of these nodes from this one on; 1: the last */
    bool first;  /* the first of them, which is in kind_of and serves requests without GPUs */
    uint16_t mig;                 /* profile of all its GPUs; 0: they are GPUs */
    uint32_t gpus;                /* of each node, of this profile */
    uint64_t slots;  /* their slots; mig_dynamic: the slices at which an instance may begin */
    uint8_t slices;  /* slots that each takes from its own on: 1; mig_dynamic: its memory slices */
    uint32_t slot_milli;  /* milli-GPUs that each counts, see mig.h: MILLI_ALL, or g times that */
};
struct domain {                   /* node n itself is domain n_domains + n */
    enum level level;
    domain_id parent;
    node_id first, end;
};

struct cluster {
    const char *name;
    uint32_t n_nodes, n_types, n_kinds, n_domains;
    int64_t  gpus;                /* all GPUs, counted as in mig.h */
    uint32_t n_groups;
    const char **group_name;      /* [n_groups] */
    uint32_t *group_gpus;         /* [n_groups] of each node, uncut */
    uint32_t *group_of;           /* [n_nodes] */
    uint16_t *kind_of;            /* [n_nodes] */
    uint32_t *local_of;           /* [n_nodes] position in its kind */
    uint64_t *gpu_base;           /* [n_nodes + 1] number of named GPUs on nodes before it */
    domain_id *domain_of;         /* [n_nodes] innermost domain across nodes: island, rack, pod or
                                     cluster */
    struct node_type *type;
    struct node_kind *kind;
    struct domain *domain;        /* [n_domains], parents before children, [0] the cluster */
    struct level_names levels;    /* above the node: at least two, whether there are domains or not */
    struct intern *gpu_models, *texts;
    const struct gpu_model **gpu_known;       /* [gpu_models] catalogue entry; NULL: none */
    const struct node_design **group_design;  /* [n_groups] catalogue entry; NULL: the group has no
                                                 node type */
    struct node_nics *nics_of;    /* [n_groups] */
    struct catalogue *catalogue;  /* entries that its file adds; NULL: none */
    struct training_models *models;   /* training models that its file adds; NULL: none */
    struct rate_rules *rates;     /* NULL: placements do not change rates */
    bool fabric_unread;           /* its file has a section `fabric`, and no rates to change */

    uint32_t n_flavors;
    struct flavor *flavor;        /* kinds of nodes that queues have quotas of */
    uint32_t n_queues;            /* 0: queues are those of the trace, flat, without quotas */
    struct queue_facts *queue;    /* parents before children */
    bool queues_from_trace;       /* the file has no queues */

    int64_t period_ns;            /* of the scheduler; 0: a pass after every change */
    bool numa_order;              /* GPUs over several islands or sockets: on as few as can be, not by id */
    bool pass_per_event;          /* events of one instant one by one: sim/engine/engine.h */
    bool unmet_waits;             /* a job with a dependency that can never be met waits for ever,
                                     and is not cancelled */
    struct time_limits {          /* jobs end at their estimates: sim/physics/site/time_limits.c */
        bool enforce;
        int64_t over_ns, check_ns, grace_ns;
    } time_limits;
    bool period_said;  /* it is given; otherwise the policy may set a period of its own */
    struct overhead overhead;
    struct sharing sharing;       /* sharing_usual by default */
    struct failures *failures;    /* failures.h; NULL: nothing fails */
    struct storage storage;
    struct power *power;          /* sections power and prices; NULL: not given */
    struct tariff *tariff;
    struct pool *pool;            /* [n_groups] node pools, see pools.h; NULL: there are none */
    struct elastic elastic;
    /* Every key of its file and of the settings with the value that holds, defaults too, as lines
     * of YAML; NULL: a list of nodes without settings, or made without a file. */
    const char *settings;
    struct cluster_section { const char *name, *text; } *section;    /* [n_sections] those given, but
                                     nodes and queues, each as YAML in one line */
    size_t n_sections;
    const struct site *site;      /* partitions, QOS, accounts, weights: site.h; NULL: none */
    const struct reservations *reservations;    /* reservations.h; NULL: none */
    struct arena *site_memory;    /* of both */
    struct arena *memory;
};

/* Makes a cluster, with copies of all that is given. NULL with err and the culprit. */
struct cluster *cluster_assemble(const struct cluster_given *given, struct culprit *culprit,
                                 struct error *err);
/* The same without the culprit, with the built-in catalogue. */
struct cluster *cluster_build(const char *name, const struct group_spec *groups, size_t n_groups,
                              const struct queue_spec *queues, size_t n_queues, struct error *err);
void cluster_free(struct cluster *c);                        /* NULL: does nothing */

/* Distance classes: 0 same GPU, 1 same island, 2 same node and NUMA node, 3 same node, 4 same rack,
 * 5 same pod, then a class for each further level of the cluster, and the last: further. On counted
 * nodes all GPUs are one island. Without racks every other node is of the last. */
enum { SAME_GPU, SAME_ISLAND, SAME_NUMA, SAME_NODE, SAME_RACK, SAME_POD };
unsigned cluster_distance(const struct cluster *c, node_id a, unsigned gpu_a, node_id b,
                          unsigned gpu_b);
/* the largest of all pairs */
unsigned cluster_placement_distance(const struct cluster *c, const struct placement *p);
/* gpu island numa node, the names of the levels above the node, cluster */
const char *cluster_distance_name(const struct cluster *c, unsigned distance);
/* The largest within one domain of that level; of LEVEL_ANY: the last. */
unsigned cluster_level_distance(const struct cluster *c, enum level l);
/* the innermost domain of level l or further out */
domain_id cluster_domain_at(const struct cluster *c, node_id n, enum level l);
/* It is in a domain of just this level, above the node. */
bool cluster_has_domain(const struct cluster *c, node_id n, enum level l);
/* As view_level_outwards(). */
enum level cluster_level_outwards(const struct cluster *c, enum level l);
static inline const struct node_type *cluster_node_type(const struct cluster *c, node_id n)
{
    return &c->type[c->kind[c->kind_of[n]].type];
}
/* Domains of that level around node n are sets of its GPUs: islands that lie in a node, NUMA nodes. */
bool cluster_level_inside(const struct cluster *c, node_id n, enum level l);
/* There: those with that GPU. */
static inline uint64_t node_type_part(const struct node_type *t, enum level l, unsigned gpu)
{
    return l == LEVEL_NUMA ? t->numa_of[gpu] : t->island_of[gpu];
}
uint32_t cluster_node_gpus(const struct cluster *c, node_id n);         /* GPUs or instances */
int64_t cluster_node_milli(const struct cluster *c, node_id n);  /* milli-GPUs that they count */
/* Power of nodes [first, end) when all are on and idle: their lower bound. c->power must be
 * given. */
int128_t cluster_idle_nw(const struct cluster *c, node_id first, node_id end);
/* The most that all nodes draw: all GPUs at duty 1 and the full clock, all CPUs held. */
int128_t cluster_full_nw(const struct cluster *c);
/* Milli-GPUs of the slots of one kind on each node. Kinds of mig_dynamic nodes are the same GPUs:
 * only whole GPUs count. */
int64_t cluster_kind_milli(const struct cluster *c, const struct node_kind *k);
/* the kind of its node that the piece is of */
uint32_t cluster_piece_kind(const struct cluster *c, const struct piece *p);
/* instances of that profile; 0: all */
uint64_t cluster_slots(const struct cluster *c, node_id n, uint16_t mig);
/* flavors.c: it has the labels of the flavor. */
bool cluster_node_has_flavor(const struct cluster *c, node_id n, uint32_t flavor);
int64_t cluster_flavor_milli(const struct cluster *c, uint32_t flavor);    /* GPUs of its nodes */
/* What q deserves of the flavor, and may hold of it at most: by its entries for it, nominal and
 * nominal + borrowing limit. A queue without any flavors: what the queues below it deserve together,
 * and no limit. false: none has an entry, it deserves nothing there. */
bool cluster_flavor_quota(const struct cluster *c, queue_id q, uint32_t flavor, struct quota *to);
/* The slots at which an instance of the kind may begin, where `free` has all slots that it
 * takes. */
static inline uint64_t kind_begins(const struct node_kind *k, uint64_t free)
{
    for (unsigned have = 1; have < k->slices; have *= 2)
        free &= free >> have;
    return free & k->slots;
}
/* all slots that they take */
static inline uint64_t kind_takes(const struct node_kind *k, uint64_t begins)
{
    for (unsigned have = 1; have < k->slices; have *= 2)
        begins |= begins << have;
    return begins;
}
