/* test_failures_file.c - the failures section of a cluster file and recorded faults: what they mean, and where they are wrong. */
#include "sim/cluster/failures_file.h"
#include "tests/support/from_yaml.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NODES "nodes: [ { group: g, count: 2, gpus: 8 }, { group: h, count: 3, gpus: 4, nodes_per_rack: 3 } ]\n"

/* ---- What is wrong, to the column ---- */

static const struct wrong_row { const char *name, *section, *error; } wrong_rows[] = {
    { "no mapping", "failures: 3\n", "c.yaml:2:11: failures: want a mapping, got '3'" },
    { "no rate", "failures: { rate: rsc-3 }\n",
      "c.yaml:2:19: rate: want one of none, rsc-1, rsc-2, llama-3, infinite-hbd, got 'rsc-3', did you mean 'rsc-1'?" },
    { "saturated by none", "failures: { rate: rsc-1, software_saturation_gpus: 0 }\n",
      "c.yaml:2:52: software_saturation_gpus: want a number from 1 to 4294967295 or 'unlimited', got '0'" },
    { "below zero", "failures: { faults_per_node_day: -1 }\n",
      "c.yaml:2:34: faults_per_node_day: want a number from 0 to 1000000, got '-1'" },
    { "a share above one", "failures: { hang_share: 1.5 }\n", "c.yaml:2:25: hang_share: want a number from 0 to 1, got '1.5'" },
    { "hangs end before they begin", "failures: { hang_least_s: 10, hang_most_s: 5 }\n",
      "c.yaml:2:11: failures: want 'hang_most_s' no less than 'hang_least_s'" },
    { "fixed, and how long", "failures: { repair: fixed }\n", "c.yaml:2:11: failures: 'repair: fixed' and 'repair_s' want each other" },
    { "how long, but not fixed", "failures: { repair_s: 5 }\n", "c.yaml:2:11: failures: 'repair: fixed' and 'repair_s' want each other" },
    { "none of them by themselves", "failures: { remediation: none, remediation_share: 0.5 }\n",
      "c.yaml:2:11: failures: 'remediation: none' and a 'remediation_share' do not go together" },
    { "no such cause", "failures: { mix: { gpus: 1 } }\n",
      "c.yaml:2:26: gpus: want one of gpu, stress, unknown, cable, fan, nic, power, task, other" },
    { "no cause at all", "failures: { mix: { gpu: 0 } }\n", "c.yaml:2:18: mix: want weights of causes, and one above 0" },
    { "maintenance of nobody", "failures: { maintenance: [ { group: x, from_s: 1, until_s: 2 } ] }\n",
      "c.yaml:2:28: there is no group 'x'" },
    { "maintenance backwards", "failures: { maintenance: [ { from_s: 2, until_s: 2 } ] }\n",
      "c.yaml:2:28: want 'until_s' after 'from_s'" },
    { "maintenance all the time", "failures: { maintenance: [ { from_s: 9, until_s: 12, drain_s: 2, every_s: 5 } ] }\n",
      "c.yaml:2:28: want 'every_s' longer than the draining and the maintenance" },
    { "more nodes than there are", "failures: { maintenance: [ { group: h, first: 1, count: 3, from_s: 1, until_s: 2 } ] }\n",
      "c.yaml:2:28: want nodes from 0 to 2 of group h, got 1 to 3" },
    { "a fault beyond the cluster", "failures: { faults: [ { node: 5, at_s: 1, repair_s: 1 } ] }\n",
      "c.yaml:2:23: want nodes from 0 to 4, got 5 to 5" },
    { "a GPU that is not there", "failures: { faults: [ { group: h, gpu: 4, at_s: 1, repair_s: 1 } ] }\n",
      "c.yaml:2:23: that node has no GPU 4" },
    { "repaired at once", "failures: { faults: [ { at_s: 1, repair_s: 0 } ] }\n",
      "c.yaml:2:44: repair_s: want a number above 0 up to 3153600000, got '0'" },
    { "a node's software", "failures: { faults: [ { cause: software, at_s: 1, repair_s: 1 } ] }\n",
      "c.yaml:2:23: a node does not fail by 'software'" },
    { "faults from standard input", "failures: { trace: \"-\" }\n", "-: want a file with recorded faults" },
    { "a switch without a rack", "failures: { faults: [ { cause: switch, at_s: 1, repair_s: 1 } ] }\n",
      "c.yaml:2:23: a 'switch' fails with its rack: want a node in a rack, and no 'gpu'" },
};

