/* test_freed.c - sim/base/freed.h against the list of all notes, on random times. */
#include "sim/base/freed.h"
#include "sim/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NOTES = 120, SEEDS = 50 };

static void agrees_with_a_list(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct freed f = { 0 };
        struct random r;
        int64_t until_ns[NOTES];
        random_init(&r, seed, "freed", 0);
        for (unsigned n = 0; n < NOTES; n++) {
            until_ns[n] = (int64_t)random_below(&r, 1 + seed);
            freed_note(&f, until_ns[n]);
            assert_int_equal(f.count, n + 1);
            int64_t latest_ns = INT64_MIN;
            for (unsigned from = n + 1; from-- > 0;) {
                assert_int_equal(freed_since(&f, from + 1), latest_ns);
                latest_ns = until_ns[from] > latest_ns ? until_ns[from] : latest_ns;
            }
            assert_int_equal(freed_since(&f, 0), latest_ns);
        }
        freed_free(&f);
    }
}

static void empty(void **state)
{
    (void)state;
    struct freed f = { 0 };
    assert_int_equal(freed_since(&f, 0), INT64_MIN);
    freed_free(&f);
}

static void keeps_what_may_be_the_answer_alone(void **state)
{
    (void)state;
    struct freed f = { 0 };
    for (int64_t t = 0; t < 1000; t++)
        freed_note(&f, t);
    assert_int_equal(f.n, 1);     /* each reaches beyond all before it */
    freed_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_list),
        cmocka_unit_test(empty),
        cmocka_unit_test(keeps_what_may_be_the_answer_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
