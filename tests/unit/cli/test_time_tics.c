/* test_time_tics.c - tics of axes of time, by hand and by `date -u`. */
#include "sim/cli/frame/time_tics.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <string.h>

enum { HOUR = 3600, DAY = 86400 };
/* date -u -d 2026-01-05 +%s (a Monday); -d 2024-02-28T23:00:00; -d 2017-10-03; -d 1999-11-20 */
static const double monday = 1767571200, leap = 1709161200, philly = 1506988800, old = 943056000;

static const struct row {
    const char *name;
    struct time_span span;
    size_t most;
    const char *text;  /* of all tics */
    double first_s, last_s;
    const char *axis;
} rows[] = {
    { "a minute", { 0, 60, NAN, false }, 5, "0 20 40 60", 0, 60, "time since the start (s)" },
    { "a week", { 0, 7 * DAY, NAN, false }, 8, "0 1 2 3 4 5 6 7", 0, 7 * DAY,
      "time since the start (d)" },
    { "it begins later, whole", { 1e6, 60, NAN, false }, 5, "0 20 40 60", 0, 60,
      "time since the start (s)" },
    { "a part", { 40 * HOUR, 12 * HOUR, NAN, true }, 5, "40 45 50", 0, 10 * HOUR,
      "time of the run (h)" },
    { "a part, late", { 1e6 + 1, 60, NAN, true }, 5, "1,000,020 1,000,040 1,000,060", 19, 59,
      "time of the run (s)" },
    { "days", { 0, 7 * DAY, monday, false }, 8,
      "5 Jan,6 Jan,7 Jan,8 Jan,9 Jan,10 Jan,11 Jan,12 Jan", 0, 7 * DAY,
      "date (UTC), from 5 Jan 2026" },
    { "weeks from Monday", { 2 * DAY, 28 * DAY, monday, false }, 6, "12 Jan,19 Jan,26 Jan,2 Feb",
      5 * DAY, 26 * DAY, "date (UTC), from 7 Jan 2026" },
    { "over the end of a leap year's February", { 0, 4 * HOUR, leap, false }, 6,
      "23:00,29 Feb,01:00,02:00,03:00", 0, 4 * HOUR, "date (UTC), from 28 Feb 2024" },
    { "seconds", { 30, 20, monday, false }, 6, "00:00:30,00:00:35,00:00:40,00:00:45,00:00:50", 0,
      20, "date (UTC), from 5 Jan 2026" },
    /* 29, 90, 121 days after: November, January and February begin */
    { "months", { 0, 100 * DAY, philly, false }, 6, "Nov,Dec,2018", 29 * DAY, 90 * DAY,
      "date (UTC), from 3 Oct 2017" },
    { "years, over 29 February 2000", { 0, 800 * DAY, old, false }, 4, "2000,2001,2002", 42 * DAY,
      (42 + 366 + 365) * DAY, "date (UTC), from 20 Nov 1999" },
    { "no round time in it", { 0.25, 0.5, monday, false }, 5, "5 Jan 00:00:00", 0, 0,
      "date (UTC), from 5 Jan 2026" },
};

static void tics(void **state)
{
    const struct row *row = *state;
    struct time_tics t;
    char all[600] = "";
    const char *between = isnan(row->span.origin_s) ? " " : ",";
    time_tics(&t, &row->span, row->most);
    for (size_t i = 0; i < t.n; i++) {
        strcat(all, i ? between : "");
        strcat(all, t.tic[i].text);
        assert_true(i == 0 || t.tic[i].at_s > t.tic[i - 1].at_s);
    }
    assert_string_equal(all, row->text);
    assert_true(t.n <= row->most);
    assert_near(t.tic[0].at_s, row->first_s, 1e-6);
    assert_near(t.tic[t.n - 1].at_s, row->last_s, 1e-6);
    assert_string_equal(t.name, row->axis);
}

/* Any span has at least one tic, at most as many as asked for, all on the axis. */
static void any_span(void **state)
{
    (void)state;
    struct time_tics t;
    for (double length = 1e-3; length < 2e9; length *= 1.37)
        for (size_t most = 2; most <= TIME_TICS_MOST; most += 3)
            for (int dated = 0; dated < 2; dated++) {
                struct time_span span = { 12345.678, length, dated ? philly : (double)NAN, true };
                time_tics(&t, &span, most);
                assert_true(t.n >= 1 && t.n <= most);
                assert_true(t.tic[0].at_s >= -1e-5 && t.tic[t.n - 1].at_s <= length + 1e-5);
            }
}

static void moments(void **state)
{
    (void)state;
    char text[TIME_TEXT];
    time_moment(text, &(struct time_span){ 0, 7 * DAY, monday, false }, 13 * HOUR);
    assert_string_equal(text, "5 Jan 13:00");
    time_moment(text, &(struct time_span){ 0, 100, monday, false }, 13 * HOUR + 5);
    assert_string_equal(text, "5 Jan 13:00:05");
    time_moment(text, &(struct time_span){ 40 * HOUR, 12 * HOUR, NAN, true }, 40.5 * HOUR);
    assert_string_equal(text, "40.5 h");
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, tics, rows);
    ADD_TEST(tests, n, any_span);
    ADD_TEST(tests, n, moments);
    return cmocka_run_group_tests_name("time_tics", tests, NULL, NULL) != 0;
}
