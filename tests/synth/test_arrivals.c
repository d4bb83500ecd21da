/* test_arrivals.c - arrival processes against their laws: gaps, hours of the day and the week, dispersion. models.md 6.2. */
#include "sim/base/units.h"
#include "sim/models/draws/arrivals.h"
#include "tests/synth/statistics.h"

enum { ARRIVALS = 100000 };

static const double flat_day[24] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
static const double flat_week[7] = { 1, 1, 1, 1, 1, 1, 1 };

/* ---- gaps ---- */

static double exponential_below(double x, const void *mean)
{
    return gsl_cdf_exponential_P(x, *(const double *)mean);
}

/* models.md 6.2 (ii): c2 = 4 at rate 1: p = .8872983, rates 1.7745967 and .2254033. */
static double hyper_below(double x, const void *p)
{
    double q = *(const double *)p;
    return q * gsl_cdf_exponential_P(x, 1 / (2 * q)) + (1 - q) * gsl_cdf_exponential_P(x, 1 / (2 * (1 - q)));
}

static void hyper_by_hand(void **state)
{
    (void)state;
    double p = hyper_probability(4);
    assert_near(p, .8872983, 1e-7);
    assert_near(2 * p, 1.7745967, 1e-7);
    assert_near(2 * (1 - p), .2254033, 3e-7);
    assert_near(hyper_probability(1), .5, 1e-12);
}

static const struct gaps {
    const char *name;
    struct arrival_law law;
    double (*below)(double x, const void *law);
    double is, is_not;
} gaps[] = {
    { "poisson: gaps", { .kind = ARRIVE_POISSON }, exponential_below, 1, 1.02 },
    { "hyper: gaps at c2 = 4", { .kind = ARRIVE_HYPER, .c2 = 4 }, hyper_below, .8872983346207417, .895 },
    { "hyper: at c2 = 1 it is poisson", { .kind = ARRIVE_HYPER, .c2 = 1 }, exponential_below, 1, 1.02 },
    { "mmpp: with one rate it is poisson", { .kind = ARRIVE_MMPP, .burst_ratio = 1, .burst_s = 20, .calm_s = 80 }, exponential_below, 1, 1.02 },
};

static void gaps_as_the_law(void **state)
{
    static double x[ARRIVALS];
    const struct gaps *g = *state;
    struct calendar c = calendar_of(flat_day, flat_week, 0, TIME_NEVER);
    assert_true(c.flat);
    struct arrivals a = arrivals_from(&g->law, &c, 1, 1, "test");
    double last = 0;
    for (size_t i = 0; i < ARRIVALS; i++) {
        double t = arrivals_next(&a);
        x[i] = t - last;
        last = t;
    }
    double d = ks_distance(x, ARRIVALS, g->below, &g->is), off = ks_distance(x, ARRIVALS, g->below, &g->is_not);
    if (d > ks_critical(ARRIVALS) || off < ks_critical(ARRIVALS))
        fail_msg("distance %.5f, of the control %.5f, critical %.5f", d, off, ks_critical(ARRIVALS));
}

/* On a calendar the gaps of HYPER are those of the integral of the rate. */
static void hyper_gaps_are_stretched_by_the_calendar(void **state)
{
    static double x[ARRIVALS];
    (void)state;
    const struct arrival_law law = { .kind = ARRIVE_HYPER, .c2 = 4 };
    struct calendar c = calendar_of(calendar_helios_daily, calendar_usual_weekly, 0, TIME_NEVER);
    struct arrivals a = arrivals_from(&law, &c, 1.0 / 60, 1, "test");
    double last = 0, p = hyper_probability(4), plain = 1 / 60.0;
    for (size_t i = 0; i < ARRIVALS; i++) {
        double t = arrivals_next(&a);
        x[i] = 0;
        while (last < t) {            /* hour by hour */
            double next = fmin((floor(last / 3600) + 1) * 3600, t);
            x[i] += plain * (next - last) * calendar_factor(&c, last);
            last = next;
        }
    }
    double d = ks_distance(x, ARRIVALS, hyper_below, &p), one = 1, off = ks_distance(x, ARRIVALS, exponential_below, &one);
    assert_true(d < ks_critical(ARRIVALS));
    assert_true(off > ks_critical(ARRIVALS));
}

