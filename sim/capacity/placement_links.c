/* placement_links.c - see placement_links.h. */
#include "sim/capacity/placement_form.h"

#include <math.h>

#define GIGA 1e9

uint32_t placement_links(const struct cluster *c)
{
    return c->n_nodes + c->n_domains;
}

/* Parents come before children, so that going backwards a domain has all of its own when it is added to its parent's. */
void placement_link_rates(const struct cluster *c, const struct fabric *fabric, double *bps)
{
    double *up = bps + c->n_nodes;
    for (domain_id d = 0; d < c->n_domains; d++)
        up[d] = 0;
    for (node_id n = 0; n < c->n_nodes; n++) {
        const struct node_nics *own = &c->nics_of[c->group_of[n]];
        double nic = own->nics * own->gbps * GIGA;
        bps[n] = nic > 0 ? fabric->efficiency * nic : INFINITY;
        up[c->domain_of[n]] += nic;
    }
    for (domain_id d = c->n_domains; d-- > 1;) {
        enum level l = c->domain[d].level;
        up[d] /= l == LEVEL_RACK ? fabric->leaf_oversubscription : l == LEVEL_POD ? fabric->spine_oversubscription : 1;
        up[c->domain[d].parent] += up[d];
        up[d] = (l == LEVEL_RACK || l == LEVEL_POD) && up[d] > 0 ? fabric->efficiency * up[d] : INFINITY;
    }
    up[0] = INFINITY;
}

/* The uplinks of one level, if the nodes are in several such domains. */
static size_t add_uplinks(const struct cluster *c, const struct form_node *node, size_t n, enum level l, uint32_t *link)
{
    size_t n_links = 0;
    if (cluster_domain_at(c, node[0].node, l) == cluster_domain_at(c, node[n - 1].node, l))
        return 0;
    for (size_t i = 0; i < n; i++) {
        domain_id d = cluster_domain_at(c, node[i].node, l);
        if (c->domain[d].level == l && (n_links == 0 || link[n_links - 1] != c->n_nodes + d))
            link[n_links++] = c->n_nodes + d;
    }
    return n_links;
}

size_t placement_links_of(const struct cluster *c, const struct placement *p, struct form_scratch *scratch, uint32_t *link)
{
    size_t n = form_nodes(p, scratch), n_links = 0;
    const struct form_node *node = scratch->node;
    if (n < 2 || (c->domain_of[node[0].node] == c->domain_of[node[n - 1].node] &&
                  c->domain[c->domain_of[node[0].node]].level == LEVEL_ISLAND))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (c->domain[c->domain_of[node[i].node]].level != LEVEL_ISLAND)
            link[n_links++] = node[i].node;
    /* pods come before racks among the domains */
    n_links += add_uplinks(c, node, n, LEVEL_POD, link + n_links);
    return n_links + add_uplinks(c, node, n, LEVEL_RACK, link + n_links);
}
