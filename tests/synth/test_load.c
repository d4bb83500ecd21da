/* test_load.c - the correlation of size and run time, and the load: models.md 6.3 and 6.6. Statistical rows have controls that must
 * fail. */
#include "tests/synth/workload_text.h"
#include "traces/synth/ready.h"

#include <gsl/gsl_integration.h>
#include <stdio.h>

enum { JOBS = 100000 };
#define HELIOS "gpus: { 1: .70, 2: .07, 4: .08, 8: .10, 16: .025, 32: .015, 64: .007, 128: .003 }\n"
#define HEAVY  "durations: { law: lognormal, mean_s: 6652, median_s: 206 }\n"
#define RATE   "arrivals: { rate_per_h: 100 }\n"

/* ---- size and run time ---- */

static const struct synth_job *sorted_job;
static int by_size(const void *a, const void *b)
{
    const struct synth_job *x = &sorted_job[*(const size_t *)a], *y = &sorted_job[*(const size_t *)b];
    return (x->size > y->size) - (x->size < y->size);
}
static int by_run_time(const void *a, const void *b)
{
    const struct synth_job *x = &sorted_job[*(const size_t *)a], *y = &sorted_job[*(const size_t *)b];
    return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

/* Mean ranks of ties. */
static void ranks(const struct synth_jobs *jobs, int (*order)(const void *, const void *), double *rank)
{
    size_t *at = malloc(jobs->n * sizeof *at);
    sorted_job = jobs->job;
    for (size_t i = 0; i < jobs->n; i++)
        at[i] = i;
    qsort(at, jobs->n, sizeof *at, order);
    for (size_t i = 0, next; i < jobs->n; i = next) {
        for (next = i + 1; next < jobs->n && order(&at[i], &at[next]) == 0; next++)
            ;
        for (size_t k = i; k < next; k++)
            rank[at[k]] = (double)(i + next - 1) / 2;
    }
    free(at);
}

static double spearman(const struct synth_jobs *jobs)
{
    double *x = malloc(jobs->n * sizeof *x), *y = malloc(jobs->n * sizeof *y), xy = 0, xx = 0, yy = 0;
    double mean = (double)(jobs->n - 1) / 2;
    ranks(jobs, by_size, x);
    ranks(jobs, by_run_time, y);
    for (size_t i = 0; i < jobs->n; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    free(x);
    free(y);
    return xy / sqrt(xx * yy);
}

static const struct correlation { const char *name, *text; double want; } correlations[] = {
    { "spearman: 0.2 unless it is said", "workload: w\n" RATE HELIOS HEAVY, .2 },
    { "spearman: 0.5", "workload: w\n" RATE HELIOS HEAVY "spearman: 0.5\n", .5 },
    { "spearman: -0.3", "workload: w\n" RATE HELIOS HEAVY "spearman: -0.3\n", -.3 },
    { "spearman: none", "workload: w\n" RATE HELIOS HEAVY "spearman: 0\n", 0 },
};

static void correlated_as_wanted(void **state)
{
    const struct correlation *c = *state;
    struct synth_jobs jobs = drawn_of(c->text, 1, JOBS);
    double got = spearman(&jobs), error = 1 / sqrt(JOBS);
    if (!(fabs(got - c->want) < 4 * error))
        fail_msg("want %.4f, got %.4f", c->want, got);
    assert_true(fabs(got - c->want - .03) > 4 * error); /* control: .03 off is seen */
    synth_jobs_free(&jobs);
}

/* Without ties, Spearman's correlation of normal numbers is (6/pi) asin(r/2) (Kruskal 1958): a thousand sizes have hardly any. */
static void copula_of_many_sizes(void **state)
{
    (void)state;
    struct shares even = shares_zipf(1000, 0);
    for (double r = -.9; r < 1; r += .3)
        assert_true(fabs(copula_spearman(&even, r) - 6 / M_PI * asin(r / 2)) < 5e-6);
    assert_near(copula_r(&even, .2), 2 * sin(M_PI * .2 / 6), 1e-4);
    shares_free(&even);
    struct shares one = shares_zipf(1, 0);
    assert_near(copula_spearman(&one, .5), 0, 0);
    shares_free(&one);
}

/* ---- the load ---- */

/* models.md 6.6: C = 512, load .8, E[n] = 3.672, E[D] = 6651.7 independent: .01677 arrivals/s = 60.37 jobs/h. */
static void rate_of_the_worked_example(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\nload: { target: .8, gpus: 512 }\n" HELIOS
                                      "durations: { law: fixed, value_s: 6651.7 }\nspearman: 0\n", 1, 1000);
    assert_near(jobs.report.rate_per_h / 3600, .01677, 3e-4);
    assert_near(jobs.report.rate_per_h, 60.37, 1e-4);
    assert_near(jobs.report.rate_per_h, .8 * 512 / (3.672 * 6651.7) * 3600, 1e-12);
    assert_near(jobs.report.load_expected, .8, 1e-12);
    assert_near(jobs.report.relative_error, 0, 0);
    synth_jobs_free(&jobs);
}

/* Availability, reserved GPUs, slowdown and retries, by hand: .5 x (100 - 20) x .9 = 36 GPUs are to be kept busy by jobs of 2 GPUs x
 * 600 s x 1.5, of which each is run 1.24 times (see above), one in two arrivals being a sweep of 2: 36/(1800 x 1.24 x 1.5). */
static void rate_by_hand(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\nload: { target: .5, gpus: 100, reserved_gpus: 20, availability: .9 }\n"
                                      "gpus: { 2: 1 }\ndurations: { law: fixed, value_s: 600 }\nslowdown: 1.5\n"
                                      "arrivals: { sweeps: { probability: .5, mean_jobs: 2 } }\n"
                                      "fates: { completed: { share: 1 }, failed: { share: 1 } }\nretries: { probability: .4, most: 2 }\n", 1, 20000);
    assert_near(jobs.report.rate_per_h, 3600 * 36 / (1800 * 1.24 * 1.5), 1e-12);
    assert_near(jobs.report.load_realised, .5, .05);
    synth_jobs_free(&jobs);
}

