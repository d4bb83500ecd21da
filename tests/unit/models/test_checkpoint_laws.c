/* test_checkpoint_laws.c - how often to write a checkpoint, against the worked values of models.md 3.4. */
#include "sim/models/checkpoint_laws.h"
#include "tests/unit/test_core.h"

#include <math.h>

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("want %.9g within %.3g, got %.9g", want, tolerance, got);
}

/* models.md 3.4: (d, M), both intervals, E[T]/W with R = 300 at Daly's. Printed to 3 and 7 digits after the point. */
static const struct row { const char *name; double write_s, mtbf_s, young_s, daly_s, wall; } rows[] = {
    { "a minute, a day", 60, 86400, 3219.938, 3180.062, 1.0418239 },
    { "a minute, 7.9 hours", 60, 28440, 1847.377, 1807.593, 1.0791961 },
    { "two minutes, three hours", 120, 10800, 1609.969, 1530.963, 1.1979917 },
};

static void intervals(void **state)
{
    const struct row *r = *state;
    near(young_interval_s(r->write_s, r->mtbf_s), r->young_s, 5e-4);
    near(daly_interval_s(r->write_s, r->mtbf_s), r->daly_s, 5e-4);
    near(expected_wall_s(1, daly_interval_s(r->write_s, r->mtbf_s), r->write_s, 300, r->mtbf_s), r->wall, 5e-8);
}

/* Daly's interval is all but the best one: the closed form is larger half and twice as far, and less than 0.1% smaller
 * anywhere on a fine grid. */
static void best(void **state)
{
    const struct row *r = *state;
    double daly_s = daly_interval_s(r->write_s, r->mtbf_s);
    double at = expected_wall_s(1, daly_s, r->write_s, 300, r->mtbf_s);
    assert_true(expected_wall_s(1, daly_s / 2, r->write_s, 300, r->mtbf_s) > at);
    assert_true(expected_wall_s(1, daly_s * 2, r->write_s, 300, r->mtbf_s) > at);
    for (double tau = daly_s / 2; tau < daly_s * 2; tau *= 1.01)
        assert_true(expected_wall_s(1, tau, r->write_s, 300, r->mtbf_s) > at * 0.999);
}

static void edges(void **state)
{
    (void)state;
    near(daly_interval_s(200, 100), 100, 0);               /* d = 2 M: M */
    near(daly_interval_s(500, 100), 100, 0);
    near(young_interval_s(0, 1000), 0, 0);                 /* what is free is written all the time */
    near(auto_interval_s(1), 300, 0);                      /* 3.4: within 300 s and 4 h */
    near(auto_interval_s(3180), 3180, 0);
    near(auto_interval_s(1e9), 14400, 0);
    /* no failures and no cost: the work itself. By hand: M (e^(tau/M) - 1) / tau -> 1 */
    near(expected_wall_s(1e6, 600, 0, 0, 1e15), 1e6, 1e-3);
}

/* models.md 3.4, Kokolis et al.: N = 2048, 3.79e-3 failures a node and day, u0 = 300 s, d = 20 s. */
static void effective(void **state)
{
    (void)state;
    double per_s = 3.79e-3 / 86400, mtbf_s = 1 / (2048 * per_s);
    near(mtbf_s, 11131, 0.5);
    near(young_interval_s(20, mtbf_s), 667.27, 5e-3);
}

/* models.md 3.2: t_init = 10 + 2 log2 n. By hand. */
static void starting(void **state)
{
    (void)state;
    near(init_s(10, 2, 1), 10, 0);
    near(init_s(10, 2, 8), 16, 1e-12);
    near(init_s(10, 2, 1024), 30, 1e-12);
    near(init_s(10, 2, 0.5), 10, 0);                       /* a share of a GPU is one process */
    near(init_s(10, 2, 0), 10, 0);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, intervals, rows);
    ADD_ROWS(tests, n, best, rows);
    ADD_TEST(tests, n, edges);
    ADD_TEST(tests, n, effective);
    ADD_TEST(tests, n, starting);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
