/* test_mser.c - MSER-5 on series whose end of the warm-up is known by hand, and on random ones. */
#include "sim/base/random.h"
#include "sim/study/mser.h"
#include "tests/unit/test_core.h"

#include <math.h>

enum { BATCHES_MOST = 12, NONE = -1 };

/* Each batch mean stands for five equal observations. */
static const struct row { const char *name; size_t batches; double z[BATCHES_MOST]; int deleted; } rows[] = {
    { "one high batch at first: models.md 10.6", 6, { 8, 5, 5, 5, 5, 5 }, 5 },
    { "all are equal: of several the smallest", 6, { 5, 5, 5, 5, 5, 5 }, 0 },
    { "two low batches at first", 8, { 1, 2, 6, 6, 6, 6, 6, 6 }, 10 },
    /* d = 0: 10 / 4^2; d = 1: (14/3) / 3^2 = .52; d = 2: .5 / 2^2 = .125, which is b / 2 */
    { "it falls all the time", 4, { 9, 7, 6, 5 }, NONE },
    /* d = 0: 1 / 4^2 = .0625; d = 1: (2/3) / 3^2 = .074; d = 2: .5 / 2^2 = .125 */
    { "it goes up and down", 4, { 5, 6, 5, 6 }, 0 },
    { "the last batches do not matter if they are the odd ones", 6, { 5, 5, 5, 5, 5, 9 }, 0 },
    { "one batch is no series", 1, { 5 }, NONE },
    { "no batch", 0, { 0 }, NONE },
};

static void by_hand(void **state)
{
    const struct row *row = *state;
    double x[BATCHES_MOST * MSER_BATCH + 4];
    size_t deleted;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = i / MSER_BATCH < row->batches ? row->z[i / MSER_BATCH] : 1e9;    /* no whole batch: it does not count */
    int result = mser5(x, row->batches * MSER_BATCH + 4, &deleted);
    assert_int_equal(result, row->deleted == NONE ? -1 : 0);
    if (row->deleted != NONE)
        assert_int_equal(deleted, row->deleted);
}

/* The formula as it stands, for every d. */
static size_t by_the_formula(const double *x, size_t n)
{
    size_t b = n / MSER_BATCH, best = 0;
    long double least = INFINITY;
    for (size_t d = 0; d <= b / 2; d++) {
        long double sum = 0, squares = 0, mean;
        for (size_t i = d * MSER_BATCH; i < b * MSER_BATCH; i++)
            sum += x[i];
        mean = sum / (long double)((b - d) * MSER_BATCH);
        for (size_t i = d; i < b; i++) {
            long double z = 0;
            for (size_t k = 0; k < MSER_BATCH; k++)
                z += x[i * MSER_BATCH + k] / MSER_BATCH;
            squares += (z - mean) * (z - mean);
        }
        squares /= (long double)((b - d) * (b - d));
        if (squares < least) {
            least = squares;
            best = d;
        }
    }
    return best;
}

/* Noise of one; it and 10 exp(-i / 20); and 1000 exp(-i / 2000), which does not settle. */
static void random_series(void **state)
{
    (void)state;
    enum { N = 500 };
    struct random r;
    random_init(&r, 3, "mser", 0);
    size_t slow = 0, none = 0;
    for (int t = 0; t < 300; t++) {
        static const double high[] = { 0, 10, 1000 }, settles[] = { 1, 20, 2000 };
        double x[N];
        for (int i = 0; i < N; i++)
            x[i] = random_uniform(&r) + high[t % 3] * exp(-i / settles[t % 3]);
        size_t deleted, best = by_the_formula(x, N);
        int result = mser5(x, N, &deleted);
        assert_int_equal(deleted, best * MSER_BATCH);
        assert_int_equal(result, best == N / MSER_BATCH / 2 ? -1 : 0);
        if (t % 3 == 1)
            assert_in_range(deleted, 40, 200);       /* 10 exp(-40 / 20) = 1.4 is more than the noise, 10 exp(-10) nothing */
        none += t % 3 == 0 && deleted < N / 4;
        slow += t % 3 == 2 && result != 0;
    }
    assert_in_range(none, 51, 100);                  /* the control: of what has settled from the start most lose little */
    assert_int_equal(slow, 100);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, by_hand, rows);
    ADD_TEST(tests, n, random_series);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
