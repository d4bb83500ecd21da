/* test_fluid.c - a service as a flow: against closed forms, by hand where more comes than can be served, and against the same service
 * request by request. */
#include "sim/serving/backlog.h"
#include "sim/serving/queueing.h"
#include "tests/serving/served.h"

#include <string.h>

#define EXP_ONE   LAW_OF(LAW_EXPONENTIAL, 1)
#define FIXED_ONE LAW_OF(LAW_FIXED, 1)

/* ---- calm: models.md 4.3 and 11.1 ---- */

static const struct calm_row { const char *name; uint32_t servers; double rho; struct law law; double wait, p99; } calms[] = {
    /* p99 of the response of M/M/1: ln 100/(mu - lambda); of M/D/1 by Allen and Cunneen's tail: 1 + (W/rho) ln(rho/.01) */
    { "M/M/1 at .5", 1, .5, EXP_ONE, 1, 9.210340372 },
    { "M/M/1 at .9", 1, .9, EXP_ONE, 9, 46.05170186 },
    { "M/M/4 at .8", 4, .8, EXP_ONE, .745541, 0 },
    { "M/M/64 at .95", 64, .95, EXP_ONE, .183753, 0 },
    { "M/D/1 at .8", 1, .8, FIXED_ONE, 2, 1 + 2 / .8 * 4.382026635 },
    { "M/D/1 at .9", 1, .9, FIXED_ONE, 4.5, 1 + 4.5 / .9 * 4.49980967 },
    { "M/H2/4 at .8", 4, .8, HYPER_LAW, .745541 * 2.5, 0 },
};

static void equilibrium(void **state)
{
    const struct calm_row *r = *state;
    struct service s = served_by_law("calm", SERVICE_FLUID, r->servers * r->rho, r->law);
    s.slo.latency_s = 2;
    struct serving_figures f = served(&s, 1, r->servers, 1, 0, 3600);
    assert_near(f.latency.mean_s, 1 + r->wait, 1e-4);     /* c_s^2 is that of the polygon */
    if (r->p99 > 0)
        assert_near(f.latency.p99_s, r->p99, 4e-3);
    assert_near(figures_duty(&f), r->rho, 1e-8);
    assert_near(f.arrived, 3600 * r->servers * r->rho, 1e-9);
    assert_near(f.served, f.arrived, 1e-12);
    assert_near(f.windows, 60, 0);
    if (r->servers == 1 && r->law.part[0].kind == LAW_EXPONENTIAL)
        assert_near(figures_attainment(&f), 1 - exp(-2 * (1 - r->rho)), 1e-3);
    /* two replicas of half the speed are one replica of half the load each, not one */
    if (r->servers == 1) {
        struct serving_figures half = served(&s, 1, 2, .5, 0, 3600);
        struct wait_law w = wait_in_queue(2, 2 * r->rho, 2, r->law.part[0].kind == LAW_FIXED ? .5 : 1, INFINITY);
        assert_near(half.latency.mean_s, 2 + wait_mean(&w), 1e-4);
    }
}

/* ---- a backlog by hand ---- */

/* 3/s come for 60 s, 2/s are served: 60 left; the last of them waits 30 s. Then 1/s: drains by 1/s, over at 120. Who comes at 60 + x, x <
 * 60, meets 60 - x: waits (60 - x)/2. Waits: of 180 evenly 0 to 30, of 60 (those of the second minute) 30 to 0. */
static void backlog_grows_and_drains(void **state)
{
    (void)state;
    struct backlog b = backlog_new(INFINITY);
    struct backlog_step up = backlog_advance(&b, 3, 2, 60);
    assert_near(up.passed_s, 60, 1e-12);
    assert_near(up.served, 120, 1e-12);
    assert_near(backlog_amount(&b), 60, 1e-12);
    assert_near(up.from_wait_s, 0, 0);
    assert_near(up.to_wait_s, 20, 1e-12);         /* who is served at 60 came at 40 */
    struct backlog_step left = backlog_advance(&b, 1, 2, 200);
    assert_near(left.passed_s, 30, 1e-12);        /* 60 at 2/s: until 90 those of the first minute */
    assert_near(left.to_wait_s, 30, 1e-12);
    struct backlog_step down = backlog_advance(&b, 1, 2, 200);
    assert_near(down.passed_s, 30, 1e-12);        /* at 90 there are 30, and 1/s more */
    assert_near(down.from_wait_s, 30, 1e-12);
    assert_near(down.to_wait_s, 0, 1e-9);
    assert_true(backlog_is_empty(&b));
    assert_near(b.now_s, 120, 1e-12);
    backlog_free(&b);
}

