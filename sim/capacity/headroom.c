/* headroom.c - see headroom.h. */
#include "sim/capacity/headroom.h"

#include "sim/base/memory.h"
#include "sim/capacity/free_index.h"
#include "sim/models/power.h"

#include <stdlib.h>

struct watts { int64_t gpu_nw, cpus_nw; };    /* above idle: a thousandth of a GPU; all CPUs of a
                                                 node */
struct headroom {
    const struct cluster *cluster;
    const struct power *power;
    int128_t left_nw, all_nw;     /* now; while nothing is taken */
    int128_t *rack_nw;            /* [n_domains] headroom of racks; NULL: no caps */
    domain_id *rack;              /* [n_nodes] rack of each node; 0: none */
    struct watts *least;          /* [n_kinds] of any node of the kind; CPUs: of a thousandth,
                                     rounded down */
};

static const struct node_power *power_of(const struct headroom *h, node_id n)
{
    return &h->power->of_group[h->cluster->group_of[n]];
}

static domain_id rack_of(const struct headroom *h, node_id n)
{
    return h->rack_nw ? h->rack[n] : 0;
}

static void find_least(struct headroom *h)
{
    const struct cluster *c = h->cluster;
    h->least = mem_new(c->n_kinds, sizeof *h->least);
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_kind *kind = &c->kind[k];
        int64_t cpus = c->type[kind->type].cpu_milli;
        for (uint32_t i = 0; i < kind->n_nodes; i++) {
            const struct node_power *p = power_of(h, kind->node[i]);
            int64_t gpu_nw = p->start_nw - p->idle_nw;
            if (i == 0 || gpu_nw < h->least[k].gpu_nw)
                h->least[k].gpu_nw = gpu_nw;
            /* equal in all groups */
            h->least[k].cpus_nw = cpus == INT64_MAX || cpus <= 0 ? 0 : p->cpu_nw / cpus;
        }
    }
}

static int128_t rack_all_nw(const struct headroom *h, domain_id rack)
{
    const struct domain *d = &h->cluster->domain[rack];
    return h->power->rack_cap_nw - cluster_idle_nw(h->cluster, d->first, d->end);
}

struct headroom *headroom_new(const struct cluster *c)
{
    const struct power *p = c->power;
    if (!p || (p->cap_nw == INT64_MAX && p->rack_cap_nw == INT64_MAX))
        return NULL;
    struct headroom *h = mem_new(1, sizeof *h);
    h->cluster = c;
    h->power = p;
    h->left_nw = p->cap_nw == INT64_MAX ? (int128_t)INT64_MAX * INT64_MAX
                                        : p->cap_nw - cluster_idle_nw(c, 0, c->n_nodes);
    h->all_nw = h->left_nw;
    find_least(h);
    if (p->rack_cap_nw == INT64_MAX)
        return h;
    h->rack_nw = mem_new(c->n_domains, sizeof *h->rack_nw);
    for (domain_id d = 1; d < c->n_domains; d++)
        h->rack_nw[d] = rack_all_nw(h, d);
    h->rack = mem_new(c->n_nodes, sizeof *h->rack);
    for (node_id n = 0; n < c->n_nodes; n++) {
        bool in_rack = cluster_has_domain(c, n, LEVEL_RACK);
        h->rack[n] = in_rack ? cluster_domain_at(c, n, LEVEL_RACK) : 0;
    }
    return h;
}

void headroom_free(struct headroom *h)
{
    if (!h)
        return;
    free(h->rack_nw);
    free(h->rack);
    free(h->least);
    free(h);
}

static int128_t worst_nw(const struct headroom *h, node_id n, int64_t gpu_milli, int64_t cpu_milli)
{
    const struct node_power *p = power_of(h, n);
    return (int128_t)gpu_milli * (p->start_nw - p->idle_nw) +
           power_of_cpus_nw(p, cpu_milli, cluster_node_type(h->cluster, n)->cpu_milli);
}

static bool within(const struct headroom *h, node_id n, int128_t nw)
{
    domain_id rack = rack_of(h, n);
    return nw <= h->left_nw && (!rack || nw <= h->rack_nw[rack]);
}

void headroom_change(struct headroom *h, const struct piece *p, int64_t cpu_milli, int sign)
{
    int128_t nw = sign * worst_nw(h, p->node, (int64_t)p->gpus * p->milli, cpu_milli);
    h->left_nw -= nw;
    if (h->rack_nw)
        h->rack_nw[rack_of(h, p->node)] -= nw;
}

bool headroom_has(const struct headroom *h, const struct piece *p, int64_t cpu_milli)
{
    return within(h, p->node, worst_nw(h, p->node, (int64_t)p->gpus * p->milli, cpu_milli));
}

static int128_t worst_of_one_nw(const struct headroom *h, const struct request *r, node_id n)
{
    int64_t gpus = r->tasks == SPLIT_ANY && r->gpus ? 1 : r->gpus;
    return worst_nw(h, n, gpus * r->gpu_milli, r->cpu_milli);
}

bool headroom_fits(const struct headroom *h, const struct request *r, node_id n)
{
    return within(h, n, worst_of_one_nw(h, r, n));
}

uint32_t headroom_gpus(const struct headroom *h, const struct request *r, node_id n)
{
    int128_t one_nw = worst_of_one_nw(h, r, n), left_nw = h->left_nw;
    domain_id rack = rack_of(h, n);
    if (rack && h->rack_nw[rack] < left_nw)
        left_nw = h->rack_nw[rack];
    if (left_nw < 0)
        return 0;
    return one_nw && left_nw / one_nw < UINT32_MAX ? (uint32_t)(left_nw / one_nw) : UINT32_MAX;
}

bool headroom_fits_empty(const struct headroom *h, const struct request *r, node_id n)
{
    int128_t nw = worst_of_one_nw(h, r, n);
    domain_id rack = rack_of(h, n);
    return nw <= h->all_nw && (!rack || nw <= rack_all_nw(h, rack));
}

bool headroom_settled(const struct headroom *h, node_id n)
{
    return within(h, n, 0);
}

bool headroom_may_have(const struct headroom *h, const struct view *v,
                       const struct request *r)
{
    int128_t nw = 0;
    for (; r; r = r->next) {
        const struct shape_kinds *kinds = view_kinds_of(v, r);
        int64_t pieces = r->tasks == SPLIT_ANY ? r->gpus : r->tasks,
                gpus = r->tasks == SPLIT_ANY ? 1 : r->gpus;
        int128_t least = -1;
        for (uint32_t i = 0; i < kinds->n; i++) {
            const struct watts *w = &h->least[kinds->kind[i]];
            int128_t of_kind =
                (int128_t)gpus * r->gpu_milli * w->gpu_nw + (int128_t)r->cpu_milli * w->cpus_nw;
            least = least < 0 || of_kind < least ? of_kind : least;
        }
        nw += least > 0 ? pieces * least : 0;
    }
    return nw <= h->left_nw;
}
