/* test_laws.c - laws of run times: what is drawn against distribution functions of GSL, means against integrals, worked values
 * of models.md 6.3. Each law has its control: the same draws against the law with another parameter. */
#include "sim/base/units.h"
#include "sim/models/draws/cut_law.h"
#include "tests/synth/statistics.h"

#include <gsl/gsl_integration.h>

enum { DRAWS = 100000 };
#define ONE(kind_, a_, b_) { .n = 1, .part = { { .kind = (kind_), .weight = 1, .scale = 1, .a = (a_), .b = (b_) } } }
#define PART(kind_, w, a_, b_) { .kind = (kind_), .weight = (w), .scale = 1, .a = (a_), .b = (b_) }
#define DAY 86400.0

/* ---- the same laws by other means ---- */

struct reference { double (*whole)(double x, const double *p); double p[9], least, most; };

static double fixed(double x, const double *p) { return x >= p[0]; }
static double exponential(double x, const double *p) { return gsl_cdf_exponential_P(x, p[0]); }
static double lognormal(double x, const double *p) { return gsl_cdf_lognormal_P(x, p[0], p[1]); }
static double weibull(double x, const double *p) { return gsl_cdf_weibull_P(x, p[1], p[0]); }
static double gamma_law(double x, const double *p) { return gsl_cdf_gamma_P(x, p[0], p[1]); }
static double hyper_gamma(double x, const double *p) { return p[0] * gamma_law(x, p + 1) + (1 - p[0]) * gamma_law(x, p + 3); }
static double of_log2(double x, const double *p) { return x <= 1 ? 0 : hyper_gamma(log2(x), p); }
static double log_uniform(double x, const double *p) { return gsl_cdf_flat_P(log(x), log(p[0]), log(p[1])); }
static double gavel(double x, const double *p)    /* minutes are 10^U */
{
    double z = log10(x / 60);
    return p[0] * gsl_cdf_flat_P(z, 1.5, 3) + (1 - p[0]) * gsl_cdf_flat_P(z, 3, 4);
}
static double three(double x, const double *p)    /* weights, mu, sigma of three lognormal laws */
{
    return p[0] * lognormal(x, p + 1) + p[3] * lognormal(x, p + 4) + p[6] * lognormal(x, p + 7);
}

static double cut(double x, const void *law)
{
    const struct reference *r = law;
    double from = r->least > 0 ? r->whole(r->least, r->p) : 0;
    return x >= r->most ? 1 : (r->whole(x, r->p) - from) / (r->whole(r->most, r->p) - from);
}

static const struct row {
    const char *name;
    struct law law;
    struct reference is, is_not;
} rows[] = {
    { "exponential", ONE(LAW_EXPONENTIAL, 100, 0), { exponential, { 100 }, 0, 1e9 }, { exponential, { 102 }, 0, 1e9 } },
    { "lognormal, hardly cut", ONE(LAW_LOGNORMAL, 6.773, 2.46), { lognormal, { 6.773, 2.46 }, 0, 1e9 }, { lognormal, { 6.773, 2.52 }, 0, 1e9 } },
    { "lognormal, cut at a minute and a day", ONE(LAW_LOGNORMAL, 6.773, 2.46), { lognormal, { 6.773, 2.46 }, 60, DAY }, { lognormal, { 6.773, 2.46 }, 55, DAY } },
    { "weibull", ONE(LAW_WEIBULL, .7, 1000), { weibull, { .7, 1000 }, 10, 1e6 }, { weibull, { .72, 1000 }, 10, 1e6 } },
    { "gamma", ONE(LAW_GAMMA, .4, 9000), { gamma_law, { .4, 9000 }, 0, 1e6 }, { gamma_law, { .41, 9000 }, 0, 1e6 } },
    { "hyper-gamma", { 2, { PART(LAW_GAMMA, .7, 4, 100), PART(LAW_GAMMA, .3, 300, 30) } },
      { hyper_gamma, { .7, 4, 100, 300, 30 }, 0, 1e6 }, { hyper_gamma, { .71, 4, 100, 300, 30 }, 0, 1e6 } },
    { "hyper-gamma of log2", { 2, { PART(LAW_LOG2_GAMMA, .7, 4.2, .94), PART(LAW_LOG2_GAMMA, .3, 312, .03) } },
      { of_log2, { .7, 4.2, .94, 312, .03 }, 0, 1e6 }, { of_log2, { .7, 4.2, .97, 312, .03 }, 0, 1e6 } },
    { "log-uniform", ONE(LAW_LOG_UNIFORM, 10, 1e5), { log_uniform, { 10, 1e5 }, 0, 1e6 }, { log_uniform, { 10.8, 1e5 }, 0, 1e6 } },
    { "gavel", { 2, { PART(LAW_LOG_UNIFORM, .8, 1897.3665961010276, 6e4), PART(LAW_LOG_UNIFORM, .2, 6e4, 6e5) } },
      { gavel, { .8 }, 0, 1e7 }, { gavel, { .79 }, 0, 1e7 } },
    { "three lognormal laws", { 3, { PART(LAW_LOGNORMAL, .160, 4.17, .157), PART(LAW_LOGNORMAL, .203, 7.60, .521), PART(LAW_LOGNORMAL, .637, 7.279, 2.266) } },
      { three, { .160, 4.17, .157, .203, 7.60, .521, .637, 7.279, 2.266 }, 0, 60 * DAY },
      { three, { .170, 4.17, .157, .203, 7.60, .521, .627, 7.279, 2.266 }, 0, 60 * DAY } },
    { "a mix with a fixed time in it", { 2, { PART(LAW_FIXED, .25, 300, 0), PART(LAW_EXPONENTIAL, .75, 300, 0) } },
      { NULL, { .25 }, 0, 1e6 }, { NULL, { .24 }, 0, 1e6 } },
};

