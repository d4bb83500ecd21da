/* test_cluster_queues.c - the queue tree, the nodes that queues own, and every cluster that is refused. */
#include "sim/base/memory.h"
#include "sim/cluster/cluster.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <stdlib.h>

#define NOT_MODELLED .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX

static const struct group_spec groups[] = {
    { .name = "dgx", .count = 10, .gpus = 8, NOT_MODELLED }, { .name = "tray", .count = 5, .gpus = 4, NOT_MODELLED },
    { .name = "pool", .count = 1, .gpus = 100, NOT_MODELLED }, { .name = "cpu", .count = 1, NOT_MODELLED },
};

static struct cluster *build(const struct group_spec *g, size_t n, const struct queue_spec *q, size_t nq)
{
    struct error err = { "" };
    struct cluster *c = cluster_build("test", g, n, q, nq, &err);
    assert_string_equal(err.text, "");
    assert_non_null(c);
    return c;
}

#define FREE { { 0, 0, 0 }, { UNLIMITED, UNLIMITED, UNLIMITED } }
#define FACTS(NAME, PARENT) .facts = { .name = NAME, .parent = PARENT, .quota = FREE, .weight = 1 }

static void queue_tree(void **state)
{
    (void)state;
    const struct queue_spec q[] = {
        { FACTS("a", ID_NONE) }, { FACTS("a1", 0) }, { FACTS("b", ID_NONE) }, { FACTS("a2", 0) }, { FACTS("a1x", 1) },
    };
    static const struct { queue_id child, sibling; } want[] = {
        { 1, 2 }, { 4, 3 }, { ID_NONE, ID_NONE }, { ID_NONE, ID_NONE }, { ID_NONE, ID_NONE },
    };
    struct cluster *c = build(groups, 1, q, COUNT(q));
    assert_false(c->queues_from_trace);
    assert_int_equal(c->n_queues, COUNT(q));
    for (size_t i = 0; i < COUNT(q); i++) {
        assert_string_equal(c->queue[i].name, q[i].facts.name);
        assert_ptr_not_equal(c->queue[i].name, q[i].facts.name);
        assert_int_equal(c->queue[i].first_child, want[i].child);
        assert_int_equal(c->queue[i].next_sibling, want[i].sibling);
        assert_false(c->queue[i].pinned);
    }
    cluster_free(c);
}

static void pins_make_kinds(void **state)
{
    (void)state;
    static const struct pin_spec a[] = { { 1, 1 }, { 0, 3 } }, b[] = { { 0, 2 } }, d[] = { { 0, 1 }, { 0, 1 }, { 1, 4 } };
    const struct queue_spec q[] = {
        { FACTS("a", ID_NONE), a, 2 }, { FACTS("b", ID_NONE), b, 1 }, { FACTS("c", ID_NONE), NULL, 0 },
        { FACTS("d", ID_NONE), d, 3 },
    };
    static const struct { uint32_t type; queue_id owner; node_id first; uint32_t n; } want[] = {
        { 0, 0, 0, 3 }, { 0, 1, 3, 2 }, { 0, 3, 5, 2 }, { 0, ID_NONE, 7, 3 }, { 1, 0, 10, 1 }, { 1, 3, 11, 4 },
        { 2, ID_NONE, 15, 1 }, { 3, ID_NONE, 16, 1 },
    };
    struct cluster *c = build(groups, COUNT(groups), q, COUNT(q));
    assert_int_equal(c->n_kinds, COUNT(want));
    for (uint32_t k = 0; k < COUNT(want); k++) {
        assert_int_equal(c->kind[k].type, want[k].type);
        assert_int_equal(c->kind[k].owner, want[k].owner);
        assert_int_equal(c->kind[k].n_nodes, want[k].n);
        for (uint32_t i = 0; i < want[k].n; i++) {
            assert_int_equal(c->kind[k].node[i], want[k].first + i);
            assert_int_equal(c->kind_of[want[k].first + i], k);
            assert_int_equal(c->local_of[want[k].first + i], i);
        }
    }
    assert_true(c->queue[0].pinned && c->queue[1].pinned && !c->queue[2].pinned && c->queue[3].pinned);
    cluster_free(c);
}

