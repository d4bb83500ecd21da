/* test_predict.c - predicted run times: histories and predictions by hand, a second
 * implementation, and a run. */
#include "policies/registry.h"
#include "sim/base/random.h"
#include "sim/scheduler/predict.h"
#include "sim/engine/run.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAST2    { ESTIMATE_USER_LAST2, 0 }
#define Q(value) { ESTIMATE_GROUP_QUANTILE, (value) }
#define NO_USER   ID_NONE
#define NOTHING  (-1.0)

/* ---- By hand ---- */

struct ended { uint32_t user, gpus; double run_s; };    /* ends with gpus 0 */
static const struct history {
    const char *name;
    struct estimates rule;
    struct ended past[12];
    uint32_t user, gpus;
    double predicted_s;
} histories[] = {
    { "last2: nothing has ended", LAST2, { { 0 } }, 1, 1, NOTHING },
    { "last2: one is too few", LAST2, { { 1, 1, 10 } }, 1, 1, NOTHING },
    { "last2: the mean of two", LAST2, { { 1, 1, 10 }, { 1, 1, 20 } }, 1, 1, 15 },
    { "last2: the last two", LAST2, { { 1, 1, 999 }, { 1, 1, 10 }, { 1, 1, 20 } }, 1, 1, 15 },
    { "last2: and not the first", LAST2, { { 1, 1, 999 }, { 1, 1, 888 }, { 1, 1, 10 }, { 1, 1, 20 } }, 1, 1, 15 },
    { "last2: of the same GPUs, though others ended later", LAST2,
      { { 1, 2, 10 }, { 1, 2, 20 }, { 1, 1, 400 }, { 1, 1, 600 } }, 1, 2, 15 },
    { "last2: one of the same GPUs is too few, then of the user", LAST2,
      { { 1, 2, 10 }, { 1, 1, 400 }, { 1, 1, 600 } }, 1, 2, 500 },
    { "last2: the user's last two may differ in GPUs", LAST2, { { 1, 2, 10 }, { 1, 1, 400 } }, 1, 4, 205 },
    { "last2: a stranger gets the mean of all", LAST2, { { 1, 2, 10 }, { 2, 1, 30 }, { 3, 1, 50 } }, 9, 1, 40 },
    { "last2: jobs without a user are predicted from all", LAST2,
      { { NO_USER, 1, 10 }, { NO_USER, 1, 20 }, { 2, 1, 30 }, { 2, 1, 50 } }, NO_USER, 1, 40 },
    { "last2: jobs without a user count for all", LAST2, { { NO_USER, 1, 10 }, { NO_USER, 1, 20 } }, 3, 1, 15 },
    /* type 7 of 10 20 30 40 50: h = 4 q */
    { "quantile: four are too few", Q(.5), { { 1, 1, 10 }, { 1, 1, 20 }, { 1, 1, 30 }, { 1, 1, 40 } }, 1, 1, NOTHING },
    { "quantile: the median", Q(.5), { { 1, 1, 50 }, { 1, 1, 10 }, { 1, 1, 30 }, { 1, 1, 20 }, { 1, 1, 40 } }, 1, 1, 30 },
    { "quantile: 0.9", Q(.9), { { 1, 1, 50 }, { 1, 1, 10 }, { 1, 1, 30 }, { 1, 1, 20 }, { 1, 1, 40 } }, 1, 1, 46 },
    { "quantile: 0", Q(0), { { 1, 1, 50 }, { 1, 1, 10 }, { 1, 1, 30 }, { 1, 1, 20 }, { 1, 1, 40 } }, 1, 1, 10 },
    { "quantile: 1", Q(1), { { 1, 1, 50 }, { 1, 1, 10 }, { 1, 1, 30 }, { 1, 1, 20 }, { 1, 1, 40 } }, 1, 1, 50 },
    { "quantile: equal ones", Q(.5), { { 1, 1, 7 }, { 1, 1, 7 }, { 1, 1, 7 }, { 1, 1, 7 }, { 1, 1, 9 } }, 1, 1, 7 },
    { "quantile: four of the same GPUs, then of the user", Q(.5),
      { { 1, 2, 10 }, { 1, 2, 20 }, { 1, 2, 30 }, { 1, 2, 40 }, { 1, 1, 500 }, { 2, 2, 1 }, { 2, 2, 1 } }, 1, 2, 30 },
    { "quantile: five of the same GPUs", Q(.5),
      { { 1, 2, 10 }, { 1, 2, 20 }, { 1, 2, 30 }, { 1, 2, 40 }, { 1, 2, 50 }, { 1, 1, 500 }, { 1, 1, 500 } }, 1, 2, 30 },
    { "quantile: a stranger", Q(.5), { { 1, 2, 10 }, { 2, 2, 20 }, { 3, 2, 30 }, { 4, 2, 40 }, { 5, 2, 50 } }, 9, 2, 30 },
};

