/* free_index.h - the books of what is free, indexed so that nothing is ever scanned.
 *
 * A `struct view` of the contract is one of these. It holds, per kind of node and number of free whole GPUs, the set of
 * nodes; per domain and kind the sum of free whole GPUs. A change costs O(GPUs of the piece + depth of the domains).
 *
 * One instance answers "idle", another "idle or releasing", a later one a window of the future; they differ only in
 * which takes and gives reach them. In the idle index a claim on GPUs that others are still leaving is taken on top of them: a GPU is
 * then used more than once, shows nothing free, and `free_index_settled` says when the claim can start. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/contract/util/bitset.h"
#include "sim/base/random.h"
#include "sim/cluster/cluster.h"
#include "sim/workload/typical.h"

/* The kinds of nodes that a shape may use, ascending, and how it likes them. */
struct shape_kinds { uint32_t n; const uint16_t *kind; const struct node_affinity *affinity; };

struct node_state {
    uint64_t whole_mask, shared_mask;
    uint64_t told_mask;           /* GPUs of which view.used tells what is taken; of the others all or, in whole_mask, nothing */
    int64_t cpu_milli, mem_mib;   /* negative: claimed beyond what is idle */
    int32_t whole;                /* likewise on a counted node */
    uint16_t share_class;         /* 0: no shared GPU has room; k: the roomiest has (k-1)*100 milli or more */
    bool several;                 /* kinds: it has MIG instances of several profiles */
    bool out;                     /* of service: nothing fits, not even what wants nothing */
};
#define SHARE_CLASSES 11u
#define TENANT_CLASSES 10u        /* shares; one to eight whole GPUs; more */
static inline unsigned tenant_class(uint32_t gpus, uint32_t milli)
{
    return milli < MILLI_ALL ? 0 : gpus < TENANT_CLASSES ? gpus : TENANT_CLASSES - 1;
}

struct kind_index {
    struct bitset_shape nodes;    /* over local node numbers */
    struct bitset_shape buckets;  /* over numbers of free GPUs */
    uint64_t *by_whole;           /* [gpus + 1] sets of nodes; NULL, as are the next two, of a kind of one node, a pool: what
                                     is free of it says it all */
    uint64_t *some;               /* numbers of free GPUs that some node has */
    uint64_t *by_share;           /* [SHARE_CLASSES] sets; only kinds with named GPUs */
    uint32_t *count;              /* [gpus + 1] nodes */
    uint32_t gpus;
    int64_t whole;                /* free whole GPUs of the kind */
};

/* The least number of free GPUs >= whole that some node has, the greatest <= whole; BITSET_END: none. */
static inline uint32_t kind_bucket_next(const struct kind_index *k, uint32_t whole)
{
    if (k->by_whole)
        return bitset_next(&k->buckets, k->some, whole);
    return k->whole >= whole ? (uint32_t)k->whole : BITSET_END;
}
static inline uint32_t kind_bucket_previous(const struct kind_index *k, uint32_t whole)
{
    if (k->by_whole)
        return bitset_previous(&k->buckets, k->some, whole < k->gpus ? whole : k->gpus);
    return k->whole <= whole ? (uint32_t)k->whole : BITSET_END;
}
static inline uint32_t kind_bucket_count(const struct kind_index *k, uint32_t whole)    /* nodes */
{
    if (k->by_whole)
        return whole <= k->gpus ? k->count[whole] : 0;
    return k->whole == whole;
}

struct scores;
struct headroom;

