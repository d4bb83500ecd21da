/* test_levels.c - the tree of a cluster with more than two levels above the node, what the levels are
 * called, and distances by name. By hand. */
#include "sim/cluster/topology/levels.h"
#include "tests/unit/cluster/cluster_text.h"

#define NODES(name, n) "  - { group: " name ", count: " n ", gpus: 4, "
/* A zone is 2 x 2 x 2 = 8 nodes; the last of a group has what is left. Group b goes on with the last zone of a, with
 * as many of its nodes as a zone of its own has: 8, so that its first zone ends with it. */
static const struct tree {
    const char *name, *nodes;
    const char *of[LEVELS_ABOVE_NODE];         /* from racks on; NULL: no more */
} trees[] = {
    { "three levels", NODES("a", "12") "levels: { rack: 2, pod: 2, zone: 2 } }\n",
      { "0-1 2-3 4-5 6-7 8-9 10-11", "0-3 4-7 8-11", "0-7 8-11" } },
    { "with other names", NODES("a", "4") "levels: { leaf: 1, spine: 2 } }\n", { "0-0 1-1 2-2 3-3", "0-1 2-3" } },
    { "one level", NODES("a", "4") "levels: { block: 2 } }\n", { "0-1 2-3", "" } },
    { "a group with fewer", NODES("a", "8") "levels: { rack: 2, pod: 2, zone: 2 } }\n" NODES("b", "2") "levels: { rack: 2 } }\n",
      { "0-1 2-3 4-5 6-7 8-9", "0-3 4-7", "0-7" } },
    { "beside the older keys", NODES("a", "4") "nodes_per_rack: 2, racks_per_pod: 2 }\n"
                               NODES("b", "8") "levels: { rack: 2, pod: 2, zone: 2 } }\n",
      { "0-1 2-3 4-5 6-7 8-9 10-11", "0-3 4-7 8-11", "4-11" } },
    { "joins a zone", NODES("a", "4") "levels: { rack: 2, pod: 2, zone: 2 } }\n"
                      NODES("b", "12") "levels: { rack: 2, pod: 2, zone: 2 }, joins: zone }\n",
      { "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15", "0-3 4-7 8-11 12-15", "0-11 12-15" } },
    { "joins a pod, and so its zone", NODES("a", "2") "levels: { rack: 2, pod: 2, zone: 1 } }\n"
                                      NODES("b", "2") "levels: { rack: 2, pod: 2, zone: 1 }, joins: pod }\n",
      { "0-1 2-3", "0-3", "0-3" } },
    { "eight levels", NODES("a", "256") "levels: { a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 2, h: 2 } }\n",
      { NULL } },
    { "more nodes than there are", NODES("a", "3") "levels: { a: 10000000, b: 10000000, c: 10000000, d: 10000000 } }\n",
      { "0-2", "0-2", "0-2", "0-2" } },
};

static void tree_of_levels(void **state)
{
    const struct tree *row = *state;
    struct error err = { "" };
    char text[1024];
    snprintf(text, sizeof text, "nodes:\n%s", row->nodes);
    struct cluster *c = read_text("c.yaml", text, &err);
    assert_string_equal(err.text, "");
    for (uint32_t k = 0; k < LEVELS_ABOVE_NODE && row->of[k]; k++) {
        domains(text, c, LEVEL_RACK + k);
        assert_string_equal(text, row->of[k]);
    }
    for (node_id n = 0; n < c->n_nodes; n++)     /* whatever lies around a node holds it, and lies in what is further out */
        for (domain_id d = c->domain_of[n], up; d != 0; d = up) {
            up = c->domain[d].parent;
            assert_true(c->domain[d].first <= n && n < c->domain[d].end);
            assert_true(c->domain[up].first <= c->domain[d].first && c->domain[d].end <= c->domain[up].end);
            assert_true(c->domain[d].level < c->domain[up].level);
        }
    cluster_free(c);
}

