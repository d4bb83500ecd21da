/* kueue_nodes.h - the nodes of a case of Kueue's as a topology: a tree of domains, what is free in
 * each, and what of it a pod set has room for.
 *
 * A node counts if it is ready, schedulable, has the labels of the flavor and a value for every
 * level. If the lowest level is `host` a leaf is a node, and taints, selector and affinity count;
 * else nodes of the same values are one leaf, and only its capacity does. Resources are those that
 * some pod set asks for, by name; every pod asks for one of `pods`. Strings belong to the case. */
#pragma once
#include "policies/kueue/topology.h"

#include <jansson.h>

enum { TOPO_LEVELS = 8, TOPO_RESOURCES = 8 };

struct topo_leaf {
    const char *value[TOPO_LEVELS];
    int64_t free[TOPO_RESOURCES];
    const json_t *node;           /* if leaves are nodes */
};
struct topo {
    const char *level[TOPO_LEVELS], *resource[TOPO_RESOURCES];
    uint32_t levels, resources, n;
    bool of_hosts;
    struct topo_leaf *leaf;       /* [n] by values */
    struct tas_tree tree;
    struct tas_work work;
    void *memory[2];
};

/* What a pod set is given besides its own. */
struct topo_setting { const json_t *tolerations; bool balanced, preferred_affinity; };

/* Of levels, nodes and pods of others; pod_sets[] only say which resources count. labels: of the
 * flavor. false: more levels or resources than this holds. */
bool topo_begin(struct topo *t, const json_t *levels, const json_t *nodes, const json_t *labels,
                const json_t *other_pods, const json_t *pod_sets);
void topo_end(struct topo *t);

/* `pods` pods with these requests come to a domain (sign 1), or leave it (-1). */
void topo_use(struct topo *t, const json_t *domain, const json_t *requests, int64_t pods, int sign);
/* The leaf of a domain; ID_NONE: there is none. */
uint32_t topo_find(const struct topo *t, const json_t *domain);
/* The domain as the case names it. */
json_t *topo_name(const struct topo *t, uint32_t domain);

/* The question of a pod set with so many pods; layer[TOPO_LEVELS] becomes its slices. */
struct tas_ask topo_ask(const struct topo *t, const json_t *pod_set, struct tas_layer *layer,
                        struct topo_setting set);
/* Fills the rooms, within a domain or anywhere (ID_NONE); leader NULL: none. The leaves that are
 * excluded, by reason, as the case tells them; empty: none. */
json_t *topo_rooms(struct topo *t, const json_t *pod_set, const json_t *leader, uint32_t within,
                   struct topo_setting set);
