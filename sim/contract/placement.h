/* placement.h - what is free, what is asked for, and the answer: which GPUs of which nodes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t job_id, node_id, domain_id, queue_id;   /* dense from 0; ALL ties end on them */
typedef uint32_t shape_id;    /* jobs of one shape ask for the same and fit or fail together */
#define ID_NONE   UINT32_MAX
#define MILLI_ALL 1000u       /* a whole GPU */
#define SPLIT_ANY UINT32_MAX  /* the trace gave only a total: the placer chooses the split over nodes */

struct amount { int64_t gpu_milli, cpu_milli, mem_mib; };   /* additive */

/* Domains from near to far. An island may be smaller than a node (then it is a set of GPUs, see view_islands) or
 * span nodes (then it is a domain between node and rack). */
enum level { LEVEL_ISLAND, LEVEL_NODE, LEVEL_RACK, LEVEL_POD, LEVEL_CLUSTER, LEVEL_ANY };

/* What one decision wants placed. Facts of the shape, plus which part of the job is meant.
 * A job whose tasks differ is a chain of runs, each of tasks alike: over the whole job run after run owns the tasks
 * first_task .. first_task + tasks - 1. SPLIT_ANY has no further run. */
struct request {
    job_id job;                   /* ID_NONE in the copy that a shape's jobs share */
    shape_id shape;
    uint32_t tasks;               /* how many tasks alike; SPLIT_ANY: `gpus` in any split, one piece a node */
    const uint32_t *task;         /* which: task[0..tasks); NULL: first_task and on */
    uint32_t first_task;
    uint32_t group;               /* of these tasks: a leaf of job_facts.group; 0 where there is none */
    const struct request *next;   /* the next run, placed with this one or not at all; NULL: none. A single run of a job
                                     is asked for by a copy with next NULL */
    uint32_t gpus;                /* per task, or the total under SPLIT_ANY; 0: CPU only */
    uint32_t gpu_milli;           /* of each of these GPUs; below MILLI_ALL shares a GPU; MILLI_ALL x g of MIG instances */
    uint8_t required_level;       /* enum level, LEVEL_ANY: none. All pieces within one such domain */
    uint8_t preferred_level;      /* tried first, then one level out after the other */
    uint16_t mig;                 /* instances of this profile are wanted, each whole: its number; 0: GPUs */
    uint32_t gpu_mem_mib;         /* that it fills of each of its GPUs, with its context; 0: not modelled */
    uint32_t max_per_node;        /* tasks of the job on one node; 0: any number */
    bool one_island;              /* the GPUs of each task are of one NVLink island: a tensor-parallel group */
    int64_t cpu_milli, mem_mib;   /* per task, or per GPU under SPLIT_ANY */
    node_id try_first;            /* nominated, or where it was; ID_NONE: none */
};
const struct request *request_of_task(const struct request *ask, uint32_t task);    /* the run of the chain with that task */
uint32_t request_tasks(const struct request *ask);        /* of all runs; SPLIT_ANY stays */

struct piece {                    /* one task's hold on one node */
    node_id node;
    uint32_t task;                /* under SPLIT_ANY: the rank of the piece */
    uint64_t gpu_mask;            /* bit i: GPU i of the node; 0 on a counted node */
    uint32_t gpus;                /* how many: the bits of gpu_mask, or a plain count */
    uint32_t milli;               /* taken of each, as the request says; 0 for a CPU-only task */
    uint32_t gpu_mem_mib;         /* likewise; the host fills in this and the next */
    uint16_t mig;                 /* the bits are of instances of this profile; 0: of GPUs */
};
struct placement { size_t n; struct piece piece[]; };   /* pieces ascend by task; never changed once made */
const struct piece *placement_task(const struct placement *p, uint32_t task);    /* O(log n); NULL: not there, or p is NULL */

/* ---- A view: one indexed answer to "what is free". Live: it shows every staged change and every rollback. ---- */
struct view;
enum node_order { BY_ID, FULLEST_FIRST, EMPTIEST_FIRST, ANY_ORDER };   /* by free whole GPUs, equal: lowest id;
                                                                           ANY_ORDER: drawn, each first node equally likely */
struct node_free {
    uint64_t whole_mask;          /* entirely free GPUs; 0 on a counted node */
    uint64_t shared_mask;         /* partly taken GPUs with something left */
    uint32_t whole, capacity;     /* free and all GPUs. Counted nodes (over 64 GPUs, or by option) fill only these */
    int64_t cpu_milli, mem_mib;
};
struct node_free view_node(const struct view *v, node_id n);
/* MIG instances are GPUs with names, each its own island. Those of n that r may use, and what is free of them (all GPUs, unless
 * r wants a profile). */
