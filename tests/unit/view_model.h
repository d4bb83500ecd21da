/* view_model.h - plain counts beside a free index: what is taken of every GPU, CPU and memory, on random clusters with one
 * group of every sort: nodes with and without names for their GPUs and without any, racks, pods, islands, owned nodes, MIG
 * instances of several profiles and of one; and shapes that may use all kinds of nodes, none, or some, or that want a profile. */
#pragma once
#include "sim/base/memory.h"
#include "sim/capacity/free_index.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 50, GPUS_MOST = 100, HELD_MOST = 200, SHAPES = 9, KINDS_MOST = 24, SEEDS = 300, STEPS = 40 };
enum { WANTS_SMALL = 6, WANTS_LARGE, WANTS_NO_GPU };    /* shapes: an instance of that profile; CPUs alone, of any node */
enum { SMALL = 1 << 12 | 10, LARGE = 3 << 12 | 40, EQUAL = 2 << 12 | 20 };    /* 1g.10gb, 3g.40gb, 2g.20gb */

struct held { struct piece p; int64_t cpu_milli, mem_mib; };
struct bench {
    struct cluster *c;
    struct view *v;
    struct random draws, placer;
    uint16_t kind[SHAPES][KINDS_MOST];
    struct shape_kinds shape[SHAPES];
    struct held held[HELD_MOST];
    size_t n;
    uint32_t used[NODES_MOST][GPUS_MOST];    /* milli of each named GPU */
    int64_t counted[NODES_MOST], cpu[NODES_MOST], mem[NODES_MOST];
};

static inline uint32_t draw(struct bench *b, uint64_t n) { return (uint32_t)random_below(&b->draws, n); }
static inline const struct node_type *type_of(const struct bench *b, node_id n) { return cluster_node_type(b->c, n); }

/* ---- The counts ---- */

static inline uint32_t whole(const struct bench *b, node_id n)
{
    const struct node_type *t = type_of(b, n);
    if (t->counted)
        return b->counted[n] < t->gpus ? t->gpus - (uint32_t)b->counted[n] : 0;
    uint32_t free = 0;
    for (uint32_t g = 0; g < t->gpus; g++)
        free += b->used[n][g] == 0;
    return free;
}

/* Of those that r may use; who wants none sees a node by its first profile. */
static inline uint32_t whole_for(const struct bench *b, const struct request *r, node_id n)
{
    const struct node_type *t = type_of(b, n);
    uint32_t free = 0;
    if (!r->mig && (!t->gpus || t->counted || !t->mig[0]))
        return whole(b, n);
    for (uint32_t g = 0; g < t->gpus; g++)
        free += b->used[n][g] == 0 && t->mig[g] == (r->mig ? r->mig : t->mig[0]);
    return free;
}

/* What an instance of a mixed node counts: 1000 x g. */
static inline uint32_t slot_milli(const struct node_type *t, uint32_t gpu)
{
    return t->mig[gpu] && !t->mig_single ? MILLI_ALL * (t->mig[gpu] >> 12) : MILLI_ALL;
}

static inline uint32_t left_of(const struct bench *b, node_id n, uint32_t gpu)
{
    uint32_t all = slot_milli(type_of(b, n), gpu);
    return b->used[n][gpu] < all ? all - b->used[n][gpu] : 0;
}

static inline uint32_t best_share(const struct bench *b, node_id n)          /* milli; 0: nothing shared has room */
{
    uint32_t best = 0;
    for (uint32_t g = 0; !type_of(b, n)->counted && g < type_of(b, n)->gpus; g++)
        if (b->used[n][g] && left_of(b, n, g) > best)
            best = left_of(b, n, g);
    return best;
}

static inline bool rest_fits(const struct bench *b, const struct request *r, node_id n)
{
    const struct node_type *t = type_of(b, n);
    return (!r->cpu_milli || t->cpu_milli == INT64_MAX || t->cpu_milli - b->cpu[n] >= r->cpu_milli) &&
           (!r->mem_mib || t->mem_mib == INT64_MAX || t->mem_mib - b->mem[n] >= r->mem_mib);
}

static inline bool allows(const struct bench *b, const struct request *r, node_id n)
{
    for (uint32_t i = 0; i < b->shape[r->shape].n; i++)
        if (b->c->kind[b->shape[r->shape].kind[i]].type == b->c->kind[b->c->kind_of[n]].type &&
            b->c->kind[b->shape[r->shape].kind[i]].owner == b->c->kind[b->c->kind_of[n]].owner)
            return true;
    return false;
}

