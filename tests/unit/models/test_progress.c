/* test_progress.c - work left, rates and ends. By hand, and against exact arithmetic in long double (64 bits of mantissa). */
#include "sim/models/progress.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <math.h>

/* One rate from `since`: when it ends, and what is left at `at`. By hand. */
static const struct row {
    const char *name;
    int64_t left_ns;
    double rate;
    int64_t since_ns, end_ns, at_ns, left_then_ns;
    double part_then;
} rows[] = {
    { "rate 1", 100, 1.0, 50, 150, 80, 70, 0.0 },
    { "rate 1, not begun", 100, 1.0, 50, 150, 20, 100, 0.0 },
    { "rate 1, just begun", 100, 1.0, 50, 150, 50, 100, 0.0 },
    { "rate 1, at the end", 100, 1.0, 50, 150, 150, 0, 0.0 },
    { "no work", 0, 1.0, 50, 50, 50, 0, 0.0 },
    { "no work, slow", 0, 0.25, 50, 50, 50, 0, 0.0 },
    { "twice as fast", 100, 2.0, 50, 100, 75, 50, 0.0 },
    { "half as fast", 100, 0.5, 50, 250, 53, 98, 0.5 },
    { "a quarter", 3, 0.25, 0, 12, 1, 2, 0.75 },
    { "rounded up to a nanosecond", 10, 4.0, 0, 3, 2, 2, 0.0 },              /* 2.5 ns */
    { "rounded up, at the end", 10, 4.0, 0, 3, 3, 0, 0.0 },                  /* 12 done of 10 */
    { "100 years at rate 1", INT64_C(3155760000000000000), 1.0, 1, INT64_C(3155760000000000001), 2,
      INT64_C(3155759999999999999), 0.0 },
    { "never", INT64_C(9000000000000000000), 1e-3, 5, INT64_MAX, 5, INT64_C(9000000000000000000), 0.0 },
    { "never, by its start", 10, 1.0, INT64_MAX - 5, INT64_MAX, 5, 10, 0.0 },
};

static void one_rate(void **state)
{
    const struct row *row = *state;
    struct progress p = { .left_ns = row->left_ns };
    progress_begin(&p, row->since_ns, row->rate);
    assert_int_equal(p.left_ns, row->left_ns);
    assert_int_equal(progress_end_ns(&p), row->end_ns);
    progress_settle(&p, row->at_ns);
    assert_int_equal(p.left_ns, row->left_then_ns);
    assert_true(p.left_part == row->part_then);
    assert_int_equal(p.since_ns, row->at_ns > row->since_ns ? row->at_ns : row->since_ns);
    assert_int_equal(progress_end_ns(&p), row->end_ns);                      /* looking changes nothing */
}

static void rolled_back(void **state)
{
    (void)state;
    struct progress p = { .left_ns = 100 };
    progress_begin(&p, 0, 1.0);
    progress_settle(&p, 70);
    progress_roll_back(&p, 20);                                              /* 30 left, and 20 once more */
    assert_int_equal(progress_end_ns(&p), 70 + 50);
    progress_begin(&p, 1000, 1.0);
    assert_int_equal(progress_end_ns(&p), 1050);
}

/* 60 at rate 1 from 10, rate 1/2 from 30: 40 left, 80 more. Then rate 4 from 50: 30 left, 7.5 more. */
static void other_rates(void **state)
{
    (void)state;
    struct progress p = { .left_ns = 60 };
    progress_begin(&p, 10, 1.0);
    progress_set_rate(&p, 30, 0.5);
    assert_int_equal(progress_end_ns(&p), 110);
    progress_set_rate(&p, 50, 4.0);
    assert_int_equal(progress_end_ns(&p), 58);
    progress_settle(&p, 58);
    assert_int_equal(p.left_ns, 0);
    assert_true(p.left_part == 0.0);
}

/* A change of rate before progress begins holds from the beginning. */
static void while_starting(void **state)
{
    (void)state;
    struct progress p = { .left_ns = 60 };
    progress_begin(&p, 100, 1.0);
    progress_set_rate(&p, 40, 2.0);
    assert_int_equal(progress_end_ns(&p), 130);
}

/* Rate 1 in any number of steps is whole numbers: exact. */
static void rate_one_is_exact(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "progress", 0);
    for (int k = 0; k < 1000; k++) {
        int64_t work = (int64_t)random_below(&r, INT64_C(3000000000000000000)), now = (int64_t)random_below(&r, 1000);
        struct progress p = { .left_ns = work };
        progress_begin(&p, now, 1.0);
        int64_t end = now + work;
        for (int step = 0; step < 20 && now < end; step++) {
            now += 1 + (int64_t)random_below(&r, (uint64_t)(end - now));
            progress_settle(&p, now);
            assert_int_equal(p.left_ns, end - now);
            assert_int_equal(progress_end_ns(&p), end);
        }
        assert_true(p.left_part == 0.0);
    }
}

/* Any rates: the end is the first instant at which nothing is left, whatever was settled in between. Sums of doubles of up
 * to 1e12 are off by less than 1e-3 ns here. */
static void any_rates(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 2, "progress", 0);
    for (int k = 0; k < 20000; k++) {
        struct progress p = { .left_ns = (int64_t)random_below(&r, k % 2 ? 1000 : INT64_C(1000000000000)) };
        long double left = (long double)p.left_ns;
        int64_t now = 0;
        double rate = 0.1 + 2 * random_uniform(&r);
        progress_begin(&p, 0, rate);
        for (int step = 0; step < 5; step++) {
            int64_t end = progress_end_ns(&p);
            long double exact = left / (long double)rate;
            assert_true(end - now >= exact - 1e-2L && end - now < exact + 1 + 1e-2L);
            if (end <= now + 1)
                break;
            int64_t to = now + 1 + (int64_t)random_below(&r, (uint64_t)(end - now - 1));
            left -= (long double)(to - now) * (long double)rate;
            now = to;
            rate = 0.1 + 2 * random_uniform(&r);
            progress_set_rate(&p, now, rate);
            assert_true(p.left_part >= 0.0 && p.left_part < 1.0);
            assert_true(fabsl((long double)p.left_ns + (long double)p.left_part - left) < 1e-2L);
        }
        progress_settle(&p, progress_end_ns(&p));
        assert_int_equal(p.left_ns, 0);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, one_rate, rows);
    ADD_TEST(tests, n, rolled_back);
    ADD_TEST(tests, n, other_rates);
    ADD_TEST(tests, n, while_starting);
    ADD_TEST(tests, n, rate_one_is_exact);
    ADD_TEST(tests, n, any_rates);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