static void wrong(void **state)
{
    const struct wrong_row *row = *state;
    struct error err = { "" };
    char yaml[1000];
    snprintf(yaml, sizeof yaml, NODES "%s", row->section);
    struct cluster *c = cluster_of_text(yaml, &err);
    cluster_free(c);
    assert_string_equal(err.text, row->error);
}

/* ---- What it says ---- */

static struct cluster *read_section(const char *section)
{
    struct error err = { "" };
    char yaml[2000];
    snprintf(yaml, sizeof yaml, NODES "%s", section);
    struct cluster *c = cluster_of_text(yaml, &err);
    if (!c)
        fail_msg("%s", err.text);
    return c;
}

/* Published rates by name; with a rate of zero, or with faults that are given, nothing else fails either. */
static const struct rate_row { const char *name, *section; double per_day, per_switch_year, per_job_day; } rate_rows[] = {
    { "the section alone", "failures: {}\n", 4.2e-3, 0.2, 1.0 / 60 },
    { "by name", "failures: { rate: infinite-hbd }\n", 4.2e-3, 0.2, 1.0 / 60 },
    { "by a name that counts all", "failures: { rate: rsc-1 }\n", 6.5e-3, 0, 0 },
    { "and switches besides", "failures: { rate: rsc-2, switch_faults_per_year: 0.2, software_faults_per_day: 1 }\n", 2.34e-3, 0.2, 1 },
    { "by number", "failures: { faults_per_node_day: 0.25 }\n", 0.25, 0.2, 1.0 / 60 },
    { "no nodes, but software", "failures: { rate: none, software_faults_per_day: 2 }\n", 0, 0, 2 },
    { "nodes alone", "failures: { rate: rsc-2, software_faults_per_day: 0, switch_faults_per_year: 0 }\n", 2.34e-3, 0, 0 },
    { "one part of a preset", "failures: { rate: rsc-1, faults_per_node_day: 0.25 }\n", 0.25, 0, 0 },
    { "given faults alone", "failures: { faults: [ { at_s: 1, repair_s: 2 } ] }\n", 0, 0, 0 },
    { "given faults and a rate", "failures: { rate: rsc-1, faults: [ { at_s: 1, repair_s: 2 } ] }\n", 6.5e-3, 0, 0 },
    { "maintenance comes on top", "failures: { maintenance: [ { from_s: 1, until_s: 2 } ] }\n", 4.2e-3, 0.2, 1.0 / 60 },
};

static void rates(void **state)
{
    const struct rate_row *row = *state;
    struct cluster *c = read_section(row->section);
    assert_true(c->failures->faults_per_day == row->per_day);
    assert_true(c->failures->switch_faults_per_year == row->per_switch_year);
    assert_true(c->failures->software_faults_per_day == row->per_job_day);
    cluster_free(c);
}

/* A preset by which all interruptions of jobs were counted has so many in all, in parts that add up. Llama 3: 419 in 54 days of
 * one job on 16,384 GPUs: nodes 289, network 35, hosts 32, software 63 (the report, table 5). RSC-1: jobs of 8 GPUs ran 47.7 d
 * between failures and of 1024 GPUs 7.9 h (Kokolis et al., HPCA'25); 8 / (n x .02230632) days is their geometric mean, and 6.50 of
 * a thousand node-days are attributed to nodes; beyond 1024 GPUs the rest stays. Racks of any size: no switch fails besides. */
