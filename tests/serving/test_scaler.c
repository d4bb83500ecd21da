/* test_scaler.c - who decides how many replicas there should be: sizing by closed forms, profiles, forecasts, idleness. */
#include "sim/base/units.h"
#include "sim/serving/demand.h"
#include "sim/serving/queueing.h"
#include "sim/serving/scaler.h"
#include "tests/unit/test_core.h"

static struct service mm(double mean_s, double target_s, double share)
{
    struct service s = service_default();
    s.name = "s";
    s.demand.rate = 1;
    s.time.kind = TIME_LAW;
    s.time.law = (struct law){ 1, { { .kind = LAW_EXPONENTIAL, .weight = 1, .scale = 1, .a = mean_s } } };
    s.slo.latency_s = target_s;
    s.slo.share = share;
    return s;
}

/* Erlang C by its sum, not by the recursion of queueing.c: a^c/c! c/(c - a) / (sum_k<c a^k/k! + that). */
static double erlang_c_by_sum(uint32_t c, double a)
{
    double term = 1, sum = 0;
    for (uint32_t k = 0; k < c; k++) {
        sum += term;
        term *= a / (k + 1);
    }
    double last = term * c / (c - a);
    return last / (sum + last);
}

/* P(wait > t) = C e^-(c mu - lambda) t (M/M/c); the estimate adds the mean time of service to the quantile. */
static bool keeps(uint32_t c, double rate, double mean_s, double target_s, double share)
{
    double a = rate * mean_s, wait_s = target_s - mean_s;
    return a < c && wait_s >= 0 && erlang_c_by_sum(c, a) * exp(-(c / mean_s - rate) * wait_s) <= 1 - share;
}

static const struct size_row { const char *name; double rate, mean_s, target_s, share; } size_rows[] = {
    { "10/s of 0.1 s in 0.2 s", 10, .1, .2, .99 },
    { "100/s of 0.02 s in 0.05 s", 100, .02, .05, .95 },
    { "1000/s of 0.01 s in 0.011 s", 1000, .01, .011, .99 },
    { "3/s of 1 s in 10 s", 3, 1, 10, .999 },
    { "0.1/s", .1, .1, .5, .9 },
};

static void smallest(void **state)
{
    const struct size_row *row = *state;
    struct service s = mm(row->mean_s, row->target_s, row->share);
    uint32_t n = replicas_for_slo(&s, row->rate, 1, 1000), want = 1;
    while (!keeps(want, row->rate, row->mean_s, row->target_s, row->share))
        want++;
    assert_int_equal(n, want);
    assert_int_equal(replicas_for_slo(&s, row->rate, 1, want - 1 ? want - 1 : 1), want - 1 ? want - 1 : 1);    /* no more than there are */
    /* Burstier requests need more: (c_a^2 + c_s^2)/2 stretches every wait. The control: n does not do for them. */
    assert_true(replicas_for_slo(&s, row->rate, 50, 1000) >= n);
}

static void burstier(void **state)
{
    (void)state;
    struct service s = mm(.1, .2, .99);
    assert_true(replicas_for_slo(&s, 100, 20, 1000) > replicas_for_slo(&s, 100, 1, 1000));
    assert_int_equal(replicas_for_slo(&s, 0, 1, 1000), 0);
    s.slo.latency_s = .05;        /* less than a service takes: all that there are */
    assert_int_equal(replicas_for_slo(&s, 10, 1, 77), 77);
}

/* ---- looks, told by hand ---- */

static struct serving_load at(double s)
{
    return (struct serving_load){ .at_ns = (int64_t)(s * (double)NS_PER_S) };
}

static void profile(void **state)
{
    uint32_t hours[24] = { 3, 4, 5, 99 };
    struct scaler_config c = scaler_defaults;
    struct service s = mm(.1, .2, .99);
    (void)state;
    c.kind = SCALE_PROFILE;
    c.most = 10;
    c.profile = hours;
    c.n_profile = 24;
    c.first_hour = 24.5;          /* Tuesday, half past midnight */
    struct scaler *x = scaler_new(&c, &s, 0);
    const struct { double at_s; uint32_t want; } look[] = { { 0, 3 }, { 1799, 3 }, { 1800, 4 }, { 5400, 5 }, { 9000, 10 }, { 12600, 1 }, { 84600, 3 } };
    assert_int_equal(scaler_wants(x), 3);
    for (size_t i = 0; i < COUNT(look); i++) {
        struct serving_load l = at(look[i].at_s);
        assert_int_equal(scaler_look(x, &l, 0, 0), look[i].want);
    }
    scaler_free(x);
}

