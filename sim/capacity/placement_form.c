/* placement_form.c - see placement_form.h. */
#include "sim/capacity/placement_form.h"

#include "sim/base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define GIGA 1e9
enum { FURTHER = SAME_POD + 1 };    /* whatever levels there are: models.md 1.5 */

void form_scratch_free(struct form_scratch *s)
{
    free(s->node);
    free(s->crossing);
}

/* ---- Which GPUs of which nodes ---- */

static int by_node(const void *left, const void *right)
{
    const struct form_node *a = left, *b = right;
    return (a->node > b->node) - (a->node < b->node);
}

size_t form_nodes(const struct placement *p, struct form_scratch *s)
{
    size_t n = 0, kept = 0;
    bool ascending = true;
    if (s->capacity < p->n) {
        s->capacity = p->n * 2;
        s->node = mem_resize(s->node, s->capacity, sizeof *s->node);
    }
    for (size_t i = 0; i < p->n; i++) {
        const struct piece *x = &p->piece[i];
        if (x->gpus == 0)
            continue;
        ascending &= n == 0 || s->node[n - 1].node <= x->node;
        s->node[n++] = (struct form_node){ x->node, x->gpus, x->gpu_mask };
    }
    if (!ascending)
        qsort(s->node, n, sizeof *s->node, by_node);
    for (size_t i = 0; i < n; i++)
        if (kept && s->node[kept - 1].node == s->node[i].node) {
            s->node[kept - 1].gpus += s->node[i].gpus;
            s->node[kept - 1].mask |= s->node[i].mask;
        } else {
            s->node[kept++] = s->node[i];
        }
    return kept;
}

bool form_across_nodes(const struct cluster *c, node_id n)
{
    return c->domain[c->domain_of[n]].level == LEVEL_ISLAND;
}

bool form_same_unit(const struct cluster *c, node_id a, node_id b)
{
    return a == b || (form_across_nodes(c, a) && c->domain_of[a] == c->domain_of[b]);
}

/* ---- Links ---- */

struct link { enum link_class class; double bps; };

/* Between `gpus` GPUs of a model, on one island or not, across NUMA nodes or not. What has no
 * NVLink goes over PCIe. */
static struct link link_of(const struct gpu_model *m, const struct form_rules *rules,
                           bool one_island, bool across_numa)
{
    if (!m)
        return (struct link){ LINK_PCIE, 0 };
    if (one_island && m->nvlink_gbps > 0)
        return (struct link){ LINK_NVLINK, m->nvlink_gbps * GIGA };
    return (struct link){ LINK_PCIE, m->pcie_gbps * GIGA * (across_numa ? rules->numa_factor : 1) };
}

/* On one node, on the GPUs of `mask`; all GPUs of a counted node are one island. */
static struct link node_link(const struct cluster *c, const struct form_rules *rules,
                             const struct node_type *t, uint64_t mask, bool island_across)
{
    bool island = island_across || t->counted || !mask, numa = island;
    if (!island) {
        unsigned first = (unsigned)__builtin_ctzll(mask);
        island = !(mask & ~t->island_of[first]);
        numa = !(mask & ~t->numa_of[first]);
    }
    return link_of(c->gpu_known[t->gpu_model], rules, island, !numa);
}

static void add_link(struct placement_form *f, struct link l)
{
    if (f->inside_bps >= 0 && l.bps >= f->inside_bps)
        return;
    f->inside = l.class;
    f->inside_bps = l.bps;
}

static void add_nics(struct placement_form *f, struct form_nic nic)
{
    for (unsigned i = 0; i < f->n_nics; i++)
        if (f->nic[i].nics == nic.nics && f->nic[i].gpus == nic.gpus && f->nic[i].bps == nic.bps)
            return;
    if (f->n_nics < FORM_TYPES)
        f->nic[f->n_nics++] = nic;
    else if (nic.bps < f->nic[FORM_TYPES - 1].bps)
        f->nic[FORM_TYPES - 1] = nic;
}

static void add_gpu(struct placement_form *f, const struct cluster *c, uint32_t gpu_model)
{
    const struct gpu_model *m = c->gpu_known[gpu_model];
    double kappa = m && m->kappa > 0 ? m->kappa : 1;
    if (f->kappa > 0 && kappa >= f->kappa)
        return;
    f->kappa = kappa;
    f->gpu_model = gpu_model;
}

static bool lies_in(const struct cluster *c, node_id n, domain_id d)
{
    return n >= c->domain[d].first && n < c->domain[d].end;
}

/* The level of the outermost domain that is of a and not of b. */
static enum level parted_at(const struct cluster *c, node_id a, node_id b)
{
    enum level seen = LEVEL_NODE;
    for (domain_id d = c->domain_of[a]; !lies_in(c, b, d); d = c->domain[d].parent)
        seen = c->domain[d].level > seen ? c->domain[d].level : seen;
    return seen;
}

