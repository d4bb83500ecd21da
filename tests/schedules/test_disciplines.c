/* test_disciplines.c - fifo, sjf, srtf and priority, scope and blocking: schedules worked out by
 * hand. */
#include "tests/support/schedule.h"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- fifo. models.md 11.2, item 1: job 2 needs both GPUs ---- */
    { "fifo: the head blocks", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 },
        { 0, 5, 2, 10, .waits = { [WAIT_GPUS] = 10 } },
        { 1, 3, 1, 15, .waits = { [WAIT_ORDER] = 9, [WAIT_GPUS] = 5 } } } },
    { "fifo: skip", "fifo:blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 2, 10, .waits = { [WAIT_GPUS] = 10 } }, { 1, 3, 1, 1 } } },
    { "fifo: skip makes no promise to the head", "fifo:blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 2, 21 }, { 1, 20, 1, 1 } } },
    /* ---- loss: at 2 the one-GPU job finds room, the next one like it does not; when room is there again, it is tried anew */
    { "loss: a job that does not fit is refused", "loss", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 2, NEVER, .refused = "no room when it arrived" }, { 2, 3, 1, 2 },
        { 3, 1, 1, NEVER, .refused = "no room when it arrived" }, { 5, 1, 1, 5 }, { 10, 5, 2, 10 } } },
    { "loss: between two passes, in the order of arrival", "loss", ONE_NODE(2), .period = 10, .jobs = {
        { 1, 10, 2, 10, .waits = { [WAIT_PASS] = 9 } },
        { 2, 10, 1, NEVER, .refused = "no room when it arrived", .waits = { [WAIT_PASS] = 8 } } } },
    { "fifo: pool, the head blocks other queues too", "fifo:scope=pool", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "a" }, { 1, 3, 1, 15, .queue = "b" } } },
    { "fifo: queue, the head blocks its own line only", "fifo:scope=queue", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "a" }, { 1, 3, 1, 1, .queue = "b" } } },
    /* At 4 two GPUs are free: for the third queue's head alone. At 10 all four are, for the first's */
    { "fifo: queue, heads wait until GPUs for them are free", "fifo:scope=queue", ONE_NODE(4), .jobs = {
        { 0, 10, 2, 0, .queue = "a" }, { 0, 4, 2, 0, .queue = "b" },
        { 1, 5, 4, 10, .queue = "a", .waits = { [WAIT_GPUS] = 9 } },
        { 1, 3, 3, 15, .queue = "b", .waits = { [WAIT_GPUS] = 14 } },
        { 2, 2, 2, 4, .queue = "c", .waits = { [WAIT_GPUS] = 2 } } } },
    { "fifo: lines are merged by submit time", "fifo:scope=queue", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0, .queue = "b" }, { 1, 1, 1, 10, .queue = "b" }, { 2, 1, 1, 11, .queue = "a" },
        { 3, 1, 1, 12, .queue = "b" } } },
    { "fifo: skip within a queue", "fifo:scope=queue,blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 0, 5, 2, 10, .queue = "a" }, { 1, 3, 1, 1, .queue = "a" } } },
    /* models.md 11.2, item 2: completions 8, 12, 14, 15: mean 12.25 */
    { "fifo: four at once", "fifo", ONE_NODE(1), .jobs = { { 0, 8, 1, 0 }, { 0, 4, 1, 8 }, { 0, 2, 1, 12 }, { 0, 1, 1, 14 } } },
    /* item 3 */
    { "fifo: a gang of 16", "fifo", { NODES(2, 8) }, .jobs = {
        { 0, 100, 1, 0, .took = "0:0" }, { 0, 50, 16, 100, .tasks = 2, .took = "0:01234567 1:01234567" },
        { 10, 1, 1, 150 } } },
    { "fifo: a total of 16", "fifo", { NODES(2, 8) }, .jobs = {
        { 0, 100, 1, 0 }, { 0, 50, 16, 100, .took = "0:01234567 1:01234567" } } },

    /* ---- sjf. Completions 1, 3, 7, 15: mean 6.5 ---- */
    { "sjf: four at once", "sjf", ONE_NODE(1), .jobs = { { 0, 8, 1, 7 }, { 0, 4, 1, 3 }, { 0, 2, 1, 1 }, { 0, 1, 1, 0 } } },
    { "sjf: does not preempt", "sjf", ONE_NODE(1), .jobs = { { 0, 8, 1, 0 }, { 1, 1, 1, 8 } } },
    { "sjf: the shortest blocks", "sjf", ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 1, 2, 2, 10 }, { 1, 3, 1, 12 } } },
    { "sjf: skip", "sjf:blocking=skip", ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 1, 2, 2, 10 }, { 1, 3, 1, 1 } } },
    { "sjf: the head is overtaken, and is behind others again", "sjf", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 1, 12, .waits = { [WAIT_GPUS] = 3, [WAIT_ORDER] = 8 } }, { 2, 2, 1, 10, .waits = { [WAIT_GPUS] = 8 } } } },
    { "sjf: pool", "sjf:scope=pool", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 1, 2, 2, 10, .queue = "a" }, { 1, 3, 1, 12, .queue = "b" } } },
    { "sjf: queue", "sjf:scope=queue", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 1, 2, 2, 10, .queue = "a" }, { 1, 3, 1, 1, .queue = "b" } } },
    { "sjf: queue, a shorter job comes ahead of a head that lacks GPUs", "sjf:scope=queue", ONE_NODE(4), .jobs = {
        { 0, 10, 3, 0, .queue = "b" }, { 1, 9, 2, 10, .queue = "a", .waits = { [WAIT_GPUS] = 9 } },
        { 2, 5, 1, 2, .queue = "a" } } },

    /* ---- srtf. At 2 job 1 has 8 s left, at 5 as well: job 3 with 4 s goes first ---- */
    { "srtf: the longest gives way", "srtf", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .ends = 17, .stops = 1 }, { 2, 3, 1, 2 }, { 4, 4, 1, 5 } } },
    { "srtf: equal ones do not give way", "srtf", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 4, 6, 1, 10 } } },
    /* At 10 job 3 has 21 s left of its 30, job 2 all of its 20 */
    { "srtf: skip", "srtf", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 1, 20, 2, 10 }, { 1, 30, 1, 1, .ends = 51, .stops = 1 } } },
    { "srtf: strict", "srtf:blocking=strict", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 1, 20, 2, 10 }, { 1, 30, 1, 30 } } },
    { "srtf: who may not be preempted stays", "srtf", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 1, 20, 2, 31 }, { 1, 30, 1, 1, .stays = true } } },
    { "srtf: pool, one queue preempts another", "srtf:scope=pool", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .ends = 13, .stops = 1, .queue = "a" }, { 2, 3, 1, 2, .queue = "b" } } },
    { "srtf: queue, nobody else's jobs give way", "srtf:scope=queue", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 2, 3, 1, 10, .queue = "b" } } },
    { "srtf: queue, strict", "srtf:scope=queue,blocking=strict", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 1, 20, 2, 31, .queue = "a" }, { 1, 30, 1, 1, .queue = "b" } } },

    /* ---- priority ---- */
    { "priority: the higher first", "priority", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 1, 15 }, { 2, 5, 1, 10, .priority = 1 }, { 3, 5, 1, 20, .priority = -1 } } },
    { "priority: strict", "priority", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 2, 10, .priority = 5 }, { 2, 3, 1, 15, .priority = 1 } } },
    { "priority: skip", "priority:blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 2, 10, .priority = 5 }, { 2, 3, 1, 2, .priority = 1 } } },
    { "priority: pool", "priority:scope=pool", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 1, 5, 2, 10, .priority = 5, .queue = "a" }, { 2, 3, 1, 15, .queue = "b" } } },
    { "priority: queue", "priority:scope=queue", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 1, 5, 2, 10, .priority = 5, .queue = "a" }, { 2, 3, 1, 2, .queue = "b" } } },

    /* ---- priority:preempt=yes ---- */
    { "preempt: the lower gives way", "priority:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .ends = 13, .stops = 1 }, { 4, 3, 1, 4, .priority = 1 } } },
    { "preempt: an equal does not", "priority:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 4, 3, 1, 10 } } },
    { "preempt: no", "priority:preempt=no", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 4, 3, 1, 10, .priority = 1 } } },
    { "preempt: queue, nobody else's jobs give way", "priority:preempt=yes,scope=queue", ONE_NODE(1), .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 10, 1, 0, .queue = "a" }, { 4, 3, 1, 10, .priority = 1, .queue = "b" } } },
    { "preempt: strict", "priority:preempt=yes", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .priority = 2 }, { 1, 5, 2, 10, .priority = 1 }, { 2, 20, 1, 15 } } },
    /* job 3 has had 8 s when job 2 takes both GPUs at 10 */
    { "preempt: skip", "priority:preempt=yes,blocking=skip", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .priority = 2 }, { 1, 5, 2, 10, .priority = 1 }, { 2, 20, 1, 2, .ends = 27, .stops = 1 } } },
    { "preempt: not in vain", "priority:preempt=yes", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .priority = 2 }, { 0, 9, 1, 0 }, { 1, 5, 2, 10, .priority = 1 } } },
    /* jobs 3 and 4 would free two GPUs, but never of one node */
    { "preempt: not in vain, by place", "priority:preempt=yes", { NODES(2, 2) }, .placer = "spread", .overhead = FREE_OF_CHARGE,
      .jobs = {
        { 0, 20, 1, 0, .priority = 2, .took = "0:0" }, { 0, 30, 1, 0, .priority = 2, .took = "1:0" },
        { 0, 10, 1, 0, .took = "0:1" }, { 0, 10, 1, 0, .took = "1:1" },
        { 2, 5, 2, 20, .tasks = 1, .priority = 1, .waits = { [WAIT_GPUS] = 8, [WAIT_FRAGMENTED] = 10 } } } },
    /* jobs 3 and 2 give way to job 4; they have had 1 s and 2 s */
    { "preempt: the last come first", "priority:preempt=yes", ONE_NODE(4), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 2, 0 }, { 1, 10, 1, 1, .ends = 16, .stops = 1 }, { 2, 10, 1, 2, .ends = 17, .stops = 1 },
        { 3, 5, 2, 3, .priority = 1 } } },
    /* job 2 would be stopped before job 1, but it fits beside job 3 after all */
    { "preempt: whoever still fits stays", "priority:preempt=yes", ONE_NODE(4), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 3, 0, .ends = 15, .stops = 1, .took = "0:012; 0:012" }, { 1, 10, 1, 1, .took = "0:3" },
        { 2, 5, 3, 2, .priority = 1, .took = "0:012" } } },
    /* job 3 would also fit on GPU 4, but moving has a price */
    { "preempt: whoever still fits stays where it is", "priority:preempt=yes", ONE_NODE(6), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 3, 0, .ends = 15, .stops = 1, .took = "0:012; 0:012" }, { 0, 2, 2, 0, .took = "0:34" },
        { 1, 10, 1, 1, .took = "0:5" }, { 3, 5, 4, 3, .priority = 1, .took = "0:0123" } } },
    /* GPU 0 is job 3's when job 4 takes the lowest three */
    { "preempt: whoever still fits elsewhere moves", "priority:preempt=yes", ONE_NODE(4), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 1, 1, 0, .took = "0:0" }, { 0, 10, 3, 0, .ends = 15, .stops = 1, .took = "0:123; 0:012" },
        { 1, 10, 1, 1, .stops = 1, .took = "0:0; 0:3" }, { 2, 5, 3, 2, .priority = 1, .took = "0:012" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
