/* test_limits.c - the limit of a queue is the world's: no policy starts a job that would take the queue over it, and a job
 * that it holds keeps no other waiting. By hand, for every policy: queue a may hold 4 of 8 GPUs. */
#include "policies/registry.h"
#include "tests/support/schedule.h"

#define LIMITED(n, gpus)                                                                                               \
    {                                                                                                                  \
        .facts = {                                                                                                     \
            .name = (n),                                                                                               \
            .parent = ID_NONE,                                                                                         \
            .weight = 1,                                                                                               \
            .quota = { { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED }, { INT64_C(1000) * (gpus), UNLIMITED, UNLIMITED } } \
        }                                                                                                              \
    }
#define A_OF_4 { LIMITED("a", 4), QUEUE("b", 4) }

/* clang-format off */
static const struct schedule rows[] = {
    { "a small job of the same queue passes", "fifo", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 10, 2, 0, .queue = "a" }, { 0, 10, 4, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 10 } }, { 0, 5, 2, 0, .queue = "a" } } },
    { "it is passed over in its own line, too", "fifo:scope=queue", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 10, 2, 0, .queue = "a" }, { 0, 10, 4, 10, .queue = "a" }, { 0, 5, 2, 0, .queue = "a" } } },
    { "control: a head that lacks room is not", "fifo", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 10, 4, 0, .queue = "b" }, { 0, 10, 8, 10, .queue = "b" }, { 1, 10, 4, 20, .queue = "a" } } },
    { "more than the limit alone: it waits for ever, and blocks none", "fifo", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 10, 5, NEVER, .queue = "a", .waits = { [WAIT_LIMIT] = 11 } }, { 1, 10, 8, 1, .queue = "b" } },
      .metric = { { "jobs_never_started", 1 } } },
    { "the limit of a queue above", "sjf", ONE_NODE(8), .queue = { LIMITED("all", 4), { .facts = { .name = "x", .parent = 0, .weight = 1,
        .quota = { { 0, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } } }, { .facts = { .name = "y", .parent = 0,
        .weight = 1, .quota = { { 0, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } } }, QUEUE("b", 4) }, .jobs = {
        { 0, 10, 4, 0, .queue = "x" }, { 0, 20, 1, 10, .queue = "y", .waits = { [WAIT_LIMIT] = 10 } }, { 0, 30, 1, 0, .queue = "b" } } },
    { "of CPUs: a job without any passes", "fifo", { { .name = "node", .gpu_model = "A100", .count = 1, .gpus = 8, .cpu_milli = 64000,
        .mem_mib = INT64_MAX } }, .queue = { { .facts = { .name = "a", .parent = ID_NONE, .weight = 1,
        .quota = { { 0, 0, UNLIMITED }, { UNLIMITED, 4000, UNLIMITED } } } } }, .jobs = {
        { 0, 10, 1, 0, .tasks = 1, .cpus = 3 }, { 0, 10, 1, 10, .tasks = 1, .cpus = 2, .waits = { [WAIT_LIMIT] = 10 } },
        { 0, 10, 1, 0, .tasks = 1 } } },
    { "easy: no promise for what the limit holds", "easy", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 100, 4, 0, .queue = "a", .estimate = 100 }, { 1, 10, 4, 100, .queue = "a", .estimate = 10, .waits = { [WAIT_LIMIT] = 99 } },
        { 2, 50, 4, 2, .queue = "b", .estimate = 50 }, { 3, 10, 4, 52, .queue = "b", .estimate = 10 },
        { 4, 10, 4, 62, .queue = "b", .estimate = 10 } } },
    { "preempted: within the queue at its limit", "priority:preempt=yes", ONE_NODE(8), .queue = A_OF_4, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 4, 0, .ends = 15, .queue = "a", .stops = 1 }, { 0, 20, 4, 0, .queue = "b" },
        { 2, 5, 4, 2, .queue = "a", .priority = 1 } } },
    { "of another queue none is, as that would be of no use", "priority:preempt=yes", ONE_NODE(8), .queue = A_OF_4, .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 10, 4, 0, .queue = "a", .priority = 2 }, { 0, 20, 4, 0, .queue = "b" },
        { 2, 5, 4, 10, .queue = "a", .priority = 1, .waits = { [WAIT_LIMIT] = 8 } } } },
    /* until 10 s two of its four GPUs are held by a job ahead of it; passes come and go */
    { "once those behind it are enough", "priority:preempt=yes", ONE_NODE(8), .queue = A_OF_4, .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 2, 0, .queue = "a", .priority = 2 }, { 0, 30, 2, 0, .ends = 35, .queue = "a", .stops = 1 },
        { 1, 5, 4, 10, .queue = "a", .priority = 1, .waits = { [WAIT_LIMIT] = 9 } }, { 2, 2, 4, 2, .queue = "b" },
        { 3, 2, 4, 4, .queue = "b" } } },
    { "preemptive: as in Slurm none is, for what a limit holds", "preemptive", ONE_NODE(8), .queue = A_OF_4, .overhead = FREE_OF_CHARGE,
      .jobs = { { 0, 10, 4, 0, .queue = "a" }, { 2, 5, 4, 10, .queue = "a", .priority = 1, .waits = { [WAIT_LIMIT] = 8 } },
        { 3, 5, 4, 3, .queue = "b" } } },
    /* two of four pods until 10 s: half the pace, so 5 s of work are left */
    { "kube: as many pods as the limit lets", "kube", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 10, 2, 0, .tasks = 2, .queue = "a" }, { 0, 10, 4, 0, .ends = 15, .tasks = 4, .min_tasks = 2, .queue = "a" } } },
    { "kube: pods of lower priority stay, where a limit is in the way", "kube", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 10, 4, 0, .tasks = 1, .queue = "a" }, { 0, 10, 4, 0, .tasks = 1, .queue = "b" },
        { 1, 10, 4, 10, .tasks = 1, .queue = "a", .priority = 5 } } },
    { "elastic: grows to the limit, not beyond", "elastic:every_s=0", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 20, 2, 0, .ends = 10, .min_gpus = 1, .max_gpus = 8, .queue = "a" } } },
    { "loss: refused, and told why", "loss", ONE_NODE(8), .queue = A_OF_4, .jobs = {
        { 0, 10, 4, 0, .queue = "a" }, { 1, 10, 4, NEVER, .queue = "a", .refused = "its queue was at its limit when it arrived" },
        { 2, 10, 4, 2, .queue = "b" } } },
};
/* clang-format on */

