/* placement.h - what is free, what is asked for, and the answer: which GPUs of which nodes.
 *
 * A shape is a distinct request: jobs of one shape ask for the same, and fit or fail together. A
 * request names tasks; a placement gives each task a piece of a node. A view answers what is free;
 * a builder collects pieces; a placer is a table that turns a request into pieces.
 *
 * Units: GPUs are counted whole, or in thousandths (milli); CPUs in milli, memory in MiB; INT64_MAX
 * where CPUs or memory of a node are not modelled. Ids are dense from 0, and all ties end on the
 * lowest id. GPUs with names are bits of a mask, up to 64 a node; nodes with more, or by option,
 * are counted: their masks are 0, and only numbers of GPUs are known.
 *
 * Pointers that these functions return belong to the simulator. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t job_id, node_id, domain_id, queue_id;
typedef uint32_t shape_id;
#define ID_NONE   UINT32_MAX
#define MILLI_ALL 1000u       /* a whole GPU */
/* As a number of tasks: only a total is asked for, and the placer splits it over nodes. */
#define SPLIT_ANY UINT32_MAX

struct amount { int64_t gpu_milli, cpu_milli, mem_mib; };   /* additive */

/* Domains from near to far. An island (NVLink) may be smaller than a node: then it is a set of
 * GPUs, see view_islands(). Or it spans nodes: then it is a domain between node and rack. A NUMA
 * node (socket) is a set of GPUs of a node too; a counted node counts as one. LEVEL_RACK + k is the
 * level k + 1 steps above the node; the first two are racks and pods, whatever the cluster calls
 * them. Walk over them with view_level_outwards(): a cluster has few of them. */
enum { LEVELS_ABOVE_NODE = 8 };
enum level {
    LEVEL_ISLAND,
    LEVEL_NUMA,
    LEVEL_NODE,
    LEVEL_RACK,
    LEVEL_POD,
    LEVEL_CLUSTER = LEVEL_RACK + LEVELS_ABOVE_NODE,
    LEVEL_ANY
};

/* ---- Requests ---- */

/* What a run asks for as a pod set of Kueue's topology-aware scheduling (docs/schedulers.md g.2).
 * Each distinct one is there once: equal sets have one address. */
enum { SLICES_MOST = 4 };
/* So many of its tasks within one such domain, enum level. */
struct set_slice { uint32_t level, tasks; };
struct pod_set {
    /* from 1: with the other run of the job that has this number, leader and workers; 0: by itself */
    uint32_t together;
    uint8_t required_level, preferred_level;    /* enum level; LEVEL_ANY: none */
    uint8_t n_slices;
    /* the outermost first; each finer and a part of the one before */
    struct set_slice slice[SLICES_MOST];
};

/* What one decision wants placed: tasks of a job that ask for the same. A job with different tasks
 * is a chain of such runs by `next`; run after run owns the tasks first_task .. first_task + tasks
 * - 1. A request with SPLIT_ANY has no further run. */
