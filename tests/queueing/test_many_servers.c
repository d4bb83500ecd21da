/* test_many_servers.c - M/M/c: mean wait and the share of customers that wait; M/G/4 by an
 * approximation. models.md 11.1. */
#include "tests/queueing/queueing.h"

#define M_M(c, rho)                                                                                                    \
    {                                                                                                                  \
        .servers = (c), .policy = "fifo", .class = { { (c) * (rho), 1, EXPONENTIAL } }                                 \
    }

/* P(wait) = C(c, c rho), Erlang's second formula; W_q = C/(c (1-rho)). */
static const struct law_row rows[] = {
    { .name = "M/M/2 at .8",
      .system = M_M(2, .8),
      .want = { { WAIT, 0, 1.777778 }, { SHARE_THAT_WAITS, 0, .711111 } } },
    { .name = "M/M/4 at .8", .system = M_M(4, .8), .want = { { WAIT, 0, .745541 }, { SHARE_THAT_WAITS, 0, .596432 } } },
    { .name = "M/M/8 at .7", .system = M_M(8, .7), .want = { { WAIT, 0, .112751 }, { SHARE_THAT_WAITS, 0, .270603 } } },
    { .name = "M/M/8 at .9", .system = M_M(8, .9), .want = { { WAIT, 0, .876916 }, { SHARE_THAT_WAITS, 0, .701533 } } },
    { .name = "M/M/16 at .9",
      .system = M_M(16, .9),
      .want = { { WAIT, 0, .369590 }, { SHARE_THAT_WAITS, 0, .591343 } },
      .nightly = true },
    { .name = "M/M/64 at .95",
      .system = M_M(64, .95),
      .want = { { WAIT, 0, .183753 }, { SHARE_THAT_WAITS, 0, .588011 } },
      .nightly = true },
    { .name = "M/M/4 at .8: control, service 5 % faster",
      .system = M_M(4, .8),
      .speed = 1.05,
      .want = { { WAIT, 0, .745541 }, { SHARE_THAT_WAITS, 0, .596432 } } },
    { .name = "M/M/64 at .95: control, service 5 % faster",
      .system = M_M(64, .95),
      .speed = 1.05,
      .want = { { WAIT, 0, .183753 }, { SHARE_THAT_WAITS, 0, .588011 } } },
};

/* By the recursion of Erlang's first formula: B(0) = 1, B(k) = a B(k-1)/(k + a B(k-1)); C = B/(1
 * - rho (1-B)). */
static void table_is_erlang_c(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned c = rows[i].system.servers;
        double a = rows[i].system.class[0].rate, b = 1, rho = a / c;
        for (unsigned k = 1; k <= c; k++)
            b = a * b / (k + a * b);
        double wait = b / (1 - rho * (1 - b));
        assert_within(wait, rows[i].want[1].exact, 1e-6);
        assert_within(wait / (c * (1 - rho)), rows[i].want[0].exact, 1e-6);
    }
}

/* Allen and Cunneen: the wait of M/M/c times (1 + c_s^2)/2. An approximation: within 10 %. */
static const struct approximate_row {
    const char *name;
    double speed;
    bool holds;
} approximate_rows[] = {
    { "M/G/4 at .8, c^2 = 4", 1, true },
    { "M/G/4 at .8, c^2 = 4: control, service 5 % faster", 1.05, false },
};

static void allen_cunneen(void **state)
{
    const struct approximate_row *row = *state;
    const struct law_row m_g_4 = { .system = { .servers = 4, .policy = "fifo", .class = { { 3.2, 1, HYPER } } },
                                   .want = { { WAIT, 0, .745541 * 2.5 } },
                                   .speed = row->speed };
    struct estimate e[WANTED_MOST];
    replicate(&m_g_4, 50000, 30, e);
    print_message("%s: want about %.6g, estimate %.6g\n", row->name, m_g_4.want[0].exact, e[0].mean);
    assert_int_equal(fabs(e[0].mean - m_g_4.want[0].exact) <= .1 * m_g_4.want[0].exact, row->holds);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, table_is_erlang_c);
    ADD_ROWS(tests, n, law_holds, rows);
    ADD_ROWS(tests, n, allen_cunneen, approximate_rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
