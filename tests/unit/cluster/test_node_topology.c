/* test_node_topology.c - Lingjun's list of hosts as a cluster, and racks that are not alike. By hand; the public file with
 * the counts of traces/README.md of the shared files. */
#include "tests/unit/cluster/cluster_text.h"
#include "tests/unit/read_shared.h"

#define HEAD "ip,DSW,PSW,ASW\n"

/* Two pods; P8 before P10, S2 before S11; S2 is in both, and is two racks. */
static void racks_and_pods(void **state)
{
    (void)state;
    struct error err = { "" };
    char text[256];
    struct cluster *c = read_text("t.csv", HEAD "e,G6,P10,S2\nd,G6,P8,S11\nc,G6,P8,S2\na,G6,P8,S2\nb,G6,P8,S2\nf,G6,P10,S2\n", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(c->n_nodes, 6);
    assert_int_equal(c->gpus, 48);
    assert_int_equal(c->n_groups, 2);
    assert_string_equal(c->group_name[0], "G6-P8");
    assert_string_equal(c->group_name[1], "G6-P10");
    domains(text, c, LEVEL_RACK);
    assert_string_equal(text, "0-2 3-3 4-5");
    domains(text, c, LEVEL_POD);
    assert_string_equal(text, "0-3 4-5");
    assert_int_equal(cluster_distance(c, 0, 0, 2, 0), 4); /* a rack */
    assert_int_equal(cluster_distance(c, 2, 0, 3, 0), 5); /* a pod */
    assert_int_equal(cluster_distance(c, 3, 0, 4, 0), 6); /* further */
    cluster_free(c);
}

static const struct bad {
    const char *name, *text, *error;
} bad[] = {
    { "no hosts", HEAD, "t.csv: want at least one node, got none" },
    { "a host twice", HEAD "a,G,P,S\nb,G,P,S\na,G,P,T\n", "t.csv:4: ip: 'a' was used before, on line 2" },
    { "no switch", HEAD "a,G,,S\n", "t.csv:2: PSW: want a value, got ''" },
    { "a cell too few", HEAD "a,G,P\n", "t.csv:2: want 4 cells as in the header, got 3" },
};

static void refused(void **state)
{
    const struct bad *b = *state;
    struct error err = { "" };
    assert_null(read_text("t.csv", b->text, &err));
    assert_string_equal(strstr(err.text, "t.csv"), b->error);
}

/* ---- racks of other sizes, from a caller ---- */

static const uint32_t sizes[] = { 1, 3, 2 };
#define GROUP(...)                                                                                                     \
    (struct group_spec)                                                                                                \
    {                                                                                                                  \
        .name = "g", .count = 6, .gpus = 8, .island_gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, __VA_ARGS__ \
    }

static void uneven_racks(void **state)
{
    (void)state;
    struct error err = { "" };
    char text[256];
    struct group_spec g = GROUP(.rack_nodes = sizes, .n_racks = 3, .racks_per_pod = 2);
    struct cluster *c = cluster_build("c", &g, 1, NULL, 0, &err);
    assert_string_equal(err.text, "");
    domains(text, c, LEVEL_RACK);
    assert_string_equal(text, "0-0 1-3 4-5");
    domains(text, c, LEVEL_POD);
    assert_string_equal(text, "0-3 4-5");
    cluster_free(c);
    g = GROUP(.rack_nodes = sizes, .n_racks = 2);
    assert_null(cluster_build("c", &g, 1, NULL, 0, &err));
    assert_string_equal(err.text, "group 'g': its racks have 4 nodes, but it has 6");
    err.text[0] = '\0';
    g = GROUP(.rack_nodes = sizes, .n_racks = 3);
    g.island_gpus = 16;
    assert_null(cluster_build("c", &g, 1, NULL, 0, &err));
    assert_string_equal(err.text, "group 'g': a rack of 1 nodes is empty or cannot be cut into its islands");
}

/* README: 847 hosts, PSWs with 362, 306 and 179, 119 leaves of at most 8 hosts. */
static void lingjun(void **state)
{
    (void)state;
    char whole[1024], sha256[65], text[256];
    struct error err = { "" };
    uint32_t racks = 0, most = 0;
    struct cluster *c = cluster_read(shared_path(whole, "alibaba-lingjun-2023/topo.csv"), NULL, sha256, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(c->n_nodes, 847);
    domains(text, c, LEVEL_POD);
    assert_string_equal(text, "0-178 179-540 541-846");
    for (domain_id d = 0; d < c->n_domains; d++) {
        uint32_t n = c->domain[d].end - c->domain[d].first;
        racks += c->domain[d].level == LEVEL_RACK;
        most = c->domain[d].level == LEVEL_RACK && n > most ? n : most;
    }
    assert_int_equal(racks, 119);
    assert_int_equal(most, 8);
    cluster_free(c);
}

/* Racks of two nodes, pods of two racks: a has nodes 0 to 2, b nodes 3 to 5. */
static void joined(void **state)
{
    static const struct { const char *joins, *racks, *pods; } rows[] = {
        { "none", "0-1 2-2 3-4 5-5", "0-2 3-5" },
        { "pod", "0-1 2-2 3-4 5-5", "0-5" },
        { "rack", "0-1 2-4 5-5", "0-5" },                 /* b's first rack goes on with node 2 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { "" };
        char path[64], text[256], sha256[65];
        snprintf(path, sizeof path, "%s/c.yaml", directory);
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fprintf(f, "nodes:\n"
                   "  - { group: a, count: 3, gpus: 8, nodes_per_rack: 2, racks_per_pod: 2 }\n"
                   "  - { group: b, count: 3, gpus: 4, nodes_per_rack: 2, racks_per_pod: 2, joins: %s }\n", rows[i].joins);
        assert_int_equal(fclose(f), 0);
        struct cluster *c = cluster_read(path, NULL, sha256, &err);
        unlink(path);
        assert_string_equal(err.text, "");
        domains(text, c, LEVEL_RACK);
        assert_string_equal(text, rows[i].racks);
        domains(text, c, LEVEL_POD);
        assert_string_equal(text, rows[i].pods);
        for (node_id n = 0; n < c->n_nodes; n++) {
            domain_id rack = cluster_domain_at(c, n, LEVEL_RACK), pod = cluster_domain_at(c, n, LEVEL_POD);
            assert_true(c->domain[rack].level == LEVEL_RACK && c->domain[rack].first <= n && n < c->domain[rack].end);
            assert_true(c->domain[rack].parent == pod && c->domain[pod].level == LEVEL_POD);
        }
        cluster_free(c);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, racks_and_pods);
    ADD_ROWS(tests, n, refused, bad);
    ADD_TEST(tests, n, uneven_racks);
    ADD_TEST(tests, n, lingjun);
    ADD_TEST(tests, n, joined);
    if (!mkdtemp(directory))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