struct request {
    job_id job;                   /* ID_NONE in the copy that the jobs of a shape share */
    shape_id shape;
    /* the first shape that asks the same of the same nodes: queues with limits have shapes of their
     * own */
    shape_id alike;
    uint32_t tasks;               /* SPLIT_ANY: `gpus` in any split, one piece a node */
    const uint32_t *task;         /* [tasks] their numbers; NULL: first_task and on */
    uint32_t first_task;
    uint32_t group;               /* of these tasks: a leaf of job_facts.group; 0 without groups */
    /* the next run, placed with this one or not at all; NULL: none. To ask for a single run, copy
     * it with next NULL */
    const struct request *next;
    uint32_t gpus;                /* per task; under SPLIT_ANY the total; 0: CPUs and memory only */
    /* of each of these GPUs; below MILLI_ALL: a share of a GPU; MILLI_ALL x g of MIG instances */
    uint32_t gpu_milli;
    /* enum level: all pieces within one such domain; LEVEL_ANY: no matter */
    uint8_t required_level;
    /* tried first, then one level out after the other; LEVEL_ANY: none */
    uint8_t preferred_level;
    /* number of the MIG profile of the instances wanted, each whole; 0: GPUs */
    uint16_t mig;
    /* memory that it fills of each of its GPUs, with its context; 0: not modelled */
    uint32_t gpu_mem_mib;
    uint32_t max_per_node;        /* tasks of the job on one node; 0: any number */
    /* the GPUs of each task are of one NVLink island (tensor parallelism) */
    bool one_island;
    /* 1 + number of the flavor: it is placed on nodes of that alone; 0: any node that it may use */
    uint16_t flavor;
    int64_t cpu_milli, mem_mib;   /* per task; under SPLIT_ANY per GPU */
    /* NULL: it says nothing beyond the levels above, and is no pod set of its own */
    const struct pod_set *set;
    /* a node to try first: nominated, or where the job was; ID_NONE: none */
    node_id try_first;
    /* of a request for tasks that a job has lost: the others, which stay; NULL: it says nothing */
    const struct placement *held;
};
/* The run of the chain with that task. */
const struct request *request_of_task(const struct request *ask, uint32_t task);
/* Of all runs; SPLIT_ANY stays SPLIT_ANY */
uint32_t request_tasks(const struct request *ask);
uint32_t request_task(const struct request *r, uint32_t k);   /* number of the k-th task of a run */

/* What r takes of each GPU or instance, in thousandths of it. */
static inline uint32_t request_share(const struct request *r)
{
    return r->gpu_milli < MILLI_ALL ? r->gpu_milli : MILLI_ALL;
}

/* ---- Placements ---- */

struct piece {                    /* what one task holds on one node */
    node_id node;
    uint32_t task;                /* under SPLIT_ANY: the rank of the piece */
    uint64_t gpu_mask;            /* bit i: GPU i of the node; 0 on a counted node */
    uint32_t gpus;                /* the bits of gpu_mask, or a plain count */
    uint32_t milli;               /* taken of each, as in the request; 0 for a task without GPUs */
    uint32_t gpu_mem_mib;         /* as in the request; filled in by the simulator */
    /* the bits are instances of this profile; 0: GPUs; filled in by the simulator */
    uint16_t mig;
};
/* Pieces ascend by task; never changed once made. */
struct placement { size_t n; struct piece piece[]; };
/* NULL: not there, or p is NULL. O(log n). */
const struct piece *placement_task(const struct placement *p, uint32_t task);

/* ---- Views: what is free, indexed and live: with every staged change and every rollback ---- */

struct view;
struct node_free {
    uint64_t whole_mask;          /* entirely free GPUs; 0 on a counted node */
    uint64_t shared_mask;         /* partly taken GPUs with something left; 0 on a counted node */
    uint32_t whole, capacity;     /* free GPUs and all GPUs */
    int64_t cpu_milli, mem_mib;   /* free; INT64_MAX: not modelled */
};
struct node_free view_node(const struct view *v, node_id n);
/* What is free on n of the GPUs that r may use. MIG instances are GPUs with names, each an island
 * of its own: a request for a profile sees the instances of that profile, other requests see all
 * GPUs. view_slots(): the mask of those r may use. */
struct node_free view_node_for(const struct view *v, const struct request *r, node_id n);
/* The numbers of the free GPUs alone: whole ones, and those of its shared_mask. */
struct node_gpus { uint32_t whole, shared; };
struct node_gpus view_gpus_for(const struct view *v, const struct request *r, node_id n);
uint64_t view_slots(const struct view *v, const struct request *r, node_id n);
/* Free share of a GPU with a name. Of an instance: at least the gpu_milli of a request for it, or
 * 0. */
uint32_t view_gpu_milli(const struct view *v, node_id n, unsigned gpu);
/* A shared GPU has the share that r wants, and memory for it. */
bool     view_gpu_fits(const struct view *v, const struct request *r, node_id n, unsigned gpu);
/* Mask of the GPUs on the island of `gpu`. */
uint64_t view_islands(const struct view *v, node_id n, unsigned gpu);
/* Capacity; a MIG instance counts as a GPU */
struct amount view_node_size(const struct view *v, node_id n);
/* Nodes of one kind differ in what is free and in nothing else that a request can ask about. Kinds
 * are dense from 0. */
