/* test_view.c - every question that a view answers, against plain counts: nodes with and without names for their GPUs and
 * without any, shapes that may use some kinds of nodes only, claims on top of what is taken, and the way back, byte by byte.
 * test_free_index.c has walks over clusters of one kind; here are the rest. */
#include "sim/core/memory.h"
#include "sim/world/free_index.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 40, GPUS_MOST = 100, HELD_MOST = 200, SHAPES = 6, KINDS_MOST = 16, SEEDS = 120, STEPS = 40 };

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

static uint32_t draw(struct bench *b, uint64_t n) { return (uint32_t)random_below(&b->draws, n); }
static const struct node_type *type_of(const struct bench *b, node_id n) { return cluster_node_type(b->c, n); }

/* ---- The counts ---- */

static uint32_t whole(const struct bench *b, node_id n)
{
    const struct node_type *t = type_of(b, n);
    if (t->counted)
        return b->counted[n] < t->gpus ? t->gpus - (uint32_t)b->counted[n] : 0;
    uint32_t free = 0;
    for (uint32_t g = 0; g < t->gpus; g++)
        free += b->used[n][g] == 0;
    return free;
}

static uint32_t left_of(const struct bench *b, node_id n, uint32_t gpu)
{
    return b->used[n][gpu] < MILLI_ALL ? MILLI_ALL - b->used[n][gpu] : 0;
}

static uint32_t best_share(const struct bench *b, node_id n)          /* milli; 0: nothing shared has room */
{
    uint32_t best = 0;
    for (uint32_t g = 0; !type_of(b, n)->counted && g < type_of(b, n)->gpus; g++)
        if (b->used[n][g] && left_of(b, n, g) > best)
            best = left_of(b, n, g);
    return best;
}

static bool rest_fits(const struct bench *b, const struct request *r, node_id n)
{
    const struct node_type *t = type_of(b, n);
    return (!r->cpu_milli || t->cpu_milli == INT64_MAX || t->cpu_milli - b->cpu[n] >= r->cpu_milli) &&
           (!r->mem_mib || t->mem_mib == INT64_MAX || t->mem_mib - b->mem[n] >= r->mem_mib);
}

static bool allows(const struct bench *b, const struct request *r, node_id n)
{
    for (uint32_t i = 0; i < b->shape[r->shape].n; i++)
        if (b->shape[r->shape].kind[i] == b->c->kind_of[n])
            return true;
    return false;
}

static void count_one(struct bench *b, const struct held *h, int sign)
{
    node_id n = h->p.node;
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        b->used[n][__builtin_ctzll(m)] += (uint32_t)sign * h->p.milli;
    b->counted[n] += type_of(b, n)->counted ? sign * (int64_t)h->p.gpus : 0;
    b->cpu[n] += sign * h->cpu_milli;
    b->mem[n] += sign * h->mem_mib;
}

static bool has_room(const struct bench *b, const struct held *h)
{
    struct request rest = { .cpu_milli = h->cpu_milli, .mem_mib = h->mem_mib };
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        if (b->used[h->p.node][__builtin_ctzll(m)] + h->p.milli > MILLI_ALL)
            return false;
    return rest_fits(b, &rest, h->p.node) &&
           (!type_of(b, h->p.node)->counted || !h->p.gpus ||
            b->counted[h->p.node] + h->p.gpus <= type_of(b, h->p.node)->gpus);
}

/* Taken, and nobody else has any part of it: nothing on the node's GPUs, CPUs and memory beyond what there is. */
static bool settled(const struct bench *b, const struct held *h)
{
    const struct node_type *t = type_of(b, h->p.node);
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        if (b->used[h->p.node][__builtin_ctzll(m)] > MILLI_ALL)
            return false;
    return (t->cpu_milli == INT64_MAX || b->cpu[h->p.node] <= t->cpu_milli) &&
           (t->mem_mib == INT64_MAX || b->mem[h->p.node] <= t->mem_mib) &&
           (!t->counted || b->counted[h->p.node] <= t->gpus);
}

