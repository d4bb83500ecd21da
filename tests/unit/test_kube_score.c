/* test_kube_score.c - the integer scores of kube, by hand: schedulers.md a.3. Every division truncates. */
#include "policies/kubernetes/score.h"
#include "tests/unit/test_core.h"

#define MIB(n) ((int64_t)((n) * 1048576.0))
enum formula { LEAST, MOST, RAMP_UP, RAMP_DOWN, BENT, PLATEAU, NORMALISED, REVERSED };

/* Points are (percent used, 0 to 10). */
static const struct kube_point up[] = { { 0, 0 }, { 100, 10 } }, down[] = { { 0, 10 }, { 100, 0 } },
                               bent[] = { { 0, 1 }, { 40, 9 }, { 70, 3 } }, plateau[] = { { 25, 2 }, { 75, 8 } };

struct one {
    const char *name;
    enum formula formula;
    int64_t a, b, want;           /* requested, capacity; or value, most */
};

/* clang-format off */
static const struct one ones[] = {
    { "least: an empty node", LEAST, 0, 4000, 100 },             /* (4000 - 0) 100 / 4000 */
    { "least: a third, truncated", LEAST, 1, 3, 66 },            /* 2 x 100 / 3 = 66.67 */
    { "least: nearly all", LEAST, 999, 1000, 0 },                /* 100 / 1000 = 0.1 */
    { "least: all", LEAST, 1000, 1000, 0 },
    { "least: more than all", LEAST, 1001, 1000, 0 },            /* not negative */
    { "most: an empty node", MOST, 0, 4000, 0 },
    { "most: a third, truncated", MOST, 1, 3, 33 },              /* 100 / 3 = 33.33 */
    { "most: two thirds, truncated", MOST, 2, 3, 66 },
    { "most: all", MOST, 7, 7, 100 },
    { "most: more than all counts as all", MOST, 12, 7, 100 },   /* older versions: 0 */
    { "most: large amounts", MOST, INT64_C(1) << 40, INT64_C(1) << 41, 50 },

    { "ratio: up, empty", RAMP_UP, 0, 8, 0 },
    { "ratio: up, half", RAMP_UP, 4, 8, 50 },                    /* 0 + (100 - 0)(50 - 0) / 100 */
    { "ratio: up, percent truncates first", RAMP_UP, 3, 8, 37 }, /* 300 / 8 = 37.5 */
    { "ratio: up, all", RAMP_UP, 8, 8, 100 },
    { "ratio: up, more than all is as at 100", RAMP_UP, 9, 8, 100 },
    { "ratio: down, empty", RAMP_DOWN, 0, 8, 100 },
    { "ratio: down, 37 percent", RAMP_DOWN, 3, 8, 63 },          /* 100 + (0 - 100) 37 / 100 */
    { "ratio: down, more than all is as at 100", RAMP_DOWN, 9, 8, 0 },
    { "ratio: bent, first point", BENT, 0, 100, 10 },
    { "ratio: bent, rising", BENT, 13, 100, 36 },                /* 10 + 80 x 13 / 40 = 10 + 26 */
    { "ratio: bent, rising, truncated", BENT, 7, 100, 24 },      /* 10 + 80 x 7 / 40 = 10 + 14 */
    { "ratio: bent, on a point", BENT, 40, 100, 90 },
    { "ratio: bent, falling", BENT, 55, 100, 60 },               /* 90 - 60 x 15 / 30 */
    { "ratio: bent, one percent on", BENT, 41, 100, 88 },        /* 90 - 60 x 1 / 30 */
    { "ratio: bent, beyond the last point", BENT, 71, 100, 30 },
    { "ratio: bent, more than all", BENT, 300, 100, 30 },
    { "ratio: plateau, before the first point", PLATEAU, 3, 100, 20 },
    { "ratio: plateau, between, truncated", PLATEAU, 26, 100, 21 },    /* 20 + 60 x 1 / 50 = 21.2 */
    { "ratio: plateau, after the last point", PLATEAU, 76, 100, 80 },

    { "normalised: the most", NORMALISED, 7, 7, 100 },
    { "normalised: part, truncated", NORMALISED, 2, 3, 66 },
    { "normalised: none of some", NORMALISED, 0, 3, 0 },
    { "normalised: nobody has any", NORMALISED, 0, 0, 0 },
    { "reversed: the most", REVERSED, 7, 7, 0 },
    { "reversed: truncated before it is turned", REVERSED, 2, 3, 34 },    /* 100 - 66 */
    { "reversed: none of some", REVERSED, 0, 3, 100 },
    { "reversed: nobody has any", REVERSED, 0, 0, 100 },
};
/* clang-format on */

