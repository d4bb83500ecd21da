/* test_livelock.c - runs in which jobs are stopped over and over: those that never end are found
 * out, those that do end are left in peace. The rule is livelock.c's; which is which, by hand. */
#include "tests/support/schedule.h"

#define TURNS "las:continuous=yes,quantum_s=1"
#define NO_TIME_TO_SAVE(every)                                                                                         \
    {                                                                                                                  \
        .checkpoint = CHECKPOINT_PERIODIC, .interval_ns = (every)*NS_PER_S, .save_ns = NS_PER_S                        \
    }
enum { DAY_S = 86400 };

/* clang-format off */
static const struct schedule that_end[] = {
    /* By turns of 1 s, nothing lost: 20 s for two jobs of 10 s */
    { "turns, saved", TURNS, ONE_NODE(1), .overhead = FREE_OF_CHARGE, .jobs = {
        { 0, 10, 1, 0, .ends = 19, .stops = 9 }, { 0, 10, 1, 1, .ends = 20, .stops = 9 } } },
    /* Of the 3 s of a turn 2 are saved */
    { "turns, some saved", "las:continuous=yes,quantum_s=3", ONE_NODE(1), .overhead = NO_TIME_TO_SAVE(2), .lost = 4, .useful = 12,
      .jobs = { { 0, 6, 1, 0, .ends = 14, .stops = 2, .lost = 2 }, { 0, 6, 1, 3, .ends = 16, .stops = 2, .lost = 2 } } },
};

static const struct schedule livelocks[] = {
    { "turns, all lost", TURNS, ONE_NODE(1), .jobs = { { 0, 10, 1 }, { 0, 10, 1 } } },
    { "turns, restarts as long as they are", TURNS, ONE_NODE(1), .overhead = { .checkpoint = CHECKPOINT_PERFECT, .restart_ns = NS_PER_S },
      .jobs = { { 0, 10, 1 }, { 0, 10, 1 } } },
    { "turns, checkpoints further apart than they", TURNS, ONE_NODE(1), .overhead = NO_TIME_TO_SAVE(2), .jobs = {
        { 0, 10, 1 }, { 0, 10, 1 } } },
};
/* clang-format on */

static int played(const struct schedule *row, struct job_result *last, struct error *err)
{
    struct cluster *c = cluster_of(row->group, NULL);
    size_t n = jobs_of(row);
    c->overhead = row->overhead;
    struct workload *w = workload_of(row->jobs, n);
    assert_int_equal(run_bind(c, w, err), 0);
    struct named_policy named = policy_named(row->policy);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = named.policy,
                                                   .policy_params = named.params, .placer = placer_named("pack") });
    int result = run_execute(s, err);
    *last = run_job(s, (job_id)n - 1);
    run_free(s);
    workload_free(w);
    cluster_free(c);
    return result;
}

static void is_found_out(void **state)
{
    struct error err = { "" };
    struct job_result last;
    assert_int_equal(played(*state, &last, &err), -1);
    assert_non_null(strstr(err.text, "policy las is in a livelock at "));
    assert_true(last.preemptions > 10000);
}

/* Two jobs lose all their work every second, but the GPU of a third will be free one day, and
 * then both can run. */
static void one_day_it_ends(void **state)
{
    static const struct schedule row = { "", TURNS, ONE_NODE(2), .jobs = {
        { 0, 3 * DAY_S, 1, .stays = true }, { 0, 10, 1 }, { 0, 10, 1 } } };
    (void)state;
    struct error err = { "" };
    struct job_result last;
    int result = played(&row, &last, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
    assert_int_equal(last.outcome, OUTCOME_COMPLETED);
    assert_in_range(last.end_ns, 3 * DAY_S * NS_PER_S, (3 * DAY_S + 20) * NS_PER_S);
    assert_true(last.preemptions > 100000);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, that_end);
    ADD_ROWS(tests, n, is_found_out, livelocks);
    ADD_TEST(tests, n, one_day_it_ends);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