/* ---- Taking and giving ---- */

static struct held any_piece(struct bench *b)
{
    struct held h = { .p.node = draw(b, b->c->n_nodes), .cpu_milli = 1000 * draw(b, 4), .mem_mib = 100 * draw(b, 3) };
    const struct node_type *t = type_of(b, h.p.node);
    h.p.milli = draw(b, 3) ? MILLI_ALL : 50 * (1 + draw(b, 19));
    if (t->counted) {
        h.p.gpus = draw(b, 1 + t->gpus / 2);
        h.p.milli = MILLI_ALL;
    } else if (t->gpus) {
        h.p.gpu_mask = random_u64(&b->draws) & random_u64(&b->draws) & UINT64_MAX >> (64 - t->gpus);
        h.p.gpus = (uint32_t)__builtin_popcountll(h.p.gpu_mask);
    }
    return h;
}

static void give_one(struct bench *b)
{
    size_t i = draw(b, b->n);
    free_index_give(b->v, &b->held[i].p, b->held[i].cpu_milli, b->held[i].mem_mib);
    count_one(b, &b->held[i], -1);
    b->held[i] = b->held[--b->n];
}

static void step(struct bench *b)
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

/* ---- Nodes ---- */

static void nodes_agree(const struct bench *b)
{
    for (node_id n = 0; n < b->c->n_nodes; n++) {
        const struct node_type *t = type_of(b, n);
        struct node_free f = view_node(b->v, n);
        uint64_t whole_mask = 0, shared_mask = 0;
        for (uint32_t g = 0; !t->counted && g < t->gpus; g++) {
            whole_mask |= (uint64_t)(b->used[n][g] == 0) << g;
            shared_mask |= (uint64_t)(b->used[n][g] > 0 && b->used[n][g] < MILLI_ALL) << g;
            assert_int_equal(view_gpu_milli(b->v, n, g), left_of(b, n, g));
        }
        assert_int_equal(f.whole_mask, whole_mask);
        assert_int_equal(f.shared_mask, shared_mask);
        assert_int_equal(f.whole, whole(b, n));
        assert_int_equal(f.capacity, t->gpus);
        assert_int_equal(f.cpu_milli, t->cpu_milli == INT64_MAX ? INT64_MAX : t->cpu_milli - b->cpu[n]);
        assert_int_equal(f.mem_mib, t->mem_mib == INT64_MAX ? INT64_MAX : t->mem_mib - b->mem[n]);
        struct amount size = view_node_size(b->v, n);
        assert_int_equal(size.gpu_milli, (int64_t)t->gpus * MILLI_ALL);
        assert_int_equal(size.cpu_milli, t->cpu_milli);
        assert_int_equal(size.mem_mib, t->mem_mib);
    }
    for (size_t i = 0; i < b->n; i++)
        assert_int_equal(free_index_settled(b->v, &b->held[i].p), settled(b, &b->held[i]));
}

static bool fits(const struct bench *b, const struct request *r, node_id n)
{
    uint32_t need = r->tasks == SPLIT_ANY ? 1 : r->gpus, have = whole(b, n);
    for (uint32_t g = 0; !type_of(b, n)->counted && r->gpu_milli < MILLI_ALL && g < type_of(b, n)->gpus; g++)
        have += b->used[n][g] && left_of(b, n, g) >= r->gpu_milli;
    return allows(b, r, n) && rest_fits(b, r, n) && have >= need;
}

/* ---- Domains ---- */

