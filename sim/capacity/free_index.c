/* free_index.c - see free_index.h. */
#include "sim/capacity/free_index.h"

#include "sim/base/inlined.h"
#include "sim/base/memory.h"
#include "sim/capacity/headroom.h"
#include "sim/capacity/scores.h"

#include <stdlib.h>

static inline uint64_t *whole_set(const struct kind_index *k, uint32_t whole)
{
    return k->by_whole + (size_t)whole * k->nodes.words;
}

static inline uint64_t *share_set(const struct kind_index *k, uint32_t class)
{
    return k->by_share + (size_t)class * k->nodes.words;
}

/* Of node_state.whole. */
static inline uint32_t shown(int32_t whole)
{
    return whole > 0 ? (uint32_t)whole : 0;
}

static inline void bucket_enter(struct kind_index *k, uint32_t whole, uint32_t local)
{
    bitset_add(&k->nodes, whole_set(k, whole), local);
    if (k->count[whole]++ == 0)
        bitset_add(&k->buckets, k->some, whole);
}

static inline void bucket_leave(struct kind_index *k, uint32_t whole, uint32_t local)
{
    bitset_remove(&k->nodes, whole_set(k, whole), local);
    if (--k->count[whole] == 0)
        bitset_remove(&k->buckets, k->some, whole);
}

static void domains_change(struct view *v, node_id n, uint32_t kind, uint32_t before,
                           uint32_t after)
{
    const struct cluster *c = v->cluster;
    for (domain_id d = c->domain_of[n]; d != 0; d = c->domain[d].parent) {
        v->domain_whole[(size_t)d * c->n_kinds + kind] += after - before;
        if (v->hist_at[kind] != UINT64_MAX) {
            uint32_t *hist = v->domain_hist + d * v->hist_stride + v->hist_at[kind];
            hist[before]--;
            hist[after]++;
        }
    }
}

INLINED void kind_change(struct view *v, node_id n, uint32_t kind, uint32_t before,
                               uint32_t after)
{
    struct kind_index *k = &v->kind[kind];
    k->whole += (int64_t)after - before;
    if (k->by_whole) {
        uint32_t local = v->cluster->local_of[n];
        bucket_leave(k, before, local);
        bucket_enter(k, after, local);
    }
    if (v->domain_whole)
        domains_change(v, n, kind, before, after);
}

static void set_whole(struct view *v, node_id n, int32_t whole)
{
    struct node_state *s = &v->node[n];
    uint32_t before = shown(s->whole), after = shown(whole);
    s->whole = whole;
    if (before != after)
        kind_change(v, n, v->cluster->kind_of[n], before, after);
}

/* A node of several kinds counts in each by the GPUs of that kind. */
static void set_parts(struct view *v, node_id n, uint64_t was, uint64_t is)
{
    uint32_t first = v->cluster->kind_of[n];
    v->node[n].whole = __builtin_popcountll(is);
    for (uint32_t k = first; k < first + v->cluster->kind[first].parts; k++) {
        const struct node_kind *part = &v->cluster->kind[k];
        uint32_t before = (uint32_t)__builtin_popcountll(kind_begins(part, was));
        uint32_t after = (uint32_t)__builtin_popcountll(kind_begins(part, is));
        if (before != after)
            kind_change(v, n, k, before, after);
    }
}

static uint32_t best_share_class(const struct view *v, node_id n)
{
    uint32_t best = 0;
    for (uint64_t m = v->node[n].shared_mask; m; m &= m - 1) {
        uint32_t left = MILLI_ALL - view_used_milli(v, n, (unsigned)__builtin_ctzll(m));
        if (left > best)
            best = left;
    }
    return best ? best / 100 + 1 : 0;
}

static void set_share_class(struct view *v, node_id n)
{
    struct node_state *s = &v->node[n];
    uint32_t class = best_share_class(v, n), local = v->cluster->local_of[n];
    if (class == s->share_class)
        return;
    struct kind_index *k = &v->kind[v->cluster->kind_of[n]];
    if (s->share_class)
        bitset_remove(&k->nodes, share_set(k, s->share_class), local);
    if (class)
        bitset_add(&k->nodes, share_set(k, class), local);
    s->share_class = (uint16_t)class;
}

