/* test_events.c - what happens at one instant, and in which order; jobs of no length; periodic
 * passes; the cut-off. The order (models.md 0): job end, released, start-up over, arrival, then
 * the pass. By hand. */
#include "tests/support/schedule.h"

/* clang-format off */
static const struct schedule rows[] = {
    /* ---- One instant ---- */
    { "an end comes before an arrival", "fifo", ONE_NODE(1), .jobs = { { 0, 10, 1, 0 }, { 10, 5, 1, 10 } } },
    { "an arrival comes before the pass that an end causes", "sjf", ONE_NODE(1), .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 1, 11 }, { 10, 1, 1, 10 } } },
    { "all arrivals of an instant come before the pass", "sjf", ONE_NODE(1), .jobs = { { 5, 9, 1, 8 }, { 5, 3, 1, 5 } } },
    { "all ends of an instant come before the pass", "fifo", ONE_NODE(2), .jobs = {
        { 0, 10, 1, 0 }, { 0, 10, 1, 0 }, { 1, 5, 2, 10 } } },
    { "who ends now is not preempted", "priority:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0 }, { 10, 5, 1, 10, .priority = 1 } } },
    { "at one instant in the order of the trace", "fifo", ONE_NODE(1), .jobs = { { 5, 3, 1, 5 }, { 5, 2, 1, 8 }, { 5, 1, 1, 10 } } },
    { "rows that are not in the order of time", "fifo", ONE_NODE(1), .jobs = { { 7, 3, 1, 8 }, { 5, 3, 1, 5 }, { 7, 1, 1, 11 } } },

    /* ---- One by one: what estimates foretold, submissions, other ends, the rest (engine.h). Two jobs of 2 GPUs end at 10,
     * the head needs 4, a job of 5 s and 2 GPUs is submitted then ---- */
    { "together: both have ended, and the head starts", "easy", ONE_NODE(4), .jobs = {
        { 0, 10, 2, 0, .estimate = 20 }, { 0, 10, 2, 0, .estimate = 20 }, { 1, 5, 4, 10, .estimate = 5 }, { 10, 5, 2, 15, .estimate = 5 } } },
    { "one by one: after the first early end the short job fits beside the other", "easy", ONE_NODE(4), .pass_per_event = true, .jobs = {
        { 0, 10, 2, 0, .estimate = 20 }, { 0, 10, 2, 0, .estimate = 20 }, { 1, 5, 4, 15, .estimate = 5 }, { 10, 5, 2, 10, .estimate = 5 } } },
    { "one by one: ends that were foretold are one event", "easy", ONE_NODE(4), .pass_per_event = true, .jobs = {
        { 0, 10, 2, 0, .estimate = 10 }, { 0, 10, 2, 0, .estimate = 10 }, { 1, 5, 4, 10, .estimate = 5 }, { 10, 5, 2, 15, .estimate = 5 } } },
    { "one by one: start-up is foretold, too", "easy", ONE_NODE(4), .pass_per_event = true, .overhead = { .start_ns = 2 * NS_PER_S }, .jobs = {
        { 0, 8, 2, 0, .ends = 10, .estimate = 8 }, { 0, 8, 2, 0, .ends = 10, .estimate = 8 }, { 1, 3, 4, 10, .ends = 15, .estimate = 3 },
        { 10, 3, 2, 15, .ends = 20, .estimate = 3 } } },
    { "one by one: without estimates no end is foretold", "sjf:blocking=skip", ONE_NODE(4), .pass_per_event = true, .jobs = {
        { 0, 10, 2, 0 }, { 0, 10, 2, 0 }, { 1, 4, 4, 15 }, { 10, 5, 2, 10 } } },
    { "one by one: submissions in the order of the trace", "sjf", ONE_NODE(1), .pass_per_event = true, .jobs = {
        { 5, 9, 1, 5 }, { 5, 3, 1, 14 } } },
    { "one by one: early ends in the order of the starts, not of the ids", "sjf:blocking=skip", ONE_NODE(5), .pass_per_event = true, .jobs = {
        { 0, 4, 3, 0 }, { 0, 6, 3, 4 }, { 1, 9, 2, 1 }, { 5, 1, 4, 10 }, { 5, 9, 3, 11 } } },
    { "one by one: of jobs that started together by id", "sjf:blocking=skip", ONE_NODE(5), .pass_per_event = true, .jobs = {
        { 0, 10, 3, 0 }, { 0, 10, 2, 0 }, { 5, 1, 4, 19 }, { 5, 9, 3, 10 } } },
    { "one by one, every 10 s: after each event of the grid", "sjf:blocking=skip", ONE_NODE(4), .period = 10, .pass_per_event = true, .jobs = {
        { 0, 10, 2, 0 }, { 1, 20, 2, 10 }, { 3, 4, 4, 30 }, { 10, 5, 2, 10 } } },

    /* ---- No length ---- */
    { "no length: all at one instant", "fifo", ONE_NODE(1), .jobs = { { 0, 0, 1, 0 }, { 0, 0, 1, 0 }, { 0, 5, 1, 0 }, { 5, 0, 1, 5 } } },
    { "no length: waits for GPUs like any other", "fifo", ONE_NODE(1), .jobs = { { 0, 10, 1, 0 }, { 5, 0, 1, 10 }, { 6, 3, 1, 10 } } },
    { "no length: still has to start up", "fifo", ONE_NODE(1), .overhead = { .start_ns = 2 * NS_PER_S }, .startup = 4, .useful = 1,
      .jobs = { { 0, 0, 1, 0, .ends = 2 }, { 0, 1, 1, 2, .ends = 5 } } },
    { "no length: preempts for an instant", "priority:preempt=yes", ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .stops = 1 }, { 4, 0, 1, 4, .priority = 1 } } },

    /* ---- A pass every 10 s. Until its first pass a job waits for the pass ---- */
    { "periodic: passes at 0, 10, 20", "fifo", ONE_NODE(1), .period = 10, .jobs = {
        { 0, 3, 1, 0 }, { 1, 5, 1, 10, .waits = { [WAIT_PASS] = 9 } },
        { 20, 1, 1, 20 }, { 21, 1, 1, 30, .waits = { [WAIT_PASS] = 9 } } } },
    { "periodic: behind others after the first pass", "fifo", ONE_NODE(2), .period = 10, .jobs = {
        { 0, 30, 1, 0 }, { 2, 5, 2, 30, .waits = { [WAIT_PASS] = 8, [WAIT_GPUS] = 20 } },
        { 12, 5, 1, 40, .waits = { [WAIT_PASS] = 8, [WAIT_ORDER] = 10, [WAIT_GPUS] = 10 } } } },
    { "periodic: an end between passes starts no job", "fifo", ONE_NODE(1), .period = 10, .jobs = {
        { 0, 13, 1, 0 }, { 0, 5, 1, 20 } } },
    { "periodic: a job that arrives at the grid is in that pass", "sjf", ONE_NODE(1), .period = 10, .jobs = {
        { 0, 10, 1, 0 }, { 3, 5, 1, 20, .waits = { [WAIT_PASS] = 7, [WAIT_GPUS] = 10 } }, { 10, 2, 1, 10 } } },
    { "periodic: preempted ones wait for the next pass", "priority:preempt=yes", ONE_NODE(1), .period = 10,
      .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 25, 1, 0, .ends = 35, .stops = 1, .waits = { [WAIT_PASS] = 10 } }, { 3, 5, 1, 10, .priority = 1 } } },

    /* ---- The cut-off ---- */
    { "cut-off: in the middle", "fifo", ONE_NODE(1), .until = 7, .useful = 7, .jobs = {
        { 0, 10, 1, 0, .ends = NEVER }, { 1, 5, 1, NEVER, .waits = { [WAIT_GPUS] = 6 } },
        { 3, 5, 1, NEVER, .waits = { [WAIT_ORDER] = 4 } }, { 9, 5, 1, NEVER } } },
    { "cut-off: that instant still happens", "fifo", ONE_NODE(1), .until = 10, .useful = 10, .jobs = {
        { 0, 10, 1, 0 }, { 1, 5, 1, 10, .ends = NEVER }, { 10, 5, 1, NEVER } } },
    { "cut-off: after the end", "fifo", ONE_NODE(1), .until = 100, .useful = 10, .jobs = { { 0, 10, 1, 0 } } },
    { "cut-off: while starting up", "fifo", ONE_NODE(1), .until = 1, .overhead = { .start_ns = 2 * NS_PER_S }, .startup = 1,
      .jobs = { { 0, 10, 1, 0, .ends = NEVER } } },
    { "cut-off: while saving, with a claim on its GPU", "priority:preempt=yes", ONE_NODE(1), .until = 7, .overhead = SAVE_TAKES(5),
      .useful = 5, .saving = 2, .jobs = {
        { 0, 10, 1, 0, .ends = NEVER, .stops = 1 }, { 5, 9, 1, NEVER, .priority = 1, .waits = { [WAIT_RELEASING] = 2 } } } },
};
/* clang-format on */

