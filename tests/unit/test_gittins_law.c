/* test_gittins_law.c - the Gittins index of a sample: closed cases, and against its definition, worked out the slow way. */
#include "policies/orders/gittins_law.h"
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

/* From points near and far, the last and one that is none among them; the one it finds is that of a search from end to end. */
static double index_of(const struct gittins_law *law, double service)
{
    uint32_t k = 0, last = (uint32_t)law->n - 1, from[] = { 0, last, last + 1, last / 2, 0, 0 };
    while (k < last && law->service[k + 1] <= service)
        k++;
    from[4] = k;
    from[5] = k / 2 + last / 3;
    double index = gittins_index(law, service, &(uint32_t){ k });
    for (size_t i = 0; i < COUNT(from); i++) {
        uint32_t near = from[i];
        assert_true(gittins_index(law, service, &near) == index);
        assert_int_equal(near, k);
    }
    return index;
}

static struct gittins_law law;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void learn(double *service, size_t n)
{
    static double s[MOST + 1], x[MOST + 1], y[MOST + 1], index[MOST + 1];
    static uint32_t next[MOST + 1], lower[MOST + 1], stage[MOST + 1];
    qsort(service, n, sizeof *service, ascending);
    law = (struct gittins_law){ .service = s, .x = x, .y = y, .index = index, .next = next, .lower = lower,
                                .stage = stage, .capacity = MOST + 1 };
    gittins_learn(&law, service, n);
}

/* Of the sorted sample, linear between its values and from 0 to the first. */
static double distribution(const double *service, size_t n, double at)
{
    double below = 0, share = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && service[i + 1] == service[i])
            continue;
        double up_to = (double)(i + 1) / (double)n;
        if (service[i] > at)
            return share + (at - below) / (service[i] - below) * (up_to - share);
        below = service[i];
        share = up_to;
    }
    return 1;
}

/* The sup over D such that a + D is a value of the sample: F is linear between, its hazard rate rises there. */
static double by_definition(const double *service, size_t n, double a)
{
    double best = 0, expected = 0, from = a;
    for (size_t i = 0; i < n; i++) {
        if (service[i] <= a || (i + 1 < n && service[i + 1] == service[i]))
            continue;
        double f = distribution(service, n, from), g = distribution(service, n, service[i]);
        expected += (service[i] - from) * (1 - (f + g) / 2);
        from = service[i];
        best = fmax(best, (g - distribution(service, n, a)) / expected);
    }
    return best;
}

static void as_defined(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        struct random r;
        double service[MOST];
        size_t n = 1 + (size_t)(k * 7 % 60);
        random_init(&r, 3, "gittins", k);
        for (size_t i = 0; i < n; i++)      /* exponential, heavy-tailed, and whole numbers with many equal ones */
            service[i] = k % 3 == 0   ? -log(random_uniform(&r))
                         : k % 3 == 1 ? pow(random_uniform(&r), -2)
                                      : (double)(1 + random_below(&r, 9));
        learn(service, n);
        for (unsigned i = 0; i < 100; i++) {
            double a = i == 0 ? 0 : random_uniform(&r) * service[n - 1], want = by_definition(service, n, a);
            assert_true(fabs(index_of(&law, a) - want) <= 1e-6 * want); /* a difference of sums, close to the end */
        }
        assert_true(index_of(&law, service[n - 1]) == 0);
    }
}

/* Stages have falling indices, each the least of its stage, and are where the definition has its maximum. */
static void stages(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 50; k++) {
        struct random r;
        double service[MOST];
        random_init(&r, 4, "gittins", k);
        for (size_t i = 0; i < MOST; i++)
            service[i] = -log(random_uniform(&r)) * (random_below(&r, 4) ? 1 : 10);
        learn(service, MOST);
        assert_true(law.n_stages > 2);
        double begin = 0;
        for (uint32_t g = 0; g + 1 < law.n_stages; g++) {
            double end = gittins_stage_end(&law, g), index = gittins_stage_index(&law, g);
            assert_true(end > begin && index > gittins_stage_index(&law, g + 1));
            assert_int_equal(gittins_stage(&law, begin), g);
            assert_true(fabs(index_of(&law, begin) - index) <= 1e-9 * index);
            for (unsigned i = 0; i < 20; i++)
                assert_true(index_of(&law, begin + random_uniform(&r) * (end - begin)) >= index * (1 - 1e-9));
            begin = end;
        }
        assert_true(isinf(gittins_stage_end(&law, (uint32_t)law.n_stages - 1)));
    }
}

/* All alike: uniform on (0, 2), whose index is that of going on to the end: 1/E[2 - a] = 2/(2-a) at a. One stage. */
static void all_alike(void **state)
{
    (void)state;
    double service[] = { 2, 2, 2, 2 };
    learn(service, 4);
    assert_int_equal(law.n_stages, 2);
    for (double a = 0; a < 2; a += .25)
        assert_true(fabs(index_of(&law, a) - 2 / (2 - a)) < 1e-12);
}

/* Two in three end by 1, the third by 10. (0,0), (2/3 x 1, 2/3), then x grows by 9 x 1/6: slopes 1 and 2/9. */
static void by_hand(void **state)
{
    (void)state;
    double service[] = { 1, 10, 1 };
    learn(service, 3);
    assert_int_equal(law.n_stages, 3);
    assert_true(fabs(gittins_stage_index(&law, 0) - 1) < 1e-12);
    assert_true(fabs(gittins_stage_index(&law, 1) - 2.0 / 9) < 1e-12);
    assert_true(gittins_stage_end(&law, 0) == 1 && gittins_stage_end(&law, 1) == 10);
    /* At 1 + 8.1 a tenth of the last ramp is left: (1/30) / (.9 x 1/60) */
    assert_true(fabs(index_of(&law, 9.1) - (1.0 / 30) / (.9 / 60)) < 1e-9);
}

/* Up to where it is said to fall the index is above; there, or a thousandth of the way to the next value later, it is not.
 * The slow way: look everywhere. */
static void falls(void **state)
{
    (void)state;
    unsigned later = 0;
    for (uint64_t k = 0; k < 100; k++) {
        struct random r;
        double service[MOST];
        size_t n = 2 + (size_t)(k * 11 % 90);
        random_init(&r, 5, "gittins", k);
        for (size_t i = 0; i < n; i++)
            service[i] = k % 2 ? -log(random_uniform(&r)) : pow(random_uniform(&r), -2);
        learn(service, n);
        for (unsigned i = 0; i < 50; i++) {
            double a = random_uniform(&r) * service[n - 1],
                   index = index_of(&law, random_uniform(&r) * service[n - 1]) * (.5 + random_uniform(&r)),
                   to = gittins_falls_to(&law, a, index, &(uint32_t){ 0 });
            assert_true(to >= a && to <= service[n - 1]);
            later += to > a;
            for (unsigned u = 0; u < 200 && to > a; u++)
                assert_true(index_of(&law, a + random_uniform(&r) * (to - a)) > index);
            size_t next = 0;
            while (law.service[next] <= to)
                next++;
            double there = to > a ? law.service[next] : a;
            assert_true(to == a || law.service[next] - to <= 1.1e-3 * (law.service[next] - law.service[next - 1]));
            assert_true(index_of(&law, there) <= index * (1 + 1e-5) || there - a < 1e-3 * service[n - 1]);
        }
    }
    assert_true(later > 1000);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, as_defined);
    ADD_TEST(tests, n, stages);
    ADD_TEST(tests, n, all_alike);
    ADD_TEST(tests, n, by_hand);
    ADD_TEST(tests, n, falls);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
