/* test_cluster_file.c - what good cluster files mean; bad ones: test_cluster_file_errors.c. */
#include "sim/cluster/cluster_file.h"
#include "sim/models/sharing.h"
#include "tests/unit/test_core.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char directory[] = "/tmp/test_cluster_file.XXXXXX";

static void write_file(const char *name, const char *text, size_t length)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static struct cluster *read_file(const char *name)
{
    struct error err = { "" };
    char sha256[65] = "";
    struct cluster *c = cluster_read(name, NULL, sha256, &err);
    assert_string_equal(err.text, "");
    assert_non_null(c);
    assert_int_equal(strlen(sha256), 64);
    return c;
}

static struct cluster *read_text(const char *text)
{
    write_file("c.yaml", text, strlen(text));
    return read_file("c.yaml");
}

/* clang-format off */
static const char full[] =
    "name: two-teams\n"
    "nodes:\n"
    "  - group: dgx\n"
    "    count: 4\n"
    "    type: dgx-a100\n"
    "    gpu_model: A100-SXM4-80\n"
    "    gpus: 8\n"
    "    counted: false\n"
    "    island_gpus: 4\n"
    "    numa_nodes: 2\n"
    "    gpu_memory_gib: 79.5\n"
    "    cpus: 127.5\n"
    "    memory_gib: 1024\n"
    "    nodes_per_rack: 2\n"
    "    racks_per_pod: 16\n"
    "  - { group: t4, count: 2, type: pcie-2xT4, counted: True, cpus: unlimited }\n"
    "queues:\n"
    "  - name: team-a\n"
    "    deserved_gpus: 4.5\n"
    "    deserved_cpus: 1\n"
    "    deserved_memory_gib: 0.5\n"
    "    limit_gpus: 16\n"
    "    limit_cpus: unlimited\n"
    "    limit_memory_gib: 64\n"
    "    weight: 2.5\n"
    "    priority: -7\n"
    "    queues:\n"
    "      - { name: a1, nodes: { dgx: 2, t4: 1 } }\n"
    "      - { name: a2, deserved_gpus: unlimited }\n"
    "  - name: team-b\n"
    "period_s: 0.25\n"
    "passes: event\n"
    "preemption:\n"
    "  checkpoint: periodic\n"
    "  interval_s: 1800\n"
    "  save_s: 1\n"
    "  grace_s: 2\n"
    "  start_s: 3\n"
    "  restart_s: 4.5\n";
/* clang-format on */

static void full_nodes(void **state)
{
    (void)state;
    struct cluster *c = read_text(full);
    assert_string_equal(c->name, "two-teams");
    assert_int_equal(c->n_nodes, 6);
    const struct node_type *dgx = &c->type[0], *t4 = &c->type[1];
    assert_string_equal(intern_text(c->gpu_models, dgx->gpu_model), "A100-SXM4-80");
    assert_false(dgx->counted);
    assert_int_equal(dgx->gpu_mem_mib, 81408);                /* 79.5 x 1024 */
    assert_int_equal(dgx->cpu_milli, 127500);
    assert_int_equal(dgx->mem_mib, 1 << 20);
    assert_int_equal(dgx->island_of[5], 0xf0);
    assert_int_equal(dgx->numa_of[5], 0xf0);
    assert_int_equal(t4->gpus, 2);                            /* models.md, 1.1 and 1.3 */
    assert_int_equal(t4->gpu_mem_mib, 16384);
    assert_true(t4->cpu_milli == INT64_MAX);                  /* overrides the 96 of the type */
    assert_int_equal(t4->mem_mib, 512 * 1024);
    assert_true(t4->counted);
    assert_int_equal(c->n_domains, 1 + 1 + 2);                /* cluster, one pod, two racks */
    cluster_free(c);
}

static void full_queues(void **state)
{
    (void)state;
    struct cluster *c = read_text(full);
    assert_int_equal(c->n_queues, 4);
    assert_false(c->queues_from_trace);
    const struct queue_facts *q = c->queue;
    static const char *const names[] = { "team-a", "a1", "a2", "team-b" };
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(q[i].name, names[i]);
    assert_int_equal(q[0].quota.deserved.gpu_milli, 4500);
    assert_int_equal(q[0].quota.deserved.cpu_milli, 1000);
    assert_int_equal(q[0].quota.deserved.mem_mib, 512);
    assert_int_equal(q[0].quota.limit.gpu_milli, 16000);
    assert_int_equal(q[0].quota.limit.cpu_milli, UNLIMITED);
    assert_int_equal(q[0].quota.limit.mem_mib, 65536);
    assert_true(q[0].weight == 2.5);
    assert_int_equal(q[0].priority, -7);
    assert_int_equal(q[0].first_child, 1);
    assert_int_equal(q[0].next_sibling, 3);
    assert_int_equal(q[1].parent, 0);
    assert_true(q[1].pinned);
    assert_int_equal(q[2].quota.deserved.gpu_milli, UNLIMITED);
    assert_int_equal(c->n_kinds, 4);
    assert_int_equal(c->kind[0].owner, 1);
    assert_int_equal(c->kind[0].n_nodes, 2);
    assert_int_equal(c->kind[2].owner, 1);
    assert_int_equal(c->kind[2].node[0], 4);
    cluster_free(c);
}