static double fixed_or_exponential(double x, const double *p)
{
    const double at[] = { 300 };
    return p[0] * fixed(x, at) + (1 - p[0]) * exponential(x, at);
}

static void drawn_as_the_law(void **state)
{
    static double x[DRAWS];
    struct row row = *(const struct row *)*state;
    struct random r;
    struct cut_law c;
    if (!row.is.whole)
        row.is.whole = row.is_not.whole = fixed_or_exponential;
    assert_true(cut_law_make(&c, &row.law, row.is.least, row.is.most));
    random_init(&r, 1, row.name, 0);
    for (size_t i = 0; i < DRAWS; i++) {
        x[i] = seconds(ns_of_seconds(cut_law_quantile(&c, random_uniform(&r))));    /* as a job has it */
        assert_true(x[i] >= row.is.least && x[i] <= row.is.most);
    }
    double d = ks_distance(x, DRAWS, cut, &row.is), off = ks_distance(x, DRAWS, cut, &row.is_not);
    if (d > ks_critical(DRAWS) || off < ks_critical(DRAWS))
        fail_msg("distance %.5f, of the control %.5f, critical %.5f", d, off, ks_critical(DRAWS));
    for (size_t i = 0; i < DRAWS; i += 997)
        assert_near(cut_law_below(&c, x[i]), cut(x[i], &row.is), 1e-9);
    cut_law_free(&c);
}

/* E[X] = least + integral of P(X > x) over the interval. */
static double tail(double ln_x, void *self)
{
    return exp(ln_x) * (1 - cut(exp(ln_x), self));
}

static void mean_is_the_integral(void **state)
{
    struct row row = *(const struct row *)*state;
    struct cut_law c;
    if (!row.is.whole)
        row.is.whole = fixed_or_exponential;
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    gsl_function f = { .function = tail, .params = &row.is };
    double from = fmax(row.is.least, 1e-6), sum, error;
    gsl_error_handler_t *usual = gsl_set_error_handler_off();
    gsl_integration_qag(&f, log(from), log(row.is.most), 0, 1e-8, 1000, GSL_INTEG_GAUSS31, space, &sum, &error);
    gsl_set_error_handler(usual);
    gsl_integration_workspace_free(space);
    assert_true(cut_law_make(&c, &row.law, row.is.least, row.is.most));
    assert_near(c.mean, from + sum, 1e-6);
    assert_near(law_cut_mean(&row.law, row.is.least, row.is.most), c.mean, 1e-12);
    cut_law_free(&c);
}

/* ---- worked values ---- */

/* models.md 6.3: "Single lognormal from (mean, median)", of the means and medians of 6.1. */
static const struct parameters {
    const char *name;
    double mean, median, mu, sigma;
} table[] = {
    { "6.3: Philly", 18006, 874, 6.773, 2.460 }, { "6.3: Helios", 6652, 206, 5.328, 2.636 }, { "6.3: Venus", 13041, 204, 5.318, 2.884 },
    { "6.3: Earth", 5131, 234, 5.455, 2.485 },   { "6.3: Saturn", 5253, 124, 4.820, 2.737 }, { "6.3: Uranus", 9164, 280, 5.635, 2.641 },
    { "6.3: PAI", 4787, 481, 6.176, 2.144 },     { "6.3: Seren", 1414, 122, 4.804, 2.214 },  { "6.3: Kalos", 1260, 124, 4.820, 2.153 },
};

