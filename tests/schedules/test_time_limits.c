/* test_time_limits.c - jobs that end at their time limits, by hand: docs/models.md 3.8. A job of 1000 s with a limit of 100 s
 * ends at 100 s; Slurm 22.05.8 ended sleeps with a limit of 60 s after 61 to 80 s, as it looks every 30 s. */
#include "tests/support/schedule.h"

#define S(seconds) ((int64_t)((seconds) * 1e9))
#define LIMITED    .limits = { .enforce = true }

/* clang-format off */
static const struct schedule rows[] = {
    { "control: without the section it runs on", "fifo", ONE_NODE(1), .jobs = { { 0, 1000, 1, 0, .estimate = 100 } } },
    { "at the limit", "fifo", ONE_NODE(1), LIMITED, .jobs = {
        { 0, 1000, 1, 0, .ends = 100, .estimate = 100, .fails = true }, { 0, 5, 1, 100, .estimate = 10 } },
      .metric = { { "jobs_timed_out", 1 }, { "jobs_failed", 1 } } },
    { "done at the limit: it completes", "fifo", ONE_NODE(1), LIMITED, .jobs = { { 0, 100, 1, 0, .estimate = 100 } },
      .metric = { { "jobs_timed_out", 0 } } },
    { "without an estimate there is none", "fifo", ONE_NODE(1), LIMITED, .jobs = { { 0, 1000, 1, 0 } } },
    { "so far over it", "fifo", ONE_NODE(1), .limits = { true, .over_ns = S(20) }, .jobs = {
        { 0, 1000, 1, 0, .ends = 120, .estimate = 100, .fails = true }, { 120, 119, 1, 120, .estimate = 100 } } },
    { "looked for every 30 s", "fifo", ONE_NODE(1), .limits = { true, .check_ns = S(30) }, .jobs = {
        { 5, 1000, 1, 5, .ends = 120, .estimate = 100, .fails = true } } },
    { "a look at the limit itself", "fifo", ONE_NODE(1), .limits = { true, .check_ns = S(30) }, .jobs = {
        { 20, 1000, 1, 20, .ends = 120, .estimate = 100, .fails = true } } },
    { "then it holds on", "fifo", ONE_NODE(1), .limits = { true, .check_ns = S(30), .grace_ns = S(7) }, .jobs = {
        { 5, 1000, 1, 5, .ends = 127, .estimate = 100, .fails = true } } },
    { "and may be done by then", "fifo", ONE_NODE(1), .limits = { true, .grace_ns = S(7) }, .jobs = {
        { 0, 106, 1, 0, .estimate = 100 } } },
    { "the time waited does not count", "fifo", ONE_NODE(1), LIMITED, .jobs = {
        { 0, 50, 1, 0, .estimate = 60 }, { 0, 1000, 1, 50, .ends = 150, .estimate = 100, .fails = true } } },
    { "start-up does", "fifo", ONE_NODE(1), LIMITED, .overhead = { .checkpoint = CHECKPOINT_PERFECT, .start_ns = S(40) }, .jobs = {
        { 0, 70, 1, 0, .ends = 100, .estimate = 100, .fails = true } } },
    /* stopped at 40 with nothing kept, it starts anew at 50 with all of its limit */
    { "a restart begins anew", "priority:preempt=yes", ONE_NODE(1), LIMITED, .jobs = {
        { 0, 90, 1, 0, .ends = 140, .estimate = 95, .stops = 1, .lost = 40 }, { 40, 10, 1, 40, .priority = 1, .estimate = 20 } } },
    /* it has run 30 s, is suspended for 50, and has 70 more */
    { "time suspended does not count", "preemptive:mode=suspend", ONE_NODE(1), LIMITED,
      .overhead = { .checkpoint = CHECKPOINT_PERFECT }, .jobs = {
        { 0, 1000, 1, 0, .ends = 150, .estimate = 100, .stops = 1, .fails = true },
        { 30, 50, 1, 30, .priority = 1, .estimate = 60 } } },
    { "of a job that ran before", "fifo", ONE_NODE(1), LIMITED, .jobs = {
        { 0, 1000, 1, 0, .ends = 60, .estimate = 100, .on = "0", .ran = 40, .fails = true } } },
    { "afterok of one that timed out", "fifo", ONE_NODE(1), LIMITED, .jobs = {
        { 0, 1000, 1, 0, .ends = 100, .estimate = 100, .fails = true },
        { 0, 5, 1, NEVER, .after = "afterok:1", .refused = "depends on afterok:1, which failed" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