/* ---- refusals ---- */

/* clang-format off */
#define BASE .name = "g", .count = 4, .gpus = 8, NOT_MODELLED
static const struct pin_spec too_many[] = { { 0, 3 } }, no_group[] = { { 1, 1 } }, no_node[] = { { 0, 0 } };
static const struct row {
    const char *name;
    struct group_spec group[2];
    struct queue_spec queue[2];
    const char *error;
} rows[] = {
    { "no nodes", { { .name = "g", .gpus = 8, NOT_MODELLED } }, { { { 0 }, NULL, 0 } }, "cluster 'test' has no nodes" },
    { "no group name", { { .name = "", .count = 1 } }, { { { 0 }, NULL, 0 } }, "a group has no name" },
    { "too many nodes", { { .name = "g", .count = 10000001 } }, { { { 0 }, NULL, 0 } },
      "group 'g': want at most 10000000 nodes, got 10000001" },
    { "too many nodes in all", { { .name = "g", .count = 10000000 }, { .name = "h", .count = 1 } },
      { { { 0 }, NULL, 0 } },
      "group 'h': want at most 10000000 nodes in all, got 10000001" },
    { "too many GPUs a node", { { .name = "g", .count = 1, .gpus = 1000001 } }, { { { 0 }, NULL, 0 } },
      "group 'g': want at most 1000000 GPUs a node, got 1000001" },
    { "too many GPUs in all", { { .name = "g", .count = 5000, .gpus = 1000000 } }, { { { 0 }, NULL, 0 } },
      "group 'g': want at most 4294967295 GPUs in all, got 5000000000" },
    { "model without GPUs", { { .name = "g", .count = 1, .gpu_model = "T4" } }, { { { 0 }, NULL, 0 } },
      "group 'g': has a GPU model, 'T4', but no GPUs" },
    { "NUMA nodes", { { BASE, .numa_nodes = 65 } }, { { { 0 }, NULL, 0 } },
      "group 'g': want at most 64 NUMA nodes, got 65" },
    { "pods without racks", { { BASE, .racks_per_pod = 2 } }, { { { 0 }, NULL, 0 } },
      "group 'g': has pods of 2 racks, but no racks" },
    { "island does not divide the node", { { BASE, .island_gpus = 3 } }, { { { 0 }, NULL, 0 } },
      "group 'g': its 8 GPUs cannot be cut into islands of 3" },
    { "node does not divide the island", { { BASE, .island_gpus = 12 } }, { { { 0 }, NULL, 0 } },
      "group 'g': an island of 12 GPUs is no whole number of nodes of 8 GPUs" },
    { "island larger than a rack", { { BASE, .island_gpus = 32, .nodes_per_rack = 2 } }, { { { 0 }, NULL, 0 } },
      "group 'g': a rack of 2 nodes cannot be cut into islands of 4 nodes" },
    { "island across racks", { { BASE, .island_gpus = 16, .nodes_per_rack = 3 } }, { { { 0 }, NULL, 0 } },
      "group 'g': a rack of 3 nodes cannot be cut into islands of 2 nodes" },
    { "joins nothing", { { BASE, .nodes_per_rack = 2, .joins = LEVEL_RACK } }, { { { 0 }, NULL, 0 } },
      "group 'g': cannot join the rack of the group before: want it in both, and the same levels above it" },
    { "levels without names", { { BASE, .nodes_per_rack = 2, .racks_per_pod = 2, .further = { 2 } } }, { { { 0 }, NULL, 0 } },
      "group 'g': has 3 levels above the node: want a name of each, got 2" },
    { "negative CPUs", { { .name = "g", .count = 1, .cpu_milli = -1 } }, { { { 0 }, NULL, 0 } },
      "group 'g': want from 0 to 100000000000 milli-CPUs a node, got -1" },
    { "negative memory", { { .name = "g", .count = 1, .mem_mib = -1 } }, { { { 0 }, NULL, 0 } },
      "group 'g': want from 0 to 100000000000 MiB a node, got -1" },
    { "two groups of one name", { { BASE }, { BASE } }, { { { 0 }, NULL, 0 } },
      "group 'g': there is another one of this name" },
    { "no queue name", { { BASE } }, { { FACTS("", ID_NONE) } }, "a queue has no name" },
    { "two queues of one name", { { BASE } }, { { FACTS("q", ID_NONE) }, { FACTS("q", 0) } },
      "queue 'q': there is another one of this name" },
    { "own parent", { { BASE } }, { { FACTS("q", 0) } }, "queue 'q': its parent is not an earlier queue" },
    { "negative weight", { { BASE } }, { { .facts = { .name = "q", .parent = ID_NONE, .weight = -1 } } },
      "queue 'q': want a weight from 0, got -1" },
    { "negative quota", { { BASE } },
      { { .facts = { .name = "q", .parent = ID_NONE, .quota = { .deserved.cpu_milli = -2 } } } },
      "queue 'q': its share of CPUs is negative or too large" },
    { "limit below deserved", { { BASE } },
      { { .facts = { .name = "q", .parent = ID_NONE, .quota = { { 2, 0, 0 }, { 1, 0, 0 } } } } },
      "queue 'q': deserves more GPUs than its limit allows" },
    { "too few nodes left", { { BASE } },
      { { FACTS("p", ID_NONE), too_many, 1 }, { FACTS("q", ID_NONE), too_many, 1 } },
      "queue 'q': wants 3 nodes of group 'g', 1 are left" },
    { "no such group", { { BASE } }, { { FACTS("q", ID_NONE), no_group, 1 } },
      "queue 'q': wants nodes of group 1, there are 1 groups" },
    { "0 nodes", { { BASE } }, { { FACTS("q", ID_NONE), no_node, 1 } }, "queue 'q': wants 0 nodes of group 'g'" },
};
/* clang-format on */

