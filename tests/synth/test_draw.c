/* test_draw.c - jobs as they are drawn: sizes, users, fates, sweeps, retries, the correlation of size and run time, the load.
 * Statistical rows have controls that must fail. models.md 3.5, 6.2 to 6.6. */
#include "tests/synth/workload_text.h"
#include "traces/synth/ready.h"

#include <gsl/gsl_integration.h>

enum { JOBS = 100000 };
#define HELIOS "gpus: { 1: .70, 2: .07, 4: .08, 8: .10, 16: .025, 32: .015, 64: .007, 128: .003 }\n"
#define HEAVY  "durations: { law: lognormal, mean_s: 6652, median_s: 206 }\n"
#define RATE   "arrivals: { rate_per_h: 100 }\n"

/* ---- what is drawn by shares ---- */

static double size_of(const struct synth_job *j) { return j->size; }
static double class_of(const struct synth_job *j) { return j->class; }
static double fate_of(const struct synth_job *j) { return j->fate; }
static double user_of(const struct synth_job *j) { return j->user; }
static double type_of(const struct synth_job *j) { return j->type; }
static double model_of(const struct synth_job *j) { return j->model; }

#define PLAIN "workload: w\n" RATE "durations: { law: fixed, value_s: 60 }\n"
static const struct shares_row {
    const char *name, *text;
    double (*of)(const struct synth_job *j);
    size_t n;
    double is[8], is_not[8];
} shares_rows[] = {
    { "gpus: the shares of Helios", PLAIN HELIOS, size_of, 8, { .70, .07, .08, .10, .025, .015, .007, .003 }, { .69, .08, .08, .10, .025, .015, .007, .003 } },
    /* (4.01 - 1) / (3.672 - 1) = 1.126497 times what is above one GPU */
    { "gpus: scaled to a mean", PLAIN HELIOS "mean_gpus: 4.01\n", size_of, 8,
      { .662051, .078855, .090120, .112650, .028162, .016897, .007885, .003379 }, { .70, .07, .08, .10, .025, .015, .007, .003 } },
    { "gpus: 12 take two nodes of 8", PLAIN "gpus: { 12: 3, 16: 1, 1: 4 }\n", size_of, 2, { .5, .5 }, { .52, .48 } },
    { "gpus: with the correlation, shares stay", "workload: w\n" RATE HEAVY HELIOS "spearman: 0.3\n", size_of, 8,
      { .70, .07, .08, .10, .025, .015, .007, .003 }, { .69, .08, .08, .10, .025, .015, .007, .003 } },
    { "classes", "workload: w\n" RATE "durations: { law: fixed, value_s: 60 }\ngpus: { 1: 1 }\n"
      "classes: [ { class: training, share: .8 }, { class: interactive, share: .15 }, { class: batch, share: .05 } ]\n",
      class_of, 3, { .8, .15, .05 }, { .79, .16, .05 } },
    { "fates: completed, failed, cancelled", PLAIN "gpus: { 1: 1 }\nfates: { completed: { share: .693 }, cancelled: { share: .135 }, failed: { share: .172 } }\n",
      fate_of, 3, { .693, .172, .135 }, { .693, .162, .145 } },
    { "gpu types", PLAIN "gpus: { 1: 1 }\ngpu_types: { any: .67, V100: .22, A100: .11 }\n", type_of, 3, { .67, .22, .11 }, { .66, .22, .12 } },
    { "models", PLAIN "gpus: { 1: 1 }\nmodels: { a: 1, b: 0, c: 3 }\n", model_of, 3, { 1, 1e-9, 3 }, { 1.04, 1e-9, 3 } },
    /* k^-1.2 of the first seven, and what is left of the 200 */
    { "users: by Zipf", PLAIN "gpus: { 1: 1 }\n", user_of, 8,
      { 1, .435275, .267581, .189465, .144956, .116472, .096802, 0 }, { 1, .46, .26, .18, .14, .11, .096802, 0 } },
};

