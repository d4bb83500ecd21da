/* rank_layout.c - see rank_layout.h. */
#include "sim/capacity/rank_layout.h"

#include "sim/base/memory.h"

#include <math.h>
#include <stdlib.h>

#define GIGA 1e9

void rank_layout_free(struct rank_layout *l)
{
    free(l->spot);
    free(l->node);
    free(l->spot_of);
}

/* ---- Making one ---- */

static void empty(struct rank_layout *l)
{
    l->n_spots = l->n_nodes = 0;
    l->ranks = 0;
}

static void add_node(struct rank_layout *l, const struct fabric *fabric, const struct node_type *t,
                     const struct node_nics *nics, uint32_t gpus)
{
    bool rails = fabric->nic_affinity == NIC_RAIL ||
                 (fabric->nic_affinity == NIC_AUTO && nics->nics >= t->gpus);
    double all = nics->nics * nics->gbps * GIGA,
           used = rails && gpus < nics->nics ? (double)gpus / nics->nics : 1;
    mem_grow(&l->node, &l->nodes_room, l->n_nodes, sizeof *l->node);
    l->node[l->n_nodes++] =
        (struct rank_node){ gpus, all > 0 ? all : INFINITY, all > 0 ? all * used : INFINITY,
                            nics->nics, t->gpus };
}

/* Joined to the last if it is of the same island and NUMA node. */
static void add_spot(struct rank_layout *l, struct rank_spot s)
{
    struct rank_spot *last = l->n_spots ? &l->spot[l->n_spots - 1] : NULL;
    l->ranks += s.gpus;
    if (last && last->node == s.node && last->island == s.island && last->numa == s.numa) {
        last->gpus += s.gpus;
        last->mask |= s.mask;
        return;
    }
    mem_grow(&l->spot, &l->spots_room, l->n_spots, sizeof *l->spot);
    l->spot[l->n_spots++] = s;
}

static void number_ranks(struct rank_layout *l)
{
    if (l->ranks_room < l->ranks) {
        l->ranks_room = 2 * (size_t)l->ranks;
        l->spot_of = mem_resize(l->spot_of, l->ranks_room, sizeof *l->spot_of);
    }
    uint32_t rank = 0;
    for (size_t i = 0; i < l->n_spots; i++) {
        l->spot[i].first = rank;
        for (uint32_t k = 0; k < l->spot[i].gpus; k++)
            l->spot_of[rank++] = (uint32_t)i;
    }
}

/* The GPUs of `mask`, island by island. */
static void add_gpus(struct rank_layout *l, const struct node_type *t, uint64_t mask,
                     struct rank_spot like)
{
    while (mask) {
        unsigned first = (unsigned)__builtin_ctzll(mask);
        uint64_t island = t->island_of[first];
        for (uint64_t left = mask & island; left; left &= left - 1) {
            unsigned gpu = (unsigned)__builtin_ctzll(left);
            like.gpus = 1;
            like.mask = UINT64_C(1) << gpu;
            like.island = (uint32_t)__builtin_ctzll(island);
            like.numa = (uint32_t)__builtin_ctzll(t->numa_of[gpu]);
            add_spot(l, like);
        }
        mask &= ~island;
    }
}

void rank_layout_on(struct rank_layout *l, const struct cluster *c, const struct fabric *fabric,
                    const struct placement *p, struct form_scratch *scratch)
{
    size_t n = form_nodes(p, scratch);
    uint32_t unit = 0;
    empty(l);
    for (size_t i = 0; i < n; i++) {
        const struct form_node *x = &scratch->node[i];
        const struct node_type *t = cluster_node_type(c, x->node);
        bool across = form_across_nodes(c, x->node);
        bool goes_on = i && across && form_same_unit(c, scratch->node[i - 1].node, x->node);
        unit += i && !goes_on;
        struct rank_spot like = { .gpus = x->gpus,
                                  .unit = unit,
                                  .node = (uint32_t)i,
                                  .rack = cluster_domain_at(c, x->node, LEVEL_RACK),
                                  .pod = cluster_domain_at(c, x->node, LEVEL_POD) };
        if (across || t->counted || !x->mask)
            add_spot(l, like);
        else
            add_gpus(l, t, x->mask, like);
        add_node(l, fabric, t, &c->nics_of[c->group_of[x->node]], x->gpus);
    }
    number_ranks(l);
}

bool rank_layout_of(struct rank_layout *l, const struct form_group *g, const struct fabric *fabric,
                    uint32_t gpus, uint32_t units, bool full)
{
    uint32_t nodes_each = g->island_nodes ? g->island_nodes : 1, most = (gpus + units - 1) / units,
             room = nodes_each * g->type->gpus;
    if (units > gpus || g->type->gpus == 0 || most > room)
        return false;
    bool whole = g->island_nodes || g->type->counted;
    empty(l);
    for (uint32_t u = 0; u < units && l->ranks < gpus; u++) {
        uint32_t rest = gpus - l->ranks, even = gpus / units + (u < gpus % units);
        for (uint32_t left = !full ? even : rest < room ? rest : room; left > 0;) {
            uint32_t here = left < g->type->gpus ? left : g->type->gpus,
                     node = (uint32_t)l->n_nodes;
            struct rank_spot like = { .gpus = here,
                                      .unit = u,
                                      .node = node,
                                      .rack = g->rack_nodes ? node / g->rack_nodes : 0,
                                      .pod = g->pod_nodes ? node / g->pod_nodes : 0 };
            if (whole)
                add_spot(l, like);
            else
                add_gpus(l, g->type, here < 64 ? (UINT64_C(1) << here) - 1 : UINT64_MAX, like);
            add_node(l, fabric, g->type, &g->nics, here);
            left -= here;
        }
    }
    number_ranks(l);
    return true;
}