/* ---- hours ---- */

static const struct hours {
    const char *name;
    struct arrival_law law;
    bool profile, agrees;         /* drawn with the profile; agrees with it */
} hours[] = {
    { "poisson: thinned by hour and day of the week", { .kind = ARRIVE_POISSON }, true, true },
    { "poisson: flat arrivals are seen to be flat", { .kind = ARRIVE_POISSON }, false, false },
};

static void hours_as_the_profile(void **state)
{
    const struct hours *h = *state;
    double count[24] = { 0 }, days[7] = { 0 }, week[WEEK_HOURS] = { 0 };
    struct calendar is = calendar_of(calendar_helios_daily, calendar_usual_weekly, 0, TIME_NEVER);
    struct calendar flat = calendar_of(flat_day, flat_week, 0, TIME_NEVER);
    const double weeks = 100;     /* whole ones: every hour as often */
    struct arrivals a = arrivals_from(&h->law, h->profile ? &is : &flat, ARRIVALS / (weeks * 7 * 86400), 1, "test");
    for (double t; (t = arrivals_next(&a)) < weeks * 7 * 86400;) {
        size_t hour = (size_t)(t / 3600) % WEEK_HOURS;
        week[hour]++;
        count[hour % 24]++;
        days[hour / 24]++;
    }
    assert_true(chi_square_agrees(count, calendar_helios_daily, 24) == h->agrees);
    assert_true(chi_square_agrees(days, calendar_usual_weekly, 7) == h->agrees);
    assert_true(chi_square_agrees(week, is.factor, WEEK_HOURS) == h->agrees);
    assert_near((double)a.n, ARRIVALS, 4 / sqrt(ARRIVALS));
}

/* 1970-01-01 was a Thursday; 2026-01-05 is a Monday (20458 days later), 12:00 on the 10th a Saturday's. */
static void the_start_has_a_weekday(void **state)
{
    (void)state;
    const int64_t day_ns = 86400 * NS_PER_S;
    struct calendar monday = calendar_of(calendar_helios_daily, calendar_usual_weekly, 0, 20458 * day_ns);
    struct calendar thursday = calendar_of(calendar_helios_daily, calendar_usual_weekly, 0, 0);
    struct calendar saturday = calendar_of(calendar_helios_daily, calendar_usual_weekly, 0, 20463 * day_ns + day_ns / 2);
    assert_near(monday.first_hour, 0, 0);
    assert_near(thursday.first_hour, 72, 0);
    assert_near(saturday.first_hour, 132, 0);
    double mean = 0;
    for (int h = 0; h < WEEK_HOURS; h++)
        mean += monday.factor[h] / WEEK_HOURS;
    assert_near(mean, 1, 1e-12);
    assert_near(calendar_factor(&saturday, 0) / calendar_factor(&monday, 12 * 3600), .7, 1e-12);
    assert_near(calendar_factor(&saturday, 36 * 3600) / calendar_factor(&saturday, 12 * 3600), 1 / .7, 1e-12); /* Monday 00:00 */
}

/* Twice as many every day: 1, 2, 4 ... of the first; calendar_after() undoes the integral. */
static void growth_by_hand(void **state)
{
    (void)state;
    struct calendar c = calendar_of(flat_day, flat_week, 1, TIME_NEVER);
    assert_near(calendar_factor(&c, 86399), 1, 1e-12);
    assert_near(calendar_factor(&c, 2.5 * 86400), 4, 1e-12);
    assert_near(calendar_after(&c, 0, 86400 * 3.0), 2 * 86400, 1e-12);
    assert_near(calendar_after(&c, 43200, 86400 * 1.5), 86400 * 1.5, 1e-12);
    const struct arrival_law poisson = { .kind = ARRIVE_POISSON };
    struct arrivals a = arrivals_from(&poisson, &c, 1000 / 86400.0, 1, "test");
    double count[4] = { 0 }, t;
    const double expected[4] = { 1, 2, 4, 8 }, even[4] = { 1, 1, 1, 1 };
    while ((t = arrivals_next(&a)) < 4 * 86400)
        count[(int)(t / 86400)]++;
    assert_true(chi_square_agrees(count, expected, 4));
    assert_false(chi_square_agrees(count, even, 4));
}

