/* free_index.h - what is free, indexed so that no query scans all nodes.
 *
 * A `struct view` of the contract is one of these. It holds, per kind of node and number of free
 * whole GPUs, the set of nodes, and per domain and kind the sum of free whole GPUs. A change costs
 * O(GPUs of the piece + depth of the domains).
 *
 * One instance holds what is idle, another what is idle or releasing, others windows of the future;
 * they differ only in the takes and gives that reach them. In the idle index a claim on GPUs that
 * are still being released is taken in addition to their holders: such a GPU is used more than once
 * and shows nothing free; free_index_settled() tells when the claim can start. "Confined" means
 * that queries see only one domain, or only the GPUs of one island inside a node. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/contract/util/bitset.h"
#include "sim/base/random.h"
#include "sim/cluster/cluster.h"
#include "sim/workload/typical.h"

/* The kinds of nodes that a shape may use, ascending, and their affinity scores. */
struct shape_kinds {
    uint32_t n;
    const uint16_t *kind;
    const struct node_affinity *affinity;
    /* [n_bare] those without GPUs that it might use if it wanted none; only of workers with a leader */
    uint32_t n_bare;
    const uint16_t *bare;
};

struct node_state {
    uint64_t whole_mask, shared_mask;
    uint64_t partial_mask;           /* GPUs with a taken part in view.used; others are free (in
                                        whole_mask) or wholly taken */
    int64_t cpu_milli, mem_mib;   /* negative: claimed beyond what is idle */
    int32_t whole;  /* free whole GPUs; negative on a counted node: claimed beyond what is idle */
    uint16_t share_class;         /* 0: no shared GPU has a free part; k: the max free part is
                                     (k-1)*100 milli or more */
    bool several;                 /* it is of several kinds: MIG instances of several profiles */
    bool out;                     /* out of service: nothing fits, not even a request for nothing */
};
#define SHARE_CLASSES 11u
#define TENANT_CLASSES 10u        /* a share; one to eight whole GPUs; more */
static inline unsigned tenant_class(uint32_t gpus, uint32_t milli)
{
    return milli < MILLI_ALL ? 0 : gpus < TENANT_CLASSES ? gpus : TENANT_CLASSES - 1;
}

struct kind_index {
    struct bitset_shape nodes;    /* over local node numbers */
    struct bitset_shape buckets;  /* over numbers of free GPUs */
    uint64_t *by_whole;           /* [gpus + 1] sets of nodes by free GPUs; NULL, with the next two,
                                     for a kind of one node, where `whole` is enough */
    uint64_t *some;               /* numbers of free GPUs that some node has */
    uint64_t *by_share;           /* [SHARE_CLASSES] sets; only kinds with named GPUs */
    uint32_t *count;              /* [gpus + 1] nodes */
    uint32_t gpus;
    int64_t whole;                /* free whole GPUs of the kind */
};

/* The least number of free GPUs >= whole that some node has, and the max one <= whole; BITSET_END:
 * none. */
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
/* Tasks of so many GPUs, at least 1, that fit on whole GPUs of nodes of the kind. nodes: [gpus + 1] how many of
 * a domain have so many; NULL: all of the kind. */
static inline uint64_t kind_bucket_fits(const struct kind_index *k, const uint32_t *nodes,
                                        uint32_t per_task)
{
    uint64_t fits = 0;
    if (k->by_whole && k->gpus < 64) {       /* one word of buckets */
        const uint32_t *of = nodes ? nodes : k->count;
        for (uint64_t m = per_task < 64 ? k->some[0] >> per_task << per_task : 0; m; m &= m - 1) {
            uint32_t f = (uint32_t)__builtin_ctzll(m);
            fits += (uint64_t)of[f] * (f < 2 * per_task ? 1 : f / per_task);
        }
        return fits;
    }
    for (uint32_t f = kind_bucket_next(k, per_task); f != BITSET_END;
         f = kind_bucket_next(k, f + 1))
        fits += (uint64_t)(nodes ? nodes[f] : kind_bucket_count(k, f)) * (f / per_task);
    return fits;
}

struct scores;
struct headroom;

