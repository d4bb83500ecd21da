/* node_walk.c - walks of placers over the nodes of a free index that fit, in a stated order, which skip
 * nodes that cannot (contract/placement.h). */
#include "sim/base/inlined.h"
#include "sim/contract/util/bitset.h"
#include "sim/capacity/free_index.h"
#include "sim/capacity/headroom.h"

/* Where a walk is: at[STARTED] 0 before the first call; BUCKET the number of free GPUs looked at;
 * NEXT the least node id not yet looked at; LOOKS 1 within a bucket, 0 between two. A walk in drawn
 * order has STARTED = 1 + number of candidates, and visits rank (FIRST_RANK + k * STRIDE) modulo
 * that number for k = 0, 1, ... */
enum { STARTED, BUCKET, NEXT, STRIDE };
enum { DRAWN_RANK = BUCKET, DRAWN = NEXT, LOOKS = STRIDE };
enum { FIRST_TRIES = 1000 };    /* after that the first is taken as the stride finds it */

/* Least node id >= from in one set of a kind; NULL: the set of all. */
INLINED node_id kind_next(const struct view *v, uint32_t kind, const uint64_t *set, node_id from)
{
    const struct node_kind *k = &v->cluster->kind[kind];
    const bool all = k->n_nodes == v->cluster->n_nodes;
    uint32_t local = from;
    if (!all) {            /* kinds of part of the cluster have numbers of their own */
        uint32_t low = 0, high = k->n_nodes;
        if (from <= k->node[0])
            high = 0;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (k->node[middle] < from)
                low = middle + 1;
            else
                high = middle;
        }
        local = low;
    }
    if (set)
        local = bitset_next(&v->kind[kind].nodes, set, local);
    if (local >= k->n_nodes)
        return ID_NONE;
    return all ? local : k->node[local];
}

INLINED node_id bucket_next(const struct node_walk *w, uint32_t bucket, node_id from)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    node_id least = ID_NONE;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        if (!kind_bucket_count(k, bucket))
            continue;
        node_id n =
            kind_next(v, allowed->kind[i],
                      k->by_whole ? k->by_whole + (size_t)bucket * k->nodes.words : NULL, from);
        least = n < least ? n : least;
    }
    return least;
}

static node_id share_next(const struct node_walk *w, uint32_t class, node_id from)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    node_id least = ID_NONE;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        if (!k->by_share)
            continue;
        node_id n =
            kind_next(v, allowed->kind[i], k->by_share + (size_t)class * k->nodes.words, from);
        least = n < least ? n : least;
    }
    return least;
}

/* The next number of free GPUs that some node has, from `bucket` upwards or downwards; BITSET_END:
 * none. */
INLINED uint32_t next_bucket(const struct node_walk *w, uint32_t bucket, bool up)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    uint32_t best = BITSET_END;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        uint32_t b = up ? kind_bucket_next(k, bucket) : kind_bucket_previous(k, bucket);
        if (b != BITSET_END && (best == BITSET_END || (up ? b < best : b > best)))
            best = b;
    }
    return best;
}

INLINED bool rest_fits(const struct node_walk *w, node_id n)
{
    const struct node_state *s = &w->v->node[n];
    return !s->out && (!w->r->cpu_milli || s->cpu_milli >= w->r->cpu_milli) &&
           (!w->r->mem_mib || s->mem_mib >= w->r->mem_mib) &&
           (!w->v->headroom || headroom_fits(w->v->headroom, w->r, n));
}

/* On to the next bucket; BITSET_END: there is none any more. */
static void to_bucket(struct node_walk *w, struct node_range range)
{
    bool up = w->order == FULLEST_FIRST, begun = w->at[STARTED];
    uint32_t at = (uint32_t)w->at[BUCKET], first = up ? w->min_whole : CLUSTER_NODE_GPUS_MAX;
    bool ends = begun && !up && at == 0;
    at = ends ? BITSET_END : next_bucket(w, !begun ? first : up ? at + 1 : at - 1, up);
    w->at[BUCKET] = at < w->min_whole ? BITSET_END : at;
    w->at[NEXT] = range.first;
    w->at[STARTED] = w->at[LOOKS] = 1;
}

static bool next_by_bucket(struct node_walk *w, struct node_range range, node_id *n)
{
    for (;;) {
        if (!w->at[LOOKS])
            to_bucket(w, range);
        if (w->at[BUCKET] == BITSET_END)
            return false;
        *n = bucket_next(w, (uint32_t)w->at[BUCKET], (node_id)w->at[NEXT]);
        w->at[NEXT] = (uint64_t)*n + 1;
        w->at[LOOKS] = *n < range.end;
        if (w->at[LOOKS] && rest_fits(w, *n))
            return true;
    }
}