/* ---- dispersion ---- */

/* Var N(t) / E N(t) of a process with two rates and mean stays: 1 + 2 b c (h - l)^2 / (lambda s) x (1 - (1 - e^-st)/(st)) with
 * shares b and c of the time, s = 1/burst + 1/calm (Heffes and Lucantoni, IEEE JSAC 4(6), 1986). */
static double dispersion(const struct arrival_law *law, double rate, double t)
{
    double b = law->burst_s / (law->burst_s + law->calm_s), s = 1 / law->burst_s + 1 / law->calm_s;
    double l = rate * mmpp_calm_rate(law), h = l * law->burst_ratio;
    assert_near(b * h + (1 - b) * l, rate, 1e-12);
    return 1 + 2 * b * (1 - b) * (h - l) * (h - l) / (rate * s) * (1 - (1 - exp(-s * t)) / (s * t));
}

static void bursts_disperse_as_they_should(void **state)
{
    (void)state;
    enum { WINDOWS = 20000 };
    const struct arrival_law mmpp = { .kind = ARRIVE_MMPP, .burst_ratio = 10, .burst_s = 60, .calm_s = 540 };
    const double window = 300, rate = .1;
    struct calendar c = calendar_of(flat_day, flat_week, 0, TIME_NEVER);
    struct arrivals a = arrivals_from(&mmpp, &c, rate, 1, "test");
    static double count[WINDOWS];
    double mean = 0, square = 0, fourth = 0;
    for (double t; (t = arrivals_next(&a)) < window * WINDOWS;)
        count[(size_t)(t / window)]++;
    for (size_t i = 0; i < WINDOWS; i++)
        mean += count[i] / WINDOWS;
    for (size_t i = 0; i < WINDOWS; i++) {
        double off = (count[i] - mean) * (count[i] - mean);
        square += off / WINDOWS;
        fourth += off * off / WINDOWS;
    }
    /* neighbouring windows hang together: a mean stay of 60 s is a fifth of one, so half as many count in full */
    double want = dispersion(&mmpp, rate, window), error = sqrt((fourth - square * square) / (WINDOWS / 2.0)) / mean;
    assert_true(fabs(square / mean - want) < 4 * error);
    assert_true(fabs(square / mean - 1) > 20 * error); /* control: it is not Poisson */
    assert_true(fabs(mean - rate * window) < 4 * sqrt(2 * square / WINDOWS));
}

/* Arrival k is the same however many there are; another seed, other arrivals. */
static void each_arrival_has_its_own_luck(void **state)
{
    (void)state;
    const struct arrival_law mmpp = { .kind = ARRIVE_MMPP, .burst_ratio = 10, .burst_s = 60, .calm_s = 540 };
    struct calendar c = calendar_of(calendar_helios_daily, calendar_usual_weekly, 0, TIME_NEVER);
    struct arrivals a = arrivals_from(&mmpp, &c, 1, 1, "test"), b = a, other = arrivals_from(&mmpp, &c, 1, 2, "test");
    for (int i = 0; i < 1000; i++) {
        double t = arrivals_next(&a);
        assert_near(arrivals_next(&b), t, 0);
        assert_true(arrivals_next(&other) != t);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, hyper_by_hand);
    ADD_ROWS(tests, n, gaps_as_the_law, gaps);
    ADD_TEST(tests, n, hyper_gaps_are_stretched_by_the_calendar);
    ADD_ROWS(tests, n, hours_as_the_profile, hours);
    ADD_TEST(tests, n, the_start_has_a_weekday);
    ADD_TEST(tests, n, growth_by_hand);
    ADD_TEST(tests, n, bursts_disperse_as_they_should);
    ADD_TEST(tests, n, each_arrival_has_its_own_luck);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
