/* test_groups.c - jobs with tasks that differ and form groups, by hand: where they are placed,
 * when they are complete, how fast they run, what the books say. policy.h,
 * sim/scheduler/group_places.c, sim/scheduler/tasks.c. */
#include "tests/support/schedule.h"

/* Nodes 0-3 are pod 0, 4-7 pod 1, of racks of two nodes with 8 GPUs each. */
#define TWO_PODS                                                                                                       \
    {                                                                                                                  \
        {                                                                                                              \
            .name = "node", .gpu_model = "A100", .count = 8, .gpus = 8, .cpu_milli = 64000, .mem_mib = INT64_MAX,      \
            .nodes_per_rack = 2, .racks_per_pod = 2                                                                    \
        }                                                                                                              \
    }
/* A rack of one node, and one of three. */
#define ONE_AND_THREE                                                                                                  \
    {                                                                                                                  \
        { .name = "one", .gpu_model = "A100", .count = 1, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = 1 }, \
        { .name = "three", .gpu_model = "A100", .count = 3, .gpus = 8, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = 3 } \
    }
/* A node of each kind, with 4 GPUs; n tasks of g GPUs each that may use nodes of one kind. */
#define TWO_KINDS                                                                                                      \
    {                                                                                                                  \
        { .name = "a", .gpu_model = "A100", .count = 1, .gpus = 4, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .labels = "kind=a" }, \
        { .name = "b", .gpu_model = "A100", .count = 1, .gpus = 4, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .labels = "kind=b" }  \
    }
#define ON(which, n, g)                                                                                                \
    {                                                                                                                  \
        .group = ".", .gpus = (g), .gpu_milli = MILLI_ALL, .tasks = (n), .required_level = LEVEL_ANY,                  \
        .preferred_level = LEVEL_ANY, .selector = (which)                                                              \
    }
