/* test_slow_faults.c - small schedules with slow nodes, GPUs and links, and with nodes in reserve, by hand; and how often a node is
 * slow in long runs. models.md 8.5, 8.6. */
#include "tests/support/from_yaml.h"
#include "tests/support/schedule.h"

#define SOME(n) "nodes: [ { group: a, count: " #n ", gpus: 8 } ]\n"
#define SLOW(keys) "failures: { faults: [ { kind: slow, phi: .5, at_s: 100, detect_s: 200, " keys " } ] }\n"
#define LINKED                                                                                                                \
    "nodes: [ { group: a, count: 2, gpus: 8, gpu_model: V100-SXM2-16, island_gpus: 8, nics: 1, nic_gbps: 12.5, nodes_per_rack: 2 } ]\n" \
    "progress: { model: analytic }\n"

static const struct row {
    const char *name, *yaml;
    struct job jobs[JOBS_AT_MOST];
    const char *metric[3];
    double value[3];
} rows[] = {
    /* 100 + 200 x .5 + 800 */
    { "a gang goes at the pace of its slowest node", SOME(2) SLOW("node: 1, then: none"), { { 0, 1000, 16, 0, .ends = 1100 } },
      { "slow_faults", "slow_node_h", "slow_gpu_h" }, { 1, 200.0 / 3600, 16 * 100.0 / 3600 } },
    { "nothing runs there", SOME(2) SLOW("node: 1, then: none"), { { 0, 1000, 8, 0 } }, { "slow_gpu_h" }, { 0 } },
    { "one GPU: a job beside it is as fast as ever", SOME(1) SLOW("gpu: 5, then: none"),
      { { 0, 1000, 4, 0 }, { 0, 1000, 4, 0, .ends = 1100 } }, { "slow_gpu_h" }, { 4 * 100.0 / 3600 } },
    { "one GPU of a job that shares it", SOME(1) SLOW("gpu: 0, then: none"), { { 0, 1000, 1, 0, .ends = 1100, .shares = .5 } } },
    /* From 150 to 300 at half the pace, 75 done; then 25 more */
    { "who comes later is slow, too", SOME(1) SLOW("then: none"), { { 150, 100, 8, 150, .ends = 325 } } },
    /* .5 from 100 to 300, .25 from 200 to 250: 100 + 50 + 12.5 + 25 at 300, 812.5 left */
    { "of two faults the least pace", SOME(1) "failures: { faults: [ { kind: slow, phi: .5, at_s: 100, detect_s: 200, then: none },\n"
      "  { kind: slow, phi: .25, at_s: 200, detect_s: 50, then: none } ] }\n", { { 0, 1000, 8, 0, .ends = 1112.5 } },
      { "slow_faults", "slow_detected" }, { 2, 2 } },
    { "found after its end", SOME(1) SLOW("then: none"), { { 0, 110, 8, 0, .ends = 120 } } },
    { "before the beginning is no more", SOME(1) "failures: { faults: [ { kind: slow, phi: .5, at_s: 0, detect_s: 50, then: none } ] }\n",
      { { 60, 100, 8, 60 } } },
    /* 100 + 100 = 200 done at 300, all lost; the node is back at 400 */
    { "drained: at the price of a failure", SOME(1) SLOW("then: drain, repair_s: 100"),
      { { 0, 1000, 8, 0, .ends = 1400, .lost = 300 } }, { "job_failures_slow", "slow_detected" }, { 1, 1 } },
    { "back to the last checkpoint", SOME(1) "preemption: { checkpoint: periodic, interval_s: 150 }\n" SLOW("then: drain, repair_s: 100"),
      { { 0, 1000, 8, 0, .ends = 400 + 850, .lost = 100 } } },

    /* A job on one node does not send; on two: slow_link() */
    { "a slow link, on one node", LINKED SLOW("scope: link, then: none"), { { 0, 1000, 8, 0, .model = "BERT-large", .tasks = 1 } } },

    /* ---- Reserve ---- */
    /* Node 2 is in reserve; at 50 it takes the place of node 0 */
    { "a spare: the gang need not wait for the repair", SOME(3) "failures: { detection_s: 0, spares: { a: 1 }, faults: [ { at_s: 50, repair_s: 900 } ] }\n",
      { { 0, 100, 16, 0, .ends = 150, .lost = 50, .took = "0:01234567 1:01234567; 1:01234567 2:01234567" } },
      { "spare_swaps", "spare_node_h" }, { 1, 50.0 / 3600 } },
    { "none in reserve: it waits", SOME(2) "failures: { detection_s: 0, faults: [ { at_s: 50, repair_s: 900 } ] }\n",
      { { 0, 100, 16, 0, .ends = 1050, .lost = 50 } } },
    /* At 70 node 0 is back, and goes to the reserve; at 80 it comes for node 2 */
    { "what is repaired is in reserve", SOME(3) "failures: { detection_s: 0, spares: { a: 1 },\n"
      "  faults: [ { at_s: 50, repair_s: 20 }, { node: 2, at_s: 80, repair_s: 900 } ] }\n",
      { { 0, 100, 16, 0, .ends = 180, .lost = 80, .took = "0:01234567 1:01234567; 1:01234567 2:01234567; 0:01234567 1:01234567" } },
      { "spare_swaps", "spare_node_h" }, { 2, 60.0 / 3600 } },
    /* Node 1 fails in reserve at 10; node 0 at 20, and none is well until 60 */
    { "a spare that is repaired in time", SOME(2) "failures: { detection_s: 0, spares: { a: 1 },\n"
      "  faults: [ { node: 1, at_s: 10, repair_s: 50 }, { at_s: 20, repair_s: 900 } ] }\n",
      { { 0, 100, 8, 0, .ends = 160, .lost = 20, .took = "0:01234567; 1:01234567" } }, { "spare_swaps" }, { 1 } },
    { "nothing starts in reserve", SOME(2) "failures: { rate: none, spares: { a: 1 } }\n", { { 0, 10, 8, 0 }, { 0, 10, 8, 10 } },
      { "spare_node_h" }, { 20.0 / 3600 } },
    { "a job that needs the reserve is refused", SOME(2) "failures: { rate: none, spares: { a: 1 } }\n",
      { { 0, 10, 16, NEVER, .refused = "asks for more than the cluster has" }, { 0, 10, 8, 0 } } },
    { "a slow node and a spare", SOME(2) "failures: { spares: { a: 1 }, faults: [ { kind: slow, phi: .5, at_s: 100, detect_s: 200, repair_s: 900 } ] }\n",
      { { 0, 1000, 8, 0, .ends = 1300, .lost = 300 } } },
};