static void one_as_written(void **state)
{
    const struct one *row = *state;
    int64_t got = -1;
    switch (row->formula) {
    case LEAST:      got = kube_least_allocated(row->a, row->b); break;
    case MOST:       got = kube_most_allocated(row->a, row->b); break;
    case RAMP_UP:    got = kube_ratio(up, COUNT(up), row->a, row->b); break;
    case RAMP_DOWN:  got = kube_ratio(down, COUNT(down), row->a, row->b); break;
    case BENT:       got = kube_ratio(bent, COUNT(bent), row->a, row->b); break;
    case PLATEAU:    got = kube_ratio(plateau, COUNT(plateau), row->a, row->b); break;
    case NORMALISED: got = kube_normalised(row->a, row->b, false); break;
    case REVERSED:   got = kube_normalised(row->a, row->b, true); break;
    }
    assert_int_equal(got, row->want);
}

struct mean {
    const char *name;
    size_t n;
    int64_t score[3], weight[3];
    int64_t truncated, of_scored; /* kube_mean, kube_mean_of_scored */
};

/* clang-format off */
static const struct mean means[] = {
    { "mean: nothing", 0, { 0 }, { 0 }, 0, 0 },
    { "mean: one", 1, { 37 }, { 5 }, 37, 37 },
    { "mean: a half is cut off, or rounded up", 2, { 50, 51 }, { 1, 1 }, 50, 51 },       /* 101 / 2 = 50.5 */
    { "mean: below a half is rounded down", 3, { 50, 50, 51 }, { 1, 1, 1 }, 50, 50 },    /* 151 / 3 = 50.33 */
    { "mean: above a half is rounded up", 3, { 50, 51, 51 }, { 1, 1, 1 }, 50, 51 },      /* 152 / 3 = 50.67 */
    { "mean: weights", 2, { 100, 0 }, { 3, 1 }, 75, 100 },            /* 300 / 4; the 0 is left out: 300 / 3 */
    { "mean: zeros do not pull down", 3, { 0, 40, 20 }, { 8, 1, 1 }, 6, 30 },            /* 60 / 10; 60 / 2 */
    { "mean: all are zero", 2, { 0, 0 }, { 1, 1 }, 0, 0 },
    { "mean: heavy weights", 2, { 1, 100 }, { 99, 1 }, 1, 2 },        /* 199 / 100 = 1.99 */
    { "mean: no weight at all", 2, { 10, 20 }, { 0, 0 }, 0, 0 },
};
/* clang-format on */

static void mean_as_written(void **state)
{
    const struct mean *row = *state;
    assert_int_equal(kube_mean(row->score, row->weight, row->n), row->truncated);
    assert_int_equal(kube_mean_of_scored(row->score, row->weight, row->n), row->of_scored);
}

struct balance {
    const char *name;
    size_t n;
    double fraction[3];
    int64_t want;
};

/* Fractions are such that binary floating point does not decide the digit that is cut off. */
/* clang-format off */
static const struct balance balances[] = {
    { "balanced: one resource", 1, { 0.3 }, 100 },
    { "balanced: one, more than all", 1, { 3 }, 100 },
    { "balanced: two alike", 2, { 0.5, 0.5 }, 100 },
    { "balanced: two, half apart", 2, { 0.25, 0.75 }, 75 },      /* |0.25 - 0.75| / 2 = 0.25 */
    { "balanced: two, the other way round", 2, { 0.75, 0.25 }, 75 },
    { "balanced: two, truncated", 2, { 0.125, 0.5 }, 81 },       /* 0.375 / 2 = 0.1875: 81.25 */
    { "balanced: two, as far apart as can be", 2, { 0, 1 }, 50 },
    { "balanced: two, clamped to one", 2, { 0.5, 2.5 }, 75 },    /* as 0.5 and 1: 0.25 */
    { "balanced: two, both clamped", 2, { 1.5, 2.5 }, 100 },
    { "balanced: three alike", 3, { 0.5, 0.5, 0.5 }, 100 },
    /* mean 0.5, squares 0.25, 0, 0.25: sqrt(1 / 6) = 0.408248: 59.1752 */
    { "balanced: three, population deviation", 3, { 0, 0.5, 1 }, 59 },
    /* mean 1/3, squares 1/9, 1/9, 4/9: sqrt(2 / 9) = 0.471405: 52.8595 */
    { "balanced: three, one of them full", 3, { 0, 0, 1 }, 52 },
    { "balanced: three, clamped to one", 3, { 0, 0, 7 }, 52 },
    /* mean 0.5, squares 0.0625, 0, 0.0625: sqrt(1 / 24) = 0.204124: 79.5876 */
    { "balanced: three, near", 3, { 0.25, 0.5, 0.75 }, 79 },
};
/* clang-format on */

