/* test_free_index.c - the free index against a scan of all nodes, after random takes and gives. */
#include "sim/capacity/free_index.h"
#include "tests/support/random_world.h"

enum { SEEDS = 150, STEPS = 60, NODES_MOST = 64, HELD_MOST = 400 };

struct held { struct piece p; int64_t cpu_milli; };
struct bench {
    struct cluster *c;
    struct view *v;
    struct random draws, placer;
    uint16_t kinds[16];
    struct shape_kinds shape;
    struct request r;
    struct held held[HELD_MOST];
    size_t n;
    uint32_t used[NODES_MOST][64];          /* milli taken of each GPU */
    int64_t cpu[NODES_MOST];
};

static uint32_t draw(struct bench *b, uint64_t n)
{
    return (uint32_t)random_below(&b->draws, n);
}

static void change(struct bench *b, const struct held *h, int sign)
{
    (sign > 0 ? free_index_take : free_index_give)(b->v, &h->p, h->cpu_milli, 0);
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        b->used[h->p.node][__builtin_ctzll(m)] += (uint32_t)sign * h->p.milli;
    b->cpu[h->p.node] += sign * h->cpu_milli;
}

static bool has(const struct bench *b, const struct held *h)
{
    const struct node_type *t = cluster_node_type(b->c, h->p.node);
    for (uint64_t m = h->p.gpu_mask; m; m &= m - 1)
        if (b->used[h->p.node][__builtin_ctzll(m)] + h->p.milli > MILLI_ALL)
            return false;
    return !h->cpu_milli || t->cpu_milli == INT64_MAX || b->cpu[h->p.node] + h->cpu_milli <= t->cpu_milli;
}

static void step(struct bench *b)
{
    if (b->n && (b->n == HELD_MOST || draw(b, 5) < 2)) {
        size_t i = draw(b, b->n);
        change(b, &b->held[i], -1);
        b->held[i] = b->held[--b->n];
        return;
    }
    struct held h = { .p.node = draw(b, b->c->n_nodes), .cpu_milli = 1000 * draw(b, 4) };
    uint32_t gpus = cluster_node_gpus(b->c, h.p.node);
    h.p.gpu_mask = random_u64(&b->draws) & random_u64(&b->draws) & ((UINT64_C(1) << gpus) - 1);
    h.p.gpus = (uint32_t)__builtin_popcountll(h.p.gpu_mask);
    h.p.milli = draw(b, 3) ? MILLI_ALL : 50 * (1 + draw(b, 19));
    assert_int_equal(free_index_has(b->v, &h.p, h.cpu_milli, 0), has(b, &h));
    if (!has(b, &h))
        return;
    change(b, &h, 1);
    b->held[b->n++] = h;
}

/* ---- The scan ---- */

static uint32_t whole(const struct bench *b, node_id n)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < cluster_node_gpus(b->c, n); g++)
        count += b->used[n][g] == 0;
    return count;
}

static bool room(const struct bench *b, node_id n, uint32_t min_whole)
{
    const struct node_type *t = cluster_node_type(b->c, n);
    return whole(b, n) >= min_whole &&
           (!b->r.cpu_milli || t->cpu_milli == INT64_MAX || b->cpu[n] + b->r.cpu_milli <= t->cpu_milli);
}

static bool ahead(const struct bench *b, enum node_order order, node_id a, node_id z)
{
    if (order != BY_ID && whole(b, a) != whole(b, z))
        return order == FULLEST_FIRST ? whole(b, a) < whole(b, z) : whole(b, a) > whole(b, z);
    return a < z;
}

static void walk_agrees(struct bench *b, enum node_order order, uint32_t min_whole, domain_id within)
{
    bool visited[NODES_MOST] = { false };
    node_id first, end, n;
    view_domain_nodes(b->v, within, &first, &end);
    struct node_walk w = { .v = b->v, .r = &b->r, .within = within, .min_whole = min_whole, .order = order };
    for (;;) {
        node_id best = ID_NONE;
        for (node_id i = first; i < end; i++)
            if (!visited[i] && room(b, i, min_whole) && (best == ID_NONE || ahead(b, order, i, best)))
                best = i;
        bool more = node_walk_next(&w, &n);
        assert_int_equal(more, best != ID_NONE);
        if (!more)
            return;
        if (order != ANY_ORDER)
            assert_int_equal(n, best);
        assert_true(n >= first && n < end && !visited[n] && room(b, n, min_whole));
        visited[n] = true;
    }
}

