/* test_node_list.c - clusters from published lists of nodes: small ones by hand, then the public files with the counts
 * of traces/README.md of the shared files. */
#include "sim/cluster/cluster_file.h"
#include "sim/cluster/node_list.h"
#include "tests/unit/read_shared.h"

#include <inttypes.h>
#include <string.h>

#define OPENB "sn,cpu_milli,memory_mib,gpu,model\n"
#define PAI   "machine,gpu_type,cap_cpu,cap_mem(GB),cap_gpu\n"
#define SPOT  "gpu_model,gpu_capacity_num,cpu_num,node_name\n"

static char directory[] = "/tmp/gpuyard-test-XXXXXX";

static struct cluster *read_text(const char *text, struct error *err)
{
    char path[64], sha256[65] = "";
    snprintf(path, sizeof path, "%s/n.csv", directory);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
    struct cluster *c = cluster_read(path, NULL, sha256, err);
    assert_int_equal(strlen(sha256), c ? 64 : 0);
    unlink(path);
    return c;
}

/* ---- what is read ---- */

/* Each group: NAME NODESxGPUS, MODEL and what is modelled of milli-CPUs and MiB. */
static const struct good {
    const char *name, *text, *groups;
} good[] = {
    { "openb: neighbours that are alike",
      OPENB "n-0,64000,262144,2,P100\nn-1,64000,262144,2,P100\nn-2,32000,262144,0,\nn-3,64000,262144,2,P100\n",
      "n-0 2x2 P100 cpu=64000 mib=262144\nn-2 1x0 cpu=32000 mib=262144\nn-3 1x2 P100 cpu=64000 mib=262144\n" },
    { "PAI: as published, without a header", "m1,P100,64,512,2\nm0,P100,64,512,2\nm2,CPU,96,512,0\n",
      "m0 2x2 P100 cpu=64000 mib=524288\nm2 1x0 cpu=96000 mib=524288\n" },
    { "in order of the names, not of the file", OPENB "n-2,2,2,1,G2\nn-0,1,2,8,G2\nn-1,2,2,1,G2\n",
      "n-0 1x8 G2 cpu=1 mib=2\nn-1 2x1 G2 cpu=2 mib=2\n" },
    { "numbers by their value, before other names", SPOT "A10,1,128,10\nH800,8,192,9\nA10,1,128,a\nA10,1,128,100\n",
      "9 1x8 H800 cpu=192000\n10 3x1 A10 cpu=128000\n" },
    { "pai: GB and CPUs, a node without GPUs has no model", PAI "m1,V100,96,512,8\nm2,CPU,96,512,0\nm3,MISC,96,0.5,8\n",
      "m1 1x8 V100 cpu=96000 mib=524288\nm2 1x0 cpu=96000 mib=524288\nm3 1x8 MISC cpu=96000 mib=512\n" },
    { "pai: the header of the file beside it", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\nm1,T4,96,512,2\n",
      "m1 1x2 T4 cpu=96000 mib=524288\n" },
    { "another order, another column, CRLF, a byte order mark",
      "\xef\xbb\xbfmodel,gpu,rack,sn,memory_mib,cpu_milli\r\nT4,2,r1,x,5,6\r\n", "x 1x2 T4 cpu=6 mib=5\n" },
    { "GPUs of an unknown model, more than have names", OPENB "x,1,1,65,\n", "x 1x65 gpu cpu=1 mib=1 counted\n" },
    { "each part tells nodes apart", OPENB "a,1,1,1,M\nb,2,1,1,M\nc,2,2,1,M\nd,2,2,2,M\ne,2,2,2,N\nf,2,2,2,N\n",
      "a 1x1 M cpu=1 mib=1\nb 1x1 M cpu=2 mib=1\nc 1x1 M cpu=2 mib=2\nd 1x2 M cpu=2 mib=2\ne 2x2 N cpu=2 mib=2\n" },
};