/* Under each policy: a2 waits for its limit until a1, which no policy may stop, ends at 100 s, and b1, which comes after it, does
 * not. With `loss`, which has no line, a2 is refused. */
static void each_policy(void **state)
{
    (void)state;
    for (size_t p = 0; builtin_policies[p]; p++) {
        const struct policy *policy = builtin_policies[p];
        bool loss = !strcmp(policy->name, "loss");
        struct schedule row = { policy->name, policy->name, ONE_NODE(8), .queue = A_OF_4, .jobs = {
            { 0, 100, 4, 0, .tasks = 1, .queue = "a", .estimate = 100, .stays = true },
            { 1, 50, 4, 100, .tasks = 1, .queue = "a", .estimate = 50, .waits = { [WAIT_LIMIT] = 99 } },
            { 2, 30, 4, 2, .tasks = 1, .queue = "b", .estimate = 30 } } };
        if (loss)
            row.jobs[1] = (struct job){ 1, 50, 4, NEVER, .tasks = 1, .queue = "a", .refused = "its queue was at its limit when it arrived" };
        bool delays = !strcmp(policy->name, "slurm");    /* submissions, by 3 s, unless it is told not to */
        struct named_policy named = policy_named(delays ? "slurm:batch_sched_delay=0" : policy->name);
        plays_with(&row, named.policy, named.params);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(each_policy);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