static void drawn_by_shares(void **state)
{
    const struct shares_row *r = *state;
    struct synth_jobs jobs = drawn_of(r->text, 1, JOBS);
    double count[8] = { 0 }, is[8], is_not[8];
    memcpy(is, r->is, sizeof is);
    memcpy(is_not, r->is_not, sizeof is_not);
    for (int k = 8; r->of == user_of && k <= 200; k++) {
        is[7] += pow(k, -1.2);
        is_not[7] += pow(k, -1.2);
    }
    assert_int_equal(jobs.n, JOBS);
    for (size_t i = 0; i < jobs.n; i++)
        count[(size_t)fmin(r->of(&jobs.job[i]), (double)r->n - 1)]++;
    assert_true(chi_square_agrees(count, is, r->n));
    assert_false(chi_square_agrees(count, is_not, r->n));
    synth_jobs_free(&jobs);
}

/* models.md 3.5: shares of fates by GPUs; from the size named on. */
static void fates_by_gpus(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of(PLAIN "gpus: { 1: .5, 2: .2, 4: .3 }\n"
                                      "fates: { completed: { share: 1 }, by_gpus: { 1: [.67, .18, .15], 4: [.58, .20, .22] } }\n", 1, JOBS);
    double count[3][SYNTH_FATES] = { { 0 } };
    const double one[] = { .67, .15, .18 }, four[] = { .58, .22, .20 };
    for (size_t i = 0; i < jobs.n; i++)
        count[jobs.job[i].size][jobs.job[i].fate]++;
    assert_true(chi_square_agrees(count[0], one, 3));
    assert_true(chi_square_agrees(count[1], one, 3));
    assert_true(chi_square_agrees(count[2], four, 3));
    assert_false(chi_square_agrees(count[2], one, 3));
    synth_jobs_free(&jobs);
}

/* ---- run times by fate ---- */

/* Multiples count in proportion: .6 x .5 + .3 x 2 + .1 x 1 = 1, so means are 500, 2000 and 1000 s of a mean of 1000 s. */
static void fates_have_their_multiples(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\n" RATE "gpus: { 1: 1 }\ndurations: { law: gamma, shape: 2, scale_s: 500 }\n"
                                      "fates: { completed: { share: .6, multiple: 1 }, cancelled: { share: .3, multiple: 4 }, failed: { share: .1, multiple: 2 } }\n", 1, JOBS);
    const double want[SYNTH_FATES] = { [FATE_COMPLETED] = 500, [FATE_CANCELLED] = 2000, [FATE_FAILED] = 1000 };
    double sum[SYNTH_FATES] = { 0 }, n[SYNTH_FATES] = { 0 };
    for (size_t i = 0; i < jobs.n; i++) {
        sum[jobs.job[i].fate] += seconds(jobs.job[i].duration_ns);
        n[jobs.job[i].fate]++;
    }
    for (int f = 0; f < SYNTH_FATES; f++)    /* a gamma law of shape 2 has c = 1/sqrt(2) */
        assert_near(sum[f] / n[f], want[f], 4 / sqrt(2 * n[f]));
    synth_jobs_free(&jobs);
}

static double failed_below(double x, const void *early)
{
    double e = *(const double *)early;
    return e * gsl_cdf_lognormal_P(x, log(120), 1.8) + (1 - e) * gsl_cdf_exponential_P(x, 50000);
}

/* models.md 3.5: 0.7 of the failed fail early, lognormal with median 120 s and sigma 1.8, mean 120 e^(1.8^2/2) = 606.36 s. The others
 * have the law of all, scaled so that the mean of all stays what it is. All fail here: 15424.548 = .7 x 606.36 + .3 x 50000. The
 * law is cut at a year, where nothing is left of it. */
static void some_fail_early(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\n" RATE "gpus: { 1: 1 }\ndurations: { law: exponential, mean_s: 15424.548, most_s: 31557600 }\n"
                                      "fates: { completed: { share: 0 }, failed: { share: 1, early: .7 } }\n", 1, JOBS);
    double *x = malloc(jobs.n * sizeof *x), early = .7, other = .68;
    for (size_t i = 0; i < jobs.n; i++)
        x[i] = seconds(jobs.job[i].duration_ns);
    assert_true(ks_distance(x, jobs.n, failed_below, &early) < ks_critical(jobs.n));
    assert_true(ks_distance(x, jobs.n, failed_below, &other) > ks_critical(jobs.n));
    free(x);
    synth_jobs_free(&jobs);
}

