/* test_numa.c - which GPUs of a node with two sockets of four a job gets, worked by hand from models.md 1.5, and what it costs to
 * span them. Sources: models-2, section 8 as restated in models.md 1.5; the formulas of models.md 2.1. */
#include "policies/registry.h"
#include "tests/support/powered_schedule.h"

#define NODE(more) NODES_OF("1", more)
#define NUMA       NODE("placement_order: numa\n")
/* GPUs 2 and 3 are taken: free are 0, 1 of the first socket and the whole second one */
#define TAKEN      { 0, 100, 2, 0, .on = "0:2-3", .ran = 0 }

/* 0, 1, 4 and 5 are: half of each socket, until 100 and 50 */
#define HALF_TAKEN { 0, 100, 2, 0, .on = "0:0-1", .ran = 0 }, { 0, 50, 2, 0, .on = "0:4-5", .ran = 0 }
#define NODES_OF(n, more) "nodes: [ { group: a, count: " n ", gpus: 8, numa_nodes: 2, gpu_model: V100-SXM2-16, island_gpus: 0 } ]\n" more

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
    /* The levels numa of a job, from free {2 3 | 6 7}; 4 and 5 are free again at 50. */
    { "required: waits for a NUMA node", NODE(""), "fifo", .jobs = { HALF_TAKEN,
        { 0, 10, 4, 50, .required = "numa", .took = "0:4567", .waits = { [WAIT_TOPOLOGY] = 50 } } } },
    { "required: as tasks", NODE(""), "fifo", .jobs = { HALF_TAKEN, { 0, 10, 4, 50, .tasks = 2, .required = "numa", .took = "0:45 0:67" } } },
    { "required: a share of a GPU", NODE(""), "fifo", .jobs = { HALF_TAKEN,
        { 0, 10, 5, 50, .tasks = 5, .shares = .5, .required = "numa", .took = "0:4 0:4 0:5 0:5 0:6" } } },
    { "required: whatever NVLink joins", "nodes: [ { group: a, type: dgx-a100, count: 1 } ]\n", "fifo", .jobs = { HALF_TAKEN,
        { 0, 10, 4, 50, .required = "numa", .took = "0:4567" } } },
    { "preferred: else the node", NODE(""), "fifo", .jobs = { HALF_TAKEN, { 0, 10, 4, 0, .preferred = "numa", .took = "0:2367" } } },
    { "preferred: another node before two sockets", NODES_OF("2", ""), "fifo", .jobs = { HALF_TAKEN,
        { 0, 10, 4, 0, .preferred = "numa", .took = "1:0123" } } },
    { "without: the fullest node", NODES_OF("2", ""), "fifo", .jobs = { HALF_TAKEN, { 0, 10, 4, 0, .took = "0:2367" } } },
    { "required: never on two", NODES_OF("2", ""), "fifo", .jobs = { { 0, 10, 5, NEVER, .required = "numa",
        .refused = "no domain of the required level is large enough" } } },
    { "required by a group", NODE(""), "fifo", .jobs = { HALF_TAKEN,
        { 0, 10, .starts = 50, PARTS(PART("a", LEVEL_NUMA, 2, 2, 0), PART("b", LEVEL_ANY, 1, 1, 0)), .took = "0:45 0:67 0:2" } } },
    { "quota: required", NODE(""), "quota", .jobs = { HALF_TAKEN, { 0, 10, 4, 50, .required = "numa", .took = "0:4567" } } },
    { "quota: preferred", NODES_OF("2", ""), "quota", .jobs = { HALF_TAKEN, { 0, 10, 4, 0, .preferred = "numa", .took = "1:0123" } } },
    { "kube: pods cannot", NODE(""), "kube", .jobs = { { 0, 10, 2, NEVER, .tasks = 1, .required = "numa",
        .refused = "requires a level of the topology, which single pods cannot" } } },
    { "counted GPUs are of one", "nodes: [ { group: a, count: 1, gpus: 8, numa_nodes: 2, counted: true } ]\n", "fifo", .jobs = { { 0, 10, 8, 0, .required = "numa", .took = "0:x8" } } },
};
/* clang-format on */

/* Free are {2 3 | 6 7} of the first node and all of the second: four GPUs of one NUMA node are on the second alone. */
static void every_placer(void **state)
{
    (void)state;
    for (size_t i = 0; builtin_placers[i]; i++)
        for (int tasks = 0; tasks < 2; tasks++) {
            struct text_schedule row = { "", NODES_OF("2", ""), "fifo", .jobs = { HALF_TAKEN, { 0, 10, 4, 0, .required = "numa" } },
                                         .placer = builtin_placers[i]->name };
            struct taken taken = { { "" } };
            row.jobs[2].tasks = tasks ? 4 : 0;
            struct sched *s = text_played(&row, &taken);
            const char *took = taken.text[2];
            bool first = tasks ? !strcmp(took, "1:0 1:1 1:2 1:3") : !strcmp(took, "1:0123"),
                 second = tasks ? !strcmp(took, "1:4 1:5 1:6 1:7") : !strcmp(took, "1:4567");
            if (run_job(s, 2).start_ns != 0 || !(first || second))
                fail_msg("%s, %d tasks: %s", row.placer, tasks ? 4 : 1, took);
            put_away(s);
        }
}

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
    ADD_TEST(tests, n, every_placer);
    ADD_TEST(tests, n, spanning);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
