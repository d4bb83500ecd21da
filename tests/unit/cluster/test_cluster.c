/* test_cluster.c - numbering, domains and distances of a cluster small enough to draw on paper; the catalogue. */
#include "sim/base/memory.h"
#include "sim/cluster/catalogue.h"
#include "sim/cluster/cluster.h"

#include "tests/unit/test_core.h"

#include <stdlib.h>

#define NOT_MODELLED .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX

/* Nodes 0-9: two islands of 4 in each; racks of 2, pods of 2 racks: the last pod has one rack. Nodes 10-14: trays of 4
 * GPUs, islands of 8 over two trays, racks of 4. Node 15: one pool of 100 GPUs. Node 16: no GPU. */
/* clang-format off */
static const struct group_spec mixed[] = {
    { .name = "dgx", .gpu_model = "A100", .count = 10, .gpus = 8, .island_gpus = 4, .numa_nodes = 4, .gpu_mem_mib = 81920,
      .cpu_milli = 128000, .mem_mib = 1 << 20, .nodes_per_rack = 2, .racks_per_pod = 2 },
    { .name = "tray", .gpu_model = "B200", .count = 5, .gpus = 4, .island_gpus = 8, .numa_nodes = 2, .nodes_per_rack = 4,
      NOT_MODELLED },
    { .name = "pool", .gpu_model = "A100", .count = 1, .gpus = 100, .island_gpus = 10, NOT_MODELLED },
    { .name = "cpu", .count = 1, .cpu_milli = 64000, .mem_mib = INT64_MAX },
};
/* clang-format on */

static struct cluster *build(const struct group_spec *g, size_t n)
{
    struct error err = { "" };
    struct cluster *c = cluster_build("test", g, n, NULL, 0, &err);
    assert_string_equal(err.text, "");
    assert_non_null(c);
    return c;
}

static int mixed_up(void **state)
{
    *state = build(mixed, COUNT(mixed));
    return 0;
}

static int tear_down(void **state)
{
    cluster_free(*state);
    return 0;
}

static void totals(void **state)
{
    const struct cluster *c = *state;
    assert_string_equal(c->name, "test");
    assert_int_equal(c->n_nodes, 17);
    assert_int_equal(c->gpus, 10 * 8 + 5 * 4 + 100);
    assert_int_equal(c->n_types, 4);
    assert_int_equal(c->n_kinds, 4);
    assert_true(c->queues_from_trace);
    assert_int_equal(c->n_queues, 0);
    assert_int_equal(intern_count(c->gpu_models), 2);
    assert_int_equal(c->type[0].gpu_model, c->type[2].gpu_model);
    assert_string_equal(intern_text(c->gpu_models, c->type[1].gpu_model), "B200");
    assert_int_equal(c->type[3].gpu_model, ID_NONE);
    assert_int_equal(cluster_node_gpus(c, 15), 100);
    assert_true(cluster_node_type(c, 15)->counted);    /* over 64: forced */
    assert_false(cluster_node_type(c, 0)->counted);
    assert_int_equal(c->overhead.checkpoint, CHECKPOINT_NONE);
}

static void node_numbers(void **state)
{
    const struct cluster *c = *state;
    assert_int_equal(c->gpu_base[0], 0);
    assert_int_equal(c->gpu_base[10], 80);
    assert_int_equal(c->gpu_base[14], 96);
    assert_int_equal(c->gpu_base[15], 100);
    assert_int_equal(c->gpu_base[16], 100);            /* a counted node has no named GPUs */
    assert_int_equal(c->gpu_base[17], 100);
    assert_int_equal(c->kind_of[9], 0);
    assert_int_equal(c->kind_of[10], 1);
    assert_int_equal(c->local_of[12], 2);
    assert_int_equal(c->kind[1].node[2], 12);
    assert_int_equal(c->kind[1].n_nodes, 5);
    assert_int_equal(c->kind[1].owner, ID_NONE);
}

