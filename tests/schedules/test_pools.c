/* test_pools.c - node pools by hand: when nodes come, go and are reclaimed, which jobs wait for
 * them, and what they cost.
 *
 * The autoscaler looks every 10 s, strictly after something has changed; nodes take 60 s to come
 * here. So a job that arrives at 0 and does not fit starts at 10 + 60. */
#include "sim/physics/pools.h"
#include "sim/results/summary.h"
#include "tests/support/powered_schedule.h"

#include <math.h>

#define OWN(n)       "nodes:\n  - { group: own, gpus: 4, count: " #n " }\n"
#define BURST(n, ...) "  - { group: burst, gpus: 4, count: " #n ", pool: { provision_s: 60" __VA_ARGS__ " } }\n"
#define SAVES(s)     "preemption: { checkpoint: perfect, save_s: " s ", grace_s: 3600 }\n"

/* clang-format off */
static const struct text_schedule rows[] = {
    { "enough room: no node is asked for", OWN(1) BURST(1), "fifo", .jobs = { { 0, 10, 4, 0, .took = "0:0123" } } },
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
    { "looks at 20 at a job that comes at 11", "nodes:\n" BURST(1), "fifo", .jobs = { { 11, 10, 4, 80 } } },
    { "another period", "nodes:\n" BURST(1, ", scan_s: 60"), "fifo", .jobs = { { 11, 10, 4, 120 } } },
    { "idle for ten minutes, still there", "nodes:\n" BURST(1), "fifo", .jobs = { { 0, 10, 4, 70 }, { 679, 10, 4, 679 } } },
    { "and after that no more", "nodes:\n" BURST(1), "fifo", .jobs = { { 0, 10, 4, 70 }, { 681, 10, 4, 750 } } },
    { "the cheaper pool first", "nodes:\n  - { group: dear, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 2 } }\n"
      "  - { group: cheap, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 1 } }\n", "fifo", .jobs = {
        { 0, 10, 4, 70, .took = "1:0123" } } },
    { "the other where that does not help", "nodes:\n  - { group: large, gpus: 8, count: 1, pool: { provision_s: 60, usd_per_node_h: 9 } }\n"
      "  - { group: small, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 1 } }\n", "fifo", .jobs = {
        { 0, 10, 8, 70, .tasks = 1, .took = "0:01234567" } } },
    { "both where neither helps alone", "nodes:\n  - { group: dear, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 2 } }\n"
      "  - { group: cheap, gpus: 4, count: 1, pool: { provision_s: 60, usd_per_node_h: 1 } }\n", "fifo", .jobs = {
        { 0, 10, 8, 70, .tasks = 2, .took = "0:0123 1:0123" } } },
    { "removed as soon as it is idle: not before a pass", "nodes:\n" BURST(1, ", idle_s: 0"), "fifo", .jobs = { { 0, 10, 4, 70 } } },
    { "nor before one that comes late", "nodes:\n" BURST(1, ", idle_s: 1") "period_s: 100\n", "fifo", .jobs = { { 0, 10, 4, 100 } } },
    { "a node that it may use: the first belongs to others", "nodes:\n" BURST(2) "queues: [ { name: a, nodes: { burst: 1 } }, { name: b } ]\n",
      "fifo", .jobs = { { 0, 10, 4, 70, .queue = "b", .took = "1:0123" } } },
    { "there from the start: a job runs on it", "nodes:\n" BURST(2), "fifo", .jobs = { { 0, 10, 4, 0, .on = "1:0-3", .took = "1:0123" } } },
    /* It comes at 70, 140 and 210 while a fault keeps it out, and is removed each time: no job could have used it. Asked for
     * again at the look after each repair, at 80, 150 and 220: three times as often as the pool has nodes. */
    { "in vain three times, out of service each time", "nodes:\n" BURST(1, ", idle_s: 1") "failures: { rate: none, faults: [ "
      "{ group: burst, node: 0, cause: nic, at_s: 65, repair_s: 8 }, { group: burst, node: 0, cause: nic, at_s: 135, repair_s: 8 }, "
      "{ group: burst, node: 0, cause: nic, at_s: 205, repair_s: 8 } ] }\n", "fifo", .jobs = { { 0, 10, 4, 280 } } },
    /* The third waits behind the second, for which a node of the pool is not enough: asked for in vain three times. Then the first
     * loses its node until 103000, and needs the pool: asked for at 3010. The second runs when both are there. */
    { "in vain three times, then a job is stopped", OWN(1) BURST(1, ", idle_s: 1") "failures: { rate: none, detection_s: 0, faults: [ "
      "{ group: own, node: 0, cause: nic, at_s: 3000, repair_s: 100000 } ] }\n", "fifo", .jobs = {
        { 0, 5000, 4, 0, .ends = 8070, .lost = 3000 }, { 1, 10, 8, 103070, .tasks = 2 }, { 2, 10, 4, 103080 } } },
    { "kube: pods wait for a node", "nodes:\n" BURST(2), "kube", .jobs = { { 0, 10, 8, .tasks = 2, .starts = 70 } } },
    /* Slurm's passes have times of their own. At 60 both schedulers look at all entries; a node that comes asks for backfill, 30 s
     * after that, and for a main pass over all entries, 60 s after it. Until then the node is not removed, though idle for a second. */
    { "slurm: met by backfill at 90", OWN(1) BURST(1, ", idle_s: 1"), "slurm", .jobs = {
        { 0, 500, 4, 0 }, { 0, 10, 4, 90 }, { 60, 10, 4, 100 } } },
    { "slurm: without backfill by the main scheduler at 120", OWN(1) BURST(1, ", idle_s: 1"), "slurm:scheduler=builtin", .jobs = {
        { 0, 500, 4, 0 }, { 0, 10, 4, 120 }, { 60, 10, 4, 130 } } },
    { "slurm: it comes between two seconds", OWN(1) "  - { group: burst, gpus: 4, count: 1, pool: { provision_s: 60.5, idle_s: 0 } }\n", "slurm",
      .jobs = { { 0, 500, 4, 0 }, { 0, 10, 4, 90 }, { 60, 10, 4, 100 } } },
    /* The placer splits seven GPUs over two small nodes, and that comes first; kube wants them on one. */
    { "kube: a total is one pod, which the placer would split", "nodes:\n  - { group: small, gpus: 4, count: 2, pool: { provision_s: 60 } }\n"
      "  - { group: large, gpus: 8, count: 1, pool: { provision_s: 60, usd_per_node_h: 9 } }\n", "kube", .jobs = {
        { 0, 10, 7, 140, .took = "2:0123456" } } },
    { "quota: a job over its quota lacks GPUs", OWN(1) BURST(1) "queues: [ { name: a, deserved_gpus: 4 } ]\n", "quota", .jobs = {
        { 0, 500, 4, 0, .queue = "a" }, { 0, 10, 4, 70, .queue = "a", .waits = { [WAIT_GPUS] = 70 } } } },
    /* The limit keeps the second waiting until the first ends at 97; what that leaves goes to b, which has priority. From then on
     * the second lacks GPUs: a node is asked for at 100. */
    { "quota: a limit that is over", OWN(2) BURST(1) "queues: [ { name: a, limit_gpus: 4 }, { name: b, priority: 200 } ]\n", "quota:reclaim=no", .jobs = {
        { 0, 97, 4, 0, .queue = "a" }, { 10, 10, 4, 160, .queue = "a", .waits = { [WAIT_LIMIT] = 87, [WAIT_GPUS] = 63 } },
        { 50, 900, 4, 50, .queue = "b" }, { 96, 900, 4, 97, .queue = "b" } } },
    /* Promised at 100 what the first leaves until 130; lost with the node at 110. The first has 400 s left. */
    { "quota: a promise that is over", OWN(1) SAVES("30") "failures: { rate: none, detection_s: 0, faults: [ "
      "{ group: own, node: 0, cause: nic, at_s: 110, repair_s: 200 } ] }\n", "quota", .jobs = {
        { 0, 500, 4, 0, .ends = 720, .stops = 1 }, { 100, 10, 4, 310, .priority = 1, .waits = { [WAIT_RELEASING] = 10, [WAIT_GPUS] = 200 } } } },
    { "easy: a promise on nodes to come", OWN(1) BURST(1), "easy", .jobs = {
        { 0, 500, 4, 0, .estimate = 500 }, { 0, 10, 4, 70, .estimate = 10 } } },
};

