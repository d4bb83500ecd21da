/* test_kueue_tas.c - where the placer kueue-tas puts jobs, by docs/schedulers.md g.2. All jobs run
 * side by side from 0 unless a row has other times. Nodes have 4 GPUs; "free 1, 4, 4" are GPUs of
 * the nodes. */
#include "tests/support/schedule.h"

#define THREE                                                                                      \
    {                                                                                              \
        NODES(3, 4)                                                                                \
    }
/* Nodes n in racks of two, `pods` racks a pod. */
#define RACKS(n, pods)                                                                             \
    {                                                                                              \
        {                                                                                          \
            .name = "racked", .gpu_model = "A100", .count = (n), .gpus = 4,                        \
            .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX, .nodes_per_rack = 2,                     \
            .racks_per_pod = (pods)                                                                \
        }                                                                                          \
    }
#define TEAM(gpus)                                                                                 \
    {                                                                                              \
        .facts = {                                                                                 \
            .name = "a",                                                                           \
            .parent = ID_NONE,                                                                     \
            .weight = 1,                                                                           \
            .quota = { { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED },                           \
                       { UNLIMITED, UNLIMITED, UNLIMITED } },                                      \
            .cohort = { .borrowing_limit = { UNLIMITED, UNLIMITED, UNLIMITED },                    \
                        .lending_limit = { UNLIMITED, UNLIMITED, UNLIMITED } },                    \
        }                                                                                          \
    }
#define ONES(n) .tasks = (n)
/* Pod sets: n tasks of g GPUs; PAIR: those of two rows are leader and workers. */
#define PAIR_OF(name_, level, n, g, cut, with)                                                     \
    {                                                                                              \
        .group = (name_), .gpus = (g), .gpu_milli = MILLI_ALL, .tasks = (n),                       \
        .required_level = (level), .preferred_level = LEVEL_ANY, .slices = (cut),                  \
        .podset_group = (with)                                                                     \
    }
