/* test_attained.c - srsf, las and las2d: schedules worked out by hand. A preemption costs
 * nothing unless a row says so. */
#include "tests/support/schedule.h"

#define FREE .overhead = FREE_OF_CHARGE

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- srsf. At 2 job 1 has 8 s x 1 GPU left: less than 5 s x 2, more than 3 s x 2 ---- */
    { "srsf: more GPUs, more service", "srsf", ONE_NODE(2), FREE, .jobs = { { 0, 10, 1, 0 }, { 2, 5, 2, 10 } } },
    { "srsf: the larger is preempted", "srsf", ONE_NODE(2), FREE, .jobs = {
        { 0, 10, 1, 0, .ends = 13, .stops = 1 }, { 2, 3, 2, 2 } } },
    /* At 4 jobs 1 and 2 have 6 x 2 and 11 x 1 GPU-s left: job 1 is the last in the order though it ends first */
    { "srsf: what is left shrinks faster on more GPUs", "srsf", ONE_NODE(3), FREE, .jobs = {
        { 0, 10, 2, 0, .ends = 15, .stops = 1 }, { 0, 15, 1, 0 }, { 4, 5, 2, 4 } } },
    /* At 8: 2 x 2 and 7 x 1. Now job 2 is, and frees the GPU that job 3 wants */
    { "srsf: and overtakes", "srsf", ONE_NODE(3), FREE, .jobs = {
        { 0, 10, 2, 0 }, { 0, 15, 1, 0, .ends = 17, .stops = 1 }, { 8, 2, 1, 8 } } },
    { "srsf: equal ones are not preempted", "srsf", ONE_NODE(2), FREE, .jobs = { { 0, 10, 1, 0 }, { 2, 4, 2, 10 } } },

    /* ---- las: a threshold at 4 s ---- */
    { "las: demoted at the very moment, and preempted", "las:threshold1=4", ONE_NODE(1), FREE, .jobs = {
        { 0, 10, 1, 0, .ends = 13, .stops = 1 }, { 1, 3, 1, 4 } } },
    { "las: within a queue a running job goes on", "las:threshold1=4", ONE_NODE(1), FREE, .jobs = { { 0, 4, 1, 0 }, { 1, 2, 1, 4 } } },
    { "las: a new job is ahead of one that has been demoted", "las:threshold1=4", ONE_NODE(1), FREE, .jobs = {
        { 0, 10, 1, 0, .ends = 11, .stops = 1 }, { 6, 1, 1, 6 } } },
    /* 2: job 1 falls, job 2 runs; 4: it falls too, but it is running; 6: falls again, job 1 is ahead; 8: so does job 1 */
    { "las: three queues", "las:threshold1=2,threshold2=4,promote=0", ONE_NODE(1), FREE, .jobs = {
        { 0, 8, 1, 0, .ends = 12, .stops = 1 }, { 0, 8, 1, 2, .ends = 16, .stops = 1 } } },
    /* In the second queue since 4 and 2. At 6, beside job 4, there is room for one of them */
    { "las2d: waiting jobs go by time of entry", "las2d:threshold1=4,threshold2=0,promote=0", ONE_NODE(3), FREE, .jobs = {
        { 0, 10, 1, 0, .ends = 14, .stops = 1 }, { 0, 8, 2, 0, .ends = 9, .stops = 1 }, { 5, 1, 3, 5 }, { 5.5, 3, 1, 6 } } },
    { "las: no first queue", "las:threshold1=0,threshold2=5", ONE_NODE(1), FREE, .jobs = {
        { 0, 10, 1, 0, .ends = 12, .stops = 1 }, { 1, 2, 1, 5 } } },
    { "las: one queue is fifo", "las:threshold1=0,threshold2=0", ONE_NODE(1), FREE, .jobs = { { 0, 10, 1, 0 }, { 1, 2, 1, 10 } } },
    { "las: two GPUs, seconds", "las:threshold1=8", ONE_NODE(2), FREE, .jobs = {
        { 0, 10, 2, 0, .ends = 12, .stops = 1 }, { 1, 2, 2, 8 } } },
    { "las: a job that is not preemptible stays", "las:threshold1=4", ONE_NODE(1), FREE, .jobs = {
        { 0, 10, 1, 0, .stays = true }, { 1, 3, 1, 10 } } },
    { "las: queue, jobs of other queues are not preempted", "las:threshold1=4,scope=queue", ONE_NODE(1), FREE, .jobs = {
        { 0, 10, 1, 0, .queue = "a" }, { 1, 3, 1, 10, .queue = "b" } } },
    { "las: skip", "las:threshold1=4", ONE_NODE(2), FREE, .jobs = { { 0, 3, 1, 0 }, { 1, 5, 2, 3 + 1 }, { 2, 2, 1, 2 } } },
    { "las: strict", "las:threshold1=4,blocking=strict", ONE_NODE(2), FREE, .jobs = {
        { 0, 3, 1, 0 }, { 1, 4, 2, 3 }, { 2, 2, 1, 7 } } },
    /* Job 1 leaves its GPU from 4 to 6, with 6 s to do */
    { "las: saving has its price", "las:threshold1=4", ONE_NODE(1), .overhead = SAVE_TAKES(2), .jobs = {
        { 0, 10, 1, 0, .ends = 15, .stops = 1 }, { 1, 3, 1, 6 } } },

    /* ---- las: promotion. Job 1 waits from 2, with 2 s of service; both jobs are in the second queue at 4 ---- */
    { "las: never promoted", "las:threshold1=2,threshold2=0,promote=0", ONE_NODE(1), FREE, .jobs = {
        { 0, 6, 1, 0, .ends = 16, .stops = 1 }, { 1, 10, 1, 2 } } },
    /* At 6 it is in the first queue again and runs, at 8 both are in the second */
    { "las: promoted after twice its service", "las:threshold1=2,threshold2=0,promote=2", ONE_NODE(1), FREE, .jobs = {
        { 0, 6, 1, 0, .ends = 10, .stops = 1 }, { 1, 10, 1, 2, .ends = 16, .stops = 1 } } },
    /* At 4, 6 and 8 one is promoted when the other falls */
    { "las: promoted after once its service", "las:threshold1=2,threshold2=0,promote=1", ONE_NODE(1), FREE, .jobs = {
        { 0, 6, 1, 0, .ends = 10, .stops = 2 }, { 1, 10, 1, 2, .ends = 16, .stops = 2 } } },

    /* ---- order=list. At 2, 4, 6 and 8 the job that falls stands behind the one that waits ---- */
    { "las: list, three queues", "las:threshold1=2,threshold2=4,promote=0,order=list", ONE_NODE(1), FREE, .jobs = {
        { 0, 8, 1, 0, .ends = 12, .stops = 2 }, { 0, 8, 1, 2, .ends = 16, .stops = 2 } } },
    /* At 8 jobs 2 and 3 fall behind job 1, and beside job 4 only one GPU is free: job 2 keeps it, job 3 waits. At 10
     * job 5 takes it: job 2 stands before job 1 now, and at 12 jobs 2 and 3 run, where order=entry starts job 1 */
    { "las: list, what is preempted stands before what waits", "las:threshold1=4,threshold2=0,promote=0,order=list", ONE_NODE(2),
      FREE, .jobs = { { 0, 10, 2, 0, .ends = 24, .stops = 1 }, { 0, 10, 1, 4, .ends = 16, .stops = 1 },
        { 0, 10, 1, 4, .ends = 18, .stops = 1 }, { 8, 4, 1, 8 }, { 10, 2, 1, 10 } } },
    { "las: the same by time of entry", "las:threshold1=4,threshold2=0,promote=0", ONE_NODE(2),
      FREE, .jobs = { { 0, 10, 2, 0, .ends = 18, .stops = 1 }, { 0, 10, 1, 4, .ends = 22, .stops = 1 },
        { 0, 10, 1, 4, .ends = 24, .stops = 1 }, { 8, 4, 1, 8 }, { 10, 2, 1, 10 } } },
    /* A pass at 1: the next look is ceil((8 - 1) / 2) = 4 s later. Alone it falls at 8 / 2 */
    { "las2d: list, falls late after a pass", "las2d:threshold1=8,order=list", ONE_NODE(2), FREE, .jobs = {
        { 0, 10, 2, 0, .ends = 12, .stops = 1 }, { 1, 2, 2, 5 } } },
    { "las2d: list, falls in time", "las2d:threshold1=8,order=list", ONE_NODE(2), FREE, .jobs = {
        { 0, 10, 2, 0, .ends = 12, .stops = 1 }, { 4, 2, 2, 4 } } },
    /* 13 GPU-s of 3 GPUs are 4.33 s, looked at after whole seconds */
    { "las2d: list, whole seconds", "las2d:threshold1=13,order=list", ONE_NODE(3), FREE, .jobs = {
        { 0, 10, 3, 0, .ends = 12, .stops = 1 }, { 0, 2, 3, 5 } } },
    /* Looks are due at 5 for job 1 and at 7 for job 2; that at 5 puts job 2's off to 5 + ceil((13 - 5) / 2) */
    { "las2d: list, a look puts off the next", "las2d:threshold1=13,order=list", ONE_NODE(5), FREE, .jobs = {
        { 0, 10, 3, 0, .ends = 12, .stops = 1 }, { 0, 10, 2, 0, .ends = 12, .stops = 1 }, { 0, 2, 5, 9 } } },
    /* Job 2 waits from 4 to 6 and from 7, with 3 s of service: promoted at 11, before job 6 comes */
    { "las: list, all waiting counts for promotion", "las:threshold1=2,threshold2=0,promote=2,order=list", ONE_NODE(1), FREE,
      .jobs = { { 0, 4, 1, 0, .ends = 6, .stops = 1 }, { 0, 10, 1, 2, .ends = 22, .stops = 3 }, { 7, 2, 1, 7 }, { 8, 2, 1, 9 },
        { 8, 2, 1, 11 }, { 12, 2, 1, 15 } } },

    /* ---- las, continuous: round robin by quanta of 1 s ---- */
    { "las: continuous", "las:continuous=yes,quantum_s=1", ONE_NODE(1), FREE, .jobs = {
        { 0, 3, 1, 0, .ends = 5, .stops = 2 }, { 0, 3, 1, 1, .ends = 6, .stops = 2 } } },
    { "las: continuous, a new job goes first at once", "las:continuous=yes,quantum_s=1", ONE_NODE(1), FREE, .jobs = {
        { 0, 5, 1, 0, .ends = 6, .stops = 1 }, { 2.5, 1, 1, 2.5 } } },
    /* Job 2 catches up at 4, then job 1 has its third second before it */
    { "las: continuous, a later job catches up", "las:continuous=yes,quantum_s=1", ONE_NODE(1), FREE, .jobs = {
        { 0, 3, 1, 0, .ends = 5, .stops = 1 }, { 2, 3, 1, 2, .ends = 6, .stops = 1 } } },

    /* ---- las2d: a threshold at 8 GPU-s ---- */
    { "las2d: two GPUs, GPU-seconds", "las2d:threshold1=8", ONE_NODE(2), FREE, .jobs = {
        { 0, 10, 2, 0, .ends = 12, .stops = 1 }, { 1, 2, 2, 4 } } },
    /* Half a GPU: 16 s */
    { "las2d: a share of a GPU", "las2d:threshold1=8", ONE_NODE(1), FREE, .jobs = {
        { 0, 20, 1, 0, .ends = 22, .stops = 1, .shares = .5 }, { 1, 2, 1, 16 } } },
    /* Rounds of 2 GPU-s: job 1 crosses each second, job 2 every two */
    { "las2d: continuous", "las2d:continuous=yes,quantum_s=2", ONE_NODE(2), FREE, .jobs = {
        { 0, 3, 2, 0, .ends = 7, .stops = 2 }, { 0, 4, 1, 1, .ends = 6, .stops = 1 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