static void parameters_of_the_table(void **state)
{
    const struct parameters *p = *state;
    struct law l = law_lognormal_of(p->mean, p->median);
    assert_true(fabs(l.part[0].a - p->mu) < .0006 && fabs(l.part[0].b - p->sigma) < .0006);
    assert_near(law_mean_below(&l, INFINITY), p->mean, 1e-12);
    assert_near(law_below(&l, p->median), .5, 1e-12);
}

static const struct law philly_mix = { 3, { PART(LAW_LOGNORMAL, .160, 4.17, .157), PART(LAW_LOGNORMAL, .203, 7.60, .521),
                                            PART(LAW_LOGNORMAL, .637, 7.279, 2.266) } };

/* Quantiles: halving in ln x with the error function of another program (Python's math.erf). The list in models.md 6.3 is of the
 * data: the mix is within 5 % of it up to the median's 6 %, within 11 % at the 90th and a third short beyond. */
static void quantiles_of_the_philly_mix(void **state)
{
    (void)state;
    static const double p[] = { .05, .1, .25, .5, .75, .9, .95, .99, .999 };
    static const double mix[] = { 49.353662316953155, 59.80335521331549, 126.9868264368444, 1254.3737900862277, 3512.8718334705864,
                                  14199.175257742965, 35811.65832636103, 190125.02896596058, 1169542.0399641085 };
    static const double data[] = { 48, 61, 131, 1186, 3342, 12860, 49969, 287333, 1361908 };
    static const double off[] = { .03, .03, .04, .06, .06, .11, .29, .34, .15 };
    struct cut_law c;
    assert_true(cut_law_make(&c, &philly_mix, 0, 1e12));
    for (size_t i = 0; i < COUNT(p); i++) {
        double x = cut_law_quantile(&c, p[i]);
        assert_near(x, mix[i], 1e-9);
        assert_near(x, data[i], off[i]);
    }
    assert_near(c.mean, 12508, 1e-4); /* 6.3 */
    cut_law_free(&c);
}

/* 6.3: at sigma = 2.27, E[D; D < 7 d] is 65 % of the mean (mu of the same part). */
static void heavy_tails_lose_a_third_of_their_mean(void **state)
{
    (void)state;
    struct law l = law_lognormal(7.279, 2.27);
    assert_true(fabs(law_mean_below(&l, 7 * DAY) / law_mean_below(&l, INFINITY) - .65) < .005);
}

/* Five values, each as likely; cut to three of them. By hand: mean (2 + 3 + 7)/3. */
static void empirical_by_hand(void **state)
{
    (void)state;
    double value[] = { 1, 2, 3, 7, 20 }, sum[] = { 0, 1, 3, 6, 13, 33 };
    struct law_values v = { 5, value, sum };
    struct law l = { 1, { { .kind = LAW_EMPIRICAL, .weight = 1, .scale = 1, .values = &v } } };
    struct cut_law c;
    assert_true(cut_law_make(&c, &l, 2, 10));
    assert_near(c.mass, .6, 1e-12);
    assert_near(c.mean, 4, 1e-12);
    const double u[] = { .01, .33, .34, .66, .67, .99 }, want[] = { 2, 2, 3, 3, 7, 7 };
    for (size_t i = 0; i < COUNT(u); i++)
        assert_near(cut_law_quantile(&c, u[i]), want[i], 0);
    cut_law_free(&c);
    assert_false(cut_law_make(&c, &l, 8, 19)); /* none of them */
    cut_law_free(&c);
}

/* Scaled so that the cut law has a mean: whatever the law, the mean is met; none that lies outside can be. */
static void scaled_to_a_mean(void **state)
{
    struct law l = ((const struct row *)*state)->law, too = l;
    double mean = law_cut_mean(&l, 1, 10 * DAY);
    assert_true(law_scale_to_mean(&l, 1, 10 * DAY, 1.7 * mean));
    assert_near(law_cut_mean(&l, 1, 10 * DAY), 1.7 * mean, 1e-9);
    assert_false(law_scale_to_mean(&too, 1, 10 * DAY, 11 * DAY));
    assert_false(law_scale_to_mean(&too, 1, 10 * DAY, 1));
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, drawn_as_the_law, rows);
    ADD_ROWS(tests, n, mean_is_the_integral, rows);
    ADD_ROWS(tests, n, scaled_to_a_mean, rows);
    ADD_ROWS(tests, n, parameters_of_the_table, table);
    ADD_TEST(tests, n, quantiles_of_the_philly_mix);
    ADD_TEST(tests, n, heavy_tails_lose_a_third_of_their_mean);
    ADD_TEST(tests, n, empirical_by_hand);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
