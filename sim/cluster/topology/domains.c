/* domains.c - see domains.h, and cluster.h for what is asked. */
#include "sim/cluster/topology/domains.h"

#include <assert.h>

/* ---- building ---- */

/* Nodes of racks [from, to), for racks of different sizes. */
static uint64_t rack_sum(const struct group_spec *g, uint64_t from, uint64_t to)
{
    uint64_t n = 0;
    for (uint64_t r = from; r < to && r < g->n_racks; r++)
        n += g->rack_nodes[r];
    return n;
}

/* Racks of one domain of a level above the node; above any number of nodes all are alike. */
static uint64_t racks_in(const struct group_spec *g, enum level l)
{
    uint64_t racks = 1;
    for (uint32_t k = LEVEL_POD - LEVEL_RACK; k <= (uint32_t)(l - LEVEL_RACK); k++) {
        racks *= group_level_holds(g, k);
        racks = racks > CLUSTER_NODES_MAX ? CLUSTER_NODES_MAX + 1u : racks;
    }
    return racks;
}

static bool has_level(const struct group_spec *g, enum level l)
{
    return (uint32_t)(l - LEVEL_RACK) < group_levels(g);
}

/* Nodes of the k-th domain of that level; 0: the group has none. The last of a group may have
 * less. */
static uint64_t domain_nodes(const struct group_spec *g, enum level l, uint64_t k)
{
    if (l == LEVEL_ISLAND)
        return group_island_nodes(g);
    if (!has_level(g, l))
        return 0;
    uint64_t racks = racks_in(g, l);
    return g->rack_nodes ? rack_sum(g, k * racks, (k + 1) * racks) : g->nodes_per_rack * racks;
}

/* Its first domain of that level is the last of the group before. */
static bool joins(const struct group_spec *g, enum level l)
{
    return g->joins && l >= g->joins && domain_nodes(g, l, 0) > 0;
}

/* Cuts every group into domains of one level. Called from the outermost level to the innermost, so
 * domain_of holds the parents. */
static void cut(struct cluster *c, const struct group_spec *groups, size_t n_groups, enum level l)
{
    uint64_t first = 0;
    for (size_t g = 0; g < n_groups; first += groups[g++].count) {
        uint64_t size, end = first + groups[g].count, k = 0;
        for (uint64_t at = first; at < end && (size = domain_nodes(&groups[g], l, k)) > 0;
             at += size, k++) {
            node_id stop = (node_id)(at + size < end ? at + size : end);
            if (at == first && joins(&groups[g], l))
                c->domain[c->n_domains - 1].end = stop;
            else
                c->domain[c->n_domains++] =
                    (struct domain){ l, c->domain_of[at], (node_id)at, stop };
            for (uint64_t n = at; n < stop; n++)
                c->domain_of[n] = c->n_domains - 1;
        }
    }
}

static size_t domains_in(const struct group_spec *g, enum level l)
{
    if (g->rack_nodes && l >= LEVEL_RACK)
        return has_level(g, l) ? (g->n_racks + racks_in(g, l) - 1) / racks_in(g, l) : 0;
    uint64_t size = domain_nodes(g, l, 0);
    return size ? (g->count + size - 1) / size : 0;
}

void cluster_build_domains(struct cluster *c, const struct group_spec *groups, size_t n_groups)
{
    enum level inwards[LEVELS_ABOVE_NODE + 1];
    size_t n = 1, levels = 0;
    for (uint32_t k = c->levels.n; k-- > 0;)
        inwards[levels++] = LEVEL_RACK + k;
    inwards[levels++] = LEVEL_ISLAND;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < levels; i++)
            n += domains_in(&groups[g], inwards[i]) - joins(&groups[g], inwards[i]);
    c->domain = arena_alloc(c->memory, n * sizeof *c->domain);
    /* all nodes are in domain 0 */
    c->domain_of = arena_alloc(c->memory, c->n_nodes * sizeof *c->domain_of);
    c->domain[0] = (struct domain){ LEVEL_CLUSTER, ID_NONE, 0, c->n_nodes };
    c->n_domains = 1;
    for (size_t i = 0; i < levels; i++)
        cut(c, groups, n_groups, inwards[i]);
    assert(c->n_domains == n);
}

/* ---- asking ---- */

domain_id cluster_domain_at(const struct cluster *c, node_id n, enum level l)
{
    domain_id d = c->domain_of[n];
    if (l == LEVEL_NODE || l == LEVEL_NUMA ||
        (l == LEVEL_ISLAND && c->domain[d].level != LEVEL_ISLAND))
        return c->n_domains + n; /* an island within a node, or a NUMA node, is no domain */
    while (c->domain[d].level < l && c->domain[d].parent != ID_NONE)
        d = c->domain[d].parent;
    return d;
}