/* With a timeout of 8 s the head is that old after 24 s (it ages 1/3 s a second); from then on 1/s leaves. Without replicas all of them
 * leave, 8 s after they came. */
static void the_impatient_leave(void **state)
{
    (void)state;
    struct backlog b = backlog_new(8);
    struct backlog_step s = backlog_advance(&b, 3, 2, 60);
    assert_near(s.passed_s, 24, 1e-12);
    assert_near(s.dropped, 0, 0);
    s = backlog_advance(&b, 3, 2, 60);
    assert_near(s.passed_s, 36, 1e-12);
    assert_near(s.dropped, 36, 1e-12);
    assert_near(s.from_wait_s, 8, 1e-12);
    assert_near(s.to_wait_s, 8, 1e-12);
    assert_near(backlog_amount(&b), 24, 1e-9);
    s = backlog_advance(&b, 0, 0, 70);            /* nobody comes, nobody serves: those that are left age, and leave */
    assert_near(s.passed_s, 8, 1e-12);
    assert_near(s.dropped, 24, 1e-9);
    assert_true(backlog_is_empty(&b));
    backlog_free(&b);
}

/* The same through the service, minute by minute: M/M/2 with 3/s, then 1/s. */
static void overload_by_hand(void **state)
{
    (void)state;
    struct request_list l = { 0 };
    for (int i = 0; i < 180 + 60; i++)
        request_list_add(&l, (struct recorded_request){ i < 180 ? i * NS_PER_S / 3 : (i - 120) * NS_PER_S, NS_PER_S, 0, 0, 0, 0, 0, 0 });
    struct error err = { "" };
    assert_int_equal(request_list_finish(&l, "list", &err), 0);
    struct service s = served_by_law("overload", SERVICE_FLUID, 0, (struct law)FIXED_ONE);
    s.demand.replay = &l;
    s.time.kind = TIME_RECORDED;
    s.slo.latency_s = 11;
    struct serving *v = serving_with(&s, 1, 2, 1);
    serving_advance(v, 60 * NS_PER_S);
    struct serving_figures f = serving_take_figures(v);
    assert_near(f.arrived, 180, 1e-12);
    assert_near(f.served, 120, 1e-12);
    assert_near(f.unfinished, 60, 1e-12);
    assert_near(f.latency.mean_s, 1 + 10, 1e-9);          /* waits 0 to 20 evenly */
    assert_near(f.latency.p50_s, 1 + 10, 4e-3);
    assert_near(f.latency.p99_s, 1 + 19.8, 4e-3);
    assert_near(figures_attainment(&f), .5, 2e-2);        /* a wait of at most 10 */
    assert_near(figures_duty(&f), 1, 1e-12);
    serving_advance(v, 120 * NS_PER_S);
    f = serving_take_figures(v);
    assert_near(f.served, 120, 1e-9);
    assert_near(f.unfinished, 0, 1e-9);
    assert_near(f.latency.mean_s, 1 + (60 * 25 + 60 * 15) / 120.0, 1e-9);
    assert_near(serving_total(v).latency.p99_s, 31, 1e-2);
    serving_free(v);
    request_list_free(&l);
}

/* Scaled to zero: requests wait for the first replica. */
static void from_zero(void **state)
{
    (void)state;
    struct service s = served_by_law("zero", SERVICE_FLUID, 2, (struct law)FIXED_ONE);
    s.demand.start_ns = 30 * NS_PER_S;
    struct serving *v = serving_new(&s, 1);
    serving_advance(v, 40 * NS_PER_S);
    assert_near(serving_load(v).waiting, 20, 1e-9);
    for (uint32_t i = 0; i < 4; i++)
        serving_replica_ready(v, i, 1);
    serving_advance(v, 60 * NS_PER_S);                    /* 20 more than 2/s at 4/s: 10 s */
    struct serving_figures f = serving_take_figures(v);
    assert_near(f.served, 60, 1e-9);
    assert_near(f.replica_s, 80, 1e-12);
    assert_near(f.busy_s, 4 * 10 + 2 * 10, 1e-9);
    serving_free(v);
}

/* ---- against the same service request by request ---- */

