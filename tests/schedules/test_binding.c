/* test_binding.c - what keeps a job from starting: CPUs, memory, shares of GPUs, GPU models,
 * levels; and what never can. Whole GPUs are short in all: WAIT_GPUS; there, but not so that it
 * fits: WAIT_FRAGMENTED. By hand. */
#include "policies/registry.h"
#include "tests/support/schedule.h"

#define SMALL(n, g, cpus, mib)                                                                                         \
    {                                                                                                                  \
        .name = "node", .gpu_model = "A100", .count = (n), .gpus = (g), .cpu_milli = 1000 * (cpus), .mem_mib = (mib)   \
    }
#define TWO_MODELS                                                                                                     \
    {                                                                                                                  \
        NODES(1, 2),                                                                                                   \
        {                                                                                                              \
            .name = "old", .gpu_model = "V100", .count = 1, .gpus = 2, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX    \
        }                                                                                                              \
    }
#define ISLANDS(n, g, island)                                                                                          \
    {                                                                                                                  \
        {                                                                                                              \
            .name = "node", .count = (n), .gpus = (g), .island_gpus = (island), .cpu_milli = INT64_MAX,                \
            .mem_mib = INT64_MAX                                                                                       \
        }                                                                                                              \
    }
#define RACKS(n, g, rack)                                                                                              \
    {                                                                                                                  \
        {                                                                                                              \
            .name = "node", .count = (n), .gpus = (g), .nodes_per_rack = (rack), .cpu_milli = INT64_MAX,               \
            .mem_mib = INT64_MAX                                                                                       \
        }                                                                                                              \
    }