static const struct whole_row { const char *name, *rate; double gpus, days, all, node, network, host, within; } whole_rows[] = {
    { "in all: llama-3", "llama-3", 16384, 54, 419, 289, 35, 32, 1e-9 },
    { "in all: rsc-1, 8 GPUs", "rsc-1", 8, 44.83, 1, 6.50e-3 * 44.83, 0, 0, 1e-4 },
    { "in all: rsc-1, 8 GPUs, measured", "rsc-1", 8, 47.7, 1, 6.50e-3 * 47.7, 0, 0, .065 },
    { "in all: rsc-1, 256 GPUs", "rsc-1", 256, 33.62 / 24, 1, 32 * 6.50e-3 * 33.62 / 24, 0, 0, 2e-4 },
    { "in all: rsc-1, 1024 GPUs, measured", "rsc-1", 1024, 7.9 / 24, 1, 128 * 6.50e-3 * 7.9 / 24, 0, 0, .065 },
    { "in all: rsc-1, 16384 GPUs", "rsc-1", 16384, 1.565 / 24, 1, 2048 * 6.50e-3 * 1.565 / 24, 0, 0, 4e-4 },
    { "in all: rsc-1, 131072 GPUs", "rsc-1", 131072, .2212 / 24, 1, 16384 * 6.50e-3 * .2212 / 24, 0, 0, 4e-4 },
    { "in all: rsc-2, nodes and software alike", "rsc-2", 8, 1, 2.34e-3 * 2.230632e-2 / 6.50e-3, 2.34e-3, 0, 0, 1e-9 },
};

static void whole_rates(void **state)
{
    const struct whole_row *row = *state;
    char section[100];
    snprintf(section, sizeof section, "failures: { rate: %s }\n", row->rate);
    struct cluster *c = read_section(section);
    const struct failures *f = c->failures;
    double node_days = row->gpus / 8 * row->days;
    double node = failures_node_rate(f, 8) * 86400 * node_days, software = failures_software_rate(f, row->gpus) * row->days * 86400;
    assert_true(f->switch_faults_per_year == 0);
    assert_true(fabs(node - row->node) < 1e-9 * row->all);
    assert_true(fabs(f->network_faults_per_day * node_days - row->network) < 1e-9);
    assert_true(fabs(f->host_faults_per_day * node_days - row->host) < 1e-9);
    assert_true(fabs((node + software + row->network + row->host) / row->all - 1) < row->within);
    assert_true(fabs(failures_job_rate(f, row->gpus) * row->days * 86400 / row->all - 1) < row->within);
    cluster_free(c);
}

static void nothing_can_happen(void **state)
{
    (void)state;
    static const char *const sections[] = { "", "failures: { rate: none }\n", "failures: { faults_per_node_day: 0 }\n" };
    for (size_t i = 0; i < COUNT(sections); i++) {
        struct cluster *c = read_section(sections[i]);
        assert_null(c->failures);
        cluster_free(c);
    }
}

static void entries(void **state)
{
    (void)state;
    struct cluster *c = read_section("failures: { max_retries: unlimited, remediation: auto, scope: gpu, detection_s: 7,\n"
                                     "  maintenance: [ { group: h, first: 1, from_s: 10, until_s: 20.5 } ],\n"
                                     "  faults: [ { group: h, node: 2, gpu: 3, cause: nic, at_s: 9, repair_s: 3 }, { at_s: 5, repair_s: 2 } ] }\n");
    const struct failures *f = c->failures;
    assert_true(f->max_retries == INT64_MAX && f->remediation_share == 0.6 && f->gpu_scope == 1);
    assert_true(f->n_planned == 1 && f->planned[0].first == 3 && f->planned[0].end == 5);
    assert_true(f->planned[0].when.until_ns == INT64_C(20500000000) && f->planned[0].when.every_ns == 0);
    assert_true(f->n_given == 2 && f->given[0].at_ns == 5 * NS_PER_S && f->given[0].gpu == UINT32_MAX && f->given[0].node == 0);
    assert_true(f->given[1].node == 4 && f->given[1].gpu == 3 && f->given[1].cause == FAULT_NIC &&
                f->given[1].detection_ns == 7 * NS_PER_S);
    cluster_free(c);
}

/* ---- Recorded faults ---- */

