/* test_paired.c - statistics of pairs: published examples, distribution-free properties, and that a planted difference is seen. */
#include "sim/base/random.h"
#include "sim/study/paired.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <stdbool.h>

/* Student's own example (Biometrika 6, 1908): extra hours of sleep by two drugs, ten patients; R's data set `sleep`. */
static const double sleep_less[] = { -1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4 };
/* Hollander and Wolfe, Nonparametric Statistical Methods (1973), 29: depression before and after, nine patients. */
static const double depression[] = { 1.83 - .878, .50 - .647, 1.62 - .598, 2.48 - 2.05, 1.68 - 1.06, 1.88 - 1.29, 1.55 - 1.06,
                                     3.06 - 3.14, 1.30 - 1.29 };

/* Student (1908) has t = 4.06 of 9 degrees; bounds as R's t.test(extra ~ group, paired = TRUE) prints them. */
static void student(void **state)
{
    (void)state;
    struct paired_t t = paired_t(sleep_less, COUNT(sleep_less), .95);
    assert_near(t.mean, -1.58, 1e-12);
    assert_near(t.mean / t.error, -4.0621, 2e-5);
    assert_near(t.interval.low, -2.4598858, 1e-7);
    assert_near(t.interval.high, -0.7001142, 1e-6);
}

/* Differences 1, 2, 3 over 10, 10, 10: Student's interval of .2, as the denominator is fixed: t(2, .975) = 4.3026527. Then by
 * hand with x = 1, 2, 3 and y = 2, 2, 5 (means 2 and 3, variances 1 and 3, covariance 1.5, t^2 / 3 = 6.1709 = q): a = 4 - q and
 * c = 9 - 3 q are negative: no bound. With x = 1, 1.2, 1.4 (variance .04, q .04 = .2468) and y = 2, 3, 3 (mean 8/3, variance 1/3,
 * covariance .1): a = 1.44 - .246836, b = 3.2 - .617091, c = 7.111111 - 2.056969. */
static void fieller_by_hand(void **state)
{
    (void)state;
    struct bounds fixed = ratio_fieller((double[]){ 10, 10, 10 }, (double[]){ 1, 2, 3 }, 3, .95);
    assert_near(fixed.low, .2 - .1 * 4.3026527 / sqrt(3), 1e-7);
    assert_near(fixed.high, .2 + .1 * 4.3026527 / sqrt(3), 1e-7);
    struct bounds none = ratio_fieller((double[]){ 1, 2, 3 }, (double[]){ 2, 2, 5 }, 3, .95);
    assert_true(none.low == -INFINITY && none.high == INFINITY);
    double a = 1.44 - .246836, b = 3.2 - .617091, c = 64 / 9. - 2.056969, root = sqrt(b * b - a * c);
    struct bounds both = ratio_fieller((double[]){ 1, 1.2, 1.4 }, (double[]){ 2, 3, 3 }, 3, .95);
    assert_near(both.low, (b - root) / a, 1e-5);
    assert_near(both.high, (b + root) / a, 1e-5);
    /* x may be 0 in the mean (.1, error .1) and y is not (5, error .2): from below only. t of y - r x is t(9, .975). */
    double x[10] = { 1 }, y[10];
    for (size_t i = 0; i < COUNT(y); i++)
        y[i] = 5 + (i % 2 ? .6 : -.6);
    struct bounds below = ratio_fieller(x, y, COUNT(x), .95);
    double d[10];
    for (size_t i = 0; i < COUNT(d); i++)
        d[i] = y[i] - below.low * x[i];
    struct paired_t t = paired_t(d, COUNT(d), .95);
    assert_true(below.high == INFINITY && below.low > 0);
    assert_near(t.mean / t.error, 2.2621572, 1e-6);
}

static void all_the_same(void **state)
{
    (void)state;
    const double same[] = { .1, .1, .1 };
    struct paired_t t = paired_t(same, 3, .95);
    struct bounds b = bootstrap_bca(same, 3, .95, 999, 1);
    assert_true(t.mean == .1 && t.error == 0 && t.interval.low == .1 && t.interval.high == .1);
    assert_true(b.low == .1 && b.high == .1);
    assert_true(wilcoxon_signed_rank((const double[]){ 0, 0 }, 2).p == 1);
}

/* R, ?wilcox.test: V = 40, one-sided p = 0.01953 = 10/512. The difference .01 of the last pair has rank 1. */
static void wilcoxon_by_the_book(void **state)
{
    (void)state;
    struct wilcoxon w = wilcoxon_signed_rank(depression, COUNT(depression));
    assert_near(w.sum, 40, 0);
    assert_near(w.p, 2 * 10 / 512.0, 1e-12);
    assert_true(w.exact && w.used == 9);
}

/* All of n positive: 2 / 2^n. Half of four tied pairs: by counting 16 signs. */
static void wilcoxon_by_counting(void **state)
{
    (void)state;
    const double up[] = { 1, 2, 3, 4, 5 }, tied[] = { 1, 1, 1, -1, 0 };
    assert_near(wilcoxon_signed_rank(up, 5).p, 2 / 32.0, 1e-12);
    struct wilcoxon w = wilcoxon_signed_rank(tied, 5);
    assert_near(w.sum, 7.5, 0);
    assert_near(w.p, 2 * 5 / 16.0, 1e-12);
    assert_int_equal(w.used, 4);
}