static const struct pair_row {
    const char *name;
    enum time_kind time;
    struct law law;
    double rate;
    uint32_t replicas;
    enum arrival_kind arrivals;
    double timeout_s;
    double mean, p99, served;     /* how close: parts of the value */
} pairs[] = {
    { "M/M/4 at .8", TIME_LAW, EXP_ONE, 3.2, 4, ARRIVE_POISSON, INFINITY, .02, .03, .005 },
    { "M/M/4 at .8, timeout", TIME_LAW, EXP_ONE, 3.2, 4, ARRIVE_POISSON, 1, .02, .03, .005 },
    { "M/M/4 at .97, timeout", TIME_LAW, EXP_ONE, 3.88, 4, ARRIVE_POISSON, 3, .02, .03, .005 },
    { "M/D/4 at .8", TIME_LAW, FIXED_ONE, 3.2, 4, ARRIVE_POISSON, INFINITY, .04, .08, .005 },
    { "M/H2/4 at .8", TIME_LAW, HYPER_LAW, 3.2, 4, ARRIVE_POISSON, INFINITY, .12, .15, .005 },     /* Allen and Cunneen: 10 % of the wait */
    { "H2/M/4 at .8", TIME_LAW, EXP_ONE, 3.2, 4, ARRIVE_HYPER, INFINITY, .1, .15, .01 },
    { "bursts in calm", TIME_LAW, EXP_ONE, 2, 12, ARRIVE_MMPP, INFINITY, .02, .03, .02 },
    { "M/M/4 at 1.25 with timeout", TIME_LAW, EXP_ONE, 5, 4, ARRIVE_POISSON, 20, .1, .1, .01 },
    { "batches, hardly any wait", TIME_BATCH, EXP_ONE, 100, 2, ARRIVE_POISSON, INFINITY, .15, .15, .01 },
    { "batches at .45", TIME_BATCH, EXP_ONE, 800, 2, ARRIVE_POISSON, INFINITY, .15, .3, .01 },
    { "batches at .9", TIME_BATCH, EXP_ONE, 8000, 10, ARRIVE_POISSON, INFINITY, .1, .1, .01 },
    { "batches in overload", TIME_BATCH, EXP_ONE, 2000, 2, ARRIVE_POISSON, INFINITY, .05, .05, .01 },
    { "LLM, one replica at .3", TIME_LLM, EXP_ONE, 1, 1, ARRIVE_POISSON, INFINITY, .05, .1, .01 },
    { "LLM, one replica at .8", TIME_LLM, EXP_ONE, 3, 1, ARRIVE_POISSON, INFINITY, .05, .1, .01 },
    { "LLM, 16 replicas at .7", TIME_LLM, EXP_ONE, 40, 16, ARRIVE_POISSON, INFINITY, .05, .1, .01 },
    { "LLM in overload, timeout", TIME_LLM, EXP_ONE, 8, 1, ARRIVE_POISSON, 10, .1, .15, .02 },
};

static void flow_and_requests_agree(void **state)
{
    const struct pair_row *r = *state;
    struct serving_figures f[2];
    struct service s = served_by_law("pair", SERVICE_FLUID, r->rate, r->law);
    s.time.kind = r->time;
    s.timeout_s = r->timeout_s;
    s.demand.arrivals.kind = r->arrivals;
    s.demand.prompt_tokens = law_lognormal_of(1155, 1020);
    s.demand.output_tokens = law_lognormal_of(211, 129);
    double span_s = fmin(200000, 3e6 / r->rate);
    if (strstr(r->name, "overload") && isinf(r->timeout_s))
        span_s = 600;
    for (int m = 0; m < 2; m++) {
        s.mode = m ? SERVICE_REQUESTS : SERVICE_FLUID;
        f[m] = served(&s, 1, r->replicas, 1, isinf(r->timeout_s) ? 0 : 600, span_s);
    }
    print_message("%s: mean %.5g and %.5g, p50 %.5g and %.5g, p99 %.5g and %.5g, served %.0f and %.0f, duty %.4f and %.4f\n", r->name, f[0].latency.mean_s,
                  f[1].latency.mean_s, f[0].latency.p50_s, f[1].latency.p50_s, f[0].latency.p99_s, f[1].latency.p99_s, f[0].served, f[1].served,
                  figures_duty(&f[0]), figures_duty(&f[1]));
    assert_near(f[0].latency.mean_s, f[1].latency.mean_s, r->mean);
    assert_near(f[0].latency.p99_s, f[1].latency.p99_s, r->p99);
    assert_near(f[0].served, f[1].served, r->served);
    assert_near(figures_duty(&f[0]), figures_duty(&f[1]), .05);
    if (r->time == TIME_LLM)
        assert_near(f[0].per_token.mean_s, f[1].per_token.mean_s, .05);
}

