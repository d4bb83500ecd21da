/* test_sample.c - quantiles, the empirical distribution, intervals of means, and levels over time, by hand. */
#include "sim/study/sample.h"
#include "sim/study/series.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>

/* ---- Samples ---- */

/* Type 7 of 1, 2, 4, 8: h = 3 p; at p = 0.5 half way from 2 to 4, at 0.9 (h = 2.7) 4 + 0.7 x 4. */
static void quantiles(void **state)
{
    (void)state;
    struct sample s = { NULL, 0, 0 };
    for (size_t i = 0; i < 4; i++)
        sample_add(&s, (double[]){ 8, 1, 4, 2 }[i]);
    sample_sort(&s);
    assert_near(sample_quantile(&s, 0), 1, 0);
    assert_near(sample_quantile(&s, .5), 3, 1e-15);
    assert_near(sample_quantile(&s, .9), 6.8, 1e-15);
    assert_near(sample_quantile(&s, 1), 8, 0);
    sample_free(&s);
}

/* Equal values are one step; 0 has none of its own where nothing could be seen of it, but counts in the share of the next. */
static void steps_of_few(void **state)
{
    (void)state;
    static const double value[] = { 1, 1, 3, 3, 3 };
    struct sample s = { NULL, 0, 0 };
    struct ecdf_step *step;
    for (size_t i = 0; i < COUNT(value); i++)
        sample_add(&s, value[i]);
    assert_int_equal(sample_steps(&s, &step), 2);
    assert_near(step[0].at_most, 1, 0);
    assert_near(step[0].share, .4, 1e-15);
    assert_near(step[1].at_most, 3, 0);
    assert_near(step[1].share, 1, 0);
    free(step);
    sample_free(&s);
}

/* 30,000 values 1000 + i / 30,000: none is 0.5 % right of another, so a step is shown every 30,000 / 1500 = 20 values: 1,500, each as
 * high as the distribution is there. The first is seen at once, for it is above 0; so the others stand at 21, 41, ..., and the last
 * at 30,000: 1 + 1,499 + 1. */
static void steps_of_many(void **state)
{
    enum { MANY = 30000 };
    (void)state;
    struct sample s = { NULL, 0, 0 };
    struct ecdf_step *step;
    for (size_t i = 0; i < MANY; i++)
        sample_add(&s, 1000 + (double)i / MANY);
    size_t n = sample_steps(&s, &step);
    assert_int_equal(n, 1501);
    for (size_t i = 0; i < n; i++) {
        double rank = i + 1 < n ? 20 * (double)i + 1 : MANY;
        assert_near(step[i].share, rank / MANY, 1e-12);
        assert_near(step[i].at_most, 1000 + (rank - 1) / MANY, 1e-12);
    }
    free(step);
    sample_free(&s);
}

/* ---- Intervals: t(n - 1, 0.975) of Abramowitz and Stegun, table 26.10 ---- */

static const struct t_row { const char *name; size_t n; double t; } t_rows[] = {
    { "t of 1 degree", 2, 12.706 },   { "t of 2 degrees", 3, 4.303 },   { "t of 3 degrees", 4, 3.182 },   { "t of 5 degrees", 6, 2.571 },
    { "t of 9 degrees", 10, 2.262 },  { "t of 10 degrees", 11, 2.228 }, { "t of 19 degrees", 20, 2.093 }, { "t of 30 degrees", 31, 2.042 },
    { "t of 60 degrees", 61, 2.000 }, { "t of 120 degrees", 121, 1.980 },
};

/* 1 to n have mean (n + 1) / 2 and variance n (n + 1) / 12: half the width is t sqrt((n + 1) / 12). */
static void interval(void **state)
{
    const struct t_row *row = *state;
    double *value = calloc(row->n, sizeof *value);
    assert_non_null(value);
    for (size_t i = 0; i < row->n; i++)
        value[i] = (double)i + 1;
    struct estimate e = estimate_mean(value, row->n);
    assert_near(e.mean, ((double)row->n + 1) / 2, 1e-14);
    assert_near(e.half / sqrt(((double)row->n + 1) / 12), row->t, 6e-4 / row->t);
    assert_int_equal(e.n, row->n);
    free(value);
}