uint64_t view_slots(const struct view *v, const struct request *r, node_id n);
struct node_free view_node_for(const struct view *v, const struct request *r, node_id n);
uint32_t view_gpu_milli(const struct view *v, node_id n, unsigned gpu);    /* free share of a named GPU; of an instance: the
                                                                              gpu_milli of who wants it, or more, or 0 */
bool     view_gpu_fits(const struct view *v, const struct request *r, node_id n, unsigned gpu);    /* of a shared GPU there is
                                                                              the share that r wants, and memory for it */
uint64_t view_islands(const struct view *v, node_id n, unsigned gpu);      /* mask of the GPUs on gpu's island */
struct amount view_node_size(const struct view *v, node_id n);             /* an instance is a GPU here */
/* Nodes of one kind differ in what is free and in nothing else that a request can ask about. Kinds are dense from 0. */
uint32_t view_kinds(const struct view *v);
uint32_t view_kind(const struct view *v, node_id n);
/* Of the node's GPU model, from the catalogue: training speed (a V100 is 1) and USD an hour. 0: not known, or no GPU. */
double   view_gpu_speed(const struct view *v, node_id n);
double   view_gpu_price(const struct view *v, node_id n);
/* Tasks that hold GPUs of n: those that want of GPUs what r wants (any share of one; or as many whole ones, beyond
 * eight all alike), and the others. Only for a placer that needs SEES_TENANTS; a planned window does not tell those of
 * counted nodes. */
struct tenants { uint32_t alike, others; };
struct tenants view_tenants(const struct view *v, node_id n, const struct request *r);

/* allows: everything but room (up, GPU model, labels, taints, whose nodes these are). fits: room too, for one task of r; under
 * SPLIT_ANY for at least one GPU. Both O(1). */
bool view_allows(const struct view *v, const struct request *r, node_id n);
bool view_fits(const struct view *v, const struct request *r, node_id n);
/* One task of r, if the node were empty, and nobody else drew power. */
bool view_fits_empty(const struct view *v, const struct request *r, node_id n);
/* A power cap keeps r out, even of the thriftiest nodes that it may use. Cheap, and not the only way to lack power. */
bool view_lacks_power(const struct view *v, const struct request *r);
uint32_t view_power_gpus(const struct view *v, const struct request *r, node_id n);    /* GPUs of r, SPLIT_ANY, that caps leave power for on n;
                                                                                          UINT32_MAX: there are none */
/* How r likes a node that it may use: the weights of its preferred affinity terms that hold there, and the advisory taints
 * (PreferNoSchedule) of the node that it does not tolerate. O(log kinds of nodes). */
struct node_affinity { int64_t preferred; uint32_t avoided; };
struct node_affinity view_affinity(const struct view *v, const struct request *r, node_id n);

/* Nodes that allow r, lie in `within` (0: wherever the view looks) and have at least min_whole free whole GPUs and the
 * CPU and memory of one task (SPLIT_ANY: of one GPU); O(log nodes) a step and GPU model. With shared_only: nodes that
 * have a partly taken GPU with at least r->gpu_milli left, fullest share first. Do not change the view during a walk. */
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

/* Domains: a tree whose root is 0; every domain is a range of node ids. Sums and histograms by free GPUs are kept per
 * domain, so these cost O(GPU models x GPUs of a node) at most. */
domain_id view_domain(const struct view *v, node_id n, enum level l);    /* the domain of that level around n */
domain_id view_domain_parent(const struct view *v, domain_id d);         /* ID_NONE for the root */
void      view_domain_nodes(const struct view *v, domain_id d, node_id *first, node_id *end);
uint32_t  domain_free_gpus(const struct view *v, domain_id d, const struct request *r);   /* whole, on nodes that allow r */
uint32_t  domain_fits(const struct view *v, domain_id d, const struct request *r);   /* tasks, node by node (SPLIT_ANY:
                                              GPUs); by whole GPUs only, so an upper bound where CPU or memory binds */
uint64_t  view_random(const struct view *v);             /* the placer's own stream; a rollback does not rewind it */

/* What the jobs of the run typically ask for: the distinct requests of one task by GPUs, share, CPU and allowed nodes (memory
 * plays no part, and is 0 here), most jobs first, until 95 % of the jobs are covered. Under SPLIT_ANY the task is the total.
 * Ties: more CPU first, then a larger share, more GPUs, then the request that was seen first. Made once, of all jobs, at the
 * start of the run, for a placer that needs SEES_TYPICAL; for others there are none.
 * After hkust-adsl/kubernetes-scheduler-simulator:pkg/utils/frag.go, GetTypicalPods. */
struct typical {
    struct request ask;           /* one task; job ID_NONE */
    uint64_t jobs;                /* that ask for it */
    double share;                 /* of the jobs that the list covers: the shares add up to one */
};
size_t view_typical(const struct view *v, const struct typical **list);