/* ---- The order itself, as observers see it: at 10 s job 1 ends, job 2 has saved and left, job 4 starts on its
 * claim, job 5 arrives and starts on job 1's GPU in the pass. Job 3 only fills the third GPU. ---- */

struct observed {
    char text[512];
};

static void observe(struct observed *t, job_id j, const char *what)
{
    size_t n = strlen(t->text);
    snprintf(t->text + n, sizeof t->text - n, "%s%u %s", n ? ", " : "", j + 1, what);
}

static void observe_interval(void *self, const struct interval *i)
{
    if (i->end_ns == 10 * NS_PER_S)
        observe(self, i->job, i->why);
}

static void observe_decision(void *self, job_id j, int64_t now_ns, const char *kind, const char *decision,
                          const char *reason)
{
    (void)decision;
    (void)reason;
    if (now_ns == 10 * NS_PER_S && (!strcmp(kind, "arrival") || !strcmp(kind, "start")))
        observe(self, j, kind);
}

static void order_of_an_instant(void **state)
{
    (void)state;
    static const struct job jobs[] = { { 0, 10, 1, .priority = 9 },
                                       { 0, 100, 1, .priority = 0 },
                                       { 0, 100, 1, .priority = 9 },
                                       { 5, 100, 1, .priority = 5 },
                                       { 10, 100, 1, .priority = 1 } };
    static const struct group_spec groups[GROUPS_AT_MOST] = { NODES(1, 3) };
    struct error err = { "" };
    struct observed observed = { .text = "" };
    struct cluster *c = cluster_of(groups, NULL);
    c->overhead = (struct overhead)SAVE_TAKES(5);
    struct workload *w = workload_of(jobs, COUNT(jobs));
    assert_int_equal(run_bind(c, w, &err), 0);
    struct named_policy named = policy_named("priority:preempt=yes");
    struct sched *s = run_new(
        &(struct run_setup){ .cluster = c,
                             .workload = w,
                             .policy = named.policy,
                             .policy_params = named.params,
                             .placer = placer_named("pack"),
                             .until_ns = 20 * NS_PER_S,
                             .check = true,
                             .observer = { .self = &observed, .interval = observe_interval, .decision = observe_decision } });
    assert_int_equal(run_execute(s, &err), 0);
    assert_string_equal(observed.text, "1 done, 2 preempted, 4 start, 5 arrival, 5 start");
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    ADD_TEST(tests, n, order_of_an_instant);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