/* Sweeps of training only: .75 of the arrivals are 1.5 jobs of 100 GPU-s, .25 one job of 400 GPU-s: 212.5 GPU-s an arrival. */
static void sweeps_of_one_class(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\nload: { target: .5, gpus: 100 }\ngpus: { 1: 1 }\narrivals: { sweeps: { probability: .5, mean_jobs: 2 } }\n"
                                      "classes: [ { class: training, share: 3, durations: { law: fixed, value_s: 100 } },\n"
                                      "           { class: interactive, share: 1, sweeps: false, durations: { law: fixed, value_s: 400 } } ]\n", 1, 20000);
    double count[2] = { 0 };
    const double want[] = { .75 * 1.5, .25 }, control[] = { .75, .25 };
    for (size_t i = 0; i < jobs.n; i++)
        count[jobs.job[i].class]++;
    assert_near(jobs.report.rate_per_h, 3600 * 50 / 212.5, 1e-12);
    assert_near(jobs.report.jobs_per_arrival, 1.375, 1e-12);
    assert_true(chi_square_agrees(count, want, 2));
    assert_false(chi_square_agrees(count, control, 2));
    synth_jobs_free(&jobs);
}

/* E[D | a size] under the copula: the mean of the law's quantiles over a normal number, weighted with the chance that the size's own
 * is in its part of the line. By Gauss and Kronrod; nothing here is drawn. */
struct given { const struct ready_class *r; enum job_fate fate; double from, to; };

static double weighted(double z, void *self)
{
    const struct given *g = self;
    double s = sqrt(1 - g->r->r * g->r->r), u = gsl_cdf_ugaussian_P(z);
    double high = isinf(g->to) ? 1 : gsl_cdf_ugaussian_P((g->to - g->r->r * z) / s);
    double low = isinf(g->from) ? 0 : gsl_cdf_ugaussian_P((g->from - g->r->r * z) / s);
    return cut_law_quantile(&g->r->law[0][g->fate], fmin(fmax(u, 1e-300), 1 - 0x1p-53)) * exp(-z * z / 2) / sqrt(2 * M_PI) * (high - low);
}