static uint64_t bits_of(const struct view *v, const struct piece *p)
{
    const struct cluster *c = v->cluster;
    return p->mig && v->node[p->node].several
               ? kind_takes(&c->kind[cluster_piece_kind(c, p)], p->gpu_mask)
               : p->gpu_mask;
}

/* The common change: all GPUs of the piece were free as a whole, or become so. */
INLINED bool whole_gpus_change(struct view *v, const struct piece *p, int32_t milli)
{
    struct node_state *s = &v->node[p->node];
    bool gives = milli < 0;
    uint64_t in_the_way = p->gpu_mask & (gives ? s->whole_mask | s->partial_mask : ~s->whole_mask);
    if (s->several || in_the_way || milli != (gives ? -(int32_t)MILLI_ALL : (int32_t)MILLI_ALL))
        return false;
    /* never negative, as these GPUs have names */
    uint32_t before = (uint32_t)s->whole, after = gives ? before + p->gpus : before - p->gpus;
    s->whole_mask ^= p->gpu_mask;
    s->whole = (int32_t)after;
    kind_change(v, p->node, v->cluster->kind_of[p->node], before, after);
    return true;
}

static void each_gpu_changes(struct view *v, const struct piece *p, int32_t milli)
{
    struct node_state *s = &v->node[p->node];
    uint32_t *used = v->used + v->cluster->gpu_base[p->node];
    uint64_t shared = s->shared_mask, whole = s->whole_mask, told = s->partial_mask;
    for (uint64_t m = bits_of(v, p); m; m &= m - 1) {
        unsigned gpu = (unsigned)__builtin_ctzll(m);
        uint64_t bit = m & -m;
        uint32_t now = (uint32_t)((int32_t)view_used_milli(v, p->node, gpu) + milli);
        bool tells = now != 0 && now != MILLI_ALL;
        used[gpu] = tells ? now : 0;
        whole = now == 0 ? whole | bit : whole & ~bit;
        shared = now > 0 && now < MILLI_ALL ? shared | bit : shared & ~bit;
        told = tells ? told | bit : told & ~bit;
    }
    bool any_shared = (shared | s->shared_mask) != 0;
    s->shared_mask = shared;
    s->partial_mask = told;
    if (s->several)
        set_parts(v, p->node, s->whole_mask, whole);
    else
        set_whole(v, p->node, __builtin_popcountll(whole));
    s->whole_mask = whole;
    if (any_shared)
        set_share_class(v, p->node);
}

/* Adds `milli` (negative: gives back) to the GPUs of the mask and follows with every set. */
INLINED void named_change(struct view *v, const struct piece *p, int32_t milli)
{
    if (!whole_gpus_change(v, p, milli))
        each_gpu_changes(v, p, milli);
}

static void memory_change(struct view *v, const struct piece *p, int32_t sign)
{
    uint32_t *mem = v->mem_mib + v->cluster->gpu_base[p->node];
    for (uint64_t m = p->gpu_mask; m; m &= m - 1)
        mem[__builtin_ctzll(m)] += (uint32_t)sign * p->gpu_mem_mib;
}

static inline void node_changed(struct view *v, node_id n)
{
    scores_changed(v->scores, n);
    if (v->changed)
        v->changed[n / 64] |= UINT64_C(1) << n % 64;
}

/* What few runs follow besides. */
static void rest_changes(struct view *v, const struct piece *p, int64_t cpu_milli, int32_t sign)
{
    if (v->headroom)
        headroom_change(v->headroom, p, cpu_milli, sign);
    if (v->mem_mib && p->gpu_mem_mib)
        memory_change(v, p, sign);
    if (v->tenants && p->gpus)
        v->tenants[(size_t)p->node * TENANT_CLASSES + tenant_class(p->gpus, p->milli)] +=
            (uint32_t)sign;
    node_changed(v, p->node);
}

INLINED void change(struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib,
                    int32_t sign)
{
    struct node_state *s = &v->node[p->node];
    v->version++;
    if (s->cpu_milli != INT64_MAX)
        s->cpu_milli -= sign * cpu_milli;
    if (s->mem_mib != INT64_MAX)
        s->mem_mib -= sign * mem_mib;
    if (p->gpu_mask)
        named_change(v, p, sign * (int32_t)p->milli);
    else if (p->gpus)
        set_whole(v, p->node, s->whole - sign * (int32_t)p->gpus);
    if (v->follows_more)
        rest_changes(v, p, cpu_milli, sign);
}