static void domains_agree(const struct bench *b, const struct request *r)
{
    int64_t all = 0;
    for (domain_id d = 0; d < b->c->n_domains + b->c->n_nodes; d++) {
        node_id first, end;
        uint32_t gpus = 0, tasks = 0, each = r->tasks == SPLIT_ANY ? 1 : r->gpus;
        bool pools = false;
        view_domain_nodes(b->v, d, &first, &end);
        for (node_id n = first; n < end; n++) {
            if (!allows(b, r, n))
                continue;
            gpus += whole(b, n);
            tasks += each ? whole(b, n) / each : 0;
            pools |= type_of(b, n)->counted;
        }
        all = d == 0 ? gpus : all;
        assert_int_equal(domain_free_gpus(b->v, d, r), gpus);
        uint32_t got = domain_fits(b->v, d, r);
        if (!r->gpus || r->gpu_milli < MILLI_ALL)
            assert_true(got >= tasks);          /* not summed up: a bound from above */
        else if (pools)
            assert_true(got >= tasks && got <= gpus / each);
        else
            assert_int_equal(got, tasks);
    }
    assert_int_equal(free_index_whole(b->v, r->shape), all);
}

static void tree_agrees(const struct bench *b)
{
    for (node_id n = 0; n < b->c->n_nodes; n++)
        for (int l = LEVEL_ISLAND; l <= LEVEL_CLUSTER; l++) {
            domain_id d = view_domain(b->v, n, (enum level)l);
            assert_int_equal(d, cluster_domain_at(b->c, n, (enum level)l));
            for (;; d = view_domain_parent(b->v, d)) {    /* n lies in all that are around it, up to the root */
                node_id first, end;
                view_domain_nodes(b->v, d, &first, &end);
                assert_true(first <= n && n < end);
                if (d == 0)
                    break;
            }
            assert_int_equal(view_domain_parent(b->v, d), ID_NONE);
        }
}

/* ---- Walks ---- */

static bool in_walk(const struct bench *b, const struct node_walk *w, node_id n)
{
    if (!allows(b, w->r, n) || !rest_fits(b, w->r, n))
        return false;
    return w->shared_only ? best_share(b, n) >= w->r->gpu_milli : whole(b, n) >= w->min_whole;
}

static bool ahead(const struct bench *b, const struct node_walk *w, node_id a, node_id z)
{
    if (w->shared_only && best_share(b, a) / 100 != best_share(b, z) / 100)    /* in steps of a tenth */
        return best_share(b, a) < best_share(b, z);
    if (!w->shared_only && w->order != BY_ID && whole(b, a) != whole(b, z))
        return w->order == FULLEST_FIRST ? whole(b, a) < whole(b, z) : whole(b, a) > whole(b, z);
    return a < z;
}

static void walk_agrees(struct bench *b, struct node_walk w, domain_id confined)
{
    bool visited[NODES_MOST] = { false };
    node_id first, end, low, high, n;
    view_domain_nodes(b->v, w.within, &first, &end);
    view_domain_nodes(b->v, confined, &low, &high);
    free_index_confine(b->v, confined, UINT64_MAX);
    for (;;) {
        node_id best = ID_NONE;
        for (node_id i = first > low ? first : low; i < (end < high ? end : high); i++)
            if (!visited[i] && in_walk(b, &w, i) && (best == ID_NONE || ahead(b, &w, i, best)))
                best = i;
        bool more = node_walk_next(&w, &n);
        assert_int_equal(more, best != ID_NONE);
        if (!more)
            break;
        if (w.order == ANY_ORDER && !w.shared_only)
            assert_true(n < b->c->n_nodes && n >= first && n < end && n >= low && n < high && !visited[n] && in_walk(b, &w, n));
        else
            assert_int_equal(n, best);
        visited[n] = true;
    }
    assert_false(node_walk_next(&w, &n));       /* and stays at its end */
    free_index_confine(b->v, 0, UINT64_MAX);
}

static struct request any_request(struct bench *b)
{
    struct request r = { .shape = draw(b, SHAPES), .tasks = draw(b, 3) ? 1 : SPLIT_ANY, .gpus = draw(b, 6), .try_first = ID_NONE };
    r.gpu_milli = draw(b, 2) ? MILLI_ALL : 50 * (1 + draw(b, 19));
    r.cpu_milli = draw(b, 2) ? 0 : 1000 * draw(b, 12);
    r.mem_mib = draw(b, 2) ? 0 : 100 * draw(b, 12);
    return r;
}

