/* test_kube.c - kube and gang, by hand: queue and back-off, gangs that deadlock, which node, preemption.
 * schedulers.md a.1 to a.4, k 10. A pod that failed is tried again when something has been released, and not before
 * 1, 2, 4, 8, 10, 10 ... s have passed: so a preemptor starts 1 s after its victims have left at once. */
#include "tests/support/schedule.h"

#define GROUP(called, n, g, cpus, mib)                                                                                 \
    .name = (called), .gpu_model = "A100", .count = (n), .gpus = (g), .cpu_milli = 1000 * (cpus), .mem_mib = (mib)
#define NODE(g, cpus, mib)  GROUP("node", 1, g, cpus, mib)
#define OTHER(g, cpus, mib) GROUP("other", 1, g, cpus, mib)
#define ALIKE(n, g, cpus, mib)                                                                                         \
    {                                                                                                                  \
        {                                                                                                              \
            GROUP("node", n, g, cpus, mib)                                                                             \
        }                                                                                                              \
    }
/* Two nodes of different types. */
#define A_AND_B(g, cpus, mib)                                                                                          \
    {                                                                                                                  \
        { NODE(g, cpus, mib), .labels = "zone=a" }, { OTHER(g, cpus, mib), .labels = "zone=b" }                        \
    }
#define POOLS                                                                                                          \
    {                                                                                                                  \
        { NODE(2, 10, 100), .labels = "zone=a;pool=p" }, { OTHER(2, 10, 100), .labels = "zone=a;pool=q" },             \
        { GROUP("third", 1, 2, 10, 100), .labels = "zone=b;pool=p" }                                                   \
    }
