/* free_index_check.c - whether the sets and sums of a free index are those of its nodes. */
#include "sim/base/memory.h"
#include "sim/capacity/free_index_parts.h"

#include <stdlib.h>

/* What a kind counts of a node. */
static uint32_t whole_of(const struct view *v, node_id n, uint32_t kind)
{
    const struct node_state *s = &v->node[n];
    const struct node_kind *k = &v->cluster->kind[kind];
    return k->first && k->parts == 1 ? shown(s->whole) : (uint32_t)__builtin_popcountll(kind_begins(k, s->whole_mask));
}

static bool kind_consistent(const struct view *v, node_id n, uint32_t kind)
{
    const struct kind_index *k = &v->kind[kind];
    uint32_t local = v->cluster->local_of[n], whole = whole_of(v, n, kind);
    for (uint32_t f = 0; k->by_whole && f <= k->gpus; f++)
        if (bitset_has(whole_set(k, f), local) != (f == whole))
            return false;
    return k->by_whole || k->whole == whole;
}

static bool node_consistent(const struct view *v, node_id n)
{
    const struct cluster *c = v->cluster;
    const struct node_state *s = &v->node[n];
    const struct kind_index *k = &v->kind[c->kind_of[n]];
    uint32_t local = c->local_of[n];
    for (uint32_t part = 0; part < c->kind[c->kind_of[n]].parts; part++)
        if (!kind_consistent(v, n, c->kind_of[n] + part))
            return false;
    if (!k->by_share)
        return true;
    for (unsigned g = 0; g < cluster_node_gpus(c, n); g++) {
        uint32_t used = view_used_milli(v, n, g);
        if ((s->whole_mask >> g & 1) != (used == 0) || (s->shared_mask >> g & 1) != (used > 0 && used < MILLI_ALL) ||
            (s->partial_mask >> g & 1) != (used != 0 && used != MILLI_ALL))
            return false;
    }
    for (uint32_t f = 1; f < SHARE_CLASSES; f++)
        if (bitset_has(share_set(k, f), local) != (f == best_share_class(v, n)))
            return false;
    return s->whole == __builtin_popcountll(s->whole_mask);
}

bool free_index_consistent(const struct view *v)
{
    const struct cluster *c = v->cluster;
    int64_t *sum = mem_new((size_t)c->n_domains * c->n_kinds, sizeof *sum);
    bool good = true;
    for (node_id n = 0; n < c->n_nodes && good; n++) {
        good = node_consistent(v, n);
        for (domain_id d = c->domain_of[n];; d = c->domain[d].parent) {
            for (uint32_t part = 0, k = c->kind_of[n]; part < c->kind[k].parts; part++)
                sum[(size_t)d * c->n_kinds + k + part] += whole_of(v, n, k + part);
            if (d == 0)
                break;
        }
    }
    for (uint32_t k = 0; k < c->n_kinds && good; k++) {
        good = sum[k] == v->kind[k].whole;
        for (domain_id d = 1; d < c->n_domains && good; d++)
            good = sum[(size_t)d * c->n_kinds + k] == v->domain_whole[(size_t)d * c->n_kinds + k];
    }
    free(sum);
    return good;
}