static void all_agrees(struct bench *b)
{
    domain_id domains = b->c->n_domains + b->c->n_nodes;
    nodes_agree(b);
    for (int k = 0; k < 3; k++) {
        struct request r = any_request(b);
        for (node_id n = 0; n < b->c->n_nodes; n++) {
            assert_int_equal(view_allows(b->v, &r, n), allows(b, &r, n));
            assert_int_equal(view_fits(b->v, &r, n), fits(b, &r, n));
        }
        domains_agree(b, &r);
        for (int order = BY_ID; order <= ANY_ORDER; order++)
            walk_agrees(b, (struct node_walk){ .v = b->v, .r = &r, .within = draw(b, 2) ? 0 : draw(b, domains),
                        .min_whole = draw(b, draw(b, 4) ? 5 : 120), .order = order }, draw(b, 2) ? 0 : draw(b, domains));
        walk_agrees(b, (struct node_walk){ .v = b->v, .r = &r, .within = draw(b, 3) ? 0 : draw(b, domains), .shared_only = true },
                    draw(b, 3) ? 0 : draw(b, domains));
    }
}

/* ---- Worlds: each with one group of every sort ---- */

static void begin(struct bench *b, uint64_t seed)
{
    static const struct pin_spec pins[] = { { 0, 1 }, { 1, 1 }, { 2, 1 } };
    memset(b, 0, sizeof *b);
    random_init(&b->draws, seed, "view", 0);
    random_init(&b->placer, seed, "placer", 0);
    uint32_t racks = draw(b, 3);
    struct error err = { "" };
    struct group_spec g[] = {
        { .name = "named", .count = 3 + draw(b, 8), .gpus = 1 + draw(b, 9), .cpu_milli = 16000, .mem_mib = 1000,
          .nodes_per_rack = 2 * racks, .racks_per_pod = racks ? draw(b, 3) : 0 },
        { .name = "pools", .count = 2 + draw(b, 3), .gpus = 65 + draw(b, 36), .cpu_milli = INT64_MAX, .mem_mib = 4000, .nodes_per_rack = racks },
        { .name = "full word", .count = 1 + draw(b, 3), .gpus = 64, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = draw(b, 3) },
        { .name = "no GPU", .count = draw(b, 3), .cpu_milli = 8000, .mem_mib = INT64_MAX },
        { .name = "small pools", .count = draw(b, 4), .gpus = 4, .counted = true, .cpu_milli = 8000, .mem_mib = INT64_MAX },
        { .name = "linked", .count = 2 * draw(b, 4), .gpus = 4, .island_gpus = 8, .cpu_milli = 16000, .mem_mib = INT64_MAX },
    };
    struct queue_spec q = { .facts = { .name = "own", .parent = ID_NONE, .weight = 1 }, .pins = pins, .n_pins = draw(b, 4) };
    b->c = cluster_build("view", g, COUNT(g), &q, draw(b, 2), &err);
    if (!b->c)
        fail_msg("%s", err.text);
    assert_true(b->c->n_nodes <= NODES_MOST && b->c->n_kinds <= KINDS_MOST);
    for (int s = 0; s < SHAPES; s++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < b->c->n_kinds; k++)
            if (s == 0 || (s > 1 && draw(b, 2)))         /* all; none; some */
                b->kind[s][n++] = (uint16_t)k;
        b->shape[s] = (struct shape_kinds){ n, b->kind[s] };
    }
    b->v = free_index_new(b->c, b->shape, &b->placer);
}

static void end(struct bench *b)
{
    free_index_free(b->v);
    cluster_free(b->c);
}

static void agrees(void **state)
{
    (void)state;
    static struct bench b;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&b, seed);
        tree_agrees(&b);
        for (int i = 0; i < STEPS; i++) {
            for (uint32_t k = draw(&b, 8); k > 0; k--)
                step(&b);
            all_agrees(&b);
            assert_true(free_index_consistent(b.v));
        }
        while (b.n)
            give_one(&b);
        all_agrees(&b);
        end(&b);
    }
}

/* ---- The way back ---- */

struct bytes { unsigned char *at; size_t n, capacity; };