/* ---- Groups ---- */

/* Takes up the rank on spot s after those before, which ended on spot `last`. */
static void widen(struct rank_group *g, const struct rank_layout *l, const struct rank_spot *last,
                  const struct rank_spot *s, const struct link_speeds *links)
{
    const struct rank_node *node = &l->node[s->node];
    g->rail_bps = fmin(g->rail_bps, node->rail_bps / node->gpus);
    g->node_bps = fmin(g->node_bps, node->nic_bps / node->gpus);
    g->sharing = node->gpus > g->sharing ? node->gpus : g->sharing;
    if (!last)
        return;
    if (last->unit != s->unit) {
        enum reach reach = last->rack == s->rack ? REACH_RACK
                           : last->pod == s->pod ? REACH_POD
                                                 : REACH_CLUSTER;
        g->reach = reach > g->reach ? reach : g->reach;
        return;
    }
    bool nvlink = last->island == s->island && links->nvlink_bps > 0;
    double bps = nvlink                  ? links->nvlink_bps
                 : last->numa == s->numa ? links->pcie_bps
                                         : links->pcie_bps * links->numa_factor;
    if (bps < g->inside_bps) {
        g->inside_bps = bps;
        g->inside = nvlink ? LINK_NVLINK : LINK_PCIE;
    }
}

/* The NIC of a rank on its node. */
static uint32_t rail_of(const struct rank_layout *l, uint32_t rank)
{
    const struct rank_spot *s = &l->spot[l->spot_of[rank]];
    const struct rank_node *node = &l->node[s->node];
    uint32_t k = rank - s->first, gpu = k;
    uint64_t left = s->mask;
    for (; left && k; k--)
        left &= left - 1;
    if (left)
        gpu = (uint32_t)__builtin_ctzll(left);
    return node->nics < node->room ? gpu * node->nics / node->room : gpu;
}

static enum reach reach_on_rails(enum reach reach, bool aligned)
{
    if (aligned)
        return reach <= REACH_POD ? REACH_RACK : reach;
    return reach < REACH_POD ? REACH_POD : reach;
}

struct ranks {
    uint32_t first, stride, n;
}; /* first, first + stride, ...: n of them */

/* On each unit the NICs of the first one. */
static bool is_aligned(const struct rank_layout *l, struct ranks r)
{
    uint32_t here = 0, on_first = 0;
    for (uint32_t i = 0; i < r.n; i++) {
        uint32_t rank = r.first + i * r.stride, unit = l->spot[l->spot_of[rank]].unit;
        here = i && l->spot[l->spot_of[rank - r.stride]].unit == unit ? here + 1 : 0;
        if (unit == l->spot[l->spot_of[r.first]].unit)
            on_first = i + 1;
        else if (here >= on_first || rail_of(l, rank) != rail_of(l, r.first + here * r.stride))
            return false;
    }
    return true;
}

static struct rank_group group_of(const struct rank_layout *l, enum group_kind kind, struct ranks r,
                                  const struct link_speeds *links)
{
    uint32_t first = r.first, stride = r.stride, n = r.n;
    struct rank_group g = { .ranks = n,
                            .least = UINT32_MAX,
                            .inside_bps = INFINITY,
                            .rail_bps = INFINITY,
                            .node_bps = INFINITY };
    const struct rank_spot *last = NULL;
    uint32_t here = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct rank_spot *s = &l->spot[l->spot_of[first + i * stride]];
        bool same = last && last->unit == s->unit;
        widen(&g, l, last, s, links);
        g.units += !same;
        if (last && !same) {
            g.least = here < g.least ? here : g.least;
            here = 0;
        }
        here++;
        g.most = here > g.most ? here : g.most;
        last = s;
    }
    g.least = here < g.least ? here : g.least;
    if (g.units > 1 && links->rails)
        g.reach =
            reach_on_rails(g.reach, !(kind == GROUP_EXPERT && g.most > 1) && is_aligned(l, r));
    if (g.units == 1) {
        g.rail_bps = g.node_bps = INFINITY;
        g.sharing = 0;
    }
    return g;
}

/* Blocks of span = stride x n ranks, each with `stride` groups. */
static void add_groups(const struct rank_layout *l, enum group_kind kind, uint32_t stride,
                       uint32_t n, uint32_t ranks, const struct link_speeds *links,
                       struct rank_groups *groups)
{
    if (n < 2)
        return;
    for (uint32_t block = 0; block + stride * n <= ranks; block += stride * n)
        for (uint32_t first = block; first < block + stride; first++) {
            struct rank_group g = group_of(l, kind, (struct ranks){ first, stride, n }, links);
            rank_groups_add(groups, kind, &g);
        }
}

void rank_layout_groups(const struct rank_layout *l, const struct parallel_split *s,
                        const struct link_speeds *links, struct rank_groups *groups)
{
    uint32_t model = s->tp * s->cp, stage = model * s->dp, ranks = stage * s->pp;
    *groups = (struct rank_groups){ .n = { 0 } };
    add_groups(l, GROUP_TENSOR, 1, s->tp, ranks, links, groups);
    add_groups(l, GROUP_CONTEXT, s->tp, s->cp, ranks, links, groups);
    add_groups(l, GROUP_EXPERT, model, s->ep, ranks, links, groups);
    add_groups(l, GROUP_DATA, model, s->dp, ranks, links, groups);
    for (uint32_t first = 0; first + stage < ranks; first++) {
        struct rank_group pair =
            group_of(l, GROUP_STAGES, (struct ranks){ first, stage, 2 }, links);
        rank_groups_add(groups, GROUP_STAGES, &pair);
    }
}
