/* test_attained.c - one server that goes by attained service: las and gittins against closed forms.
 *
 * Foreground-background, M/G/1 (Kleinrock, Queueing Systems vol. 2, 4.6): a customer that needs x leaves after
 *   T(x) = x/(1-rho_x) + lambda E[min(S,x)^2] / (2 (1-rho_x)^2),  rho_x = lambda E[min(S,x)]
 * on average. Quanta are small beside the mean service of 1. */
#include "tests/queueing/queueing.h"

#include <gsl/gsl_integration.h>

#define M_G_1(rho, law, how)                                                                                           \
    {                                                                                                                  \
        .servers = 1, .policy = how, .class = { { rho, 1, law } }                                                      \
    }
enum { JOBS = 20000 }; /* quanta take their time */
#define LAS(quantum) "las:continuous=yes,quantum_s=" #quantum
#define GITTINS      "gittins:two_dimensional=no"
#define HYPER_7 2.699158 /* checked below against the integral */
/* Fixed sizes, at .4: 1/.6 + .4/(2 x .36). In order of arrival (Pollaczek-Khinchine): 1 + .4/(2
 * x .6) */
#define FIXED_4         (20.0 / 9)
#define FIXED_4_ARRIVAL (4.0 / 3)

/* Exponential sizes: no order that does not know them is better than another (Kleinrock's
 * conservation law), 1/(1-rho). Hazard rate falls (hyper-exponential): Gittins is
 * foreground-background. Rises (fixed): order of arrival. */
static const struct law_row rows[] = {
    { .name = "las, exponential", .jobs = JOBS, .system = M_G_1(.7, EXPONENTIAL, LAS(.1)), .want = { { SOJOURN, 0, 1 / .3 } } },
    { .name = "las in three queues, exponential",
      .jobs = JOBS, .system = M_G_1(.7, EXPONENTIAL, "las:threshold1=.5,threshold2=1.5,promote=0"),
      .want = { { SOJOURN, 0, 1 / .3 } } },
    { .name = "las, hyper-exponential", .jobs = JOBS, .system = M_G_1(.7, HYPER, LAS(.1)), .want = { { SOJOURN, 0, HYPER_7 } } },
    { .name = "las, hyper-exponential: control, service 5 % faster",
      .jobs = JOBS, .system = M_G_1(.7, HYPER, LAS(.1)),
      .speed = 1.05,
      .want = { { SOJOURN, 0, HYPER_7 } } },
    { .name = "las2d, hyper-exponential, on one GPU the same",
      .nightly = true,
      .jobs = JOBS, .system = M_G_1(.7, HYPER, "las2d:continuous=yes,quantum_s=.1"),
      .want = { { SOJOURN, 0, HYPER_7 } } },
    { .name = "las, fixed sizes", .jobs = JOBS / 2, .system = M_G_1(.4, FIXED, LAS(.01)), .want = { { SOJOURN, 0, FIXED_4 } } },
    { .name = "las, fixed sizes: control, service 5 % faster",
      .jobs = JOBS / 2, .system = M_G_1(.4, FIXED, LAS(.01)),
      .speed = 1.05,
      .want = { { SOJOURN, 0, FIXED_4 } } },
    { .name = "gittins, exponential", .jobs = JOBS, .system = M_G_1(.7, EXPONENTIAL, GITTINS), .want = { { SOJOURN, 0, 1 / .3 } } },
    { .name = "gittins, hyper-exponential", .jobs = JOBS, .system = M_G_1(.7, HYPER, GITTINS), .want = { { SOJOURN, 0, HYPER_7 } } },
    { .name = "gittins, hyper-exponential: control, service 5 % faster",
      .jobs = JOBS, .system = M_G_1(.7, HYPER, GITTINS),
      .speed = 1.05,
      .want = { { SOJOURN, 0, HYPER_7 } } },
    { .name = "gittins, fixed sizes",
      .jobs = JOBS, .system = M_G_1(.4, FIXED, GITTINS),
      .want = { { SOJOURN, 0, FIXED_4_ARRIVAL } } },
    { .name = "gittins, fixed sizes: control, service 5 % faster",
      .jobs = JOBS, .system = M_G_1(.4, FIXED, GITTINS),
      .speed = 1.05,
      .want = { { SOJOURN, 0, FIXED_4_ARRIVAL } } },
};

/* H2 of queueing.h: share p_i, rate 2 p_i. */
static double hyper_sojourn(double x, void *lambda_at)
{
    double lambda = *(double *)lambda_at, p[2] = { (1 + sqrt(.6)) / 2, (1 - sqrt(.6)) / 2 };
    double density = 0, mean = 0, square = 0;
    for (int i = 0; i < 2; i++) {
        double mu = 2 * p[i], beyond = exp(-mu * x);
        density += p[i] * mu * beyond;
        mean += p[i] * (1 - beyond) / mu;
        square += p[i] * 2 * (1 - beyond * (1 + mu * x)) / (mu * mu);
    }
    double free = 1 - lambda * mean;
    return density * (x / free + lambda * square / (2 * free * free));
}

static void integral(void **state)
{
    (void)state;
    double lambda = .7, got = 0, error = 0;
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    gsl_function f = { hyper_sojourn, &lambda };
    assert_int_equal(gsl_integration_qagiu(&f, 0, 1e-9, 1e-9, 1000, space, &got, &error), 0);
    gsl_integration_workspace_free(space);
    print_message("hyper-exponential at .7: %.6f\n", got);
    assert_within(got, HYPER_7, 1e-6);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, integral);
    ADD_ROWS(tests, n, law_holds, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
