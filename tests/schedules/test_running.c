/* test_running.c - jobs that run already when they are submitted. By hand; and every policy goes
 * on from a snapshot. */
#include "policies/registry.h"
#include "tests/support/schedule.h"

#define TAKES "priority:preempt=yes"
#define CANNOT_SAVE(every, restart)                                                                                    \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = (every)*NS_PER_S, .save_ns = NS_PER_S, .grace_ns = 0,        \
        .restart_ns = (restart)*NS_PER_S                                                                               \
    }

/* clang-format off */
static const struct schedule rows[] = {
    { "where it says, before jobs that came earlier", "fifo", ONE_NODE(4), .jobs = {
        { 0, 5, 2, 0, .took = "0:01" }, { 0, 10, 2, 0, .on = "0:2 3", .took = "0:23" }, { 0, 3, 2, 5, .took = "0:01" } } },
    { "any GPUs of the node", "fifo", { NODES(2, 4) }, .jobs = {
        { 0, 5, 2, 0, .on = "1", .took = "1:01" }, { 0, 5, 3, 0, .on = "0:x1;1:x2", .took = "0:0 1:23" } } },
    { "tasks by name", "fifo", { NODES(2, 4) }, .jobs = {
        { 0, 5, 4, 0, .tasks = 2, .on = "1:0-1;1:2-3", .took = "1:01 1:23" } } },
    { "a share", "fifo", ONE_NODE(2), .jobs = {
        { 0, 5, 1, 0, .shares = .4, .on = "0:1", .took = "0:1" }, { 0, 5, 1, 0, .shares = .6, .took = "0:1" } } },
    { "in the middle of the trace", "fifo:blocking=skip", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 4, 2, 14 }, { 4, 10, 1, 4, .on = "0:1", .waits = { 0 } } } },
    { "in use by its queue", "static", ONE_NODE(4), .queue = { QUEUE("a", 2), QUEUE("b", 2) }, .jobs = {
        { 0, 10, 2, 0, .queue = "a", .on = "0:0-1" }, { 0, 5, 1, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 10 } },
        { 0, 5, 1, 0, .queue = "b" } } },
    { "in use by its queue, which is not in a cohort", "cohort", ONE_NODE(4), .queue = { QUEUE("a", 2), QUEUE("b", 2) }, .jobs = {
        { 0, 10, 2, 0, .queue = "a", .on = "0:0-1" }, { 0, 5, 1, 10, .queue = "a", .waits = { [WAIT_LIMIT] = 10 } },
        { 0, 5, 1, 0, .queue = "b" } } },
    { "expected to end, so a promise can be made and kept", "easy", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0, .estimate = 10, .on = "0:0" }, { 0, 10, 2, 10, .estimate = 10 }, { 0, 10, 1, 0, .estimate = 10 },
        { 0, 11, 1, 20, .estimate = 11 } } },

    /* ---- Stopped by job 2: what it did before the trace began counts. It has 100 s left at 0 ---- */
    { "lost: 50 s, and the 30 before: ends 50 + 10 + 130", TAKES, ONE_NODE(1), .overhead = { .restart_ns = 10 * NS_PER_S },
      .useful = 130, .lost = 50, .startup = 10,
      .jobs = { { 0, 100, 1, 0, .ends = 190, .stops = 1, .lost = 50, .on = "0", .ran = 30 }, { 50, 0, 1, 50, .priority = 1 } } },
    /* Progress 70 s, 10 s beyond a checkpoint: 50 + 10 + 60 */
    { "lost: since the last checkpoint", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 10,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 120, .stops = 1, .lost = 10, .on = "0", .ran = 20 },
                               { 50, 0, 1, 50, .priority = 1 } } },
    { "not said for how long: no time", TAKES, ONE_NODE(1), .overhead = CANNOT_SAVE(30, 10), .useful = 100, .lost = 20,
      .startup = 10, .jobs = { { 0, 100, 1, 0, .ends = 130, .stops = 1, .lost = 20, .on = "0" },
                               { 50, 0, 1, 50, .priority = 1 } } },
    /* 30 s of its 80 were start-up: progress 50 + 50, 10 s beyond a checkpoint. It goes on at 80 */
    { "lost: its start-up was no progress", TAKES, ONE_NODE(1),
      .overhead = { .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = 30 * NS_PER_S, .save_ns = NS_PER_S, .start_ns = 30 * NS_PER_S,
                 .restart_ns = 10 * NS_PER_S }, .useful = 100, .lost = 10,
      .startup = 40, .jobs = { { 0, 100, 1, 0, .ends = 150, .stops = 1, .lost = 10, .on = "0", .ran = 80 },
                               { 50, 0, 1, 50, .ends = 80, .priority = 1 } } },
    { "still starting up: 20 of 30 s", "fifo", ONE_NODE(1), .overhead = { .start_ns = 30 * NS_PER_S }, .startup = 20,
      .useful = 100, .jobs = { { 0, 100, 1, 0, .ends = 120, .on = "0", .ran = 10 } } },

    /* ---- Not all of its tasks ---- */
    /* Half the rate for 10 s, then all of it */
    { "elastic: grows when there is room", "kube", ONE_NODE(2), .useful = 50, .jobs = {
        { 0, 20, 2, 0, .ends = 25, .tasks = 2, .min_tasks = 1, .on = "0:0" }, { 0, 10, 1, 0 } } },
    { "elastic: goes on as it is where no policy makes it grow", "fifo", ONE_NODE(2), .useful = 40, .jobs = {
        { 0, 20, 2, 0, .ends = 40, .tasks = 2, .min_tasks = 1, .on = "0:0" } } },
    { "a gang that lacks one", "kube", ONE_NODE(2), .useful = 50, .gang = 10, .jobs = {
        { 0, 20, 2, 10, .tasks = 2, .on = "0:0", .waits = { [WAIT_GANG] = 10 } }, { 0, 10, 1, 0, .on = "0:1" } } },
    { "a gang that lacks one holds its quota, and grows when there is room", "cohort", ONE_NODE(3), .useful = 65, .gang = 10,
      .queue = { QUEUE("a", 2), QUEUE("b", 1) }, .jobs = {
        { 0, 20, 2, 10, .tasks = 2, .queue = "a", .on = "0:0", .waits = { [WAIT_GANG] = 10 } },
        { 0, 10, 2, 0, .queue = "b", .on = "0:1-2" }, { 0, 5, 1, 30, .queue = "a", .waits = { [WAIT_LIMIT] = 30 } } } },
    /* kube tries again after a back-off of 1 s, see test_kube.c */
    { "a pod of it makes room", "kube:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0, .ends = 26, .stops = 1, .on = "0:0" }, { 5, 5, 1, 6, .priority = 1 } } },
    { "the pod that began last makes room", "kube:preempt=yes", ONE_NODE(2), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 20, 1, 0, .ends = 26, .stops = 1, .on = "0:0", .ran = 5 }, { 0, 20, 1, 0, .on = "0:1", .ran = 9 },
        { 5, 5, 1, 6, .priority = 1 } } },

    /* ---- Leaving ---- */
    { "leaving: then it waits like any other", "fifo", ONE_NODE(2), .useful = 65, .saving = 10, .startup = 5,
      .overhead = { .restart_ns = 5 * NS_PER_S }, .jobs = {
        { 0, 50, 1, 0, .ends = 65, .on = "0:0", .leaves = 10 }, { 0, 5, 2, 65 },
        { 0, 5, 1, 0, .priority = 0, .on = "0:1" } } },
    { "leaving: for good", "fifo", ONE_NODE(2), .saving = 10, .useful = 10, .jobs = {
        { 0, 0, 1, 0, .ends = 10, .on = "0:0", .leaves = 10 }, { 0, 5, 2, 10 } } },
};
/* clang-format on */