static bool next_by_id(struct node_walk *w, struct node_range range, node_id *n)
{
    if (!w->at[STARTED]) {
        w->at[STARTED] = 1;
        w->at[NEXT] = range.first;
    }
    while (w->at[NEXT] < range.end) {
        node_id least = ID_NONE;
        for (uint32_t b = next_bucket(w, w->min_whole, true); b != BITSET_END;
             b = next_bucket(w, b + 1, true)) {
            node_id found = bucket_next(w, b, (node_id)w->at[NEXT]);
            least = found < least ? found : least;
        }
        if (least >= range.end)
            break;
        *n = least;
        w->at[NEXT] = (uint64_t)least + 1;
        if (rest_fits(w, least))
            return true;
    }
    w->at[NEXT] = range.end;
    return false;
}

static bool share_fits(const struct node_walk *w, node_id n)
{
    for (uint64_t m = w->v->node[n].shared_mask; m; m &= m - 1)
        if (view_gpu_fits(w->v, w->r, n, (unsigned)__builtin_ctzll(m)))
            return true;
    return false;
}

static bool next_shared(struct node_walk *w, struct node_range range, node_id *n)
{
    if (!w->at[STARTED]) {
        w->at[STARTED] = 1;
        w->at[BUCKET] = w->r->gpu_milli / 100 + 1;
        w->at[NEXT] = range.first;
    }
    for (; w->at[BUCKET] < SHARE_CLASSES; w->at[BUCKET]++, w->at[NEXT] = range.first) {
        while ((*n = share_next(w, (uint32_t)w->at[BUCKET], (node_id)w->at[NEXT])) < range.end) {
            w->at[NEXT] = (uint64_t)*n + 1;
            if (rest_fits(w, *n) && share_fits(w, *n))
                return true;
        }
    }
    return false;
}

/* Candidates in the order kind, free GPUs, id; `rank` counts over all of them. */
static node_id candidate(const struct node_walk *w, uint64_t rank)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        for (uint32_t b = kind_bucket_next(k, w->min_whole); b != BITSET_END;
             b = kind_bucket_next(k, b + 1)) {
            uint32_t count = kind_bucket_count(k, b);
            if (rank < count) {
                uint32_t local = 0;
                if (k->by_whole)
                    local = bitset_select(k->by_whole + (size_t)b * k->nodes.words, (uint32_t)rank);
                return v->cluster->kind[allowed->kind[i]].node[local];
            }
            rank -= count;
        }
    }
    return ID_NONE;
}

static uint64_t count_candidates(const struct node_walk *w)
{
    const struct view *v = w->v;
    const struct shape_kinds *allowed = view_kinds_of(v, w->r);
    uint64_t count = 0;
    for (uint32_t i = 0; i < allowed->n; i++) {
        const struct kind_index *k = &v->kind[allowed->kind[i]];
        for (uint32_t b = kind_bucket_next(k, w->min_whole); b != BITSET_END;
             b = kind_bucket_next(k, b + 1))
            count += kind_bucket_count(k, b);
    }
    return count;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The first node: drawn again while it is out of range or lacks the rest, so that each that will do
 * is equally likely. */
static uint64_t first_rank(const struct node_walk *w, struct node_range range, uint64_t count)
{
    uint64_t rank = 0;
    for (unsigned tries = 0; tries < FIRST_TRIES; tries++) {
        rank = random_below(w->v->random, count);
        node_id n = candidate(w, rank);
        if (n >= range.first && n < range.end && rest_fits(w, n))
            break;
    }
    return rank;
}

static bool next_drawn(struct node_walk *w, struct node_range range, node_id *n)
{
    if (!w->at[STARTED]) {
        uint64_t count = count_candidates(w);
        w->at[STARTED] = 1 + count;
        if (count) {
            w->at[DRAWN_RANK] = first_rank(w, range, count);
            w->at[STRIDE] = 1 + random_below(w->v->random, count);
            while (common_divisor(w->at[STRIDE], count) != 1)
                w->at[STRIDE]++;
        }
    }
    uint64_t count = w->at[STARTED] - 1;
    while (w->at[DRAWN] < count) {
        *n = candidate(w, w->at[DRAWN_RANK]);
        w->at[DRAWN_RANK] = (w->at[DRAWN_RANK] + w->at[STRIDE]) % count;
        w->at[DRAWN]++;
        if (*n >= range.first && *n < range.end && rest_fits(w, *n))
            return true;
    }
    return false;
}

bool node_walk_next(struct node_walk *w, node_id *n)
{
    struct node_range range = free_index_range(w->v, w->within);
    if (w->shared_only)
        return next_shared(w, range, n);
    switch (w->order) {
    case BY_ID:
        return next_by_id(w, range, n);
    case ANY_ORDER:
        return next_drawn(w, range, n);
    default:
        return next_by_bucket(w, range, n);
    }
}