void free_index_take(struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib)
{
    change(v, p, cpu_milli, mem_mib, 1);
}

void free_index_give(struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib)
{
    change(v, p, cpu_milli, mem_mib, -1);
}

void free_index_out_gpus(struct view *v, node_id n, uint64_t gpus, int sign)
{
    const struct piece p = { .node = n,
                             .gpu_mask = gpus,
                             .gpus = (uint32_t)__builtin_popcountll(gpus) };
    v->version++;
    named_change(v, &p, sign * (int32_t)MILLI_ALL);
    node_changed(v, n);
}

void free_index_out_node(struct view *v, node_id n, uint32_t counted, int sign)
{
    const struct node_type *t = cluster_node_type(v->cluster, n);
    struct node_state *s = &v->node[n];
    v->version++;
    s->out = sign > 0;
    if (s->cpu_milli != INT64_MAX)
        s->cpu_milli -= sign * t->cpu_milli;
    if (s->mem_mib != INT64_MAX)
        s->mem_mib -= sign * t->mem_mib;
    if (counted)
        set_whole(v, n, s->whole - sign * (int32_t)counted);
    node_changed(v, n);
}

void free_index_set_counted(struct view *v, node_id n, int32_t whole)
{
    const int32_t less = v->node[n].whole - whole;
    if (less == 0)
        return;
    v->version++;
    if (v->headroom)
        headroom_change(
            v->headroom,
            &(struct piece){ .node = n, .gpus = (uint32_t)abs(less), .milli = MILLI_ALL }, 0,
            less < 0 ? -1 : 1);
    set_whole(v, n, whole);
    node_changed(v, n);
}

static bool has_memory(const struct view *v, const struct piece *p)
{
    for (uint64_t m = p->gpu_mask; m; m &= m - 1)
        if (!free_index_has_memory(v, p->node, (unsigned)__builtin_ctzll(m), p->gpu_mem_mib))
            return false;
    return true;
}

static bool has_gpus(const struct view *v, const struct piece *p)
{
    const struct node_state *s = &v->node[p->node];
    if (!p->gpu_mask)
        return p->gpus == 0 || (s->whole >= 0 && (uint32_t)s->whole >= p->gpus);
    if (p->milli >= MILLI_ALL)
        return (bits_of(v, p) & ~s->whole_mask) == 0;
    if (p->gpu_mask & ~(s->whole_mask | s->shared_mask))
        return false;
    for (uint64_t m = p->gpu_mask & s->shared_mask; m; m &= m - 1)
        if (view_used_milli(v, p->node, (unsigned)__builtin_ctzll(m)) + p->milli > MILLI_ALL)
            return false;
    return true;
}

/* What is not wanted or not scarce for most pieces, and the GPUs. */
static __attribute__((noinline)) bool has_rest(const struct view *v, const struct piece *p,
                                               int64_t cpu_milli)
{
    return (!v->headroom || headroom_has(v->headroom, p, cpu_milli)) &&
           (!v->mem_most_mib || has_memory(v, p)) && has_gpus(v, p);
}

bool free_index_has(const struct view *v, const struct piece *p, int64_t cpu_milli, int64_t mem_mib)
{
    const struct node_state *s = &v->node[p->node];
    if (s->out || (cpu_milli && s->cpu_milli < cpu_milli) || (mem_mib && s->mem_mib < mem_mib))
        return false;
    if (v->follows_more || !p->gpu_mask || p->milli < MILLI_ALL || p->mig)
        return has_rest(v, p, cpu_milli);
    return !(p->gpu_mask & ~s->whole_mask);
}

static bool memory_settled(const struct view *v, const struct piece *p)
{
    const struct cluster *c = v->cluster;
    uint32_t most = v->mem_most_mib[c->kind[c->kind_of[p->node]].type];
    for (uint64_t m = p->gpu_mask; m && most; m &= m - 1)
        if (v->mem_mib[c->gpu_base[p->node] + (unsigned)__builtin_ctzll(m)] > most)
            return false;
    return true;
}

