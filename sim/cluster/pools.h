/* pools.h - groups of nodes that a cluster autoscaler grows and shrinks: key `pool` of a group.
 *
 *   nodes:
 *     - { group: own, type: dgx-a100, count: 4 }
 *     - { group: burst, type: dgx-a100, count: 16,
 *         pool: { min: 0, provision_s: 180, usd_per_node_h: 21.9 } }
 *     - { group: spot, type: dgx-a100, count: 32,
 *         pool: { usd_per_node_h: 8, spot: { reclaims_per_node_day: 2 } } }
 *
 * `count` is the max size. Nodes beyond the present size do not exist; their GPU time counts as
 * down. */
#pragma once
#include "sim/io/config.h"
#include "sim/cluster/cluster.h"

struct pool {                     /* the default in brackets */
    bool is;                      /* the group is a pool */
    uint32_t min;                 /* min size, also at the start [0] */
    int64_t provision_ns;         /* from the decision until a node is ready [180 s, A] */
    int64_t idle_ns;              /* a node that has been idle for so long is removed [600 s:
                                     kubernetes/autoscaler:cluster-autoscaler,
                                     --scale-down-unneeded-time and --scale-down-delay-after-add] */
    int64_t scan_ns;              /* the autoscaler scans waiting jobs at multiples of this; of
                                     several pools the min [10 s: cluster-autoscaler,
                                     --scan-interval] */
    double usd_per_node_h;        /* while the node exists [0] */
    double reclaims_per_day;      /* of a spot node, exponential [0: not spot] */
    int64_t notice_ns;            /* from the notice until the node is reclaimed [120 s, as AWS EC2
                                     spot instances] */
};
/* Sets c->pool from the entries of `nodes`; NULL if none has the key. 0, or -1 with err. */
int pools_read(const struct config_value *entries, struct cluster *c, struct error *err);
