/* pools.h - nodes of pools that an autoscaler adds and removes, and spot nodes that are reclaimed. Key `pool` of a node group.
 *
 * A node that is not there is out of service like one that has failed (sim/engine/nodes.h), in all views and accounts. At the
 * start the nodes on which jobs run then are there, and the first ones up to min. A node that the autoscaler asks for is there
 * after provision_s. It is removed when it has held nothing for idle_s, its pool is above its min, no node is coming, and none
 * has come for idle_s: jobs that wait for several nodes meet all of them; and never before a pass has met it, however short
 * idle_s is. A pass meets the nodes that came before it,
 * unless it puts that off to later ones (sched_defer). Spot: after a time drawn from the node's own stream, the same under every policy, comes the notice: no job starts
 * there any more, jobs there are preempted if that takes no longer than the notice, else they fall back to their last
 * checkpoint; at the end of the notice the node is gone, and asked for again if the pool is below its min. A job that is still
 * leaving it then (it was stopped before and saves, or its failure was not found) leaves with it: what it saves is lost. So
 * does a task that a gang gave up, and the gang keeps what it saves.
 *
 * The autoscaler, after kubernetes/autoscaler:cluster-autoscaler, scale-up. At a multiple of scan_s after a change, and after
 * the pass that was still due then, while jobs wait: the jobs that wait for free GPUs, and after them those that wait behind
 * others, are placed one after the other in the order of arrival, by the run's own placer, into what is free now and what is
 * coming. For a job that does not fit, nodes of a pool that it may use are added until it does, at most as many as can help
 * it; the first pool that helps is asked, the cheapest GPU first; if none does alone, all of them in that order. Then the
 * placements are given back: only the nodes stay asked for. Where none is asked for so, none is coming and passes have met all
 * nodes, the policy sees it otherwise than the placer in the order of arrival: a gang that keeps its place before smaller ones
 * finds no room beside them, one that wants a node for itself none where others would split it. Then each job is placed alone,
 * as if the others did not wait; and if that asks for none, either, for the first of those that wait for free GPUs all nodes
 * are asked for that may help it.
 * At most SCANNED jobs are tried. No more are asked for when passes have met three times as many nodes that came as all pools
 * have, in service, and meanwhile no job has arrived, started, stopped or ended, no promised start has fallen due, and no node
 * was reclaimed, gone after it, failed or came back for other reasons; nor when a thousand times as many were asked for and
 * nothing has changed for any job. */
#pragma once
#include "sim/cluster/pools.h"
#include "sim/engine/models.h"
#include "sim/engine/state.h"

enum pool_state { POOL_ABSENT, POOL_COMING, POOL_THERE, POOL_LEAVING };    /* leaving: reclaimed, in its notice */
struct pool_node {
    uint8_t state;
    bool due;                     /* an event will ask whether it is needed */
    bool unseen;                  /* it has come, and no pass has met it */
    int64_t met_ns;               /* the pass that meets it, if the first since it came put that off; 0: it did not */
    bool kept;                    /* it would have been removed meanwhile */
    bool hopeless;                /* asked for after too many useless nodes: no wait counts on it */
    uint32_t pieces;              /* that jobs hold of it */
    int64_t idle_since_ns, since_ns, there_ns;    /* since_ns: there since; there_ns: in all until then */
    struct random draws;          /* "spot reclaims" of the node */
    event_id reclaim;             /* 0: none is to come */
};
struct pools {
    struct pool_node *node;       /* [n_nodes]; of groups that are no pool: unused */
    uint32_t *there;              /* [n_groups] nodes there, and coming */
    uint32_t *paid;               /* [n_groups] nodes there */
    node_id *first;               /* [n_groups + 1] */
    uint32_t *by_price;           /* [n_pools] groups, the cheapest GPU first */
    uint32_t n_pools;
    int64_t scan_ns;
    bool scan_due;
    bool scan_again;              /* a pass was due at the last: what the policy will do was not known */
    uint32_t coming;              /* nodes */
    int64_t last_ready_ns;        /* when the last of them came */
    bool any_unseen;
    uint64_t held_changes;        /* jobs that took or gave back GPUs */
    uint64_t own_changes;         /* nodes that the autoscaler brought and removed */
    uint64_t gone;                /* spot nodes whose notice was over: they can be asked for again */
    uint64_t turn, others_changes;    /* at the last look: turn_of(); changes of nodes for other reasons */
    int64_t due_ns;               /* at the last look: when the first promise falls due; TIME_NEVER: none */
    uint64_t useless;             /* nodes that came since, and a pass has met in service */
    uint64_t asked;               /* nodes asked for since turn_of() was another, whatever became of them */
    uint64_t nodes;               /* of all pools */
    uint64_t added, removed, reclaimed, stopped;    /* stopped: jobs, by reclaims */
};

extern const struct run_model pools_model;
static inline struct pools *pools_of(const struct sched *s)    /* NULL: no group is a pool */
{
    return model_state(s, &pools_model);
}
static inline const struct pool *pool_of(const struct sched *s, node_id n)    /* NULL: its group is no pool */
{
    const struct pool *p = s->cluster->pool ? &s->cluster->pool[s->cluster->group_of[n]] : NULL;
    return p && p->is ? p : NULL;
}
void pool_provision(struct sched *s, node_id n);            /* it is asked for */
void pools_scan(struct sched *s);                            /* the autoscaler looks */
int64_t pool_there_ns(const struct sched *s, node_id n);     /* time that it was there, until now */
