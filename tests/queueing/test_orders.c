/* test_orders.c - one server with an order of service other than arrival: priorities, shortest first. models.md 11.1.
 */
#include "tests/queueing/queueing.h"

#include <gsl/gsl_integration.h>

#define TWO_CLASSES(how, rate1, s1, rate2, s2, law)                                                                    \
    {                                                                                                                  \
        .servers = 1, .policy = how, .class = { { rate1, s1, law }, { rate2, s2, law } }                               \
    }
#define M_M_1(rho, how)                                                                                                \
    {                                                                                                                  \
        .servers = 1, .policy = how, .class = { { rho, 1, EXPONENTIAL } }                                              \
    }
#define WAITS  "priority"
#define TAKES  "priority:preempt=yes"
#define SJF_8  1.882219 /* checked below against their integrals */
#define SRPT_8 2.352773

/* R = sum of lambda_i E[S_i^2]/2, sigma_k the load of classes 1..k. Cobham (Operations Research
 * 2(1), 1954): W_k = R/((1-sigma_{k-1})(1-sigma_k)); here R = .8, and .1 + .6 = .7.
 * Preemptive-resume: T_k = E[S_k]/(1-sigma_{k-1}) + R_k/((1-sigma_{k-1})(1-sigma_k)), R_k of
 * classes 1..k only. */
static const struct law_row rows[] = {
    { .name = "priority, exponential",
      .system = TWO_CLASSES(WAITS, .3, 1, .5, 1, EXPONENTIAL),
      .want = { { WAIT, 0, 1.142857 }, { WAIT, 1, 5.714286 } } },
    { .name = "priority, fixed sizes",
      .system = TWO_CLASSES(WAITS, .2, 1, .3, 2, FIXED),
      .want = { { WAIT, 0, .875 }, { WAIT, 1, 4.375 } } },
    { .name = "priority: control, service 5 % faster",
      .system = TWO_CLASSES(WAITS, .3, 1, .5, 1, EXPONENTIAL),
      .speed = 1.05,
      .want = { { WAIT, 0, 1.142857 }, { WAIT, 1, 5.714286 } } },
    { .name = "preemptive, exponential",
      .system = TWO_CLASSES(TAKES, .3, 1, .5, 1, EXPONENTIAL),
      .want = { { SOJOURN, 0, 1.428571 }, { SOJOURN, 1, 7.142857 } } },
    { .name = "preemptive, fixed sizes",
      .system = TWO_CLASSES(TAKES, .2, 1, .3, 2, FIXED),
      .want = { { SOJOURN, 0, 1.125 }, { SOJOURN, 1, 6.875 } } },
    { .name = "preemptive: control, service 5 % faster",
      .system = TWO_CLASSES(TAKES, .3, 1, .5, 1, EXPONENTIAL),
      .speed = 1.05,
      .want = { { SOJOURN, 0, 1.428571 }, { SOJOURN, 1, 7.142857 } } },
    { .name = "sjf at .8", .system = M_M_1(.8, "sjf"), .want = { { WAIT, 0, SJF_8 } } },
    { .name = "sjf at .8: control, service 5 % faster",
      .system = M_M_1(.8, "sjf"),
      .speed = 1.05,
      .want = { { WAIT, 0, SJF_8 } } },
    { .name = "srtf at .8", .system = M_M_1(.8, "srtf"), .want = { { SOJOURN, 0, SRPT_8 } } },
    { .name = "srtf at .8: control, service 5 % faster",
      .system = M_M_1(.8, "srtf"),
      .speed = 1.05,
      .want = { { SOJOURN, 0, SRPT_8 } } },
};

/* ---- M/M/1 with mu = 1, lambda = .8: f(x) = exp(-x), rho(x) = lambda int_0^x t f(t) dt = lambda (1 - (1+x) exp(-x))
 * ---- */

#define LAMBDA .8

static double load_below(double x)
{
    return LAMBDA * (1 - (1 + x) * exp(-x));
}

/* Phipps (Operations Research 4(1), 1956): W(x) = lambda E[S^2]/2 / (1-rho(x))^2, and E[S^2] =
 * 2. */
static double sjf_wait(double x, void *unused)
{
    (void)unused;
    return exp(-x) * LAMBDA / pow(1 - load_below(x), 2);
}

/* Schrage and Miller (Operations Research 14(4), 1966): until x is first served, lambda (int_0^x
 * t^2 f + x^2 (1-F(x))) / (2 (1-rho(x))^2); then int_0^x dt/(1-rho(t)), which over all x is
 * int_0^inf (1-F(t))/(1-rho(t)) dt. */
static double srpt_sojourn(double x, void *unused)
{
    (void)unused;
    double squares = 2 - exp(-x) * (x * x + 2 * x + 2), above = x * x * exp(-x), free = 1 - load_below(x);
    return exp(-x) * (LAMBDA * (squares + above) / (2 * free * free) + 1 / free);
}

static void integrals(void **state)
{
    (void)state;
    const struct {
        double (*f)(double, void *);
        double want;
    } cases[] = { { sjf_wait, SJF_8 }, { srpt_sojourn, SRPT_8 } };
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        double got = 0, error = 0;
        gsl_function f = { cases[i].f, NULL };
        assert_int_equal(gsl_integration_qagiu(&f, 0, 1e-9, 1e-9, 1000, space, &got, &error), 0);
        assert_within(got, cases[i].want, 1e-6);
    }
    gsl_integration_workspace_free(space);
}

/* The table against the conservation law (Kleinrock, Naval Research Logistics Quarterly 12,
 * 1965): whatever the order, the sum of rho_k W_k is rho R/(1-rho). */
static void conservation(void **state)
{
    (void)state;
    assert_within(.3 * rows[0].want[0].exact + .5 * rows[0].want[1].exact, .8 * .8 / .2, 1e-6);
    assert_within(.2 * rows[1].want[0].exact + .6 * rows[1].want[1].exact, .8 * .7 / .2, 1e-6);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, integrals);
    ADD_TEST(tests, n, conservation);
    ADD_ROWS(tests, n, law_holds, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
