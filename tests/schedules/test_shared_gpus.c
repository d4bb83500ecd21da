/* test_shared_gpus.c - jobs that share GPUs, by hand: when each ends while others come and go,
 * and which find no memory.
 *
 * The laws have round numbers here, so that every end is exact. SLICES: time slices with
 * switches at no cost: of k jobs with u = 1 each progresses at 1/k. MPS: k_c = 1, k_m = .5: two
 * with u = 1 at 1/2, and so on. models.md 7. */
#include "sim/models/training/throughput_pairs.h"
#include "tests/support/schedule.h"

#include <unistd.h>

#define LAW(...)                                                                                                       \
    &(const struct sharing)                                                                                            \
    {                                                                                                                  \
        .said = true, .switch_least = 1, .combined_most = 1000, .fraction_exponent = 1, .memory_usable = .95,          \
        .context_mib = 512, __VA_ARGS__                                                                                \
    }
#define SLICES LAW(.mode = SHARING_TIMESLICE)
#define MPS    LAW(.mode = SHARING_MPS, .compute_factor = 1, .bandwidth_factor = .5)
#define SHARES LAW(.mode = SHARING_FRACTION, .compute_factor = 1, .bandwidth_factor = .5)
#define FAILS  LAW(.mode = SHARING_TIMESLICE, .oom = OOM_FAIL)
#define MIG(e) LAW(.mig_exponent = (e))
#define GIB(n, g, gib)                                                                                                 \
    {                                                                                                                  \
        .name = "node", .gpu_model = "V100", .count = (n), .gpus = (g), .gpu_mem_mib = (gib)*1024,                     \
        .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX                                                                   \
    }