uint32_t view_kinds(const struct view *v);
uint32_t view_kind(const struct view *v, node_id n);
/* Of the node's GPU model, from the catalogue: training speed (V100: 1), and USD an hour. 0:
 * unknown, or no GPU. */
double   view_gpu_speed(const struct view *v, node_id n);
double   view_gpu_price(const struct view *v, node_id n);
/* Tasks that hold GPUs of n. alike: they want of GPUs what r wants (any share of one; or as many
 * whole ones, all numbers beyond eight being alike). Only for a placer that needs SEES_TENANTS; a
 * planned window knows no tenants of counted nodes. */
struct tenants { uint32_t alike, others; };
struct tenants view_tenants(const struct view *v, node_id n, const struct request *r);

/* suits: GPU model, labels, taints and owner of n agree with r. allows: and it is up. fits: and has
 * room for one task of r (SPLIT_ANY: for at least one GPU), on one island if r wants that. All O(1).
 * fits_empty: one task of r, if the node were empty and no other job drew power. */
bool view_suits(const struct view *v, const struct request *r, node_id n);
bool view_allows(const struct view *v, const struct request *r, node_id n);
bool view_fits(const struct view *v, const struct request *r, node_id n);
bool view_fits_empty(const struct view *v, const struct request *r, node_id n);
/* The same for the leader of r, workers that are a pod set: where r may be, and nodes without any
 * GPU that would suit r if it wanted none. */
bool view_allows_leader(const struct view *v, const struct request *r, node_id n);
/* a and b may use the same nodes. O(kinds). */
bool view_same_nodes(const struct view *v, const struct request *a, const struct request *b);
/* A power cap keeps r from all nodes that it may use, even the most efficient. Cheap, but not the
 * only way to lack power. */
bool view_lacks_power(const struct view *v, const struct request *r);
/* GPUs of r, SPLIT_ANY, that power caps leave on n; UINT32_MAX: no caps. */
uint32_t view_power_gpus(const struct view *v, const struct request *r, node_id n);
/* Node affinity of r for a node that it may use. preferred: sum of the weights of its preferred
 * terms that hold there; avoided: advisory taints (PreferNoSchedule) that it does not tolerate.
 * O(log kinds). */
struct node_affinity { int64_t preferred; uint32_t avoided; };
struct node_affinity view_affinity(const struct view *v, const struct request *r, node_id n);

/* What n keeps of what the job of r wants there: its data set, its container image; a sum of these. 0:
 * nothing, or r->job is ID_NONE. Sections `storage` and `preemption`, and services. */
enum { KEEPS_IMAGE = 1, KEEPS_DATA = 2, KEEPS_ALL = 3 };
unsigned view_keeps(const struct view *v, const struct request *r, node_id n);
/* Size of a container image, of all the same; 0: not known. Key `image_gib` of `storage`. */
int64_t view_image_mib(const struct view *v);

/* A walk over the nodes that allow r, lie in `within` (0: the whole view) and have at least
 * min_whole free whole GPUs, and CPUs and memory for one task (SPLIT_ANY: for one GPU). With
 * shared_only: nodes with a partly taken GPU that has at least r->gpu_milli left, the fullest share
 * first. O(log nodes) a step and GPU model. Do not change the view during a walk. */
/* By free whole GPUs, then lowest id; ANY_ORDER: from a drawn node on, each equally likely. */
enum node_order { BY_ID, FULLEST_FIRST, EMPTIEST_FIRST, ANY_ORDER };
struct node_walk {
    const struct view *v;
    const struct request *r;
    domain_id within;
    uint32_t min_whole;
    enum node_order order;
    bool shared_only;
    uint64_t at[4];               /* {0} before the first call */
};
bool node_walk_next(struct node_walk *w, node_id *n);    /* false: no more */

/* Domains: a tree with root 0; every domain is a range of node ids. Sums and histograms by free
 * GPUs are kept per domain, so these cost O(GPU models x GPUs of a node) at most. */