static void few(void **state)
{
    (void)state;
    struct estimate none = estimate_mean(NULL, 0), one = estimate_mean((double[]){ 7 }, 1), same = estimate_mean((double[]){ .1, .1, .1 }, 3);
    assert_true(isnan(none.mean) && none.half == 0 && none.n == 0);
    assert_true(one.mean == 7 && one.half == 0 && one.n == 1);
    assert_true(same.mean == .1 && same.half == 0 && same.n == 3);
}

/* ---- Levels ---- */

static const struct change { double at_s, value; } told[] = { { 0, 2 }, { 5, 2 }, { 10, 0 }, { 10, 4 }, { 30, 1 } };

static void tell(struct series *l, const struct steps *steps, double end_s)
{
    for (size_t i = 0; i < COUNT(told); i++)
        series_set(l, steps, told[i].at_s, told[i].value);
    series_end(l, steps, end_s);
}

static void assert_changes(const struct series *l, const struct change *want, size_t n)
{
    assert_int_equal(l->n_changes, n);
    for (size_t i = 0; i < n; i++) {
        assert_near(l->change[i].at_s, want[i].at_s, 1e-15);
        assert_near(l->change[i].value, want[i].value, 1e-15);
    }
}

/* What stays as it is does not change; of two values at one time the last holds. 2 x 10 + 4 x 20 + 1 x 5. */
static void changes(void **state)
{
    (void)state;
    const struct steps each = { 40, 0 };
    struct series l = { 0 };
    tell(&l, &each, 35);
    assert_changes(&l, (const struct change[]){ { 0, 2 }, { 10, 4 }, { 30, 1 } }, 3);
    assert_near(l.integral, 105, 1e-15);
    series_free(&l);
}

/* Steps of 16 s: (2 x 10 + 4 x 6) / 16, (4 x 14 + 1 x 2) / 16; the run ends 3 s into the third; the fourth and fifth are behind it. */
static void means(void **state)
{
    (void)state;
    const struct steps steps = { 80, 5 };
    struct series l = { 0 };
    tell(&l, &steps, 35);
    assert_changes(&l, (const struct change[]){ { 0, 2.75 }, { 16, 3.625 }, { 32, 1 } }, 3);
    assert_true(isnan(l.mean[3]) && isnan(l.mean[4]));
    assert_near(l.integral, 105, 1e-15);
    assert_near(l.mean[0] * 16 + l.mean[1] * 16 + l.mean[2] * 3, l.integral, 1e-15);
    series_free(&l);
}

/* 0.1 + 0.2 is not 0.3: a mean of thirds of a step is the same level. */
static void rounding_is_no_change(void **state)
{
    (void)state;
    const struct steps steps = { 3, 3 };
    struct series l = { 0 };
    for (int i = 0; i < 30; i++)
        series_set(&l, &steps, i / 10.0, .7);
    series_end(&l, &steps, 3);
    assert_changes(&l, (const struct change[]){ { 0, .7 } }, 1);
    series_free(&l);
}

static void no_level(void **state)
{
    (void)state;
    struct series l = { 0 };
    series_end(&l, &(struct steps){ 10, 2 }, 10);
    assert_true(!l.any && !l.mean && !l.n_changes && l.integral == 0);
    series_free(&l);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, quantiles);
    ADD_TEST(tests, n, steps_of_few);
    ADD_TEST(tests, n, steps_of_many);
    ADD_ROWS(tests, n, interval, t_rows);
    ADD_TEST(tests, n, few);
    ADD_TEST(tests, n, changes);
    ADD_TEST(tests, n, means);
    ADD_TEST(tests, n, rounding_is_no_change);
    ADD_TEST(tests, n, no_level);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