static void read_good(void **state)
{
    const struct good *g = *state;
    struct error err = { "" };
    char text[1024] = "";
    size_t n = 0;
    struct cluster *c = read_text(g->text, &err);
    assert_string_equal(err.text, "");
    for (node_id i = 0, end; i < c->n_nodes; i = end) {
        const struct node_type *t = cluster_node_type(c, i);
        for (end = i; end < c->n_nodes && c->group_of[end] == c->group_of[i];)
            end++;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %" PRIu32 "x%" PRIu32, c->group_name[c->group_of[i]], end - i,
                              t->gpus);
        if (t->gpu_model != ID_NONE)
            n += (size_t)snprintf(text + n, sizeof text - n, " %s", intern_text(c->gpu_models, t->gpu_model));
        n += (size_t)snprintf(text + n, sizeof text - n, " cpu=%" PRId64, t->cpu_milli);
        if (t->mem_mib != INT64_MAX)
            n += (size_t)snprintf(text + n, sizeof text - n, " mib=%" PRId64, t->mem_mib);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", t->counted ? " counted" : "");
    }
    assert_string_equal(text, g->groups);
    cluster_free(c);
}

/* As a YAML file without queues and preemption has it. */
static void the_rest(void **state)
{
    (void)state;
    struct error err = { "" };
    struct cluster *c = read_text(OPENB "x,1,1,4,T4\n", &err);
    assert_non_null(c);
    assert_string_equal(c->name, "n");
    assert_true(c->queues_from_trace);
    assert_int_equal(c->n_domains, 1);
    assert_int_equal(c->type[0].island_of[2], 1 << 2); /* nothing is known of NVLink */
    assert_int_equal(c->type[0].gpu_mem_mib, 0);
    assert_int_equal(c->period_ns, 0);
    assert_int_equal(c->overhead.checkpoint, CHECKPOINT_NONE);
    assert_int_equal(c->overhead.grace_ns, 30 * NS_PER_S);
    cluster_free(c);
}

/* ---- what is refused ---- */

static const struct bad {
    const char *name, *text, *error; /* the message behind the directory */
} bad[] = {
    { "no nodes", OPENB, "n.csv: want at least one node, got none" },
    { "a name twice", OPENB "b,1,1,1,T4\na,1,1,1,T4\nb,1,1,1,T4\n", "n.csv:4: sn: 'b' was used before, on line 2" },
    { "no name", OPENB ",1,1,1,T4\n", "n.csv:2: sn: want a value, got ''" },
    { "no number of GPUs", PAI "a,T4,1,1,\n", "n.csv:2: cap_gpu: want a value, got ''" },
    { "no CPUs", SPOT "A10,1,,a\n", "n.csv:2: cpu_num: want a value, got ''" },
    { "half a GPU", OPENB "a,1,1,0.5,T4\n", "n.csv:2: gpu: want a whole number from 0 to 1000000, got '0.5'" },
    { "CPUs", PAI "a,T4,many,1,1\n", "n.csv:2: cap_cpu: want a number from 0 to 1000000, got 'many'" },
    { "memory", OPENB "a,1,-1,1,T4\n", "n.csv:2: memory_mib: want a number from 0 to 1073741824, got '-1'" },
    { "too few cells", OPENB "a,1,1\n", "n.csv:2: want 5 cells as in the header, got 3" },
};

static void refused(void **state)
{
    const struct bad *b = *state;
    struct error err = { "" };
    assert_null(read_text(b->text, &err));
    assert_memory_equal(err.text, directory, strlen(directory));
    assert_string_equal(err.text + strlen(directory) + 1, b->error);
}

/* What cluster_build() finds: 4296 nodes of a million GPUs are more than 32 bits can count. */
static void too_many_gpus(void **state)
{
    (void)state;
    enum { ROOM = 128 << 10 };
    char *text = malloc(ROOM), expected[160];
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, ROOM, "%s", SPOT);
    for (unsigned i = 0; i < 4296; i++)
        n += (size_t)snprintf(text + n, ROOM - n, "A,1000000,1,%u\n", i);
    assert_true(n < ROOM);
    struct error err = { "" };
    assert_null(read_text(text, &err));
    snprintf(expected, sizeof expected, "%s/n.csv: group '0': want at most 4294967295 GPUs in all, got 4296000000",
             directory);
    assert_string_equal(err.text, expected);
    free(text);
}

/* What only resembles such a list stays a YAML file. */
static void recognised(void **state)
{
    (void)state;
    static const char *const others[] = { "",
                                          "\n",
                                          "nodes: []\n",
                                          "sn,cpu_milli,memory_mib,gpu\n",
                                          "ip,DSW,PSW,ASW\n",
                                          "\nsn,cpu_milli,memory_mib,gpu,model\n",
                                          "# sn,cpu_milli,memory_mib,gpu,model\n" };
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(node_list_recognise(others[i], strlen(others[i])));
    assert_true(node_list_recognise(OPENB, strlen(OPENB)));
    assert_true(node_list_recognise(PAI, strlen(PAI) - 1)); /* nothing but the header, without its end */
}

