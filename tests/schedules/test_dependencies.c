/* test_dependencies.c - jobs that depend on others, and jobs that ask for memory of their GPUs.
 * By hand: a job with dependencies arrives when the last of them has ended, whatever its
 * outcome; until then it waits for the dependency and no job waits behind it. */
#include "tests/support/schedule.h"

#define GPUS_OF(n, mib)                                                                                                \
    {                                                                                                                  \
        .name = (n), .gpu_model = (n), .count = 1, .gpus = 1, .gpu_mem_mib = (mib), .cpu_milli = INT64_MAX,            \
        .mem_mib = INT64_MAX                                                                                           \
    }

/* clang-format off */
static const struct schedule rows[] = {
    { "control: without a dependency both start at once", "fifo", ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 0, 5, 1, 0 } } },
    { "after another", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 1, 10, .after = "1", .waits = { [WAIT_DEPENDENCY] = 10 } } } },
    { "no job waits behind it", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 2, 10, .after = "1" }, { 1, 3, 1, 1 } } },
    { "on one that has ended already", "fifo", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 20, 5, 1, 20, .after = "1" } } },
    { "on one that ends now", "fifo", ONE_NODE(1), .jobs = { { 0, 10, 1, 0 }, { 10, 5, 1, 10, .after = "1" } } },
    { "on one that is submitted later", "fifo", ONE_NODE(2), .jobs = {
        { 0, 5, 1, 12, .after = "2", .waits = { [WAIT_DEPENDENCY] = 12 } }, { 2, 10, 1, 2 } } },
    { "of two the last counts", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 4, 1, 0 }, { 0, 5, 1, 10, .after = "1;2", .waits = { [WAIT_DEPENDENCY] = 10 } } } },
    { "one behind the other", "fifo", ONE_NODE(9), .jobs = {
        { 0, 1, 1, 0 }, { 0, 2, 1, 1, .after = "1" }, { 0, 3, 1, 3, .after = "2" }, { 0, 1, 1, 6, .after = "1;3" } } },
    { "of no length, one behind the other", "fifo", ONE_NODE(1), .jobs = {
        { 0, 0, 1, 0 }, { 0, 0, 1, 0, .after = "1" }, { 0, 5, 1, 0, .after = "2" } } },
    { "arrived, it stands where its submit time puts it", "fifo", ONE_NODE(1), .jobs = {
        { 0, 4, 1, 0 }, { 0, 5, 1, 4, .after = "1" }, { 1, 6, 1, 9 } } },
    { "then it waits like any other", "sjf", ONE_NODE(1), .jobs = {
        { 0, 4, 1, 0 }, { 0, 5, 1, 6, .after = "1", .waits = { [WAIT_DEPENDENCY] = 4, [WAIT_GPUS] = 2 } }, { 1, 2, 1, 4 } } },
    { "on one that is refused", "fifo", ONE_NODE(1), .jobs = {
        { 0, 9, 9, NEVER, .refused = "asks for more than the cluster has" }, { 0, 5, 1, 0, .after = "1" } } },
    { "on one that comes and is refused", "fifo", ONE_NODE(1), .jobs = {
        { 0, 5, 1, 3, .after = "2", .waits = { [WAIT_DEPENDENCY] = 3 } },
        { 3, 9, 9, NEVER, .refused = "asks for more than the cluster has" } } },
    { "refused when it arrives, and one behind it", "fifo", ONE_NODE(1), .jobs = {
        { 0, 4, 1, 0 }, { 0, 9, 9, NEVER, .after = "1", .refused = "asks for more than the cluster has" },
        { 0, 5, 1, 4, .after = "2", .waits = { [WAIT_DEPENDENCY] = 4 } } } },
    { "on one that is preempted", "priority:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .ends = 13, .stops = 1 }, { 0, 1, 1, 13, .after = "1" }, { 2, 3, 1, 2, .priority = 1 } } },
    { "periodic: it waits for the next pass", "fifo", ONE_NODE(1), .period = 10, .jobs = {
        { 0, 3, 1, 0 }, { 0, 5, 1, 10, .after = "1", .waits = { [WAIT_DEPENDENCY] = 3, [WAIT_PASS] = 7 } } } },
    { "cut-off: still waiting", "fifo", ONE_NODE(1), .until = 7, .useful = 7, .jobs = {
        { 0, 10, 1, 0, .ends = NEVER }, { 0, 5, 1, NEVER, .after = "1", .waits = { [WAIT_DEPENDENCY] = 7 } } } },
    { "on one that the policy refuses", "static", ONE_NODE(2), .queue = { QUEUE("q", 1) }, .jobs = {
        { 1, 5, 2, NEVER, .queue = "q", .refused = "asks for more than the 1 GPUs of its queue" },
        { 0, 5, 1, 1, .queue = "q", .after = "1", .waits = { [WAIT_DEPENDENCY] = 1 } } } },

    { "memory of a GPU: only where there is as much", "fifo", { GPUS_OF("small", 16384), GPUS_OF("large", 40960) }, .jobs = {
        { 0, 5, 1, 0, .gpu_mem_mib = 16385, .took = "1:0" }, { 0, 5, 1, 0, .gpu_mem_mib = 16384, .took = "0:0" },
        { 1, 5, 1, 5, .gpu_mem_mib = 40960, .took = "1:0" } } },
    { "memory of a GPU: more than any has", "fifo", { GPUS_OF("small", 16384) }, .jobs = {
        { 0, 5, 1, NEVER, .gpu_mem_mib = 16385, .refused = "no node has GPUs of its model with as much memory" } } },
    { "memory of a GPU: not known, so it will do", "fifo", ONE_NODE(1), .jobs = { { 0, 5, 1, 0, .gpu_mem_mib = 40960 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
