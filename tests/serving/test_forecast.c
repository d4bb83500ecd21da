/* test_forecast.c - forecasts of a rate, against their recurrences worked out by hand. Bins of six hours: four a day. */
#include "sim/base/units.h"
#include "sim/serving/forecast.h"
#include "tests/unit/test_core.h"

#define BIN (6 * 3600 * NS_PER_S)
static const struct forecast_config winters = { .kind = FORECAST_HOLT_WINTERS, .bin_ns = BIN, .level = .5, .trend = .5, .season = .5 };
static const struct forecast_config daily = { .kind = FORECAST_DAILY_MAX, .bin_ns = BIN, .days = 2 };

static const struct row {
    const char *name;
    const struct forecast_config *config;
    double rate[16];              /* the end: below 0 */
    double ahead[4];              /* 1 .. 4 bins */
    double most;                  /* within 12 h */
} rows[] = {
    { "nothing is known", &winters, { -1 }, { 0, 0, 0, 0 }, 0 },
    { "less than a day: as the last", &winters, { 4, 8, 20, -1 }, { 20, 20, 20, 20 }, 20 },
    /* level 10, s = -6 -2 10 -2 */
    { "a day: its very shape", &winters, { 4, 8, 20, 8, -1 }, { 4, 8, 20, 8 }, 20 },
    /* 8 for 4: level .5 (8 + 6) + .5 x 10 = 12, trend .5 x 2 = 1, s_0 = .5 (8 - 12) + .5 x -6 = -5;
     * ahead: 12 + 1 - 2, 12 + 2 + 10, 12 + 3 - 2, 12 + 4 - 5 */
    { "the next day is higher", &winters, { 4, 8, 20, 8, 8, -1 }, { 11, 24, 13, 11 }, 24 },
    /* then 8: level .5 (8 + 2) + .5 x 13 = 11.5, trend .5 x -.5 + .5 = .25, s_1 = .5 x -3.5 + .5 x -2 = -2.75 */
    { "and then as before", &winters, { 4, 8, 20, 8, 8, 8, -1 }, { 21.75, 10, 7.25, 9.75 }, 21.75 },
    /* 0 at level 1: level -> .5 (0 - 0) + .5 = .5, trend -.25, s_0 -.25; .5 - .25, .5 - .5, 0, then .5 - 1 - .25 */
    { "never below 0", &winters, { 1, 1, 1, 1, 0, -1 }, { .25, 0, 0, 0 }, .25 },
    { "daily: before a bin was seen, as the last", &daily, { 4, 9, -1 }, { 9, 9, 4, 9 }, 9 },
    { "daily: the same bin", &daily, { 4, 8, 20, 6, -1 }, { 4, 8, 20, 6 }, 20 },
    { "daily: the most of two days", &daily, { 4, 8, 20, 6, 5, 7, 10, 9, -1 }, { 5, 8, 20, 9 }, 20 },
    /* the first three of day 0 are forgotten */
    { "daily: not of three", &daily, { 4, 8, 20, 6, 5, 7, 10, 9, 1, 1, 1, -1 }, { 9, 5, 7, 10 }, 9 },
};

static void row_test(void **state)
{
    const struct row *row = *state;
    struct forecast *f = forecast_new(row->config);
    for (const double *r = row->rate; *r >= 0; r++)
        forecast_observe(f, *r);
    for (uint32_t h = 0; h < 4; h++)
        assert_near(forecast_ahead(f, h + 1), row->ahead[h], 1e-12);
    assert_near(forecast_most(f, 2 * BIN), row->most, 1e-12);
    forecast_free(f);
}

/* Of a series that is level + trend + season exactly, whatever it is smoothed by, Holt-Winters misses nothing in the long run. */
static void exact_series(void **state)
{
    static const double shape[4] = { -3, 1, 4, -2 };
    struct forecast *f = forecast_new(&winters);
    double worst = 0;
    (void)state;
    for (int t = 0; t < 400; t++) {
        if (t >= 360)
            worst = fmax(worst, fabs(forecast_ahead(f, 1) - (100 + .1 * t + shape[t % 4])));
        forecast_observe(f, 100 + .1 * t + shape[t % 4]);
    }
    assert_true(worst < 1e-6);
    assert_true(fabs(forecast_ahead(f, 2) - (100 + 40 + shape[0])) > 1);     /* the control: another bin is another rate */
    forecast_free(f);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, row_test, rows);
    ADD_TEST(tests, n, exact_series);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
