/* test_scores.c - view_best() against a look at every node, on random clusters while pieces come and go, confined or not,
 * with more shapes than there is room for tables, with placers that score in turn, and with ties by rank. */
#include "sim/capacity/scores.h"
#include "tests/support/wanted.h"
#include "tests/unit/view_model.h"

#include <math.h>

static unsigned asked;                /* scores worked out by view_best() and by the test */

/* Any number that is the node's own, with many ties. */
static int32_t any_score(const struct view *v, const struct request *r, node_id n, const void *state)
{
    struct node_free f = view_node(v, n);
    int64_t sum = *(const int64_t *)state * f.whole + 3 * (int64_t)view_kind(v, n) + r->gpus;
    for (uint64_t m = f.shared_mask; m; m &= m - 1)
        sum += view_gpu_milli(v, n, (unsigned)__builtin_ctzll(m)) / 50;
    sum += f.cpu_milli == INT64_MAX ? 2 : 5 * (f.cpu_milli / 1000);
    asked++;
    return sum % 19 == 0 ? SCORE_NEVER : (int32_t)(sum % 19 - 9);
}

static const void *begin_with(const struct view *v, const void *params)
{
    int64_t *factor = view_alloc(v, sizeof *factor);
    *factor = 2 * *(const int64_t *)params;
    return factor;
}

static bool by_draw(const void *params)
{
    (void)params;
    return true;
}

/* placement.h: a rank drawn from the stream "node order" of the seed. By swaps from the end (Fisher and Yates). */
static void ranks(const struct bench *b, uint32_t rank[NODES_MOST], bool drawn)
{
    node_id order[NODES_MOST];
    struct random draws;
    random_init(&draws, b->v->seed, "node order", 0);
    for (uint32_t i = 0; i < b->c->n_nodes; i++)
        order[i] = i;
    for (uint32_t last = b->c->n_nodes; drawn && last-- > 1;) {
        uint32_t with = (uint32_t)random_below(&draws, last + 1);
        node_id moved = order[last];
        order[last] = order[with];
        order[with] = moved;
    }
    for (uint32_t i = 0; i < b->c->n_nodes; i++)
        rank[order[i]] = i;
}

static node_id plain_best(const struct bench *b, const struct request *r, struct node_range range, const int64_t *factor,
                          bool drawn)
{
    node_id best = ID_NONE;
    int32_t highest = SCORE_NEVER;
    uint32_t rank[NODES_MOST];
    ranks(b, rank, drawn);
    for (node_id n = range.first; n < range.end; n++) {
        int32_t score = view_fits(b->v, r, n) ? any_score(b->v, r, n, factor) : SCORE_NEVER;
        if (score > highest || (best != ID_NONE && score == highest && rank[n] < rank[best])) {
            highest = score;
            best = n;
        }
    }
    return best;
}

static void best_agrees(struct bench *b, const struct request *r, bool many)
{
    static const struct scoring plain = { .score = any_score }, prepared = { begin_with, any_score, by_draw };
    static const int64_t params[] = { 1, 4 };
    domain_id domains = b->c->n_domains + b->c->n_nodes;
    domain_id within = draw(b, 2) ? 0 : draw(b, domains), confined = draw(b, 2) ? 0 : draw(b, domains);
    uint32_t which = many ? draw(b, 2) : 0;
    const struct scoring *by = many && draw(b, 2) ? &prepared : &plain;
    int64_t factor = (by == &prepared ? 2 : 1) * params[which];
    node_id n;
    free_index_confine(b->v, confined, UINT64_MAX);
    node_id want = plain_best(b, r, free_index_range(b->v, within), &factor, by == &prepared);
    assert_int_equal(view_best(b->v, r, within, by, &params[which], &n), want != ID_NONE);
    assert_wanted(want, n, "best node of domain %u for %u GPUs", within, r->gpus);
    assert_int_equal(*(const int64_t *)view_scoring(b->v, by, &params[which]), factor);
    free_index_confine(b->v, 0, UINT64_MAX);
}

static void agrees(void **state)
{
    (void)state;
    static struct bench b;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct request fixed[SHAPES];
        begin(&b, seed);
        b.v->seed = seed / 2;
        for (shape_id s = 0; s < SHAPES; s++)
            fixed[s] = any_request(&b, s);
        for (int i = 0; i < STEPS; i++) {
            for (uint32_t k = draw(&b, 8); k > 0; k--)
                step(&b);
            struct request r = any_request(&b, draw(&b, SHAPES));
            best_agrees(&b, draw(&b, 4) ? &fixed[draw(&b, SHAPES)] : &r, seed % 3 == 0);
            if (seed % 4 == 1)
                b.v->scores->most = 2;
        }
        end(&b);
    }
}

