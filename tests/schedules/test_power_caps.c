/* test_power_caps.c - which jobs may start under a power cap, by hand from models.md 9 and
 * headroom.h.
 *
 * A dgx-a100 draws 1000 + 8 x 60 = 1480 W idle; each A100 that is taken counts 360 - 60 = 300 W
 * more, at its worst, and all of the 128 CPUs 300 W. So a cap of 1480 + 300 n is a cap of n
 * GPUs. */
#include "tests/support/powered_schedule.h"

#define ONE(cap)  "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { cap_w: " cap " }\n"
#define SAVES(s)  "preemption: { checkpoint: perfect, save_s: " s ", grace_s: 3600 }\n"
/* Two racks of one node, and as much more for each as four GPUs draw. */
#define RACKS     "nodes: [ { group: dgx, type: dgx-a100, count: 2, nodes_per_rack: 1 } ]\npower: { rack_cap_w: 2680 }\n"
#define MIXED                                                                                                          \
    "nodes: [ { group: a, type: dgx-a100, count: 1 }, { group: t, type: pcie-2xT4, count: 4 } ]\n"                      \
    "power: { cap_w: 2820 }\n"    /* 1480 + 4 x (250 + 2 x 10) = 2560, and 260 W: no A100, four T4 of 53 W */

/* clang-format off */
static const struct text_schedule rows[] = {
    { "four GPUs have power: the second four wait for it", ONE("2680"), "fifo", .jobs = {
        { 0, 10, 4, 0 }, { 0, 10, 4, 10, .waits = { [WAIT_POWER] = 10 } } } },
    { "a watt more helps no job", ONE("2681"), "fifo", .jobs = { { 0, 10, 4, 0 }, { 0, 10, 1, 10 } } },
    { "and a GPU's worth does", ONE("2980"), "fifo", .jobs = { { 0, 10, 4, 0 }, { 0, 10, 1, 0 } } },
    { "enough for all: no wait", ONE("3880"), "fifo", .jobs = { { 0, 10, 4, 0 }, { 0, 10, 4, 0 } } },
    { "more than the cap, even alone", ONE("2680"), "fifo", .jobs = {
        { 0, 10, 5, NEVER, .refused = "would pass the power cap, even alone" }, { 0, 10, 4, 0 } } },
    { "too few GPUs is not too little power", ONE("2980"), "fifo", .jobs = {
        { 0, 10, 5, 0 }, { 0, 10, 4, 10, .waits = { [WAIT_GPUS] = 10 } } } },
    { "CPUs count: 64 of 128 are 150 W, half a GPU's", ONE("2980"), "fifo", .jobs = {
        { 0, 10, 4, 0, .tasks = 1, .cpus = 64 }, { 0, 10, 1, 10, .waits = { [WAIT_POWER] = 10 } } } },
    { "the power of a share is a share of power", ONE("1930"), "fifo", .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .shares = 0.5 }, { 0, 10, 1, 0 }, { 0, 10, 1, 10, .tasks = 1, .shares = 0.5 } } },
    { "a small one passes by", ONE("2680"), "fifo:blocking=skip", .jobs = {
        { 0, 10, 3, 0 }, { 0, 10, 2, 10, .waits = { [WAIT_POWER] = 10 } }, { 0, 10, 1, 0 } } },
    /* The head is promised 10 s, when power is free again: 5 s fit before that, 20 s do not */
    { "backfill: the promise is of power", ONE("2680"), "easy", .jobs = {
        { 0, 10, 3, 0, .estimate = 10 }, { 0, 10, 4, 10, .estimate = 10 }, { 0, 20, 1, 20, .estimate = 20 }, { 0, 5, 1, 0, .estimate = 5 } } },
    { "preemption: power is what the victim gives", ONE("2680") SAVES("0"), "priority:preempt=yes", .jobs = {
        { 0, 100, 4, 0, .ends = 110, .stops = 1 }, { 50, 10, 4, 50, .priority = 1 } } },
    /* Idle GPUs are there at once, but the victim draws while it saves: until 55 */
    { "preemption: saving takes power, too", ONE("2680") SAVES("5"), "priority:preempt=yes", .jobs = {
        { 0, 100, 4, 0, .ends = 115, .stops = 1 }, { 50, 10, 4, 55, .priority = 1, .waits = { [WAIT_RELEASING] = 5 } } } },
    { "racks: four GPUs in each", RACKS, "fifo", .jobs = {
        { 0, 10, 4, 0, .took = "0:0123" }, { 0, 10, 4, 0, .took = "1:0123" }, { 0, 10, 1, 10, .waits = { [WAIT_POWER] = 10 } } } },
    { "racks: by score, the best that has power", RACKS, "fifo", .placer = "best-fit", .jobs = {
        { 0, 10, 3, 0, .took = "0:012" }, { 0, 10, 3, 0, .took = "1:012" }, { 0, 5, 1, 0, .took = "0:3" }, { 0, 5, 1, 0, .took = "1:3" },
        { 0, 5, 1, 5, .took = "0:3" } } },
    { "racks: a gang over both", RACKS, "fifo", .jobs = { { 0, 10, 8, 0, .took = "0:0123 1:0123" } } },
    { "the thrifty ones run", MIXED, "fifo:blocking=skip", .jobs = {
        { 0, 10, 1, NEVER, .gpu_type = "A100-SXM4-40", .refused = "would pass the power cap, even alone" },
        { 0, 10, 4, 0, .gpu_type = "T4-16" }, { 0, 10, 1, 10, .gpu_type = "T4-16", .waits = { [WAIT_POWER] = 10 } } } },
    { "no caps, no waits", "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { cap_w: unlimited, rack_cap_w: unlimited }\n", "fifo",
      .jobs = { { 0, 10, 8, 0 } } },
};
/* clang-format on */

static const struct bad_text bad_rows[] = {
    { "below what idle nodes draw", ONE("1479.9"), "c.yaml:2:8: power: want a cap_w of at least 1480, which all nodes draw when they are idle" },
    { "below what a rack draws", "nodes: [ { group: dgx, type: dgx-a100, count: 4, nodes_per_rack: 2 } ]\npower: { rack_cap_w: 2000 }\n",
      "c.yaml:2:8: power: want a rack_cap_w of at least 2960, which the 2 nodes of a rack draw when they are idle" },
};

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, text_plays, rows);
    ADD_ROWS(tests, n, text_is_refused, bad_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
