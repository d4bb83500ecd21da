/* test_mig.c - MIG instances and shares of GPUs, by hand. A mixed node has two A100s: three instances of 1g.10gb, its GPUs 0
 * to 2, and two of 3g.40gb, its GPUs 3 and 4; they count 1 and 3 GPUs (schedulers.md, h). */
#include "tests/support/schedule.h"

static const struct mig_spec mixed[] = { { 1 << 12 | 10, 3 }, { 3 << 12 | 40, 2 } }, equal[] = { { 2 << 12 | 20, 3 } };

#define MIXED(n)                                                                                                       \
    {                                                                                                                  \
        .name = "mixed", .gpu_model = "A100-SXM4-80", .count = (n), .gpus = 2, .mig = mixed, .n_mig = 2,               \
        .cpu_milli = 4000, .mem_mib = INT64_MAX                                                                        \
    }
#define SINGLE                                                                                                         \
    {                                                                                                                  \
        .name = "single", .gpu_model = "A100-SXM4-80", .count = 1, .gpus = 1, .mig = equal, .n_mig = 1,                \
        .mig_single = true, .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX                                               \
    }
#define GIB(model, n, g, gib)                                                                                          \
    {                                                                                                                  \
        .name = model, .gpu_model = model, .count = (n), .gpus = (g), .gpu_mem_mib = (gib)*1024,                       \
        .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX                                                                   \
    }
#define DYNAMIC(n, g)                                                                                                  \
    {                                                                                                                  \
        .name = "dynamic", .gpu_model = "A100-SXM4-80", .count = (n), .gpus = (g), .mig_dynamic = true,                \
        .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX                                                                   \
    }