/* Where one takes over from the other, the exact law and the normal one are near each other. */
static void wilcoxon_in_the_large(void **state)
{
    (void)state;
    double d[WILCOXON_EXACT + 1];
    for (size_t i = 0; i < COUNT(d); i++)
        d[i] = (i % 3 ? 1.0 : -1.0) * (double)(i + 1);
    struct wilcoxon exact = wilcoxon_signed_rank(d, WILCOXON_EXACT), large = wilcoxon_signed_rank(d, WILCOXON_EXACT + 1);
    assert_true(exact.exact && !large.exact);
    /* By hand: 26 pairs, ranks 1, 4, ..., 25 (9 of them, sum 117) negative: sum 234, mean 175.5, variance 1550.25. */
    assert_near(large.sum, 234, 0);
    assert_near(large.p, 2 * gsl_cdf_ugaussian_Q((234 - 175.5 - .5) / sqrt(1550.25)), 1e-12);
    /* 25 pairs: the same ranks are negative; sum 208, mean 162.5, variance 1381.25. */
    assert_near(exact.p, 2 * gsl_cdf_ugaussian_Q((208 - 162.5 - .5) / sqrt(1381.25)), .03);
}

/* Holm (1979): .01, .04, .03 -> .03, .06, .06. */
static void holm_by_hand(void **state)
{
    (void)state;
    double p[] = { .01, .04, .03 }, one[] = { .9, .8 };
    holm(p, 3, p);
    assert_near(p[0], .03, 1e-12);
    assert_near(p[1], .06, 1e-12);
    assert_near(p[2], .06, 1e-12);
    holm(one, 2, one);
    assert_true(one[0] == 1 && one[1] == 1);
    assert_near(pairs_needed(.05, .02), 50, 0);          /* 7.85 x 6.25 = 49.06 */
}

static double draw_skewed(struct random *r)          /* exponential of mean 1 */
{
    return -log(random_uniform(r));
}

/* Of 1,000 experiments with 20 skewed differences of mean 1: how often a 95 % interval covers it. */
static double covered(bool bca, double truth)
{
    unsigned n = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct random r;
        double d[20];
        random_init(&r, seed, "coverage", 0);
        for (size_t i = 0; i < COUNT(d); i++)
            d[i] = draw_skewed(&r);
        struct bounds b = bca ? bootstrap_bca(d, COUNT(d), .95, 999, seed) : paired_t(d, COUNT(d), .95).interval;
        n += b.low <= truth && truth <= b.high;
    }
    return n / 1000.0;
}

/* Both are approximate for a skewed law and few pairs: between 0.88 and 0.97. Control: a wrong mean is rarely covered. */
static void intervals_cover(void **state)
{
    (void)state;
    for (int bca = 0; bca < 2; bca++) {
        double c = covered(bca, 1);
        assert_true(c > .88 && c < .97);
        assert_true(covered(bca, 2) < .3);
    }
}

/* A resample of all values in another order has their mean, though its sum may be rounded in another way. So bounds of thirds
 * are a third of those of whole numbers, whose sums have no rounding. */
static void bootstrap_ties(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "ties", 0);
    for (unsigned trial = 0; trial < 50; trial++) {
        double whole[4], third[4];
        for (size_t i = 0; i < COUNT(whole); i++) {
            whole[i] = (double)random_below(&r, 100);
            third[i] = whole[i] / 3;
        }
        struct bounds b = bootstrap_bca(whole, 4, .95, 999, 1), c = bootstrap_bca(third, 4, .95, 999, 1);
        assert_near(3 * c.low, b.low, 1e-9);
        assert_near(3 * c.high, b.high, 1e-9);
    }
}

/* Efron (1987): the bounds go along with any increasing linear map; with skewed data the interval leans to the long side. */
static void bootstrap_leans(void **state)
{
    (void)state;
    struct random r;
    double d[30], e[30];
    random_init(&r, 7, "lean", 0);
    for (size_t i = 0; i < COUNT(d); i++) {
        d[i] = draw_skewed(&r);
        e[i] = 5 + 3 * d[i];
    }
    struct bounds b = bootstrap_bca(d, COUNT(d), .95, 9999, 1), c = bootstrap_bca(e, COUNT(e), .95, 9999, 1);
    struct paired_t t = paired_t(d, COUNT(d), .95);
    assert_near(c.low, 5 + 3 * b.low, 1e-9);
    assert_near(c.high, 5 + 3 * b.high, 1e-9);
    assert_true(b.high - t.mean > 1.1 * (t.mean - b.low));
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, student);
    ADD_TEST(tests, n, fieller_by_hand);
    ADD_TEST(tests, n, bootstrap_ties);
    ADD_TEST(tests, n, all_the_same);
    ADD_TEST(tests, n, wilcoxon_by_the_book);
    ADD_TEST(tests, n, wilcoxon_by_counting);
    ADD_TEST(tests, n, wilcoxon_in_the_large);
    ADD_TEST(tests, n, holm_by_hand);
    ADD_TEST(tests, n, intervals_cover);
    ADD_TEST(tests, n, bootstrap_leans);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