static void refused(void **state)
{
    const struct row *row = *state;
    struct error err = { "" };
    size_t n_groups = row->group[1].name ? 2 : 1, n_queues = row->queue[1].facts.name ? 2 : row->queue[0].facts.name ? 1 : 0;
    assert_null(cluster_build("test", row->group, n_groups, row->queue, n_queues, &err));
    assert_string_equal(err.text, row->error);
}

/* ---- limits ---- */

static void kinds_are_limited(void **state)
{
    (void)state;
    enum { QUEUES = 65536 };
    static const struct pin_spec one = { 0, 1 };
    struct group_spec g = { .name = "g", .count = 65537, .gpus = 1, NOT_MODELLED };
    struct queue_spec *q = mem_new(QUEUES, sizeof *q);
    char (*name)[8] = mem_new(QUEUES, sizeof *name);
    for (unsigned i = 0; i < QUEUES; i++) {
        snprintf(name[i], sizeof name[i], "q%u", i);
        q[i] = (struct queue_spec){ FACTS(name[i], ID_NONE), &one, 1 };
    }
    struct error err = { "" };
    assert_null(cluster_build("test", &g, 1, q, QUEUES, &err));
    assert_string_equal(err.text, "cluster 'test': want at most 65535 kinds of nodes (a type, or what one queue owns of it), "
                                  "got 65537");
    g.count = 65535;
    struct cluster *c = build(&g, 1, q, 65535);
    assert_int_equal(c->n_kinds, 65535);
    assert_int_equal(c->kind_of[65534], 65534);
    cluster_free(c);
    free(name);
    free(q);
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_TEST(tests, n, queue_tree);
    ADD_TEST(tests, n, pins_make_kinds);
    ADD_TEST(tests, n, kinds_are_limited);
    ADD_ROWS(tests, n, refused, rows);
    return cmocka_run_group_tests_name("queues of clusters", tests, NULL, NULL) != 0;
}