/* 10 s for each job that needs an instance which is not there: models.md 7 */
static const struct sharing for_nothing = { .memory_usable = 1 };
#define CUT "no node has GPUs of its model that are not cut into MIG instances"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- mixed nodes ---- */
    /* GPU-seconds by g: (2 + 3 + 6 + 1 + 3) x 10 + 3 x 10 */
    { "mixed: each profile by itself", "fifo", { MIXED(2) }, .useful = 180, .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .mig = "1g.10gb", .took = "0:01" }, { 0, 10, 1, 0, .mig = "3g.40gb", .took = "0:3" },
        { 0, 10, 2, 0, .tasks = 1, .mig = "3g.40gb", .took = "1:34" }, { 0, 10, 1, 0, .mig = "1g.10gb", .took = "0:2" },
        { 0, 10, 1, 0, .mig = "3g.40gb", .took = "0:4" }, { 0, 10, 1, 10, .mig = "3g.40gb", .took = "0:3" } } },
    { "mixed: a total over nodes", "fifo", { MIXED(2) }, .useful = 90, .jobs = {
        { 0, 10, 5, 0, .mig = "1g.10gb", .took = "0:012 1:01" }, { 0, 10, 1, 0, .mig = "1g.10gb", .took = "1:2" },
        { 0, 10, 1, 0, .mig = "3g.40gb", .took = "0:3" } } },
    { "mixed: spread", "fifo", { MIXED(2) }, .placer = "spread", .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .mig = "3g.40gb", .took = "0:34" }, { 0, 10, 1, 0, .mig = "1g.10gb", .took = "0:0" },
        { 0, 10, 1, 0, .mig = "1g.10gb", .took = "1:0" } } },
    { "mixed: no whole GPUs, no shares, no more than there are", "fifo:blocking=skip", { MIXED(2) }, .jobs = {
        { 0, 10, 1, NEVER, .refused = CUT }, { 0, 10, 1, NEVER, .shares = .5, .refused = CUT },
        { 0, 10, 1, NEVER, .mig = "2g.20gb", .refused = "no node has MIG instances of profile 2g.20gb" },
        { 0, 10, 5, NEVER, .mig = "3g.40gb", .tasks = 5, .refused = "asks for more than the cluster has" },
        { 0, 10, 4, 0, .mig = "3g.40gb", .tasks = 4 } } },
    { "mixed: CPUs are common to all", "fifo", { MIXED(1) }, .jobs = {
        { 0, 10, 1, 0, .mig = "1g.10gb", .tasks = 1, .cpus = 2, .took = "0:0" }, { 0, 5, 0, 0, .tasks = 1, .cpus = 2, .took = "0:" },
        { 0, 10, 1, 5, .mig = "3g.40gb", .tasks = 1, .cpus = 2, .took = "0:3" } } },
    { "mixed: whole GPUs beside them", "fifo", { MIXED(1), GIB("A100-SXM4-80", 1, 2, 80) }, .useful = 60, .jobs = {
        { 0, 10, 2, 0, .took = "1:01" }, { 0, 10, 1, 0, .mig = "3g.40gb", .took = "0:3" }, { 0, 10, 1, 10, .took = "1:0" } } },
    { "mixed: memory of an instance", "fifo:blocking=skip", { MIXED(1) }, .jobs = {
        { 0, 10, 1, 0, .mig = "1g.10gb", .gpu_mem_mib = 10240 },
        { 0, 10, 1, NEVER, .mig = "1g.10gb", .gpu_mem_mib = 10241, .refused = "no node has MIG instances of profile 1g.10gb" } } },
    { "mixed: no two instances are an island", "fifo:blocking=skip", { MIXED(1) }, .jobs = {
        { 0, 10, 1, 0, .mig = "3g.40gb", .required = "island" },
        { 0, 10, 2, NEVER, .mig = "3g.40gb", .tasks = 1, .required = "island", .refused = "no domain of the required level is large enough" },
        { 0, 10, 2, 0, .mig = "1g.10gb", .tasks = 1, .required = "node" } } },

    /* ---- amounts, preemption, promises ---- */
    /* one instance of 3g is what the queue deserves; of its own 3 GPUs none is left for one of 1g */
    { "quota: an instance counts its g", "static", { MIXED(1) }, .queue = { QUEUE("a", 3) }, .jobs = {
        { 0, 10, 1, 0, .mig = "3g.40gb", .queue = "a" }, { 0, 10, 1, 10, .mig = "1g.10gb", .queue = "a" } } },
    { "quota: four of 1g are more than three GPUs", "static", { MIXED(2) }, .queue = { QUEUE("a", 3) }, .jobs = {
        { 0, 10, 4, NEVER, .mig = "1g.10gb", .queue = "a", .refused = "asks for more than the 3 GPUs of its queue" },
        { 0, 10, 3, 0, .mig = "1g.10gb", .queue = "a" } } },
    /* the last in order, of 1g, goes too in the search, but stays: it frees nothing that is wanted */
    { "preemption: only jobs that hold the profile", "priority:preempt=yes", { MIXED(1) }, .jobs = {
        { 0, 10, 2, 0, .ends = 17, .tasks = 1, .mig = "3g.40gb", .stops = 1, .lost = 2, .took = "0:34; 0:34" },
        { 1, 10, 1, 1, .mig = "1g.10gb", .took = "0:0" },
        { 2, 5, 1, 2, .mig = "3g.40gb", .priority = 1, .took = "0:3" } } },
    { "easy: the promise is of one profile", "easy", { MIXED(1) }, .jobs = {
        { 0, 10, 1, 0, .mig = "3g.40gb", .estimate = 10, .took = "0:3" }, { 0, 10, 2, 10, .mig = "3g.40gb", .tasks = 1, .estimate = 10, .took = "0:34" },
        { 0, 20, 3, 0, .mig = "1g.10gb", .tasks = 1, .estimate = 20, .took = "0:012" }, { 0, 20, 1, 20, .mig = "3g.40gb", .estimate = 20 },
        { 0, 10, 1, 0, .mig = "3g.40gb", .estimate = 10, .took = "0:4" } } },
    { "conservative: a promise for a profile", "conservative", { MIXED(1) }, .jobs = {
        { 0, 10, 2, 0, .mig = "3g.40gb", .tasks = 1, .estimate = 10 }, { 0, 10, 1, 10, .mig = "3g.40gb", .estimate = 10 },
        { 0, 30, 2, 0, .mig = "1g.10gb", .tasks = 1, .estimate = 30 }, { 0, 5, 2, 30, .mig = "1g.10gb", .tasks = 1, .estimate = 5 },
        { 0, 30, 1, 0, .mig = "1g.10gb", .estimate = 30 } } },
    /* a preemptor tries again after a second of back-off, as on plain GPUs */
    { "kube: without MIG", "kube", { NODES(1, 2) }, .jobs = {
        { 0, 20, 2, 0, .ends = 28, .tasks = 1, .stops = 1, .lost = 2 }, { 2, 5, 1, 3, .tasks = 1, .priority = 1 } } },
    { "kube: one node is freed of the right pod", "kube", { MIXED(1) }, .jobs = {
        { 0, 20, 2, 0, .ends = 28, .tasks = 1, .mig = "3g.40gb", .stops = 1, .lost = 2 }, { 1, 20, 3, 1, .tasks = 1, .mig = "1g.10gb" },
        { 2, 5, 1, 3, .tasks = 1, .mig = "3g.40gb", .priority = 1 } } },

    /* ---- single nodes: three slices of 2g, each a GPU ---- */
    { "single: slices are GPUs", "fifo", { SINGLE }, .useful = 40, .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .took = "0:01" }, { 0, 10, 1, 0, .took = "0:2" }, { 0, 10, 1, 10, .took = "0:0" } } },
    { "single: no shares, no profiles", "fifo:blocking=skip", { SINGLE }, .jobs = {
        { 0, 10, 1, NEVER, .shares = .5, .refused = CUT },
        { 0, 10, 1, NEVER, .mig = "2g.20gb", .refused = "no node has MIG instances of profile 2g.20gb" },
        { 0, 10, 1, NEVER, .share_mem_mib = 1024, .refused = CUT }, { 0, 10, 1, 0, .gpu_mem_mib = 20480 } } },

    /* ---- GPUs cut as jobs ask: GPU g has the memory slices 8 g to 8 g + 7, an instance is called by its first ---- */
    { "dynamic: made once, used again", "fifo", { DYNAMIC(1, 1) }, .startup = 10, .useful = 10, .jobs = {
        { 0, 5, 1, 0, .ends = 15, .mig = "1g.10gb", .took = "0:6" }, { 20, 5, 1, 20, .mig = "1g.10gb", .took = "0:6" } } },
    /* models.md 1.2: 4g at 0, 2g at 4 and 1g at 6 have a place together, and nothing beside them */
    { "dynamic: 4g, 2g and 1g", "fifo", { DYNAMIC(1, 1) }, .sharing = &for_nothing, .useful = 4 * 10 + 2 * 10 + 10 + 10, .jobs = {
        { 0, 10, 1, 0, .mig = "4g.40gb", .took = "0:0" }, { 0, 10, 1, 0, .mig = "2g.20gb", .took = "0:4" },
        { 0, 10, 1, 0, .mig = "1g.10gb", .took = "0:6" }, { 0, 10, 1, 10, .mig = "1g.10gb", .took = "0:6" } } },
    /* the memory is full: a compute slice is left that no job can use */
    { "dynamic: two of 3g", "fifo", { DYNAMIC(1, 1) }, .sharing = &for_nothing, .jobs = {
        { 0, 10, 1, 0, .mig = "3g.40gb", .took = "0:4" }, { 0, 10, 1, 0, .mig = "3g.40gb", .took = "0:0" },
        { 0, 10, 1, 10, .mig = "1g.10gb" } } },
    /* seven memory slices are free, but not the first four */
    { "dynamic: 1g at 0 keeps 4g away, not 3g", "fifo:blocking=skip", { DYNAMIC(1, 1) }, .sharing = &for_nothing, .jobs = {
        { 0, 10, 1, 0, .mig = "1g.10gb", .on = "0:0" }, { 0, 10, 1, 10, .mig = "4g.40gb", .took = "0:0" },
        { 0, 10, 1, 0, .mig = "3g.40gb", .took = "0:4" } } },
    { "dynamic: 1g goes where 4g has a place", "fifo", { DYNAMIC(1, 1) }, .sharing = &for_nothing, .jobs = {
        { 0, 10, 1, 0, .mig = "1g.10gb", .took = "0:6" }, { 0, 10, 1, 0, .mig = "4g.40gb", .took = "0:0" } } },
    { "dynamic: on a GPU that is cut already", "fifo", { DYNAMIC(1, 2) }, .sharing = &for_nothing, .jobs = {
        { 0, 10, 1, 0, .mig = "1g.10gb", .took = "0:6" }, { 0, 10, 2, 0, .tasks = 1, .mig = "3g.40gb", .took = "0:012" },
        { 0, 10, 1, 10, .mig = "7g.80gb", .took = "0:0" } } },
    { "dynamic: all tasks at once", "fifo", { DYNAMIC(2, 1) }, .startup = 10 * 9, .useful = 9 * 10, .jobs = {
        { 0, 10, 9, 0, .ends = 20, .tasks = 9, .mig = "1g.10gb" } } },
    /* each finds the instance of the one before in its way */
    { "dynamic: cut anew", "fifo", { DYNAMIC(1, 1) }, .jobs = {
        { 0, 5, 1, 0, .ends = 15, .mig = "3g.40gb", .took = "0:4" }, { 20, 5, 1, 20, .ends = 35, .mig = "1g.10gb", .took = "0:6" },
        { 40, 5, 1, 40, .ends = 55, .mig = "3g.40gb", .took = "0:4" }, { 60, 5, 1, 60, .ends = 75, .mig = "1g.10gb", .took = "0:6" } } },
    { "dynamic: no whole GPUs, no shares, no other profiles", "fifo:blocking=skip", { DYNAMIC(1, 1) }, .jobs = {
        { 0, 10, 1, NEVER, .refused = CUT }, { 0, 10, 1, NEVER, .shares = .5, .refused = CUT },
        { 0, 10, 1, NEVER, .mig = "1g.5gb", .refused = "no node has MIG instances of profile 1g.5gb" },
        { 0, 10, 3, NEVER, .tasks = 3, .mig = "3g.40gb", .refused = "asks for more than the cluster has" } } },
    { "dynamic: who gives way to 7g", "priority:preempt=yes", { DYNAMIC(1, 1) }, .sharing = &for_nothing, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .ends = 15, .mig = "1g.10gb", .stops = 1 }, { 0, 10, 1, 0, .ends = 15, .mig = "3g.40gb", .stops = 1 },
        { 2, 5, 1, 2, .mig = "7g.80gb", .priority = 1 } } },
    { "dynamic: easy keeps the place of 4g", "easy", { DYNAMIC(1, 1) }, .sharing = &for_nothing, .jobs = {
        { 0, 10, 1, 0, .mig = "4g.40gb", .estimate = 10 }, { 0, 10, 1, 10, .mig = "4g.40gb", .estimate = 10 },
        { 0, 20, 1, 20, .mig = "7g.80gb", .estimate = 20 }, { 0, 20, 1, 0, .mig = "3g.40gb", .estimate = 20 },
        { 0, 21, 1, 40, .mig = "1g.10gb", .estimate = 21 } } },

    /* ---- shares as memory ---- */
    { "memory: 10 of 80 GiB are an eighth", "fifo", { GIB("big", 1, 2, 80) }, .jobs = {
        { 0, 10, 8, 0, .tasks = 8, .share_mem_mib = 10240, .took = "0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:0" },
        { 0, 10, 1, 0, .share_mem_mib = 1, .took = "0:1" } } },
    /* 11 of 80 GiB are 137.5 thousandths, so 138: 7 x 138 = 966 */
    { "memory: rounded up", "fifo", { GIB("big", 1, 2, 80) }, .useful = 8 * 10 * .138, .jobs = {
        { 0, 10, 8, 0, .tasks = 8, .share_mem_mib = 11264, .took = "0:0 0:0 0:0 0:0 0:0 0:0 0:0 0:1" } } },
    { "memory: of the smallest GPU that it may use", "fifo", { GIB("big", 1, 1, 80), GIB("small", 1, 1, 40) }, .useful = 10 * (.25 + .125 + .625 + 1), .jobs = {
        { 0, 10, 1, 0, .share_mem_mib = 10240, .took = "0:0" }, { 0, 10, 1, 0, .share_mem_mib = 10240, .gpu_type = "big", .took = "0:0" },
        { 0, 10, 1, 0, .share_mem_mib = 51200, .took = "0:0" }, { 0, 10, 1, 0, .share_mem_mib = 40960, .took = "1:0" } } },
    { "memory: more than a GPU has", "fifo", { GIB("big", 1, 1, 80) }, .jobs = {
        { 0, 10, 1, NEVER, .share_mem_mib = 80 * 1024 + 1, .refused = "no node has GPUs of its model with as much memory" } } },

    /* ---- the same share of several GPUs ---- */
    { "devices: different ones", "fifo", { NODES(2, 2) }, .useful = 30, .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .shares = .5, .took = "0:01" }, { 0, 10, 2, 0, .tasks = 1, .shares = .5, .took = "0:01" },
        { 0, 10, 2, 0, .tasks = 1, .shares = .5, .took = "1:01" } } },
    { "devices: more than a node has", "fifo", { NODES(2, 2) }, .jobs = {
        { 0, 10, 3, NEVER, .tasks = 1, .shares = .1, .refused = "asks for more than the cluster has" } } },
    /* 0.4 is left of GPU 0, too little for 0.5; then it and a whole one serve for 0.4 */
    { "devices: shared and whole ones together", "fifo", { NODES(2, 2) }, .jobs = {
        { 0, 10, 1, 0, .shares = .6, .took = "0:0" }, { 0, 10, 2, 0, .tasks = 1, .shares = .5, .took = "1:01" },
        { 0, 10, 2, 0, .tasks = 1, .shares = .4, .took = "0:01" } } },
    { "devices: by node number", "fifo", { NODES(2, 2) }, .placer = "first-fit", .jobs = {
        { 0, 10, 1, 0, .shares = .6, .took = "0:0" }, { 0, 10, 2, 0, .tasks = 1, .shares = .5, .took = "1:01" },
        { 0, 10, 2, 0, .tasks = 1, .shares = .4, .took = "0:01" }, { 0, 10, 2, 0, .tasks = 1, .shares = .5, .took = "1:01" } } },
    { "devices: the queue holds the sum", "static", { NODES(1, 4) }, .queue = { QUEUE("a", 1) }, .jobs = {
        { 0, 10, 2, 0, .tasks = 1, .shares = .5, .queue = "a" }, { 0, 10, 1, 10, .shares = .1, .queue = "a" } } },

    /* ---- which device: KAI's gpupack and gpuspread ---- */
    { "pack: the fullest that fits", "fifo", { NODES(1, 3) }, .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .3, .took = "0:0" },
        { 0, 10, 1, 0, .shares = .3, .took = "0:1" }, { 0, 10, 1, 0, .shares = .2, .took = "0:0" } } },
    { "pack: devices=spread: a free one, then the emptiest", "fifo", { NODES(1, 3) }, .placer = "pack:devices=spread", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .3, .took = "0:1" },
        { 0, 10, 1, 0, .shares = .3, .took = "0:2" }, { 0, 10, 1, 0, .shares = .3, .took = "0:1" },
        { 0, 10, 1, 0, .shares = .3, .took = "0:2" }, { 0, 10, 1, 0, .shares = .5, .took = "0:0" } } },
    { "pack: devices=spread: one free, the other the emptiest", "fifo", { NODES(1, 3) }, .placer = "pack:devices=spread", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .3, .took = "0:1" },
        { 0, 10, 2, 0, .tasks = 1, .shares = .3, .took = "0:12" } } },
    { "spread: devices=pack: GPUs in use come before empty nodes", "fifo", { NODES(2, 2) }, .placer = "spread:devices=pack", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "0:0" },
        { 0, 10, 1, 0, .shares = .5, .took = "1:0" }, { 0, 10, 1, 0, .took = "0:1" } } },
    { "spread: devices=spread", "fifo", { NODES(2, 2) }, .placer = "spread:devices=spread", .jobs = {
        { 0, 10, 1, 0, .shares = .5, .took = "0:0" }, { 0, 10, 1, 0, .shares = .5, .took = "1:0" },
        { 0, 10, 1, 0, .shares = .5, .took = "0:1" }, { 0, 10, 1, 0, .shares = .5, .took = "1:1" } } },
};
/* clang-format on */

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, plays_as_written, NULL, NULL, (void *)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
