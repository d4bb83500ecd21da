/* test_failures.c - laws and draws of failures: models.md 8 to the number, and by Kolmogorov and Smirnov, with controls that fail. */
#include "sim/models/failures.h"
#include "tests/unit/test_core.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- MTBF in hours, models.md 8.1 and 8.4 ---- */

static const struct mtbf_row {
    const char *name;
    double faults_per_day, per_job_day, per_gpu_year;
    uint32_t min_gpus;
    double gpus, hours, within;
} mtbf_rows[] = {
    { "MTBF: RSC-1, 16384 GPUs", 6.50e-3, 0, 0, 0, 16384, 1.803, 5e-4 },
    { "MTBF: RSC-1, 131072 GPUs", 6.50e-3, 0, 0, 0, 131072, .225, 5e-4 },
    { "MTBF: RSC-1, 1024 GPUs as the paper predicts", 6.50e-3, 0, 0, 0, 1024, 28.8, 5e-2 },
    { "MTBF: 1024 GPUs, hardware alone", 4.2e-3, 0, 0, 0, 1024, 44.64, 5e-3 },
    { "MTBF: 1024 GPUs, with their software", 4.2e-3, 1.0 / 60, .1, 0, 1024, 28.75, 1e-2 },
    { "MTBF: 1024 GPUs, as it was measured", 4.2e-3, 24 / 10.8, .1, 1024, 1024, 7.9, 5e-2 },
    { "MTBF: 512 GPUs have no such software", 4.2e-3, 24 / 10.8, .1, 1024, 512, 2 * 44.64, 1e-2 },
    { "MTBF: Llama 3, 16384 GPUs", 419.0 / 54 / 2048, 0, 0, 0, 16384, 3.09, 5e-3 },
    { "MTBF: Llama 3, 63 of 419 by software", 356.0 / 54 / 2048, 0, 63 * 365.25 / 54 / 16384, 0, 16384, 3.09, 5e-3 },
};

static void mtbf(void **state)
{
    const struct mtbf_row *row = *state;
    struct failures f = failures_default;
    f.faults_per_day = row->faults_per_day;
    f.software_faults_per_day = row->per_job_day;
    f.software_faults_per_gpu_year = row->per_gpu_year;
    f.software_min_gpus = row->min_gpus;
    assert_true(fabs(1 / failures_job_rate(&f, row->gpus) / 3600 - row->hours) <= row->within);
}

/* models.md 8.1: per 8-GPU node-day, and days between failures of one node. */
static const struct preset_row { const char *name; enum fault_rate which; double per_day, mtbf_d; } preset_rows[] = {
    { "preset: rsc-1", RATE_RSC_1, 6.50e-3, 154 },
    { "preset: rsc-2", RATE_RSC_2, 2.34e-3, 427 },
    { "preset: llama-3", RATE_LLAMA_3, 289 / 54.0 / 2048, 383 },
    { "preset: infinite-hbd", RATE_INFINITE_HBD, 4.2e-3, 238 },
};

static void preset(void **state)
{
    const struct preset_row *row = *state;
    const struct fault_preset *p = &fault_preset[row->which];
    assert_string_equal(p->name, row->name + strlen("preset: "));
    assert_true(fabs(p->faults_per_day - row->per_day) < 5e-6);
    assert_true(fabs(1 / p->faults_per_day - row->mtbf_d) < 0.5);
    struct failures f = failures_default;
    f.faults_per_day = row->per_day;
    assert_true(fabs(failures_node_rate(&f, 4) * 86400 - row->per_day / 2) < 1e-15);      /* a node of 4 GPUs */
    assert_true(failures_node_rate(&f, 0) == 0);
}

/* models.md 8.3: mean 125.7 h, median 22.5 h; unavailability 4.2e-3/24 h x 125.7 h = 2.2 %. */
static void repair_numbers(void **state)
{
    (void)state;
    const struct failures *f = &failures_default;
    double mean_h = 0;
    enum { N = 2000000 };
    for (int i = 0; i < N; i++)
        mean_h += failures_repair_s(f, (i + 0.5) / N) / 3600 / N;
    assert_true(fabs(50.7 * gsl_sf_gamma(1 + 1 / 0.45) - 125.7) < 0.05);
    assert_true(fabs(mean_h - 125.7) < 0.3);            /* the sum misses the end of the tail */
    assert_true(fabs(failures_repair_s(f, 0.5) / 3600 - 22.5) < 0.06);
    assert_true(fabs(failures_node_rate(f, 8) * mean_h * 3600 - 0.022) < 5e-4);
}