static void shared_agrees(struct bench *b)
{
    bool visited[NODES_MOST] = { false };
    struct node_walk w = { .v = b->v, .r = &b->r, .shared_only = true };
    for (node_id n; node_walk_next(&w, &n);)
        visited[n] = true;
    for (node_id n = 0; n < b->c->n_nodes; n++) {
        bool fits = false;
        for (uint32_t g = 0; g < cluster_node_gpus(b->c, n); g++)
            fits |= b->used[n][g] > 0 && b->used[n][g] < MILLI_ALL && b->used[n][g] + b->r.gpu_milli <= MILLI_ALL;
        assert_wanted(fits && room(b, n, 0), visited[n], "walk over shared GPUs: node %u visited", n);
    }
}

static void sums_agree(struct bench *b)
{
    for (domain_id d = 0; d < b->c->n_domains; d++) {
        node_id first, end;
        uint32_t gpus = 0, tasks = 0;
        view_domain_nodes(b->v, d, &first, &end);
        for (node_id n = first; n < end; n++) {
            gpus += whole(b, n);
            tasks += whole(b, n) / 3;
        }
        struct request threes = b->r;
        threes.gpus = 3;
        threes.gpu_milli = MILLI_ALL;
        assert_int_equal(domain_free_gpus(b->v, d, &b->r), gpus);
        assert_int_equal(domain_fits(b->v, d, &threes), tasks);
    }
}

static void begin(struct bench *b, uint64_t seed)
{
    struct error err = { "" };
    struct world w = random_world(seed);
    memset(b, 0, sizeof *b);
    random_init(&b->draws, seed, "free index", 0);
    random_init(&b->placer, seed, "placer", 0);
    w.group[0].count += 20;
    b->c = cluster_build("w", w.group, w.n_groups, NULL, 0, &err);
    assert_non_null(b->c);
    assert_true(b->c->n_nodes <= NODES_MOST);
    for (uint32_t k = 0; k < b->c->n_kinds; k++)
        b->kinds[k] = (uint16_t)k;
    b->shape = (struct shape_kinds){ .n = b->c->n_kinds, .kind = b->kinds };
    b->v = free_index_new(b->c, &b->shape, &b->placer);
    b->r = (struct request){ .tasks = 1, .gpus = 1, .gpu_milli = 300, .cpu_milli = 2000, .try_first = ID_NONE };
}

static void agrees_with_a_scan(void **state)
{
    (void)state;
    static struct bench b;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin(&b, seed);
        for (int i = 0; i < STEPS; i++) {
            for (int k = 0; k < 5; k++)
                step(&b);
            domain_id d = draw(&b, b.c->n_domains);
            for (int order = BY_ID; order <= ANY_ORDER; order++)
                walk_agrees(&b, (enum node_order)order, draw(&b, 6), d);
            shared_agrees(&b);
            sums_agree(&b);
        }
        assert_true(free_index_consistent(b.v));
        while (b.n)
            change(&b, &b.held[--b.n], -1);
        for (node_id n = 0; n < b.c->n_nodes; n++)
            assert_int_equal(view_node(b.v, n).whole, cluster_node_gpus(b.c, n));
        assert_true(free_index_consistent(b.v));
        free_index_free(b.v);
        cluster_free(b.c);
    }
}

/* Each first node is equally likely: chi square over 24 nodes, 23 degrees of freedom, 49.7 at p = 0.001. */
static double first_node_chi_square(struct bench *b, uint32_t biased)
{
    enum { DRAWS = 24000 };
    double seen[NODES_MOST] = { 0 }, chi = 0, want = (double)DRAWS / b->c->n_nodes;
    for (int i = 0; i < DRAWS; i++) {
        struct node_walk w = { .v = b->v, .r = &b->r, .order = ANY_ORDER };
        node_id n;
        assert_true(node_walk_next(&w, &n));
        seen[draw(b, 20) < biased ? 0 : n]++;
    }
    for (node_id n = 0; n < b->c->n_nodes; n++)
        chi += (seen[n] - want) * (seen[n] - want) / want;
    return chi;
}

static void drawn_evenly(void **state)
{
    (void)state;
    static struct bench b;
    struct error err = { "" };
    struct group_spec g = { .name = "g", .count = 24, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX };
    begin(&b, 1);
    free_index_free(b.v);
    cluster_free(b.c);
    b.c = cluster_build("even", &g, 1, NULL, 0, &err);
    b.shape.n = 1;
    b.v = free_index_new(b.c, &b.shape, &b.placer);
    assert_true(first_node_chi_square(&b, 0) < 49.7);
    assert_true(first_node_chi_square(&b, 1) > 49.7);      /* the control: one draw in twenty goes to node 0 */
    free_index_free(b.v);
    cluster_free(b.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agrees_with_a_scan), cmocka_unit_test(drawn_evenly) };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
