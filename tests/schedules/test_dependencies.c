/* test_dependencies.c - jobs that depend on others, and jobs that ask for memory of their GPUs.
 * By hand: a job with dependencies arrives when the last of them has ended, plain ids whatever its
 * outcome; until then it waits for the dependency and no job waits behind it. Outcomes as in Slurm
 * (SchedMD/slurm:doc/man/man1/sbatch.1, --dependency): afterok after "exit code of zero", afternotok
 * after "some failed state", one that can never be met cancels its job (kill_invalid_depend). */
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
    { "afterok: the other completes", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 1, 10, .after = "afterok:1", .waits = { [WAIT_DEPENDENCY] = 10 } } } },
    { "afterok: the other fails", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true },
        { 0, 5, 1, NEVER, .after = "afterok:1", .waits = { [WAIT_DEPENDENCY] = 10 }, .refused = "depends on afterok:1, which failed" } },
      .metric = { { "jobs_cancelled", 1 }, { "jobs_failed", 1 }, { "wait_mean_s", 0 } } },
    { "afterany, after the same", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true }, { 0, 5, 1, 10, .after = "afterany:1" } } },
    { "afterok: the other is cancelled", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_CANCELLED },
        { 0, 5, 1, NEVER, .after = "afterok:1", .refused = "depends on afterok:1, which was cancelled" } } },
    { "afterok: the other never could run", "fifo", ONE_NODE(1), .jobs = {
        { 0, 9, 9, NEVER, .refused = "asks for more than the cluster has" },
        { 0, 5, 1, NEVER, .after = "afterok:1", .refused = "depends on afterok:1, which was rejected" } } },
    { "afterok: it failed long before", "fifo", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true },
        { 20, 5, 1, NEVER, .after = "afterok:1", .refused = "depends on afterok:1, which failed" }, { 20, 3, 1, 20 } } },
    { "afternotok: the other fails", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true }, { 0, 5, 1, 10, .after = "afternotok:1" } } },
    { "afternotok: the other is cancelled", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_CANCELLED }, { 0, 5, 1, 10, .after = "afternotok:1" } } },
    { "afternotok: the other completes", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 5, 1, NEVER, .after = "afternotok:1", .refused = "depends on afternotok:1, which completed" } } },
    { "case dep2: afterok cancels, and what comes after that any way runs", "fifo", ONE_NODE(8), .jobs = {
        { 0, 100, 1, 0, .fate = FATE_FAILED, .fails = true },
        { 0, 200, 8, NEVER, .after = "afterok:1", .refused = "depends on afterok:1, which failed" },
        { 0, 50, 1, 100, .after = "2", .waits = { [WAIT_DEPENDENCY] = 100 } } } },
    { "a chain: cancelled one after the other at once", "fifo", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true },
        { 0, 5, 1, NEVER, .after = "afterok:1", .refused = "depends on afterok:1, which failed" },
        { 0, 5, 1, NEVER, .after = "afterok:2", .refused = "depends on afterok:2, which was cancelled" },
        { 0, 5, 1, 10, .after = "afternotok:3" } } },
    { "one of several fails: the others are not waited for", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true }, { 0, 30, 1, 0 },
        { 0, 5, 1, NEVER, .after = "afterany:2,afterok:1", .waits = { [WAIT_DEPENDENCY] = 10 },
          .refused = "depends on afterok:1, which failed" } } },
    { "alternatives: the first that is met", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true }, { 0, 30, 1, 0 },
        { 0, 5, 1, 10, .after = "afterok:2?afternotok:1" }, { 0, 5, 1, 30, .after = "afterok:1?afterok:2" } } },
    { "alternatives: none", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true }, { 0, 30, 1, 0 },
        { 0, 5, 1, NEVER, .after = "afterok:1?afternotok:2", .waits = { [WAIT_DEPENDENCY] = 30 },
          .refused = "depends on alternatives, the last to be decided afternotok:2, which completed" } } },
    { "never met, and it waits", "fifo", ONE_NODE(2), .unmet_waits = true, .jobs = {
        { 0, 10, 1, 0, .fate = FATE_FAILED, .fails = true },
        { 0, 5, 1, NEVER, .after = "afterok:1", .waits = { [WAIT_DEPENDENCY] = 20 } },
        { 0, 5, 1, NEVER, .after = "2", .waits = { [WAIT_DEPENDENCY] = 20 } }, { 0, 20, 1, 0 } },
      .metric = { { "jobs_never_started", 2 }, { "jobs_cancelled", 0 } } },
    { "one at a time: of one user and name", "fifo", ONE_NODE(8), .jobs = {
        { 0, 10, 1, 0, .user = "ann", .after = "singleton:x" }, { 1, 5, 1, 10, .user = "ann", .after = "singleton:x" },
        { 1, 5, 1, 1, .user = "ann", .after = "singleton:y" }, { 1, 5, 1, 1, .user = "bob", .after = "singleton:x" },
        { 2, 5, 1, 15, .user = "ann", .after = "singleton:x", .waits = { [WAIT_DEPENDENCY] = 13 } } } },
    { "one at a time: one that is cancelled gives no turn before it has its own", "fifo", ONE_NODE(8), .jobs = {
        { 0, 3, 1, 0, .fate = FATE_FAILED, .fails = true }, { 0, 10, 1, 0, .user = "ann", .after = "singleton" },
        { 0, 5, 1, NEVER, .user = "ann", .after = "singleton;afterok:1", .refused = "depends on afterok:1, which failed" },
        { 0, 5, 1, 10, .user = "ann", .after = "singleton" } } },
    { "one at a time: one that waits for another job keeps its turn", "fifo", ONE_NODE(8), .jobs = {
        { 0, 20, 1, 0 }, { 0, 10, 1, 20, .user = "ann", .after = "1;singleton" },
        { 0, 5, 1, 30, .user = "ann", .after = "singleton" } } },
    /* sbatch.1: after "can begin execution after the specified jobs have started or been cancelled" */
    { "after: the other starts", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 2, 0 }, { 0, 9, 1, 10 }, { 0, 5, 1, 10, .after = "after:2", .waits = { [WAIT_DEPENDENCY] = 10 } } } },
    { "after: it started long before, and has ended", "fifo", ONE_NODE(2), .jobs = {
        { 0, 3, 1, 0 }, { 9, 5, 1, 9, .after = "after:1" } } },
    { "after: it runs already", "fifo", ONE_NODE(2), .jobs = { { 0, 9, 1, 0, .on = "0:0" }, { 0, 5, 1, 0, .after = "after:1" } } },
    { "after: it is refused", "fifo", ONE_NODE(1), .jobs = {
        { 3, 9, 9, NEVER, .refused = "asks for more than the cluster has" },
        { 0, 5, 1, 3, .after = "after:1", .waits = { [WAIT_DEPENDENCY] = 3 } } } },
    { "after: started twice, it is met once", "priority:preempt=yes", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .ends = 13, .stops = 1 }, { 2, 3, 1, 2, .priority = 1 }, { 0, 30, 1, 0, .priority = 2 },
        { 0, 5, 1, 30, .after = "after:1;afterany:3", .waits = { [WAIT_DEPENDENCY] = 30 } } } },
    /* 1 and 2 from 0; 3 when 2 ends; 4 when 3 ends; 5 when 1 ends */
    { "limit: two of a name at a time", "fifo", ONE_NODE(8), .jobs = {
        { 0, 10, 1, 0, .after = "limit:2:a" }, { 0, 4, 1, 0, .after = "limit:2:a" },
        { 0, 5, 1, 4, .after = "limit:2:a", .waits = { [WAIT_DEPENDENCY] = 4 } }, { 0, 3, 1, 9, .after = "limit:2:a" },
        { 0, 2, 1, 10, .after = "limit:2:a" }, { 0, 2, 1, 0, .after = "limit:2:b" }, { 0, 2, 1, 0 } } },
    { "limit: it has no user", "fifo", ONE_NODE(8), .jobs = {
        { 0, 10, 1, 0, .user = "ann", .after = "limit:1:a" }, { 0, 4, 1, 10, .user = "bob", .after = "limit:1:a" } } },
    { "limit: one that is cancelled has no place", "fifo", ONE_NODE(8), .jobs = {
        { 0, 3, 1, 0, .fate = FATE_FAILED, .fails = true }, { 0, 10, 1, 0, .after = "limit:2:a" },
        { 0, 8, 1, NEVER, .after = "afterok:1;limit:2:a", .refused = "depends on afterok:1, which failed" },
        { 0, 5, 1, 3, .after = "limit:2:a" }, { 0, 5, 1, 8, .after = "limit:2:a" } } },
    { "limit: those that run already come first, even more of them", "fifo", ONE_NODE(8), .jobs = {
        { 0, 5, 1, 12, .after = "limit:2:a" }, { 0, 9, 1, 0, .on = "0:0", .after = "limit:2:a" },
        { 0, 12, 1, 0, .on = "0:1", .after = "limit:2:a" }, { 0, 20, 1, 0, .on = "0:2", .after = "limit:2:a" } } },

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
