/* free_index_new.c - making a free index, with what it is to count, and taking it down. */
#include "sim/base/memory.h"
#include "sim/capacity/free_index_parts.h"
#include "sim/capacity/headroom.h"
#include "sim/capacity/scores.h"

#include <stdlib.h>

static void kind_new(struct kind_index *k, const struct cluster *c, const struct node_kind *facts)
{
    const struct node_type *t = &c->type[facts->type];
    k->gpus = facts->gpus;
    k->nodes = bitset_shape(facts->n_nodes);
    k->buckets = bitset_shape(k->gpus + 1);
    k->by_share = t->counted ? NULL : mem_new((size_t)SHARE_CLASSES * k->nodes.words, sizeof *k->by_share);
    if (facts->n_nodes == 1)
        return;
    k->by_whole = mem_new((size_t)(k->gpus + 1) * k->nodes.words, sizeof *k->by_whole);
    k->some = mem_new(k->buckets.words, sizeof *k->some);
    k->count = mem_new((size_t)k->gpus + 1, sizeof *k->count);
}

static void domains_new(struct view *v)
{
    const struct cluster *c = v->cluster;
    if (c->n_domains <= 1)
        return;
    v->domain_whole = mem_new((size_t)c->n_domains * c->n_kinds, sizeof *v->domain_whole);
    v->hist_at = mem_new(c->n_kinds, sizeof *v->hist_at);
    for (uint32_t k = 0; k < c->n_kinds; k++) {
        const struct node_type *t = &c->type[c->kind[k].type];
        v->hist_at[k] = t->counted ? UINT64_MAX : v->hist_stride;
        v->hist_stride += t->counted ? 0 : c->kind[k].gpus + 1;
    }
    v->domain_hist = mem_new((size_t)c->n_domains * v->hist_stride, sizeof *v->domain_hist);
}

static void kind_enter(struct view *v, node_id n, uint32_t kind)
{
    const struct cluster *c = v->cluster;
    uint32_t gpus = v->kind[kind].gpus;
    v->kind[kind].whole += gpus;
    if (v->kind[kind].by_whole)
        bucket_enter(&v->kind[kind], gpus, c->local_of[n]);
    if (!v->domain_whole)
        return;
    for (domain_id d = c->domain_of[n]; d != 0; d = c->domain[d].parent) {
        v->domain_whole[(size_t)d * c->n_kinds + kind] += gpus;
        if (v->hist_at[kind] != UINT64_MAX)
            v->domain_hist[d * v->hist_stride + v->hist_at[kind] + gpus]++;
    }
}

static void node_enter(struct view *v, node_id n)
{
    const struct cluster *c = v->cluster;
    const struct node_type *t = cluster_node_type(c, n);
    struct node_state *s = &v->node[n];
    s->whole = (int32_t)t->gpus;
    s->whole_mask = t->counted || !t->gpus ? 0 : UINT64_MAX >> (64 - t->gpus);
    s->cpu_milli = t->cpu_milli;
    s->mem_mib = t->mem_mib;
    uint32_t first = c->kind_of[n];
    s->several = c->kind[first].parts > 1;
    for (uint32_t kind = first; kind < first + c->kind[first].parts; kind++)
        kind_enter(v, n, kind);
}

struct view *free_index_new(const struct cluster *c, const struct shape_kinds *shapes, struct random *r)
{
    struct view *v = mem_new(1, sizeof *v);
    v->cluster = c;
    v->shape = shapes;
    v->random = r;
    v->end = c->n_nodes;
    v->only = UINT64_MAX;
    v->kind = mem_new(c->n_kinds, sizeof *v->kind);
    for (uint32_t k = 0; k < c->n_kinds; k++)
        kind_new(&v->kind[k], c, &c->kind[k]);
    v->node = mem_new(c->n_nodes, sizeof *v->node);
    v->used = mem_new(c->gpu_base[c->n_nodes] + 1, sizeof *v->used);
    domains_new(v);
    for (node_id n = 0; n < c->n_nodes; n++)
        node_enter(v, n);
    return v;
}

void free_index_count_tenants(struct view *v)
{
    v->tenants = mem_new((size_t)v->cluster->n_nodes * TENANT_CLASSES, sizeof *v->tenants);
}

void free_index_cap_power(struct view *v)
{
    v->headroom = headroom_new(v->cluster);
}

void free_index_count_memory(struct view *v, const uint32_t *most_mib)
{
    v->mem_mib = mem_new(v->cluster->gpu_base[v->cluster->n_nodes] + 1, sizeof *v->mem_mib);
    v->mem_most_mib = most_mib;
}

void free_index_free(struct view *v)
{
    if (!v)
        return;
    for (uint32_t k = 0; k < v->cluster->n_kinds; k++) {
        free(v->kind[k].by_whole);
        free(v->kind[k].some);
        free(v->kind[k].count);
        free(v->kind[k].by_share);
    }
    free(v->kind);
    free(v->node);
    free(v->used);
    free(v->domain_whole);
    free(v->domain_hist);
    free(v->hist_at);
    free(v->mem_mib);
    free(v->tenants);
    headroom_free(v->headroom);
    scores_free(v->scores);
    arena_free(v->prepared);
    free(v);
}
