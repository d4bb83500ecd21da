/* test_request_laws.c - queues with a closed form, request by request (models.md 11.1): the exact value lies inside the 99.9 %
 * t-interval of 30 replications, and half of that is at most 5 % of it. Rows with a speed are negative controls: replicas 5 % faster,
 * where the exact value must lie outside. */
#include "sim/serving/queueing.h"
#include "tests/serving/served.h"

enum { REPLICATIONS = 30 };
#define EXP_ONE   LAW_OF(LAW_EXPONENTIAL, 1)
#define FIXED_ONE LAW_OF(LAW_FIXED, 1)

static const struct law_row {
    const char *name;
    uint32_t servers;
    double rho;
    struct law law;
    double wait, p99;             /* p99 0: not looked at */
    double speed;
} rows[] = {
    /* p99 of the response of M/M/1: ln 100/(mu - lambda) */
    { "M/M/1 at .5", 1, .5, EXP_ONE, 1, 9.210340372, 0 },
    { "M/M/1 at .8", 1, .8, EXP_ONE, 4, 23.02585093, 0 },
    { "M/M/2 at .8", 2, .8, EXP_ONE, 1.777778, 0, 0 },
    { "M/M/4 at .8", 4, .8, EXP_ONE, .745541, 0, 0 },
    { "M/M/8 at .7", 8, .7, EXP_ONE, .112751, 0, 0 },
    { "M/M/8 at .9", 8, .9, EXP_ONE, .876916, 0, 0 },
    { "M/M/64 at .95", 64, .95, EXP_ONE, .183753, 0, 0 },
    { "M/D/1 at .5", 1, .5, FIXED_ONE, .5, 0, 0 },
    { "M/D/1 at .8", 1, .8, FIXED_ONE, 2, 0, 0 },
    { "M/H2/1 at .5", 1, .5, HYPER_LAW, 2.5, 0, 0 },
    { "M/H2/1 at .8", 1, .8, HYPER_LAW, 10, 0, 0 },
    { "M/M/4 at .8: control", 4, .8, EXP_ONE, .745541, 0, 1.05 },
    { "M/M/1 at .8: control", 1, .8, EXP_ONE, 4, 23.02585093, 1.05 },
    { "M/D/1 at .8: control", 1, .8, FIXED_ONE, 2, 0, 1.05 },
    { "M/H2/1 at .8: control", 1, .8, HYPER_LAW, 10, 0, 1.05 },
};

static void law_holds(void **state)
{
    const struct law_row *r = *state;
    double mean_service = law_mean_below(&r->law, INFINITY), seconds_each = 100000, wait[REPLICATIONS], p99[REPLICATIONS];
    double speed = r->speed > 0 ? r->speed : 1;
    struct service s = served_by_law("closed form", SERVICE_REQUESTS, r->servers * r->rho, r->law);
    assert_near(mean_service, 1, 1e-9);
    struct estimate w, q;
    for (;; seconds_each *= 2) {
        for (size_t i = 0; i < REPLICATIONS; i++) {
            struct serving_figures f = served(&s, i, r->servers, speed, 1000, 1000 + seconds_each / r->servers);
            wait[i] = f.latency.mean_s - 1 / speed;      /* the service itself is not what is tested */
            p99[i] = f.latency.p99_s;
        }
        w = estimate_of(wait, REPLICATIONS);
        q = estimate_of(p99, REPLICATIONS);
        if (w.half_width <= .05 * r->wait || seconds_each > 3e6)
            break;
    }
    print_message("%s: want %.6g, %.6g +- %.2g %%\n", r->name, r->wait, w.mean, 100 * w.half_width / r->wait);
    assert_true(w.half_width <= .05 * r->wait);
    assert_int_equal(fabs(w.mean - r->wait) <= w.half_width, r->speed <= 0);
    if (r->p99 > 0)
        assert_int_equal(fabs(q.mean - r->p99) <= q.half_width + r->p99 / 1024, r->speed <= 0);
}

/* Allen and Cunneen for H2 at c = 4: within 10 % (models.md 11.1). Not with 10 % more speed. */
static void allen_cunneen(void **state)
{
    (void)state;
    for (size_t control = 0; control < 2; control++) {
        double wait[REPLICATIONS], speed = control ? 1.1 : 1;
        struct service s = served_by_law("H2", SERVICE_REQUESTS, 3.2, (struct law)HYPER_LAW);
        for (size_t i = 0; i < REPLICATIONS; i++)
            wait[i] = served(&s, i, 4, speed, 1000, 60000).latency.mean_s - 1 / speed;
        struct estimate w = estimate_of(wait, REPLICATIONS);
        print_message("M/G/4: want about 1.863851, %.6g +- %.2g\n", w.mean, w.half_width);
        assert_int_equal(fabs(w.mean - .745541 * 2.5) <= .1 * .745541 * 2.5, !control);
    }
}

