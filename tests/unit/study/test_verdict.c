/* test_verdict.c - the gate of `compare`: by hand, and how often it errs on drawn pairs. */
#include "sim/base/random.h"
#include "sim/study/verdict.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>

static struct comparison compare(const double *base, const double *new, size_t n, enum better better, double margin)
{
    return compare_pairs(&(struct paired_values){ .n = n, .base = base, .new = new }, better, margin, .05);
}

static enum verdict verdict_alone(const struct comparison *c, double margin)
{
    return verdict_of(c, margin, c->p_beyond, .05);
}

static const struct row {
    const char *name;
    enum better better;
    double margin;
    size_t n;
    double base[4], new[4];
    double change;                /* NaN: not looked at */
    enum verdict verdict;
} rows[] = {
    { "one run, as it is: worse by 5 %", BETTER_LOWER, .02, 1, { 100 }, { 105 }, .05, VERDICT_FAIL },
    { "one run: worse by less than the margin", BETTER_LOWER, .02, 1, { 100 }, { 101.9 }, .019, VERDICT_PASS },
    { "one run: just the margin", BETTER_LOWER, .02, 1, { 100 }, { 102 }, .02, VERDICT_PASS },
    { "one run: more is better", BETTER_HIGHER, .02, 1, { .5 }, { .6 }, .2, VERDICT_PASS },
    { "one run: less is worse", BETTER_HIGHER, .02, 1, { .6 }, { .5 }, -1 / 6., VERDICT_FAIL },
    /* A margin of 5 % of the base is 95 of 100, not 100 / 1.05 = 95.24. */
    { "one run: 4.76 % less is within 5 %", BETTER_HIGHER, .05, 1, { 1 }, { 1 / 1.05 }, -1 / 21., VERDICT_PASS },
    { "one run: 4.9 % less is within 5 %", BETTER_HIGHER, .05, 1, { 100 }, { 95.1 }, -.049, VERDICT_PASS },
    { "one run: just the margin, less is worse", BETTER_HIGHER, .05, 1, { 100 }, { 95 }, -.05, VERDICT_PASS },
    { "one run: 5.1 % less is beyond 5 %", BETTER_HIGHER, .05, 1, { 100 }, { 94.9 }, -.051, VERDICT_FAIL },
    { "always 4.9 % less is within 5 %", BETTER_HIGHER, .05, 3, { 100, 200, 300 }, { 95.1, 190.2, 285.3 }, -.049, VERDICT_PASS },
    /* new - .95 base is 0, .1, .1, .1: t = .075 / .025 = 3 of three degrees, below 3.18; without the zero it is sure. */
    { "with a zero, 4.9 % less: not sure", BETTER_HIGHER, .05, 4, { 0, 100, 100, 100 }, { 0, 95.1, 95.1, 95.1 }, -.049,
      VERDICT_INCONCLUSIVE },
    { "one run: no margin, no change", BETTER_LOWER, 0, 1, { 7 }, { 7 }, 0, VERDICT_PASS },
    { "something from nothing", BETTER_LOWER, .5, 1, { 0 }, { 1 }, INFINITY, VERDICT_FAIL },
    { "something from nothing, once of two: not sure", BETTER_LOWER, .5, 2, { 0, 0 }, { 1, 0 }, INFINITY, VERDICT_INCONCLUSIVE },
    { "something from nothing, always", BETTER_LOWER, .5, 4, { 0, 0, 0, 0 }, { 5, 6, 5, 6 }, INFINITY, VERDICT_FAIL },
    { "something good from nothing", BETTER_HIGHER, .5, 2, { 0, 0 }, { 1, 0 }, INFINITY, VERDICT_PASS },
    { "nothing stays nothing", BETTER_LOWER, 0, 3, { 0, 0, 0 }, { 0, 0, 0 }, 0, VERDICT_PASS },
    /* new - 1.02 base is 1 and .8: t = .9 / .1 = 9 of one degree, below 12.7. */
    { "some zeros: the ratio of the means, not sure", BETTER_LOWER, .02, 2, { 0, 10 }, { 1, 11 }, .2, VERDICT_INCONCLUSIVE },
    /* new - 1.02 base is 1, .8, 1, .8: t = .9 / .0577 = 15.6 of three degrees, above 3.18. */
    { "some zeros: surely more", BETTER_LOWER, .02, 4, { 0, 10, 0, 10 }, { 1, 11, 1, 11 }, .2, VERDICT_FAIL },
    { "the same pairs: not worse", BETTER_LOWER, .02, 3, { 1, 2, 3 }, { 1, 2, 3 }, 0, VERDICT_PASS },
    { "always the same worsening", BETTER_LOWER, .02, 3, { 1, 2, 3 }, { 1.5, 3, 4.5 }, .5, VERDICT_FAIL },
    { "two pairs that disagree", BETTER_LOWER, .02, 2, { 10, 10 }, { 9, 12 }, NAN, VERDICT_INCONCLUSIVE },
    { "surely worse, but by less than the margin allows", BETTER_LOWER, .1, 4, { 100, 100, 100, 100 }, { 101, 101.1, 100.9, 101 },
      NAN, VERDICT_PASS },
    /* ln 1.05 .. 1.15: mean .0957, error .0171; the interval is 4.2 to 16.2 %, so surely worse, yet perhaps within 8 %. */
    { "surely worse, perhaps by more than the margin", BETTER_LOWER, .08, 4, { 100, 100, 100, 100 }, { 105, 115, 108, 112.6 },
      NAN, VERDICT_INCONCLUSIVE },
};

