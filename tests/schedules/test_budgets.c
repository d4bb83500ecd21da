/* test_budgets.c - GPU-hours per queue and month under quota, worked out by hand. Without dates
 * a month is 30 days: 2592000 s. */
#include "tests/support/schedule.h"

enum { MONTH_S = 2592000, HOUR_S = 3600 };
#define SHARE { { 2000, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } }
#define BUDGET(text, above, hours)                                                                                             \
    { .facts = { .name = text, .parent = above, .weight = 1, .cpu_weight = 1, .mem_weight = 1, .quota = SHARE,                 \
                 .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1, .cohort = COHORT_RULES_UNSAID,                    \
                 .budget_gpu_milli_s = (int64_t)(hours) * HOUR_S * 1000 } }
#define LIMIT(seconds) { [WAIT_LIMIT] = seconds }

/* clang-format off */
static const struct schedule rows[] = {
    { "a job that runs when it is spent runs on; none starts until the month turns", "quota", ONE_NODE(4), .queue = { BUDGET("a", ID_NONE, 2) },
      .jobs = { { 0, 2 * HOUR_S, 1, 0, .queue = "a" }, { HOUR_S, 2 * HOUR_S, 1, HOUR_S, .queue = "a" },    /* spent at 1.5 h */
                { HOUR_S + HOUR_S / 2, 10, 1, MONTH_S, .queue = "a", .waits = LIMIT(MONTH_S - HOUR_S - HOUR_S / 2) } } },
    { "a second before, it may", "quota", ONE_NODE(4), .queue = { BUDGET("a", ID_NONE, 2) },
      .jobs = { { 0, 2 * HOUR_S, 1, 0, .queue = "a" }, { 2 * HOUR_S - 1, 10, 1, 2 * HOUR_S - 1, .queue = "a" } } },
    { "other queues do not mind", "quota", ONE_NODE(4), .queue = { BUDGET("a", ID_NONE, 1), BUDGET("b", ID_NONE, 0) },
      .jobs = { { 0, HOUR_S, 1, 0, .queue = "a" }, { HOUR_S, 10, 1, MONTH_S, .queue = "a" }, { HOUR_S, 10, 1, HOUR_S, .queue = "b" } } },
    { "a month begins with what runs then", "quota", ONE_NODE(4), .queue = { BUDGET("a", ID_NONE, 2) },
      .jobs = { { MONTH_S - HOUR_S, 3 * HOUR_S, 1, MONTH_S - HOUR_S, .queue = "a" },    /* an hour in the old, two in the new */
                { MONTH_S + HOUR_S, 10, 1, MONTH_S + HOUR_S, .queue = "a" },
                { MONTH_S + 2 * HOUR_S, 10, 1, 2 * MONTH_S, .queue = "a" } } },
    { "of the queue above: what all below it hold", "quota", ONE_NODE(4),
      .queue = { BUDGET("top", ID_NONE, 2), BUDGET("a", 0, 0), BUDGET("b", 0, 0) },
      .jobs = { { 0, HOUR_S, 1, 0, .queue = "a" }, { 0, HOUR_S, 1, 0, .queue = "b" },
                { HOUR_S, 10, 1, MONTH_S, .queue = "a" }, { HOUR_S, 10, 1, MONTH_S, .queue = "b" } } },
    { "of a leaf: its sibling goes on within that of both", "quota", ONE_NODE(4),
      .queue = { BUDGET("top", ID_NONE, 9), BUDGET("a", 0, 1), BUDGET("b", 0, 0) },
      .jobs = { { 0, HOUR_S, 1, 0, .queue = "a" }, { HOUR_S, 10, 1, MONTH_S, .queue = "a" }, { HOUR_S, 10, 1, HOUR_S, .queue = "b" } } },
    { "three deep", "quota", ONE_NODE(4), .queue = { BUDGET("top", ID_NONE, 1), BUDGET("middle", 0, 0), BUDGET("a", 1, 0) },
      .jobs = { { 0, HOUR_S, 1, 0, .queue = "a" }, { HOUR_S, 10, 1, MONTH_S, .queue = "a" } } },
    { "without a budget no job waits", "quota", ONE_NODE(4), .queue = { BUDGET("a", ID_NONE, 0) },
      .jobs = { { 0, HOUR_S, 1, 0, .queue = "a" }, { HOUR_S, 10, 1, HOUR_S, .queue = "a" } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, plays_as_written, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