/* ---- What cannot be ---- */

static const struct wrong {
    const char *name, *policy;
    struct job jobs[3];
    const char *error;
    int result; /* of the run; 0: found before */
} wrongs[] = {
    { "a node that is not there", "fifo", { { 0, 1, 1, .on = "2" } }, "schedule:1: running_on: want nodes from 0 to 1, got 2" },
    { "a GPU that is not there", "fifo", { { 0, 1, 1, .on = "0:4" } },
      "schedule:1: running_on: want GPUs that node 0 has for it, which has 4" },
    { "more GPUs than there are", "fifo", { { 0, 1, 5, .on = "0" } },
      "schedule:1: running_on: want GPUs that node 0 has for it, which has 4" },
    { "too many GPUs for a task", "fifo", { { 0, 1, 2, .tasks = 2, .on = "0:0;1:0-1" } },
      "schedule:1: running_on: want the 1 GPUs of a task on node 1, got 2" },
    { "too many tasks", "fifo", { { 0, 1, 1 }, { 0, 1, 2, .tasks = 2, .on = "0:0;1:0;1:1" } },
      "schedule:2: running_on: want at most its 2 tasks, got 3" },
    { "too few GPUs", "fifo", { { 0, 1, 4, .on = "0:x2;1:x1" } }, "schedule:1: running_on: want its 4 GPUs, got 3" },
    { "a total on one node twice", "fifo", { { 0, 1, 4, .on = "0:x2;0:x2" } },
      "schedule:1: running_on: job '1' cannot run there: its GPU model, labels, level or tasks on one node want something else",
      RUN_BAD_INPUT },
    { "another model", "fifo", { { 0, 1, 1, .gpu_type = "V100", .on = "0" } },
      "schedule:1: running_on: job '1' cannot run there: its GPU model, labels, level or tasks on one node want something else",
      RUN_BAD_INPUT },
    { "two on one GPU", "fifo", { { 0, 1, 1, .on = "0:3" }, { 0, 1, 2, .on = "0:2-3" } },
      "schedule:2: running_on: job '2' cannot run there: not all of that is free", RUN_BAD_INPUT },
    { "less than its minimum", "fifo", { { 0, 1, 2, .tasks = 2, .on = "0:3" } },
      "schedule:1: running_on: job '1' cannot run there: that is less than its minimum, and the policy starts no single tasks",
      RUN_BAD_INPUT },
};