#define EVENT(server, days, type, class)                                                                                  \
    "{ \"node_id\": \"" server "\", \"event_time\": " days ", \"event_type\": \"fault_" type                             \
    "\", \"fault_type\": { \"Level\": \"x\", \"Class\": \"" class "\", \"Desc\": \"y\" } }"
static const struct trace_row { const char *name, *json, *error; } trace_rows[] = {
    { "trace: no list", "{}", "want a list of events" },
    { "trace: no event", "[ 1 ]", "event 1: want { node_id, event_time, event_type, fault_type: { Class } }" },
    { "trace: no type", "[" EVENT("a", "1", "over", "GPU") "]", "event 1: want an event_type fault_start or fault_end" },
    { "trace: backwards", "[" EVENT("a", "1", "start", "GPU") "," EVENT("b", "0.5", "start", "GPU") "]",
      "event 2: want events in the order of time" },
    { "trace: an end alone", "[" EVENT("a", "1", "end", "GPU") "]", "event 1: want the end of a fault that has begun" },
    { "trace: before its time", "[" EVENT("a", "-1", "start", "GPU") "]", "event 1: want an event_time from 0 to 36500 days" },
    { "trace: too many servers", "[" EVENT("a", "1", "start", "GPU") "," EVENT("b", "1", "start", "GPU") "," EVENT("c", "1", "start", "GPU") ","
      EVENT("d", "1", "start", "GPU") "," EVENT("e", "1", "start", "GPU") "," EVENT("f", "1", "start", "GPU") "]",
      "event 6: more servers fail than the cluster's 5 nodes" },
};
static char path[] = "/tmp/test_failures_file.XXXXXX";

static void write_json(const char *json)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(json, f);
    assert_int_equal(fclose(f), 0);
}

static struct cluster *read_trace(const char *json, struct error *err)
{
    char yaml[1000];
    write_json(json);
    snprintf(yaml, sizeof yaml, NODES "failures: { trace: %s }\n", path);
    return cluster_of_text(yaml, err);
}

static void trace_wrong(void **state)
{
    const struct trace_row *row = *state;
    struct error err = { "" };
    char want[500];
    snprintf(want, sizeof want, "%s: %s", path, row->error);
    cluster_free(read_trace(row->json, &err));
    assert_string_equal(err.text, want);
}

/* The second server to fail is node 1. A fault that begins while the server is out prolongs that; one that never ends lasts to the
 * last event. A day is 86400 s. */
static void trace(void **state)
{
    (void)state;
    struct error err = { "" };
    struct cluster *c = read_trace("[" EVENT("a", "1", "start", "GPU") "," EVENT("b", "1.5", "start", "Parameter Plane Cable") ","
                                   EVENT("a", "2", "start", "Fan") "," EVENT("a", "2.5", "end", "GPU") "," EVENT("a", "3", "end", "Fan") ","
                                   EVENT("a", "4", "start", "Motherboard") "," EVENT("a", "4.25", "end", "Motherboard") "]", &err);
    assert_string_equal(err.text, "");
    const struct failures *f = c->failures;
    const int64_t day = 86400 * NS_PER_S;
    assert_int_equal(f->n_given, 3);
    assert_true(f->faults_per_day == 0 && f->software_faults_per_day == 0);
    assert_true(f->given[0].node == 0 && f->given[0].at_ns == day && f->given[0].repair_ns == 2 * day && f->given[0].cause == FAULT_GPU);
    assert_true(f->given[1].node == 1 && f->given[1].repair_ns == 11 * day / 4 && f->given[1].cause == FAULT_CABLE);
    assert_true(f->given[2].node == 0 && f->given[2].repair_ns == day / 4 && f->given[2].cause == FAULT_OTHER);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    ADD_ROWS(tests, n, wrong, wrong_rows);
    ADD_ROWS(tests, n, rates, rate_rows);
    ADD_ROWS(tests, n, whole_rates, whole_rows);
    ADD_TEST(tests, n, nothing_can_happen);
    ADD_TEST(tests, n, entries);
    ADD_ROWS(tests, n, trace_wrong, trace_rows);
    ADD_TEST(tests, n, trace);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed != 0;
}