static void lognormal_is_cut_off(void **state)
{
    (void)state;
    struct failures f = failures_default;
    f.repair_law = REPAIR_LOGNORMAL;
    double within = gsl_cdf_ugaussian_P((log(2000) - 2.71) / 2.52);
    assert_true(fabs(failures_repair_s(&f, 1) / 3600 - 2000) < 1e-6);
    assert_true(fabs(failures_repair_s(&f, 0.5 / within) / 3600 - exp(2.71)) < 1e-9);
}

/* ---- Draws ---- */

enum { N = 100000 };
static double x[N];

static int by_value(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* p > 1e-4: sqrt(n) D below sqrt(-ln(p / 2) / 2). models.md 11.1. */
static bool fits(double (*law)(double, const double *), const double *parameter)
{
    double d = 0;
    for (int i = 0; i < N; i++) {
        double p = law(x[i], parameter);
        d = fmax(d, fmax(p - (double)i / N, (double)(i + 1) / N - p));
    }
    return sqrt(N) * d < sqrt(-log(1e-4 / 2) / 2);
}

static double weibull_p(double at, const double *p) { return gsl_cdf_weibull_P(at, p[1], p[0]); }
static double lognormal_p(double at, const double *p) { return gsl_cdf_lognormal_P(at, p[0], p[1]); }
static double cut_p(double at, const double *p) { return lognormal_p(at, p) / lognormal_p(2000, p); }
static double gamma_p(double at, const double *p) { return gsl_cdf_gamma_P(at, p[0], 1 / p[0]); }
static double exponential_p(double at, const double *p) { return gsl_cdf_exponential_P(at, p[0]); }

enum what { GAP_DAYS, REPAIR_H, REMEDIATION_MIN, LEMON, HAZARD };
static const struct law_row {
    const char *name;
    enum what what;
    double gap_shape;
    int law;
    double (*p)(double, const double *);
    double parameter[2], wrong[2];      /* wrong: a bend of a few per cent, which must be seen */
} law_rows[] = {
    { "law: exponential gaps, 238 d", GAP_DAYS, 1, 0, exponential_p, { 1 / 4.2e-3 }, { 1.03 / 4.2e-3 } },
    { "law: Weibull gaps of the same mean", GAP_DAYS, 0.7, 0, weibull_p, { 0.7, 188.0947 }, { 0.72, 188.0947 } },
    { "law: Weibull repairs", REPAIR_H, 1, REPAIR_WEIBULL, weibull_p, { 0.45, 50.7 }, { 0.47, 50.7 } },
    { "law: lognormal repairs, cut off", REPAIR_H, 1, REPAIR_LOGNORMAL, cut_p, { 2.71, 2.52 }, { 2.71, 2.6 } },
    { "law: remediation, lognormal", REMEDIATION_MIN, 1, 0, lognormal_p, { 2.995732, 0.8 }, { 2.995732, 0.82 } },
    { "law: lemon nodes", LEMON, 1, 0, gamma_p, { 0.93 }, { 0.97 } },
    { "law: hazards", HAZARD, 1, 0, exponential_p, { 1 }, { 1.03 } },
};

static void law(void **state)
{
    const struct law_row *row = *state;
    struct failures f = failures_default;
    struct fault_stream stream;
    struct random hazards;
    f.gap_shape = row->gap_shape;
    f.repair_law = row->law;
    f.lemon_shape = row->what == LEMON ? f.lemon_shape : 0;
    f.remediation_share = row->what == REMEDIATION_MIN;
    failures_node_stream(&f, 1, 7, 8, &stream);
    failures_software_stream(1, 7, &hazards);
    for (int i = 0; i < N; i++) {
        struct fault next = failures_draw(&f, &stream);
        switch (row->what) {
        case GAP_DAYS:        x[i] = seconds(next.after_ns) / 86400; break;
        case REPAIR_H:        x[i] = seconds(next.repair_ns) / 3600; break;
        case REMEDIATION_MIN: x[i] = seconds(next.repair_ns) / 60; break;
        case LEMON:           x[i] = failures_lemon(&f, 1, (uint32_t)i); break;
        case HAZARD:          x[i] = failures_hazard(&hazards); break;
        }
    }
    qsort(x, N, sizeof *x, by_value);
    assert_true(fits(row->p, row->parameter));
    assert_false(fits(row->p, row->wrong));
}

/* Shares within 4.5 standard errors; the mix of the trace adds up to 1.005. */
static bool shares_fit(const struct failures *f, const double mix[NODE_CAUSES])
{
    struct fault_stream stream;
    unsigned count[NODE_CAUSES] = { 0 };
    double all = 0;
    failures_node_stream(f, 3, 0, 8, &stream);
    for (int i = 0; i < N; i++)
        count[failures_draw(f, &stream).cause]++;
    for (unsigned c = 0; c < NODE_CAUSES; c++)
        all += mix[c];
    for (unsigned c = 0; c < NODE_CAUSES; c++) {
        double p = mix[c] / all;
        if (fabs(count[c] - N * p) > 4.5 * sqrt(N * p * (1 - p)))
            return false;
    }
    return true;
}

static void mix(void **state)
{
    (void)state;
    struct failures f = failures_default;
    assert_true(shares_fit(&f, f.mix));
    double other[NODE_CAUSES];
    memcpy(other, f.mix, sizeof other);
    other[FAULT_FAN] *= 1.1; /* control */
    assert_false(shares_fit(&f, other));
    double of_gpus = (f.mix[FAULT_GPU] + f.mix[FAULT_STRESS]) / 1.005;
    assert_true(fabs(of_gpus - 0.45) < 0.015);          /* models.md 8.2: 45 % */
    memcpy(f.mix, fault_preset[RATE_LLAMA_3].mix, sizeof f.mix);
    assert_true(shares_fit(&f, fault_preset[RATE_LLAMA_3].mix));
    assert_true(f.mix[FAULT_GPU] == 148 + 72 + 19 + 17 + 6 + 6 && f.mix[FAULT_UNKNOWN] == 0);
}

/* Relapses: with probability .1 the next fault comes after Exp(6 h), so within 6 h come .1 x (1 - 1/e) of them and those of
 * the usual rate; detection: one in ten hangs for 600 to 1800 s. Both within 4.5 standard errors. */
static void relapses_and_hangs(void **state)
{
    (void)state;
    struct failures f = failures_default;
    f.relapse_share = 0.1;
    f.lemon_shape = 0;
    struct fault_stream stream;
    failures_node_stream(&f, 1, 7, 8, &stream);
    failures_draw(&f, &stream);
    unsigned soon = 0, hung = 0;
    for (int i = 0; i < N; i++) {
        struct fault next = failures_draw(&f, &stream);
        soon += next.after_ns < f.relapse_mean_ns;
        assert_true(next.detection_ns == f.detection_ns ||
                    (next.detection_ns >= f.hang_least_ns && next.detection_ns <= f.hang_most_ns));
        hung += next.detection_ns != f.detection_ns;
    }
    double p = 0.1 * (1 - exp(-1)) + 0.9 * (1 - exp(-4.2e-3 / 4));
    assert_true(fabs(soon - N * p) < 4.5 * sqrt(N * p * (1 - p)));
    assert_false(fabs(soon - N * 1.1 * p) < 4.5 * sqrt(N * p * (1 - p)));
    assert_true(fabs(hung - N * .1) < 4.5 * sqrt(N * .1 * .9));
}

/* A parameter changes what it is about, and nothing else that is drawn. */
static void draws_stay_where_they_are(void **state)
{
    (void)state;
    struct failures a = failures_default, b = failures_default;
    b.remediation_share = 0.6;
    b.hang_share = 0.5;
    b.relapse_share = 0.1;
    struct fault_stream from_a, from_b;
    failures_node_stream(&a, 5, 3, 8, &from_a);
    failures_node_stream(&b, 5, 3, 8, &from_b);
    unsigned same = 0;
    for (int i = 0; i < 1000; i++) {
        struct fault x_a = failures_draw(&a, &from_a), x_b = failures_draw(&b, &from_b);
        assert_true(x_a.cause == x_b.cause && x_a.gpu_u == x_b.gpu_u);
        same += x_a.after_ns == x_b.after_ns;
    }
    assert_true(same > 850 && same < 950);              /* all but the relapses */
    struct fault_stream other;
    failures_node_stream(&a, 5, 4, 8, &other);
    assert_true(failures_draw(&a, &other).gpu_u != failures_draw(&a, &from_a).gpu_u);
}

static void nothing_happens(void **state)
{
    (void)state;
    struct failures f = failures_default;
    struct fault_stream stream;
    assert_true(failures_happen(&f));
    f.faults_per_day = f.switch_faults_per_year = f.software_faults_per_day = f.software_faults_per_gpu_year = 0;
    assert_false(failures_happen(&f));
    failures_node_stream(&f, 1, 0, 8, &stream);
    assert_true(failures_draw(&f, &stream).after_ns == TIME_NEVER);
    failures_switch_stream(&f, 1, 0, &stream);
    assert_true(failures_draw(&f, &stream).after_ns == TIME_NEVER);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, mtbf, mtbf_rows);
    ADD_ROWS(tests, n, preset, preset_rows);
    ADD_TEST(tests, n, repair_numbers);
    ADD_TEST(tests, n, lognormal_is_cut_off);
    ADD_ROWS(tests, n, law, law_rows);
    ADD_TEST(tests, n, mix);
    ADD_TEST(tests, n, relapses_and_hangs);
    ADD_TEST(tests, n, draws_stay_where_they_are);
    ADD_TEST(tests, n, nothing_happens);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
