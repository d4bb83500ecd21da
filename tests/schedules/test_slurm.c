/* test_slurm.c - policy `slurm` on one partition of all nodes, by hand: docs/schedulers.md f.8. Partitions, limits and preemption
 * are those of recordings of a real Slurm (tests/e2e/slurm_recordings.sh). Each row names the rule that its times follow from. */
#include "tests/support/schedule.h"

#define SLURM     "slurm:batch_sched_delay=0,bf_interval=30"
#define MAIN_ONLY "slurm:batch_sched_delay=0,scheduler=builtin"

/* clang-format off */
static const struct schedule rows[] = {
    { "one after the other", SLURM, ONE_NODE(1), .jobs = { { 0, 10, 1, 0 }, { 0, 5, 1, 10 } } },
    { "at a whole second", SLURM, ONE_NODE(1), .jobs = { { .5, 10, 1, 1 }, { 2.25, 5, 1, 11 } } },
    /* the second submission is 1 s after the last pass: 3 s have to pass */
    { "submissions wait for batch_sched_delay", "slurm:scheduler=builtin", ONE_NODE(2), .jobs = { { 0, 10, 1, 0 }, { 1, 5, 1, 3 } } },
    { "an end does not", "slurm:scheduler=builtin", ONE_NODE(1), .jobs = { { 0, 2, 1, 0 }, { 0, 5, 1, 2 } } },
    { "a head without room blocks its partition", MAIN_ONLY, ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0, .estimate = 60 }, { 0, 10, 2, 100, .estimate = 60 }, { 0, 10, 1, 110, .estimate = 60 } } },
    /* the cycle at 0: 2 is reserved from 120 on, by the limit of 1; 3 ends by 60 and starts */
    { "backfill starts what ends before the reservation", SLURM, ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0, .estimate = 120 }, { 0, 10, 2, 100, .estimate = 60 }, { 0, 10, 1, 0, .estimate = 60 } } },
    /* a reservation that begins when the job would end is in its way, as limits touch */
    { "and not what ends as it begins", SLURM, ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0, .estimate = 120 }, { 0, 10, 2, 100, .estimate = 60 }, { 0, 10, 1, 110, .estimate = 120 } } },
    /* limits are whole minutes, rounded up: 61 s are two */
    { "limits are whole minutes", SLURM, ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0, .estimate = 120 }, { 0, 10, 2, 100, .estimate = 60 }, { 0, 10, 1, 110, .estimate = 61 } } },
    /* the next cycle is 30 s after the one at 0 */
    { "cycles are bf_interval apart", SLURM, ONE_NODE(2), .jobs = {
        { 0, 200, 1, 0, .estimate = 240 }, { 0, 10, 2, 200, .estimate = 60 }, { 1, 10, 1, 30, .estimate = 60 } } },
    /* 1 has ended by its limit in a year: the reservation of 2 lies behind the window, and holds nothing back */
    { "no reservation behind the window", SLURM, ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0 }, { 0, 10, 2, 110, .estimate = 60 }, { 0, 110, 1, 0, .estimate = 600 } } },
    /* 1 may be the only start of the pass at 0; the next full one is sched_interval later */
    { "sched_max_job_start", MAIN_ONLY ",sched_max_job_start=1", ONE_NODE(2), .jobs = { { 0, 100, 1, 0 }, { 0, 10, 1, 60 } } },
    /* src/slurmctld/job_scheduler.c, _schedule: 2 is younger than that at 0, and blocks its partition no earlier */
    { "a young head blocks nothing", MAIN_ONLY ",bf_min_age_reserve=50", ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0, .estimate = 60 }, { 0, 10, 2, 100, .estimate = 60 }, { 0, 10, 1, 0, .estimate = 60 } } },
    { "an older one does", MAIN_ONLY ",bf_min_age_reserve=50", ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0, .estimate = 60 }, { 0, 10, 2, 100, .estimate = 60 }, { 60, 10, 1, 110, .estimate = 60 } } },
    /* src/plugins/priority/basic/priority_basic.c: priorities go down from 4294901760, so 2 is above 1000 and reserves */
    { "basic priorities are high", SLURM ",bf_min_prio_reserve=1000", ONE_NODE(2), .jobs = {
        { 0, 100, 1, 0, .estimate = 120 }, { 0, 10, 2, 100, .estimate = 60 }, { 0, 10, 1, 110, .estimate = 180 } } },
    { "jobs that share GPUs are refused", SLURM, ONE_NODE(1), .jobs = {
        { 0, 10, 1, NEVER, .shares = .5,
          .refused = "slurm plans no shares of GPUs, MIG instances and required levels, and tasks of several kinds by backfill alone" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