struct view {
    const struct cluster *cluster;
    uint64_t version;             /* of what is free; a caller that gives back all that it took may
                                     put it back */
    /* by shape_id; behind them the same of each flavor; of the run */
    const struct shape_kinds *shape;
    uint32_t n_shapes;
    struct random *random;
    uint64_t seed;                /* of the run */
    struct kind_index *kind;
    struct node_state *node;
    uint32_t *used;               /* [named GPUs] milli taken of each GPU of a partial_mask, else 0;
                                     holds of a window add up */
    uint32_t *domain_whole;       /* [n_domains * n_kinds]; NULL with one domain only */
    uint32_t *domain_hist;        /* per domain and kind with named GPUs: nodes by free GPUs */
    uint64_t *hist_at;            /* [n_kinds] offset of a kind within a domain's histograms;
                                     UINT64_MAX: none */
    uint64_t hist_stride;
    node_id first, end;  /* nodes that queries see: all, or a domain that the view is confined to */
    uint64_t only;                /* GPUs that queries see: all bits, or an island inside a node */
    uint32_t *mem_mib;            /* [named GPUs] memory taken of each; NULL: not modelled */
    const uint32_t *mem_most_mib; /* [types] max that can be taken; 0: unknown, never binds */
    uint32_t *tenants;  /* [n_nodes * TENANT_CLASSES] pieces that hold GPUs; NULL: not counted */
    const struct typical_list *typical;    /* of the run; NULL: none */
    struct placement_rates *rates;    /* of the run, as predicted; NULL: placements do not change
                                         rates */
    const struct job_facts *facts;    /* of the run */
    /* view_keeps(), of `run`; NULL: nodes keep nothing */
    unsigned (*keeps)(const struct sched *run, job_id j, node_id n);
    const struct sched *run;
    struct scores *scores;        /* scores.h; NULL until a placer asks for the best node */
    struct arena *prepared;       /* for view_alloc(); NULL until then */
    struct headroom *headroom;    /* power headroom; NULL: no caps */
    uint64_t *changed;            /* set of nodes, see free_index_take_changed(); NULL: not followed */
    bool follows_more;            /* of mem_mib, tenants, scores, headroom and changed some is there */
};
/* Of a shape in a flavor: what tells them apart. */
static inline shape_id view_shape(const struct view *v, const struct request *r)
{
    return r->shape + v->n_shapes * r->flavor;
}
static inline const struct shape_kinds *view_kinds_of(const struct view *v, const struct request *r)
{
    return &v->shape[view_shape(v, r)];
}
/* view_fits() without the power caps */
bool view_has_room(const struct view *v, const struct request *r, node_id n);
/* taken of a named GPU */
static inline uint32_t view_used_milli(const struct view *v, node_id n, unsigned gpu)
{
    const struct node_state *s = &v->node[n];
    if (s->partial_mask >> gpu & 1)
        return v->used[v->cluster->gpu_base[n] + gpu];
    return s->whole_mask >> gpu & 1 ? 0 : MILLI_ALL;
}
static inline uint32_t free_index_node_whole(const struct view *v, node_id n)
{
    const struct node_state *s = &v->node[n];
    uint64_t whole = s->whole_mask & v->only;
    return whole != s->whole_mask ? (uint32_t)__builtin_popcountll(whole)
           : s->whole > 0         ? (uint32_t)s->whole
                                  : 0;
}
/* view_node() for code that asks for little of it */
static inline struct node_free free_index_node(const struct view *v, node_id n)
{
    const struct node_state *s = &v->node[n];
    return (struct node_free){
        .whole_mask = s->whole_mask & v->only,
        .shared_mask = s->shared_mask & v->only,
        .whole = free_index_node_whole(v, n),
        .capacity = cluster_node_type(v->cluster, n)->gpus,
        .cpu_milli = s->cpu_milli,
        .mem_mib = s->mem_mib,
    };
}
/* view_allows() if the shapes may use these kinds, as in view.shape */
bool free_index_allows(const struct view *v, const struct shape_kinds *shapes,
                       const struct request *r, node_id n);
struct node_range { node_id first, end; };
/* the nodes of both the view's range and the domain */
struct node_range free_index_range(const struct view *v, domain_id within);

/* Everything free. The random stream is borrowed. */
struct view *free_index_new(const struct cluster *c, const struct shape_kinds *shapes,
                            struct random *r);
void free_index_count_tenants(struct view *v);  /* from now on; call it while all is free */
void free_index_cap_power(struct view *v);  /* the same; no effect without power caps */
/* The same for GPU memory; most_mib as in struct view, borrowed. */
void free_index_count_memory(struct view *v, const uint32_t *most_mib);
/* A GPU of n has mem_mib left to take. */
static inline bool free_index_has_memory(const struct view *v, node_id n, unsigned gpu,
                                         uint32_t mem_mib)
{
    if (!v->mem_most_mib || !mem_mib)
        return true;
    const struct cluster *c = v->cluster;
    uint32_t most = v->mem_most_mib[c->kind[c->kind_of[n]].type];
    return !most || v->mem_mib[c->gpu_base[n] + gpu] + mem_mib <= most;
}
void free_index_free(struct view *v);                        /* NULL: does nothing */
/* From now on shapes may use these kinds, as in struct view; borrowed. */
void free_index_set_shapes(struct view *v, const struct shape_kinds *shapes);

bool free_index_has(const struct view *v, const struct piece *p, int64_t cpu_milli,
                    int64_t mem_mib);
void free_index_take(struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib);
void free_index_give(struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib);
/* Sets the free GPUs of a counted node: for windows, which do not sum up counted nodes. */
void free_index_set_counted(struct view *v, node_id n, int32_t whole);
/* Takes GPUs of n, not a counted node, out of service in addition to their holders, or back into
 * service (sign -1); or a whole node with its CPUs, memory and, if it is counted, `counted` GPUs.
 * Tenants are not counted. */
void free_index_out_gpus(struct view *v, node_id n, uint64_t gpus, int sign);
void free_index_out_node(struct view *v, node_id n, uint32_t counted, int sign);
/* Whether a piece that has been taken is shared with no other holder any more. */
bool free_index_settled(const struct view *v, const struct piece *p);
/* Adds to a set (bit n % 64 of word n / 64) the nodes of which anything that is free may have changed since the last call,
 * or that went out of service or came back; the first time all nodes, which are followed from then on. */
void free_index_take_changed(struct view *v, uint64_t *nodes);
void free_index_forget_changed(struct view *v);              /* the next call is the first again */
/* (0, UINT64_MAX): the whole cluster */
void free_index_confine(struct view *v, domain_id d, uint64_t only);
/* free whole GPUs on all nodes of its kinds */
static inline int64_t free_index_whole(const struct view *v, const struct request *r)
{
    const struct shape_kinds *allowed = view_kinds_of(v, r);
    int64_t sum = 0;
    for (uint32_t i = 0; i < allowed->n; i++)
        sum += v->kind[allowed->kind[i]].whole;
    return sum;
}
/* the same on all nodes, of any GPUs. O(kinds + nodes with instances of several profiles) */
int64_t free_index_all_whole(const struct view *v);
/* Recomputes every set and sum from the state of the nodes; false if any differs. For tests and
 * checked runs. */
bool free_index_consistent(const struct view *v);