/* Distance of two nodes in no common rack or pod, where levels that are not described cost
 * nothing, and those above pods no more than pods. */
static unsigned far_apart(const struct cluster *c, node_id a, node_id b)
{
    enum level of_a = parted_at(c, a, b), of_b = parted_at(c, b, a), seen = of_a > of_b ? of_a : of_b;
    return seen >= LEVEL_POD ? FURTHER : seen == LEVEL_RACK ? SAME_POD : SAME_RACK;
}

/* ---- Of a placement ---- */

static void add_unit(struct placement_form *f, uint32_t gpus, uint32_t nodes, struct form_nic nic)
{
    f->units++;
    f->unit_nodes = f->units == 1 || nodes < f->unit_nodes ? nodes : f->unit_nodes;
    f->least = gpus < f->least ? gpus : f->least;
    f->most = gpus > f->most ? gpus : f->most;
    add_nics(f, nic);
}

struct placement_form placement_form(const struct cluster *c, const struct form_rules *rules,
                                     const struct placement *p, struct form_scratch *scratch)
{
    struct placement_form f = { .least = UINT32_MAX, .inside_bps = -1, .inside = LINK_NVLINK };
    size_t n = form_nodes(p, scratch);
    uint32_t node_most = 0;
    for (size_t i = 0, end; i < n; i = end) {
        uint32_t gpus = 0;
        struct form_nic nic = { 0, 0, 0 };
        for (end = i; end < n && form_same_unit(c, scratch->node[i].node, scratch->node[end].node);
             end++) {
            const struct form_node *x = &scratch->node[end];
            const struct node_type *t = cluster_node_type(c, x->node);
            const struct node_nics *own = &c->nics_of[c->group_of[x->node]];
            gpus += x->gpus;
            nic.nics += own->nics;
            nic.gpus += t->gpus;
            nic.bps += own->nics * own->gbps * GIGA;
            node_most = t->gpus > node_most ? t->gpus : node_most;
            add_gpu(&f, c, t->gpu_model);
            if (x->gpus > 1 || end > i)
                add_link(&f, node_link(c, rules, t, x->mask, form_across_nodes(c, x->node)));
        }
        f.gpus += gpus;
        add_unit(&f, gpus, (uint32_t)(end - i), nic);
    }
    if (f.gpus == 0)
        return f;
    f.inside_bps = f.inside_bps < 0 ? 0 : f.inside_bps;
    f.consolidated = n == 1 || n <= (f.gpus + node_most - 1) / node_most;
    f.distance = cluster_placement_distance(c, p);
    if (f.distance > SAME_POD)
        f.distance = far_apart(c, scratch->node[0].node, scratch->node[n - 1].node);
    return f;
}

/* ---- Of empty nodes of one group ---- */

static void larger(uint32_t *most, uint32_t size)
{
    *most = size > *most ? size : *most;
}

struct form_group form_group(const struct cluster *c, uint32_t group)
{
    struct form_group s = { .type = NULL, .nics = c->nics_of[group] };
    for (node_id n = 0; n < c->n_nodes; n++) {
        if (c->group_of[n] != group)
            continue;
        s.type = cluster_node_type(c, n);
        for (domain_id d = c->domain_of[n]; d != 0; d = c->domain[d].parent) {
            uint32_t size = c->domain[d].end - c->domain[d].first;
            if (c->domain[d].level <= LEVEL_POD)
                larger(c->domain[d].level == LEVEL_ISLAND ? &s.island_nodes
                       : c->domain[d].level == LEVEL_RACK ? &s.rack_nodes
                                                          : &s.pod_nodes, size);
        }
    }
    assert(s.type);
    for (uint32_t i = 0; i < s.type->gpus && !s.type->counted; i++) {
        larger(&s.island_gpus, (uint32_t)__builtin_popcountll(s.type->island_of[i]));
        larger(&s.numa_gpus, (uint32_t)__builtin_popcountll(s.type->numa_of[i]));
    }
    return s;
}

static unsigned node_distance(const struct form_group *s, uint32_t gpus)
{
    if (gpus < 2)
        return SAME_GPU;
    if (s->island_nodes || s->type->counted || gpus <= s->island_gpus)
        return SAME_ISLAND;
    return gpus <= s->numa_gpus ? SAME_NUMA : SAME_NODE;
}