/* ---- public files ---- */

/* kinds: runs of equal rows in the order of the names, counted with Python. */
static const struct list {
    const char *name, *path;
    uint32_t nodes, without_gpus, kinds;
    int64_t gpus;
    struct {
        const char *model;
        uint32_t nodes, gpus;
    } of[12];
} lists[] = {
    { "openb, all nodes",
      "alibaba-openb-v2023/openb_node_list_all_node.csv",
      1523,
      310,
      516,
      6212,
      { { "G2", 549, 8 },
        { "G3", 39, 8 },
        { "T4", 387, 2 },
        { "T4", 17, 4 },
        { "P100", 131, 2 },
        { "P100", 3, 1 },
        { "V100M16", 19, 1 },
        { "V100M16", 28, 4 },
        { "V100M16", 8, 8 },
        { "V100M32", 9, 4 },
        { "V100M32", 21, 8 },
        { "A10", 2, 1 } } },
    { "openb, nodes with GPUs",
      "alibaba-openb-v2023/openb_node_list_gpu_node.csv",
      1213,
      0,
      405,
      6212,
      { { "G2", 549, 8 }, { "A10", 2, 1 } } },
    { "spot",
      "alibaba-spot-v2026/node_info_df.csv",
      4278,
      0,
      2578,
      10412,
      { { "A10", 2494, 1 },
        { "A100-SXM4-80GB", 432, 8 },
        { "A800-SXM4-80GB", 22, 8 },
        { "H800", 219, 8 },
        { "GPU-series-1", 902, 1 },
        { "GPU-series-1", 10, 4 },
        { "GPU-series-1", 77, 8 },
        { "GPU-series-2", 122, 8 } } },
};

static uint32_t nodes_with(const struct cluster *c, const char *model, uint32_t gpus)
{
    uint32_t n = 0;
    for (node_id i = 0; i < c->n_nodes; i++) {
        const struct node_type *t = cluster_node_type(c, i);
        const char *is = t->gpu_model == ID_NONE ? "" : intern_text(c->gpu_models, t->gpu_model);
        n += strcmp(is, model) == 0 && t->gpus == gpus;
    }
    return n;
}

static void whole_list(void **state)
{
    const struct list *l = *state;
    char whole[1024], sha256[65];
    struct error err = { "" };
    struct cluster *c = cluster_read(shared_path(whole, l->path), NULL, sha256, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(c->n_nodes, l->nodes);
    assert_int_equal(c->gpus, l->gpus);
    assert_int_equal(nodes_with(c, "", 0), l->without_gpus);
    assert_int_equal(c->n_groups, l->kinds);
    assert_true(c->n_kinds <= 40);      /* nodes alike are one kind, wherever they stand in the list */
    for (size_t i = 0; i < COUNT(l->of) && l->of[i].model; i++)
        assert_int_equal(nodes_with(c, l->of[i].model, l->of[i].gpus), l->of[i].nodes);
    cluster_free(c);
}

/* The first rows of spot are 0: GPU-series-1 x 4, 1: GPU-series-1 x 1, 2: A10, and its names are numbers. */
static void numbered_by_name(void **state)
{
    (void)state;
    char whole[1024], sha256[65];
    struct error err = { "" };
    struct cluster *c = cluster_read(shared_path(whole, "alibaba-spot-v2026/node_info_df.csv"), NULL, sha256, &err);
    assert_non_null(c);
    assert_int_equal(cluster_node_gpus(c, 0), 4);
    assert_int_equal(cluster_node_gpus(c, 1), 1);
    assert_string_equal(intern_text(c->gpu_models, cluster_node_type(c, 2)->gpu_model), "A10");
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, read_good, good);
    ADD_TEST(tests, n, the_rest);
    ADD_ROWS(tests, n, refused, bad);
    ADD_TEST(tests, n, too_many_gpus);
    ADD_TEST(tests, n, recognised);
    ADD_ROWS(tests, n, whole_list, lists);
    ADD_TEST(tests, n, numbered_by_name);
    if (!mkdtemp(directory))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(directory);
    return failed != 0;
}
