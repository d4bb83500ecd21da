/* test_random.c - known answers, and statistics at fixed seeds, each with a control that must fail. */
#include "sim/base/random.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- known answers ---- */

/* State {1,2,3,4}: the vector of rust's rand_xoshiro, made with the authors' C code. */
static void xoshiro_known_answer(void **state)
{
    (void)state;
    static const uint64_t want[] = { UINT64_C(41943041),
                                     UINT64_C(58720359),
                                     UINT64_C(3588806011781223),
                                     UINT64_C(3591011842654386),
                                     UINT64_C(9228616714210784205),
                                     UINT64_C(9973669472204895162),
                                     UINT64_C(14011001112246962877),
                                     UINT64_C(12406186145184390807),
                                     UINT64_C(15849039046786891736),
                                     UINT64_C(10450023813501588000) };
    struct random r = { { 1, 2, 3, 4 } };
    for (size_t i = 0; i < COUNT(want); i++)
        assert_true(random_u64(&r) == want[i]);
}

/* splitmix64 from 1234567, as on Rosetta Code: each output is the finaliser of the seed plus so many steps. */
static void splitmix_known_answer(void **state)
{
    (void)state;
    static const uint64_t want[] = { UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821) };
    uint64_t x = 1234567;
    for (size_t i = 0; i < COUNT(want); i++)
        assert_true(hash_u64(x += UINT64_C(0x9e3779b97f4a7c15)) == want[i]);
}

/* The keys of the streams are part of what every golden file depends on. Computed with Python's integers. */
static void stream_known_answer(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 1, "arrivals", 0);
    assert_true(random_u64(&r) == UINT64_C(4149102875049490155));
    random_init(&r, UINT64_MAX, "a purpose with more than eight bytes", 12345);
    assert_true(random_u64(&r) == UINT64_C(15277403642933665692));
}

/* ---- streams ---- */

static uint64_t first_draw(uint64_t seed, const char *purpose, uint64_t entity)
{
    struct random r;
    random_init(&r, seed, purpose, entity);
    return random_u64(&r);
}

static void streams_have_names(void **state)
{
    (void)state;
    uint64_t draw = first_draw(1, "failures", 7);
    assert_true(draw == first_draw(1, "failures", 7));
    assert_true(draw != first_draw(2, "failures", 7));
    assert_true(draw != first_draw(1, "failure", 7));
    assert_true(draw != first_draw(1, "failures", 8));
    assert_true(first_draw(1, "x", 2) != first_draw(2, "x", 1));
    assert_true(first_draw(0, "", 0) != first_draw(0, "", 1));
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool all_different(uint64_t *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    for (size_t i = 1; i < n; i++)
        if (values[i] == values[i - 1])
            return false;
    return true;
}

/* 1e5 values of 64 bits meet with probability 3e-10 */
static void no_collisions(void **state)
{
    (void)state;
    enum { N = 100000 };
    static uint64_t hash[N];
    for (uint64_t i = 0; i < N; i++)
        hash[i] = first_draw(1, "failures", i);
    assert_true(all_different(hash, N));
    for (uint64_t i = 0; i < N; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "job-%d", (int)i);
        hash[i] = hash_bytes(text, (size_t)length, 0);
    }
    assert_true(all_different(hash, N));
    static const char zeros[64];
    for (size_t i = 0; i < 64; i++)
        hash[i] = hash_bytes(zeros, i, 0);
    assert_true(all_different(hash, 64));
    hash[1] = hash[0]; /* control */
    assert_false(all_different(hash, 64));
}

/* ---- statistics ---- */

#define BINS 256
#define DRAWS 400000

/* Pearson's statistic has mean 255 and standard deviation sqrt(2 * 255) = 22.6: beyond 5 of them is not uniform. */
static bool uniform(const double *u)
{
    unsigned count[BINS] = { 0 };
    for (int i = 0; i < DRAWS; i++)
        count[(int)(u[i] * BINS)]++;
    double expected = (double)DRAWS / BINS, chi2 = 0;
    for (int b = 0; b < BINS; b++)
        chi2 += (count[b] - expected) * (count[b] - expected) / expected;
    return fabs(chi2 - (BINS - 1)) < 5 * sqrt(2.0 * (BINS - 1));
}

static double drawn[DRAWS];

static void uniform_is_uniform(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 42, "uniform", 0);
    for (int i = 0; i < DRAWS; i++) {
        drawn[i] = random_uniform(&r);
        assert_true(drawn[i] > 0 && drawn[i] < 1);
    }
    assert_true(uniform(drawn));
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = pow(drawn[i], 1.02); /* control: a bend of two percent is seen */
    assert_false(uniform(drawn));
}

