/* test_pools.c - node pools by hand: when nodes come, go and are reclaimed, who waits for them, and what they cost.
 *
 * The autoscaler looks every 10 s, strictly after something has changed; nodes take 60 s to come here. So who arrives at 0 and
 * does not fit starts at 10 + 60. */
#include "sim/run/pools.h"
#include "sim/run/summary.h"
#include "tests/support/powered_schedule.h"

#include <math.h>

#define OWN(n)       "nodes:\n  - { group: own, gpus: 4, count: " #n " }\n"
#define BURST(n, ...) "  - { group: burst, gpus: 4, count: " #n ", pool: { provision_s: 60" __VA_ARGS__ " } }\n"
#define SAVES(s)     "preemption: { checkpoint: perfect, save_s: " s ", grace_s: 3600 }\n"

/* clang-format off */
static const struct text_schedule rows[] = {
    { "room of its own: nobody is asked for", OWN(1) BURST(1), "fifo", .jobs = { { 0, 10, 4, 0, .took = "0:0123" } } },
    { "asked for at 10, there at 70", OWN(1) BURST(1), "fifo", .jobs = {
        { 0, 500, 4, 0, .took = "0:0123" }, { 0, 10, 4, 70, .took = "1:0123", .waits = { [WAIT_GPUS] = 70 } } } },
    { "its own are free before: it takes those", OWN(1) BURST(1), "fifo", .jobs = {
        { 0, 30, 4, 0 }, { 0, 10, 4, 30, .took = "0:0123" } } },
    { "nothing but the pool", "nodes:\n" BURST(2), "fifo", .jobs = { { 0, 10, 4, 70 }, { 0, 10, 4, 70 }, { 0, 10, 4, 80 } } },
    { "always one there", "nodes:\n" BURST(2, ", min: 1"), "fifo", .jobs = { { 0, 100, 4, 0, .took = "0:0123" }, { 0, 10, 4, 70, .took = "1:0123" } } },
    { "two small ones share a node that comes", "nodes:\n" BURST(2), "fifo", .jobs = {
        { 0, 10, 2, 70, .took = "0:01" }, { 0, 10, 2, 70, .took = "0:23" } } },
    { "a gang of two nodes comes together", "nodes:\n" BURST(3), "fifo", .jobs = { { 0, 10, 8, 70, .tasks = 2, .took = "0:0123 1:0123" } } },
    { "more than all pools have", OWN(1) BURST(1), "fifo", .jobs = { { 0, 10, 12, NEVER, .refused = "asks for more than the cluster has" } } },
    { "looks at 20 at who comes at 11", "nodes:\n" BURST(1), "fifo", .jobs = { { 11, 10, 4, 80 } } },
    { "another period", "nodes:\n" BURST(1, ", scan_s: 60"), "fifo", .jobs = { { 11, 10, 4, 120 } } },
    { "idle for ten minutes, still there", "nodes:\n" BURST(1), "fifo", .jobs = { { 0, 10, 4, 70 }, { 679, 10, 4, 679 } } },
    { "and after that no more", "nodes:\n" BURST(1), "fifo", .jobs = { { 0, 10, 4, 70 }, { 681, 10, 4, 750 } } },
    { "the cheaper pool first", "nodes:\n  - { group: dear, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 2 } }\n"
      "  - { group: cheap, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 1 } }\n", "fifo", .jobs = {
        { 0, 10, 4, 70, .took = "1:0123" } } },
    { "the other where that does not help", "nodes:\n  - { group: large, gpus: 8, count: 1, pool: { provision_s: 60, usd_per_node_h: 9 } }\n"
      "  - { group: small, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 1 } }\n", "fifo", .jobs = {
        { 0, 10, 8, 70, .tasks = 1, .took = "0:01234567" } } },
    { "kube: pods wait for a node", "nodes:\n" BURST(2), "kube", .jobs = { { 0, 10, 8, .tasks = 2, .starts = 70 } } },
    { "easy: a promise on nodes to come", OWN(1) BURST(1), "easy", .jobs = {
        { 0, 500, 4, 0, .estimate = 500 }, { 0, 10, 4, 70, .estimate = 10 } } },
};

static const struct counted_row {
    const char *name, *yaml;
    struct job jobs[JOBS_AT_MOST];
    const char *metric;
    double value;
} counted[] = {
    /* there from 70 to 80 and ten minutes more, as long as the other runs: 610 s at 7.20 USD */
    { "node-hours: until it is removed", OWN(1) BURST(1, ", usd_per_node_h: 7.2"), .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } },
      "pool_node_h", 610 / 3600.0 },
    { "and their price", OWN(1) BURST(1, ", usd_per_node_h: 7.2") "prices: { gpu_usd_per_h: 0 }\n", .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } },
      "cost_usd", 1.22 },
    { "no GPU-hours besides", OWN(1) BURST(1) "prices: { gpu_usd_per_h: 3.6 }\n", .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } },
      "cost_usd", 20 },
    { "one is removed", OWN(1) BURST(2), .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } }, "pool_nodes_removed", 1 },
    { "one is asked for", OWN(1) BURST(2), .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } }, "pool_nodes_added", 1 },
    /* up: 4 GPUs all the time, 4 more for 610 s; held: 4 x 5000 + 4 x 10 */
    { "what is not there is not up", OWN(1) BURST(1), .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } }, "util_alloc",
      20040.0 / (20000 + 4 * 610) },
};
/* clang-format on */

static void counts(void **state)
{
    const struct counted_row *row = *state;
    struct text_schedule played = { .yaml = row->yaml, .policy = "fifo" };
    memcpy(played.jobs, row->jobs, sizeof played.jobs);
    struct sched *s = text_played(&played, NULL);
    struct summary *m = summary_make(s);
    double got = summary_value(m, row->metric, "all");
    if (fabs(got - row->value) > 1e-9 * fmax(1, row->value))
        fail_msg("%s: want %.12g, got %.12g", row->metric, row->value, got);
    summary_free(m);
    put_away(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, text_plays, rows);
    ADD_ROWS(tests, n, counts, counted);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
