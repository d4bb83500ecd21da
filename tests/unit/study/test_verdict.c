/* test_verdict.c - the gate of `compare`: by hand, and how often it errs on drawn pairs. */
#include "sim/base/random.h"
#include "sim/study/verdict.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>

static const struct row {
    const char *name;
    enum better better;
    double margin;
    size_t n;
    double base[4], new[4];
    double worse;                 /* NaN: not looked at */
    enum verdict verdict;
} rows[] = {
    { "one run, as it is: worse by 5 %", BETTER_LOWER, .02, 1, { 100 }, { 105 }, .04879016, VERDICT_FAIL },
    { "one run: worse by less than the margin", BETTER_LOWER, .02, 1, { 100 }, { 101.9 }, NAN, VERDICT_PASS },
    { "one run: just the margin", BETTER_LOWER, .02, 1, { 100 }, { 102 }, NAN, VERDICT_PASS },
    { "one run: more is better", BETTER_HIGHER, .02, 1, { .5 }, { .6 }, -.18232156, VERDICT_PASS },
    { "one run: less is worse", BETTER_HIGHER, .02, 1, { .6 }, { .5 }, .18232156, VERDICT_FAIL },
    { "one run: no margin, no change", BETTER_LOWER, 0, 1, { 7 }, { 7 }, 0, VERDICT_PASS },
    { "something from nothing", BETTER_LOWER, .5, 2, { 0, 0 }, { 1, 0 }, INFINITY, VERDICT_FAIL },
    { "something good from nothing", BETTER_HIGHER, .5, 2, { 0, 0 }, { 1, 0 }, -INFINITY, VERDICT_PASS },
    { "nothing stays nothing", BETTER_LOWER, 0, 3, { 0, 0, 0 }, { 0, 0, 0 }, 0, VERDICT_PASS },
    { "some zeros: differences over the mean", BETTER_LOWER, .02, 2, { 0, 10 }, { 1, 11 }, .2, VERDICT_FAIL },
    { "the same pairs: not worse", BETTER_LOWER, .02, 3, { 1, 2, 3 }, { 1, 2, 3 }, 0, VERDICT_PASS },
    { "always the same worsening", BETTER_LOWER, .02, 3, { 1, 2, 3 }, { 1.5, 3, 4.5 }, .40546511, VERDICT_FAIL },
    { "two pairs that disagree", BETTER_LOWER, .02, 2, { 10, 10 }, { 9, 12 }, NAN, VERDICT_INCONCLUSIVE },
    { "surely worse, but by less than the margin allows", BETTER_LOWER, .1, 4, { 100, 100, 100, 100 }, { 101, 101.1, 100.9, 101 },
      NAN, VERDICT_PASS },
};

static void by_hand(void **state)
{
    const struct row *row = *state;
    struct comparison c = compare_pairs(row->base, row->new, row->n, row->better, .05);
    if (isinf(row->worse))
        assert_true(c.worse == row->worse);
    else if (!isnan(row->worse))
        assert_near(c.worse, row->worse, 1e-7);
    assert_string_equal(verdict_name[verdict_of(&c, row->margin, c.p_worse, .05)], verdict_name[row->verdict]);
}

/* models.md 10.8 (3). */
static void levels_of_looks(void **state)
{
    (void)state;
    assert_true(look_level(10, true) == .01 && look_level(20, true) == .01 && look_level(40, true) == .015 && look_level(80, true) == .015);
    assert_near(look_level(10, true) + look_level(20, true) + look_level(40, true) + look_level(80, true), .05, 1e-12);
    assert_true(look_level(80, false) == .05 && look_level(13, true) == .05);
}

/* ---- Drawn pairs: ten seeds, values lognormal, what the two of a pair have in common is most of it (models.md 10.8) ---- */

enum { TRIALS = 400, PAIRS = 10 };
#define SPREAD .03                /* standard deviation of each value's own part */

static double normal(struct random *r)
{
    return gsl_cdf_ugaussian_Pinv(random_uniform(r));
}

static struct comparison trial(uint64_t number, double planted)
{
    struct random r;
    double base[PAIRS], new[PAIRS];
    random_init(&r, number, "trial", 0);
    for (size_t i = 0; i < PAIRS; i++) {
        double common = 1000 * exp(.5 * normal(&r));
        base[i] = common * exp(SPREAD * normal(&r));
        new[i] = common * exp(SPREAD * normal(&r)) * (1 + planted);
    }
    return compare_pairs(base, new, PAIRS, BETTER_LOWER, .05);
}

static unsigned failed(double planted, uint64_t first, unsigned trials, unsigned *covers)
{
    unsigned n = 0;
    for (unsigned t = 0; t < trials; t++) {
        struct comparison c = trial(first + t, planted);
        n += verdict_of(&c, 0, c.p_worse, .05) == VERDICT_FAIL;
        *covers += c.interval.low <= 0 && c.interval.high >= 0;
    }
    return n;
}

/* Nothing has changed: at most 5 % are flagged, and 95 % of the intervals hold zero, each within three standard errors of 400. */
static void nothing_planted(void **state)
{
    (void)state;
    unsigned covers = 0, flagged = failed(0, 0, TRIALS, &covers);
    double three = 3 * sqrt(.05 * .95 * TRIALS);
    assert_true(flagged <= .05 * TRIALS + three);
    assert_true(fabs(covers - .95 * TRIALS) <= three);
}

/* A planted regression of 5 %: the power of a one-sided t-test at 0.05 with 10 normal differences of mean ln 1.05 and deviation
 * sqrt(2) SPREAD. Monte Carlo of 400,000 such tests by another program (Python, t quantile 1.8331129): 0.9552 +- 0.0003. */
#define POWER .9552
static void planted(void **state)
{
    (void)state;
    unsigned covers = 0, flagged = failed(.05, 5000, TRIALS, &covers);
    assert_true(fabs(flagged - POWER * TRIALS) <= 3 * sqrt(POWER * (1 - POWER) * TRIALS));
    assert_true(covers < TRIALS / 2);                    /* control: intervals miss zero now */
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_TEST(tests, n, levels_of_looks);
    ADD_TEST(tests, n, nothing_planted);
    ADD_TEST(tests, n, planted);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