static void full_times(void **state)
{
    (void)state;
    struct cluster *c = read_text(full);
    assert_int_equal(c->period_ns, NS_PER_S / 4);
    assert_true(c->pass_per_event);
    assert_int_equal(c->overhead.checkpoint, CHECKPOINT_PERIODIC);
    assert_int_equal(c->overhead.interval_ns, 1800 * NS_PER_S);
    assert_int_equal(c->overhead.save_ns, 1 * NS_PER_S);
    assert_int_equal(c->overhead.grace_ns, 2 * NS_PER_S);
    assert_int_equal(c->overhead.start_ns, 3 * NS_PER_S);
    assert_int_equal(c->overhead.restart_ns, 9 * NS_PER_S / 2);
    cluster_free(c);
}

static void sharing(void **state)
{
    (void)state;
    struct cluster *c = read_text("nodes: [{group: g, count: 1, gpus: 1}]\n"
                                  "sharing: { mode: fraction, oom: fail, context_gib: 0.25, memory_usable: 0.5, switch_loss: 0.1,\n"
                                  "  switch_least: 0.2, compute_factor: 0.3, bandwidth_factor: 0.4, combined_most: 3, fraction_exponent: 2,\n"
                                  "  mig_exponent: 1, mig_reconfigure_s: 2.5, duties: { mine: { compute: 0.125, memory_gib: 1.5 } } }\n");
    const struct sharing *s = &c->sharing;
    assert_true(s->said && s->mode == SHARING_FRACTION && s->oom == OOM_FAIL);
    assert_int_equal(s->context_mib, 256);
    assert_int_equal(s->mig_reconfigure_ns, 5 * NS_PER_S / 2);
    assert_true(s->memory_usable == 0.5 && s->switch_loss == 0.1 && s->switch_least == 0.2 && s->compute_factor == 0.3 &&
                s->bandwidth_factor == 0.4 && s->combined_most == 3 && s->fraction_exponent == 2 && s->mig_exponent == 1);
    assert_int_equal(s->n_duties, 1);
    assert_string_equal(s->duty[0].model, "mine");
    assert_int_equal(s->duty[0].duty.compute, 125000);
    assert_int_equal(s->duty[0].duty.bandwidth, 0);
    assert_int_equal(s->duty[0].mem_mib, 1536);
    cluster_free(c);
    c = read_text("nodes: [{group: g, count: 1, gpus: 1}]\n");
    assert_true(!c->sharing.said && c->sharing.mode == SHARING_EXCLUSIVE);
    cluster_free(c);
}

/* models.md 1.2: 7 compute slices, so two GPUs count 14, whatever they are cut into. */
static void mig_dynamic(void **state)
{
    (void)state;
    struct cluster *c = read_text("nodes: [{group: g, count: 3, type: dgx-a100-80, gpus: 2, mig_strategy: dynamic}]\n");
    assert_true(c->type[0].mig_dynamic);
    assert_int_equal(c->gpus, 3 * 14);
    assert_int_equal(cluster_node_milli(c, 2), 14 * MILLI_ALL);
    assert_int_equal(c->n_kinds, 6);                          /* profiles */
    assert_int_equal(c->kind[3].mig, 3 << 12 | 40);
    assert_int_equal(c->kind[3].gpus, 4);
    assert_int_equal(c->kind[3].slots, 0x1111);               /* slices 0 and 4 of each */
    cluster_free(c);
}

static void defaults(void **state)
{
    (void)state;
    struct cluster *c = read_text("nodes:\n- {group: g, count: 2, gpus: 3}\nqueues: [{name: \u00fcber \u6f22 \U0001f600}]\n");
    assert_string_equal(c->name, "c");
    assert_int_equal(c->period_ns, 0);
    assert_false(c->pass_per_event);
    assert_int_equal(c->overhead.checkpoint, CHECKPOINT_NONE);
    assert_int_equal(c->overhead.grace_ns, 30 * NS_PER_S);       /* models.md, 3.3 */
    assert_int_equal(c->overhead.save_ns + c->overhead.start_ns + c->overhead.restart_ns, 0);
    assert_int_equal(c->type[0].gpu_mem_mib, 0);
    assert_true(c->type[0].cpu_milli == INT64_MAX && c->type[0].mem_mib == INT64_MAX);
    assert_int_equal(c->type[0].island_of[1], 1 << 1);        /* no NVLink */
    assert_int_equal(c->type[0].numa_of[1], 7);
    assert_string_equal(c->queue[0].name, "\u00fcber \u6f22 \U0001f600");
    assert_int_equal(c->queue[0].quota.deserved.gpu_milli, 0);
    assert_int_equal(c->queue[0].quota.limit.gpu_milli, UNLIMITED);
    assert_true(c->queue[0].weight == 1);
    assert_int_equal(c->queue[0].priority, 100);
    assert_int_equal(c->n_domains, 1);
    cluster_free(c);
}

