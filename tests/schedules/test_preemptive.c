/* test_preemptive.c - priority classes: who gives way, and what becomes of him. By hand; schedulers.md e. */
#include "tests/support/schedule.h"

#define STAYS .stays = true
#define REQUEUE "preemptive"
#define SUSPEND "preemptive:mode=suspend"
#define CANCEL "preemptive:mode=cancel"
#define WITH_MEMORY(g, mib)                                                                                            \
    {                                                                                                                  \
        {                                                                                                              \
            .name = "node", .gpu_model = "A100", .count = 1, .gpus = (g), .cpu_milli = INT64_MAX, .mem_mib = (mib)     \
        }                                                                                                              \
    }
#define CAN_SAVE(save, grace)                                                                                          \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 30 * NS_PER_S, .save_ns = (save)*NS_PER_S,                   \
        .grace_ns = (grace)*NS_PER_S, .restart_ns = 10 * NS_PER_S                                                      \
    }

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- Order, and which jobs may be preempted ---- */
    { "order: higher first, then first come first", REQUEUE, ONE_NODE(1), .jobs = {
        { 0, 5, 1, 0, .priority = 9 }, { 1, 5, 1, 10 }, { 2, 5, 1, 15 }, { 3, 5, 1, 5, .priority = 1 } } },
    { "not an equal", REQUEUE, ONE_NODE(1), .jobs = { { 0, 10, 1, 0 }, { 1, 5, 1, 10, .waits = { [WAIT_GPUS] = 9 } } } },
    { "not a job that is not preemptible", REQUEUE, ONE_NODE(1), .jobs = { { 0, 10, 1, 0, STAYS }, { 1, 5, 1, 10, .priority = 1 } } },
    { "no victim, where that does not help", REQUEUE, ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 20, 1, 0, STAYS }, { 1, 5, 2, 20, .priority = 1 } } },
    { "strict: the head blocks", REQUEUE, ONE_NODE(2), .jobs = {
        { 0, 20, 1, 0, STAYS }, { 1, 5, 2, 20, .priority = 1 }, { 1, 5, 1, 25, .waits = { [WAIT_ORDER] = 19, [WAIT_GPUS] = 5 } } } },
    { "skip: a job that fits passes", REQUEUE ":blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 20, 1, 0, STAYS }, { 1, 5, 2, 20, .priority = 1 }, { 1, 5, 1, 1 } } },

    /* ---- Whom ---- */
    { "whom: the lowest priority", REQUEUE, ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0, .priority = 1 }, { 0, 20, 1, 0, .ends = 25, .stops = 1 }, { 10, 5, 1, 10, .priority = 2 } } },
    { "whom: of equals the fewest nodes", REQUEUE, { NODES(2, 2) }, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0, .ends = 25, .stops = 1 }, { 1, 20, 3, 1 }, { 10, 5, 1, 10, .priority = 1 } } },
    { "whom: of those the youngest", REQUEUE, ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0 }, { 1, 20, 1, 1, .ends = 26, .stops = 1 }, { 10, 5, 1, 10, .priority = 1 } } },
    { "whom: youngest=yes, whatever the priority", REQUEUE ":youngest=yes", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0 }, { 1, 20, 1, 1, .ends = 26, .stops = 1, .priority = 1 }, { 10, 5, 1, 10, .priority = 2 } } },
    { "whom: youngest=yes, but lower all the same", REQUEUE ":youngest=yes", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0, .ends = 25, .stops = 1 }, { 1, 20, 1, 1, .priority = 2 }, { 10, 5, 1, 10, .priority = 2 } } },
    /* 1 and 2 are removed in this order until two GPUs of one node are free; node 1 is chosen, and 1 was for nothing */
    { "whom: only those on the nodes that are chosen", REQUEUE, { NODES(2, 2) }, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0 }, { 0, 20, 1, 0, STAYS }, { 1, 20, 2, 1, .ends = 26, .stops = 1, .tasks = 1, .priority = 1,
          .took = "1:01; 1:01" },
        { 10, 5, 2, 10, .tasks = 1, .priority = 2, .took = "1:01" } } },
    /* 1, then 2: three GPUs and one are free, and the three lowest of them are of both. 1 moves to what is left */
    { "reorder=0: as they came", REQUEUE ":reorder=0", { NODES(4, 1) }, "first-fit", .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0, .stops = 1, .took = "0:0; 3:0" }, { 0, 20, 3, 0, .ends = 25, .stops = 1 },
        { 10, 5, 3, 10, .priority = 1, .took = "0:0 1:0 2:0" } } },
    { "reorder=1: who frees two of the nodes first, and 1 stays", REQUEUE, { NODES(4, 1) }, "first-fit",
      .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0 }, { 0, 20, 3, 0, .ends = 25, .stops = 1 }, { 10, 5, 3, 10, .priority = 1, .took = "1:0 2:0 3:0" } } },
    /* Both free one of the two nodes that are chosen */
    { "reorder: by nodes nothing is gained", REQUEUE, { NODES(3, 1) }, "first-fit", .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0, .stops = 1, .took = "0:0; 2:0" }, { 1, 20, 2, 1, .ends = 26, .stops = 1, .priority = 1 },
        { 10, 5, 2, 10, .priority = 2, .took = "0:0 1:0" } } },
    { "reorder: strict, the last first", REQUEUE ":strict_order=yes", { NODES(3, 1) }, "first-fit", .overhead = FREE_OF_CHARGE,
      .jobs = {
        { 0, 20, 1, 0 }, { 1, 20, 2, 1, .ends = 26, .stops = 1, .priority = 1 },
        { 10, 5, 2, 10, .priority = 2, .took = "1:0 2:0" } } },

    /* ---- Young ones are exempt ---- */
    { "exempt: for 30 s", REQUEUE ":exempt_s=30", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 105, .stops = 1 }, { 10, 5, 1, 30, .priority = 1, .waits = { [WAIT_PROTECTED] = 20 } } } },
    { "exempt: then an older one, of higher priority", REQUEUE ":exempt_s=30", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 105, .stops = 1, .priority = 1 }, { 20, 80, 1, 20 }, { 40, 5, 1, 40, .priority = 2 } } },
    { "exempt: since before the trace began", REQUEUE ":exempt_s=30", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 100, 1, 0, .ends = 105, .stops = 1, .on = "0", .ran = 25 },
        { 1, 5, 1, 5, .priority = 1, .waits = { [WAIT_PROTECTED] = 4 } } } },
    { "exempt: no reason where it would not help", REQUEUE ":exempt_s=30", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 50, 1, 0, .ends = 55, .stops = 1 }, { 0, 40, 1, 0, STAYS }, { 10, 5, 2, 40, .priority = 1, .waits = { [WAIT_GPUS] = 30 } } } },

    /* ---- Requeued, at the price of the job ---- */
    { "requeue: saves, and begins again", REQUEUE, ONE_NODE(1), .overhead = CAN_SAVE(5, 30), .useful = 110, .saving = 5,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 125, .stops = 1 },
                               { 50, 10, 1, 55, .priority = 1, .waits = { [WAIT_RELEASING] = 5 } } } },
    { "requeue: a job without checkpoints loses all", REQUEUE, ONE_NODE(1), .overhead = CAN_SAVE(5, 30), .useful = 110, .lost = 50,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 170, .stops = 1, .lost = 50, .overhead = &(struct own_overhead){ 0, -1, -1, -1, -1, -1 } },
                               { 50, 10, 1, 50, .priority = 1 } } },

    /* ---- Suspended: no price at all, but its own GPUs and its memory ---- */
    { "suspend: goes on where it was", SUSPEND, ONE_NODE(1), .overhead = CAN_SAVE(5, 30), .useful = 110, .jobs = {
        { 0, 100, 1, 0, .ends = 110, .stops = 1, .took = "0:0; 0:0", .waits = { [WAIT_ORDER] = 10 } },
        { 50, 10, 1, 50, .priority = 1 } } },
    { "suspend: on no other GPU", SUSPEND, ONE_NODE(2), .useful = 195, .jobs = {
        { 0, 100, 1, 0, .ends = 140, .stops = 1, .took = "0:0; 0:0" }, { 0, 55, 1, 0, STAYS, .took = "0:1" },
        { 50, 40, 1, 50, .priority = 1, .took = "0:0" } } },
    { "suspend: before those behind it", SUSPEND, ONE_NODE(1), .useful = 115, .jobs = {
        { 0, 100, 1, 0, .ends = 110, .stops = 1 }, { 10, 5, 1, 110 }, { 50, 10, 1, 50, .priority = 1 } } },
    { "suspend: again and again", SUSPEND, ONE_NODE(1), .useful = 120, .jobs = {
        { 0, 100, 1, 0, .ends = 120, .stops = 2 }, { 50, 10, 1, 50, .priority = 1 }, { 70, 10, 1, 70, .priority = 1 } } },
    { "suspend: the start-up goes on, too", SUSPEND, ONE_NODE(1), .overhead = { .start_ns = 30 * NS_PER_S }, .startup = 60,
      .useful = 110, .jobs = {
        { 0, 100, 1, 0, .ends = 170, .stops = 1 }, { 10, 10, 1, 10, .ends = 50, .priority = 1 } } },
    /* Its GPU is taken by 4 for 20 s, which gives it back at once */
    { "suspend: takes back its own from lower ones", SUSPEND ",blocking=skip", ONE_NODE(2), .useful = 260, .jobs = {
        { 0, 100, 2, 0, .ends = 110, .stops = 1, .priority = 1, .took = "0:01; 0:01" },
        { 50, 5, 1, 50, .priority = 2, .took = "0:0" }, { 50, 10, 1, 50, STAYS, .priority = 2, .took = "0:1" },
        { 55, 45, 1, 55, .ends = 150, .stops = 1, .took = "0:0; 0:0" } } },
    { "suspend: the memory stays taken", SUSPEND, WITH_MEMORY(2, 10), .useful = 110, .jobs = {
        { 0, 100, 1, 0, .mem_mib = 6 }, { 50, 10, 1, 100, .mem_mib = 6, .priority = 1 } } },
    { "suspend: where there is memory for both", SUSPEND, WITH_MEMORY(1, 12), .useful = 110, .jobs = {
        { 0, 100, 1, 0, .ends = 110, .stops = 1, .mem_mib = 6 }, { 50, 10, 1, 50, .mem_mib = 6, .priority = 1 } } },
    { "suspend: a head that lacks the memory does not hold it up", SUSPEND, WITH_MEMORY(1, 10), .useful = 120, .jobs = {
        { 0, 100, 1, 0, .ends = 110, .stops = 1, .mem_mib = 6 }, { 50, 10, 1, 50, .mem_mib = 2, .priority = 1 },
        { 55, 10, 1, 110, .mem_mib = 8, .priority = 1 } } },

    /* ---- Cancelled: all that it did is lost ---- */
    { "cancel: at once", CANCEL, ONE_NODE(1), .useful = 10, .lost = 50, .jobs = {
        { 0, 100, 1, 0, .ends = 50, .lost = 50 }, { 50, 10, 1, 50, .priority = 1 } } },
    { "cancel: with a grace", CANCEL, ONE_NODE(1), .overhead = CAN_SAVE(31, 30), .useful = 10, .lost = 50, .saving = 30, .jobs = {
        { 0, 100, 1, 0, .ends = 80, .lost = 50 }, { 50, 10, 1, 80, .priority = 1 } } },
    { "cancel: a job that depends on it goes on", CANCEL, ONE_NODE(2), .useful = 25, .lost = 100, .jobs = {
        { 0, 100, 2, 0, .ends = 50, .lost = 50 }, { 50, 10, 1, 50, .priority = 1 }, { 1, 15, 1, 50, .after = "1" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
