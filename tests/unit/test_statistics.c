/* test_statistics.c - quantiles against GSL's on the sorted sample; sums against known ones. */
#include "sim/results/statistics.h"
#include "sim/base/bulk.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

static int64_t of_any(struct random *r, size_t i, size_t n) { return (void)i, (void)n, (int64_t)random_below(r, 1000000); }
static int64_t of_few(struct random *r, size_t i, size_t n) { return (void)i, (void)n, (int64_t)random_below(r, 3); }
static int64_t of_one(struct random *r, size_t i, size_t n) { return (void)r, (void)i, (void)n, 7; }
static int64_t rising(struct random *r, size_t i, size_t n) { return (void)r, (void)n, (int64_t)i; }
static int64_t falling(struct random *r, size_t i, size_t n) { return (void)r, (int64_t)(n - i); }
static int64_t hill(struct random *r, size_t i, size_t n) { return (void)r, (int64_t)(i < n / 2 ? i : n - i); }
static int64_t zigzag(struct random *r, size_t i, size_t n) { return (void)r, (int64_t)(i % 2 ? i : n - i); }
static int64_t mostly_zero(struct random *r, size_t i, size_t n)
{
    (void)i;
    (void)n;
    return random_below(r, 10) ? 0 : (int64_t)random_below(r, 100);
}
static int64_t large(struct random *r, size_t i, size_t n)      /* nanoseconds of up to 100 years, on both sides of 0 */
{
    (void)i;
    (void)n;
    return (int64_t)random_below(r, UINT64_C(6311520000000000000)) - INT64_C(3155760000000000000);
}

static const struct row {
    const char *name;
    int64_t (*value)(struct random *r, size_t i, size_t n);
} rows[] = {
    { "any", of_any },   { "many ties", of_few },       { "all equal", of_one }, { "rising", rising }, { "falling", falling },
    { "hill", hill },    { "zigzag", zigzag },          { "mostly zero", mostly_zero }, { "large and negative", large },
};

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void one_sample(const struct row *row, size_t n, struct random *r)
{
    static const double ps[] = { 0.5, 0.0, 1.0, 0.25, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0 / 3 };
    static int64_t sample[MOST], sorted[MOST];
    static double sorted_double[MOST];
    for (size_t i = 0; i < n; i++)
        sample[i] = sorted[i] = row->value(r, i, n);
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 0; i < n; i++)
        sorted_double[i] = (double)sorted[i];
    for (size_t k = 0; k < COUNT(ps) + 3; k++) {
        double p = k < COUNT(ps) ? ps[k] : random_uniform(r);
        double want = gsl_stats_quantile_from_sorted_data(sorted_double, 1, n, p), got = quantile(sample, n, p);
        assert_true(fabs(got - want) <= 1e-12 * fmax(fabs(sorted_double[0]), fabs(sorted_double[n - 1])) + 1e-12);
    }
    qsort(sample, n, sizeof *sample, by_value);
    assert_memory_equal(sample, sorted, n * sizeof *sample);     /* moved about, and nothing else */
}

static void like_gsl(void **state)
{
    const struct row *row = *state;
    struct random r;
    random_init(&r, 1, row->name, 0);
    for (size_t n = 1; n <= 40; n++)
        for (int k = 0; k < 10; k++)
            one_sample(row, n, &r);
    for (int k = 0; k < 20; k++)
        one_sample(row, 41 + random_below(&r, MOST - 41), &r);
}

/* A part of a bulk array, in memory and in a file, too large to be looked at in one go: the quantile
 * of the same elements, to the last bit; what lies around the part does not count. */
static void of_a_part(void **state)
{
    enum { N = 200000, AROUND = 1000 };
    static const double ps[] = { 0, 1e-5, .3, .5, .9, .99, .99999, 1 };
    static const size_t resident[] = { 0, 1 };
    const struct row *row = *state;
    int64_t *copy = malloc(N * sizeof *copy);
    assert_non_null(copy);
    for (size_t where = 0; where < COUNT(resident); where++) {
        int64_t *a = bulk_resize(NULL, N + 2 * AROUND, sizeof *a, resident[where]);
        struct random r;
        random_init(&r, 2, row->name, 0);
        for (size_t i = 0; i < N + 2 * AROUND; i++)
            a[i] = i >= AROUND && i < AROUND + N ? row->value(&r, i, N) : i % 2 ? INT64_MAX : INT64_MIN;
        struct number_parts counted = { { 0 } };
        for (size_t i = AROUND; i < AROUND + N; i++)
            number_parts_add(&counted, a[i]);
        double got[COUNT(ps)], with_parts[COUNT(ps)];
        quantiles_of_part(a, AROUND, N, NULL, ps, got, COUNT(ps));
        quantiles_of_part(a, AROUND, N, &counted, ps, with_parts, COUNT(ps));
        for (size_t k = 0; k < COUNT(ps); k++) {
            memcpy(copy, a + AROUND, N * sizeof *copy);
            double want = quantile(copy, N, ps[k]);
            assert_memory_equal(&got[k], &want, sizeof want);
            assert_memory_equal(&with_parts[k], &want, sizeof want);
        }
        bulk_free(a);
    }
    free(copy);
}