static void by_hand(void **state)
{
    const struct row *row = *state;
    struct comparison c = compare(row->base, row->new, row->n, row->better, row->margin);
    if (isinf(row->change))
        assert_true(c.change == row->change);
    else if (!isnan(row->change))
        assert_near(c.change, row->change, 1e-12);
    if (c.base != 0)              /* the change is that of the two means */
        assert_near(c.change, c.new / c.base - 1, 1e-12);
    assert_string_equal(verdict_name[verdict_alone(&c, row->margin)], verdict_name[row->verdict]);
}

/* Geometric means of 1, 4 and of 2, 8 are 2 and 4, arithmetic ones 2.5 and 5. */
static void both_means(void **state)
{
    (void)state;
    struct comparison c = compare((double[]){ 1, 4 }, (double[]){ 2, 8 }, 2, BETTER_LOWER, NAN);
    assert_true(c.geometric && isnan(c.p_beyond));
    assert_near(c.base, 2, 1e-12);
    assert_near(c.new, 4, 1e-12);
    assert_near(c.base_mean, 2.5, 1e-12);
    assert_near(c.new_mean, 5, 1e-12);
}

/* A value that cannot be negative does not fall by more than all of it. The plain Student interval of these differences over the
 * mean of the base (28 / 8) goes below: -.857 - 2.36 x .32. */
static void not_below_nothing(void **state)
{
    (void)state;
    const double base[] = { 0, 1, 2, 3, 12, 1, 8, 1 }, new[] = { 0, 1, 1, 0, 0, 1, 0, 1 };
    const struct paired_values v = { .n = 8, .base = base, .new = new, .resamples = 999 };
    struct comparison c = compare_pairs(&v, BETTER_LOWER, .02, .05);
    assert_near(c.change, -24 / 28., 1e-12);
    assert_true(c.interval.low >= -1 && c.bootstrap.low >= -1);
    assert_true(c.interval.low <= c.change && c.change <= c.interval.high);
    const double worse[] = { -1, -2, -1.5 }, less[] = { -4, -5, -7 };      /* values that can: they may */
    struct comparison below = compare(worse, less, 3, BETTER_NEITHER, NAN);
    assert_near(below.change, -(16 - 4.5) / 4.5, 1e-12);
}

/* Two draws of jobs, three points of each. The clusters' mean logarithms of new / base are 2a and 4a: t = 3 of one degree,
 * so that p is .5 - atan(3) / pi. As six pairs they would be t = 6.7 of five degrees. */