static void neighbours_are_uniform(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < DRAWS; i++)
        drawn[i] = (double)(first_draw(3, "failures", i) >> 11) * 0x1p-53;
    assert_true(uniform(drawn));
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = i * (1.0 / DRAWS); /* control: the entity itself is far too even */
    assert_false(uniform(drawn));
}

/* The ends, by states that give them: with s = {s0, 0, 0, -s0} the sum is 0 and the result s0. */
static void uniform_at_its_ends(void **state)
{
    (void)state;
    struct random greatest = { { UINT64_MAX, 5, 5, 1 } };
    assert_true(random_uniform(&greatest) < 1);
    struct random zero = { { 1, 5, 5, UINT64_MAX } };
    assert_true(random_u64(&(struct random){ { 1, 5, 5, UINT64_MAX } }) >> 11 == 0); /* so the next one is taken */
    assert_true(random_uniform(&zero) > 0);
}

static uint64_t lemire(struct random *r, uint64_t n)
{
    return random_below(r, n);
}
static uint64_t remainder_of(struct random *r, uint64_t n)
{
    return random_u64(r) % n;
}
static uint64_t without_rejection(struct random *r, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)random_u64(r) * n >> 64);
}

/* n = 3 * 2^62, where bias shows: the value's third of the range and its rest by 3 must each be 0, 1, 2 equally often.
 * Within 5 standard errors, sqrt(2/9 / draws). */
static const struct below_row { const char *name; uint64_t (*draw)(struct random *, uint64_t); bool fair; } below_rows[] = {
    { "below: Lemire is fair", lemire, true },
    { "below: control, remainder", remainder_of, false },
    { "below: control, no rejection", without_rejection, false },
};

static void below_is_fair(void **state)
{
    const struct below_row *row = *state;
    enum { N = 90000 };
    uint64_t n = UINT64_C(3) << 62;
    unsigned thirds[4] = { 0 }, rests[3] = { 0 };
    struct random r;
    random_init(&r, 5, "below", 0);
    for (int i = 0; i < N; i++) {
        uint64_t x = row->draw(&r, n);
        assert_true(x < n);
        thirds[x >> 62]++;
        rests[x % 3]++;
    }
    double worst = 0;
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fmax(fabs(thirds[k] - N / 3.0), fabs(rests[k] - N / 3.0)));
    assert_int_equal(worst < 5 * sqrt(N * 2.0 / 9), row->fair);
}

static void below_small(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 6, "below", 0);
    unsigned seen = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(random_below(&r, 1) == 0);
        seen |= 1u << random_below(&r, 6);
    }
    assert_int_equal(seen, 0x3f);
}

/* ---- GSL ---- */

static void gsl_sees_the_same_stream(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 9, "sizes", 3);
    gsl_rng *rng = random_gsl(9, "sizes", 3), *other = gsl_rng_clone(rng);
    assert_string_equal(gsl_rng_name(rng), "xoshiro256++");
    assert_true(gsl_rng_max(rng) == UINT64_MAX && gsl_rng_min(rng) == 0);
    for (int i = 0; i < 100; i++)
        assert_true(gsl_rng_get(rng) == random_u64(&r));
    assert_true(gsl_rng_get(other) == first_draw(9, "sizes", 3));
    gsl_rng_set(rng, UINT64_C(1) << 40); /* all 64 bits of the seed count */
    gsl_rng_set(other, 0);
    assert_true(gsl_rng_get(rng) != gsl_rng_get(other));
    for (int i = 0; i < 1000; i++) {
        assert_true(gsl_rng_uniform_int(rng, 10) < 10);
        double u = gsl_rng_uniform(rng);
        assert_true(u >= 0 && u < 1);
    }
    gsl_rng_free(rng);
    gsl_rng_free(other);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, xoshiro_known_answer);
    ADD_TEST(tests, n, splitmix_known_answer);
    ADD_TEST(tests, n, stream_known_answer);
    ADD_TEST(tests, n, streams_have_names);
    ADD_TEST(tests, n, no_collisions);
    ADD_TEST(tests, n, uniform_is_uniform);
    ADD_TEST(tests, n, neighbours_are_uniform);
    ADD_TEST(tests, n, uniform_at_its_ends);
    ADD_ROWS(tests, n, below_is_fair, below_rows);
    ADD_TEST(tests, n, below_small);
    ADD_TEST(tests, n, gsl_sees_the_same_stream);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
