/* test_quota_windows.c - quotas and limits that change with time, by hand from
 * sim/accounting/quota_windows.h. Eight GPUs on one node. */
#include "tests/support/powered_schedule.h"

#define NODE   "nodes: [ { group: a, count: 1, gpus: 8 } ]\npreemption: { checkpoint: perfect }\n"
#define Y      .queue = "y"
#define X      .queue = "x"
/* y may hold nothing by day, and all from 100 s to 200 s of every 1000 s */
#define NIGHT  NODE "queues: [ { name: x }, { name: y, limit_gpus: 0, windows: [ { from_s: 100, until_s: 200, every_s: 1000, limit_gpus: 8 } ] } ]\n"
/* Four GPUs each; x owns all of them from 100 s to 200 s */
#define TURNS  NODE "queues:\n- { name: x, deserved_gpus: 4, windows: [ { from_s: 100, until_s: 200, deserved_gpus: 8 } ] }\n" \
                    "- { name: y, deserved_gpus: 4, windows: [ { from_s: 100, until_s: 200, deserved_gpus: 0 } ] }\n"
#define COHORT NODE "cohort: all\nqueues:\n" \
                    "- { name: x, deserved_gpus: 0, preemption: { reclaim_within_cohort: any }, windows: [ { from_s: 100, until_s: 200, deserved_gpus: 8 } ] }\n" \
                    "- { name: y, deserved_gpus: 8, windows: [ { from_s: 100, until_s: 200, deserved_gpus: 0 } ] }\n"

/* clang-format off */
static const struct text_schedule rows[] = {
    { "a limit by day and none by night", NIGHT, "fifo:blocking=skip", .jobs = {
        { 0, 10, 4, 100, Y, .waits = { [WAIT_LIMIT] = 100 } }, { 0, 10, 4, 0, X }, { 150, 10, 8, 150, Y } } },
    { "what runs when the limit comes back goes on", NIGHT, "fifo:blocking=skip", .jobs = {
        { 150, 100, 4, 150, Y }, { 199, 10, 2, 199, Y }, { 200, 10, 2, 1100, Y, .waits = { [WAIT_LIMIT] = 900 } } } },
    { "the next night, though nothing else happens", NIGHT, "fifo", .jobs = { { 300, 10, 4, 1100, Y } } },
    { "under a policy that plans", NIGHT, "easy", .jobs = { { 0, 10, 4, 100, Y, .estimate = 10 }, { 0, 150, 4, 0, X, .estimate = 150 } } },
    { "the first window that is on holds", NODE
      "queues: [ { name: y, windows: [ { from_s: 0, until_s: 50, limit_gpus: 2 }, { from_s: 0, until_s: 100, limit_gpus: 4 } ] } ]\n", "fifo", .jobs = {
        { 10, 5, 4, 50, Y }, { 60, 5, 8, 100, Y } } },
    { "a limit above: of all queues below", NODE
      "queues: [ { name: top, windows: [ { from_s: 0, until_s: 50, limit_gpus: 4 } ], queues: [ { name: x }, { name: y } ] } ]\n", "fifo:blocking=skip", .jobs = {
        { 0, 90, 4, 0, X }, { 0, 10, 4, 50, Y } } },
    { "static: the share of now", TURNS, "static", .jobs = {
        { 0, 10, 8, 100, X, .waits = { [WAIT_LIMIT] = 100 } }, { 0, 10, 4, 0, Y }, { 120, 10, 4, 200, Y, .waits = { [WAIT_LIMIT] = 80 } } } },
    { "quota: what y had is x's, and given back", TURNS, "quota", .jobs = {
        { 0, 300, 8, 0, Y, .ends = 400.000000001, .stops = 1 }, { 100, 100, 8, 100.000000001, X } } },
    { "control: without windows x gets its half", NODE "queues: [ { name: x, deserved_gpus: 4 }, { name: y, deserved_gpus: 4 } ]\n", "quota", .jobs = {
        { 0, 300, 8, 0, Y }, { 100, 100, 8, 300, X } } },
    { "cohort: nominal quota of now", COHORT, "cohort", .jobs = {
        { 0, 300, 8, 0, Y, .ends = 400, .stops = 1 }, { 100, 100, 8, 100, X } } },
    { "cohort: no more than could ever be had waits for its window", NODE
      "queues: [ { name: x, deserved_gpus: 0, windows: [ { from_s: 100, until_s: 200, deserved_gpus: 8 } ] } ]\n", "cohort", .jobs = {
        { 0, 10, 8, 100, X } } },
};

#define BAD(windows) NODE "queues: [ { name: y, deserved_gpus: 4, windows: [ { " windows " } ] } ]\n"
static const struct bad_text bad_rows[] = {
    { "when", BAD("from_s: 5"), "c.yaml:3:51: key 'until_s' is missing" },
    { "backwards", BAD("from_s: 5, until_s: 5"), "c.yaml:3:51: want 'until_s' after 'from_s'" },
    { "before it is over", BAD("from_s: 5, until_s: 15, every_s: 9"), "c.yaml:3:51: want 'every_s' no shorter than the window" },
    { "more than its limit", BAD("from_s: 5, until_s: 15, limit_gpus: 3"), "c.yaml:3:51: want deserved GPUs up to the limit in this window" },
};

/* y deserves 8 GPUs and holds 4 for 400 s; it asks for 8 until 300 s, then for 4. From 100 s to 200 s it deserves none and borrows
 * 4 x 100. Owed are 8 x 200 + 4 x 100 = 2000, of which it has 4 x 300 = 1200 and lacks 800. */
static const struct quota_window none_for_a_while = { 100 * NS_PER_S, 200 * NS_PER_S, 0,
    { { 0, QUOTA_UNSAID, QUOTA_UNSAID }, { QUOTA_UNSAID, QUOTA_UNSAID, QUOTA_UNSAID } } };
static const struct schedule booked[] = {
    { "what is owed follows the quota in force", "fifo", ONE_NODE(4), .queue = { { .facts = {
        .name = "y", .parent = ID_NONE, .weight = 1, .window = &none_for_a_while, .n_windows = 1,
        .quota = { { 8000, UNLIMITED, UNLIMITED }, { UNLIMITED, UNLIMITED, UNLIMITED } } } } },
      .jobs = { { 0, 300, 4, 0, Y }, { 0, 100, 4, 300, Y } },
      .metric = { { "quota_unmet_gpu_h", 800.0 / 3600 }, { "borrowed_gpu_h", 400.0 / 3600 }, { "quota_satisfaction", .6 } } },
};
/* clang-format on */

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, text_plays, rows);
    ADD_ROWS(tests, n, text_is_refused, bad_rows);
    ADD_ROWS(tests, n, plays_as_written, booked);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