/* To none after 600 s without a request, back with the first that is seen. */
static void idle(void **state)
{
    struct scaler_config c = scaler_defaults;
    struct service s = mm(.1, .2, .99);
    const struct { double at_s, arrived, waiting; uint32_t want; } look[] = {
        { 15, 0, 0, 2 }, { 585, 0, 0, 2 }, { 590, 1, 1, 2 }, { 605, 1, 0, 2 }, { 1175, 1, 0, 2 }, { 1190, 1, 0, 0 }, { 1205, 1, 0, 0 },
        { 1220, 2, 1, 2 }, { 1235, 2, 1, 2 }, { 1250, 2, 0, 2 }, { 1834, 2, 0, 2 }, { 1835, 2, 0, 0 },
    };
    (void)state;
    c.least = 0;
    c.initial = c.most = 2;
    c.idle_ns = 600 * NS_PER_S;
    struct scaler *x = scaler_new(&c, &s, 0);
    for (size_t i = 0; i < COUNT(look); i++) {
        struct serving_load l = at(look[i].at_s);
        l.arrived = look[i].arrived;
        l.waiting = look[i].waiting;
        if (scaler_look(x, &l, 2, 2) != look[i].want)
            fail_msg("at %g s: want %u, got %u", look[i].at_s, look[i].want, scaler_wants(x));
    }
    scaler_free(x);
}

/* The same by hpa: from none it wants one again, whatever it would say; and then its own rules. */
static void idle_hpa(void **state)
{
    struct scaler_config c = scaler_defaults;
    struct service s = mm(.1, .2, .99);
    (void)state;
    c.kind = SCALE_HPA;
    c.least = 0;
    c.most = 20;
    c.idle_ns = 60 * NS_PER_S;
    c.hpa = hpa_defaults;
    c.hpa.most = 20;
    c.hpa.n_metrics = 1;
    c.hpa.metric[0] = (struct hpa_metric){ HPA_RESOURCE, .6 };
    c.metric[0] = SCALER_DUTY;
    struct scaler *x = scaler_new(&c, &s, 0);
    struct serving_load l = at(60);
    assert_int_equal(scaler_look(x, &l, 1, 1), 0);
    l = at(75);
    l.arrived = l.waiting = 3;
    assert_int_equal(scaler_look(x, &l, 0, 0), 1);
    l = at(90);                   /* it starts: nothing can be said of its duty */
    l.arrived = l.waiting = 9;
    assert_int_equal(scaler_look(x, &l, 0, 1), 1);
    l = at(105);
    l.arrived = 9;
    l.replica_s = l.busy_s = 15;  /* 1 / 0.6 of one: 2 */
    assert_int_equal(scaler_look(x, &l, 1, 1), 2);
    l = at(120);
    l.arrived = 20;
    l.replica_s = 45;
    l.busy_s = 45;                /* 1 / 0.6 of two: 4 */
    assert_int_equal(scaler_look(x, &l, 2, 2), 4);
    scaler_free(x);
}

/* Bins of six hours: the rate of the last one until a day is over, then Holt-Winters; 1.5 times that, 2 per second and replica. */
static void forecast(void **state)
{
    struct scaler_config c = scaler_defaults;
    struct service s = mm(.1, .2, .99);
    static const double rate[] = { 4, 8, 20, 8, 8 };
    static const uint32_t want[] = { 3, 6, 15, 3, 9 };    /* ceil(.75 x 4), 8, 20; then the next bin: 4, and 11 (see test_forecast.c) */
    double arrived = 0;
    (void)state;
    c.kind = SCALE_FORECAST;
    c.most = 100;
    c.period_ns = 21600 * NS_PER_S;
    c.forecast = (struct forecast_config){ FORECAST_HOLT_WINTERS, 21600 * NS_PER_S, .5, .5, .5, 1 };
    c.headroom = 1.5;
    c.replica_rate = 2;
    c.lead_ns = 0;
    struct scaler *x = scaler_new(&c, &s, 0);
    assert_int_equal(scaler_wants(x), 1);
    for (size_t i = 0; i < COUNT(rate); i++) {
        struct serving_load l = at(21600.0 * (double)(i + 1));
        l.arrived = arrived += 21600 * rate[i];
        assert_int_equal(scaler_look(x, &l, 0, 0), want[i]);
    }
    scaler_free(x);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, smallest, size_rows);
    ADD_TEST(tests, n, burstier);
    ADD_TEST(tests, n, profile);
    ADD_TEST(tests, n, idle);
    ADD_TEST(tests, n, idle_hpa);
    ADD_TEST(tests, n, forecast);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