/* Who waits longer than the timeout leaves: M/M/1 by Barrer's formula (test_queueing.c), M/M/4 by queueing.h. A control of another
 * timeout is seen. */
static void timeouts(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        uint32_t servers = k ? 4 : 1;
        double rho = k ? .95 : .8, lost[REPLICATIONS], mean[REPLICATIONS];
        struct service s = served_by_law("impatient", SERVICE_REQUESTS, servers * rho, (struct law)EXP_ONE);
        s.timeout_s = k == 2 ? 2.2 : 2;
        for (size_t i = 0; i < REPLICATIONS; i++) {
            struct serving_figures f = served(&s, i, servers, 1, 1000, 40000);
            lost[i] = f.dropped / (f.served + f.dropped);
            mean[i] = f.latency.mean_s;
        }
        struct estimate l = estimate_of(lost, REPLICATIONS), m = estimate_of(mean, REPLICATIONS);
        struct wait_law w = wait_in_queue(servers, servers * rho, 1, 1, 2);
        print_message("leaves: want %.6g, %.6g +- %.2g\n", w.leaves, l.mean, l.half_width);
        assert_int_equal(fabs(l.mean - w.leaves) <= l.half_width, k < 2);
        assert_int_equal(fabs(m.mean - 1 - wait_mean(&w)) <= m.half_width, k < 2);
        assert_true(l.half_width < .05 * w.leaves);
    }
}

/* Two choices, many replicas, exponential service: the mean response tends to sum rho^(2^i - 2), i >= 1 (Mitzenmacher, IEEE TPDS
 * 12(10), 2001; Vvedenskaya et al., 1996); one queue is better, the shortest of all in between. */
static void power_of_two_choices(void **state)
{
    (void)state;
    enum { MANY = 200, RUNS = 10 };
    struct estimate e[3];
    double limit = 0;
    for (int i = 1; i < 8; i++)
        limit += pow(.9, exp2(i) - 2);
    for (int d = DISPATCH_CENTRAL; d <= DISPATCH_RANDOM2; d++) {
        double mean[RUNS];
        struct service s = served_by_law("choices", SERVICE_REQUESTS, MANY * .9, (struct law)EXP_ONE);
        s.dispatch = (enum dispatch)d;
        for (size_t i = 0; i < RUNS; i++)
            mean[i] = served(&s, i, MANY, 1, 100, 1000).latency.mean_s;
        e[d] = estimate_of(mean, RUNS);
    }
    print_message("response at .9: central %.4f, shortest %.4f, two choices %.4f, limit %.4f\n", e[0].mean, e[1].mean, e[2].mean, limit);
    assert_near(e[DISPATCH_RANDOM2].mean, limit, .02);
    assert_true(e[DISPATCH_CENTRAL].mean + e[0].half_width < e[DISPATCH_JSQ].mean - e[1].half_width);
    assert_true(e[DISPATCH_JSQ].mean + e[1].half_width < e[DISPATCH_RANDOM2].mean - e[2].half_width);
    assert_true(fabs(e[DISPATCH_JSQ].mean - limit) > .1 * limit);      /* control */
}

/* Capacity of batches: k_max/s(k_max) = 32/36 ms a replica. More than that cannot be served, a little less can. */
static void capacity_of_batches(void **state)
{
    (void)state;
    struct service s = served_by_law("batches", SERVICE_REQUESTS, 0, (struct law)EXP_ONE);
    s.time.kind = TIME_BATCH;
    assert_near(batch_capacity(&s.time.batch), 32 / .036, 1e-12);
    s.demand.rate = 2 * 1.1 * service_capacity(&s);
    struct serving_figures more = served(&s, 1, 2, 1, 10, 300);
    assert_near(more.served / 290, 2 * 32 / .036, 1e-3);
    assert_near(figures_duty(&more), 1, 1e-6);
    s.demand.rate = 2 * .9 * service_capacity(&s);
    struct serving_figures less = served(&s, 1, 2, 1, 10, 300);
    assert_near(less.served / less.arrived, 1, 1e-3);
    assert_true(less.latency.p99_s < .2 && more.latency.p50_s > 1);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, law_holds, rows);
    ADD_TEST(tests, n, allen_cunneen);
    ADD_TEST(tests, n, timeouts);
    ADD_TEST(tests, n, power_of_two_choices);
    ADD_TEST(tests, n, capacity_of_batches);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
