/* pools.c - see pools.h. */
#include "sim/base/memory.h"
#include "sim/cluster/pools.h"
#include "sim/models/failures.h"


struct file_pool {
    struct pool pool;
    struct config_value spot;
};
/* clang-format off */
#define POOL(field) offsetof(struct file_pool, pool.field)
static const struct config_key pool_keys[] = {
    { .name = "min",            .type = CONFIG_COUNT, .at = POOL(min), .most = CLUSTER_NODES_MAX },
    { .name = "provision_s",    CONFIG_SECONDS, .at = POOL(provision_ns) },
    { .name = "idle_s",         CONFIG_SECONDS, .at = POOL(idle_ns) },
    { .name = "scan_s",         CONFIG_SECONDS, .at = POOL(scan_ns), .above_least = true },
    { .name = "usd_per_node_h", .type = CONFIG_REAL, .at = POOL(usd_per_node_h), .most = 1000000 },
    { .name = "spot",           .type = CONFIG_MAPPING, .at = offsetof(struct file_pool, spot) },
    { 0 },
};
static const struct config_key spot_keys[] = {
    { .name = "reclaims_per_node_day", .type = CONFIG_REAL, .at = POOL(reclaims_per_day), .most = 1000000, .above_least = true, .required = true },
    { .name = "notice_s",              CONFIG_SECONDS, .at = POOL(notice_ns) },
    { 0 },
};
/* clang-format on */

static int read_pool(struct config_value v, uint32_t nodes, struct pool *to, struct error *err)
{
    struct file_pool f = { .pool = { .is = true,
                                     .provision_ns = 180 * NS_PER_S,
                                     .idle_ns = 600 * NS_PER_S,
                                     .scan_ns = 10 * NS_PER_S,
                                     .notice_ns = 120 * NS_PER_S } };
    if (config_fields(v, pool_keys, &f, err) ||
        (config_given(f.spot) && config_fields(f.spot, spot_keys, &f, err)))
        return -1;
    if (f.pool.min > nodes)
        return config_error(v, err, "want a min of at most the %u nodes of the group, got %u",
                            nodes, f.pool.min);
    *to = f.pool;
    return 0;
}

int pools_read(const struct config_value *entries, struct cluster *c, struct error *err)
{
    struct pool *pool = arena_alloc(c->memory, c->n_groups * sizeof *pool);
    for (uint32_t g = 0, n = 0; g < c->n_groups; g++) {
        struct config_value v = config_look(entries[g], "pool");
        node_id first = n;
        while (n < c->n_nodes && c->group_of[n] == g)
            n++;
        if (!config_given(v))
            continue;
        if (read_pool(v, n - first, &pool[g], err))
            return -1;
        if (c->failures && c->failures->spares && c->failures->spares[g])
            return config_error(v, err, "a group with 'spares' grows and shrinks by nothing else");
        c->pool = pool;
    }
    return 0;
}
