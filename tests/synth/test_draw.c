/* test_draw.c - jobs as they are drawn: sizes, users, fates, sweeps, retries, streams. Statistical rows have controls that must fail.
 * models.md 3.5, 6.2 to 6.5. */
#include "tests/synth/workload_text.h"

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

/* Lublin and Feitelson: the share of the first part falls with log2 of the GPUs: .7, .6, .5, .4 at 1, 2, 4, 8, and none at
 * 1024. The parts do not overlap: 400 +- 20 s and 40000 +- 2000 s. */
static void wide_jobs_are_of_the_second_part_more_often(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of("workload: w\n" RATE "gpus: { 1: 1, 2: 1, 4: 1, 8: 1, 1024: 1 }\nspearman: 0\n"
                                      "durations: { law: hyper-gamma, p: .7, shape_1: 400, scale_1: 1, shape_2: 400, scale_2: 100, p_per_log2_gpus: -.1 }\n", 1, JOBS);
    double count[5][2] = { { 0 } };
    for (size_t i = 0; i < jobs.n; i++)
        count[jobs.job[i].size][jobs.job[i].duration_ns > 4000 * NS_PER_S]++;
    for (int k = 0; k < 4; k++) {
        const double want[] = { .7 - .1 * k, .3 + .1 * k }, control[] = { .68 - .1 * k, .32 + .1 * k };
        assert_true(chi_square_agrees(count[k], want, 2));
        assert_false(chi_square_agrees(count[k], control, 2));
    }
    assert_near(count[4][0], 0, 0);    /* .7 - 1 is none */
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

/* In the order of synth.h, though sweeps and retries come out of it. */
static void jobs_are_in_their_order(void **state)
{
    (void)state;
    struct synth_jobs jobs = drawn_of(ALL "arrivals: { rate_per_h: 1000, sweeps: { within_s: 3600 } }\n", 1, 20000);
    size_t retries = 0, swept = 0;
    for (size_t i = 1; i < jobs.n; i++) {
        const struct synth_job *a = &jobs.job[i - 1], *b = &jobs.job[i];
        assert_true(a->submit_ns < b->submit_ns ||
                    (a->submit_ns == b->submit_ns && (a->number < b->number || (a->number == b->number && a->attempt < b->attempt))));
        retries += b->attempt > 0;
        swept += !b->attempt && a->number > b->number;
    }
    assert_true(retries > 100 && swept > 100);    /* the control: there was something to put in order */
    synth_jobs_free(&jobs);
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
    ADD_TEST(tests, n, wide_jobs_are_of_the_second_part_more_often);
    ADD_TEST(tests, n, sweeps_are_alike);
    ADD_TEST(tests, n, retries_come_after_their_failure);
    ADD_TEST(tests, n, more_jobs_begin_alike);
    ADD_TEST(tests, n, jobs_are_in_their_order);
    ADD_TEST(tests, n, what_a_job_is_does_not_hang_on_when_it_comes);
    ADD_TEST(tests, n, a_span_instead_of_a_number);
    ADD_TEST(tests, n, users_go_where_most_is_lacking);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
