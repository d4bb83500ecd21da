/* test_fragments.c - F of a node: the worked values of models.md 10.3, and random nodes against the definition. */
#include "policies/placers/fragments.h"
#include "sim/base/random.h"
#include "sim/capacity/free_index.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>
#include <string.h>

enum { GPUS_MOST = 8, TYPICAL_MOST = 20 };

/* A cluster whose node of kind k has so many GPUs; shape s may use the kinds of its list. */
struct world {
    struct cluster *c;
    struct view *v;
    struct shape_kinds shape[3];
    struct typical typical[TYPICAL_MOST];
    struct typical_list list;
};

static void world_begin(struct world *w, const uint32_t *gpus, size_t kinds)
{
    static const uint16_t all[] = { 0, 1 };
    struct group_spec g[2];
    struct error err = { "" };
    for (size_t k = 0; k < kinds; k++)
        g[k] = (struct group_spec){ .name = k ? "b" : "a", .gpu_model = k ? "B" : "A", .count = 1, .gpus = gpus[k],
                                    .cpu_milli = 64000, .mem_mib = INT64_MAX };
    w->c = cluster_build("fragments", g, kinds, NULL, 0, &err);
    assert_non_null(w->c);
    w->shape[0] = (struct shape_kinds){ .n = (uint32_t)kinds, .kind = all };
    w->shape[1] = (struct shape_kinds){ .n = 1, .kind = all };          /* the first kind alone */
    w->shape[2] = (struct shape_kinds){ .n = 0, .kind = all };          /* none */
    w->v = free_index_new(w->c, w->shape, NULL);
    w->v->typical = &w->list;
    w->v->prepared = arena_new();
    w->list.item = w->typical;
}

static void world_end(struct world *w)
{
    free_index_free(w->v);
    cluster_free(w->c);
}

static struct typical asks(uint32_t gpus, uint32_t milli, int64_t cpu_milli, shape_id shape, uint64_t jobs)
{
    return (struct typical){ .ask = { .shape = shape, .tasks = 1, .gpus = gpus, .gpu_milli = milli, .cpu_milli = cpu_milli,
                                      .try_first = ID_NONE },
                             .jobs = jobs };
}

static void leave(struct world *w, node_id n, const uint32_t *left, uint32_t gpus, int64_t cpu_taken)
{
    for (uint32_t g = 0; g < gpus; g++)
        if (left[g] < MILLI_ALL)
            free_index_take(w->v, &(struct piece){ .node = n, .gpu_mask = UINT64_C(1) << g, .gpus = 1,
                                                   .milli = MILLI_ALL - left[g] }, 0, 0);
    free_index_take(w->v, &(struct piece){ .node = n }, cpu_taken, 0);
}

/* ---- models.md 10.3: A wants 1 GPU, p = .5; B .6 of one, p = .3; C 2 GPUs, p = .2 ---- */

static const struct worked_row {
    const char *name;
    uint32_t gpus, left[3];
    int64_t milli;                /* F in milli-GPUs */
} worked_rows[] = {
    { "r = (1, 1, .5): .5", 3, { 1000, 1000, 500 }, 500 },
    { "r = (.5, .5): 1", 2, { 500, 500 }, 1000 },
    { "r = (1, .5): .7", 2, { 1000, 500 }, 700 },
    { "nothing left: 0", 2, { 0, 0 }, 0 },
    { "r = (1, 1): all of use to all: 0", 2, { 1000, 1000 }, 0 },
};

static void worked(void **state)
{
    const struct worked_row *row = *state;
    struct world w = { .typical = { asks(1, 1000, 4000, 0, 5), asks(1, 600, 4000, 0, 3), asks(2, 1000, 4000, 0, 2) },
                       .list = { .n = 3 } };
    world_begin(&w, &row->gpus, 1);
    leave(&w, 0, row->left, row->gpus, 0);
    const struct fragments *f = fragments_new(w.v);
    struct free_gpus g = free_gpus_of(w.v, 0);
    assert_int_equal(fragments_jobs(f), 10);
    assert_int_equal(fragments_in(f, view_kind(w.v, 0), &g), 10 * row->milli);
    world_end(&w);
}