static void json(void **state)
{
    (void)state;
    struct cluster *c = read_text("{\"name\": \"j\", \"nodes\": [{\"group\": \"g\", \"count\": 36, \"type\": \"gb200-nvl72\"}],\n"
                                  " \"queues\": [{\"name\": \"q\", \"limit_gpus\": \"unlimited\", \"nodes\": {\"g\": 1}}]}\n");
    assert_string_equal(c->name, "j");
    assert_int_equal(c->n_domains, 1 + 2 + 2);                /* two racks, each one island */
    assert_int_equal(c->gpus, 144);
    assert_true(c->queue[0].pinned);
    cluster_free(c);
}

static void fewer_gpus_than_the_type(void **state)
{
    (void)state;                  /* its island shrinks with the node */
    struct cluster *c = read_text("nodes: [{group: g, count: 2, type: hgx-h100, gpus: 4},\n"
                                  "        {group: h, count: 1, gpu_model: home-made, gpus: 1},\n"
                                  "        {group: i, count: 1, gpu_model: T4-16, gpus: 1}]\n");
    assert_int_equal(c->type[0].island_of[0], 0xf);
    assert_int_equal(c->n_domains, 1);
    assert_int_equal(c->type[1].gpu_mem_mib, 0);
    assert_int_equal(c->type[2].gpu_mem_mib, 16384);
    cluster_free(c);
}

#define SMALL "nodes: [{group: g, count: 2, gpus: 8}]\n"

static void names_of_files(void **state)
{
    (void)state;
    static const struct { const char *path, *name; } files[] = {
        { "two.yaml", "two" }, { "./v1.2.yml", "v1.2" }, { ".//x.json", "x" }, { "plain", "plain" }, { ".yaml", ".yaml" },
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        write_file(files[i].path, SMALL, strlen(SMALL));
        struct cluster *c = read_file(files[i].path);
        assert_string_equal(c->name, files[i].name);
        cluster_free(c);
    }
}

static void compressed(void **state)
{
    (void)state;
    gzFile f = gzopen("small.yaml.gz", "wb");
    assert_int_equal(gzputs(f, SMALL), strlen(SMALL));
    gzclose(f);
    struct cluster *c = read_file("small.yaml.gz");
    assert_string_equal(c->name, "small");
    cluster_free(c);
}

static void checksum(void **state)
{
    (void)state;                  /* printf 'nodes: [{group: g, count: 2, gpus: 8}]\n' | sha256sum */
    write_file("c.yaml", SMALL, strlen(SMALL));
    struct error err = { "" };
    char sha256[65] = "";
    cluster_free(cluster_read("c.yaml", NULL, sha256, &err));
    assert_string_equal(sha256, "f028e7ab554358fdb105550faa2d96cd44a89205326959d2677f05626685c5a2");
}

static void standard_input(void **state)
{
    (void)state;
    write_file("c.yaml", SMALL, strlen(SMALL));
    int keep = dup(0), file = open("c.yaml", O_RDONLY);
    assert_int_equal(dup2(file, 0), 0);
    struct cluster *c = read_file("-");
    dup2(keep, 0);
    close(file);
    close(keep);
    assert_string_equal(c->name, "stdin");
    cluster_free(c);
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    static const char *const files[] = {
        "c.yaml", "two.yaml", "v1.2.yml", "x.json", "plain", ".yaml", "small.yaml.gz",
    };
    for (size_t i = 0; i < COUNT(files); i++)
        unlink(files[i]);
    return chdir("/") || rmdir(directory);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_nodes), cmocka_unit_test(full_queues), cmocka_unit_test(full_times),
        cmocka_unit_test(full_nodes), cmocka_unit_test(full_queues), cmocka_unit_test(sharing),
        cmocka_unit_test(full_nodes), cmocka_unit_test(full_queues), cmocka_unit_test(mig_dynamic),
        cmocka_unit_test(defaults), cmocka_unit_test(json), cmocka_unit_test(fewer_gpus_than_the_type),
        cmocka_unit_test(names_of_files), cmocka_unit_test(compressed), cmocka_unit_test(checksum),
        cmocka_unit_test(standard_input),
    };
    return cmocka_run_group_tests_name("cluster files", tests, enter, leave) != 0;
}
