/* test_cluster_file_errors.c - where bad cluster files are wrong, to the column. */
#include "sim/cluster/cluster_file.h"
#include "tests/unit/test_core.h"

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

#define GROUP "nodes:\n- group: g\n  count: 2\n  gpus: 8\n"
#define A100 "nodes:\n- group: g\n  count: 2\n  type: dgx-a100-80\n"
#define ROOT_KEYS "name, nodes, flavors, queues, partitions, qos, accounts, reservations, cohort, gpu_models, node_types, period_s, passes, " \
                  "placement_order, invalid_dependency, models, preemption, failures, storage, progress, fabric, power, prices, elastic, " \
                  "sharing, time_limits"
/* clang-format off */
static const struct row { const char *name, *text, *error; } rows[] = {
    /* the document */
    { "empty file", "", "c.yaml: want a YAML document, got nothing" },
    { "comments only", "# nothing\n", "c.yaml: want a YAML document, got nothing" },
    { "null", "---\n", "c.yaml:1:1: want a mapping, got nothing" },
    { "a word", "nodes\n", "c.yaml:1:1: want a mapping, got 'nodes'" },
    { "a list", "- nodes\n", "c.yaml:1:1: want a mapping, got a list" },
    { "no text", "name: x\nnodes: \xff\n", "c.yaml:2:8: want UTF-8 text, got byte 0xff" },
    { "control character", "name: \x01x\n", "c.yaml:1:7: want UTF-8 text, got byte 0x01" },
    { "UTF-16 surrogate", "name: \xed\xa0\x80\n", "c.yaml:1:7: want UTF-8 text, got byte 0xed" },
    { "cut UTF-8", "name: \xe2\x82", "c.yaml:1:7: want UTF-8 text, got byte 0xe2" },
    { "open bracket", "nodes: [1,\n", "c.yaml:2:1: did not find expected node content" },
    { "open quote", "name: \"x\n", "c.yaml:1:8: double-quoted scalar without closing quote" },
    { "tab", "nodes:\n\t- 1\n", "c.yaml:2:1: tab character may not be used as indentation" },
    { "text after JSON", "{\"name\": 1}x\n", "c.yaml:1:12: missing document start" },
    { "second document", GROUP "---\n" GROUP, "c.yaml:6:1: want one document, here begins a second" },
    { "alias", "name: &n x\nnodes: *n\n", "c.yaml:2:9: want a value, got an alias: aliases are not followed here" },
    { "alias of what holds it", "nodes: &n [*n]\n",
      "c.yaml:1:13: want a value, got an alias: aliases are not followed here" },
    { "tag", "name: !x y\n", "c.yaml:1:10: want a value without a tag, got '!x'" },
    { "merge key", "<<: {}\n", "c.yaml:1:1: unknown key '<<': want one of " ROOT_KEYS },
    { "nested too deep", "nodes: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
      "c.yaml:1:70: Max depth (64) exceeded" },   /* the mapping is level 1, the bracket at column 8 level 2 */
    { "key is a list", "? [a]\n: 1\n", "c.yaml:1:3: want a text of one line, got a list" },
    /* the whole */
    { "no nodes key", "name: x\n", "c.yaml:1:1: key 'nodes' is missing" },
    { "no groups", "nodes: []\n", "c.yaml:1:8: nodes: cluster 'c' has no nodes" },
    { "nodes empty", "name: x\nnodes:\n", "c.yaml:2:1: nodes: want a list, got nothing" },
    { "nodes no list", "nodes: {dgx: 1}\n", "c.yaml:1:8: nodes: want a list, got a mapping" },
    { "unknown key", GROUP "preemptoin: {}\n", "c.yaml:5:1: unknown key 'preemptoin': want one of " ROOT_KEYS
      ", did you mean 'preemption'?" },
    { "duplicate key", GROUP GROUP, "c.yaml:5:1: key 'nodes' is given twice" },
    { "name empty", GROUP "name: \"\"\n", "c.yaml:5:8: name: want a text of one line, got ''" },
    { "name of two lines", GROUP "name: \"a\\nb\"\n", "c.yaml:5:8: name: want a text of one line, got 'a?b'" },
    { "name with NUL", GROUP "name: \"a\\0b\"\n", "c.yaml:5:8: name: want a text of one line, got 'a'" },
    { "negative period", GROUP "period_s: -1\n",
      "c.yaml:5:11: period_s: want a number from 0 to 3153600000, got '-1'" },
    { "no such passes", GROUP "passes: batch\n", "c.yaml:5:9: passes: want one of instant, event, got 'batch'" },
    { "period is a word", GROUP "period_s: 1s\n",
      "c.yaml:5:11: period_s: want a number from 0 to 3153600000, got '1s'" },
    { "a long text is cut between characters, at 57 bytes", GROUP "period_s: x\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\n",
      "c.yaml:5:11: period_s: want a number from 0 to 3153600000, got 'x\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4...'" },
    { "period of ages", GROUP "period_s: 1e30\n",
      "c.yaml:5:11: period_s: want a number from 0 to 3153600000, got '1e30'" },
    /* groups */
    { "group is a word", "nodes:\n- dgx\n", "c.yaml:2:3: want a mapping, got 'dgx'" },
    { "group is null", "nodes:\n- ~\n", "c.yaml:2:3: want a mapping, got nothing" },
    { "group is nothing", "name: x\nnodes:\n  -\n  - group: g\n", "c.yaml:2:1: want a mapping, got nothing" },
    { "group without name", "nodes:\n- count: 2\n  gpus: 8\n", "c.yaml:2:3: key 'group' is missing" },
    { "group without count", "nodes:\n- group: g\n  gpus: 8\n", "c.yaml:2:3: key 'count' is missing" },
    { "neither type nor gpus", "nodes:\n- {group: g, count: 1}\n",
      "c.yaml:2:3: group 'g': want a 'type' or the number of 'gpus'" },
    { "unknown group key", GROUP "  gpu: 8\n",
      "c.yaml:5:3: unknown key 'gpu': want one of group, count, type, gpu_model, gpus, counted, island_gpus, numa_nodes, "
      "gpu_memory_gib, cpus, memory_gib, nodes_per_rack, levels, labels, taints, mig, mig_strategy, pool, racks_per_pod, weight, joins, nics, nic_gbps, did you mean 'gpus'?" },
    { "MIG no mapping", A100 "  mig: 7\n", "c.yaml:5:8: mig: want a mapping, got '7'" },
    { "MIG without instances", A100 "  mig: {}\n", "c.yaml:5:8: mig: want MIG instances: mig: { 1g.10gb: 7 }" },
    { "a strategy without MIG", A100 "  mig_strategy: mixed\n", "c.yaml:2:3: want MIG instances: mig: { 1g.10gb: 7 }" },
    { "an unknown strategy", A100 "  mig: {1g.10gb: 7}\n  mig_strategy: none\n",
      "c.yaml:6:17: mig_strategy: want one of mixed, single, dynamic, got 'none'" },
    { "no MIG profile", A100 "  mig: {1g: 7}\n", "c.yaml:5:13: 1g: want a MIG profile like 1g.10gb, got '1g'" },
    { "no instances", A100 "  mig: {1g.10gb: 0}\n", "c.yaml:5:18: 1g.10gb: want a whole number from 1 to 64, got '0'" },
    { "MIG profile twice", A100 "  mig: {1g.10gb: 1, 01g.10gb: 1}\n",
      "c.yaml:5:31: 01g.10gb: want a MIG profile like 1g.10gb, got '01g.10gb'" },
    { "the same MIG profile twice", A100 "  mig: {1g.10gb: 1, 1g.10gb: 1}\n", "c.yaml:2:3: group 'g': mig: profile 1g.10gb is given twice" },
    { "single with two profiles", A100 "  mig: {1g.10gb: 1, 2g.20gb: 1}\n  mig_strategy: single\n",
      "c.yaml:2:3: group 'g': mig_strategy single: want instances of one profile, got 2" },
    { "MIG of counted GPUs", A100 "  counted: true\n  mig: {1g.10gb: 1}\n",
      "c.yaml:2:3: group 'g': mig: want from 1 to 64 GPUs with names, got 8 counted" },
    { "MIG without GPUs", "nodes:\n- {group: g, count: 1, gpus: 0, mig: {1g.10gb: 1}}\n",
      "c.yaml:2:3: group 'g': mig: want from 1 to 64 GPUs with names, got 0" },
    { "MIG of GPUs that cannot be cut", "nodes:\n- {group: g, count: 1, type: dgx1-v100, mig: {1g.10gb: 1}}\n",
      "c.yaml:2:3: group 'g': mig: GPUs of model 'V100-SXM2-16' cannot be cut" },
    { "more instances than slots", A100 "  mig: {1g.10gb: 56, 2g.20gb: 9}\n", "c.yaml:2:3: group 'g': mig: want from 1 to 64 instances a node" },
    { "one instance of a profile too many", A100 "  gpus: 2\n  mig: {4g.40gb: 3}\n",
      "c.yaml:2:3: group 'g': mig: want at most 2 instances of profile 4g.40gb on 2 GPUs, got 3" },
    { "too many compute slices", A100 "  gpus: 1\n  mig: {4g.40gb: 1, 2g.20gb: 2}\n",
      "c.yaml:2:3: group 'g': mig: the instances have 8 compute slices, the 1 GPUs of a node 7" },
    { "too many memory slices", A100 "  gpus: 1\n  mig: {3g.40gb: 2, 1g.10gb: 1}\n",
      "c.yaml:2:3: group 'g': mig: the instances have 9 memory slices, the 1 GPUs of a node 8" },
    { "dynamic MIG beside instances", A100 "  mig: {1g.10gb: 1}\n  mig_strategy: dynamic\n",
      "c.yaml:5:8: mig: want no instances beside mig_strategy dynamic: they are made as jobs ask" },
    { "dynamic MIG of too many GPUs", A100 "  gpus: 9\n  island_gpus: 0\n  mig_strategy: dynamic\n",
      "c.yaml:2:3: group 'g': mig_strategy dynamic: want from 1 to 8 GPUs with names, got 9" },
    { "dynamic MIG of unknown profiles", "nodes:\n- {group: g, count: 1, gpus: 1, gpu_model: X, mig_strategy: dynamic}\n",
      "c.yaml:2:3: group 'g': mig_strategy dynamic: the profiles of model 'X' are not known" },
    { "unknown mode of sharing", "nodes: [{group: g, count: 1, gpus: 1}]\nsharing: { mode: mig }\n",
      "c.yaml:2:18: mode: want one of exclusive, timeslice, mps, fraction, got 'mig'" },
    { "a duty above one", "nodes: [{group: g, count: 1, gpus: 1}]\nsharing: { duties: { m: { compute: 1.5 } } }\n",
      "c.yaml:2:36: compute: want a number from 0 to 1, got '1.5'" },
    { "a table of pairs that is not there", "nodes: [{group: g, count: 1, gpus: 1}]\nsharing: { pairs: /none.json }\n",
      "/none.json: cannot open: No such file or directory" },
    /* 14 of 14 compute and 14 of 16 memory slices; but beside 4g there is a place for one of 2g (models.md 1.2) */
    { "instances without places", A100 "  gpus: 2\n  mig: {4g.40gb: 2, 2g.20gb: 3}\n",
      "c.yaml:2:3: group 'g': mig: the instances do not fit on the 2 GPUs of a node: there is no place for all of profile 2g.20gb" },
    { "duplicate group key", GROUP "  count: 2\n", "c.yaml:5:3: key 'count' is given twice" },
    { "count is a word", "nodes:\n- group: g\n  count: x\n",
      "c.yaml:3:10: count: want a whole number from 1 to 10000000, got 'x'" },
    { "count is zero", "nodes:\n- group: g\n  count: 0\n",
      "c.yaml:3:10: count: want a whole number from 1 to 10000000, got '0'" },
    { "count too large", "nodes:\n- group: g\n  count: 10000001\n",
      "c.yaml:3:10: count: want a whole number from 1 to 10000000, got '10000001'" },
    { "count with a point", "nodes:\n- group: g\n  count: 2.0\n",
      "c.yaml:3:10: count: want a whole number from 1 to 10000000, got '2.0'" },
    { "count empty", "nodes:\n- group: g\n  count:\n",
      "c.yaml:3:3: count: want a whole number from 1 to 10000000, got nothing" },
    { "count in quotes", "nodes:\n- group: g\n  count: '2'\n",
      "c.yaml:3:11: count: want a whole number from 1 to 10000000, got the text '2'" },
    { "count is a list", "nodes:\n- group: g\n  count: [2]\n",
      "c.yaml:3:10: count: want a whole number from 1 to 10000000, got a list" },
    { "unknown type", "nodes:\n- group: g\n  type: dgx-a10\n",
      "c.yaml:3:9: type: no node type 'dgx-a10' in the catalogue, did you mean 'dgx-a100'?" },
    { "type is empty", "nodes:\n- group: g\n  type:\n", "c.yaml:3:3: type: want a text of one line, got nothing" },
    { "type is nothing like any", "nodes:\n- group: g\n  type: toaster\n",
      "c.yaml:3:9: type: no node type 'toaster' in the catalogue" },
    { "counted is yes", GROUP "  counted: yes\n", "c.yaml:5:12: counted: want true or false, got 'yes'" },
    { "no memory on the GPU", GROUP "  gpu_memory_gib: 0\n",
      "c.yaml:5:19: gpu_memory_gib: want a number above 0 up to 1000000, got '0'" },
    { "negative CPUs", GROUP "  cpus: -1\n",
      "c.yaml:5:9: cpus: want a number from 0 to 1000000 or 'unlimited', got '-1'" },
    { "memory in hexadecimal", GROUP "  memory_gib: 0x10\n",
      "c.yaml:5:15: memory_gib: want a number from 0 to 1000000 or 'unlimited', got '0x10'" },
    { "too many NUMA nodes", GROUP "  numa_nodes: 65\n",
      "c.yaml:5:15: numa_nodes: want a whole number from 1 to 64, got '65'" },
    { "empty racks", GROUP "  nodes_per_rack: 0\n",
      "c.yaml:5:19: nodes_per_rack: want a whole number from 1 to 10000000, got '0'" },
    { "pods without racks", GROUP "  racks_per_pod: 2\n", "c.yaml:2:3: group 'g': has pods of 2 racks, but no racks" },
    { "bad island", GROUP "  island_gpus: 3\n", "c.yaml:2:3: group 'g': its 8 GPUs cannot be cut into islands of 3" },
    { "model without GPUs", "nodes:\n- group: g\n  count: 1\n  gpus: 0\n  gpu_model: T4\n",
      "c.yaml:2:3: group 'g': has a GPU model, 'T4', but no GPUs" },
    { "same group twice", GROUP "- {group: g, count: 1, gpus: 1}\n",
      "c.yaml:5:3: group 'g': there is another one of this name" },
    /* flavors */
    { "flavor without name", GROUP "flavors: [ { node_labels: { a: b } } ]\n", "c.yaml:5:12: key 'name' is missing" },
    { "flavor twice", GROUP "flavors:\n- { name: x }\n- { name: x }\n", "c.yaml:7:3: flavor 'x' is given twice" },
    { "quota of no flavor", GROUP "flavors: [ { name: x } ]\nqueues:\n- name: q\n  flavors: [ { flavor: y } ]\n",
      "c.yaml:8:14: there is no flavor 'y'" },
    { "quota of a flavor twice", GROUP "flavors: [ { name: x } ]\nqueues:\n- name: q\n  flavors:\n  - { flavor: x }\n  - { flavor: x }\n",
      "c.yaml:10:5: flavor 'x' is given twice in group 0" },
    { "resource in two groups", GROUP "flavors: [ { name: x }, { name: y } ]\nqueues:\n- name: q\n  flavors:\n  - { flavor: x }\n"
      "  - { flavor: y, group: 1, deserved_gpus: 1 }\n", "c.yaml:10:5: want a resource in one group only, got it in 0 and 1" },
    { "queue without flavors", GROUP "flavors: [ { name: x } ]\nqueues:\n- name: q\n  flavors: [ { flavor: x } ]\n- name: r\n",
      "c.yaml:9:3: queue 'r': want 'flavors', for queue 'q' has some" },
    { "misspelt fungibility", GROUP "queues:\n- name: q\n  fungibility: { when_can_borrow: never }\n",
      "c.yaml:7:35: when_can_borrow: want one of may-stop-search, try-next-flavor, got 'never'" },
    /* queues */
    { "no queues", GROUP "queues: []\n",
      "c.yaml:5:9: queues: want at least one; without this key they are taken from the trace" },
    { "queue without name", GROUP "queues:\n- weight: 1\n", "c.yaml:6:3: key 'name' is missing" },
    { "same queue twice", GROUP "queues:\n- name: q\n  queues:\n  - name: q\n",
      "c.yaml:8:5: queue 'q': there is another one of this name" },
    { "misspelt unlimited", GROUP "queues:\n- name: q\n  limit_gpus: none\n",
      "c.yaml:7:15: limit_gpus: want a number from 0 to 1000000000000 or 'unlimited', got 'none'" },
    { "whom a queue stops", GROUP "queues:\n- name: q\n  preemption: { within_queue: any }\n",
      "c.yaml:7:31: within_queue: want one of never, lower-priority, lower-or-newer-equal, got 'any'" },
    { "whom a queue takes back from", GROUP "queues:\n- name: q\n  preemption: { reclaim_within_cohort: anyone }\n",
      "c.yaml:7:40: reclaim_within_cohort: want one of never, lower-priority, any, got 'anyone'" },
    { "a queue's preemption is no price", GROUP "queues:\n- name: q\n  preemption: { grace_s: 30 }\n",
      "c.yaml:7:17: unknown key 'grace_s': want one of within_queue, reclaim_within_cohort, borrow_within_cohort, "
      "borrow_priority_threshold" },
    { "a negative loan", GROUP "queues:\n- name: q\n  lending_limit_gpus: -1\n",
      "c.yaml:7:23: lending_limit_gpus: want a number from 0 to 1000000000000 or 'unlimited', got '-1'" },
    { "limit below deserved", GROUP "queues:\n- name: q\n  deserved_cpus: 2\n  limit_cpus: 1.5\n",
      "c.yaml:6:3: queue 'q': deserves more CPUs than its limit allows" },
    { "too much weight", GROUP "queues:\n- name: q\n  weight: 1e7\n",
      "c.yaml:7:11: weight: want a number from 0 to 1000000, got '1e7'" },
    { "infinite weight", GROUP "queues:\n- name: q\n  weight: .inf\n",
      "c.yaml:7:11: weight: want a number from 0 to 1000000, got '.inf'" },
    { "priority with a point", GROUP "queues:\n- name: q\n  priority: 1.5\n",
      "c.yaml:7:13: priority: want a whole number from -2147483648 to 2147483647, got '1.5'" },
    { "nodes of no group", GROUP "queues:\n- name: q\n  nodes: {h: 1}\n",
      "c.yaml:7:14: h: there is no group of this name" },
    { "nodes of a group twice", GROUP "queues:\n- name: q\n  nodes: {g: 1, g: 1}\n",
      "c.yaml:7:20: g: this key is given twice" },
    { "too many nodes", GROUP "queues:\n- name: q\n  nodes: {g: 3}\n",
      "c.yaml:6:3: queue 'q': wants 3 nodes of group 'g', 2 are left" },
    { "children no list", GROUP "queues:\n- name: q\n  queues: r\n", "c.yaml:7:11: queues: want a list, got 'r'" },
    /* preemption */
    { "unknown checkpoint", GROUP "preemption:\n  checkpoint: perodic\n",
      "c.yaml:6:15: checkpoint: want one of none, perfect, periodic, got 'perodic', did you mean 'periodic'?" },
    { "periodic without interval", GROUP "preemption: {checkpoint: periodic}\n",
      "c.yaml:5:13: preemption: checkpoint 'periodic' wants an 'interval_s'" },
    { "interval of nothing", GROUP "preemption:\n  interval_s: 0\n",
      "c.yaml:6:15: interval_s: want a number above 0 up to 3153600000 or 'auto', got '0'" },
    { "an interval by a law without failures", GROUP "preemption: {checkpoint: periodic, interval_s: auto}\n",
      "c.yaml:5:13: preemption: interval_s 'auto' wants a 'node_mtbf_s', or a section 'failures' with some" },
    { "blocking more than all", GROUP "preemption: {blocking: 1.5}\n",
      "c.yaml:5:24: blocking: want a number from 0 to 1, got '1.5'" },
    { "storage", GROUP "storage: {cache_gib: much}\n",
      "c.yaml:5:22: cache_gib: want a number from 0 to 1000000000, got 'much'" },
    { "preemption no mapping", GROUP "preemption: none\n", "c.yaml:5:13: preemption: want a mapping, got 'none'" },
};
/* clang-format on */