bool placement_form_of(const struct cluster *c, const struct form_rules *rules,
                       const struct form_group *s, uint32_t gpus, uint32_t units,
                       struct placement_form *form)
{
    uint32_t nodes_each = s->island_nodes ? s->island_nodes : 1, most = (gpus + units - 1) / units;
    if (units > gpus || s->type->gpus == 0 || most > (uint64_t)nodes_each * s->type->gpus)
        return false;
    uint32_t nodes = (most + s->type->gpus - 1) / s->type->gpus, all = nodes * units;
    unsigned inside = node_distance(s, most);
    struct placement_form f = {
        .gpus = gpus, .least = UINT32_MAX, .inside_bps = -1, .inside = LINK_NVLINK
    };
    add_gpu(&f, c, s->type->gpu_model);
    add_unit(&f, most, nodes,
             (struct form_nic){ nodes * s->nics.nics, nodes * s->type->gpus,
                                nodes * s->nics.nics * s->nics.gbps * GIGA });
    add_link(&f, link_of(c->gpu_known[s->type->gpu_model], rules, inside <= SAME_ISLAND,
                         inside == SAME_NODE));
    f.units = units;
    f.least = gpus / units;
    f.distance = units == 1                               ? inside
                 : !s->rack_nodes || all <= s->rack_nodes ? SAME_RACK
                 : !s->pod_nodes || all <= s->pod_nodes   ? SAME_POD
                                                          : FURTHER;
    f.consolidated = all <= (gpus + s->type->gpus - 1) / s->type->gpus;
    *form = f;
    return true;
}

/* ---- links ---- */

#define GIGA 1e9

uint32_t placement_links(const struct cluster *c)
{
    return c->n_nodes + c->n_domains;
}

/* Parents come before children, so that going backwards a domain has all of its own when it is
 * added to its parent's. */
void placement_link_rates(const struct cluster *c, const struct fabric *fabric, double *bps)
{
    double *up = bps + c->n_nodes, eta = fabric->efficiency[LINK_NETWORK];
    for (domain_id d = 0; d < c->n_domains; d++)
        up[d] = 0;
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct node_nics *own = &c->nics_of[c->group_of[n]];
        double nic = own->nics * own->gbps * GIGA;
        bps[n] = nic > 0 ? eta * nic : INFINITY;
        up[c->domain_of[n]] += nic;
    }
    for (domain_id d = c->n_domains; d-- > 1;) {
        enum level l = c->domain[d].level;
        up[d] /= l == LEVEL_RACK  ? fabric->leaf_oversubscription
                 : l == LEVEL_POD ? fabric->spine_oversubscription
                                  : 1;
        up[c->domain[d].parent] += up[d];
        up[d] = (l == LEVEL_RACK || l == LEVEL_POD) && up[d] > 0 ? eta * up[d]
                                                                 : INFINITY;
    }
    up[0] = INFINITY;
}

/* The uplinks of one level, if the nodes are in several such domains. The nodes of a domain follow
 * each other. */
static size_t add_uplinks(const struct cluster *c, const struct form_node *node, size_t n,
                          enum level l, struct crossing *crossing)
{
    size_t n_links = 0;
    if (cluster_domain_at(c, node[0].node, l) == cluster_domain_at(c, node[n - 1].node, l))
        return 0;
    for (size_t i = 0, nodes; i < n; i += nodes) {
        domain_id d = cluster_domain_at(c, node[i].node, l);
        for (nodes = 1; i + nodes < n && cluster_domain_at(c, node[i + nodes].node, l) == d;)
            nodes++;
        if (c->domain[d].level == l)
            crossing[n_links++] = (struct crossing){ c->n_nodes + d, (uint32_t)nodes,
                                                     l == LEVEL_POD ? REACH_CLUSTER : REACH_POD };
    }
    return n_links;
}

size_t placement_crossings(const struct cluster *c, const struct placement *p,
                           struct form_scratch *scratch, struct crossing *crossing)
{
    size_t n = form_nodes(p, scratch), n_links = 0;
    const struct form_node *node = scratch->node;
    if (n < 2 || (c->domain_of[node[0].node] == c->domain_of[node[n - 1].node] &&
                  c->domain[c->domain_of[node[0].node]].level == LEVEL_ISLAND))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (c->domain[c->domain_of[node[i].node]].level != LEVEL_ISLAND)
            crossing[n_links++] = (struct crossing){ node[i].node, 1, REACH_RACK };
    /* pods come before racks among the domains */
    n_links += add_uplinks(c, node, n, LEVEL_POD, crossing + n_links);
    return n_links + add_uplinks(c, node, n, LEVEL_RACK, crossing + n_links);
}

void placement_alone_bps(const struct cluster *c, const struct placement *p,
                         struct form_scratch *scratch, const double *bps, double alone[REACHES])
{
    size_t room = 3 * p->n + 1;
    if (scratch->crossings < room) {
        scratch->crossings = 2 * room;
        scratch->crossing =
            mem_resize(scratch->crossing, scratch->crossings, sizeof *scratch->crossing);
    }
    size_t n = placement_crossings(c, p, scratch, scratch->crossing);
    for (unsigned r = 0; r < REACHES; r++)
        alone[r] = INFINITY;
    for (size_t i = 0; i < n; i++)
        for (unsigned r = scratch->crossing[i].reach; r < REACHES; r++)
            alone[r] = fmin(alone[r],
                            bps[scratch->crossing[i].link] / scratch->crossing[i].flows);
}

bool placement_on(const struct placement *p, node_id n)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->piece[i].node == n)
            return true;
    return false;
}