static void clusters_count_once(void **state)
{
    (void)state;
    const double a = .1, base[] = { 1, 1, 1, 1, 1, 1 },
                 new[] = { exp(a), exp(2 * a), exp(3 * a), exp(4 * a), exp(4 * a), exp(4 * a) };
    const size_t cluster[] = { 0, 0, 0, 1, 1, 1 }, one[] = { 0, 0, 0, 0, 0, 0 };
    struct comparison c = compare_pairs(&(struct paired_values){ .n = 6, .base = base, .new = new, .cluster = cluster }, BETTER_LOWER, .02, .05);
    assert_int_equal(c.pairs, 6);
    assert_int_equal(c.clusters, 2);
    assert_near(c.change, expm1(3 * a), 1e-12);
    assert_near(c.p_worse, .5 - atan(3) / acos(-1), 1e-9);
    assert_near(c.interval.low, expm1(3 * a - a * 12.706204736), 1e-9);
    assert_int_equal(verdict_alone(&c, .02), VERDICT_INCONCLUSIVE);
    struct comparison pairs = compare(base, new, 6, BETTER_LOWER, .02);
    assert_int_equal(verdict_alone(&pairs, .02), VERDICT_FAIL);            /* control: pairs taken as independent */
    struct comparison single = compare_pairs(&(struct paired_values){ .n = 6, .base = base, .new = new, .cluster = one }, BETTER_LOWER, .02, .05);
    assert_true(single.interval.low == single.change && single.interval.high == single.change);
    assert_int_equal(verdict_alone(&single, .02), VERDICT_FAIL);           /* one draw: as it is */
}

/* Of several metrics the p that is corrected decides, too; but never makes a verdict worse than the interval. */
static void corrected(void **state)
{
    (void)state;
    struct comparison c = compare((double[]){ 100, 100, 100 }, (double[]){ 110, 111, 112 }, 3, BETTER_LOWER, .02);
    assert_int_equal(verdict_of(&c, .02, .0249, .05), VERDICT_FAIL);
    assert_int_equal(verdict_of(&c, .02, .0251, .05), VERDICT_INCONCLUSIVE);
    assert_int_equal(verdict_of(&c, .2, 0, .05), VERDICT_PASS);
    assert_int_equal(verdict_of(&c, .1, 0, .05), VERDICT_INCONCLUSIVE);
}

/* models.md 10.8 (3). */
static void levels_of_looks(void **state)
{
    (void)state;
    assert_true(look_level(10, true) == .01 && look_level(20, true) == .01 && look_level(40, true) == .015 && look_level(80, true) == .015);
    assert_near(look_level(10, true) + look_level(20, true) + look_level(40, true) + look_level(80, true), .05, 1e-12);
    assert_true(look_level(80, false) == .05 && look_level(13, true) == .05);
}

/* ---- Drawn pairs: values lognormal, what the two of a pair have in common is most of it (models.md 10.8) ---- */

enum { TRIALS = 400, CLUSTERS = 10, POINTS_MOST = 3, PAIRS_MOST = CLUSTERS * POINTS_MOST };
#define SPREAD .03                /* standard deviation of each value's own part */

static double normal(struct random *r)
{
    return gsl_cdf_ugaussian_Pinv(random_uniform(r));
}

/* `points` pairs in each cluster, which share most of their own part, too. zeros: some values are 0. */
struct plan {
    enum better better;
    double planted, margin;
    size_t points;
    bool zeros, apart;            /* apart: pairs are taken as independent */
};

static struct comparison trial(uint64_t number, const struct plan *p)
{
    struct random r;
    double base[PAIRS_MOST], new[PAIRS_MOST];
    size_t cluster[PAIRS_MOST], n = CLUSTERS * p->points;
    random_init(&r, number, "trial", 0);
    for (size_t i = 0; i < CLUSTERS; i++) {
        double common = 1000 * exp(.5 * normal(&r)), of_base = SPREAD * normal(&r), of_new = SPREAD * normal(&r);
        bool zero = p->zeros && i == 0;
        for (size_t k = 0; k < p->points; k++) {
            size_t at = i * p->points + k;
            bool more = p->points > 1;
            base[at] = zero ? 0 : common * exp(of_base + (more ? .1 * SPREAD * normal(&r) : 0));
            new[at] = zero ? 0 : common * exp(of_new + (more ? .1 * SPREAD * normal(&r) : 0)) * (1 + p->planted);
            cluster[at] = i;
        }
    }
    const struct paired_values v = { .n = n, .base = base, .new = new, .cluster = p->apart ? NULL : cluster };
    return compare_pairs(&v, p->better, p->margin, .05);
}

enum { MARGINS = 6 };
static const double margins[MARGINS] = { 0, .001, .01, .02, .05, .2 };
struct outcome { unsigned verdict[VERDICTS], of_margin[MARGINS][VERDICTS], covers; };