/* The domain of that level around n; where there is none, the next one out that there is. */
domain_id view_domain(const struct view *v, node_id n, enum level l);
enum level view_domain_level(const struct view *v, domain_id d);
/* The next level, which is tried where one has no room: from sets of GPUs on to nodes; from nodes
 * on the levels of the cluster, at least racks and pods, then LEVEL_CLUSTER. */
enum level view_level_outwards(const struct view *v, enum level l);
/* ID_NONE: d is the root. */
domain_id view_domain_parent(const struct view *v, domain_id d);
/* [first, end) */
void      view_domain_nodes(const struct view *v, domain_id d, node_id *first, node_id *end);
/* Whole ones on nodes that allow r. */
uint32_t  domain_free_gpus(const struct view *v, domain_id d, const struct request *r);
/* Tasks of r that fit, node by node (SPLIT_ANY: GPUs). By whole GPUs only: an upper bound where
 * CPUs or memory bind. */
uint32_t  domain_fits(const struct view *v, domain_id d, const struct request *r);
/* The placer's own stream; a rollback does not rewind it. */
uint64_t  view_random(const struct view *v);

/* The requests that jobs of the run typically make: distinct requests of one task by GPUs, share,
 * CPUs and allowed nodes (memory plays no part, and is 0 here), the most frequent first, until 95 %
 * of the jobs are covered. Under SPLIT_ANY the task is the total. Ties: more CPUs, then a larger
 * share, more GPUs, then the request seen first. Made once, of all jobs, at the start of the run,
 * for a placer that needs SEES_TYPICAL; for others the list is empty. After
 * hkust-adsl/kubernetes-scheduler-simulator:pkg/utils/frag.go, GetTypicalPods. */
struct typical {
    struct request ask;           /* one task; job ID_NONE */
    uint64_t jobs;                /* that ask for it */
    double share;                 /* of the jobs that the list covers: the shares add up to 1 */
};
size_t view_typical(const struct view *v, const struct typical **list);    /* its length */

/* ---- Scores: the best node by a number that the placer computes ---- */

/* The simulator keeps the scores of a shape and asks again only for nodes that have changed. So
 * score() may depend on the node (what is free on it, its size and kind), the request and its own
 * state alone; empty nodes of one kind score alike. A placer has one scoring: when another is asked
 * for, the scores of the first are forgotten. */
struct scoring {
    /* Makes the state with view_alloc(), once a view. NULL: the parameters are the state. */
    const void *(*begin)(const struct view *v, const void *params);
    /* Of a node that fits one task of r; higher is better; SCORE_NEVER: not there. NULL: only the
     * state is wanted. */
    int32_t (*score)(const struct view *v, const struct request *r, node_id n, const void *state);
    /* Ties end on a rank of the nodes that is drawn once, the same for all views of a run, not on
     * the lowest id: stream "node order" of the seed. NULL: never. */
    bool (*draws_ties)(const void *params);
};
#define SCORE_NEVER INT32_MIN
/* The node that fits one task of r (SPLIT_ANY: one GPU), lies in `within` (0: the whole view) and
 * scores highest; ties: lowest id, or rank. O(log nodes), by rank inside a domain O(nodes of it),
 * and a score for each node that changed since this shape was asked for last. false: none. */
bool view_best(const struct view *v, const struct request *r, domain_id within,
               const struct scoring *by, const void *params, node_id *n);
/* Its state. */
const void *view_scoring(const struct view *v, const struct scoring *by, const void *params);
/* Zeroed, freed with the view; for begin(). */
void *view_alloc(const struct view *v, size_t bytes);

/* ---- Builders: pieces so far, visible in the view, so that no GPU is used twice ----
 * In place() a piece that is all of the request is not: nothing follows that it could disturb. */

struct builder;
const struct view *builder_view(const struct builder *b);
bool   builder_add(struct builder *b, struct piece p);   /* false: not free there */
/* Which GPUs of a node a share gets. Packed: shared ones that fit, the fullest first, then whole
 * ones. Spread: whole ones, then shared ones, the emptiest first. Several shares of one task lie on
 * different GPUs. NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/{gpupack,gpuspread}. */
