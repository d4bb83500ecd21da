/* test_loss.c - M/M/c/c and M/G/c/c: the share of customers that is refused, by Erlang's first
 * formula, which knows the mean of the service alone. */
#include "tests/queueing/queueing.h"

#define LOSS(c, load, law)                                                                                             \
    {                                                                                                                  \
        .servers = (c), .policy = "loss", .class = { { (load), 1, (law) } }                                            \
    }

static const struct law_row rows[] = {
    { .name = "M/M/1/1 at .5", .system = LOSS(1, .5, EXPONENTIAL), .want = { { SHARE_LOST, 0, .333333 } } },
    { .name = "M/M/4/4 at 3", .system = LOSS(4, 3, EXPONENTIAL), .want = { { SHARE_LOST, 0, .206107 } } },
    { .name = "M/D/4/4 at 3", .system = LOSS(4, 3, FIXED), .want = { { SHARE_LOST, 0, .206107 } } },
    { .name = "M/H2/4/4 at 3", .system = LOSS(4, 3, HYPER), .want = { { SHARE_LOST, 0, .206107 } } },
    { .name = "M/M/16/16 at 14", .system = LOSS(16, 14, EXPONENTIAL), .want = { { SHARE_LOST, 0, .114507 } } },
    { .name = "M/M/4/4 at 3: control, service 5 % faster",
      .system = LOSS(4, 3, EXPONENTIAL),
      .speed = 1.05,
      .want = { { SHARE_LOST, 0, .206107 } } },
};

/* B(0) = 1, B(k) = a B(k-1)/(k + a B(k-1)). */
static void table_is_erlang_b(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double a = rows[i].system.class[0].rate, b = 1;
        for (unsigned k = 1; k <= rows[i].system.servers; k++)
            b = a * b / (k + a * b);
        assert_within(b, rows[i].want[0].exact, 1e-6);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, table_is_erlang_b);
    ADD_ROWS(tests, n, law_holds, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