/* The interval alone decides of one metric: it lies beyond a margin where p says so. */
static struct outcome trials(const struct plan *p, uint64_t first)
{
    struct outcome o = { 0 };
    for (unsigned t = 0; t < TRIALS; t++) {
        struct comparison c = trial(first + t, p);
        assert_int_equal(verdict_alone(&c, p->margin) == VERDICT_FAIL, c.p_beyond < .025);
        o.verdict[verdict_alone(&c, p->margin)]++;
        for (size_t m = 0; m < MARGINS; m++)
            o.of_margin[m][verdict_of(&c, margins[m], 0, .05)]++;
        o.covers += c.interval.low <= p->planted && c.interval.high >= p->planted;
    }
    return o;
}

static double three_errors(double share)
{
    return 3 * sqrt(share * (1 - share) * TRIALS);
}

/* Nothing has changed: of 400 at most 5 % fail at any margin, for either direction, with clusters and with zeros; and 95 % of the
 * intervals hold zero, within three standard errors of 400. Each end of an interval errs in 2.5 %. */
static void nothing_planted(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 8; kind++) {
        struct outcome o = trials(&(struct plan){ .better = kind & 1 ? BETTER_HIGHER : BETTER_LOWER, .points = kind & 2 ? 3 : 1,
                                                  .zeros = kind & 4 }, 1000 * kind);
        for (size_t m = 0; m < MARGINS; m++)
            assert_true(o.of_margin[m][VERDICT_FAIL] <= .05 * TRIALS);
        assert_true(o.verdict[VERDICT_FAIL] <= .025 * TRIALS + three_errors(.025));
        if (!(kind & 4))          /* with zeros values are no longer lognormal, and Fieller's interval is approximate */
            assert_true(fabs(o.covers - .95 * TRIALS) <= three_errors(.95));
        assert_true(o.covers >= .9 * TRIALS);
    }
}

/* What is exactly at the margin fails in at most 2.5 %, and passes in at most 2.5 %, each within three standard errors: a
 * verdict is sure of its margin, not only of a change. Control: a rule that asks for a sure change of more than the margin in
 * its estimate would fail half of them. */
static void just_the_margin(void **state)
{
    (void)state;
    static const double margin[] = { .02, .2 };
    for (unsigned kind = 0; kind < 4; kind++)
        for (size_t m = 0; m < COUNT(margin); m++) {
            bool less = kind & 1;
            struct outcome o = trials(&(struct plan){ .better = less ? BETTER_HIGHER : BETTER_LOWER, .margin = margin[m],
                                                      .planted = less ? -margin[m] : margin[m], .points = kind & 2 ? 3 : 1 },
                                      20000 + 1000 * kind);
            assert_true(o.verdict[VERDICT_FAIL] <= .025 * TRIALS + three_errors(.025));
            assert_true(o.verdict[VERDICT_PASS] <= .025 * TRIALS + three_errors(.025));
        }
}

/* Control: 30 pairs of 10 draws taken as independent are flagged far too often. */
static void pairs_are_not_independent(void **state)
{
    (void)state;
    struct outcome o = trials(&(struct plan){ .better = BETTER_LOWER, .points = 3, .apart = true }, 2000);
    assert_true(o.verdict[VERDICT_FAIL] > .05 * TRIALS + three_errors(.05));
    assert_true(o.covers < .85 * TRIALS);
}

/* A planted regression of 5 %: the power of a one-sided t-test at 0.025 with 10 normal differences of mean ln 1.05 and deviation
 * sqrt(2) SPREAD. Monte Carlo of 400,000 such tests by another program (Python, t quantile 2.2621572): 0.8981 +- 0.0005. */
#define POWER 0.8981
static void planted(void **state)
{
    (void)state;
    struct outcome o = trials(&(struct plan){ .better = BETTER_LOWER, .planted = .05, .points = 1 }, 5000);
    assert_true(fabs(o.verdict[VERDICT_FAIL] - POWER * TRIALS) <= three_errors(POWER));
    assert_true(fabs(o.covers - .95 * TRIALS) <= three_errors(.95));       /* intervals hold what was planted */
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_TEST(tests, n, both_means);
    ADD_TEST(tests, n, not_below_nothing);
    ADD_TEST(tests, n, clusters_count_once);
    ADD_TEST(tests, n, corrected);
    ADD_TEST(tests, n, levels_of_looks);
    ADD_TEST(tests, n, nothing_planted);
    ADD_TEST(tests, n, just_the_margin);
    ADD_TEST(tests, n, pairs_are_not_independent);
    ADD_TEST(tests, n, planted);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