static double gpu_s_by_integrals(const struct ready_class *r)
{
    double sum = 0;
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(2000);
    for (size_t i = 0; i < r->sizes.n; i++)
        for (int f = 0; f < SYNTH_FATES; f++) {
            double part, error, before = i ? r->sizes.up_to[i - 1] : 0;
            struct given g = { r, (enum job_fate)f, i ? gsl_cdf_ugaussian_Pinv(before) : -INFINITY,
                               r->sizes.up_to[i] < 1 ? gsl_cdf_ugaussian_Pinv(r->sizes.up_to[i]) : INFINITY };
            gsl_function function = { .function = weighted, .params = &g };
            gsl_integration_qag(&function, -8.2, 8.2, 0, 1e-7, 2000, GSL_INTEG_GAUSS61, space, &part, &error);
            sum += size_gpus(&r->of->size[i]) * shares_of_one(&r->fates[i], (size_t)f) * part;
        }
    gsl_integration_workspace_free(space);
    return sum;
}

static const struct quasi { const char *name, *text; double spearman; } quasis[] = {
    { "E[nD]: heavy, 0.2", "workload: w\n" RATE HELIOS HEAVY, .2 },
    { "E[nD]: heavy, 0.4, with fates", "workload: w\n" RATE HELIOS HEAVY "spearman: 0.4\n"
      "fates: { completed: { share: .6 }, cancelled: { share: .3, multiple: 3 }, failed: { share: .1, multiple: .5 } }\n", .4 },
};

static void quasi_random_draws_give_the_integral(void **state)
{
    const struct quasi *q = *state;
    struct synth_spec *s = spec_of(q->text);
    struct ready_class r;
    struct error err = { "" };
    double relative_error, exact, got;
    assert_int_equal(ready_make(&r, s->class, &err), 0);
    exact = gpu_s_by_integrals(&r);
    got = ready_gpu_s(&r, &s->retries, 1, &relative_error);
    assert_true(relative_error > 0 && relative_error < .005);
    if (!(fabs(got / exact - 1) < 4 * relative_error))
        fail_msg("want %.8g, got %.8g +- %.2g", exact, got, relative_error * exact);
    double mean = 0;              /* control: independent sizes and run times would be seen to be too few */
    for (size_t i = 0; i < r.sizes.n; i++)
        mean += shares_of_one(&r.sizes, i) * size_gpus(&r.of->size[i]);
    assert_true(exact > mean * 6652 * 1.1);
    ready_free(&r);
    synth_spec_free(s);
}

/* 6.6: whatever was drawn, the load from the first to the last arrival is the target, but that the last time is rounded to 1 ns. */
static void realised_load_is_exact(void **state)
{
    (void)state;
    static const double targets[] = { .3, .8, 1.7 };
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t k = 0; k < COUNT(targets); k++) {
            char text[600];
            snprintf(text, sizeof text, "workload: w\nload: { target: %g, gpus: 512, availability: .97, calibrate: realised }\n" HELIOS HEAVY
                     "arrivals: { law: hyper, c2: 4, sweeps: { probability: .1 } }\n", targets[k]);
            struct synth_jobs jobs = drawn_of(text, seed, 5000);
            static const int64_t gpus[] = { 1, 2, 4, 8, 16, 32, 64, 128 };
            int128_t work = 0;
            for (size_t i = 0; i < jobs.n; i++) {
                work += (int128_t)jobs.job[i].duration_ns * gpus[jobs.job[i].size];
                assert_true(i == 0 || jobs.job[i].submit_ns >= jobs.job[i - 1].submit_ns);
            }
            long double span_ns = (long double)(jobs.job[jobs.n - 1].submit_ns - jobs.job[0].submit_ns);
            long double off_ns = (long double)work / (512 * .97L * (long double)targets[k]) - span_ns;
            assert_true(fabsl(off_ns) < 0.51L);
            synth_jobs_free(&jobs);
        }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, correlated_as_wanted, correlations);
    ADD_TEST(tests, n, copula_of_many_sizes);
    ADD_TEST(tests, n, rate_of_the_worked_example);
    ADD_TEST(tests, n, rate_by_hand);
    ADD_TEST(tests, n, sweeps_of_one_class);
    ADD_ROWS(tests, n, quasi_random_draws_give_the_integral, quasis);
    ADD_TEST(tests, n, realised_load_is_exact);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