/* The control of all of them: the requests on replicas 5 % faster do not agree with the flow. */
static void other_speed_disagrees(void **state)
{
    (void)state;
    struct service s = served_by_law("pair", SERVICE_FLUID, 3.2, (struct law)EXP_ONE);
    double flow = served(&s, 1, 4, 1, 0, 200000).latency.mean_s;
    s.mode = SERVICE_REQUESTS;
    assert_true(fabs(served(&s, 1, 4, 1.05, 0, 200000).latency.mean_s / flow - 1) > 5 * .02);
}

/* Bursts that overload for a minute: 6 times the calm rate. Means over a long run within 10 %, as code-like traffic is what the fluid is
 * for (models.md 12.7). Taken for a Poisson process of the mean rate it is far off. */
static void bursts_that_overload(void **state)
{
    (void)state;
    struct service s = served_by_law("bursts", SERVICE_FLUID, 20, (struct law)EXP_ONE);
    s.demand.arrivals.kind = ARRIVE_MMPP;
    double flow = served(&s, 1, 40, 1, 0, 200000).latency.mean_s;
    s.mode = SERVICE_REQUESTS;
    double requests = served(&s, 1, 40, 1, 0, 200000).latency.mean_s;
    s.mode = SERVICE_FLUID;
    s.demand.arrivals.kind = ARRIVE_POISSON;
    double poisson = served(&s, 1, 40, 1, 0, 200000).latency.mean_s;
    print_message("bursts: flow %.4g, requests %.4g, a flow without bursts %.4g\n", flow, requests, poisson);
    assert_near(flow, requests, .1);
    assert_true(poisson < .5 * requests);
}

/* Looks in between, as an autoscaler takes them, change nothing: 100 s with more than 4 replicas serve, then 500 s in which 12 drain the backlog, with
 * looks every half second and with six in all. Control: with replicas 1 % faster the mean differs. */
static double looked_at(double speed, int64_t every_ns, struct serving_figures *f)
{
    struct service s = served_by_law("looks", SERVICE_FLUID, 6, (struct law)EXP_ONE);
    s.slo.latency_s = 10;
    s.slo.share = .5;
    struct serving *v = serving_new(&s, 1);
    for (uint32_t i = 0; i < 4; i++)
        serving_replica_ready(v, i, speed);
    for (int64_t t = every_ns; t <= 100 * NS_PER_S; t += every_ns)
        serving_advance(v, t);
    for (uint32_t i = 4; i < 12; i++)
        serving_replica_ready(v, i, speed);
    for (int64_t t = 100 * NS_PER_S + every_ns; t <= 600 * NS_PER_S; t += every_ns)
        serving_advance(v, t);
    *f = serving_total(v);
    serving_free(v);
    return f->latency.mean_s;
}

static void looks_change_nothing(void **state)
{
    (void)state;
    struct serving_figures seldom, often, faster;
    double mean = looked_at(1, 100 * NS_PER_S, &seldom);
    assert_near(looked_at(1, NS_PER_S / 2, &often), mean, 1e-9);
    assert_near(often.latency.p99_s, seldom.latency.p99_s, 1e-6);
    assert_near(often.kept, seldom.kept, 1e-9);
    assert_near(often.served, seldom.served, 1e-9);
    assert_near(often.windows_kept, seldom.windows_kept, 1e-9);
    assert_true(often.kept < .9 * often.served && often.windows_kept > 0 && often.windows_kept < often.windows);
    assert_true(fabs(looked_at(1.01, 100 * NS_PER_S, &faster) / mean - 1) > 1e-3);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, equilibrium, calms);
    ADD_TEST(tests, n, backlog_grows_and_drains);
    ADD_TEST(tests, n, the_impatient_leave);
    ADD_TEST(tests, n, overload_by_hand);
    ADD_TEST(tests, n, from_zero);
    ADD_ROWS(tests, n, flow_and_requests_agree, pairs);
    ADD_TEST(tests, n, other_speed_disagrees);
    ADD_TEST(tests, n, bursts_that_overload);
    ADD_TEST(tests, n, looks_change_nothing);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
