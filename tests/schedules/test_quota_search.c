/* test_quota_search.c - for whom guaranteed quota makes room, and from whom it takes, worked out by hand from the rules of
 * docs/schedulers.md b.6 to b.11. A pass a second; stopped jobs leave at once, and the next pass gives their GPUs on. */
#include "tests/support/schedule.h"

#define LIMITED(text, above, gpus, most)                                                                                       \
    { .facts = { .name = text, .parent = above, .weight = 1, .cpu_weight = 1, .mem_weight = 1,                                 \
                 .quota = { { (gpus) * INT64_C(1000), UNLIMITED, UNLIMITED },                                                  \
                            { (most) < 0 ? UNLIMITED : (most) * INT64_C(1000), UNLIMITED, UNLIMITED } },                       \
                 .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1, .cohort = COHORT_RULES_UNSAID } }

/* clang-format off */
static const struct schedule rows[] = {
    /* b.8: limits are tested when the job is placed, after its victims have left. */
    { "a queue at its limit preempts within itself", "quota", ONE_NODE(8), .queue = { LIMITED("a", ID_NONE, 4, 4) },
      .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 4, 0, 150, .tasks = 1, .queue = "a", .stops = 1 },
                { 50, 49, 4, 51, .tasks = 1, .queue = "a", .priority = 1 } } },
    { "from any node, though another has room", "quota", { NODES(2, 4) }, .queue = { LIMITED("a", ID_NONE, 5, 5) },
      .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 2, 0, 0, .tasks = 1, .queue = "a", .priority = 2 },
                { 0, 100, 2, 0, 150, .tasks = 1, .queue = "a", .stops = 1 },
                { 50, 49, 3, 51, .tasks = 1, .queue = "a", .priority = 1, .took = "1:012" } } },
    { "not for equal priority, nor for more than the limit", "quota", ONE_NODE(8), .queue = { LIMITED("a", ID_NONE, 4, 4) },
      .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 4, 0, .tasks = 1, .queue = "a" }, { 50, 50, 4, 100, .tasks = 1, .queue = "a" },
                { 60, 50, 5, NEVER, .tasks = 1, .queue = "a", .priority = 9 } }, .until = 500 },
    { "a department at its limit: a sister queue is reclaimed from", "quota", ONE_NODE(8),
      .queue = { LIMITED("d", ID_NONE, 4, 4), LIMITED("a", 0, 2, -1), LIMITED("b", 0, 2, -1) }, .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 4, 0, 150, .tasks = 1, .queue = "a", .stops = 1 }, { 50, 49, 2, 51, .tasks = 1, .queue = "b" } } },
    /* b.6: the second moves beside the first for the fourth, which is promised the second node; the fifth is owed that, and takes the
     * promise and the third job, of 5 + 3 GPUs that its queue has in excess of 4. The second stays where it was moved to. */
    { "what was promised in this pass can be reclaimed in it", "quota", { NODES(2, 4) },
      .queue = { LIMITED("a", ID_NONE, 4, -1), LIMITED("b", ID_NONE, 4, -1) }, .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 2, 0, .tasks = 1, .queue = "a", .on = "0:0-1" },
                { 0, 100, 2, 0, 101, .tasks = 1, .queue = "a", .on = "1:0-1", .took = "1:01; 0:23", .stops = 1 },
                { 0, 100, 1, 0, 150, .tasks = 1, .queue = "a", .on = "1:2", .stops = 1 },
                { 50, 100, 3, 100, .tasks = 1, .queue = "a", .waits = { [WAIT_FRAGMENTED] = 1, [WAIT_QUOTA] = 49 } },
                { 50, 49, 4, 51, .tasks = 1, .queue = "b", .took = "1:0123" } } },
    /* promised_on: the younger one has a promise on what the first is leaving until 10, and so comes before the older one, for
     * whom there would be room at 10 as well. Without it see the next row. */
    { "room that was promised before the trace began", "quota", { NODES(1, 4) }, .period = 1,
      .jobs = { { 0, 0, 4, 0, 10, .tasks = 1, .on = "0:0-3", .ran = 5, .leaves = 10 },
                { 0, 20, 4, 30, .tasks = 1 },
                { 0, 20, 4, 10, .tasks = 1, .promised = "0" } } },
    { "no promise: the older one", "quota", { NODES(1, 4) }, .period = 1,
      .jobs = { { 0, 0, 4, 0, 10, .tasks = 1, .on = "0:0-3", .ran = 5, .leaves = 10 },
                { 0, 20, 4, 10, .tasks = 1 }, { 0, 20, 4, 30, .tasks = 1 } } },
    /* What is promised on idle GPUs is kept through the pass at 0, and given at 1. */
    { "a promise on idle GPUs", "quota", { NODES(2, 4) }, .period = 1,
      .jobs = { { 0, 20, 4, 0, .tasks = 1, .took = "0:0123" }, { 0, 20, 4, 1, .tasks = 1, .promised = "1:0-3", .took = "1:0123" },
                { 0, 20, 4, 20, .tasks = 1 } } },
    /* b.11: a job below its minimum loses its task after 5 s; nothing else happens then, and the next pass gives the room away. */
    { "what a stale gang held helps another", "quota:stale_s=5", ONE_NODE(4), .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 10, 4, 100, .tasks = 2, .on = "0:0-1" }, { 0, 100, 1, 0, .on = "0:2" }, { 0, 20, 2, 6, .tasks = 1 } } },
    { "a job that is not preemptible stays within deserved quota", "quota", ONE_NODE(8), .queue = { LIMITED("a", ID_NONE, 3, 4) },
      .overhead = FREE_OF_CHARGE, .period = 1,
      .jobs = { { 0, 100, 4, 0, .tasks = 1, .queue = "a" }, { 50, 50, 4, NEVER, .tasks = 1, .queue = "a", .priority = 1, .stays = true } },
      .until = 500 },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