static void tell(struct predictor *p, const struct ended *e)
{
    predictor_ended(p, e->user, (int64_t)e->gpus * MILLI_ALL, ns_of_seconds(e->run_s));
}

static void history(void **state)
{
    const struct history *h = *state;
    struct predictor *p = predictor_new(&h->rule);
    for (const struct ended *e = h->past; e->gpus; e++)
        tell(p, e);
    int64_t got = predictor_ask(p, h->user, (int64_t)h->gpus * MILLI_ALL);
    assert_int_equal(got, h->predicted_s < 0 ? TIME_NEVER : ns_of_seconds(h->predicted_s));
    predictor_free(p);
}

static void submitted_estimates_need_no_predictor(void **state)
{
    (void)state;
    assert_null(predictor_new(&(struct estimates){ ESTIMATE_TRACE, 0 }));
    assert_null(predictor_new(&(struct estimates){ ESTIMATE_UNIFORM, 1 }));
}

/* ---- Against all of the past, searched and sorted anew ---- */

enum { ENDS = 1500, USERS = 40, SIZES = 3 };

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Level 0: same user and GPUs, 1: same user, 2: all. The newest first. */
static size_t searched(const struct ended *past, size_t n, uint32_t user, uint32_t gpus, int level, int64_t *found)
{
    size_t k = 0;
    for (size_t i = n; i-- > 0;)
        if (level == 2 || (past[i].user == user && (level == 1 || past[i].gpus == gpus)))
            found[k++] = ns_of_seconds(past[i].run_s);
    return k;
}

static int64_t slow_prediction(const struct estimates *e, const struct ended *past, size_t n, uint32_t user, uint32_t gpus)
{
    static int64_t x[ENDS];
    for (int level = 0; level < 3; level++) {
        size_t k = searched(past, n, user, gpus, level, x);
        if (e->kind == ESTIMATE_USER_LAST2 && k >= 2)
            return (x[0] + x[1]) / 2;
        if (e->kind == ESTIMATE_GROUP_QUANTILE && k >= 5) {
            qsort(x, k, sizeof *x, ascending);
            double h = (double)(k - 1) * e->value;
            size_t i = (size_t)h;
            return i + 1 < k ? x[i] + (int64_t)floor((h - (double)i) * (double)(x[i + 1] - x[i]) + .5) : x[i];
        }
    }
    return TIME_NEVER;
}

static const struct rule_row { const char *name; struct estimates rule; } rules[] = {
    { "random: last2", LAST2 }, { "random: the median", Q(.5) }, { "random: 0.85", Q(.85) },
};

static void random_history(void **state)
{
    const struct rule_row *row = *state;
    static struct ended past[ENDS];
    struct predictor *p = predictor_new(&row->rule);
    struct random r;
    random_init(&r, 5, "predict", 0);
    for (size_t i = 0; i < ENDS; i++) {
        uint32_t user = (uint32_t)random_below(&r, USERS), gpus = 1 + (uint32_t)random_below(&r, SIZES);
        int64_t got = predictor_ask(p, user, (int64_t)gpus * MILLI_ALL), want = slow_prediction(&row->rule, past, i, user, gpus);
        if (llabs(got - want) > (row->rule.kind == ESTIMATE_USER_LAST2))    /* a mean may be rounded either way */
            fail_msg("after %zu: want %lld, got %lld", i, (long long)want, (long long)got);
        past[i] = (struct ended){ user, gpus, (double)(2 + 2 * random_below(&r, 500)) };
        tell(p, &past[i]);
    }
    predictor_free(p);
}

