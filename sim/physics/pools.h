/* pools.h - nodes of pools that come, go and are reclaimed: see pools.c; who asks for them: autoscaler.c. */
#pragma once
#include "sim/engine/state.h"
#include "sim/results/summary.h"
#include "sim/cluster/pools.h"

enum pool_state { POOL_ABSENT, POOL_COMING, POOL_THERE, POOL_LEAVING };    /* the last: reclaimed, in its notice */
struct pool_node {
    uint8_t state;
    bool due;                     /* an event will ask whether it is needed */
    bool hopeless;                /* it comes, and so many have come in vain that nobody counts on it */
    uint32_t pieces;              /* that hold some of it */
    int64_t idle_since_ns, since_ns, there_ns;    /* there since; in all until then */
    struct random draws;          /* "spot reclaims" of the node */
    event_id reclaim;             /* 0: none is to come */
};
struct pools {
    struct pool_node *node;       /* [n_nodes]; of groups that are no pool: unused */
    uint32_t *there;              /* [n_groups] there, and coming */
    node_id *first;               /* [n_groups + 1] */
    uint32_t *by_price;           /* [n_pools] groups, the cheapest GPU first */
    uint32_t n_pools;
    int64_t scan_ns;
    bool scan_due;
    uint32_t coming;              /* nodes */
    int64_t last_ready_ns;        /* when the last of them came */
    uint64_t mark, in_vain;       /* nodes asked for since a job has last come, started or gone */
    uint64_t nodes;               /* of all pools */
    uint64_t added, removed, reclaimed, stopped;    /* the last: jobs, by reclaims */
};
static inline const struct pool *pool_of(const struct sched *s, node_id n)    /* NULL: of none */
{
    const struct pool *p = s->cluster->pool ? &s->cluster->pool[s->cluster->group_of[n]] : NULL;
    return p && p->is ? p : NULL;
}
static inline bool pool_is_there(const struct sched *s, node_id n)      /* or of no pool */
{
    return !s->pools || !pool_of(s, n) || s->pools->node[n].state >= POOL_THERE;
}
void pool_provision(struct sched *s, node_id n);             /* which is absent */
bool pools_in_vain(const struct sched *s);                   /* too many have come, and no job has come, started or gone */
int64_t pool_there_ns(const struct sched *s, node_id n);     /* until now */

/* pools_results.c */
struct output;
struct summary_builder;
extern const char *const pools_node_columns[];
extern const struct metric_kind pools_metrics[];
void pools_node_row(struct output *o, const struct sched *s, node_id n);
void pools_summarise(struct summary_builder *k);

/* autoscaler.c */
void autoscaler_after(struct sched *s, bool changed);        /* a round is over: does anybody wait? */
void autoscaler_scan(struct sched *s);