/* ---- Beside powering off: a node that has come is up; one that is not there is not off ---- */
#define POWER  "power: { off_after_s: 20, wake_s: 7, node_idle_w: 100, gpu_idle_w: 10, gpu_tdp_w: 100 }\n"
static const struct text_schedule asleep[] = {
    { "no waking after coming", "nodes:\n" BURST(1) POWER, "fifo", .jobs = { { 0, 10, 4, 70 } } },
    { "it sleeps until it is removed, and wakes", "nodes:\n" BURST(1) POWER, "fifo", .jobs = { { 0, 10, 4, 70 }, { 200, 10, 4, 200, .ends = 217 } } },
    { "removed in its sleep: up when it comes again", "nodes:\n" BURST(1) POWER, "fifo", .jobs = { { 0, 10, 4, 70 }, { 681, 10, 4, 750 } } },
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
    /* Nodes without GPUs, one always there: 5000 s at 7.20 USD. */
    { "without GPUs a node has its price", OWN(1) "  - { group: cpu, gpus: 0, cpus: 8, count: 1, pool: { min: 1, usd_per_node_h: 7.2 } }\n"
      "prices: { gpu_usd_per_h: 0 }\n", .jobs = { { 0, 5000, 4, 0 } }, "cost_usd", 10 },
    { "no GPU-hours besides", OWN(1) BURST(1) "prices: { gpu_usd_per_h: 3.6 }\n", .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } },
      "cost_usd", 20 },
    { "one is removed", OWN(1) BURST(2), .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } }, "pool_nodes_removed", 1 },
    { "one is asked for", OWN(1) BURST(2), .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } }, "pool_nodes_added", 1 },
    { "off as long as it sleeps: from 100 to 680", OWN(1) BURST(1) "power: { off_after_s: 20, node_idle_w: 100, gpu_idle_w: 10, gpu_tdp_w: 100 }\n",
      .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } }, "node_off_h", 580 / 3600.0 },
    /* 100 + 4 x 90 W for 5000 s; the other as much for 10 s, 140 W for 20 s, and nothing before it came, slept and was removed */
    { "nothing is drawn by what is not there", OWN(1) BURST(1) "power: { off_after_s: 20, node_idle_w: 100, gpu_idle_w: 10, gpu_tdp_w: 100 }\n",
      .jobs = { { 0, 5000, 4, 0 }, { 0, 10, 4, 70 } }, "energy_kwh", (460 * 5010 + 140 * 20) / 3.6e6 },
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