static const struct mig_spec cut[] = { { 1 << 12 | 10, 3 }, { 3 << 12 | 40, 1 } };
#define CUT                                                                                                            \
    {                                                                                                                  \
        .name = "cut", .gpu_model = "A100-SXM4-80", .count = 1, .gpus = 1, .mig = cut, .n_mig = 2,                     \
        .cpu_milli = INT64_MAX, .mem_mib = INT64_MAX                                                                   \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- two and three tenants ---- */
    { "two at once", "fifo", ONE_NODE(1), .sharing = SLICES, .useful = 10 + 10, .jobs = {
        { 0, 10, 1, 0, .ends = 20, .shares = .5, .duty = 1 }, { 0, 10, 1, 0, .ends = 20, .shares = .5, .duty = 1 } } },
    /* 1: 4 s alone, then 6 s of work at 1/2 */
    { "one comes later", "fifo", ONE_NODE(1), .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .ends = 16, .shares = .5, .duty = 1 }, { 4, 6, 1, 4, .ends = 16, .shares = .5, .duty = 1 } } },
    /* 2 has done its 2 s at 8; 1 had 10 - 4 - 2 = 4 s left then */
    { "and goes before", "fifo", ONE_NODE(1), .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .ends = 12, .shares = .5, .duty = 1 }, { 4, 2, 1, 4, .ends = 8, .shares = .5, .duty = 1 } } },
    /* 0-3 alone: 1 has 9 left; 3-6 two: 7.5 and 4.5 left; 6-15 three at 1/3: 3 has done its 3 s, the others have 4.5 and 1.5 left;
     * 15-18 two: 2 is done, 1 has 3 left; alone until 21 */
    { "three tenants come and go", "fifo", ONE_NODE(1), .sharing = SLICES, .jobs = {
        { 0, 12, 1, 0, .ends = 21, .shares = .25, .duty = 1 }, { 3, 6, 1, 3, .ends = 18, .shares = .25, .duty = 1 },
        { 6, 3, 1, 6, .ends = 15, .shares = .25, .duty = 1 } } },
    { "light ones do not meet", "fifo", ONE_NODE(1), .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .shares = .5, .duty = .5 }, { 0, 10, 1, 0, .shares = .5, .duty = .5 } } },
    { "nothing is known: as busy as the share", "fifo", ONE_NODE(1), .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .shares = .6 }, { 0, 10, 1, 0, .shares = .4 } } },
    { "whole GPUs are not shared", "fifo", ONE_NODE(2), .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .duty = 1 }, { 0, 10, 1, 0, .duty = 1 } } },
    { "exclusive: off", "fifo", ONE_NODE(1), .sharing = LAW(.mode = SHARING_EXCLUSIVE), .jobs = {
        { 0, 10, 1, 0, .shares = .5, .duty = 1 }, { 0, 10, 1, 0, .shares = .5, .duty = 1 } } },

    /* ---- MPS and fractions ---- */
    /* 1 / (1 + 1 + .5 v of the other): with v = 1 and 0: 1/2 and 1/2.5; 2 ends at 25 with 10 of work; by then 1 has done 12.5 */
    { "mps: memory of the other", "fifo", ONE_NODE(1), .sharing = MPS, .jobs = {
        { 0, 20, 1, 0, .ends = 32.5, .shares = .5, .duty = 1, .bandwidth = 1 },
        { 0, 10, 1, 0, .ends = 25, .shares = .5, .duty = 1, .bandwidth = NONE } } },
    { "mps: busy beyond one", "fifo", ONE_NODE(1), .sharing = MPS, .jobs = {
        { 0, 10, 1, 0, .ends = 12.5, .shares = .5, .duty = .75 }, { 0, 10, 1, 0, .ends = 12.5, .shares = .5, .duty = .5 } } },
    /* two ResNet-50 of the catalogue: 1 / (1 + 1 + .5 x .81) */
    { "mps: duties by model", "fifo", { GIB(1, 1, 80) }, .sharing = MPS, .jobs = {
        { 0, 10, 1, 0, .ends = 24.05, .shares = .4, .model = "ResNet-50" }, { 0, 10, 1, 0, .ends = 24.05, .shares = .4, .model = "ResNet-50" } } },
    { "mps: what a job says goes before its model", "fifo", { GIB(1, 1, 80) }, .sharing = MPS, .jobs = {
        { 0, 10, 1, 0, .shares = .4, .model = "ResNet-50", .duty = .5, .bandwidth = NONE },
        { 0, 10, 1, 0, .shares = .4, .model = "ResNet-50", .duty = .5, .bandwidth = NONE } } },
    { "fraction: a quarter of what it needs", "fifo", ONE_NODE(1), .sharing = SHARES, .jobs = {
        { 0, 10, 1, 0, .ends = 40, .shares = .25, .duty = 1 } } },
    /* held down to half: the other's v of 1 counts half, 1 + .5 x .5; and then half its own speed */
    { "fraction: memory is in common", "fifo", ONE_NODE(1), .sharing = SHARES, .jobs = {
        { 0, 8, 1, 0, .ends = 10, .shares = .5, .duty = .5, .bandwidth = NONE }, { 0, 5, 1, 0, .ends = 10, .shares = .5, .duty = 1, .bandwidth = 1 } } },

    /* ---- gangs, start-up, preemption ---- */
    /* 2 takes one of the two GPUs of 1: the whole gang goes at 1/2 from 4 to 8 */
    { "a gang goes at its slowest", "fifo", ONE_NODE(2), .sharing = SLICES, .jobs = {
        { 0, 10, 2, 0, .ends = 12, .tasks = 2, .shares = .6, .duty = 1, .took = "0:0 0:1" },
        { 4, 2, 1, 4, .ends = 8, .shares = .4, .duty = 1, .took = "0:0" } } },
    { "two tasks of one job on one GPU", "fifo", ONE_NODE(1), .sharing = SLICES, .jobs = {
        { 0, 10, 2, 0, .ends = 20, .tasks = 2, .shares = .5, .duty = 1 } } },
    /* each starts up for 3 s. 1 gets on from 3, from 4 on at 1/2, as 2 does from 7 on: its 5 s are done at 17. Then 1 has 2.5 s left */
    { "who starts up is there already", "fifo", ONE_NODE(1), .sharing = SLICES, .overhead = { .start_ns = 3 * NS_PER_S }, .jobs = {
        { 0, 10, 1, 0, .ends = 19.5, .shares = .5, .duty = 1 }, { 4, 5, 1, 4, .ends = 17, .shares = .5, .duty = 1 } } },
    /* At 4 1 is stopped with 2 s done and saves until 7: so long 2 is alone and has 1 s left then, which takes until 9 beside 3.
     * Now 1 goes on; 3 has 1 s left, until 11, 1 has 8 s left, of which 1 is done by then */
    { "who saves is no tenant any more", "priority:preempt=yes", ONE_NODE(1), .sharing = SLICES, .overhead = SAVE_TAKES(3), .jobs = {
        { 0, 10, 1, 0, .ends = 18, .shares = .5, .duty = 1, .stops = 1 }, { 0, 6, 1, 0, .ends = 9, .shares = .5, .duty = 1, .priority = 1, .stays = true },
        { 4, 2, 1, 7, .ends = 11, .shares = .5, .duty = 1, .priority = 1 } } },
    /* A checkpoint after every 3 s of progress, and no grace: at 8 both have done 4 s and lose 1 s, which took them 2 s. From 10 on: 4 s of 2 are
     * done at 18, then 1 has 3 s left. GPU-seconds: 2 x .5 x 8 (of which 2 x .5 x 2 are lost), 2, 2 x .5 x 8, .5 x 3 */
    { "what is lost is lost in its own time", "priority:preempt=yes", ONE_NODE(1), .sharing = SLICES,
      .overhead = { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 3 * NS_PER_S, .save_ns = NS_PER_S }, .lost = 2, .useful = 8 - 2 + 2 + 8 + 1.5, .jobs = {
        { 0, 10, 1, 0, .ends = 21, .shares = .5, .duty = 1, .stops = 1, .lost = 2 }, { 0, 7, 1, 0, .ends = 18, .shares = .5, .duty = 1, .stops = 1, .lost = 2 },
        { 8, 2, 1, 8, .priority = 1 } } },

    /* ---- memory: 95 % of 16 GiB are 15564 MiB, a context takes 512 ---- */
    { "memory: two fit", "fifo", { GIB(1, 1, 16) }, .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .shares = .4, .duty = .1, .fills_mib = 7270 }, { 0, 10, 1, 0, .shares = .4, .duty = .1, .fills_mib = 7270 } } },
    { "memory: one MiB too many", "fifo", { GIB(1, 1, 16) }, .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .shares = .4, .duty = .1, .fills_mib = 7270 }, { 0, 10, 1, 10, .shares = .4, .duty = .1, .fills_mib = 7271 } } },
    { "memory: another GPU has it", "fifo", { GIB(1, 2, 16) }, .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .shares = .4, .duty = .1, .fills_mib = 7270, .took = "0:0" },
        { 0, 10, 1, 0, .shares = .4, .duty = .1, .fills_mib = 7271, .took = "0:1" },
        { 0, 10, 1, 0, .shares = .1, .duty = .1, .fills_mib = 7270, .took = "0:0" } } },
    { "memory: fgd finds the GPU that has it", "fifo", { GIB(1, 2, 16) }, .placer = "fgd", .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .shares = .4, .duty = .1, .fills_mib = 7270 }, { 0, 10, 1, 0, .shares = .4, .duty = .1, .fills_mib = 7271 },
        { 0, 10, 1, 0, .shares = .1, .duty = .1, .fills_mib = 7270 } } },
    { "memory: more than any GPU has", "fifo", { GIB(1, 1, 16) }, .sharing = SLICES, .jobs = {
        { 0, 10, 1, NEVER, .fills_mib = 15053, .refused = "fills more memory than a GPU of its model has" },
        { 0, 10, 1, 0, .fills_mib = 15052 } } },
    { "memory: by model", "fifo:blocking=skip", { GIB(1, 1, 16) }, .sharing = SLICES, .jobs = {
        { 0, 10, 1, NEVER, .model = "BERT", .refused = "fills more memory than a GPU of its model has" },
        { 0, 10, 1, 0, .model = "ResNet-50" } } },
    { "memory: not known, never binds", "fifo", ONE_NODE(1), .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .shares = .5, .duty = .1, .fills_mib = 99999 }, { 0, 10, 1, 0, .shares = .5, .duty = .1, .fills_mib = 99999 } } },
    { "memory: exclusive heeds none", "fifo", { GIB(1, 1, 16) }, .sharing = LAW(.mode = SHARING_EXCLUSIVE), .jobs = {
        { 0, 10, 1, 0, .shares = .5, .fills_mib = 16384 }, { 0, 10, 1, 0, .shares = .5, .fills_mib = 16384 } } },
    { "memory: shares given as memory have contexts", "fifo", { GIB(1, 1, 16) }, .sharing = SLICES, .jobs = {
        { 0, 10, 1, 0, .duty = .1, .share_mem_mib = 8192 }, { 0, 10, 1, 10, .duty = .1, .share_mem_mib = 8192 } } },
    { "memory: an instance has its own", "fifo:blocking=skip", { CUT }, .sharing = LAW(.mode = SHARING_MPS), .jobs = {
        { 0, 10, 1, 0, .mig = "1g.10gb", .fills_mib = 10240 },
        { 0, 10, 1, NEVER, .mig = "1g.10gb", .fills_mib = 10241, .refused = "no node has MIG instances of profile 1g.10gb" } } },

    /* ---- oom: fail ---- */
    { "fails: when its start-up is over", "fifo", { GIB(1, 1, 16) }, .sharing = FAILS, .overhead = { .start_ns = 3 * NS_PER_S },
      .startup = 3 * .4 + 3 * .4, .useful = 10 * .4, .jobs = {
        { 0, 10, 1, 0, .ends = 13, .shares = .4, .duty = .1, .fills_mib = 7270 },
        { 2, 10, 1, 2, .ends = 5, .shares = .4, .duty = .1, .fills_mib = 7271, .fails = true } } },
    { "fails: at once without a start-up, and slows no job for longer", "fifo", { GIB(1, 1, 16) }, .sharing = FAILS, .jobs = {
        { 0, 10, 1, 0, .shares = .4, .duty = 1, .fills_mib = 7270 },
        { 2, 10, 1, 2, .ends = 2, .shares = .4, .duty = 1, .fills_mib = 7271, .fails = true } } },
    { "fails: one that is too large for any GPU", "fifo", { GIB(1, 1, 16) }, .sharing = FAILS, .jobs = {
        { 1, 10, 1, 1, .ends = 1, .fills_mib = 15053, .fails = true } } },
    { "fails: the next takes its GPU at once", "fifo", { GIB(1, 1, 16) }, .sharing = FAILS, .jobs = {
        { 1, 10, 1, 1, .ends = 1, .fills_mib = 15053, .fails = true }, { 1, 5, 1, 1 } } },
    { "fails: tasks of one job", "fifo", { GIB(1, 1, 16) }, .sharing = FAILS, .jobs = {
        { 1, 10, 2, 1, .ends = 1, .tasks = 2, .shares = .5, .fills_mib = 7271, .fails = true } } },

    /* ---- MIG ---- */
    /* exponent 1: 1g is a seventh, 3g three sevenths */
    { "instances: by compute slices", "fifo", { CUT }, .sharing = MIG(1), .jobs = {
        { 0, 10, 1, 0, .ends = 70, .mig = "1g.10gb" }, { 0, 30, 1, 0, .ends = 70, .mig = "3g.40gb" } } },
    /* 1g has an eighth of the memory's bandwidth */
    { "instances: bound by memory", "fifo", { CUT }, .sharing = MIG(0), .jobs = {
        { 0, 10, 1, 0, .ends = 80, .mig = "1g.10gb", .bandwidth = 1 }, { 0, 10, 1, 0, .ends = 10, .mig = "3g.40gb", .bandwidth = .5 } } },
    { "instances: exponent 0 is off", "fifo", { CUT }, .sharing = MIG(0), .jobs = { { 0, 10, 1, 0, .mig = "1g.10gb" } } },
};
/* clang-format on */

