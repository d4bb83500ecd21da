/* test_agreement.c - agreement of simulated with recorded waits: by hand. tests/e2e/validate.sh compares with an
 * implementation by definition. */
#include "sim/study/agreement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

/* Mid-ranks of (0, 10, 10, 20): 1, 2.5, 2.5, 4; of (5, 0, 30, 30): 2, 1, 3.5, 3.5. Less 2.5, the products sum up to
 * .75 + 0 + 0 + 1.5 = 2.25, the squares to 4.5 and 4.5. Means 10 and 16.25; errors 5, 10, 20, 10. Near: all, within 60 s.
 * Distribution functions differ most below 30: 1 against .5. */
static void by_hand(void **state)
{
    (void)state;
    static const struct wait_pair pair[] = { { 0, 0, 5 }, { 1, 10, 0 }, { 2, 10, 30 }, { 3, 20, 30 } };
    struct agreement a = agreement_of(pair, 4, 86400, 1);
    assert_float_equal(a.rank.value, 2.25 / 4.5, 1e-12);
    assert_float_equal(a.change.value, .625, 1e-12);
    assert_float_equal(a.error.value, 11.25 / 10, 1e-12);
    assert_float_equal(a.near.value, 1, 0);
    assert_float_equal(a.distance, .5, 1e-12);
    assert_float_equal(a.was_mean_s, 10, 1e-12);
    assert_float_equal(a.is_mean_s, 16.25, 1e-12);
}

/* 60 s or a tenth of the record, whichever is larger, and the bound itself counts. */
static void near_means(void **state)
{
    (void)state;
    static const struct { double was, is; double near; } row[] = {
        { 0, 60, 1 }, { 0, 60.001, 0 }, { 1000, 1100, 1 }, { 1000, 1100.001, 0 }, { 1000, 900, 1 }, { 100, 40, 1 },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct wait_pair p = { 0, row[i].was, row[i].is };
        assert_float_equal(agreement_of(&p, 1, 86400, 1).near.value, row[i].near, 0);
    }
}

/* Without a wait in the record there is no change to tell, and without differences no rank. */
static void nothing_to_tell(void **state)
{
    (void)state;
    static const struct wait_pair pair[] = { { 0, 0, 1 }, { 5, 0, 2 }, { 9, 0, 0 } };
    struct agreement a = agreement_of(pair, 3, 1, 1);
    assert_true(isnan(a.change.value) && isnan(a.rank.value) && isnan(a.error.value));
    assert_true(isnan(a.change.bounds.low) && agreement_trust(&a) == TRUST_NONE);
}

/* Equal runs: no width, full trust. Every second wait halved within days: the same in each block, so no width again. */
static void bounds(void **state)
{
    (void)state;
    enum { N = 1000 };
    static struct wait_pair pair[N];
    for (int i = 0; i < N; i++)
        pair[i] = (struct wait_pair){ 1000 * i, 100 + i % 10, 100 + i % 10 };
    struct agreement a = agreement_of(pair, N, 10000, 1);
    assert_float_equal(a.change.bounds.low, 0, 1e-12);
    assert_float_equal(a.change.bounds.high, 0, 1e-12);
    assert_float_equal(a.rank.bounds.low, 1, 1e-12);
    assert_int_equal(agreement_trust(&a), TRUST_WAITS);
    for (int i = 0; i < N; i++)
        pair[i].is_s *= 2;
    a = agreement_of(pair, N, 10000, 1);
    assert_float_equal(a.change.bounds.low, 1, 1e-12);
    assert_float_equal(a.change.bounds.high, 1, 1e-12);
    assert_int_equal(agreement_trust(&a), TRUST_ORDER);
    assert_true(a.blocks == 100 && a.block_s == 10000);
    a = agreement_of(pair, N, 1e9, 1);               /* at least ten blocks */
    assert_true(a.blocks >= AGREEMENT_BLOCKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_hand), cmocka_unit_test(near_means),
                                        cmocka_unit_test(nothing_to_tell), cmocka_unit_test(bounds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