/* ---- sweeps and retries ---- */

static void sweeps_are_alike(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\ngpus: { 1: .5, 2: .5 }\n" HEAVY
                                      "arrivals: { rate_per_h: 1, sweeps: { probability: .1, mean_jobs: 10, within_s: 5 } }\n", 1, JOBS);
    double sizes[6] = { 0 }, events = 0;
    for (size_t i = 0, next; i < jobs.n; i = next) {    /* an hour between events, 5 s within one: hardly any overlap */
        const struct synth_job *first = &jobs.job[i];
        for (next = i + 1; next < jobs.n && jobs.job[next].submit_ns - first->submit_ns <= 5 * NS_PER_S; next++)
            ;
        size_t of_it = 0;
        for (size_t k = i; k < next; k++)
            of_it += jobs.job[k].user == first->user && jobs.job[k].size == first->size &&
                     jobs.job[k].duration_ns == first->duration_ns;
        sizes[of_it > 5 ? 5 : of_it - 1]++;
        events++;
    }
    /* 1 with .9; else 2 + k with probability (1/9)(8/9)^k; hardly 2 in 1000 events overlap with another */
    const double want[] = { .9, .1 / 9, .1 / 9 * 8 / 9, .1 / 9 * 64 / 81, .1 / 9 * 512 / 729, .1 * 4096 / 6561 };
    const double control[] = { .9, .02, .018, .016, .014, .032 };
    assert_true(chi_square_agrees(sizes, want, 6));
    assert_false(chi_square_agrees(sizes, control, 6));
    assert_near((double)jobs.n / events, 1.9, .02); /* 1 + p (E[K] - 1): 6.2 */
    assert_near(jobs.report.jobs_per_arrival, 1.9, 1e-12);
    synth_jobs_free(&jobs);
}

/* Half fail, and of those 0.4 come again, at most twice: 1 + .2 + .04 attempts a job, each after the one before has ended. */
static void retries_come_after_their_failure(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\ngpus: { 1: 1 }\narrivals: { rate_per_h: 100 }\ndurations: { law: exponential, mean_s: 600 }\n"
                                      "fates: { completed: { share: 1 }, failed: { share: 1 } }\nretries: { probability: .4, most: 2 }\n", 1, JOBS);
    double attempts[3] = { 0 };
    const double want[] = { 1, .2, .04 }, control[] = { 1, .21, .04 };
    int64_t *end = calloc(JOBS, sizeof *end);
    bool *failed = calloc(JOBS, sizeof *failed);
    for (size_t i = 0; i < jobs.n; i++) {
        const struct synth_job *j = &jobs.job[i];
        attempts[j->attempt]++;
        assert_true(j->number < JOBS);
        if (j->attempt)
            assert_true(failed[j->number] && j->submit_ns > end[j->number]);
        failed[j->number] = j->fate == FATE_FAILED;
        end[j->number] = j->submit_ns + j->duration_ns;
    }
    assert_true(chi_square_agrees(attempts, want, 3));
    assert_false(chi_square_agrees(attempts, control, 3));
    assert_near(jobs.report.jobs_per_arrival, 1.24, 1e-12);
    free(end);
    free(failed);
    synth_jobs_free(&jobs);
}

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

/* ---- streams ---- */

static bool same_job(const struct synth_job *a, const struct synth_job *b)
{
    return a->submit_ns == b->submit_ns && a->duration_ns == b->duration_ns && a->number == b->number && a->user == b->user &&
           a->class == b->class && a->size == b->size && a->fate == b->fate && a->attempt == b->attempt;
}