#define PAIR(name, level, n, g, cut) PAIR_OF(name, level, n, g, cut, "pair")
#define SET(name, level, n, g) PAIR_OF(name, level, n, g, NULL, NULL)
#define ALL(node) #node ":0 " #node ":1 " #node ":2 " #node ":3"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- unconstrained ---- */
    /* free 1, 4, 4: node 0 is the smallest that holds one */
    { "unconstrained: the smallest node that holds it", "fifo", THREE, .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, ONES(1), .took = "0:012" }, { 0, 10, 1, 0, ONES(1), .took = "0:3" },
        { 0, 10, 2, 0, ONES(1), .took = "1:01" } } },
    /* free 1, 4, 4 and six wanted: from the smallest on, 1, 4 and 1; best fit would take 4 and 2 of it */
    { "unconstrained: from the fullest on", "fifo", THREE, .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, ONES(1), .took = "0:012" },
        { 0, 10, 6, 0, ONES(6), .took = "0:3 " ALL(1) " 2:0" } } },
    /* tasks of 2: free 3, 4, 4 have room for 1, 2 and 2 */
    { "unconstrained: room in tasks", "fifo", THREE, .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .took = "0:0" }, { 0, 10, 6, 0, .tasks = 3, .took = "0:12 1:01 1:23" } } },
    { "unconstrained: a total is so many GPUs", "fifo", THREE, .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 6, 0, .took = "0:3 1:0123 2:0" } } },
    { "unconstrained: shares fill a node", "fifo", { NODES(2, 1) }, .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "0:0" },
        { 0, 10, 1, 0, .shares = .6, .took = "1:0" } } },
    { "two of a job on a node at most", "fifo", THREE, .placer = "kueue-tas", .jobs = {
        { 0, 10, 4, 0, ONES(4), .max_per_node = 2, .took = "0:0 0:1 1:0 1:1" } } },

    /* ---- required ---- */
    /* free 1, 4; 4, 4: racks of 5 and 8; the first holds four, on its second node alone */
    { "required: the tightest rack, then the tightest node", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, ONES(1), .took = "0:012" }, { 0, 10, 4, 0, ONES(4), .required = "rack", .took = ALL(1) } } },
    /* free 3, 4; 4, 4 in tasks of 2: 1, 2; 2, 2. Three fit in rack 0: most room first, 2 and 1 */
    { "required: tightest in tasks", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .took = "0:0" },
        { 0, 10, 6, 0, .tasks = 3, .required = "rack", .took = "0:12 1:01 1:23" } } },
    /* racks of 8; five each, then three are free in each: six in all, and no rack has five */
    { "required: no rack has room", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 5, 0, ONES(5), .required = "rack", .took = ALL(0) " 1:0" },
        { 0, 10, 5, 0, ONES(5), .required = "rack", .took = ALL(2) " 3:0" },
        { 0, 10, 5, 10, ONES(5), .required = "rack", .took = ALL(0) " 1:0" } } },
    /* no node is in a rack: each is one, as KAI has it */
    { "required: a level that nothing has", "fifo", THREE, .placer = "kueue-tas", .jobs = {
        { 0, 10, 4, 0, ONES(4), .required = "rack", .took = ALL(0) } } },
    { "required: a pod", "fifo", RACKS(8, 2), .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .required = "pod", .took = "0:0" },
        { 0, 10, 16, 0, ONES(16), .required = "pod", .took = ALL(4) " " ALL(5) " " ALL(6) " " ALL(7) } } },

    /* ---- preferred ---- */
    /* racks of 7 and 8 free, ten wanted: both. Of their nodes, 3, 4, 4, 4 free, two of the fullest
     * sort first by room and number: 1 and 2; the last two tasks go where it is tightest: node 0 */
    { "preferred: several racks, nodes of all of them", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .took = "0:0" },
        { 0, 10, 10, 0, ONES(10), .preferred = "rack", .took = "0:1 0:2 " ALL(1) " " ALL(2) } } },
    /* pods of 16; a rack holds 8, so ten go up to the tighter pod, 0, with 15 free: rack 1 has 8,
     * rack 0 7; of its nodes 1, 2, 3 have 4 and 0 has 3: 1, 2, and the last two on node 0 */
    { "preferred: a level up", "fifo", RACKS(8, 2), .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .took = "0:0" },
        { 0, 10, 10, 0, ONES(10), .preferred = "rack", .took = "0:1 0:2 " ALL(1) " " ALL(2) } } },
    { "preferred: a node, and it has room", "fifo", THREE, .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .took = "0:0" }, { 0, 10, 3, 0, ONES(3), .preferred = "node", .took = "0:1 0:2 0:3" } } },

    /* ---- slices ---- */
    /* free 3, 4; 4, 4 in racks of two nodes: slices of 4 on a node fit on nodes 1, 2, 3; rack 0 has one,
     * rack 1 two */
    { "slices: two of four tasks, each on a node", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 1, 0, ONES(1), .took = "0:0" },
        { 0, 10, 8, 0, ONES(8), .required = "rack", .slices = "node:4", .took = ALL(2) " " ALL(3) } } },
    /* free 2, 4; 3, 4: without slices rack 0, with 6, is the tightest for 6; slices of 3 fit on nodes 1, 2, 3 only:
     * rack 0 has one, rack 1 two */
    { "slices: room that is no whole slice does not count", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 2, 0, ONES(2), .required = "node", .took = "0:0 0:1" },
        { 0, 10, 4, 0, ONES(4), .required = "node", .took = ALL(1) },
        { 0, 10, 1, 0, ONES(1), .required = "node", .took = "0:2" },
        { 0, 10, 6, 0, ONES(6), .required = "rack", .slices = "node:3", .took = "2:0 2:1 2:2 3:0 3:1 3:2" } } },
    /* free 2, 2; 1, 4: nine in all, four and five in the racks. When all is free, the first rack */
    { "slices: no rack has room for one", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 4, 0, ONES(4), .max_per_node = 2, .required = "rack", .took = "0:0 0:1 1:0 1:1" },
        { 0, 10, 3, 0, ONES(3), .required = "node", .took = "2:0 2:1 2:2" },
        { 0, 10, 8, 10, ONES(8), .slices = "rack:8", .took = ALL(0) " " ALL(1), .waits = { [WAIT_TOPOLOGY] = 10 } } } },
    /* slices of a rack of 6 in layers of 3 on a node: rack 0 with 2 and 4 free holds 6, and one layer; rack 1 two */
    { "slices: in two layers", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 2, 0, ONES(2), .required = "node", .took = "0:0 0:1" },
        { 0, 10, 6, 0, ONES(6), .slices = "rack:6;node:3", .took = "2:0 2:1 2:2 3:0 3:1 3:2" } } },

    /* ---- several pod sets: 2 tasks that require a rack, 4 that require one: the tightest for each, by itself ---- */
    /* free 1, 4; 4, 4: 3 go to node 1, the tightest of rack 0, which has 5; then rack 0 has 1 and 1 */
    { "sets: one after the other, each in a rack of its own", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, ONES(1), .took = "0:012" },
        { 0, 10, .starts = 0, PARTS(SET("a", LEVEL_RACK, 3, 1), SET("b", LEVEL_RACK, 4, 1)),
          .took = "1:0 1:1 1:2 2:0 2:1 2:2 2:3" } } },

    /* ---- leader and workers ---- */
    /* free 1, 4; 4, 4: five tasks in one rack with the leader are rack 1, as rack 0 has 5 in all. Five beside the
     * leader: rack 1 has 8 - 1 = 7; of its nodes 4 and 3 beside it: the leader is on 2 */
    { "a leader: beside its workers, in their rack", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, ONES(1), .took = "0:012" },
        { 0, 10, .starts = 0, PARTS(PAIR("lead", LEVEL_RACK, 1, 1, NULL), PAIR("work", LEVEL_RACK, 5, 1, NULL)),
          .took = "2:0 2:1 2:2 2:3 3:0 3:1" } } },
    /* apart, without podset_group, the leader takes the tightest: node 0, and the workers rack 1 */
    { "no leader: each set where it is tightest", "fifo", RACKS(4, 0), .placer = "kueue-tas", .jobs = {
        { 0, 10, 3, 0, ONES(1), .took = "0:012" },
        { 0, 10, .starts = 0, PARTS(SET("lead", LEVEL_RACK, 1, 1), SET("work", LEVEL_RACK, 5, 1)),
          .took = "0:3 2:0 2:1 2:2 2:3 3:0" } } },
    /* four nodes hold a slice of 4 each, the leader's none: rack 0 one beside the leader, on node 1; the other slice
     * is for rack 1, where node 2 comes first */
    { "a leader costs a slice where it is", "fifo", RACKS(4, 2), .placer = "kueue-tas", .jobs = {
        { 0, 10, .starts = 0, PARTS(PAIR("lead", LEVEL_POD, 1, 1, NULL), PAIR("work", LEVEL_POD, 8, 1, "node:4")),
          .took = "0:0 1:0 1:1 1:2 1:3 2:0 2:1 2:2 2:3" } } },

    /* ---- with quota: 16 GPUs; 15 would do for three gangs, but no rack has room for the third ---- */
    { "cohort: a job without a place holds no quota", "cohort:placement=wait", RACKS(4, 0), .placer = "kueue-tas",
      .queue = { TEAM(16) }, .jobs = {
        { 0, 10, 5, 0, ONES(5), .queue = "a", .required = "rack", .took = ALL(0) " 1:0" },
        { 0, 10, 5, 0, ONES(5), .queue = "a", .required = "rack", .took = ALL(2) " 3:0" },
        { 0, 10, 5, 10, ONES(5), .queue = "a", .required = "rack", .waits = { [WAIT_TOPOLOGY] = 10 } },
        { 1, 5, 3, 1, ONES(3), .queue = "a", .took = "1:1 1:2 1:3" } } },
    { "cohort: it does if places come later", "cohort", RACKS(4, 0), .placer = "kueue-tas",
      .queue = { TEAM(16) }, .jobs = {
        { 0, 10, 5, 0, ONES(5), .queue = "a", .required = "rack" },
        { 0, 10, 5, 0, ONES(5), .queue = "a", .required = "rack" },
        { 0, 10, 5, 10, ONES(5), .queue = "a", .required = "rack" },
        { 1, 5, 3, 10, ONES(3), .queue = "a" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
