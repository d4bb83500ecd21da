/* test_estimates.c - error models of run time estimates against their laws, and the words that name them. */
#include "sim/base/random.h"
#include "sim/workload/estimates.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

enum { JOBS = 4000 };
#define RUN_S 1000.0

static struct workload *jobs_of(size_t n, const double *run_s)    /* run_s NULL: all RUN_S */
{
    struct error err = { "" };
    struct workload *w = workload_new();
    for (size_t i = 0; i < n; i++) {
        struct job_row row = job_row_default;
        row.duration_ns = ns_of_seconds(run_s ? run_s[i] : RUN_S);
        row.estimate_ns = 77 * NS_PER_S;
        assert_int_equal(workload_add(w, &row, "t", i + 1, &err), 0);
    }
    assert_int_equal(workload_finish(w, "t", &err), 0);
    return w;
}

static struct estimates named(const char *text)
{
    struct error err = { "" };
    struct estimates e;
    if (estimates_read(text, &e, &err))
        fail_msg("%s", err.text);
    return e;
}

/* ---- Laws: Kolmogorov and Smirnov's distance of estimate / run from the distribution function ---- */

static double uniform_1_to(double x, double f)    /* on [1, 1 + f] */
{
    return x <= 1 ? 0 : x >= 1 + f ? 1 : (x - 1) / f;
}