static void balance_as_written(void **state)
{
    const struct balance *row = *state;
    assert_int_equal(kube_balanced(row->fraction, row->n), row->want);
}

/* schedulers.md a.2: ln 3 = 1.0986, ln 4 = 1.3863, ln 5 = 1.6094, ln 12 = 2.4849 */
static void spread(void **state)
{
    (void)state;
    assert_int_equal(kube_rounded(kube_spread(0, 5, 1)), 0);
    assert_int_equal(kube_rounded(kube_spread(3, 1, 1)), 3);                            /* 3.2958 */
    assert_int_equal(kube_rounded(kube_spread(3, 2, 1)), 4);                            /* 4.1589 */
    assert_int_equal(kube_rounded(kube_spread(3, 2, 3)), 6);                            /* and 2: 6.1589 */
    assert_int_equal(kube_rounded(kube_spread(2, 3, 1) + kube_spread(1, 10, 1)), 6);    /* 3.2189 + 2.4849 = 5.7038 */
    assert_int_equal(kube_rounded(kube_spread(1, 3, 1)), 2);                            /* 1.6094 */
    static const struct { int64_t value, least, most, want; } rows[] = {
        { 0, 0, 0, 100 }, { 0, 0, 4, 100 }, { 4, 0, 4, 0 }, { 1, 0, 3, 66 },    /* 200 / 3 */
        { 2, 1, 4, 75 },                                                        /* 100 (4 + 1 - 2) / 4 */
        { 4, 1, 4, 25 },                                                        /* the most is not 0 then */
        { 3, 3, 3, 100 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(kube_spread_normalised(rows[i].value, rows[i].least, rows[i].most), rows[i].want);
}

static void between(void **state)
{
    (void)state;
    static const struct { int64_t value, least, most, want; } rows[] = {
        { 5, 0, 10, 50 }, { 1, 0, 3, 33 }, { 2, 0, 3, 66 }, { 0, 0, 3, 0 }, { 3, 0, 3, 100 },
        { -3, -3, 1, 0 }, { 1, -3, 1, 100 }, { -2, -3, 1, 25 }, { 7, 7, 7, 0 },    /* all alike: 0 */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(kube_between(rows[i].value, rows[i].least, rows[i].most), rows[i].want);
}

/* schedulers.md a.2. MiB x with / nodes, of which 23 to 1000 count: 100 (that - 23) / 977, truncated. */
static void images(void **state)
{
    (void)state;
    static const struct { int64_t bytes, with, nodes, want; } rows[] = {
        { MIB(1000), 1, 1, 100 },    { MIB(10240), 8, 64, 100 },      /* 1280: as 1000 */
        { MIB(999), 1, 1, 99 },      /* 97600 / 977 = 99.90 */
        { MIB(500), 1, 1, 48 },      /* 47700 / 977 = 48.82 */
        { MIB(8192), 1, 64, 10 },    /* 128: 10500 / 977 = 10.75 */
        { MIB(8192), 7, 64, 89 },    /* 896: 87300 / 977 = 89.36 */
        { MIB(1024), 1, 2, 50 },     /* 512: 48900 / 977 = 50.05 */
        { MIB(700), 2, 3, 45 },      /* 466.67: 44366.67 / 977 = 45.41 */
        { MIB(300), 1, 2, 12 },      /* 150: 12700 / 977 = 12.9990 */
        { MIB(33), 1, 1, 1 },        /* 1000 / 977 = 1.02 */
        { MIB(65.54), 1, 2, 0 },     /* 32.77: 977 / 977, less what truncating takes */
        { MIB(65.56), 1, 2, 1 },
        { MIB(40), 1, 2, 0 },        { MIB(23), 1, 1, 0 },            { MIB(1), 3, 3, 0 }, { MIB(8192), 0, 3, 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(kube_image(rows[i].bytes, rows[i].with, rows[i].nodes), rows[i].want);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, one_as_written, ones);
    ADD_ROWS(tests, n, mean_as_written, means);
    ADD_ROWS(tests, n, balance_as_written, balances);
    ADD_TEST(tests, n, spread);
    ADD_TEST(tests, n, between);
    ADD_TEST(tests, n, images);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