#define NO_NODE  "does not fit the nodes, even when all are empty"
#define TOO_MANY "asks for more than the cluster has"
#define NO_LEVEL "no domain of the required level is large enough"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- CPUs and memory ---- */
    { "cpus: not enough", "fifo", { SMALL(1, 2, 8, 100) }, .jobs = {
        { 0, 10, 1, 0, .cpus = 6 }, { 0, 5, 1, 10, .cpus = 4, .waits = { [WAIT_FRAGMENTED] = 10 } } } },
    { "cpus: just enough", "fifo", { SMALL(1, 2, 8, 100) }, .jobs = { { 0, 10, 1, 0, .cpus = 6 }, { 0, 5, 1, 0, .cpus = 2 } } },
    { "cpus: no GPU at all", "fifo", { SMALL(1, 2, 8, 100) }, .jobs = {
        { 0, 10, 0, 0, .cpus = 6, .took = "0:" }, { 0, 5, 0, 10, .cpus = 4 }, { 0, 5, 2, 10 } } },
    { "cpus: tasks without GPUs", "fifo", { SMALL(2, 1, 8, 100) }, .jobs = {
        { 0, 10, 0, 0, .cpus = 5, .tasks = 2, .took = "0: 1:" }, { 0, 5, 1, 0, .cpus = 3, .took = "0:0" } } },
    /* 2 of each GPU: no node has more than two such */
    { "cpus: split a total", "fifo", { SMALL(2, 4, 4, 100) }, .jobs = { { 0, 10, 4, 0, .cpus = 8, .took = "0:01 1:01" } } },
    { "memory: not enough", "fifo", { SMALL(1, 2, 8, 100) }, .jobs = {
        { 0, 10, 1, 0, .mem_mib = 60 }, { 0, 5, 1, 10, .mem_mib = 41, .waits = { [WAIT_FRAGMENTED] = 10 } } } },
    { "memory: just enough", "fifo", { SMALL(1, 2, 8, 100) }, .jobs = {
        { 0, 10, 1, 0, .mem_mib = 60 }, { 0, 5, 1, 0, .mem_mib = 40 } } },
    { "memory: given back by the preempted", "priority:preempt=yes", { SMALL(1, 2, 8, 100) }, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .mem_mib = 60, .ends = 15, .stops = 1 }, { 2, 5, 1, 2, .mem_mib = 50, .priority = 1 } } },

    /* ---- Shares of a GPU ---- */
    { "shares: two halves on one GPU", "fifo", ONE_NODE(1), .useful = 8.5, .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 4, 1, 0, .shares = .5, .took = "0:0" },
        { 0, 3, 1, 4, .shares = .5, .took = "0:0", .waits = { [WAIT_GPUS] = 4 } } } },
    { "shares: .6 and .5 do not go together", "fifo", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0, .shares = .6 }, { 0, 4, 1, 10, .shares = .5 } } },
    { "shares: the fullest GPU that fits", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .shares = .6, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "0:1" },
        { 0, 10, 1, 0, .shares = .4, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "0:1" } } },
    { "shares: a whole GPU waits for an empty one", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 4, 1, 0, .shares = .1, .took = "0:1" }, { 0, 3, 1, 4, .took = "0:1", .waits = { [WAIT_GPUS] = 4 } } } },
    { "shares: of several GPUs", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 2, 0, .shares = .5, .tasks = 1, .took = "0:01" }, { 0, 10, 2, 0, .shares = .5, .tasks = 2, .took = "0:0 0:1" } } },
    { "shares: a total of several is as many tasks", "fifo", { NODES(2, 1) }, .jobs = {    /* workload.h: two halves fill one GPU */
        { 0, 10, 2, 0, .shares = .5, .took = "0:0 0:0" }, { 0, 10, 2, 0, .shares = .5, .took = "1:0 1:0" } } },

    /* ---- Models ---- */
    { "model: only on its nodes", "fifo", TWO_MODELS, .jobs = {
        { 0, 10, 2, 0, .gpu_type = "V100", .took = "1:01" },
        { 0, 5, 1, 10, .gpu_type = "V100", .took = "1:0", .waits = { [WAIT_GPUS] = 10 } }, { 0, 1, 1, 10, .took = "1:1" } } },
    { "model: one of two", "fifo", TWO_MODELS, .jobs = {
        { 0, 10, 2, 0, .gpu_type = "A100", .took = "0:01" }, { 0, 5, 1, 0, .gpu_type = "T4|A100|V100", .took = "1:0" } } },
    { "model: any, over both", "fifo", TWO_MODELS, .jobs = { { 0, 10, 4, 0, .took = "0:01 1:01" } } },

    /* ---- Levels ---- */
    { "level: a rack that has room", "fifo", RACKS(4, 2, 2), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 5, 4, 0, .required = "rack", .took = "2:01 3:01" } } },
    { "level: no rack has room", "fifo", RACKS(4, 2, 2), .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 8, 4, 0, .required = "rack", .took = "2:01 3:01" },
        { 0, 5, 4, 8, .required = "rack", .took = "2:01 3:01", .waits = { [WAIT_GPUS] = 8 } } } },
    { "level: enough GPUs, no rack with as many", "fifo", RACKS(4, 2, 2), .placer = "spread", .jobs = {
        { 0, 10, 2, 0, .tasks = 2, .took = "0:0 1:0" }, { 0, 10, 2, 0, .tasks = 2, .took = "2:0 3:0" },
        { 0, 5, 3, 10, .required = "rack", .waits = { [WAIT_TOPOLOGY] = 10 } }, { 0, 5, 1, 10 } } },
    { "level: one node", "fifo", { NODES(2, 2) }, .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 20, 1, 0, .took = "1:0" },
        { 0, 5, 2, 10, .required = "node", .took = "0:01", .waits = { [WAIT_TOPOLOGY] = 10 } } } },
    { "level: one node preferred", "fifo", { NODES(2, 2) }, .placer = "spread", .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 20, 1, 0, .took = "1:0" },
        { 0, 5, 2, 0, .preferred = "node", .took = "0:1 1:1" } } },
    { "level: a rack preferred, then anywhere", "fifo", RACKS(4, 2, 2), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 5, 3, 0, .preferred = "rack", .took = "1:01 0:1" },
        { 0, 5, 4, 0, .preferred = "rack", .took = "2:01 3:01" } } },
    { "level: the smaller island", "fifo", ISLANDS(1, 4, 2), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 5, 2, 0, .took = "0:23" }, { 0, 5, 1, 0, .took = "0:1" } } },
    { "level: one island of the node", "fifo", ISLANDS(1, 4, 2), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 5, 2, 0, .required = "island", .took = "0:23" },
        { 0, 5, 2, 5, .required = "island", .took = "0:23" } } },
    { "level: an island over two nodes", "fifo", ISLANDS(4, 2, 4), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 5, 4, 0, .required = "island", .took = "2:01 3:01" } } },
    /* At 6 GPUs 1 and 3 of node 0 are free, which are of two islands; node 1 is empty */
    { "level: no island of the fullest node, one of another", "fifo", ISLANDS(2, 4, 2), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 1, 1, 0, .took = "0:1" }, { 0, 10, 1, 0, .took = "0:2" }, { 1, 5, 1, 1, .took = "0:1" },
        { 6, 5, 2, 6, .required = "island", .took = "1:01" } } },
    { "level: an island preferred, on another node if need be", "fifo", ISLANDS(2, 4, 2), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 1, 1, 0, .took = "0:1" }, { 0, 10, 1, 0, .took = "0:2" }, { 1, 5, 1, 1, .took = "0:1" },
        { 6, 5, 2, 6, .preferred = "island", .took = "1:01" } } },

    /* ---- Never: refused at arrival, jobs behind are not held up ---- */
    { "never: too many GPUs", "fifo", { NODES(2, 2) }, .jobs = { { 0, 5, 5, NEVER, .refused = TOO_MANY }, { 0, 5, 4, 0 } } },
    { "never: too many GPUs a node", "fifo", { NODES(2, 2) }, .jobs = {
        { 0, 5, 3, NEVER, .tasks = 1, .refused = NO_NODE }, { 0, 5, 3, 0, .took = "0:01 1:0" } } },
    { "never: too many CPUs", "fifo", { SMALL(2, 2, 8, 100) }, .jobs = {
        { 0, 5, 1, NEVER, .cpus = 9, .refused = NO_NODE }, { 0, 5, 0, NEVER, .cpus = 9, .refused = TOO_MANY },
        { 0, 5, 0, 0, .cpus = 8 } } },
    { "never: too much memory", "fifo", { SMALL(2, 2, 8, 100) }, .jobs = { { 0, 5, 1, NEVER, .mem_mib = 101, .refused = NO_NODE } } },
    { "never: no such model", "fifo", TWO_MODELS, .jobs = { { 0, 5, 1, NEVER, .gpu_type = "T4", .refused = "no node has its GPU model" } } },
    { "never: too many of a model", "fifo", TWO_MODELS, .jobs = { { 0, 5, 3, NEVER, .gpu_type = "V100", .refused = TOO_MANY } } },
    { "never: too many for a node", "fifo", { NODES(2, 2) }, .jobs = { { 0, 5, 3, NEVER, .required = "node", .refused = NO_LEVEL } } },
    { "never: too many for a rack", "fifo", RACKS(4, 2, 2), .jobs = { { 0, 5, 5, NEVER, .required = "rack", .refused = NO_LEVEL } } },
    { "never: too many for an island", "fifo", ISLANDS(1, 4, 2), .jobs = { { 0, 5, 3, NEVER, .required = "island", .refused = NO_LEVEL } } },
    { "never: tasks of two islands", "fifo", ISLANDS(1, 4, 2), .jobs = {
        { 0, 5, 4, NEVER, .tasks = 2, .required = "island", .refused = NO_LEVEL } } },
};
/* Eight GPUs on two sockets of four (NUMA nodes): a job that fits one socket gets one, of those that do the one with the fewest free
 * GPUs; a job that fits an island gets that first. By hand: after 3 GPUs of socket 0, 4 GPUs are free together on socket 1 alone. */