bool free_index_settled(const struct view *v, const struct piece *p)
{
    const struct node_state *s = &v->node[p->node];
    if (s->cpu_milli < 0 || s->mem_mib < 0 || s->whole < 0 ||
        (v->headroom && !headroom_settled(v->headroom, p->node)))
        return false;
    uint32_t all = p->milli > MILLI_ALL ? p->milli : MILLI_ALL;
    for (uint64_t m = bits_of(v, p); m; m &= m - 1)
        if (view_used_milli(v, p->node, (unsigned)__builtin_ctzll(m)) > all)
            return false;
    return !v->mem_most_mib || memory_settled(v, p);
}

void free_index_take_changed(struct view *v, uint64_t *nodes)
{
    uint32_t words = v->cluster->n_nodes / 64 + 1;
    if (!v->changed) {
        v->follows_more = true;
        v->changed = mem_new(words, sizeof *v->changed);
        for (node_id n = 0; n < v->cluster->n_nodes; n++)
            node_changed(v, n);
    }
    for (uint32_t w = 0; w < words; w++) {
        nodes[w] |= v->changed[w];
        v->changed[w] = 0;
    }
}

void free_index_forget_changed(struct view *v)
{
    free(v->changed);
    v->changed = NULL;
}

void free_index_confine(struct view *v, domain_id d, uint64_t only)
{
    view_domain_nodes(v, d, &v->first, &v->end);
    v->only = only;
}

/* Kinds of nodes with several profiles count by instances: there the slots of the nodes are added up. */
int64_t free_index_all_whole(const struct view *v)
{
    const struct cluster *c = v->cluster;
    int64_t sum = 0;
    for (uint32_t k = 0; k < c->n_kinds; k += c->kind[k].parts) {
        if (c->kind[k].parts == 1)
            sum += v->kind[k].whole;
        else
            for (uint32_t i = 0; i < c->kind[k].n_nodes; i++)
                sum += v->node[c->kind[k].node[i]].whole;
    }
    return sum;
}

/* ---- making ---- */

static void kind_new(struct kind_index *k, const struct cluster *c, const struct node_kind *facts)
{
    const struct node_type *t = &c->type[facts->type];
    k->gpus = facts->gpus;
    k->nodes = bitset_shape(facts->n_nodes);
    k->buckets = bitset_shape(k->gpus + 1);
    k->by_share =
        t->counted ? NULL : mem_new((size_t)SHARE_CLASSES * k->nodes.words, sizeof *k->by_share);
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

struct view *free_index_new(const struct cluster *c, const struct shape_kinds *shapes,
                            struct random *r)
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
    v->follows_more = true;
    v->tenants = mem_new((size_t)v->cluster->n_nodes * TENANT_CLASSES, sizeof *v->tenants);
}

void free_index_cap_power(struct view *v)
{
    v->headroom = headroom_new(v->cluster);
    v->follows_more = v->follows_more || v->headroom;
}

void free_index_count_memory(struct view *v, const uint32_t *most_mib)
{
    v->follows_more = true;
    v->mem_mib = mem_new(v->cluster->gpu_base[v->cluster->n_nodes] + 1, sizeof *v->mem_mib);
    v->mem_most_mib = most_mib;
}

void free_index_set_shapes(struct view *v, const struct shape_kinds *shapes)
{
    if (v->shape == shapes)
        return;
    v->shape = shapes;
    scores_forget(v->scores);
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
    free(v->changed);
    headroom_free(v->headroom);
    scores_free(v->scores);
    arena_free(v->prepared);
    free(v);
}

/* ---- checking ---- */

/* The part of a node that a kind counts. */
static uint32_t whole_of(const struct view *v, node_id n, uint32_t kind)
{
    const struct node_state *s = &v->node[n];
    const struct node_kind *k = &v->cluster->kind[kind];
    return k->first && k->parts == 1
               ? shown(s->whole)
               : (uint32_t)__builtin_popcountll(kind_begins(k, s->whole_mask));
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
        if ((s->whole_mask >> g & 1) != (used == 0) ||
            (s->shared_mask >> g & 1) != (used > 0 && used < MILLI_ALL) ||
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