#define CANNOT_SAVE(every, restart)                                                                                    \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = (every)*NS_PER_S, .save_ns = NS_PER_S, .grace_ns = 0,        \
        .restart_ns = (restart)*NS_PER_S                                                                               \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- The queue ---- */
    { "queue: priority before time", "kube:preempt=no", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 1, 15 }, { 2, 5, 1, 10, .priority = 1 } } },
    { "queue: time among equals", "kube", ONE_NODE(1), .jobs = { { 0, 10, 1, 0 }, { 1, 5, 1, 10 }, { 2, 5, 1, 15 } } },
    /* job 2 is tried without success at 1 and at 7 */
    { "queue: a pod that does not fit is passed over", "kube", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 2, 10, .waits = { [WAIT_GPUS] = 9 } }, { 2, 5, 1, 2 } } },
    { "queue: pods of jobs that arrive together alternate", "kube", ONE_NODE(8), .jobs = {
        { 0, 10, 4, 0, .tasks = 4, .took = "0:0 0:2 0:4 0:6" }, { 0, 10, 4, 0, .tasks = 4, .took = "0:1 0:3 0:5 0:7" } } },
    { "queue: pods of a job that comes first are first", "kube", ONE_NODE(8), .jobs = {
        { 0, 10, 4, 0, .tasks = 4, .took = "0:0 0:1 0:2 0:3" }, { 1, 10, 4, 1, .tasks = 4, .took = "0:4 0:5 0:6 0:7" } } },
    /* Job 3 fails at 0, .. and is woken without success when the short jobs leave at .5, 2, 4, 8, 16, 26: it rests from then until
     * 1, 3, 7, 15, 25, 35, each 1, 2, 4, 8, 10, 10 after its last failure. What it waits for is free from 30 on. */
    { "back-off: 1, 2, 4, 8, 10, 10", "kube", ONE_NODE(2), .jobs = {
        { 0, 30, 1, 0 }, { 0, .5, 1, 0 }, { 0, 5, 2, 35, .waits = { [WAIT_PASS] = .5 + 1 + 3 + 7 + 9 + 9, [WAIT_GPUS] = 5.5 } },
        { 1.5, .5, 1, 1.5 }, { 3.5, .5, 1, 3.5 }, { 7.5, .5, 1, 7.5 }, { 15.5, .5, 1, 15.5 }, { 25.5, .5, 1, 25.5 } } },
    /* Fails at 0, released at 2 and at 5: rests until 3, fails; then until 3 + 4 at most */
    { "back-off: as the parameters say", "kube:backoff_s=3,backoff_most_s=4", ONE_NODE(2), .jobs = {
        { 0, 5, 1, 0 }, { 0, 2, 1, 0 }, { 0, 5, 2, 7, .waits = { [WAIT_PASS] = 1 + 2, [WAIT_GPUS] = 4 } } } },

    /* ---- Gangs: k 10 ---- */
    { "gangs: two of 6 on 8 hold 4 each for ever", "kube", ONE_NODE(8), .deadlocked = 2, .jobs = {
        { 0, 10, 6, NEVER, .tasks = 6 }, { 0, 10, 6, NEVER, .tasks = 6 } } },
    { "gangs: what a deadlock wastes until the end", "kube", ONE_NODE(8), .until = 100, .deadlocked = 2, .gang = 800, .jobs = {
        { 0, 10, 6, NEVER, .tasks = 6, .waits = { [WAIT_GANG] = 100 } },
        { 0, 10, 6, NEVER, .tasks = 6, .waits = { [WAIT_GANG] = 100 } } } },
    { "gangs: a second apart one runs and the other holds 2", "kube", ONE_NODE(8), .useful = 120, .gang = 18, .jobs = {
        { 0, 10, 6, 0, .tasks = 6 }, { 1, 10, 6, 10, .tasks = 6, .waits = { [WAIT_GANG] = 9 } } } },
    { "gangs: a gang that waits behind a deadlock never starts", "kube", ONE_NODE(8), .deadlocked = 2, .jobs = {
        { 0, 10, 6, NEVER, .tasks = 6 }, { 0, 10, 6, NEVER, .tasks = 6 }, { 1, 10, 1, NEVER } } },
    { "gangs: all or none", "gang", ONE_NODE(8), .useful = 120, .jobs = {
        { 0, 10, 6, 0, .tasks = 6 }, { 0, 10, 6, 10, .tasks = 6, .waits = { [WAIT_GPUS] = 10 } } } },
    { "gangs: enough in all but not together", "gang", ALIKE(2, 3, 100, 100), .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .took = "0:01" },
        { 0, 5, 4, 10, .tasks = 2, .waits = { [WAIT_FRAGMENTED] = 10 } } } },
    /* 5 s at half the speed, then 5 with all four: 10 - 2.5 - 5 = 2.5 are left at 10 */
    { "gangs: the minimum, then the rest", "gang", ONE_NODE(4), .jobs = {
        { 0, 5, 2, 0 }, { 0, 10, 4, 0, .ends = 12.5, .tasks = 4, .min_tasks = 2, .took = "0:2 0:3; 0:2 0:3 0:0 0:1" } } },
    /* Jobs 2 and 3 are of one shape. 8 s at half the speed; then 6 s are left */
    { "gangs: one that wants less than those that failed", "gang", ONE_NODE(4), .jobs = {
        { 0, 10, 2, 0 }, { 1, 10, 4, 16, .tasks = 4 }, { 2, 10, 4, 2, .ends = 16, .tasks = 4, .min_tasks = 2 } } },
    { "total: one pod", "kube", ALIKE(2, 4, 100, 100), .jobs = { { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 3, 0, .took = "1:012" } } },
    { "total: more than a node has", "kube", ALIKE(2, 4, 100, 100), .jobs = {
        { 0, 10, 8, NEVER, .refused = "gives only a total, more than a node has: pods want tasks" },
        { 0, 10, 8, 0, .tasks = 2, .took = "0:0123 1:0123" } } },

    /* ---- Which node ---- */
    /* Least allocated, 16 CPUs, 100 MiB: (75 + 75) / 2 beats (50 + 50) / 2 */
    { "score: blind to GPUs", "kube", ALIKE(2, 4, 16, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 4, .mem_mib = 25, .took = "0:0" }, { 0, 10, 1, 0, .cpus = 4, .mem_mib = 25, .took = "1:0" },
        { 0, 5, 4, 10, .waits = { [WAIT_FRAGMENTED] = 10 } } } },
    /* (50 + 50 + 50) / 3 beats (25 + 25 + 25) / 3 */
    { "score: most allocated packs", "kube:score=most,gpu=1", ALIKE(2, 4, 16, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 4, .mem_mib = 25, .took = "0:0" }, { 0, 10, 1, 0, .cpus = 4, .mem_mib = 25, .took = "0:1" },
        { 0, 5, 4, 0, .took = "1:0123" } } },
    { "score: requested to capacity ratio packs", "kube:score=ratio,cpu=0,memory=0,gpu=3", ALIKE(2, 4, 16, 100), .jobs = {
        { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 1, 0, .took = "0:1" } } },
    { "score: requested to capacity ratio spreads", "kube:score=ratio,cpu=0,memory=0,gpu=3,shape_0=10,shape_100=0",
      ALIKE(2, 4, 16, 100), .jobs = { { 0, 10, 1, 0, .took = "0:0" }, { 0, 10, 1, 0, .took = "1:0" } } },
    /* Node 0: 1 (50 + 50) / 2 + 1 x 100. Node 1: 1 (75 + 50) / 2 + 1 x 87 (deviation .125), that is 62 + 87 */
    { "score: balance tips it", "kube", { { NODE(4, 10, 100) }, { OTHER(4, 20, 100) } }, .jobs = {
        { 0, 10, 1, 0, .cpus = 5, .mem_mib = 50, .took = "0:0" } } },
    { "score: not with twice the weight on room", "kube:fit_weight=2", { { NODE(4, 10, 100) }, { OTHER(4, 20, 100) } },
      .jobs = { { 0, 10, 1, 0, .cpus = 5, .mem_mib = 50, .took = "1:0" } } },
    /* Node 0: 50 + 50 + (50 + 100 - 100) / 2 = 125. Node 1: 62 + 50 + (50 + 87 - 100) / 2 = 62 + 68 */
    { "score: nor by the change of balance", "kube:balanced=change", { { NODE(4, 10, 100) }, { OTHER(4, 20, 100) } },
      .jobs = { { 0, 10, 1, 0, .cpus = 5, .mem_mib = 50, .took = "1:0" } } },
    /* Node 0: (0 + 100) / 2, deviation .5; node 1: (50 + 50) / 2, deviation 0 */
    { "score: what asks for nothing is not balanced", "kube", A_AND_B(4, 10, 100), .jobs = {
        { 0, 10, 0, 0, .cpus = 10, .selector = "zone=a" }, { 0, 10, 0, 0, .cpus = 5, .mem_mib = 50, .selector = "zone=b" },
        { 1, 5, 1, 1, .took = "0:0" } } },
    /* Else node 1, by (80 + 100 + 100) / 3 */
    { "score: GPUs do not count for a pod that wants none", "kube:gpu=1,balanced_weight=0", ALIKE(2, 4, 10, 100), .jobs = {
        { 0, 10, 4, 0, .took = "0:0123" }, { 0, 10, 0, 0, .cpus = 2, .took = "0:" } } },

    /* ---- Likings: node 1 is liked, or node 0 is not; 3 x 100 for taints, 2 x 100 for affinity ---- */
    { "likings: a taint outweighs affinity", "kube",
      { { NODE(1, 10, 100) }, { OTHER(1, 10, 100), .labels = "disk=ssd", .taints = "old:PreferNoSchedule" } }, .jobs = {
        { 0, 10, 1, 0, .affinity = "1:disk=ssd", .took = "0:0" } } },
    { "likings: unless weights say else", "kube:taint_weight=1",
      { { NODE(1, 10, 100) }, { OTHER(1, 10, 100), .labels = "disk=ssd", .taints = "old:PreferNoSchedule" } }, .jobs = {
        { 0, 10, 1, 0, .affinity = "1:disk=ssd", .took = "1:0" } } },
    { "likings: or it is tolerated", "kube",
      { { NODE(1, 10, 100) }, { OTHER(1, 10, 100), .labels = "disk=ssd", .taints = "old:PreferNoSchedule" } }, .jobs = {
        { 0, 10, 1, 0, .affinity = "1:disk=ssd", .tolerations = "old", .took = "1:0" } } },
    /* One of two taints: 3 (100 - 50) = 150 beats 0; node 0 has two */
    { "likings: fewer taints", "kube",
      { { NODE(1, 10, 100), .taints = "old:PreferNoSchedule;far:PreferNoSchedule" },
        { OTHER(1, 10, 100), .taints = "old:PreferNoSchedule" } }, .jobs = { { 0, 10, 1, 0, .took = "1:0" } } },
    /* Affinity 2 x 100 for node 1, room and balance no more than 100 + 100 - (0 + 50) for node 0 */
    { "likings: affinity outweighs room", "kube", A_AND_B(4, 10, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 8, .selector = "zone=b", .took = "1:0" }, { 1, 5, 1, 1, .cpus = 2, .affinity = "1:zone=b", .took = "1:1" } } },
    /* With a weight of 10 x 100 / 100 = 10 after normalisation: 2 x 10 for node 1, 2 x 100 for node 0 */
    { "likings: affinity in proportion", "kube", A_AND_B(4, 10, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 2, .affinity = "10:zone=b;100:zone=a", .took = "0:0" } } },
    { "likings: room decides when they are equal", "kube", A_AND_B(4, 10, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 2, .selector = "zone=a", .took = "0:0" },
        { 0, 10, 1, 0, .cpus = 2, .affinity = "5:zone=a;5:zone=b", .took = "1:0" } } },
    { "required: a selector", "kube", A_AND_B(1, 10, 100), .jobs = {
        { 0, 10, 1, 0, .selector = "zone=b", .took = "1:0" }, { 0, 5, 1, 10, .selector = "zone=b", .took = "1:0" },
        { 0, 5, 1, 0, .took = "0:0" } } },
    { "required: affinity", "kube", A_AND_B(1, 10, 100), .jobs = { { 0, 10, 1, 0, .affinity = "zone!=a", .took = "1:0" } } },
    { "required: a taint keeps off", "kube",
      { { NODE(1, 10, 100), .taints = "own=x:NoSchedule" }, { OTHER(1, 10, 100) } }, .jobs = {
        { 0, 10, 1, 0, .took = "1:0" }, { 0, 5, 1, 0, .tolerations = "own=x", .took = "0:0" } } },
    { "required: at most so many on a node", "kube:score=most,cpu=0,memory=0,gpu=1", ALIKE(2, 4, 10, 100), .jobs = {
        { 0, 10, 3, 0, .tasks = 3, .max_per_node = 2, .took = "0:0 0:1 1:0" }, { 1, 5, 2, 1, .tasks = 2, .took = "0:2 0:3" } } },

    /* ---- Sampling: max(100, n max(5, 50 - n / 125) / 100) nodes that fit, from where the last search ended ---- */
    { "sample: all below 100 nodes", "kube:sample=adaptive", ALIKE(99, 1, 10, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 1, .took = "0:0" }, { 0, 10, 1, 0, .cpus = 1, .took = "1:0" } } },
    { "sample: 100 of 200", "kube:sample=adaptive", ALIKE(200, 1, 10, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 1, .took = "0:0" }, { 0, 10, 1, 0, .cpus = 1, .took = "100:0" },
        { 0, 10, 1, 0, .cpus = 1, .took = "1:0" } } },
    /* 46 % are 230: nodes 0 to 229; 230 to 459; 460 to 499 and on to 190, for node 0 is full; 191 to 421, 230 is full */
    { "sample: 230 of 500, round robin", "kube:sample=adaptive", ALIKE(500, 1, 10, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 1, .took = "0:0" }, { 0, 10, 1, 0, .cpus = 1, .took = "230:0" },
        { 0, 10, 1, 0, .cpus = 1, .took = "1:0" }, { 0, 10, 1, 0, .cpus = 1, .took = "191:0" },
        { 0, 10, 1, 0, .cpus = 1, .took = "2:0" } } },
    { "sample: 5 % of 7000", "kube:sample=adaptive", ALIKE(7000, 1, 10, 100), .jobs = {
        { 0, 10, 1, 0, .cpus = 1, .took = "0:0" }, { 0, 10, 1, 0, .cpus = 1, .took = "350:0" } } },

    /* ---- Preemption ---- */
    { "preempt: gives way and comes back", "kube", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 111, .stops = 1 }, { 50, 10, 1, 51, .priority = 1 } } },
    { "preempt: not to an equal", "kube", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .priority = 1 }, { 50, 10, 1, 100, .priority = 1 } } },
    { "preempt: no", "kube:preempt=no", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0 }, { 50, 10, 1, 100, .priority = 1 } } },
    { "preempt: gang never does", "gang", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0 }, { 50, 10, 1, 100, .priority = 1 } } },
    { "preempt: not who may not be", "kube", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .stays = true }, { 0, 100, 1, 0, .ends = 111, .stops = 1, .priority = 1 },
        { 50, 10, 1, 51, .priority = 2 } } },
    { "preempt: the lowest of a node", "kube", ONE_NODE(3), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .priority = 2 }, { 0, 100, 1, 0, .ends = 111, .stops = 1, .priority = 1 }, { 0, 100, 1, 0, .priority = 3 },
        { 50, 10, 1, 51, .priority = 5 } } },
    { "preempt: of equals the one that began last", "kube", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0 }, { 5, 100, 1, 5, .ends = 116, .stops = 1 }, { 50, 10, 1, 51, .priority = 1 } } },
    /* The more important one is looked at first, and 2 + 2 > 3; then 1 + 2 fit */
    { "preempt: who can stay does", "kube", ONE_NODE(3), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 2, 0, .ends = 111, .stops = 1, .priority = 2 }, { 0, 100, 1, 0, .priority = 1 }, { 50, 10, 2, 51, .priority = 3 } } },
    { "preempt: the node of the lowest highest priority", "kube", A_AND_B(1, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .priority = 2 }, { 0, 100, 1, 0, .ends = 111, .stops = 1, .priority = 1 },
        { 50, 10, 1, 51, .priority = 3, .took = "1:0" } } },
    /* 2 and 2 against 2 and 1 */
    { "preempt: the smallest sum of priorities", "kube:score=most,cpu=0,memory=0,gpu=1", ALIKE(2, 2, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .priority = 2, .took = "0:0" }, { 0, 100, 1, 0, .priority = 2, .took = "0:1" },
        { 1, 99, 1, 1, .ends = 111, .stops = 1, .priority = 2 }, { 1, 99, 1, 1, .ends = 111, .stops = 1, .priority = 1 },
        { 50, 10, 2, 51, .priority = 3, .took = "1:01" } } },
    { "preempt: the fewest", "kube:score=most,cpu=0,memory=0,gpu=1", ALIKE(2, 2, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0 }, { 0, 100, 1, 0 }, { 0, 100, 2, 0, .ends = 111, .stops = 1 }, { 50, 10, 2, 51, .priority = 3, .took = "1:01" } } },
    { "preempt: the latest of the earliest starts", "kube:score=most,cpu=0,memory=0,gpu=1", ALIKE(2, 2, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .took = "0:0" }, { 9, 100, 1, 9, .took = "0:1" }, { 10, 100, 1, 10, .ends = 121, .stops = 1 },
        { 10, 100, 1, 10, .ends = 121, .stops = 1 }, { 50, 10, 2, 51, .priority = 3, .took = "1:01" } } },
    { "preempt: the first node", "kube", ALIKE(2, 1, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 111, .stops = 1 }, { 0, 100, 1, 0 }, { 50, 10, 1, 51, .priority = 3, .took = "0:0" } } },
    { "preempt: on a counted node", "kube", { { NODE(4, 10, 100), .counted = true } }, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 4, 0, .ends = 111, .stops = 1 }, { 50, 10, 2, 51, .priority = 1 } } },
    { "preempt: for CPUs", "kube", ALIKE(1, 4, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .cpus = 6, .ends = 111, .stops = 1 }, { 50, 10, 1, 51, .cpus = 5, .priority = 1 } } },
    { "preempt: for a share", "kube", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .shares = .5 }, { 5, 100, 1, 5, .shares = .5, .ends = 116, .stops = 1 },
        { 50, 10, 1, 51, .shares = .4, .priority = 1 } } },
    { "preempt: nobody where it may not be", "kube", A_AND_B(1, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .selector = "zone=a" }, { 0, 100, 1, 0, .selector = "zone=b", .ends = 111, .stops = 1, .priority = 1 },
        { 50, 10, 1, 51, .priority = 2, .selector = "zone=b" } } },
    /* Its second pod may not go beside the first: nobody on node 0 can help */
    { "preempt: nobody where it has its share of pods", "kube", A_AND_B(2, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 2, 0, .selector = "zone=b", .stays = true }, { 0, 100, 1, 0 },
        { 1, 10, 2, 20, .tasks = 2, .max_per_node = 1, .priority = 1 } } },
    /* Job 2 holds a pod since 5 and has not started: job 1, here since 0, is the more important */
    { "preempt: a pod counts from when it was bound", "kube", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .useful = 130, .gang = 5 + 79,
      .jobs = { { 0, 100, 1, 0 }, { 5, 10, 2, 100, .tasks = 2 }, { 10, 10, 1, 11, .priority = 1 } } },
    /* Pod 3 goes, 0 to 2 are held from 50 to 61. Back to the checkpoint at 30; 61 + 10 + 70 */
    { "preempt: one pod breaks a gang, which pays once", "kube", ONE_NODE(4), .overhead = CANNOT_SAVE(30, 10), .useful = 410, .lost = 80,
      .startup = 40, .gang = 33, .jobs = {
        { 0, 100, 4, 0, .ends = 141, .tasks = 4, .stops = 1, .lost = 20, .waits = { [WAIT_GANG] = 11 } },
        { 50, 10, 1, 51, .priority = 1, .took = "0:3" } } },
    { "preempt: two pods at once break it once", "kube", ONE_NODE(4), .overhead = CANNOT_SAVE(30, 10), .useful = 420, .lost = 80,
      .startup = 40, .gang = 22, .jobs = {
        { 0, 100, 4, 0, .ends = 141, .tasks = 4, .stops = 1, .lost = 20 }, { 50, 10, 2, 51, .priority = 1, .took = "0:23" } } },
    /* 3 of 4 pods run on at 3/4: 50 + 11 x .75 are done at 61 */
    { "preempt: above its minimum a job goes on", "kube", ONE_NODE(4), .overhead = CANNOT_SAVE(30, 10), .jobs = {
        { 0, 100, 4, 0, .ends = 61 + 50 - 8.25, .tasks = 4, .min_tasks = 2 }, { 50, 10, 1, 51, .priority = 1, .took = "0:3" } } },
    /* At 50 node 1 comes free and job 2 loses its only pod, to job 3 on node 0. Both its pods come anew: one on node 1 at
     * once; the other fails at 50, 51 (job 3 is bound) and 53, and so gets node 0 at 57. 25 done at 50, 28.5 at 57 */
    { "preempt: all pods of a job that lost its last come back", "kube", A_AND_B(1, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 50, 1, 0, .selector = "zone=b" },
        { 0, 100, 2, 0, .ends = 128.5, .tasks = 2, .min_tasks = 1, .stops = 1, .took = "0:0; 1:0; 1:0 0:0" },
        { 50, 5, 1, 51, .priority = 1, .selector = "zone=a" } } },

    /* ---- Pods beside pods: schedulers.md a.2 ---- */

    { "pods: in the zone of another job's", "kube", A_AND_B(2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=db", .selector = "zone=b", .took = "1:0" }, { 0, 10, 1, 0, .pod_affinity = "app=db@zone", .took = "1:1" } } },
    { "pods: waits until there is one", "kube", A_AND_B(2, 10, 100), .jobs = {
        { 0, 10, 1, 5, .pod_affinity = "app=db@zone", .waits = { [WAIT_TOPOLOGY] = 5 } }, { 5, 10, 1, 5, .pod_labels = "app=db" } } },
    /* LeastAllocated would part them: the second pod follows the first, which may be anywhere */
    { "pods: the first of a group", "kube", A_AND_B(2, 10, 100), .jobs = {
        { 0, 10, 2, 0, .tasks = 2, .cpus = 1, .pod_labels = "app=w", .pod_affinity = "app=w@zone", .took = "0:0 0:1" },
        { 20, 10, 2, 20, .tasks = 2, .cpus = 1, .took = "0:0 1:0" } } },
    { "pods: never two on a node", "kube", ALIKE(2, 2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=x", .pod_anti_affinity = "app=x@node", .took = "0:0" },
        { 0, 10, 1, 0, .pod_labels = "app=x", .pod_anti_affinity = "app=x@node", .took = "1:0" },
        { 0, 10, 1, 10, .pod_labels = "app=x", .pod_anti_affinity = "app=x@node", .took = "0:0" }, { 0, 10, 1, 0, .took = "0:1" } } },
    { "pods: what another says of it", "kube", A_AND_B(2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_anti_affinity = "app=y@zone", .took = "0:0" }, { 0, 10, 1, 0, .pod_labels = "app=y", .took = "1:0" } } },
    /* 1 and 1, 2 and 1; 3 and 1 would be 2 more, and zone b is full */
    { "pods: at most one more in a zone", "kube", { { NODE(4, 10, 100), .labels = "zone=a" }, { OTHER(1, 10, 100), .labels = "zone=b" } },
      .jobs = { { 0, 10, 1, 0, .pod_labels = "app=x", .pod_spread = "1@zone", .took = "0:0" },
                { 0, 10, 1, 0, .pod_labels = "app=x", .pod_spread = "1@zone", .took = "1:0" },
                { 0, 10, 1, 0, .pod_labels = "app=x", .pod_spread = "1@zone", .took = "0:1" },
                { 0, 10, 1, 10, .pod_labels = "app=x", .pod_spread = "1@zone", .waits = { [WAIT_PASS] = 1, [WAIT_TOPOLOGY] = 9 } } } },
    /* MostAllocated: 100 for node 0, 50 for node 1. Spread: 1 x ln 4 is 1 and 0, so 0 and 100, twice */
    { "pods: evenly, if it may be", "kube:score=most,cpu=0,memory=0,gpu=1", ALIKE(2, 2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=x", .pod_spread = "soft:1@node", .took = "0:0" },
        { 0, 10, 1, 0, .pod_labels = "app=x", .pod_spread = "soft:1@node", .took = "1:0" } } },
    { "pods: evenly, without weight", "kube:score=most,cpu=0,memory=0,gpu=1,spread_weight=0", ALIKE(2, 2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=x", .pod_spread = "soft:1@node", .took = "0:0" },
        { 0, 10, 1, 0, .pod_labels = "app=x", .pod_spread = "soft:1@node", .took = "0:1" } } },
    /* The first is in zone a, on a node that the others may not use. So a has 0 for the second, which goes to the first node of equals
     * (raw 0: 100 each); then 1, and 1 + 1 - 0 > 1 (raw ln 4 is 1 and 0: 0 and 100) */
    { "pods: on nodes that it may not use none counts", "kube", POOLS, .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=x", .selector = "pool=q", .took = "1:0" },
        { 0, 10, 1, 0, .pod_labels = "app=x", .selector = "pool=p", .pod_spread = "1@zone", .took = "0:0" },
        { 0, 10, 1, 0, .pod_labels = "app=x", .selector = "pool=p", .pod_spread = "1@zone", .took = "2:0" } } },
    { "pods: nor for the score", "kube", POOLS, .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=x", .selector = "pool=q", .took = "1:0" },
        { 0, 10, 1, 0, .pod_labels = "app=x", .selector = "pool=p", .pod_spread = "soft:1@zone", .took = "0:0" },
        { 0, 10, 1, 0, .pod_labels = "app=x", .selector = "pool=p", .pod_spread = "soft:1@zone", .took = "2:0" } } },
    { "pods: beside, if it may be", "kube", A_AND_B(2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=db", .selector = "zone=b" }, { 0, 10, 1, 0, .pod_affinity = "50:app=db@node", .took = "1:1" } } },
    { "pods: apart, if it may be", "kube", A_AND_B(2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_labels = "app=db", .took = "0:0" }, { 0, 10, 1, 0, .pod_anti_affinity = "50:app=db@node", .took = "1:0" } } },
    { "pods: beside who prefers it", "kube", A_AND_B(2, 10, 100), .jobs = {
        { 0, 10, 1, 0, .pod_affinity = "10:app=w@zone", .selector = "zone=b" }, { 0, 10, 1, 0, .pod_labels = "app=w", .took = "1:1" } } },
    /* All of lower priority are removed before the filters are asked, and then there is none to be beside */
    { "pods: preempts none where it wants to be beside one of lower priority", "kube:backoff_s=0", ONE_NODE(2), .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 100, 1, 0 }, { 5, 100, 1, 5, .pod_labels = "app=db" },
                { 50, 10, 1, 100, .priority = 1, .pod_affinity = "app=db@node" } } },
    { "pods: preempts another than the one that it wants to be beside", "kube", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 111, .stops = 1 }, { 5, 100, 1, 5, .priority = 1, .pod_labels = "app=db" },
        { 50, 10, 1, 51, .priority = 1, .pod_affinity = "app=db@node" } } },
    /* A GPU is free */
    { "pods: preempts what it may not be beside", "kube", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .pod_labels = "app=x", .ends = 111, .stops = 1 },
        { 50, 10, 1, 51, .priority = 1, .pod_anti_affinity = "app=x@node" } } },
    /* 1 + 1 - 0 > 1 in zone a, where a GPU is free, and zone b is full of an equal; then 0 + 1 - 0 */
    { "pods: preempts what makes a zone too full", "kube",
      { { NODE(2, 10, 100), .labels = "zone=a" }, { OTHER(1, 10, 100), .labels = "zone=b" } }, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .pod_labels = "app=x", .selector = "zone=a", .ends = 101, .stops = 1 },
        { 0, 100, 1, 0, .priority = 1, .selector = "zone=b" },
        { 50, 10, 1, 51, .priority = 1, .pod_labels = "app=x", .pod_spread = "1@zone" } } },

    /* ---- Disruption budgets ---- */

    /* Without the budget the node of the latest start would be the better one */
    { "budget: the node where none is broken", "kube", A_AND_B(1, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 111, .stops = 1, .selector = "zone=b" }, { 5, 100, 1, 5, .max_down = 1, .selector = "zone=a" },
        { 50, 10, 1, 51, .priority = 3, .took = "1:0" } } },
    { "budget: broken where nothing else helps", "kube", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .max_down = 1, .ends = 111, .stops = 1 }, { 50, 10, 1, 51, .priority = 1 } } },
    /* One of two has to go: the one with the budget is put back first, though it is the less important */
    { "budget: who would break it is put back first", "kube", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 111, .stops = 1 }, { 5, 100, 1, 5, .max_down = 1 }, { 50, 10, 1, 51, .priority = 3 } } },
    /* Of two pods one may be down: both are one too many */
    { "budget: one of two pods, and both are wanted", "kube", A_AND_B(2, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 2, 0, .tasks = 2, .min_tasks = 1, .max_down = 2, .selector = "zone=a" },
        { 0, 100, 2, 0, .ends = 111, .stops = 1, .priority = 1, .selector = "zone=b" }, { 50, 10, 2, 51, .priority = 3, .took = "1:01" } } },
    /* ... and one is wanted: the less important would break it, and is put back first. Half speed from 50 to 61, 50 + 5.5 done */
    { "budget: one of two pods, and one is wanted", "kube", A_AND_B(2, 10, 100), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 2, 0, .ends = 61 + 44.5, .tasks = 2, .min_tasks = 1, .max_down = 2, .selector = "zone=a" },
        { 0, 100, 2, 0, .priority = 1, .selector = "zone=b" }, { 50, 10, 1, 51, .priority = 3, .took = "0:0" } } },
    /* Job 4 evicts job 2 at 50, job 5 evicts job 1 at 52 on the same node: job 4 is not nominated for it any more. It
     * evicts job 3 on the other node, which has left at 57; having failed at 50, 52 and 55 it rests until 59, as job 5
     * does, which fails at 52, 53 and 55; job 2 is back on GPU 0 at 57. Else it would
     * have waited for what job 5 leaves of node 0, and not stopped job 3. */
    { "nominated: until a higher priority is, for the same node", "kube", { { NODE(3, 10, 100) }, { OTHER(1, 10, 100) } },
      .overhead = { .checkpoint = CHECKPOINT_PERFECT, .grace_ns = 5 * NS_PER_S, .save_ns = 5 * NS_PER_S }, .until = 60, .jobs = {
        { 0, 100, 2, 0, .ends = NEVER, .stops = 1 }, { 0, 100, 1, 0, .ends = NEVER, .stops = 1 }, { 0, 100, 1, 0, .ends = NEVER, .stops = 1 },
        { 50, 10, 1, 59, .ends = NEVER, .priority = 1, .took = "1:0" }, { 52, 10, 2, 59, .ends = NEVER, .priority = 2, .took = "0:12" } } },

    /* Each evicts one half, and both take their places at 51 beside each other's nomination */
    { "nominated: two shares of one GPU", "kube", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .shares = .5, .ends = 111, .stops = 1 }, { 0, 100, 1, 0, .shares = .5, .ends = 111, .stops = 1 },
        { 50, 10, 1, 51, .shares = .5, .priority = 1 }, { 50, 10, 1, 51, .shares = .5, .priority = 1 } } },

    /* ---- Nominations: job 1 saves until 55, job 2 rests until 58 ---- */
    { "nominated: an equal does not take the room", "kube:backoff_s=8", ONE_NODE(1), .overhead = SAVE_TAKES(5), .until = 60, .jobs = {
        { 0, 100, 1, 0, .ends = NEVER, .stops = 1 }, { 50, 10, 1, 58, .ends = NEVER, .priority = 2 }, { 56, 10, 1, NEVER, .priority = 2 } } },
    { "nominated: nor does a lower one", "kube:backoff_s=8", ONE_NODE(1), .overhead = SAVE_TAKES(5), .until = 60, .jobs = {
        { 0, 100, 1, 0, .ends = NEVER, .stops = 1 }, { 50, 10, 1, 58, .ends = NEVER, .priority = 2 }, { 56, 10, 1, NEVER, .priority = 1 } } },
    { "nominated: a higher one does", "kube:backoff_s=8", ONE_NODE(1), .overhead = SAVE_TAKES(5), .until = 60, .jobs = {
        { 0, 100, 1, 0, .ends = NEVER, .stops = 1 }, { 50, 10, 1, NEVER, .priority = 2 }, { 56, 10, 1, 56, .ends = NEVER, .priority = 3 } } },
    { "nominated: while saving, who wants no GPU goes there", "kube:backoff_s=8", ALIKE(1, 1, 10, 100), .overhead = SAVE_TAKES(5),
      .until = 60, .jobs = { { 0, 100, 1, 0, .ends = NEVER, .stops = 1 }, { 50, 10, 1, 58, .ends = NEVER, .priority = 2 },
                             { 52, 3, 0, 52, .cpus = 5 } } },
    { "nominated: it takes its room when all have left", "kube", ONE_NODE(2), .overhead = SAVE_TAKES(5), .until = 60, .jobs = {
        { 0, 100, 1, 0, .ends = NEVER, .stops = 1 }, { 0, 100, 1, 0, .ends = NEVER, .stops = 1 },
        { 50, 10, 2, 55, .ends = NEVER, .priority = 2 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