static void masks(void **state)
{
    const struct cluster *c = *state;
    const struct node_type *dgx = &c->type[0], *tray = &c->type[1];
    assert_int_equal(dgx->island_of[0], 0x0f);
    assert_int_equal(dgx->island_of[3], 0x0f);
    assert_int_equal(dgx->island_of[4], 0xf0);
    assert_int_equal(dgx->numa_of[2], 0x0c);           /* 8 GPUs over 4 NUMA nodes: pairs */
    assert_int_equal(dgx->numa_of[7], 0xc0);
    assert_int_equal(tray->island_of[1], 0x0f);        /* the island goes on in the next tray */
    assert_int_equal(tray->numa_of[1], 0x03);
}

static void domain_tree(void **state)
{
    static const struct domain want[] = {
        { LEVEL_CLUSTER, ID_NONE, 0, 17 },
        { LEVEL_POD, 0, 0, 4 }, { LEVEL_POD, 0, 4, 8 }, { LEVEL_POD, 0, 8, 10 },
        { LEVEL_RACK, 1, 0, 2 }, { LEVEL_RACK, 1, 2, 4 }, { LEVEL_RACK, 2, 4, 6 }, { LEVEL_RACK, 2, 6, 8 },
        { LEVEL_RACK, 3, 8, 10 }, { LEVEL_RACK, 0, 10, 14 }, { LEVEL_RACK, 0, 14, 15 },
        { LEVEL_ISLAND, 9, 10, 12 }, { LEVEL_ISLAND, 9, 12, 14 }, { LEVEL_ISLAND, 10, 14, 15 },
    };
    const struct cluster *c = *state;
    assert_int_equal(c->n_domains, COUNT(want));
    for (size_t d = 0; d < COUNT(want); d++) {
        assert_int_equal(c->domain[d].level, want[d].level);
        assert_int_equal(c->domain[d].parent, want[d].parent);
        assert_int_equal(c->domain[d].first, want[d].first);
        assert_int_equal(c->domain[d].end, want[d].end);
    }
    static const domain_id innermost[] = { 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 11, 11, 12, 12, 13, 0, 0 };
    for (size_t n = 0; n < COUNT(innermost); n++)
        assert_int_equal(c->domain_of[n], innermost[n]);
}