/* ---- In a run: what a policy sees. One GPU, first come first served; user a unless a row has another ---- */

enum { MOST = 6 };
static const struct run_row {
    const char *name;
    struct estimates rule;
    struct { double at, run_s, submitted_s, predicted_s; const char *user; } job[MOST];
} runs[] = {
    /* jobs 1 and 2 end at 10 and 30: the mean is 15; job 3 arrives at 29, job 4 at 30, after the end */
    { "run: ends come before arrivals", LAST2, { { 0, 10, 99, 99, "a" }, { 1, 20, 99, 99, "a" }, { 29, 5, 99, 99, "a" },
                                                 { 30, 5, 99, 15, "a" } } },
    { "run: never above what was submitted", LAST2, { { 0, 10, 99, 99, "a" }, { 0, 20, 99, 99, "a" }, { 50, 5, 12, 12, "a" } } },
    { "run: nothing submitted", LAST2, { { 0, 10, NOTHING, NOTHING, "a" }, { 0, 20, NOTHING, NOTHING, "a" },
                                         { 50, 5, NOTHING, 15, "a" }, { 51, 5, NOTHING, 15, "b" } } },
    { "run: as submitted", { ESTIMATE_TRACE, 0 }, { { 0, 10, 99, 99, "a" }, { 0, 20, 99, 99, "a" }, { 50, 5, 99, 99, "a" } } },
};

static struct policy noting_policy;    /* fifo that also notes the prediction at arrival */
static void (*fifo_arrived)(struct sched *, const void *, void *, job_id);
static int64_t predicted_ns[MOST];

static void telling_arrived(struct sched *s, const void *params, void *state, job_id j)
{
    predicted_ns[j] = job_estimate_ns(s, j);
    fifo_arrived(s, params, state, j);
}

static void in_a_run(void **state)
{
    const struct run_row *row = *state;
    struct error err = { "" };
    struct workload *w = workload_new();
    for (size_t i = 0; i < MOST && row->job[i].run_s > 0; i++) {
        struct job_row job = job_row_default;
        job.submit_ns = ns_of_seconds(row->job[i].at);
        job.duration_ns = ns_of_seconds(row->job[i].run_s);
        job.estimate_ns = row->job[i].submitted_s < 0 ? TIME_NEVER : ns_of_seconds(row->job[i].submitted_s);
        job.user = row->job[i].user;
        job.user_length = strlen(job.user);
        assert_int_equal(workload_add(w, &job, "t", i + 1, &err), 0);
    }
    assert_int_equal(workload_finish(w, "t", &err), 0);
    struct group_spec node = { .name = "node", .gpu_model = "A100", .count = 1, .gpus = 1, .cpu_milli = INT64_MAX,
                               .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("one", &node, 1, NULL, 0, &err);
    assert_int_equal(run_bind(c, w, &err), 0);
    noting_policy = *builtin_policies[0];
    assert_string_equal(noting_policy.name, "fifo");
    fifo_arrived = noting_policy.job_arrived;
    noting_policy.job_arrived = telling_arrived;
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = &noting_policy,
                                                   .placer = builtin_placers[0], .estimates = row->rule, .check = true });
    assert_int_equal(run_execute(s, &err), 0);
    assert_false(run_totals(s)->clairvoyant);
    for (job_id j = 0; j < w->n_jobs; j++)
        assert_int_equal(predicted_ns[j], row->job[j].predicted_s < 0 ? TIME_NEVER : ns_of_seconds(row->job[j].predicted_s));
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, history, histories);
    ADD_ROWS(tests, n, random_history, rules);
    ADD_ROWS(tests, n, in_a_run, runs);
    ADD_TEST(tests, n, submitted_estimates_need_no_predictor);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