/* ---- Scores: the best node by a number that the placer gives ---- */
/* The host keeps the scores of a request's shape and asks again only for nodes that changed since. So score() may look at
 * nothing but the node (what is free on it, its size and kind), the request and its own state; nodes of a kind that are
 * empty score alike. A placer has one of these: when another is asked for, the scores of the first are forgotten. */
struct scoring {
    const void *(*begin)(const struct view *v, const void *params);   /* makes the state with view_alloc(), once a view;
                                                                         NULL: the parameters are the state */
    int32_t (*score)(const struct view *v, const struct request *r, node_id n, const void *state);   /* higher is better; of
                                       nodes that fit one task of r; SCORE_NEVER: not there. NULL: only the state is wanted */
};
#define SCORE_NEVER INT32_MIN
/* The node that fits one task of r (SPLIT_ANY: one GPU), lies in `within` (0: wherever the view looks) and scores highest;
 * equal: the lowest id. O(log nodes) and a score for each node changed since this shape was last asked for. false: none. */
bool  view_best(const struct view *v, const struct request *r, domain_id within, const struct scoring *by, const void *params,
                node_id *n);
const void *view_scoring(const struct view *v, const struct scoring *by, const void *params);   /* its state */
void *view_alloc(const struct view *v, size_t bytes);    /* zeroed, freed with the view; for begin() */

/* ---- A builder: pieces so far, visible in the view while being built, so a gang never uses one GPU twice. ---- */
struct builder;
const struct view *builder_view(const struct builder *b);
bool   builder_add(struct builder *b, struct piece p);   /* false: not free there */
/* Which GPUs of a node a share gets: shared ones that fit, the fullest first, then whole ones; or whole ones, then shared ones,
 * the emptiest first. Several shares of one task lie on different GPUs.
 * NVIDIA/KAI-Scheduler:pkg/scheduler/plugins/{gpupack,gpuspread}. */
enum device_order { DEVICES_PACKED, DEVICES_SPREAD };
void builder_devices(struct builder *b, enum device_order o);    /* until builder_take(); packed if nothing is said */
/* Lets the host pick `gpus` GPUs on n for `task`: shares as above, whole ones the lowest, of one island if it can. false: they
 * are not there. gpus 0: CPU and memory only. */
bool   builder_add_some(struct builder *b, const struct request *r, uint32_t task, node_id n, uint32_t gpus);
/* How fast a job would get on there: seconds of its trace a second, with the share of oversubscribed uplinks that it has when all
 * nodes send; 1 where the cluster does not say (section `progress`). Of a placement of r, or of part of it; and of the pieces of b so far. r->job ID_NONE: of a job of which
 * nothing is known. O(pieces). */
double view_rate(const struct view *v, const struct request *r, const struct placement *p);
double builder_rate(const struct builder *b);
size_t builder_mark(const struct builder *b);            /* number of pieces */
void   builder_rollback(struct builder *b, size_t mark); /* back to that many */
uint32_t request_task(const struct request *r, uint32_t k);   /* name of its k-th task */
static inline uint32_t request_share(const struct request *r)     /* of each GPU or instance: what it takes of all that it is */
{
    return r->gpu_milli < MILLI_ALL ? r->gpu_milli : MILLI_ALL;
}

/* ---- Parameters of a policy or placer: `name:key=value,...` on the command line ---- */
struct param {                    /* a list ends with a NULL name */
    const char *name, *summary, *unit;
    double min, max, default_value;
    const char *const *options;   /* a choice, stored as its index; ends with NULL. NULL: a number */
    size_t at;                    /* offset of a double in the parameter struct */
};

/* ---- A placer ---- */
#define PLACEMENT_ABI 4u
enum place_result { PLACED, NO_ROOM, NO_ROOM_FRAGMENTED, NO_TOPOLOGY, NO_TYPE, NO_POWER };   /* why not, for the wait split:
                                   too few free GPUs in all; enough, but not so that they fit; no domain; no such GPUs;
                                   all would be well but for a power cap: set by the host */
enum { SEES_TENANTS = 1, SEES_TYPICAL = 2,      /* view_tenants(); view_typical(), which knows of jobs still to come */
       TIGHTEST_DOMAINS = 4 };    /* where a request wants one domain: that with the fewest free GPUs that takes it, not the first */
struct placer {
    unsigned abi;                 /* PLACEMENT_ABI */
    const char *name, *summary;
    unsigned needs;               /* SEES_..., TIGHTEST_DOMAINS */
    const struct param *params;   /* NULL: none */
    size_t params_size;
    /* Adds pieces for all of r, a single run, to b, or says why not (what was added is then undone by the host). The
     * answer depends on view, request, parameters and view_random alone. */
    enum place_result (*place)(struct builder *b, const struct request *r, const void *params);
};