static void refused(void **state)
{
    const struct row *row = *state;
    write_file("c.yaml", row->text, strlen(row->text));
    struct error err = { "" };
    char sha256[65];
    assert_null(cluster_read("c.yaml", NULL, sha256, &err));
    assert_string_equal(err.text, row->error);
}

static void no_file(void **state)
{
    (void)state;
    struct error err = { "" };
    char sha256[65];
    assert_null(cluster_read("nowhere.yaml", NULL, sha256, &err));
    assert_non_null(strstr(err.text, "nowhere.yaml"));
}

static void too_long(void **state)
{
    (void)state;                  /* 17 MiB of blanks: 17 KiB compressed */
    gzFile f = gzopen("long.yaml.gz", "wb");
    char blanks[1 << 16];
    memset(blanks, ' ', sizeof blanks);
    for (int i = 0; i < 17 * 16; i++)
        assert_int_equal(gzwrite(f, blanks, sizeof blanks), sizeof blanks);
    gzclose(f);
    struct error err = { "" };
    char sha256[65];
    assert_null(cluster_read("long.yaml.gz", NULL, sha256, &err));
    assert_string_equal(err.text, "long.yaml.gz: want at most 4194304 bytes of text");
}

static void nul_byte(void **state)
{
    (void)state;                  /* libfyaml alone takes it for the end */
    write_file("c.yaml", GROUP "\0", sizeof GROUP);
    struct error err = { "" };
    char sha256[65];
    assert_null(cluster_read("c.yaml", NULL, sha256, &err));
    assert_string_equal(err.text, "c.yaml:5:1: want UTF-8 text, got byte 0x00");
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    unlink("c.yaml");
    unlink("long.yaml.gz");
    return chdir("/") || rmdir(directory);
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_TEST(tests, n, no_file);
    ADD_TEST(tests, n, too_long);
    ADD_TEST(tests, n, nul_byte);
    ADD_ROWS(tests, n, refused, rows);
    return cmocka_run_group_tests_name("errors in cluster files", tests, enter, leave) != 0;
}