/* Who wants no GPU, another model, more CPU or a larger node makes a fragment of all that is left: 1500 each. */
static void of_no_use(void **state)
{
    static const uint32_t gpus[] = { 2, 2 }, left[] = { 1000, 500 };
    struct world w = { .list = { .n = 1 } };
    const struct { struct typical t; int64_t milli; } rows[] = {
        { asks(1, 300, 4000, 0, 1), 0 },     { asks(0, 1000, 4000, 0, 1), 1500 }, { asks(1, 300, 4000, 1, 1), 1500 },
        { asks(1, 300, 4000, 2, 1), 1500 },  { asks(1, 300, 5001, 0, 1), 1500 },  { asks(1, 300, 5000, 0, 1), 0 },
        { asks(3, 1000, 4000, 0, 1), 1500 }, { asks(2, 500, 4000, 0, 1), 0 },     { asks(2, 600, 4000, 0, 1), 1500 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        w.typical[0] = rows[i].t;
        world_begin(&w, gpus, 2);
        leave(&w, 1, left, 2, 59000);        /* of 64 CPUs 5 are left; node 1 is the other model */
        const struct fragments *f = fragments_new(w.v);
        struct free_gpus g = free_gpus_of(w.v, 1);
        assert_int_equal(fragments_in(f, view_kind(w.v, 1), &g), rows[i].milli);
        world_end(&w);
    }
}

/* A total without tasks asks a node of two for both, and for the CPUs of both. */
static void any_split(void **state)
{
    static const uint32_t gpus = 2, one_left[] = { 1000, 0 }, both_left[] = { 1000, 1000 };
    (void)state;
    for (int64_t cpu = 3000; cpu <= 4000; cpu += 1000)
        for (int both = 0; both < 2; both++) {
            struct world w = { .typical = { asks(6, 1000, cpu, 0, 1) }, .list = { .n = 1 } };
            w.typical[0].ask.tasks = SPLIT_ANY;
            world_begin(&w, &gpus, 1);
            leave(&w, 0, both ? both_left : one_left, 2, 57000);    /* 7 CPUs are left */
            const struct fragments *f = fragments_new(w.v);
            struct free_gpus g = free_gpus_of(w.v, 0);
            assert_int_equal(fragments_in(f, 0, &g), both ? (cpu == 3000 ? 0 : 2000) : 1000);
            world_end(&w);
        }
}

/* ---- Random nodes ---- */

static int64_t by_definition(const struct world *w, node_id n, const uint32_t *left, uint32_t gpus, int64_t cpu_left)
{
    int64_t sum = 0;
    for (size_t i = 0; i < w->list.n; i++) {
        const struct request *r = &w->typical[i].ask;
        uint32_t with = 0;
        for (uint32_t g = 0; g < gpus; g++)
            with += left[g] >= r->gpu_milli;
        bool runs = r->gpus && view_allows(w->v, r, n) && cpu_left >= r->cpu_milli && with >= r->gpus;
        for (uint32_t g = 0; g < gpus; g++)
            sum += !runs || left[g] < r->gpu_milli ? (int64_t)w->typical[i].jobs * left[g] : 0;
    }
    return sum;
}

static void random_nodes(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, 1, "fragments", 0);
    for (int i = 0; i < 5000; i++) {
        struct world w = { .list = { .n = 1 + random_below(&r, TYPICAL_MOST) } };
        uint32_t gpus[2] = { 1 + (uint32_t)random_below(&r, GPUS_MOST), 1 + (uint32_t)random_below(&r, GPUS_MOST) };
        uint32_t left[GPUS_MOST];
        int64_t cpu_left = 1000 * (int64_t)random_below(&r, 20);
        for (size_t k = 0; k < w.list.n; k++) {
            uint32_t asked = (uint32_t)random_below(&r, 5);
            uint32_t milli = asked == 1 && random_below(&r, 2) ? 50 * (1 + (uint32_t)random_below(&r, 19)) : MILLI_ALL;
            w.typical[k] = asks(asked, milli, 1000 * (int64_t)random_below(&r, 20), (shape_id)random_below(&r, 3),
                                1 + random_below(&r, 50));
        }
        world_begin(&w, gpus, 2);
        node_id n = (node_id)random_below(&r, 2);
        for (uint32_t g = 0; g < gpus[n]; g++)
            left[g] = random_below(&r, 2) ? 50 * (uint32_t)random_below(&r, 21) : random_below(&r, 2) ? MILLI_ALL : 0;
        leave(&w, n, left, gpus[n], 64000 - cpu_left);
        const struct fragments *f = fragments_new(w.v);
        struct free_gpus g = free_gpus_of(w.v, n);
        assert_int_equal(fragments_in(f, view_kind(w.v, n), &g), by_definition(&w, n, left, gpus[n], cpu_left));
        world_end(&w);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, worked, worked_rows);
    ADD_TEST(tests, n, of_no_use);
    ADD_TEST(tests, n, any_split);
    ADD_TEST(tests, n, random_nodes);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
