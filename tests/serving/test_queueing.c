/* test_queueing.c - closed forms of queueing.h against published values and against each other. */
#include "sim/serving/queueing.h"
#include "tests/unit/test_core.h"

/* models.md 11.1: W_q and P(wait) of M/M/c with mu = 1. */
static const struct erlang_row { const char *name; uint32_t servers; double rho, wait, waits; } rows[] = {
    { "M/M/1 at .5", 1, .5, 1, .5 },
    { "M/M/1 at .9", 1, .9, 9, .9 },
    { "M/M/2 at .8", 2, .8, 1.777778, .711111 },
    { "M/M/4 at .8", 4, .8, .745541, .596432 },
    { "M/M/8 at .7", 8, .7, .112751, .270603 },
    { "M/M/8 at .9", 8, .9, .876916, .701533 },
    { "M/M/16 at .9", 16, .9, .369590, .591343 },
    { "M/M/64 at .95", 64, .95, .183753, .588011 },
};

static void erlang_c_as_tabled(void **state)
{
    const struct erlang_row *r = *state;
    double offered = r->rho * r->servers;
    struct wait_law w = wait_in_queue(r->servers, offered, 1, 1, INFINITY);
    assert_true(fabs(erlang_c(r->servers, offered) - r->waits) <= 5e-7);
    assert_true(fabs(w.waits - r->waits) <= 5e-7);
    assert_true(fabs(wait_mean(&w) - r->wait) <= 5e-7);
    assert_near(w.rate, r->servers - offered, 1e-12);      /* c mu - lambda */
}

/* models.md 11.1, M/M/c/c. */
static void erlang_b_as_tabled(void **state)
{
    (void)state;
    assert_near(erlang_b(2, 1.6), .329897, 2e-6);
    assert_near(erlang_b(4, 3.2), .228145, 2e-6);
    assert_near(erlang_b(8, 5.6), .100152, 2e-6);
    assert_near(erlang_b(0, 3), 1, 0);
    assert_near(erlang_c(3, 3), 1, 0);       /* saturated */
    assert_near(erlang_c(3, 0), 0, 0);
}

/* models.md 11.1: M/D/1 is (1 + 0)/2 of M/M/1; M/G/4 at .8, c_s^2 = 4 is .745541 x 2.5. */
static void allen_cunneen_by_hand(void **state)
{
    (void)state;
    struct wait_law d = wait_in_queue(1, .8, 1, .5, INFINITY), g = wait_in_queue(4, 3.2, 1, 2.5, INFINITY);
    assert_near(wait_mean(&d), 2, 1e-12);
    assert_near(wait_mean(&g), 1.863851, 2e-6);
    assert_near(g.rate, g.waits / wait_mean(&g), 1e-12);   /* P(W > t) = C e^(-C t/W) */
    struct wait_law none = wait_in_queue(4, 3.2, 1, 0, INFINITY);
    assert_near(wait_mean(&none), 0, 0);                   /* nothing varies */
    assert_near(wait_quantile(&none, .999), 0, 0);
    assert_near(wait_above(&none, 0), 0, 0);
}

/* t_p = max(0, (W/C) ln(C/(1-p))); tail and quantile undo each other, with a timeout, too. */
static void quantiles_undo_tails(void **state)
{
    (void)state;
    const double p[] = { .1, .5, .9, .99, .9999 };
    for (size_t timed = 0; timed < 2; timed++) {
        struct wait_law w = wait_in_queue(2, 1.6, 1, 1, timed ? 3 : INFINITY);
        for (size_t i = 0; i < COUNT(p); i++) {
            double t = wait_quantile(&w, p[i]);
            if (!timed)
                assert_near(t, fmax(0, wait_mean(&w) / w.waits * log(w.waits / (1 - p[i]))), 1e-12);
            assert_near(wait_above(&w, t), fmin(1 - p[i], w.waits), 1e-9);
            assert_true(t < w.timeout);
        }
        double sum = 0;                      /* E[W] is the integral of the tail */
        for (int i = 0; i < 2000000; i++)
            sum += wait_above(&w, (i + .5) * 1e-5 * (timed ? 1 : 10)) * 1e-5 * (timed ? 1 : 10);
        assert_near(wait_mean(&w), sum, 1e-6);
    }
}

/* M/M/1 with a timeout t: the lost are (1 - rho) rho E/(1 - rho^2 E), E = e^(-(mu - lambda) t) (Barrer, Operations Research 5, 1957). */
static void timeout_as_barrer(void **state)
{
    (void)state;
    const double rhos[] = { .3, .8, .99 }, timeouts[] = { .1, 1, 10 };
    for (size_t i = 0; i < COUNT(rhos); i++)
        for (size_t k = 0; k < COUNT(timeouts); k++) {
            double rho = rhos[i], e = exp(-(1 - rho) * timeouts[k]);
            struct wait_law w = wait_in_queue(1, rho, 1, 1, timeouts[k]);
            assert_near(w.leaves, (1 - rho) * rho * e / (1 - rho * rho * e), 1e-12);
            /* what is served is rho (1 - leaves) of the time, and who finds the server idle does not wait */
            assert_near((1 - w.waits) * (1 - w.leaves), 1 - rho * (1 - w.leaves), 1e-12);
        }
    struct wait_law long_one = wait_in_queue(4, 3.2, 1, 1, 1e3), never = wait_in_queue(4, 3.2, 1, 1, INFINITY);
    assert_near(long_one.leaves, 0, 1e-12);
    assert_near(wait_mean(&long_one), wait_mean(&never), 1e-12);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, erlang_c_as_tabled, rows);
    ADD_TEST(tests, n, erlang_b_as_tabled);
    ADD_TEST(tests, n, allen_cunneen_by_hand);
    ADD_TEST(tests, n, quantiles_undo_tails);
    ADD_TEST(tests, n, timeout_as_barrer);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