static void copy(struct bytes *to, const void *from, size_t n)
{
    while (to->capacity < to->n + n)
        to->at = realloc(to->at, to->capacity = 2 * to->capacity + 1024);
    if (n)
        memcpy(to->at + to->n, from, n);
    to->n += n;
}

static struct bytes all_bytes(const struct bench *b)
{
    const struct view *v = b->v;
    struct bytes to = { 0 };
    copy(&to, v->node, b->c->n_nodes * sizeof *v->node);
    copy(&to, v->used, b->c->gpu_base[b->c->n_nodes] * sizeof *v->used);
    for (uint32_t k = 0; k < b->c->n_kinds; k++) {
        const struct kind_index *x = &v->kind[k];
        copy(&to, x->by_whole, (size_t)(x->gpus + 1) * x->nodes.words * sizeof *x->by_whole);
        copy(&to, x->some, x->buckets.words * sizeof *x->some);
        copy(&to, x->by_share, x->by_share ? (size_t)SHARE_CLASSES * x->nodes.words * sizeof *x->by_share : 0);
        copy(&to, x->count, (size_t)(x->gpus + 1) * sizeof *x->count);
        copy(&to, &x->whole, sizeof x->whole);
    }
    if (v->domain_whole) {
        copy(&to, v->domain_whole, (size_t)b->c->n_domains * b->c->n_kinds * sizeof *v->domain_whole);
        copy(&to, v->domain_hist, (size_t)b->c->n_domains * v->hist_stride * sizeof *v->domain_hist);
    }
    return to;
}

static void back_to_the_byte(void **state)
{
    (void)state;
    static struct bench b;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&b, seed);
        for (int i = 0; i < STEPS; i++) {
            step(&b);
            struct bytes before = all_bytes(&b);
            struct held taken[12];
            size_t n = draw(&b, COUNT(taken));
            for (size_t k = 0; k < n; k++) {
                taken[k] = any_piece(&b);
                free_index_take(b.v, &taken[k].p, taken[k].cpu_milli, taken[k].mem_mib);
            }
            while (n > 0) {
                n--;
                free_index_give(b.v, &taken[n].p, taken[n].cpu_milli, taken[n].mem_mib);
            }
            struct bytes after = all_bytes(&b);
            assert_int_equal(after.n, before.n);
            assert_memory_equal(after.at, before.at, before.n);
            free(before.at);
            free(after.at);
        }
        end(&b);
    }
}

/* ---- Confined to one island of a node ---- */

static void one_island(void **state)
{
    (void)state;
    static struct bench b;
    begin(&b, 1);
    struct piece p = { .node = b.c->n_nodes, .gpu_mask = 0x3, .gpus = 2, .milli = MILLI_ALL };
    for (node_id n = 0; n < b.c->n_nodes; n++)
        p.node = type_of(&b, n)->gpus == 64 ? n : p.node;
    free_index_take(b.v, &p, 0, 0);
    p = (struct piece){ .node = p.node, .gpu_mask = 0x14, .gpus = 2, .milli = 400 };
    free_index_take(b.v, &p, 0, 0);
    free_index_confine(b.v, view_domain(b.v, p.node, LEVEL_NODE), 0x0f);
    struct node_free f = view_node(b.v, p.node);
    assert_int_equal(f.whole_mask, 0x8);
    assert_int_equal(f.whole, 1);
    assert_int_equal(f.shared_mask, 0x4);
    struct request r = { .shape = 0, .tasks = 1, .gpus = 2, .gpu_milli = 600 };
    assert_true(view_fits(b.v, &r, p.node));              /* GPU 3, and 0.6 of GPU 2 */
    r.gpu_milli = 650;
    assert_false(view_fits(b.v, &r, p.node));
    free_index_confine(b.v, 0, UINT64_MAX);
    assert_int_equal(view_node(b.v, p.node).whole, 60);
    end(&b);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, agrees);
    ADD_TEST(tests, n, back_to_the_byte);
    ADD_TEST(tests, n, one_island);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