/* ---- Spot: the first node is reclaimed at the first draw of its stream; a seed is taken with which nothing else is ---- */

#define SPOT(more) "nodes:\n  - { group: spot, gpus: 4, count: 2, pool: { min: 1, provision_s: 60, spot: { reclaims_per_node_day: 86.4, notice_s: 30 } } }\n" more
#define MEAN_S     1000.0    /* a day / 86.4 */

static double draw_s(uint64_t seed, node_id n, unsigned k)
{
    struct random r;
    random_init(&r, seed, "spot reclaims", n);
    while (k-- > 0)
        random_uniform(&r);
    return -log(random_uniform(&r)) * MEAN_S;
}

static uint64_t quiet_seed(void)
{
    uint64_t seed = 0;
    while (draw_s(seed, 1, 0) < 2 * draw_s(seed, 0, 0) + 200 || draw_s(seed, 0, 1) < 2 * draw_s(seed, 0, 0) + 200)
        seed++;
    return seed;
}

static const struct spot_row {
    const char *name, *yaml;
    double stays, lost;           /* after the notice; of its work since the last checkpoint, a share of the 100 s interval: -1 */
} spot_rows[] = {
    { "saves within the notice", SPOT(SAVES("10")), 10, 0 },
    { "saves just within the notice", SPOT(SAVES("30")), 30, 0 },
    { "cannot save in time: to its last checkpoint, at once", SPOT("preemption: { checkpoint: periodic, interval_s: 100, save_s: 31, grace_s: 3600 }\n"), 0, -1 },
    { "no checkpoints: all is lost", SPOT(""), 0, 1 },
};

static double next_scan_s(double after_s)
{
    return (floor(after_s / 10) + 1) * 10;
}

/* It runs from 0 to the notice at t and would need 100 s more; stays to save; the node to come
 * is asked for at the next look, or at the end of the notice, for one must always be there. */
static void reclaimed(void **state)
{
    const struct spot_row *row = *state;
    uint64_t seed = quiet_seed();
    double t = draw_s(seed, 0, 0), done = t, lost = row->lost < 0 ? fmod(t, 100) : row->lost * t;
    struct text_schedule played = { .yaml = row->yaml, .policy = "fifo", .seed = seed };
    played.jobs[0] = (struct job){ 0, t + 100, 4 };
    struct sched *s = text_played(&played, NULL);
    struct job_result got = run_job(s, 0);
    double again_s = fmin(next_scan_s(t + row->stays), t + 30) + 60;
    assert_true(fabs(seconds(got.lost_ns) - lost) < 1e-6);
    assert_true(fabs(seconds(got.end_ns) - (again_s + 100 + lost)) < 1e-6);
    assert_true(fabs(seconds(got.run_ns) - (done + row->stays + 100 + lost)) < 1e-6);
    assert_int_equal(got.restarts, 1);
    struct summary *m = summary_make(s);
    assert_true(summary_value(m, "jobs_reclaimed", "all") == 1 && summary_value(m, "pool_nodes_reclaimed", "all") == 1);
    assert_true(fabs(summary_value(m, "lost_by_reclaims_gpu_h", "all") - 4 * lost / 3600) < 1e-9);
    summary_free(m);
    put_away(s);
}

static const struct bad_text bad_rows[] = {
    { "a min above its nodes", "nodes:\n" BURST(2, ", min: 3"), "c.yaml:2:46: pool: want a min of at most the 2 nodes of the group, got 3" },
    { "spot without a rate", "nodes:\n  - { group: a, gpus: 1, count: 1, pool: { spot: { notice_s: 3 } } }\n", "c.yaml:2:50: key 'reclaims_per_node_day' is missing" },
};

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, text_plays, rows);
    ADD_ROWS(tests, n, text_plays, asleep);
    ADD_ROWS(tests, n, counts, counted);
    ADD_ROWS(tests, n, reclaimed, spot_rows);
    ADD_ROWS(tests, n, text_is_refused, bad_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