static void schedule(void **state)
{
    const struct row *row = *state;
    struct error err = { "" };
    struct taken taken = { { "" } };
    struct cluster *c = cluster_of_text(row->yaml, &err);
    assert_string_equal(err.text, "");
    size_t n = 0;
    while (row->jobs[n].gpus)
        n++;
    struct workload *w = workload_of(row->jobs, n);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = schedule_played(c, w, "fifo", 1, (struct run_observer){ .self = &taken, .interval = note_interval }, &err);
    assert_string_equal(err.text, "");
    for (job_id j = 0; j < n; j++) {
        struct job_result got = run_job(s, j);
        got.end_ns = (got.end_ns + 5) / 10 * 10;               /* of a rate that is no whole number */
        same_job(&err, &row->jobs[j], j, &got, taken.text[j]);
    }
    struct summary *m = summary_make(s);
    for (size_t i = 0; i < COUNT(row->metric) && row->metric[i] && !*err.text; i++) {
        double got = summary_value(m, row->metric[i], "all");
        if (!(fabs(got - row->value[i]) < 1e-9))
            error_set(&err, "%s: want %.12g, got %.12g", row->metric[i], row->value[i], got);
    }
    summary_free(m);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    assert_string_equal(err.text, "");
}

/* BERT-large on 8 + 8 V100, T_c 250 ms, S 672 MB; models.md 2.1: inside a node over 120 GB/s of NVLink, between two nodes over
 * 10 GB/s; half the pace of a link from 100 to 300 s: T_n / .5. */
static void slow_link(void **state)
{
    (void)state;
    double s = 672e6, scatter = 7 * 3.4e-6 + 7 / 8.0 * s / 120e9, ring = 8.4e-6 + 2 * 14e-6 + s / 10e9, t_n = 2 * scatter + ring;
    double usual = hypot(.25, t_n), slow = hypot(.25, 2 * t_n);
    struct error err = { "" };
    struct cluster *c = cluster_of_text(LINKED SLOW("scope: link, then: none"), &err);
    struct workload *w = workload_of((struct job[]){ { 0, 1000, 16, .model = "BERT-large" } }, 1);
    assert_string_equal(err.text, "");
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *run = schedule_played(c, w, "fifo", 1, (struct run_observer){ .self = NULL }, &err);
    assert_string_equal(err.text, "");
    double ends = seconds(run_job(run, 0).end_ns), want = 1000 + 200 * (1 - usual / slow);
    struct summary *m = summary_make(run);
    assert_true(fabs(ends / want - 1) < 1e-6);
    assert_false(fabs(ends / (want - 2) - 1) < 1e-6);
    assert_true(fabs(summary_value(m, "slow_gpu_h", "all") * 3600 / 16 / (want - 1000) - 1) < 1e-6);
    summary_free(m);
    run_free(run);
    workload_free(w);
    cluster_free(c);
}

/* 400 nodes, 348 days, .005 a day and node, found after a day on the mean: slow for .005 of the time, 696 faults (sd 6 % with the
 * spread of detections); 20 seeds within 6 %. */
static double slow_share(uint64_t seed, const char *keys)
{
    struct error err = { "" };
    char yaml[500];
    snprintf(yaml, sizeof yaml, "nodes: [ { group: a, count: 400, gpus: 8 } ]\nfailures: { rate: none, slow: { then: none, %s } }\n", keys);
    struct cluster *c = cluster_of_text(yaml, &err);
    assert_string_equal(err.text, "");
    struct workload *w = workload_of((struct job[]){ { 0, 86400, 8, .on = "399:0-7" }, { 347 * 86400.0, 86400, 8 } }, 2);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = schedule_played(c, w, "fifo", seed, (struct run_observer){ .self = NULL }, &err);
    assert_string_equal(err.text, "");
    struct summary *m = summary_make(s);
    double share = summary_value(m, "slow_node_h", "all") / (400 * seconds(run_totals(s)->last_ns - run_totals(s)->first_ns) / 3600);
    summary_free(m);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    return share;
}

static void prevalence(void **state)
{
    (void)state;
    enum { SEEDS = 20 };
    double mean = 0, other = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double share = slow_share(seed, "scope: node");
        assert_true(fabs(share / .005 - 1) < .25);
        mean += share / SEEDS;
        other += slow_share(seed, "scope: node, per_node_day: .0055, share_at_start: .0055") / SEEDS;
    }
    print_message("slow share of nodes: %.5f, wanted .005\n", mean);
    assert_true(fabs(mean / .005 - 1) < .06);
    assert_false(fabs(other / .005 - 1) < .06);                /* control */
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, schedule, rows);
    ADD_TEST(tests, n, slow_link);
    ADD_TEST(tests, n, prevalence);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
