/* test_numa.c - which GPUs of a node with two sockets of four a job gets, worked by hand from models.md 1.5, and what it costs to
 * span them. Sources: models-2, section 8 as restated in models.md 1.5; the formulas of models.md 2.1. */
#include "tests/support/powered_schedule.h"

#define NODE(more) "nodes: [ { group: a, count: 1, gpus: 8, numa_nodes: 2, gpu_model: V100-SXM2-16, island_gpus: 0 } ]\n" more
#define NUMA       NODE("placement_order: numa\n")
/* GPUs 2 and 3 are taken: free are 0, 1 of the first socket and the whole second one */
#define TAKEN      { 0, 100, 2, 0, .on = "0:2-3", .ran = 0 }

/* clang-format off */
static const struct text_schedule rows[] = {
    { "1 of {0 1 | 4 5 6 7}", NUMA, "fifo", .jobs = { TAKEN, { 0, 10, 1, 0, .took = "0:0" } } },
    { "2", NUMA, "fifo", .jobs = { TAKEN, { 0, 10, 2, 0, .took = "0:01" } } },
    { "3", NUMA, "fifo", .jobs = { TAKEN, { 0, 10, 3, 0, .took = "0:456" } } },
    { "4", NUMA, "fifo", .jobs = { TAKEN, { 0, 10, 4, 0, .took = "0:4567" } } },
    { "5", NUMA, "fifo", .jobs = { TAKEN, { 0, 10, 5, 0, .took = "0:04567" } } },
    { "5 by id", NODE(""), "fifo", .jobs = { TAKEN, { 0, 10, 5, 0, .took = "0:01456" } } },
    { "6: all that is free", NUMA, "fifo", .jobs = { TAKEN, { 0, 10, 6, 0, .took = "0:014567" } } },
    /* Islands of two: the fuller pairs {4 5} and {6 7} before {0} and {2}, the lowest of equals */
    { "islands: as few as can be",
      "nodes: [ { group: a, count: 1, gpus: 8, numa_nodes: 1, gpu_model: V100-SXM2-16, island_gpus: 2 } ]\nplacement_order: numa\n", "fifo",
      .jobs = { { 0, 100, 2, 0, .on = "0:1 3" }, { 0, 10, 5, 0, .took = "0:04567" } } },
    { "2, 2, 4 in turn: none spans", NUMA, "fifo", .jobs = { { 0, 10, 2, 0, .took = "0:01" }, { 0, 10, 2, 0, .took = "0:23" }, { 0, 10, 4, 0, .took = "0:4567" } } },
    { "1, 4, 1 in turn: none spans", NUMA, "fifo", .jobs = { { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 4, 0, .took = "0:4567" }, { 0, 10, 1, 0, .took = "0:1" } } },
};
/* clang-format on */

/* VGG-16 on 4 GPUs over PCIe 3: 0.1916935 s an iteration on one socket, which is the reference; 0.2031422 s across (numa_factor .7). */
static void spanning(void **state)
{
    (void)state;
    struct text_schedule row = { "", NODE("progress: { model: analytic }\n"), "fifo", .jobs = { { 0, 10, 2, 0, .on = "0:2 4" }, { 0, 10, 2, 0, .on = "0:3 5" },
                                                                                                { 0, 1000, 4, 0, .model = "VGG-16" } } };
    struct sched *s = text_played(&row, NULL);
    double slowdown = seconds(run_job(s, 2).end_ns) / 1000;
    assert_true(fabs(slowdown / (.2031422 / .1916935) - 1) < 1e-6);
    assert_false(fabs(slowdown - 1) < 1e-2);
    put_away(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, text_plays, rows);
    ADD_TEST(tests, n, spanning);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
