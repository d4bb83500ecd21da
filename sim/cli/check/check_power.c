/* check_power.c - what `gpuyard check` says of power and of node pools, where a cluster has them. */
#include "sim/cli/check/check.h"
#include "sim/capacity/headroom.h"
#include "sim/cluster/pools.h"
#include "sim/models/power.h"

#include <stdio.h>

static double watts(int128_t nw)
{
    return (double)nw / (double)NW_PER_W;
}

static json_t *cap(int64_t nw)
{
    return nw == INT64_MAX ? json_null() : json_real(watts(nw));
}

static double full_w(const struct cluster *c)
{
    int128_t nw = cluster_idle_nw(c, 0, c->n_nodes);
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct node_power *p = &c->power->of_group[c->group_of[n]];
        bool cpus = cluster_node_type(c, n)->cpu_milli != INT64_MAX;
        nw += (int128_t)(p->most_nw - p->idle_nw) * cluster_node_milli(c, n) + (cpus ? p->cpu_nw : 0);
    }
    return watts(nw);
}

void check_put_power(json_t *report, const struct cluster *c)
{
    if (c->power)
        json_object_set_new(report, "power", json_pack("{s:f, s:f, s:o, s:o}", "idle_w", watts(cluster_idle_nw(c, 0, c->n_nodes)), "full_w",
                                                       full_w(c), "cap_w", cap(c->power->cap_nw), "rack_cap_w", cap(c->power->rack_cap_nw)));
    json_t *pools = json_array();
    for (uint32_t g = 0, n = 0; c->pool && g < c->n_groups; g++) {
        node_id first = n;
        while (n < c->n_nodes && c->group_of[n] == g)
            n++;
        if (c->pool[g].is)
            json_array_append_new(pools, json_pack("{s:s, s:I, s:I, s:b}", "group", c->group_name[g], "min", (json_int_t)c->pool[g].min,
                                                   "max", (json_int_t)(n - first), "spot", c->pool[g].reclaims_per_day > 0));
    }
    if (json_array_size(pools))
        json_object_set(report, "pools", pools);
    json_decref(pools);
}

/* ---- As text ---- */

void check_power_text(const json_t *report, char *to, size_t size)
{
    const json_t *p = json_object_get(report, "power"), *all = json_object_get(p, "cap_w"), *rack = json_object_get(p, "rack_cap_w");
    size_t n = (size_t)snprintf(to, size, "%.1f kW idle, %.1f kW at most", json_number_value(json_object_get(p, "idle_w")) / 1000,
                                json_number_value(json_object_get(p, "full_w")) / 1000);
    if (json_is_number(all))
        n += (size_t)snprintf(to + n, size - n, ", cap %.1f kW", json_number_value(all) / 1000);
    if (json_is_number(rack))
        snprintf(to + n, size - n, ", %.1f kW a rack", json_number_value(rack) / 1000);
}

void check_pools_text(const json_t *report, char *to, size_t size)
{
    size_t i, n = 0;
    json_t *pool;
    to[0] = '\0';
    json_array_foreach(json_object_get(report, "pools"), i, pool) if (n < size - 100)
        n += (size_t)snprintf(to + n, size - n, "%s%.40s %lld to %lld%s", i ? ", " : "", json_string_value(json_object_get(pool, "group")),
                              (long long)json_integer_value(json_object_get(pool, "min")), (long long)json_integer_value(json_object_get(pool, "max")),
                              json_is_true(json_object_get(pool, "spot")) ? " spot" : "");
}