static inline void count_one(struct bench *b, const struct held *h, int sign)
{
    node_id n = h->p.node;
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        b->used[n][__builtin_ctzll(m)] += (uint32_t)sign * h->p.milli;
    b->counted[n] += type_of(b, n)->counted ? sign * (int64_t)h->p.gpus : 0;
    b->cpu[n] += sign * h->cpu_milli;
    b->mem[n] += sign * h->mem_mib;
}

static inline bool has_room(const struct bench *b, const struct held *h)
{
    struct request rest = { .cpu_milli = h->cpu_milli, .mem_mib = h->mem_mib };
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        if (b->used[h->p.node][__builtin_ctzll(m)] + h->p.milli > slot_milli(type_of(b, h->p.node), (uint32_t)__builtin_ctzll(m)))
            return false;
    return rest_fits(b, &rest, h->p.node) &&
           (!type_of(b, h->p.node)->counted || !h->p.gpus ||
            b->counted[h->p.node] + h->p.gpus <= type_of(b, h->p.node)->gpus);
}

/* Taken, and nobody else has any part of it: nothing on the node's GPUs, CPUs and memory beyond what there is. */
static inline bool settled(const struct bench *b, const struct held *h)
{
    const struct node_type *t = type_of(b, h->p.node);
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        if (b->used[h->p.node][__builtin_ctzll(m)] > slot_milli(t, (uint32_t)__builtin_ctzll(m)))
            return false;
    return (t->cpu_milli == INT64_MAX || b->cpu[h->p.node] <= t->cpu_milli) &&
           (t->mem_mib == INT64_MAX || b->mem[h->p.node] <= t->mem_mib) &&
           (!t->counted || b->counted[h->p.node] <= t->gpus);
}

/* ---- Taking and giving ---- */

static inline struct held any_piece(struct bench *b)
{
    struct held h = { .p.node = draw(b, b->c->n_nodes), .cpu_milli = 1000 * draw(b, 4), .mem_mib = 100 * draw(b, 3) };
    const struct node_type *t = type_of(b, h.p.node);
    h.p.milli = draw(b, 3) ? MILLI_ALL : 50 * (1 + draw(b, 19));
    if (t->counted) {
        h.p.gpus = draw(b, 1 + t->gpus / 2);
        h.p.milli = MILLI_ALL;
    } else if (t->gpus) {
        h.p.gpu_mask = random_u64(&b->draws) & random_u64(&b->draws) & UINT64_MAX >> (64 - t->gpus);
        for (uint32_t g = 0, like = draw(b, t->gpus); t->mig[0] && g < t->gpus; g++)    /* instances are alike, and taken whole */
            if (t->mig[g] != t->mig[like])
                h.p.gpu_mask &= ~(UINT64_C(1) << g);
            else
                h.p.milli = slot_milli(t, like);
        h.p.gpus = (uint32_t)__builtin_popcountll(h.p.gpu_mask);
    }
    return h;
}

static inline void give_one(struct bench *b)
{
    size_t i = draw(b, b->n);
    free_index_give(b->v, &b->held[i].p, b->held[i].cpu_milli, b->held[i].mem_mib);
    count_one(b, &b->held[i], -1);
    b->held[i] = b->held[--b->n];
}

static inline void step(struct bench *b)
{
    if (b->n == HELD_MOST || (b->n && draw(b, 5) < 2)) {
        give_one(b);
        return;
    }
    struct held h = any_piece(b);
    bool room = has_room(b, &h);
    assert_int_equal(free_index_has(b->v, &h.p, h.cpu_milli, h.mem_mib), room);
    if (!room && draw(b, 6))                    /* else a claim, on top of what others still hold */
        return;
    free_index_take(b->v, &h.p, h.cpu_milli, h.mem_mib);
    count_one(b, &h, 1);
    b->held[b->n++] = h;
}

/* ---- Worlds: each with one group of every sort ---- */