static void is_refused(void **state)
{
    const struct wrong *row = *state;
    struct error err = { "" };
    struct group_spec nodes[GROUPS_AT_MOST] = { NODES(2, 4) };
    struct cluster *c = cluster_of(nodes, NULL);
    struct workload *w = workload_of(row->jobs, row->jobs[1].gpus ? 2 : 1);
    int bound = run_bind(c, w, &err);
    assert_int_equal(bound, row->result ? 0 : -1);
    if (bound == 0) {
        struct named_placer placer = placer_with("pack");
        struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .placer = placer.placer,
                                                       .policy = policy_named(row->policy).policy });
        assert_int_equal(run_execute(s, &err), row->result);
        run_free(s);
    }
    assert_string_equal(err.text, row->error);
    workload_free(w);
    cluster_free(c);
}

/* ---- Every policy ---- */

enum { HELD = 5, LATER = 40 };
static const struct job snapshot[] = {
    { 0, 30, 2, .on = "0:0-1", .ran = 100, .queue = "a" },
    { 0, 20, 3, .on = "0:2;1:0;1:5", .ran = 7, .tasks = 3, .priority = 2, .queue = "b" },
    { 0, 40, 4, .on = "2:x4", .queue = "a" },
    { 0, 25, 1, .on = "1:1", .shares = .5, .ran = 1, .queue = "b" },
    { 0, 25, 4, .on = "3:0;3:1", .tasks = 4, .min_tasks = 2, .ran = 50, .queue = "a" },
};

static void starts_there(void *self, const struct sched *s)
{
    bool *seen = self;
    for (job_id j = 0; j < HELD && !*seen; j++) {
        assert_true(run_level(s).now_ns == 0);
        assert_true(job_last_start_ns(s, j) == -ns_of_seconds(snapshot[j].ran));
        assert_true(job_attained_gpu_s(s, j) >= snapshot[j].ran * snapshot[j].gpus * (snapshot[j].shares > 0 ? .5 : 1));
    }
    *seen = true;
}

/* Jobs come all the time, so that every policy that preempts finds victims among those that ran
 * first. */
static void goes_on(void **state)
{
    struct named_policy named = policy_named(*state);
    const struct policy *policy = named.policy;
    struct error err = { "" };
    struct group_spec nodes[GROUPS_AT_MOST] = { NODES(4, 8) };
    struct cluster *c = cluster_of(nodes, NULL);
    struct workload *w = workload_new();
    bool seen = false;
    c->overhead = (struct overhead)PERIODIC(10, 2);
    c->period_ns = policy->period_ns;
    for (size_t i = 0; i < HELD; i++)
        job_add(w, &snapshot[i]);
    for (unsigned i = 0; i < LATER; i++)
        job_add(w, &(struct job){ i / 2, 1 + i % 7, 1 + i % 5, .priority = (int32_t)(i % 4), .queue = i % 3 ? "a" : "b",
                                  .estimate = 3, .deadline = 30 + i });
    assert_int_equal(workload_finish(w, "snapshot", &err), 0);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct named_placer placer = placer_with("pack");
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w,
                                                   .policy = policy, .policy_params = named.params,
                                                   .placer = placer.placer, .check = true, .observer = { .self = &seen, .instant = starts_there } });
    assert_int_equal(run_execute(s, &err), 0);
    assert_string_equal(err.text, "");
    const struct run_totals *t = run_totals(s);
    assert_true(seen);
    assert_int_equal(t->completed + t->cancelled + t->rejected, w->n_jobs);
    for (unsigned r = SCHED_OK + 1; r < SCHED_RESULTS; r++)
        assert_true(run_refused(t, r) == 0);    /* no policy asks for what is wrong */
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

static const char *const variants[] = { "priority:preempt=yes", "edf:preempt=yes", "kube:preempt=no", "gang:blocking=strict",
                                        "gang:blocking=reservation", "preemptive:mode=suspend", "preemptive:mode=cancel",
                                        "preemptive:mode=suspend,blocking=skip,youngest=yes,exempt_s=3" };

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    ADD_ROWS(tests, n, is_refused, wrongs);
    for (size_t p = 0; builtin_policies[p]; p++)
        tests[n++] = (struct CMUnitTest){ builtin_policies[p]->name, goes_on, NULL, NULL, (void *)builtin_policies[p]->name };
    for (size_t i = 0; i < COUNT(variants); i++)
        tests[n++] = (struct CMUnitTest){ variants[i], goes_on, NULL, NULL, (void *)variants[i] };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