/* A beside B goes at .5 and B beside A at .8; a job that is measured faster than alone goes at
 * 1; of three, or with a model that the table does not have, the law counts. */
static void measured_pairs(void **state)
{
    (void)state;
    static const char text[] = "{ \"v100\": { \"('A', 1)\": { \"null\": 10, \"('B', 1)\": [ 5, 4 ], \"('A', 1)\": [ 11, 11 ] },"
                               "  \"('B', 1)\": { \"null\": 5, \"('A', 1)\": [ 4, 5 ] } } }";
    char path[] = "/tmp/gpuyard-pairs-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    struct error err = { "" };
    struct sharing slices = *SLICES;
    slices.pairs = throughput_pairs_read(path, &err);
    unlink(path);
    assert_string_equal(err.text, "");
    const struct schedule measured[] = {
        /* 2 ends at 10 with its 8 s; 1 has done 5 of 9 then */
        { "of two", "fifo", .group = { GIB(1, 1, 16) }, .sharing = &slices, .jobs = {
            { 0, 9, 1, 0, .ends = 14, .shares = .5, .duty = 1, .model = "A" }, { 0, 8, 1, 0, .ends = 10, .shares = .5, .duty = 1, .model = "B" } } },
        { "not faster than alone", "fifo", .group = { GIB(1, 1, 16) }, .sharing = &slices, .jobs = {
            { 0, 9, 1, 0, .shares = .5, .duty = 1, .model = "A" }, { 0, 9, 1, 0, .shares = .5, .duty = 1, .model = "A" } } },
        { "unknown: by the law", "fifo", .group = { GIB(1, 1, 16) }, .sharing = &slices, .jobs = {
            { 0, 9, 1, 0, .ends = 18, .shares = .5, .duty = 1, .model = "A" }, { 0, 9, 1, 0, .ends = 18, .shares = .5, .duty = 1, .model = "C" } } },
        { "three: by the law", "fifo", .group = { GIB(1, 1, 16) }, .sharing = &slices, .jobs = {
            { 0, 9, 1, 0, .ends = 27, .shares = .3, .duty = 1, .model = "A" }, { 0, 9, 1, 0, .ends = 27, .shares = .3, .duty = 1, .model = "B" },
            { 0, 9, 1, 0, .ends = 27, .shares = .3, .duty = 1, .model = "B" } } },
    };
    for (size_t i = 0; i < COUNT(measured); i++) {
        struct named_policy named = policy_named(measured[i].policy);
        plays_with(&measured[i], named.policy, named.params);
    }
    throughput_pairs_free(slices.pairs);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 1] = { [COUNT(rows)] = cmocka_unit_test(measured_pairs) };
    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, plays_as_written, NULL, NULL, (void *)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