#define FITS_NOT "no domain of the required level is large enough"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- Runs of different size ---- */
    { "all of it, in the order of tasks", "fifo", ONE_NODE(8),
      .jobs = { { 0, 10, .starts = 0, PARTS(PART(".", LEVEL_ANY, 2, 3, 0), PART(".", LEVEL_ANY, 1, 1, 0)), .took = "0:012 0:345 0:6" } } },
    { "all or none: 7 of 8 are free", "fifo", ONE_NODE(8),
      .jobs = { { 0, 5, 1, .starts = 0 }, { 0, 10, .starts = 5, PARTS(PART(".", LEVEL_ANY, 1, 6, 0), PART(".", LEVEL_ANY, 1, 2, 0)),
                  .waits = { [WAIT_GPUS] = 5 } } } },
    { "a run without GPUs", "fifo", ONE_NODE(8),
      .jobs = { { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("b", LEVEL_ANY, 1, 0, 0)), .took = "0:01 0:" } } },
    { "more than the cluster has, in all", "fifo", ONE_NODE(8),
      .jobs = { { 0, 10, .starts = NEVER, PARTS(PART("a", LEVEL_ANY, 1, 6, 0), PART("b", LEVEL_ANY, 1, 3, 0)),
                  .refused = "asks for more than the cluster has" } } },
    { "a task that no node has room for", "fifo", { NODES(4, 4) },
      .jobs = { { 0, 10, .starts = NEVER, PARTS(PART("a", LEVEL_ANY, 2, 2, 0), PART("b", LEVEL_ANY, 1, 5, 0)),
                  .refused = "does not fit the nodes, even when all are empty" } } },
    { "two jobs of one size, one of another order", "fifo", ONE_NODE(8),
      .jobs = { { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("b", LEVEL_ANY, 1, 1, 0)), .took = "0:01 0:2" },
                { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_ANY, 1, 2, 0), PART("b", LEVEL_ANY, 1, 1, 0)), .took = "0:34 0:5" },
                { 0, 10, .starts = 10, PARTS(PART("a", LEVEL_ANY, 1, 1, 0), PART("b", LEVEL_ANY, 1, 2, 0)), .took = "0:0 0:12" } } },
    { "stopped and started again whole", "srtf", ONE_NODE(8), .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 20, .starts = 0, .ends = 25, .stops = 1, PARTS(PART("a", LEVEL_ANY, 1, 5, 0), PART("b", LEVEL_ANY, 1, 3, 0)),
                  .took = "0:01234 0:567; 0:01234 0:567" }, { 5, 5, 1, .starts = 5 } } },

    /* ---- Runs on different nodes ---- */
    { "a head on one kind of node, workers on another", "fifo", TWO_KINDS,
      .jobs = { { 0, 5, 1, .starts = 0, .selector = "kind=b", .took = "1:0" },
                { 0, 10, .starts = 0, PARTS(ON("kind=b", 1, 2), ON("kind=a", 2, 2)), .took = "1:12 0:01 0:23" },
                { 0, 10, .starts = 10, PARTS(ON("kind=b", 1, 2), ON("kind=a", 2, 2)), .took = "1:01 0:01 0:23" } } },
    { "8 GPUs are idle, but 2 of the kind that the first run wants", "quota", TWO_KINDS, .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 10, 2, .starts = 0, .selector = "kind=b", .took = "1:01" },
                { 0, 10, .starts = 10, PARTS(ON("kind=b", 2, 2), ON("kind=a", 1, 2)), .took = "1:01 1:23 0:01" } } },
    { "a run that no node has the labels for: what is left is less than the minimum", "fifo", TWO_KINDS,
      .jobs = { { 0, 10, .starts = NEVER, PARTS(ON("kind=b", 1, 1), ON("kind=c", 1, 1)),
                  .refused = "no node has the labels that it wants, and no taints that it does not tolerate" } } },
    { "the job waits for 4 of b; stopping the one on a would not help", "priority:preempt=yes", TWO_KINDS, .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 20, 4, .starts = 0, .selector = "kind=a" }, { 0, 20, 4, .starts = 0, .selector = "kind=b", .ends = 30, .stops = 1 },
                { 5, 10, .starts = 5, PARTS(ON("kind=b", 2, 2)), .priority = 1, .took = "1:01 1:23" } } },
    { "a head on b and workers on a: both have to stop", "priority:preempt=yes", TWO_KINDS, .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 20, 4, .starts = 0, .selector = "kind=a", .ends = 30, .stops = 1 },
                { 0, 20, 4, .starts = 0, .selector = "kind=b", .ends = 30, .stops = 1 },
                { 5, 10, .starts = 5, PARTS(ON("kind=b", 1, 1), ON("kind=a", 1, 4)), .priority = 1, .took = "1:0 0:0123" } } },

    /* ---- Domains in domains ---- */
    { "two replicas, each in a rack, both in a pod: rack 0 has 15 free", "fifo", TWO_PODS,
      .jobs = { { 0, 99, 1, .starts = 0, .took = "0:0" },
                { 0, 10, .starts = 0, PARTS(PART("r1/a", LEVEL_ANY, 1, 8, 0), PART("r1/b", LEVEL_ANY, 1, 8, 0), PART("r2/a", LEVEL_ANY, 2, 6, 0),
                                            PART("r1", LEVEL_RACK, 0, 0, 0), PART("r2", LEVEL_RACK, 0, 0, 0), PART(".", LEVEL_POD, 0, 0, 0)),
                  .took = "2:01234567 3:01234567 0:123456 1:012345" } } },
    { "neither rack of pod 0 has 16 free: the other pod", "fifo", TWO_PODS,
      .jobs = { { 0, 99, 1, .starts = 0, .took = "0:0" }, { 0, 99, 15, .tasks = 3, .starts = 0, .took = "0:12345 1:01234 2:01234" },
                { 0, 10, .starts = 0, PARTS(PART("r1/a", LEVEL_ANY, 1, 8, 0), PART("r1/b", LEVEL_ANY, 1, 8, 0), PART("r2/a", LEVEL_ANY, 2, 6, 0),
                                            PART("r1", LEVEL_RACK, 0, 0, 0), PART("r2", LEVEL_RACK, 0, 0, 0), PART(".", LEVEL_POD, 0, 0, 0)),
                  .took = "4:01234567 5:01234567 6:012345 7:012345" } } },
    { "three replicas of a rack in one pod of two racks", "fifo", TWO_PODS,
      .jobs = { { 0, 10, .starts = NEVER, .refused = FITS_NOT,
                  PARTS(PART("a", LEVEL_RACK, 2, 8, 0), PART("b", LEVEL_RACK, 2, 8, 0), PART("c", LEVEL_RACK, 2, 8, 0), PART(".", LEVEL_POD, 0, 0, 0)) } } },
    { "a group of more than a rack", "fifo", TWO_PODS,
      .jobs = { { 0, 10, .starts = NEVER, .refused = FITS_NOT, PARTS(PART("a", LEVEL_ANY, 1, 1, 0), PART("b", LEVEL_RACK, 3, 8, 0)) } } },
    /* quota places groups by rules of its own: it is asked unless a group is too large, by sums */
    { "quota: three replicas of a rack in one pod of two racks", "quota", TWO_PODS,
      .jobs = { { 0, 10, .starts = NEVER, .refused = FITS_NOT,
                  PARTS(PART("a", LEVEL_RACK, 2, 8, 0), PART("b", LEVEL_RACK, 2, 8, 0),
                        PART("c", LEVEL_RACK, 2, 8, 0), PART(".", LEVEL_POD, 0, 0, 0)) } } },
    { "quota: a group of more than a rack", "quota", TWO_PODS,
      .jobs = { { 0, 10, .starts = NEVER, .refused = FITS_NOT,
                  PARTS(PART("a", LEVEL_ANY, 1, 1, 0), PART("b", LEVEL_RACK, 3, 8, 0)) } } },
    { "a group on one node, another on its own", "fifo", TWO_PODS,
      .jobs = { { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_NODE, 2, 3, 0), PART("b", LEVEL_NODE, 3, 1, 0)), .took = "0:012 0:345 1:0 1:1 1:2" } } },
    /* Placed first, the small group takes the rack that only has room for it and not the only one that has for the other */
    { "an earlier group makes way for a later one", "fifo", { { .name = "three", .gpu_model = "A100", .count = 3, .gpus = 8,
          .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = 3 }, { .name = "one", .gpu_model = "A100", .count = 1, .gpus = 8,
          .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = 1 } },
      .jobs = { { 0, 10, .starts = 0, PARTS(PART("small", LEVEL_RACK, 1, 8, 0), PART("big", LEVEL_RACK, 3, 8, 0)),
                  .took = "3:01234567 0:01234567 1:01234567 2:01234567" } } },
    { "waits until the rack is free", "fifo", ONE_AND_THREE,
      .jobs = { { 0, 5, 4, .tasks = 1, .starts = 0, .took = "0:0123" }, { 0, 7, 8, .tasks = 1, .starts = 0, .took = "1:01234567" },
                { 0, 10, .starts = 7, PARTS(PART("small", LEVEL_RACK, 1, 8, 0), PART("big", LEVEL_RACK, 3, 8, 0)),
                  .waits = { [WAIT_GPUS] = 7 } } } },
    { "room enough, in the wrong rack", "fifo", { { .name = "node", .gpu_model = "A100", .count = 4, .gpus = 8, .cpu_milli = INT64_MAX,
          .mem_mib = INT64_MAX, .nodes_per_rack = 2 } },
      .jobs = { { 0, 5, 8, .tasks = 1, .starts = 0, .took = "0:01234567" }, { 0, 5, 8, .tasks = 1, .required = "node", .starts = 0, .took = "1:01234567" },
                { 1, 10, .starts = 1, PARTS(PART("a", LEVEL_RACK, 2, 8, 0)), .took = "2:01234567 3:01234567" },
                { 2, 10, .starts = 5, PARTS(PART("a", LEVEL_RACK, 2, 4, 0), PART("b", LEVEL_RACK, 1, 8, 0)), .took = "0:0123 0:4567 1:01234567" } } },
    { "islands of four: a group in each", "fifo", { { .name = "node", .gpu_model = "A100", .count = 1, .gpus = 8, .island_gpus = 4,
          .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX } },
      .jobs = { { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_ISLAND, 3, 1, 0), PART("b", LEVEL_ISLAND, 2, 2, 0)), .took = "0:0 0:1 0:2 0:45 0:67" } } },

    /* ---- Other policies ---- */
    { "easy: no job delays it", "easy", ONE_NODE(8),
      .jobs = { { 0, 10, 4, .estimate = 10, .starts = 0 },
                { 1, 10, .estimate = 10, .starts = 10, PARTS(PART("a", LEVEL_ANY, 1, 5, 0), PART("b", LEVEL_ANY, 1, 1, 0)) },
                { 2, 8, 4, .estimate = 8, .starts = 2 }, { 3, 20, 3, .estimate = 20, .starts = 20 } } },
    { "conservative: each job has a slot", "conservative", ONE_NODE(8),
      .jobs = { { 0, 10, 4, .estimate = 10, .starts = 0 },
                { 1, 10, .estimate = 10, .starts = 10, PARTS(PART("a", LEVEL_ANY, 1, 5, 0), PART("b", LEVEL_ANY, 1, 1, 0)) },
                { 2, 20, 2, .estimate = 20, .starts = 2 } } },
    { "kube: pods of their own size", "kube", ONE_NODE(8),
      .jobs = { { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_ANY, 1, 4, 0), PART("b", LEVEL_ANY, 2, 1, 0)), .took = "0:0123 0:4 0:5" } } },
    { "kube: a group cannot be held together", "kube", TWO_PODS,
      .jobs = { { 0, 10, .starts = NEVER, PARTS(PART("a", LEVEL_ANY, 1, 4, 0), PART("b", LEVEL_RACK, 2, 1, 0)),
                  .refused = "requires a level of the topology, which single pods cannot" } } },
    /* The pods of 2 start at once and wait for the one of 5, which has to wait for job 1 */
    { "kube: gathers", "kube", ONE_NODE(8), .useful = 40 + 80, .gang = 40,
      .jobs = { { 0, 10, 4, .tasks = 1, .starts = 0 },
                { 0, 10, .starts = 10, PARTS(PART("a", LEVEL_ANY, 2, 2, 0), PART("b", LEVEL_ANY, 1, 4, 0)), .waits = { [WAIT_GANG] = 10 } } } },
    { "gang: all pods or none", "gang", ONE_NODE(8), .useful = 40 + 80,
      .jobs = { { 0, 10, 4, .tasks = 1, .starts = 0 },
                { 0, 10, .starts = 10, PARTS(PART("a", LEVEL_ANY, 2, 2, 0), PART("b", LEVEL_ANY, 1, 4, 0)) } } },
    /* One of two workers and the head: 6 of 8 GPUs, 10 s at 3/4; the other comes when job 1 has left */
    { "gang: the minimum of each group", "gang", ONE_NODE(8), .useful = 20 + 60 + 20,
      .jobs = { { 0, 10, 2, .tasks = 1, .starts = 0 },
                { 0, 10, .starts = 0, .ends = 10 + 2.5, PARTS(PART("head", LEVEL_ANY, 1, 4, 0), PART("work", LEVEL_ANY, 2, 2, 1)) } } },
    /* Its minimum is met by tasks without GPUs: 3 of 4 tasks, 10 s at 3/4; then all of it for 2.5 s */
    { "kube: a minimum without GPUs makes progress", "kube", ONE_NODE(8), .useful = 80 + 10,
      .jobs = { { 0, 10, 8, .tasks = 1, .starts = 0 },
                { 0, 10, .starts = 0, .ends = 10 + 2.5, PARTS(PART("a", LEVEL_ANY, 3, 0, 1), PART("a", LEVEL_ANY, 1, 4, 1)) } } },
    /* Of 6 GPUs the first group would take all: a minimum goes first. 10 s at 5/8, then 3.75 s */
    { "gang: no more than the minimum of one before that of another", "gang", ONE_NODE(8), .useful = 20 + 50 + 30,
      .jobs = { { 0, 10, 2, .tasks = 1, .starts = 0 },
                { 0, 10, .starts = 0, .ends = 10 + 3.75, PARTS(PART("work", LEVEL_ANY, 2, 3, 1), PART("head", LEVEL_ANY, 1, 2, 0)) } } },
    { "gang: in a rack each", "gang", TWO_PODS,
      .jobs = { { 0, 10, .starts = 0, PARTS(PART("a", LEVEL_RACK, 2, 8, 0), PART("b", LEVEL_RACK, 2, 8, 0)),
                  .took = "0:01234567 1:01234567 2:01234567 3:01234567" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
