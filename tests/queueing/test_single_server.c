/* test_single_server.c - M/M/1: mean wait, distribution of waits, Little's law. models.md 11.1. */
#include "tests/queueing/queueing.h"

#define M_M_1(rho)                                                                                                     \
    {                                                                                                                  \
        .servers = 1, .policy = "fifo", .class = { { rho, 1, EXPONENTIAL } }                                           \
    }

/* ---- One long run ----
 * W_q = rho/(1-rho). The variance of a mean of n waits, which are correlated, is v/n with
 * v = rho (2 + 5 rho - 4 rho^2 + rho^3) / (1-rho)^4: 29 at rho = .5, 1976 at .8. Accepted: 4 standard errors. */
enum { WARM_UP = 50000, COUNTED = 1000000 };
static const struct long_row {
    const char *name;
    double rho, speed;
    bool holds;
} long_rows[] = {
    { "M/M/1 at .5", .5, 1, true },
    { "M/M/1 at .8", .8, 1, true },
    { "M/M/1 at .5: control, service 5 % faster", .5, 1.05, false },
    { "M/M/1 at .8: control, service 5 % slower", .8, .95, false },
};

static void mean_wait(void **state)
{
    const struct long_row *row = *state;
    double rho = row->rho, exact = rho / (1 - rho);
    double v = rho * (2 + 5 * rho - 4 * rho * rho + rho * rho * rho) / pow(1 - rho, 4), error = sqrt(v / COUNTED);
    struct sched *s = queue_play(&(struct queue_system)M_M_1(rho), row->speed, WARM_UP + COUNTED, 0);
    double wait = queue_figure(s, &(struct wanted){ .figure = WAIT }, WARM_UP);
    queue_free(s);
    print_message("%s: want %g, estimate %g, %.2g standard errors\n", row->name, exact, wait, (wait - exact) / error);
    assert_int_equal(fabs(wait - exact) <= 4 * error, row->holds);
}

/* ---- Waits above zero are exponential with rate mu - lambda ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Probability of a larger distance between the sample (sorted here) and the law; Kolmogorov's
 * limit with Stephens's correction for finite n (J. R. Stat. Soc. B 32(1), 1970). */
static double ks_p(double *sample, size_t n, double mean)
{
    qsort(sample, n, sizeof *sample, by_value);
    double d = 0, p = 0, root = sqrt((double)n);
    for (size_t i = 0; i < n; i++) {
        double f = gsl_cdf_exponential_P(sample[i], mean);
        d = fmax(d, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    double x = (root + 0.12 + 0.11 / root) * d;
    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    return x < 0.2 ? 1 : p;
}

static const struct ks_row {
    const char *name;
    double speed;
    bool holds;
} ks_rows[] = {
    { "distribution of waits", 1, true },
    { "distribution of waits: control, service 5 % faster", 1.05, false },
};

/* Every 200th job, so that they are nearly independent: at rho = .8 the correlation of waits
 * fades with exp(-t (1-sqrt(rho))^2), 6 % over the 250 s between two of them. About 4000 of them
 * waited. */
static void waits_are_exponential(void **state)
{
    const struct ks_row *row = *state;
    enum { EVERY = 200 };
    static double sample[COUNTED / EVERY];
    struct sched *s = queue_play(&(struct queue_system)M_M_1(.8), row->speed, WARM_UP + COUNTED, 1);
    size_t n = 0;
    for (job_id j = WARM_UP; j < WARM_UP + COUNTED; j += EVERY) {
        struct job_result r = run_job(s, j);
        if (r.wait_ns > 0)
            sample[n++] = seconds(r.wait_ns);
    }
    queue_free(s);
    double p = ks_p(sample, n, 1 / (1 - .8));
    print_message("%s: %zu waits, p = %.3g\n", row->name, n, p);
    assert_true(n > 3500 && n < 4500);
    assert_int_equal(p > 1e-3, row->holds);
}

/* ---- Little's law on a finite run, exactly: from the jobs' own times as they are reported one by one ---- */

static const struct little_row {
    const char *name, *policy;
    unsigned servers;
} little_rows[] = {
    { "Little: fifo", "fifo", 1 },
    { "Little: srtf", "srtf", 1 },
    { "Little: four servers", "priority:preempt=yes", 4 },
};

static void little(void **state)
{
    const struct little_row *row = *state;
    double rate = .45 * row->servers;
    const struct queue_system q = { .servers = row->servers,
                                    .policy = row->policy,
                                    .class = { { rate, 1, EXPONENTIAL }, { rate, 1, HYPER } } };
    struct sched *s = queue_play(&q, 1, 20000, 0);
    const struct workload *w = run_setup_of(s)->workload;
    const struct run_totals *t = run_totals(s);
    int128_t there = 0, work = 0;
    int64_t last_ns = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        struct job_result r = run_job(s, j);
        there += r.end_ns - w->facts[j].submit_ns;
        work += w->truth[j].duration_ns;
        last_ns = r.end_ns > last_ns ? r.end_ns : last_ns;
    }
    assert_true(t->in_system == there);
    assert_true(t->waiting == there - work); /* preemptions cost nothing: a job that does not run waits */
    assert_true(t->held == work * MILLI_ALL && t->account[ACCOUNT_USEFUL] == t->held);
    assert_true(t->first_ns == w->facts[0].submit_ns && t->last_ns == last_ns);
    assert_true(t->capacity == (int128_t)(t->last_ns - t->first_ns) * (int64_t)row->servers * MILLI_ALL);
    queue_free(s);
}

/* ---- Replications: W_q = rho/(1-rho), L_q = lambda W_q ---- */
static const struct law_row replicated[] = {
    { .name = "M/M/1 at .9",
      .system = M_M_1(.9),
      .want = { { WAIT, 0, 9 }, { SHARE_THAT_WAITS, 0, .9 }, { LENGTH, 0, 8.1 } } },
    { .name = "M/M/1 at .9: control, service 5 % faster",
      .system = M_M_1(.9),
      .speed = 1.05,
      .want = { { WAIT, 0, 9 }, { SHARE_THAT_WAITS, 0, .9 }, { LENGTH, 0, 8.1 } } },
};

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, mean_wait, long_rows);
    ADD_ROWS(tests, n, waits_are_exponential, ks_rows);
    ADD_ROWS(tests, n, little, little_rows);
    ADD_ROWS(tests, n, law_holds, replicated);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
