/* test_sizing.c - targets of plans, and the search for the first value that is good. */
#include "sim/base/memory.h"
#include "sim/study/sizing.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Targets ---- */

static const struct target_row { const char *name, *text, *metric, *scope; enum relation relation; double bound; const char *error; } targets[] = {
    { "below", "wait_p90_s<600", "wait_p90_s", "all", RELATION_BELOW, 600, "" },
    { "at most", "wait_p90_s<=600", "wait_p90_s", "all", RELATION_AT_MOST, 600, "" },
    { "at least", "slo_attainment>=0.99", "slo_attainment", "all", RELATION_AT_LEAST, .99, "" },
    { "above", "util_alloc>5e-1", "util_alloc", "all", RELATION_ABOVE, .5, "" },
    { "with a scope", "wait_mean_s@queue=a b<1", "wait_mean_s", "queue=a b", RELATION_BELOW, 1, "" },
    { "no relation", "wait_mean_s", NULL, NULL, 0, 0, "want METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, got 'wait_mean_s'" },
    { "no number", "wait_mean_s<", NULL, NULL, 0, 0, "want METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, got 'wait_mean_s<'" },
    { "more than a number", "wait_mean_s<1s", NULL, NULL, 0, 0, "want METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, got 'wait_mean_s<1s'" },
    { "endless", "wait_mean_s<inf", NULL, NULL, 0, 0, "want METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, got 'wait_mean_s<inf'" },
    { "no metric", "<1", NULL, NULL, 0, 0, "want METRIC or METRIC@SCOPE, then <, <=, >= or >, then a number, got '<1'" },
    { "unknown metric", "wait<1", NULL, NULL, 0, 0, "there is no metric 'wait', see 'gpuyard list metrics'" },
};

static void parsed(void **state)
{
    const struct target_row *r = *state;
    struct error err = { "" };
    struct target t;
    assert_int_equal(target_parse(r->text, &t, &err), *r->error ? -1 : 0);
    assert_string_equal(err.text, r->error);
    if (*r->error)
        return;
    assert_string_equal(t.kind->name, r->metric);
    assert_string_equal(t.scope, r->scope);
    assert_true(t.relation == r->relation && t.bound == r->bound);
}

static struct target target_of(const char *text)
{
    struct error err = { "" };
    struct target t;
    assert_int_equal(target_parse(text, &t, &err), 0);
    return t;
}

/* One run counts as it is: at its bound it is neither below nor above. */
static void one_run(void **state)
{
    (void)state;
    static const struct { const char *text; bool met; } rows[] = {
        { "wait_mean_s<5", false }, { "wait_mean_s<=5", true }, { "wait_mean_s>=5", true }, { "wait_mean_s>5", false },
    };
    const double five = 5, none = (double)NAN;
    for (size_t i = 0; i < 4; i++) {
        struct target t = target_of(rows[i].text);
        assert_true(target_reached(&t, &five, 1, .95).met == rows[i].met);
        assert_false(target_reached(&t, &none, 1, .95).met);
    }
}

/* 1, 2, 3: mean 2, standard error 1/sqrt 3 = .57735; t with 2 degrees of freedom at .95 is 2.919986 (tables): 2 +- 1.685854. */
static void several_runs(void **state)
{
    (void)state;
    const double x[] = { 1, 2, 3 };
    struct target below = target_of("wait_mean_s<3.69"), not_below = target_of("wait_mean_s<3.68"), above = target_of("wait_mean_s>0.31"),
                  not_above = target_of("wait_mean_s>0.32");
    struct reached r = target_reached(&below, x, 3, .95);
    assert_true(fabs(r.mean - 2) < 1e-12 && fabs(r.band.low - (2 - 1.685854)) < 1e-5 && fabs(r.band.high - (2 + 1.685854)) < 1e-5);
    assert_true(r.met && target_reached(&above, x, 3, .95).met);
    assert_false(target_reached(&not_below, x, 3, .95).met || target_reached(&not_above, x, 3, .95).met);
    assert_true(target_reached(&not_below, x, 3, .9).met);    /* t is 1.885618 */
}

/* ---- The search ---- */

/* Whatever the first good one is, it is found, with at most two tries and one for each halving. */
/* By hand: 0, 0, 3 have mean 1 and standard error 1; t at 0.9 two-sided with 2 degrees of freedom is
 * 2.919986, so that the lower end would be -1.92: no metric is below 0. */
static void no_band_below_zero(void **state)
{
    (void)state;
    const double x[] = { 0, 0, 3 };
    struct target above = target_of("wait_mean_s>=0");
    struct reached r = target_reached(&above, x, 3, .95);
    assert_true(r.band.low == 0 && fabs(r.band.high - 3.919986) < 1e-5 && r.met);
}

static void found_wherever(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 70; n++)
        for (size_t first = 0; first <= n; first++)
            for (int from_end = 0; from_end < 2; from_end++) {
                struct bracket b = { n, mem_new(n, sizeof *b.at), from_end };
                size_t next[2], tries = 0, halvings = 0;
                for (size_t k; (k = bracket_next(&b, next)) > 0;)
                    while (k-- > 0) {
                        size_t i = from_end ? n - 1 - next[k] : next[k];
                        assert_true(next[k] < n && b.at[next[k]] == NOT_TRIED);
                        b.at[next[k]] = i >= first ? TRIED_GOOD : TRIED_BAD;
                        tries++;
                    }
                for (size_t left = n; left > 1; left = (left + 1) / 2)
                    halvings++;
                assert_int_equal(bracket_found(&b), first == n ? n : from_end ? n - 1 - first : first);
                assert_true(tries <= 2 + halvings);
                free(b.at);
            }
}

int main(void)
{
    struct CMUnitTest tests[sizeof targets / sizeof *targets + 4];
    size_t n = sizeof targets / sizeof *targets;
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){ targets[i].name, parsed, NULL, NULL, (void *)(uintptr_t)&targets[i] };
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(one_run);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(several_runs);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(no_band_below_zero);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(found_wherever);
    return _cmocka_run_group_tests("sizing", tests, n, NULL, NULL);
}