/* Confined to some GPUs of a node, it shows what these are. */
static void inside_a_node(void **state)
{
    (void)state;
    static struct bench b;
    static const struct scoring by = { .score = any_score };
    static const int64_t factor = 1;
    begin(&b, 1);
    domain_id node = view_domain(b.v, 0, LEVEL_NODE);
    struct request r = { .tasks = 1, .gpus = 1, .gpu_milli = MILLI_ALL, .try_first = ID_NONE };
    node_id n;
    assert_true(view_best(b.v, &r, 0, &by, &factor, &n));
    free_index_take(b.v, &(struct piece){ .node = 0, .gpu_mask = 1, .gpus = 1, .milli = MILLI_ALL }, 0, 0);
    free_index_confine(b.v, node, 1);
    assert_false(view_best(b.v, &r, 0, &by, &factor, &n));
    free_index_confine(b.v, 0, UINT64_MAX);
    end(&b);
}

/* The point of it all: one change, one score. 1000 alike nodes are one score at first. */
static void asks_for_changes_only(void **state)
{
    (void)state;
    static struct bench b;
    static const struct scoring by = { .score = any_score };
    static const int64_t factor = 1;
    const struct group_spec g = { .name = "g", .count = 1000, .gpus = 4, .cpu_milli = 8000, .mem_mib = INT64_MAX };
    struct request r = { .tasks = 1, .gpus = 1, .gpu_milli = MILLI_ALL, .try_first = ID_NONE };
    struct piece p = { .node = 700, .gpu_mask = 3, .gpus = 2, .milli = MILLI_ALL };
    struct error err = { "" };
    node_id n;
    memset(&b, 0, sizeof b);
    b.c = cluster_build("many", &g, 1, NULL, 0, &err);
    b.shape[0] = (struct shape_kinds){ .n = 1, .kind = b.kind[0] };
    b.v = free_index_new(b.c, b.shape, &b.placer);
    asked = 0;
    view_best(b.v, &r, 0, &by, &factor, &n);
    assert_int_equal(asked, 1);
    for (int i = 0; i < 5; i++) {                /* five changes of one node are one */
        free_index_take(b.v, &p, 1000, 0);
        free_index_give(b.v, &p, 1000, 0);
    }
    view_best(b.v, &r, 0, &by, &factor, &n);
    assert_int_equal(asked, 2);
    view_best(b.v, &r, 0, &by, &factor, &n);
    assert_int_equal(asked, 2);
    for (p.node = 0; p.node < 10; p.node++)
        free_index_take(b.v, &p, 1000, 0);
    view_best(b.v, &r, 0, &by, &factor, &n);
    assert_int_equal(asked, 12);
    end(&b);
}

static int32_t all_alike(const struct view *v, const struct request *r, node_id n, const void *state)
{
    (void)v;
    (void)r;
    (void)n;
    (void)state;
    return 7;
}

/* How often each of ten nodes that score alike wins, over seeds; as chi-squared against equal chances. */
static double unevenness(const struct scoring *by)
{
    enum { NODES = 10, DRAWS = 2000 };
    const struct group_spec g = { .name = "g", .count = NODES, .gpus = 1, .cpu_milli = 8000, .mem_mib = INT64_MAX };
    struct request r = { .tasks = 1, .gpus = 1, .gpu_milli = MILLI_ALL, .try_first = ID_NONE };
    double wins[NODES] = { 0 }, sum = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        static struct bench b;
        struct error err = { "" };
        node_id n, inside;
        memset(&b, 0, sizeof b);
        b.c = cluster_build("alike", &g, 1, NULL, 0, &err);
        b.shape[0] = (struct shape_kinds){ .n = 1, .kind = b.kind[0] };
        b.v = free_index_new(b.c, b.shape, &b.placer);
        b.v->seed = seed;
        assert_true(view_best(b.v, &r, 0, by, NULL, &n));
        assert_true(view_best(b.v, &r, view_domain(b.v, 3, LEVEL_NODE), by, NULL, &inside));
        assert_int_equal(inside, 3);
        wins[n]++;
        end(&b);
    }
    for (node_id n = 0; n < NODES; n++)
        sum += (wins[n] - DRAWS / NODES) * (wins[n] - DRAWS / NODES) / (DRAWS / NODES);
    return sum;
}

/* 9 degrees of freedom: 33.7 is passed by chance once in 10,000 times. Without ranks the lowest wins always: 9 x 2000. */
static void ranks_are_fair(void **state)
{
    (void)state;
    static const struct scoring drawn = { NULL, all_alike, by_draw }, lowest = { .score = all_alike };
    assert_true(unevenness(&drawn) < 33.7);
    assert_int_equal(lround(unevenness(&lowest)), 18000);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, agrees);
    ADD_TEST(tests, n, inside_a_node);
    ADD_TEST(tests, n, asks_for_changes_only);
    ADD_TEST(tests, n, ranks_are_fair);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