/* Of greater numbers the part is not before, at the ends of all parts and between them; of one part they differ by less than a 256th. */
static void parts_of_numbers(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 3, "parts", 0);
    assert_int_equal(part_of_number(INT64_MIN), 0);
    assert_int_equal(part_of_number(-1), 0);
    assert_int_equal(part_of_number(INT64_MAX), PARTS_OF_NUMBERS - 1);
    for (unsigned bits = 0; bits < 62; bits++)
        for (int k = 0; k < 2000; k++) {
            int64_t power = INT64_C(1) << bits, a = power + (int64_t)random_below(&r, (uint64_t)power), b = a + 1 + a / 256;
            assert_true(part_of_number(a - 1) <= part_of_number(a));
            assert_true(part_of_number(a) - part_of_number(a - 1) <= 1);
            assert_true(part_of_number(b) > part_of_number(a));
            assert_true(part_of_number(a) < PARTS_OF_NUMBERS);
        }
}

/* Type 7: h = (n-1)p. By hand. */
static const struct hand { const char *name; size_t n; int64_t sample[5]; double p, value; } hands[] = {
    { "n=1, median", 1, { 5 }, 0.5, 5 },
    { "n=1, p99", 1, { 5 }, 0.99, 5 },
    { "n=2, least", 2, { 9, 5 }, 0, 5 },
    { "n=2, most", 2, { 9, 5 }, 1, 9 },
    { "n=2, median", 2, { 9, 5 }, 0.5, 7 },
    { "n=2, p75", 2, { 9, 5 }, 0.75, 8 },
    { "n=4, median", 4, { 1, 40, 2, 30 }, 0.5, 16 },
    { "n=5, median", 5, { 1, 40, 2, 30, 3 }, 0.5, 3 },
    { "n=5, p90", 5, { 1, 40, 2, 30, 3 }, 0.9, 36 },         /* h = 3.6 between 30 and 40 */
};

static void by_hand(void **state)
{
    const struct hand *row = *state;
    int64_t sample[5];
    memcpy(sample, row->sample, sizeof sample);
    assert_true(fabs(quantile(sample, row->n, row->p) - row->value) < 1e-12);
}

static double sum_of(const double *x, size_t n)
{
    struct exact_sum s = { 0 };
    for (size_t i = 0; i < n; i++)
        sum_add(&s, x[i]);
    return sum_value(&s);
}

/* Neumaier (1974): what a plain sum, and Kahan's, get wrong. */
static void sums(void **state)
{
    (void)state;
    assert_true(sum_of(NULL, 0) == 0.0);
    assert_true(sum_of((double[]){ 1.0, 1e100, 1.0, -1e100 }, 4) == 2.0);
    assert_true(sum_of((double[]){ 1e16, 1.0, 1.0, -1e16 }, 4) == 2.0);
    assert_true(sum_of((double[]){ -0.5 }, 1) == -0.5);
}

/* 1/k for k = 1..1e6, upwards and downwards: H(1e6) = 14.392726722865723631... (ln n + gamma + 1/2n - 1/12n^2). */
static void harmonic(void **state)
{
    (void)state;
    struct exact_sum up = { 0 }, down = { 0 };
    for (int k = 1; k <= 1000000; k++) {
        sum_add(&up, 1.0 / k);
        sum_add(&down, 1.0 / (1000001 - k));
    }
    assert_true(fabs(sum_value(&up) - 14.392726722865723631) < 1e-14);
    assert_true(sum_value(&up) == sum_value(&down));
}

/* models.md 10.4: J(4, 2, 2) = 64 / 72. The rest by the formula's definition. */
static void jain(void **state)
{
    (void)state;
    assert_true(fabs(jain_index((double[]){ 4, 2, 2 }, 3) - 64. / 72) < 1e-15);
    assert_true(fabs(jain_index((double[]){ 4, 2, 1 }, 3) - 49. / 63) < 1e-15);
    assert_true(jain_index((double[]){ .25, .25, .25, .25 }, 4) == 1);
    assert_true(jain_index((double[]){ 0, 3, 0, 0 }, 4) == .25);
    assert_true(isnan(jain_index((double[]){ 0, 0 }, 2)) && isnan(jain_index(NULL, 0)));
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, like_gsl, rows);
    ADD_ROWS(tests, n, of_a_part, rows);
    ADD_ROWS(tests, n, by_hand, hands);
    ADD_TEST(tests, n, sums);
    ADD_TEST(tests, n, parts_of_numbers);
    ADD_TEST(tests, n, harmonic);
    ADD_TEST(tests, n, jain);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
