/* test_sleep.c - idle nodes that are powered off, by hand: which jobs wait for them to wake, and
 * what they draw. models.md 9.
 *
 * A dgx-a100 draws 1480 W idle, an A100 300 W more at work and 15 W more where it is held
 * without progress; waking takes 300 s. */
#include "sim/physics/energy.h"
#include "sim/results/summary.h"
#include "tests/support/powered_schedule.h"

#include <math.h>

#define ONE(more)  "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { off_after_s: 600" more " }\n"
#define TWO        "nodes: [ { group: dgx, type: dgx-a100, count: 2 } ]\npower: { off_after_s: 600 }\n"

/* clang-format off */
static const struct text_schedule rows[] = {
    { "not off yet: no wait", ONE(""), "fifo", .jobs = { { 0, 100, 8, 0 }, { 699, 100, 8, 699 } } },
    { "off at 700: woken by a job that comes then", ONE(""), "fifo", .jobs = { { 0, 100, 8, 0 }, { 700, 100, 8, 700, .ends = 1100 } } },
    { "off from the beginning on", ONE(""), "fifo", .jobs = { { 0, 1, 8, 0 }, { 5000, 100, 8, 5000, .ends = 5400 } } },
    { "two wake it together", ONE(""), "fifo", .jobs = { { 0, 100, 8, 0 }, { 1000, 100, 4, 1000, .ends = 1400 }, { 1000, 50, 4, 1000, .ends = 1350 } } },
    { "one comes while it wakes: it waits for the rest", ONE(""), "fifo", .jobs = {
        { 0, 100, 8, 0 }, { 1000, 100, 4, 1000, .ends = 1400 }, { 1200, 50, 4, 1200, .ends = 1350 } } },
    { "waking comes before starting up", ONE("") "preemption: { start_s: 20 }\n", "fifo", .jobs = {
        { 0, 100, 8, 0, .ends = 120 }, { 1000, 100, 8, 1000, .ends = 1420 } } },
    { "at once, after 10 s", "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { off_after_s: 10, wake_s: 0 }\n", "fifo", .jobs = {
        { 0, 100, 8, 0 }, { 1000, 100, 8, 1000 } } },
    { "idle for no time at all: off", "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { off_after_s: 0, wake_s: 5 }\n", "fifo", .jobs = {
        { 0, 100, 8, 0, .ends = 105 }, { 106, 100, 8, 106, .ends = 211 } } },
    { "a gang waits for its last node", TWO, "fifo", .jobs = { { 0, 2000, 8, 0 }, { 1000, 100, 8, 1000, .ends = 1400 } } },
    { "never", "nodes: [ { group: dgx, type: dgx-a100, count: 1 } ]\npower: { off_after_s: never }\n", "fifo", .jobs = {
        { 0, 100, 8, 0 }, { 100000, 100, 8, 100000 } } },
};

static const struct drawn_row {
    const char *name, *yaml;
    struct job jobs[JOBS_AT_MOST];
    double wh, off_h, wakes;
} drawn[] = {
    /* 3880 W for 100 s, 1480 for 600, nothing for 300; then 1480 + 8 x 15 for 300 and 3880 for 100 */
    { "off for five minutes", ONE(""), .jobs = { { 0, 100, 8, 0 }, { 1000, 100, 8, 1000 } },
      (3880 * 100 + 1480 * 600 + 1600 * 300 + 3880 * 100) / 3600.0, 300 / 3600.0, 1 },
    { "off draws 30 W", ONE(", off_w: 30"), .jobs = { { 0, 100, 8, 0 }, { 1000, 100, 8, 1000 } },
      (3880 * 100 + 1480 * 600 + 30 * 300 + 1600 * 300 + 3880 * 100) / 3600.0, 300 / 3600.0, 1 },
    { "the other node sleeps from 600 s on", TWO, .jobs = { { 0, 3600, 8, 0 } }, 3880 + 1480 / 6.0, 3000 / 3600.0, 0 },
    { "no node sleeps", ONE(""), .jobs = { { 0, 100, 8, 0 }, { 600, 100, 8, 600 } }, (3880 * 200 + 1480 * 500) / 3600.0, 0, 0 },
};
/* clang-format on */

static void draws(void **state)
{
    const struct drawn_row *row = *state;
    struct text_schedule played = { .yaml = row->yaml, .policy = "fifo" };
    memcpy(played.jobs, row->jobs, sizeof played.jobs);
    struct sched *s = text_played(&played, NULL);
    struct summary *m = summary_make(s);
    assert_true(fabs(1000 * power_kwh(energy_of(s)->all.aj) - row->wh) < 1e-6);
    assert_true(fabs(summary_value(m, "node_off_h", "all") - row->off_h) < 1e-9);
    assert_true(summary_value(m, "node_wakes", "all") == row->wakes);
    summary_free(m);
    put_away(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, text_plays, rows);
    ADD_ROWS(tests, n, draws, drawn);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