struct view {
    const struct cluster *cluster;
    const struct shape_kinds *shape;    /* by shape_id; the run's */
    struct random *random;
    struct kind_index *kind;
    struct node_state *node;
    uint32_t *used;               /* [named GPUs] milli taken of each, where told_mask says so, else 0; many holds of a window add up */
    uint32_t *domain_whole;       /* [n_domains * n_kinds]; NULL with one domain only */
    uint32_t *domain_hist;        /* per domain and kind with named GPUs: nodes by free GPUs */
    uint64_t *hist_at;            /* [n_kinds] offset of a kind within a domain's histograms; UINT64_MAX: none */
    uint64_t hist_stride;
    node_id first, end;           /* where it looks now: the host confines it to a domain and back */
    uint64_t only;                /* likewise, to GPUs of an island inside a node; otherwise all bits */
    uint32_t *mem_mib;            /* [named GPUs] memory taken of each; NULL: not modelled */
    const uint32_t *mem_most_mib; /* [types] what can be taken; 0: not known, never binds */
    uint32_t *tenants;            /* [n_nodes * TENANT_CLASSES] pieces that hold GPUs; NULL: nobody asks */
    const struct typical_list *typical;    /* the run's; NULL: none */
    struct placement_rates *rates;    /* the run's, as predicted; NULL: placements make nobody fast or slow */
    const struct job_facts *facts;    /* likewise */
    struct scores *scores;        /* scores.h; NULL until a placer asks for the best node */
    struct arena *prepared;       /* likewise, for view_alloc() */
    struct headroom *headroom;    /* what power caps leave of it; NULL: there are none */
};
bool view_has_room(const struct view *v, const struct request *r, node_id n);    /* view_fits(), whatever power that takes */
static inline uint32_t view_used_milli(const struct view *v, node_id n, unsigned gpu)    /* taken of a named GPU */
{
    const struct node_state *s = &v->node[n];
    if (s->told_mask >> gpu & 1)
        return v->used[v->cluster->gpu_base[n] + gpu];
    return s->whole_mask >> gpu & 1 ? 0 : MILLI_ALL;
}
struct node_range { node_id first, end; };
struct node_range free_index_range(const struct view *v, domain_id within);    /* where both look */

/* Everything free. The random stream is borrowed. */
struct view *free_index_new(const struct cluster *c, const struct shape_kinds *shapes, struct random *r);
void free_index_count_tenants(struct view *v);               /* from now on; while all is free */
void free_index_cap_power(struct view *v);                   /* likewise, if the cluster has a power cap */
/* Likewise. most_mib as above, borrowed. */
void free_index_count_memory(struct view *v, const uint32_t *most_mib);
/* A GPU of n has mem_mib left to take. */
static inline bool free_index_has_memory(const struct view *v, node_id n, unsigned gpu, uint32_t mem_mib)
{
    if (!v->mem_most_mib || !mem_mib)
        return true;
    const struct cluster *c = v->cluster;
    uint32_t most = v->mem_most_mib[c->kind[c->kind_of[n]].type];
    return !most || v->mem_mib[c->gpu_base[n] + gpu] + mem_mib <= most;
}
void free_index_free(struct view *v);                        /* NULL: does nothing */

bool free_index_has(const struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib);
void free_index_take(struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib);
void free_index_give(struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib);
/* A counted node has that many free GPUs: for windows, whose counted nodes are not summed up. */
void free_index_set_counted(struct view *v, node_id n, int32_t whole);
/* Those GPUs of n (a counted node has no such) go out of service, on top of who holds them, or come back (sign -1); a whole node with
 * its CPUs, memory and, where it is counted, `counted` GPUs. Not tenants. */
void free_index_out_gpus(struct view *v, node_id n, uint64_t gpus, int sign);
void free_index_out_node(struct view *v, node_id n, uint32_t counted, int sign);
/* Of a piece that has been taken: nobody else holds any part of it any more. */
bool free_index_settled(const struct view *v, const struct piece *p);
void free_index_confine(struct view *v, domain_id d, uint64_t only);    /* (0, UINT64_MAX): the whole cluster */
static inline int64_t free_index_whole(const struct view *v, shape_id s)    /* free whole GPUs on all nodes of its kinds */
{
    const struct shape_kinds *allowed = &v->shape[s];
    int64_t sum = 0;
    for (uint32_t i = 0; i < allowed->n; i++)
        sum += v->kind[allowed->kind[i]].whole;
    return sum;
}
/* Recomputes every set and sum from the nodes' own state; false if any differs. For tests and checked runs. */
bool free_index_consistent(const struct view *v);
