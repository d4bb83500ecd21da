/* test_service_laws.c - one server, other service times: M/D/1 and M/G/1 by Pollaczek and
 * Khinchine. models.md 11.1. */
#include "tests/queueing/queueing.h"

#define M_G_1(rho, law)                                                                                                \
    {                                                                                                                  \
        .servers = 1, .policy = "fifo", .class = { { rho, 1, law } }                                                   \
    }

/* W_q = rho (1 + c^2)/(2 (1-rho)), with c^2 = 0 for M/D/1 and 4 for the hyperexponential. An
 * arrival finds the server busy with probability rho. */
static const struct law_row rows[] = {
    { .name = "M/D/1 at .5", .system = M_G_1(.5, FIXED), .want = { { WAIT, 0, .5 }, { SHARE_THAT_WAITS, 0, .5 } } },
    { .name = "M/D/1 at .8", .system = M_G_1(.8, FIXED), .want = { { WAIT, 0, 2 }, { SHARE_THAT_WAITS, 0, .8 } } },
    { .name = "M/D/1 at .9", .system = M_G_1(.9, FIXED), .want = { { WAIT, 0, 4.5 }, { SHARE_THAT_WAITS, 0, .9 } } },
    { .name = "M/D/1 at .8: control, service 5 % faster",
      .system = M_G_1(.8, FIXED),
      .speed = 1.05,
      .want = { { WAIT, 0, 2 }, { SHARE_THAT_WAITS, 0, .8 } } },
    { .name = "M/H2/1 at .5", .system = M_G_1(.5, HYPER), .want = { { WAIT, 0, 2.5 }, { SHARE_THAT_WAITS, 0, .5 } } },
    { .name = "M/H2/1 at .8", .system = M_G_1(.8, HYPER), .want = { { WAIT, 0, 10 }, { SHARE_THAT_WAITS, 0, .8 } } },
    { .name = "M/H2/1 at .9", .system = M_G_1(.9, HYPER), .want = { { WAIT, 0, 22.5 } }, .nightly = true },
    { .name = "M/H2/1 at .5: control, service 5 % faster",
      .system = M_G_1(.5, HYPER),
      .speed = 1.05,
      .want = { { WAIT, 0, 2.5 }, { SHARE_THAT_WAITS, 0, .5 } } },
};

/* The sizes themselves: mean 1 and c^2 = 4, within 4 standard errors. The branch of probability
 * p has mean 1/(2p), so E[S^k] = k!/2^k (p^(1-k) + (1-p)^(1-k)). */
static void sizes_are_hyperexponential(void **state)
{
    (void)state;
    enum { N = 200000 };
    double p = (1 + sqrt(3.0 / 5.0)) / 2, q = 1 - p, mean = 0, square = 0;
    double m2 = 2.0 / 4 * (1 / p + 1 / q), m4 = 24.0 / 16 * (pow(p, -3) + pow(q, -3));
    assert_within(m2, 5, 1e-9); /* variance 4 */
    struct source s;
    random_init(&s.sizes, 1, "sizes", 0);
    random_init(&s.branches, 1, "branches", 0);
    for (int i = 0; i < N; i++) {
        double x = draw_size(&s, &(struct customers){ 1, 1, HYPER });
        mean += x / N;
        square += x * x / N;
    }
    assert_within(mean, 1, 4 * sqrt((m2 - 1) / N));
    assert_within(square, m2, 4 * sqrt((m4 - m2 * m2) / N));
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, sizes_are_hyperexponential);
    ADD_ROWS(tests, n, law_holds, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
