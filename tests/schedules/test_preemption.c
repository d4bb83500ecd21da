/* test_preemption.c - what a preemption costs: lost work, saving, starting again, and which job
 * waits. models.md 3.2, 3.3, 10.1. By hand; job 1 is the victim, V, of 100 s, stopped at 50 by
 * job 2, H. */
#include "tests/support/schedule.h"

/* Preempted without the time to save, a job falls back to its last periodic checkpoint: that is
 * "restart mode". */
#define CANNOT_SAVE(every, restart)                                                                                    \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = (every)*NS_PER_S, .save_ns = NS_PER_S, .grace_ns = 0,        \
        .restart_ns = (restart)*NS_PER_S                                                                               \
    }
#define CAN_SAVE(save, grace)                                                                                          \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 30 * NS_PER_S, .save_ns = (save)*NS_PER_S,                   \
        .grace_ns = (grace)*NS_PER_S, .restart_ns = 10 * NS_PER_S                                                      \
    }
#define TAKES "priority:preempt=yes"

static const struct own_overhead none = { CHECKPOINT_NONE, -1, -1, -1, -1, -1 }, perfect = { CHECKPOINT_PERFECT, -1, -1, -1, -1, -1 },
                              every_25 = { CHECKPOINT_PERIODIC, 25 * NS_PER_S, -1, -1, -1 },
                              slow = { -1, -1, -1, -1, 20 * NS_PER_S }, saves = { -1, -1, 5 * NS_PER_S, 30 * NS_PER_S, -1 },
                              too_slow = { -1, -1, 5 * NS_PER_S, 4 * NS_PER_S, -1 };

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- models.md 11.2, item 4: checkpoints at 30, lost 20, resumes with 70 left ---- */
    { "lost: resumed at once, ends 50 + 10 + 70", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 20,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 130, .stops = 1, .lost = 20 }, { 50, 0, 1, 50, .priority = 1 } } },
    /* V waits for H, and no pass has looked at it since: that is WAIT_ORDER */
    { "lost: resumed after H, ends 90 + 10 + 70", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 140, .lost = 20,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 170, .stops = 1, .lost = 20, .waits = { [WAIT_ORDER] = 40 } },
                               { 50, 40, 1, 50, .ends = 90, .priority = 1 } } },
    { "lost: GPU-seconds of four GPUs", TAKES, ONE_NODE(4), .overhead = CANNOT_SAVE(30, 10), .useful = 400, .lost = 80,
      .startup = 40, .jobs = { { 0, 100, 4, 0, .ends = 130, .stops = 1, .lost = 20 }, { 50, 0, 1, 50, .priority = 1 } } },
    { "lost: nothing right at a checkpoint", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(25, 10), .useful = 100, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 110, .stops = 1 }, { 50, 0, 1, 50, .priority = 1 } } },
    { "lost: all of it without checkpoints", TAKES, ONE_NODE(1), .overhead = { .restart_ns = 10 * NS_PER_S }, .useful = 100,
      .lost = 50, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 160, .stops = 1, .lost = 50 }, { 50, 0, 1, 50, .priority = 1 } } },
    { "lost: nothing with perfect checkpoints", TAKES, ONE_NODE(1), .overhead = FREE_OF_CHARGE, .useful = 100,
      .jobs = { { 0, 100, 1, 0, .stops = 1 }, { 50, 0, 1, 50, .priority = 1 } } },
    /* Again at 100: progress since 60, a checkpoint after 30 s of it: lost 10 more; 40 left at 110 */
    { "lost: intervals count from the restart", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 30,
      .startup = 20, .jobs = { { 0, 100, 1, 0, .ends = 150, .stops = 2, .lost = 30 }, { 50, 0, 1, 50, .priority = 1 },
                               { 100, 0, 1, 100, .priority = 1 } } },
    /* Again at 55, half way through starting up: 55 + 10 + 70 */
    { "lost: only time while starting up", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 20,
      .startup = 15, .jobs = { { 0, 100, 1, 0, .ends = 135, .stops = 2, .lost = 20 }, { 50, 0, 1, 50, .priority = 1 },
                               { 55, 0, 1, 55, .priority = 1 } } },

    /* ---- Saving: V holds its GPU until it has saved or the grace period ends ---- */
    { "saving: in time", TAKES, ONE_NODE(1), .overhead = CAN_SAVE(5, 30), .useful = 110, .saving = 5, .startup = 10, .jobs = {
        { 0, 100, 1, 0, .ends = 125, .stops = 1, .waits = { [WAIT_GPUS] = 10 } },
        { 50, 10, 1, 55, .priority = 1, .waits = { [WAIT_RELEASING] = 5 } } } },
    { "saving: exactly in time", TAKES, ONE_NODE(1), .overhead = CAN_SAVE(30, 30), .useful = 110, .saving = 30, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 150, .stops = 1 }, { 50, 10, 1, 80, .priority = 1 } } },
    /* Leaves at 80 all the same, with 70 to do: 90 + 10 + 70 */
    { "saving: too slow", TAKES, ONE_NODE(1), .overhead = CAN_SAVE(31, 30), .useful = 110, .lost = 20, .saving = 30, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 170, .stops = 1, .lost = 20 },
                { 50, 10, 1, 80, .priority = 1, .waits = { [WAIT_RELEASING] = 30 } } } },
    { "saving: on an empty node nobody has to", TAKES, ONE_NODE(2), .overhead = CAN_SAVE(5, 30), .useful = 110, .jobs = {
        { 0, 100, 1, 0 }, { 50, 10, 1, 50, .priority = 1 } } },

    /* ---- Claims: H has its GPUs from the decision on, and starts when the last of them is left ---- */
    { "claim: on an idle GPU and one that is being left", TAKES, ONE_NODE(2), .overhead = SAVE_TAKES(5), .jobs = {
        { 0, 100, 1, 0, .ends = 115, .stops = 1, .took = "0:0; 0:0", .waits = { [WAIT_GPUS] = 10 } },
        { 50, 10, 2, 55, .priority = 1, .took = "0:01", .waits = { [WAIT_RELEASING] = 5 } },
        { 51, 3, 1, 65, .priority = -1, .took = "0:1" } } },
    { "claim: no longer wait than for the GPUs", TAKES, ONE_NODE(2), .overhead = SAVE_TAKES(5), .jobs = {
        { 0, 60, 1, 0, .priority = 9 }, { 0, 100, 1, 0, .ends = 115, .stops = 1 },
        { 50, 10, 2, 65, .priority = 1, .waits = { [WAIT_GPUS] = 10, [WAIT_RELEASING] = 5 } } } },
    { "claim: two at once, each on its victim's GPU", TAKES, ONE_NODE(2), .overhead = SAVE_TAKES(5), .jobs = {
        { 0, 100, 1, 0, .ends = 115, .stops = 1, .took = "0:0; 0:0" },
        { 0, 100, 1, 0, .ends = 125, .stops = 1, .took = "0:1; 0:1" },
        { 50, 10, 1, 55, .priority = 1, .took = "0:0" }, { 50, 20, 1, 55, .priority = 2, .took = "0:1" } } },
    { "claim: as good as running for equals", TAKES, ONE_NODE(1), .overhead = SAVE_TAKES(5), .jobs = {
        { 0, 100, 1, 0, .ends = 125, .stops = 1, .waits = { [WAIT_ORDER] = 10, [WAIT_GPUS] = 10 } },
        { 50, 10, 1, 55, .priority = 1 },
        { 52, 10, 1, 65, .priority = 1, .waits = { [WAIT_GPUS] = 13 } } } },
    { "srtf: saving is the price of overtaking", "srtf", ONE_NODE(1), .overhead = SAVE_TAKES(2), .useful = 13, .saving = 2, .jobs = {
        { 0, 10, 1, 0, .ends = 15, .stops = 1 }, { 2, 3, 1, 4, .waits = { [WAIT_RELEASING] = 2 } } } },
    /* At 5 V has started up and all its 10 s to do, job 2 only 7: V begins again at 17, its start cost is paid */
    { "srtf: starting up is no progress", "srtf", ONE_NODE(1),
      .overhead = { .checkpoint = CHECKPOINT_PERFECT, .start_ns = 5 * NS_PER_S }, .useful = 17, .startup = 10, .jobs = {
        { 0, 10, 1, 0, .ends = 27, .stops = 1 }, { 5, 7, 1, 5, .ends = 17 } } },

    /* ---- A price of its own: without one it would lose 20 and end at 50 + 10 + 70 = 130 ---- */
    { "own: no checkpoints", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 50, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 160, .stops = 1, .lost = 50, .overhead = &none }, { 50, 0, 1, 50, .priority = 1 } } },
    { "own: perfect, but it takes the cluster's second to save", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100,
      .saving = 1, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 111, .stops = 1, .overhead = &perfect }, { 50, 0, 1, 51, .priority = 1 } } },
    { "own: another interval", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 110, .stops = 1, .overhead = &every_25 }, { 50, 0, 1, 50, .priority = 1 } } },
    { "own: a longer restart", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 20, .startup = 20,
      .jobs = { { 0, 100, 1, 0, .ends = 140, .stops = 1, .lost = 20, .overhead = &slow }, { 50, 0, 1, 50, .priority = 1 } } },
    { "own: time to save", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .saving = 5, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 115, .stops = 1, .overhead = &saves }, { 50, 0, 1, 55, .priority = 1 } } },
    { "own: not enough of it", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 20, .saving = 4,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 134, .stops = 1, .lost = 20, .overhead = &too_slow },
                               { 50, 0, 1, 54, .priority = 1 } } },
    /* Each of two at a price of its own: the first is back at 60 with 70 to do, the other at 70 with 100 */
    { "own: side by side", TAKES, ONE_NODE(2), .overhead = CANNOT_SAVE(30, 10), .useful = 200, .lost = 70, .startup = 30, .jobs = {
        { 0, 100, 1, 0, .ends = 130, .stops = 1, .lost = 20 },
        { 0, 100, 1, 0, .ends = 170, .stops = 1, .lost = 50, .overhead = &(struct own_overhead){ 0, -1, -1, -1, 20 * NS_PER_S, -1 } },
        { 50, 0, 2, 50, .priority = 1 } } },

    /* ---- Starting: GPUs are held, nothing is done ---- */
    { "starting: the first time", "fifo", ONE_NODE(2), .overhead = { .start_ns = 3 * NS_PER_S }, .startup = 9, .useful = 25,
      .jobs = { { 0, 10, 2, 0, .ends = 13 }, { 0, 5, 1, 13, .ends = 21, .waits = { [WAIT_GPUS] = 13 } } } },
    { "starting: the first time and again", TAKES, ONE_NODE(1),
      .overhead = { .checkpoint = CHECKPOINT_PERFECT, .start_ns = 3 * NS_PER_S, .restart_ns = 7 * NS_PER_S }, .useful = 30,
      .startup = 13, .jobs = { { 0, 20, 1, 0, .ends = 43, .stops = 1 }, { 8, 10, 1, 8, .ends = 21, .priority = 1 } } },
    { "starting: progress and arrival at one instant", TAKES, ONE_NODE(1),
      .overhead = { .checkpoint = CHECKPOINT_PERFECT, .start_ns = 3 * NS_PER_S }, .useful = 30, .startup = 6,
      .jobs = { { 0, 20, 1, 0, .ends = 36, .stops = 1 }, { 3, 10, 1, 3, .ends = 16, .priority = 1 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
