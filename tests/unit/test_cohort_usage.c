/* test_cohort_usage.c - past use of local queues: the numbers follow from the formulas of usage.h. */
#include "policies/kueue/usage.h"
#include "tests/unit/test_core.h"

#include <math.h>

#define S INT64_C(1000000000)

/* After one half-life a half is left and half of what is held has come; after two a quarter and three quarters. */
static void moves_towards_what_is_held(void **state)
{
    struct cohort_usage u = { .weight = 1, .consumed = 8, .held = 4 };
    (void)state;
    assert_near(cohort_usage_alpha(60, 60), .5, 1e-15);
    assert_near(cohort_usage_at(&u, 60 * S, 60), 8. / 2 + 4. / 2, 1e-12);
    assert_near(cohort_usage_at(&u, 120 * S, 60), 8. / 4 + 4 * 3. / 4, 1e-12);
}

/* Brought up to date in between or not, it is the same: (8/2 + 4/2) / 2 + 4/2 = 5. */
static void does_not_depend_on_sampling(void **state)
{
    struct cohort_usage u = { .weight = 1, .consumed = 8, .held = 4 }, sampled = u;
    (void)state;
    for (int i = 1; i < 120; i++)
        cohort_usage_change(&sampled, i * S, 60, 0, 0);
    assert_near(cohort_usage_at(&u, 120 * S, 60), 5, 1e-12);
    assert_near(cohort_usage_at(&sampled, 120 * S, 60), 5, 1e-12);
}

/* 2 more are held, and the penalty of a sampling interval of one half-life is 1. */
static void a_job_pays_at_once(void **state)
{
    struct cohort_usage u = { .weight = 1, .consumed = 8, .held = 4 };
    (void)state;
    cohort_usage_change(&u, 60 * S, 60, 2, 2 * cohort_usage_alpha(60, 60));
    assert_near(cohort_usage_at(&u, 60 * S, 60), 7, 1e-12);
    assert_near(cohort_usage_at(&u, 120 * S, 60), 7. / 2 + 6. / 2, 1e-12);
}

static void least_over_weight_goes_first(void **state)
{
    struct cohort_usage a = { .weight = 1, .consumed = 3 }, b = { .weight = 2, .consumed = 4 }, none = { .weight = 0 };
    (void)state;
    assert_true(cohort_usage_compare(&b, &a, 0, 60) < 0);
    assert_true(cohort_usage_compare(&a, &none, 0, 60) < 0);
    assert_int_equal(cohort_usage_compare(&none, &none, 0, 60), 0);
}

/* a has 0 and holds 4, b has 3 and holds nothing: with x = 2^(-d/60) a has 4 (1 - x) and b 3 x, equal at x = 4/7. One that
 * holds less than the other ever has is never passed; nor is weight 0. */
static void order_flips_when_it_says(void **state)
{
    struct cohort_usage a = { .weight = 1, .held = 4 }, b = { .weight = 1, .consumed = 3 }, idle = { .weight = 1 }, none = { .weight = 0, .held = 9 };
    (void)state;
    int64_t at = cohort_usage_flip_ns(&a, &b, 0, 60);
    assert_near((double)at / S, 60 * log2(7. / 4), 1e-8);
    assert_true(cohort_usage_compare(&a, &b, at - S / 1000, 60) < 0);
    assert_true(cohort_usage_compare(&a, &b, at + S / 1000, 60) > 0);
    assert_int_equal(cohort_usage_flip_ns(&idle, &b, 0, 60), INT64_MAX);
    assert_int_equal(cohort_usage_flip_ns(&a, &none, 0, 60), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_towards_what_is_held), cmocka_unit_test(does_not_depend_on_sampling),
        cmocka_unit_test(a_job_pays_at_once),         cmocka_unit_test(least_over_weight_goes_first),
        cmocka_unit_test(order_flips_when_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