static double lognormal(double x, double sigma)
{
    return gsl_cdf_ugaussian_P(log(x) / sigma);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double distance(const char *text, double (*law)(double x, double parameter), double parameter)
{
    static double x[JOBS];
    struct workload *w = jobs_of(JOBS, NULL);
    struct estimates e = named(text);
    double d = 0;
    workload_estimate(w, &e, 1);
    for (size_t i = 0; i < JOBS; i++)
        x[i] = seconds(w->truth[i].estimate_ns) / RUN_S;
    workload_free(w);
    qsort(x, JOBS, sizeof *x, ascending);
    for (size_t i = 0; i < JOBS; i++) {
        double p = law(x[i], parameter);
        d = fmax(d, fmax(p - (double)i / JOBS, (double)(i + 1) / JOBS - p));
    }
    return d;
}

static const struct law_row {
    const char *name, *text;
    double (*law)(double x, double parameter);
    double parameter;
    bool agrees;
} laws[] = {
    { "uniform:1", "uniform:1", uniform_1_to, 1, true },
    { "uniform:3.5", "uniform:3.5", uniform_1_to, 3.5, true },
    { "uniform:3.5 is not uniform:3.8", "uniform:3.5", uniform_1_to, 3.8, false },
    { "lognormal:0.5", "lognormal:0.5", lognormal, .5, true },
    { "lognormal:2", "lognormal:2", lognormal, 2, true },
    { "lognormal:2 is not lognormal:1.7", "lognormal:2", lognormal, 1.7, false },
    { "uniform:1 is not lognormal:1", "uniform:1", lognormal, 1, false },
};

static void law(void **state)
{
    const struct law_row *r = *state;
    double critical = 1.628 / sqrt(JOBS), d = distance(r->text, r->law, r->parameter);    /* level 1 % */
    if ((d < critical) != r->agrees)
        fail_msg("distance %.4f, critical %.4f", d, critical);
}

/* ---- Values by hand: seconds ---- */

static const struct value_row {
    const char *name, *text;
    double run_s, estimate_s;
} values[] = {
    { "trace: as submitted", "trace", 10, 77 },
    { "user-last2: as submitted, until the run", "user-last2", 10, 77 },
    { "group-quantile: as submitted, until the run", "group-quantile", 10, 77 },
    { "perfect", "perfect", 10.5, 10.5 },
    { "factor 1 is perfect", "1", 10.5, 10.5 },
    { "factor", "2.5", 10, 25 },
    { "uniform:0 is perfect", "uniform:0", 1234.567891234, 1234.567891234 },
    { "lognormal:0 is perfect", "lognormal:0", 1234.5, 1234.5 },
    { "no time stays none", "uniform:9", 0, 0 },
    { "buckets: no time", "buckets", 0, 300 },
    { "buckets: a second", "buckets", 1, 300 },
    { "buckets: 5 min", "buckets", 300, 300 },
    { "buckets: a ns more", "buckets", 300.000000001, 600 },
    { "buckets: 12 min", "buckets", 720, 900 },
    { "buckets: 16 min", "buckets", 960, 1200 },
    { "buckets: 25 min", "buckets", 1500, 1800 },
    { "buckets: 31 min", "buckets", 1860, 3600 },
    { "buckets: 5 h", "buckets", 18000, 21600 },
    { "buckets: 7 h", "buckets", 25200, 28800 },
    { "buckets: 13 h", "buckets", 46800, 64800 },
    { "buckets: 18 h", "buckets", 64800, 64800 },
    { "buckets: 19 h", "buckets", 68400, 86400 },
    { "buckets: a day", "buckets", 86400, 86400 },
    { "buckets: 25 h", "buckets", 90000, 172800 },
    { "buckets: 9.5 days", "buckets", 820800, 864000 },
};

static void value(void **state)
{
    const struct value_row *r = *state;
    struct workload *w = jobs_of(1, &r->run_s);
    struct estimates e = named(r->text);
    workload_estimate(w, &e, 1);
    assert_int_equal(w->truth[0].estimate_ns, ns_of_seconds(r->estimate_s));
    workload_free(w);
}

/* ---- Streams ---- */

static void each_job_has_its_own_luck(void **state)
{
    (void)state;
    const double runs[] = { 100, 200, 300 }, others[] = { 100, 999, 300, 400 };
    struct estimates e = named("uniform:2");
    struct workload *a = jobs_of(3, runs), *b = jobs_of(4, others), *c = jobs_of(3, runs);
    workload_estimate(a, &e, 7);
    workload_estimate(b, &e, 7);
    workload_estimate(c, &e, 8);
    assert_int_equal(a->truth[0].estimate_ns, b->truth[0].estimate_ns);
    assert_int_equal(a->truth[2].estimate_ns, b->truth[2].estimate_ns);
    assert_int_not_equal(a->truth[0].estimate_ns, c->truth[0].estimate_ns);
    workload_free(a);
    workload_free(b);
    workload_free(c);
}

/* ---- Words ---- */

#define ALL "want trace, perfect, uniform:F, lognormal:SIGMA, buckets, user-last2, group-quantile[:Q], or a factor from 0.001 to 1000, "
static const struct word_row {
    const char *name, *text, *shown, *error;
    bool truth, predicted;
} words[] = {
    { "word: trace", "trace", "trace", "", false, false },
    { "word: perfect", "perfect", "perfect", "", true, false },
    { "word: 1", "1.0", "perfect", "", true, false },
    { "word: a factor", "2.50", "2.5", "", true, false },
    { "word: uniform", "uniform:0.25", "uniform:0.25", "", true, false },
    { "word: lognormal", "lognormal:2", "lognormal:2", "", true, false },
    { "word: buckets", "buckets", "buckets", "", true, false },
    { "word: user-last2", "user-last2", "user-last2", "", false, true },
    { "word: group-quantile", "group-quantile", "group-quantile:0.5", "", false, true },
    { "word: group-quantile:0.9", "group-quantile:0.9", "group-quantile:0.9", "", false, true },
    { "word: nobody knows", "guess", NULL, ALL "got 'guess'", false, false },
    { "word: nearly", "unifrom:2", NULL, ALL "got 'unifrom:2'; did you mean 'uniform'?", false, false },
    { "word: factor 0", "0", NULL, ALL "got '0'", false, false },
    { "word: factor 1001", "1001", NULL, ALL "got '1001'", false, false },
    { "word: uniform wants a value", "uniform", NULL, "want uniform:F with F from 0 to 1000, got 'uniform'", false, false },
    { "word: uniform, below 0", "uniform:-1", NULL, "want uniform:F with F from 0 to 1000, got 'uniform:-1'", false, false },
    { "word: lognormal, no number", "lognormal:x", NULL, "want lognormal:SIGMA with SIGMA from 0 to 10, got 'lognormal:x'", false, false },
    { "word: a quantile above 1", "group-quantile:1.1", NULL, "want group-quantile:Q with Q from 0 to 1, got 'group-quantile:1.1'", false, false },
    { "word: perfect takes none", "perfect:1", NULL, "perfect takes no value, got 'perfect:1'", false, false },
};

static void word(void **state)
{
    const struct word_row *r = *state;
    struct error err = { "" };
    struct estimates e, again;
    assert_int_equal(estimates_read(r->text, &e, &err), *r->error ? -1 : 0);
    assert_string_equal(err.text, r->error);
    if (*r->error)
        return;
    char shown[ESTIMATES_TEXT];
    estimates_show(&e, shown);
    assert_string_equal(shown, r->shown);
    assert_int_equal(estimates_read(shown, &again, &err), 0);
    assert_true(again.kind == e.kind && again.value == e.value);
    assert_true(estimates_know_truth(&e) == r->truth);
    assert_true(estimates_are_predicted(&e) == r->predicted);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, law, laws);
    ADD_ROWS(tests, n, value, values);
    ADD_ROWS(tests, n, word, words);
    ADD_TEST(tests, n, each_job_has_its_own_luck);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