#define SOCKETS(n, island)                                                                                             \
    {                                                                                                                  \
        {                                                                                                              \
            .name = "node", .count = 1, .gpus = 8, .island_gpus = (island), .numa_nodes = (n),                         \
            .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX                                                               \
        }                                                                                                              \
    }
static const struct schedule socket_rows[] = {
    { "sockets: the one that has room", "fifo", SOCKETS(2, 0), .jobs = {
        { 0, 10, 3, 0, .tasks = 1, .took = "0:012" }, { 1, 10, 4, 1, .tasks = 1, .took = "0:4567" },
        { 2, 10, 1, 2, .tasks = 1, .took = "0:3" } } },
    { "sockets: the tighter one", "fifo", SOCKETS(2, 0), .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .took = "0:0" }, { 1, 10, 3, 1, .tasks = 1, .took = "0:123" },
        { 2, 10, 4, 2, .tasks = 1, .took = "0:4567" } } },
    { "sockets: the emptier one is first", "fifo", SOCKETS(2, 0), .jobs = {
        { 0, 5, 4, 0, .tasks = 1, .took = "0:0123" }, { 1, 10, 1, 1, .tasks = 1, .took = "0:4" },
        { 6, 10, 3, 6, .tasks = 1, .took = "0:567" } } },
    { "sockets: none has room", "fifo", SOCKETS(2, 0), .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .took = "0:0" }, { 1, 10, 5, 1, .tasks = 1, .took = "0:12345" } } },
    { "sockets: of two pairs of GPUs each", "fifo", SOCKETS(2, 2), .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .took = "0:0" }, { 1, 10, 4, 1, .tasks = 1, .took = "0:4567" },
        { 2, 10, 2, 2, .tasks = 1, .took = "0:23" } } },
    { "sockets: one", "fifo", SOCKETS(1, 0), .jobs = {
        { 0, 10, 3, 0, .tasks = 1, .took = "0:012" }, { 1, 10, 4, 1, .tasks = 1, .took = "0:3456" } } },
};

static void sockets_of_every_placer(void **state)
{
    const struct schedule *row = *state;
    for (size_t i = 0; builtin_placers[i]; i++) {
        struct schedule with = *row;
        void *one = &with;
        with.placer = builtin_placers[i]->name;
        plays_as_written(&one);
    }
}
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    ADD_ROWS(tests, n, sockets_of_every_placer, socket_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