static inline void begin(struct bench *b, uint64_t seed)
{
    static const struct pin_spec pins[] = { { 0, 1 }, { 1, 1 }, { 2, 1 }, { 5, 1 } };
    memset(b, 0, sizeof *b);
    random_init(&b->draws, seed, "view", 0);
    random_init(&b->placer, seed, "placer", 0);
    uint32_t racks = draw(b, 3);
    struct error err = { "" };
    const struct mig_spec mixed[] = { { SMALL, 1 + draw(b, 5) }, { LARGE, 1 + draw(b, 4) }, { EQUAL, 1 + draw(b, 3) } };
    struct group_spec g[] = {
        { .name = "named", .count = 3 + draw(b, 8), .gpus = 1 + draw(b, 9), .cpu_milli = 16000, .mem_mib = 1000,
          .nodes_per_rack = 2 * racks, .racks_per_pod = racks ? draw(b, 3) : 0 },
        { .name = "pools", .count = 2 + draw(b, 3), .gpus = 65 + draw(b, 36), .cpu_milli = INT64_MAX, .mem_mib = 4000, .nodes_per_rack = racks },
        { .name = "full word", .count = 1 + draw(b, 3), .gpus = 64, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = draw(b, 3) },
        { .name = "no GPU", .count = draw(b, 3), .cpu_milli = 8000, .mem_mib = INT64_MAX },
        { .name = "small pools", .count = draw(b, 4), .gpus = 4, .counted = true, .cpu_milli = 8000, .mem_mib = INT64_MAX },
        { .name = "mixed", .count = 1 + draw(b, 4), .gpus = 4, .mig = mixed, .n_mig = 1 + draw(b, 3), .cpu_milli = 16000,
          .mem_mib = INT64_MAX, .nodes_per_rack = draw(b, 3) },
        { .name = "single", .count = draw(b, 4), .gpus = 4, .mig = mixed + 2, .n_mig = 1, .mig_single = true, .cpu_milli = 16000,
          .mem_mib = INT64_MAX, .nodes_per_rack = draw(b, 3) },
        { .name = "linked", .count = 2 * draw(b, 4), .gpus = 4, .island_gpus = 8, .cpu_milli = 16000, .mem_mib = INT64_MAX },
    };
    struct queue_spec q = { .facts = { .name = "own", .parent = ID_NONE, .weight = 1 }, .pins = pins, .n_pins = draw(b, 5) };
    b->c = cluster_build("view", g, COUNT(g), &q, draw(b, 2), &err);
    if (!b->c)
        fail_msg("%s", err.text);
    assert_true(b->c->n_nodes <= NODES_MOST && b->c->n_kinds <= KINDS_MOST);
    for (int s = 0; s < SHAPES; s++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < b->c->n_kinds; k++)
            if (s == WANTS_NO_GPU                        ? b->c->kind[k].first
                : b->c->kind[k].slot_milli != MILLI_ALL || b->c->kind[k].mig == SMALL
                    ? b->c->kind[k].mig == (s == WANTS_SMALL ? SMALL : s == WANTS_LARGE ? LARGE : 0)
                    : s < WANTS_SMALL && (s == 0 || (s > 1 && draw(b, 2))))    /* all; none; some */
                b->kind[s][n++] = (uint16_t)k;
        b->shape[s] = (struct shape_kinds){ .n = n, .kind = b->kind[s] };
    }
    b->v = free_index_new(b->c, b->shape, &b->placer);
}

static inline struct request any_request(struct bench *b, shape_id shape)
{
    struct request r = { .shape = shape, .tasks = draw(b, 3) ? 1 : SPLIT_ANY, .gpus = draw(b, 6), .try_first = ID_NONE };
    r.gpu_milli = draw(b, 2) ? MILLI_ALL : 50 * (1 + draw(b, 19));
    r.cpu_milli = draw(b, 2) ? 0 : 1000 * draw(b, 12);
    r.mem_mib = draw(b, 2) ? 0 : 100 * draw(b, 12);
    r.tasks = r.shape == WANTS_NO_GPU ? 1 : r.tasks;
    r.gpus = r.shape == WANTS_NO_GPU ? 0 : r.shape >= WANTS_SMALL ? 1 + draw(b, 5) : r.gpus;
    r.mig = r.shape == WANTS_SMALL ? SMALL : r.shape == WANTS_LARGE ? LARGE : 0;
    r.gpu_milli = r.mig ? MILLI_ALL * (uint32_t)(r.mig >> 12) : r.gpus ? r.gpu_milli : MILLI_ALL;
    return r;
}

static inline void end(struct bench *b)
{
    free_index_free(b->v);
    cluster_free(b->c);
}