static void domains_at_levels(void **state)
{
    static const struct { node_id node; enum level level; domain_id want; } rows[] = {
        { 5, LEVEL_ISLAND, 14 + 5 },      /* islands within a node are no domains: the node is */
        { 5, LEVEL_NODE, 14 + 5 }, { 5, LEVEL_RACK, 6 }, { 5, LEVEL_POD, 2 }, { 5, LEVEL_CLUSTER, 0 }, { 5, LEVEL_ANY, 0 },
        { 13, LEVEL_ISLAND, 12 }, { 13, LEVEL_NODE, 14 + 13 }, { 13, LEVEL_RACK, 9 },
        { 13, LEVEL_POD, 0 },             /* no pods in this group: the next one out */
        { 16, LEVEL_ISLAND, 14 + 16 }, { 16, LEVEL_RACK, 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(cluster_domain_at(*state, rows[i].node, rows[i].level), rows[i].want);
}

static void distances(void **state)
{
    static const struct { node_id a; unsigned gpu_a; node_id b; unsigned gpu_b; const char *want; } rows[] = {
        { 0, 3, 0, 3, "gpu" },
        { 0, 0, 0, 3, "island" },         /* one island of 4, although over two NUMA nodes */
        { 0, 3, 0, 4, "node" },
        { 0, 0, 1, 0, "rack" }, { 1, 0, 2, 0, "pod" }, { 3, 7, 4, 7, "cluster" }, { 0, 0, 9, 0, "cluster" },
        { 8, 0, 9, 0, "rack" },
        { 10, 0, 10, 3, "island" }, { 10, 0, 11, 3, "island" }, { 11, 0, 12, 0, "rack" },
        { 13, 0, 14, 0, "cluster" },      /* the next rack; no pods */
        { 15, 4, 15, 5, "island" }, { 15, 4, 15, 4, "gpu" }, { 9, 0, 10, 0, "cluster" }, { 14, 0, 15, 0, "cluster" },
    };
    const struct cluster *c = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned there = cluster_distance(c, rows[i].a, rows[i].gpu_a, rows[i].b, rows[i].gpu_b);
        unsigned back = cluster_distance(c, rows[i].b, rows[i].gpu_b, rows[i].a, rows[i].gpu_a);
        assert_string_equal(cluster_distance_name(c, there), rows[i].want);
        assert_int_equal(there, back);
    }
}

static void same_numa_other_island(void **state)
{
    (void)state;                  /* 4 GPUs without NVLink over two sockets */
    static const struct group_spec pcie = { .name = "pcie", .count = 2, .gpus = 4, .numa_nodes = 2, NOT_MODELLED };
    struct cluster *c = build(&pcie, 1);
    assert_string_equal(intern_text(c->gpu_models, c->type[0].gpu_model), "gpu");
    assert_int_equal(cluster_distance(c, 0, 0, 0, 1), 2);
    assert_int_equal(cluster_distance(c, 0, 1, 0, 2), 3);
    assert_int_equal(cluster_distance(c, 0, 0, 1, 0), 6);     /* without racks every other node is furthest */
    cluster_free(c);
}

/* By definition: the largest distance of all pairs. */
static unsigned by_pairs(const struct cluster *c, const struct placement *p)
{
    unsigned most = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            for (unsigned a = 0; a < 64; a++)
                for (unsigned b = 0; b < 64; b++)
                    if (p->piece[i].gpu_mask >> a & 1 && p->piece[j].gpu_mask >> b & 1) {
                        unsigned d = cluster_distance(c, p->piece[i].node, a, p->piece[j].node, b);
                        most = d > most ? d : most;
                    }
    return most;
}

static void placement_distances(void **state)
{
    static const struct { struct { node_id node; uint64_t mask; } piece[3]; const char *want; } rows[] = {
        { { { 0, 0x01 } }, "gpu" },
        { { { 0, 0x03 } }, "island" }, { { { 0, 0x05 } }, "island" }, { { { 0, 0x18 } }, "node" },
        { { { 0, 0x01 }, { 0, 0x02 } }, "island" },           /* two tasks, one node */
        { { { 0, 0x01 }, { 0, 0x01 } }, "gpu" },              /* two that share a GPU */
        { { { 0, 0xff }, { 1, 0xff } }, "rack" }, { { { 3, 1 }, { 0, 1 } }, "pod" },
        { { { 10, 0xf }, { 11, 0xf } }, "island" }, { { { 11, 1 }, { 10, 1 }, { 13, 1 } }, "rack" },
        { { { 2, 1 }, { 9, 1 }, { 3, 1 } }, "cluster" },
        { { { 4, 1 }, { 16, 0 } }, "gpu" },                   /* a task without GPU does not count */
        { { { 16, 0 } }, "gpu" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct placement *p = mem_new(1, sizeof *p + 3 * sizeof *p->piece);
        for (; p->n < 3 && (p->n == 0 || rows[i].piece[p->n].node || rows[i].piece[p->n].mask); p->n++) {
            uint64_t mask = rows[i].piece[p->n].mask;
            p->piece[p->n] = (struct piece){ .node = rows[i].piece[p->n].node, .task = (uint32_t)p->n, .gpu_mask = mask,
                                             .gpus = (uint32_t)__builtin_popcountll(mask), .milli = MILLI_ALL };
        }
        assert_string_equal(cluster_distance_name(*state, cluster_placement_distance(*state, p)), rows[i].want);
        assert_int_equal(cluster_placement_distance(*state, p), by_pairs(*state, p));
        free(p);
    }
}

static void placement_on_a_counted_node(void **state)
{
    struct placement *p = mem_new(1, sizeof *p + sizeof *p->piece);
    p->n = 1;
    p->piece[0] = (struct piece){ .node = 15, .gpus = 1, .milli = MILLI_ALL };
    assert_int_equal(cluster_placement_distance(*state, p), 0);
    p->piece[0].gpus = 100;
    assert_int_equal(cluster_placement_distance(*state, p), 1);
    free(p);
}

/* ---- others ---- */

static void without_nodes_of_a_group(void **state)
{
    (void)state;
    static const struct group_spec g[] = {
        { .name = "none", .gpus = 8, NOT_MODELLED }, { .name = "some", .count = 1, .gpus = 64, .island_gpus = 64, NOT_MODELLED },
    };
    struct cluster *c = build(g, 2);
    assert_int_equal(c->n_kinds, 1);
    assert_int_equal(c->kind[0].type, 1);
    assert_true(c->type[1].island_of[63] == UINT64_MAX && c->type[1].numa_of[0] == UINT64_MAX);
    cluster_free(c);
}

static void large_cluster_is_lean(void **state)
{
    (void)state;                  /* 25 bytes a node (cluster.h) and 16 a domain: 1/18 + 1/18 + 1/288 a node */
    static const struct group_spec g = { .name = "nvl72", .gpu_model = "B200", .count = 200000, .gpus = 4, .island_gpus = 72,
                                         .nodes_per_rack = 18, .racks_per_pod = 16, NOT_MODELLED };
    struct cluster *c = build(&g, 1);
    assert_int_equal(c->n_domains, 1 + 695 + 11112 + 11112);  /* ceil(200000 / 288), ceil(200000 / 18) twice */
    assert_int_equal(c->domain[c->n_domains - 1].end, 200000);
    assert_true(arena_bytes(c->memory) < 8000000);
    cluster_free(c);
}

static void nothing_to_free(void **state)
{
    (void)state;
    cluster_free(NULL);
}

/* ---- catalogue ---- */

static void catalogue_is_consistent(void **state)
{
    (void)state;
    assert_int_equal(gpu_model_find("A100-SXM4-80")->mem_gib, 80);     /* models.md, 1.1 */
    assert_int_equal(node_design_find("dgx2-v100")->gpus, 16);         /* models.md, 1.3 */
    assert_null(gpu_model_find("A100"));
    assert_null(node_design_find("dgx"));
    for (const struct node_design *d = node_catalogue; d->name; d++) {
        assert_non_null(gpu_model_find(d->gpu_model));
        const struct group_spec g = {
            .name = d->name, .gpu_model = d->gpu_model, .count = 18, .gpus = d->gpus, .numa_nodes = d->numa_nodes,
            .island_gpus = d->island_gpus == ISLAND_IS_NODE ? d->gpus : d->island_gpus, .nodes_per_rack = d->nodes_per_rack,
        };
        struct cluster *c = build(&g, 1);
        cluster_free(c);
    }
}

int main(void)
{
    static const struct CMUnitTest on_mixed[] = {
        cmocka_unit_test(totals), cmocka_unit_test(node_numbers), cmocka_unit_test(masks), cmocka_unit_test(domain_tree),
        cmocka_unit_test(domains_at_levels), cmocka_unit_test(distances), cmocka_unit_test(placement_distances),
        cmocka_unit_test(placement_on_a_counted_node),
    };
    static const struct CMUnitTest alone[] = {
        cmocka_unit_test(same_numa_other_island), cmocka_unit_test(large_cluster_is_lean),
        cmocka_unit_test(without_nodes_of_a_group), cmocka_unit_test(nothing_to_free),
        cmocka_unit_test(catalogue_is_consistent),
    };
    int failed = cmocka_run_group_tests_name("mixed cluster", on_mixed, mixed_up, tear_down);
    failed += cmocka_run_group_tests_name("clusters", alone, NULL, NULL);
    return failed != 0;
}