bool cluster_level_inside(const struct cluster *c, node_id n, enum level l)
{
    return l < LEVEL_NODE && cluster_domain_at(c, n, l) >= c->n_domains &&
           !cluster_node_type(c, n)->counted && cluster_node_gpus(c, n) > 0;
}

bool cluster_has_domain(const struct cluster *c, node_id n, enum level l)
{
    domain_id d = cluster_domain_at(c, n, l);
    return d < c->n_domains && c->domain[d].level == l;
}

enum level cluster_level_outwards(const struct cluster *c, enum level l)
{
    if (l < LEVEL_NODE)
        return LEVEL_NODE;
    return l + 1 < LEVEL_RACK + c->levels.n ? l + 1 : LEVEL_CLUSTER;
}

unsigned cluster_level_distance(const struct cluster *c, enum level l)
{
    static const unsigned char within[] = {
        [LEVEL_ISLAND] = SAME_ISLAND, [LEVEL_NUMA] = SAME_NUMA, [LEVEL_NODE] = SAME_NODE
    };
    uint32_t above = l < LEVEL_CLUSTER ? (uint32_t)(l - LEVEL_RACK) : c->levels.n;
    return l <= LEVEL_NODE ? within[l] : SAME_RACK + above;
}

const char *cluster_distance_name(const struct cluster *c, unsigned distance)
{
    static const char *const name[] = { "gpu", "island", "numa", "node" };
    if (distance < SAME_RACK)
        return name[distance];
    return distance - SAME_RACK < c->levels.n ? c->levels.name[distance - SAME_RACK] : "cluster";
}

/* Of two different nodes. */
static unsigned nodes_distance(const struct cluster *c, node_id a, node_id b)
{
    const struct domain *d = &c->domain[c->domain_of[a]];
    while (b < d->first || b >= d->end)
        d = &c->domain[d->parent];
    return cluster_level_distance(c, d->level);
}

unsigned cluster_distance(const struct cluster *c, node_id a, unsigned gpu_a, node_id b,
                          unsigned gpu_b)
{
    if (a != b)
        return nodes_distance(c, a, b);
    if (gpu_a == gpu_b)
        return SAME_GPU;
    const struct node_type *t = cluster_node_type(c, a);
    if (t->counted || t->island_of[gpu_a] >> gpu_b & 1)
        return SAME_ISLAND;
    return t->numa_of[gpu_a] >> gpu_b & 1 ? SAME_NUMA : SAME_NODE;
}

static unsigned mask_distance(const struct node_type *t, uint64_t mask)
{
    unsigned most = SAME_GPU;
    if (!(mask & ~t->island_of[__builtin_ctzll(mask)]))
        return mask & (mask - 1) ? SAME_ISLAND : SAME_GPU;
    for (uint64_t m = mask; m; m &= m - 1) {
        unsigned gpu = (unsigned)__builtin_ctzll(m);
        uint64_t off_island = mask & ~t->island_of[gpu];
        unsigned here = off_island & ~t->numa_of[gpu] ? SAME_NODE
                        : off_island                  ? SAME_NUMA
                        : mask & (mask - 1)           ? SAME_ISLAND
                                                      : SAME_GPU;
        most = here > most ? here : most;
    }
    return most;
}

/* Over several nodes the first and the last are as far apart as any two: domains are ranges, and
 * two nodes are never nearer than two GPUs of one node unless an island holds them all. */
unsigned cluster_placement_distance(const struct cluster *c, const struct placement *p)
{
    node_id first = ID_NONE, last = 0;
    uint64_t mask = 0, gpus = 0;
    if (p->n == 1 && p->piece[0].gpu_mask)
        return mask_distance(cluster_node_type(c, p->piece[0].node), p->piece[0].gpu_mask);
    for (size_t i = 0; i < p->n; i++) {
        const struct piece *piece = &p->piece[i];
        if (piece->gpus == 0)
            continue;
        first = piece->node < first ? piece->node : first;
        last = piece->node > last ? piece->node : last;
        mask |= piece->gpu_mask;
        gpus += piece->gpus;
    }
    if (gpus == 0)
        return SAME_GPU;
    if (first != last)
        return nodes_distance(c, first, last);
    const struct node_type *t = cluster_node_type(c, first);
    if (t->counted)
        return gpus > 1 ? SAME_ISLAND : SAME_GPU;
    return mask_distance(t, mask);
}