static void eight_levels(void **state)
{
    (void)state;
    struct error err = { "" };
    char list[LEVEL_LIST_MAX];
    struct cluster *c = read_text("c.yaml", "nodes:\n  - { group: a, count: 256, gpus: 1, levels: { a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 2, h: 2 } }\n", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(c->n_domains, 256);         /* 128 + 64 + ... + 1, and the cluster */
    /* nodes n and n + 2^k are in one domain of 2^(k + 1) nodes, level k + 1 above the node, and of none below */
    static const char *const name[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    for (node_id k = 0; k < 8; k++) {
        unsigned d = cluster_distance(c, 0, 0, 1u << k, 0);
        assert_string_equal(cluster_distance_name(c, d), name[k]);
        assert_int_equal(d, cluster_level_distance(c, LEVEL_RACK + k));
    }
    assert_string_equal(level_list(&c->levels, list), "island, numa, node, a (rack), b (pod), c, d, e, f, g, h, cluster");
    cluster_free(c);
}

/* Classes of models.md 1.5, with one more before the last. */
static void distances(void **state)
{
    (void)state;
    struct error err = { "" };
    struct cluster *c = read_text("c.yaml", "nodes:\n  - { group: a, count: 16, gpus: 2, levels: { rack: 2, pod: 2, zone: 2 } }\n", &err);
    static const struct { node_id b; unsigned gpu; const char *want; unsigned class; } rows[] = {
        { 0, 0, "gpu", 0 }, { 1, 0, "rack", 4 }, { 2, 0, "pod", 5 }, { 4, 0, "zone", 6 }, { 8, 0, "cluster", 7 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(cluster_distance(c, 0, 0, rows[i].b, rows[i].gpu), rows[i].class);
        assert_string_equal(cluster_distance_name(c, rows[i].class), rows[i].want);
    }
    assert_int_equal(cluster_level_distance(c, LEVEL_ANY), 7);
    assert_int_equal(cluster_level_outwards(c, LEVEL_NUMA), LEVEL_NODE);
    assert_int_equal(cluster_level_outwards(c, LEVEL_POD), LEVEL_POD + 1);
    assert_int_equal(cluster_level_outwards(c, LEVEL_POD + 1), LEVEL_CLUSTER);
    cluster_free(c);
}

static void names(void **state)
{
    (void)state;
    static const struct { const char *text; enum level want; } rows[] = {
        { "leaf", LEVEL_RACK }, { "rack", LEVEL_RACK }, { "pod", LEVEL_POD }, { "zone", LEVEL_POD + 1 },
        { "node", LEVEL_NODE }, { "cluster", LEVEL_CLUSTER }, { "lea", LEVEL_ANY }, { "", LEVEL_ANY },
    };
    static const struct { const char *text; bool is; } good[] = {
        { "zone", true }, { "a", true }, { "a-b_c.9", true }, { "9a", false }, { "", false }, { "a b", false }, { "a:b", false },
        { "abcdefghijabcdefghijabcdefghij1", true }, { "abcdefghijabcdefghijabcdefghij12", false },
    };
    static const struct level_names of = { 3, { "leaf", "pod", "zone" } };
    char list[LEVEL_LIST_MAX];
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(level_find(&of, rows[i].text, strlen(rows[i].text)), rows[i].want);
    for (size_t i = 0; i < COUNT(good); i++)
        assert_int_equal(level_is_name(good[i].text, strlen(good[i].text)), good[i].is);
    assert_string_equal(level_list(&of, list), "island, numa, node, leaf (rack), pod, zone, cluster");
    assert_string_equal(level_list(&level_names_usual, list), "island, numa, node, rack, pod, cluster");
}

static const struct bad {
    const char *name, *nodes, *error;
} bad[] = {
    { "too many", NODES("a", "1") "levels: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 } }\n",
      "c.yaml:2:44: levels: want from 1 to 8 levels above the node, the innermost first: { rack: 8, pod: 4, zone: 2 }; got 9" },
    { "none", NODES("a", "1") "levels: {} }\n",
      "c.yaml:2:44: levels: want from 1 to 8 levels above the node, the innermost first: { rack: 8, pod: 4, zone: 2 }; got 0" },
    { "both ways", NODES("a", "1") "nodes_per_rack: 2, levels: { rack: 2 } }\n",
      "c.yaml:2:63: levels: want either 'levels' or 'nodes_per_rack' and 'racks_per_pod'" },
    { "no number", NODES("a", "1") "levels: { rack: many } }\n",
      "c.yaml:2:52: rack: want a whole number from 1 to 10000000, got 'many'" },
    { "zero", NODES("a", "1") "levels: { rack: 2, pod: 0 } }\n",
      "c.yaml:2:60: pod: want a whole number from 1 to 10000000, got '0'" },
    { "no name", NODES("a", "1") "levels: { \"a b\": 2 } }\n",
      "c.yaml:2:53: a b: want the name of a level: a letter, then letters, digits, '-', '_' and '.', at most 31 in all; got 'a b'" },
    { "rack is the first", NODES("a", "1") "levels: { tor: 2, rack: 2 } }\n",
      "c.yaml:2:60: rack: want another name for level 2 above the node: 'rack' is the first, 'pod' the second, and island, numa, "
      "node and cluster are others" },
    { "cluster", NODES("a", "1") "levels: { rack: 2, pod: 2, cluster: 2 } }\n",
      "c.yaml:2:72: cluster: want another name for level 3 above the node: 'rack' is the first, 'pod' the second, and island, "
      "numa, node and cluster are others" },
    { "other names in another group", NODES("a", "1") "levels: { rack: 2, pod: 2, zone: 2 } }\n" NODES("b", "1") "levels: { rack: 2, zone: 2 } }\n",
      "c.yaml:3:61: zone: want 'pod' as level 2 above the node, as in a group before" },
    { "joins what there is not", NODES("a", "1") "levels: { rack: 2 } }\n" NODES("b", "1") "levels: { rack: 2 }, joins: zone }\n",
      "c.yaml:3:64: joins: want none, or a level above the node of island, numa, node, rack, pod, cluster; got 'zone'" },
    { "joins a level that the group before has not", NODES("a", "1") "levels: { rack: 2, pod: 2 } }\n"
                                                      NODES("b", "1") "levels: { rack: 2, pod: 2, zone: 2 }, joins: zone }\n",
      "c.yaml:3:5: group 'b': cannot join the zone of the group before: want it in both, and the same levels above it" },
};

static void refused(void **state)
{
    const struct bad *row = *state;
    struct error err = { "" };
    char text[1024], want[1024];
    snprintf(text, sizeof text, "nodes:\n%s", row->nodes);
    snprintf(want, sizeof want, "%s/%s", directory, row->error);
    assert_null(read_text("c.yaml", text, &err));
    assert_string_equal(err.text, want);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    if (!mkdtemp(directory))
        return 1;
    ADD_ROWS(tests, n, tree_of_levels, trees);
    ADD_ROWS(tests, n, refused, bad);
    ADD_TEST(tests, n, eight_levels);
    ADD_TEST(tests, n, distances);
    ADD_TEST(tests, n, names);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