#define ALL "workload: w\n" HELIOS HEAVY "fates: { completed: { share: 1 }, failed: { share: 1, early: .7 } }\nretries: {}\n"
static void more_jobs_begin_alike(void **state)
{
    (void)state;
    static const char text[] = ALL "arrivals: { rate_per_h: 1000, sweeps: { within_s: 3600 } }\n";
    struct synth_jobs few = drawn_of(text, 1, 1000), many = drawn_of(text, 1, 20000), again = drawn_of(text, 1, 1000), other = drawn_of(text, 2, 1000);
    assert_int_equal(few.n, 1000);
    assert_int_equal(many.n, 20000);
    for (size_t i = 0; i < few.n; i++)
        assert_true(same_job(&few.job[i], &many.job[i]));
    assert_true(few.report.drawn == again.report.drawn);
    assert_true(few.report.drawn != many.report.drawn);
    assert_true(few.report.drawn != other.report.drawn);
    synth_jobs_free(&few);
    synth_jobs_free(&many);
    synth_jobs_free(&again);
    synth_jobs_free(&other);
}

/* Another rate moves the jobs in time and changes nothing else of them. */
static void what_a_job_is_does_not_hang_on_when_it_comes(void **state)
{
    (void)state;
    struct synth_jobs slow = drawn_of("workload: w\n" HELIOS HEAVY "arrivals: { rate_per_h: 10 }\n", 1, 2000);
    struct synth_jobs fast = drawn_of("workload: w\n" HELIOS HEAVY "arrivals: { rate_per_h: 1000, law: hyper }\n", 1, 2000);
    for (size_t i = 0; i < slow.n; i++)
        assert_true(slow.job[i].duration_ns == fast.job[i].duration_ns && slow.job[i].size == fast.job[i].size &&
                    slow.job[i].user == fast.job[i].user && slow.job[i].submit_ns != fast.job[i].submit_ns);
    synth_jobs_free(&slow);
    synth_jobs_free(&fast);
}

/* A span ends before its end; those that come before are the same. */
static void a_span_instead_of_a_number(void **state)
{
    (void)state;
    struct synth_jobs span = drawn_of(ALL "arrivals: { rate_per_h: 100 }\nspan_s: 360000\n", 1, 0), many = drawn_of(ALL "arrivals: { rate_per_h: 100 }\n", 1, 20000);
    assert_true(span.job[span.n - 1].submit_ns < 360000 * NS_PER_S);
    assert_true(many.job[span.n].submit_ns >= 360000 * NS_PER_S);
    for (size_t i = 0; i < span.n; i++)
        assert_true(same_job(&span.job[i], &many.job[i]));
    synth_jobs_free(&span);
    synth_jobs_free(&many);
}

/* ---- users and projects ---- */

/* By hand: users of weight 1, 1/2, 1/3, 1/4 (of 25/12); projects that should have 1/2, 1/4, 1/4. User 1 (.48) to a, user 2 (.24) to
 * b, user 3 (.16) to c, user 4 (.12) to c, that lacks .09, a .02, b .01. */
static void users_go_where_most_is_lacking(void **state)
{
    (void)state;
    struct synth_spec *s = spec_of("workload: w\n" RATE "gpus: { 1: 1 }\ndurations: { law: fixed, value_s: 1 }\n"
                                   "users: { count: 4, zipf: 1 }\nprojects: { shares: { a: 2, b: 1, c: 1 } }\n");
    uint32_t *of = synth_project_of(s);
    const uint32_t want[] = { 0, 1, 2, 2 };
    assert_memory_equal(of, want, sizeof want);
    free(of);
    synth_spec_free(s);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, drawn_by_shares, shares_rows);
    ADD_TEST(tests, n, fates_by_gpus);
    ADD_TEST(tests, n, fates_have_their_multiples);
    ADD_TEST(tests, n, some_fail_early);
    ADD_TEST(tests, n, sweeps_are_alike);
    ADD_TEST(tests, n, retries_come_after_their_failure);
    ADD_ROWS(tests, n, correlated_as_wanted, correlations);
    ADD_TEST(tests, n, copula_of_many_sizes);
    ADD_TEST(tests, n, rate_of_the_worked_example);
    ADD_TEST(tests, n, rate_by_hand);
    ADD_ROWS(tests, n, quasi_random_draws_give_the_integral, quasis);
    ADD_TEST(tests, n, realised_load_is_exact);
    ADD_TEST(tests, n, more_jobs_begin_alike);
    ADD_TEST(tests, n, what_a_job_is_does_not_hang_on_when_it_comes);
    ADD_TEST(tests, n, a_span_instead_of_a_number);
    ADD_TEST(tests, n, users_go_where_most_is_lacking);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