enum device_order { DEVICES_PACKED, DEVICES_SPREAD };
/* Sets the order of devices until builder_take(); packed by default. */
void builder_devices(struct builder *b, enum device_order o);
/* The simulator picks `gpus` GPUs of n for `task`: shares as above; of whole ones the lowest, of
 * one island if possible. gpus 0: CPUs and memory only. false: they are not free. */
bool builder_add_some(struct builder *b, const struct request *r, uint32_t task, node_id n,
                      uint32_t gpus);
/* The same, of these GPUs of n only. */
bool builder_add_among(struct builder *b, const struct request *r, uint32_t task, node_id n,
                       uint32_t gpus, uint64_t among);
/* Progress rate of a job there: seconds of its trace a second, with the share of oversubscribed
 * uplinks that it has when all nodes send; 1 without section `progress`. Of a placement of r or of
 * a part of it; or of the pieces of b so far. r->job ID_NONE: of an unknown job. O(pieces). */
double view_rate(const struct view *v, const struct request *r, const struct placement *p);
double builder_rate(const struct builder *b);
size_t builder_mark(const struct builder *b);            /* number of pieces */
void   builder_rollback(struct builder *b, size_t mark); /* back to that many */

/* ---- Parameters of a policy or placer: `name:key=value,...` on the command line ---- */

struct param {                    /* a list ends with a NULL name */
    const char *name, *summary, *unit;
    /* of a choice: the index of the default option; min and max do not count */
    double min, max, default_value;
    /* a choice, stored as its index; ends with NULL. NULL: a number */
    const char *const *options;
    size_t at;                    /* offset of a double in the parameter struct */
};

/* ---- Placers ---- */

#define PLACEMENT_ABI 13u
enum place_result {               /* why not, for the split of waiting times */
    PLACED,
    NO_ROOM,                      /* too few free GPUs in all */
    NO_ROOM_FRAGMENTED,           /* enough, but not so that they fit */
    NO_TOPOLOGY,                  /* no domain of the required level has room */
    NO_TYPE,                      /* no such GPUs */
    NO_POWER,                     /* only a power cap is in the way: set by the simulator */
    NO_LIMIT,                     /* the limit of the queue is in the way: set by the simulator */
    NO_RESERVED                   /* only a reservation is in the way: set by the simulator */
};
enum {                            /* placer.needs */
    SEES_TENANTS = 1,             /* view_tenants() */
    SEES_TYPICAL = 2,             /* view_typical(), which knows of jobs still to come */
    /* a request that wants one domain gets that with the fewest free GPUs, not the first */
    TIGHTEST_DOMAINS = 4,
    /* required_level and preferred_level are the placer's: it is asked once, in the whole view.
     * Islands and NUMA nodes inside a node and domains of groups of tasks are chosen for it all the same */
    CHOOSES_DOMAINS = 8,
    /* place() gets chains of runs that all are pod sets: runs after the first have no job of their
     * own. Not where a set asks for islands or NUMA nodes, or some of the job is placed already */
    PLACES_SETS = 16,
    /* view_random() or ANY_ORDER: how often it is asked changes what it answers later */
    DRAWS_NODES = 32
};
struct node_offer { node_id node; uint32_t gpus; };                /* a node, and how many whole GPUs it has free */
struct placer {
    unsigned abi;                 /* PLACEMENT_ABI */
    const char *name, *summary;
    unsigned needs;
    const struct param *params;   /* NULL: none */
    size_t params_size;
    /* Adds pieces for all of r, a single run but for PLACES_SETS, to b, or says why not: the simulator then takes back
     * what was added. The answer depends on view, request, parameters and view_random() alone. */
    enum place_result (*place)(struct builder *b, const struct request *r, const void *params);
    /* NULL: it is asked in a view. What place() would choose if these n offers, each on another node, in any order, were all that is
     * free for r: a total of whole GPUs, or a task of one, that nothing binds. Puts those that it takes before the others, in the order
     * of its pieces: all of each but of the last, of which it takes what is left. Returns how many it takes; 0: there are too few. */
    size_t (*choose)(const struct request *r, struct node_offer *offer, size_t n, const void *params);
};
