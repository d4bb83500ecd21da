/* test_optimal.c - theorems about one server, and about strict FIFO, on random workloads.
 * models.md 11.4. */
#include "sim/base/memory.h"
#include "sim/base/random.h"
#include "tests/support/schedule.h"

enum { WORKLOADS = 200, SIZE = 30 };

/* Whole seconds, so that ties are common. Priorities say nothing about sizes. */
static void draw_jobs(struct job *jobs, size_t n, uint64_t which, unsigned span_s, unsigned longest_s)
{
    struct random r;
    random_init(&r, 7, "optimal", which);
    for (size_t i = 0; i < n; i++)
        jobs[i] = (struct job){ .at = (double)random_below(&r, span_s + 1),
                                .lasts = (double)random_below(&r, longest_s + 1),
                                .gpus = 1,
                                .priority = (int32_t)random_below(&r, 3) };
}

struct played {
    int64_t sum_jct_ns, starts_ns[SIZE];
    bool refused; /* or cancelled: a job did not get all its service */
}; /* starts by row */

static struct played play(const struct job *jobs, size_t n, uint32_t servers, const char *policy)
{
    const struct group_spec groups[GROUPS_AT_MOST] = { NODES(1, servers) };
    struct error err = { "" };
    struct played out = { 0 };
    struct cluster *c = cluster_of(groups, NULL);
    c->overhead = (struct overhead)FREE_OF_CHARGE;
    struct workload *w = workload_of(jobs, n);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct named_policy named = policy_named(policy);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c,
                                                   .workload = w,
                                                   .policy = named.policy,
                                                   .policy_params = named.params,
                                                   .placer = placer_named("first-fit") });
    if (run_execute(s, &err))
        fail_msg("%s: %s", policy, err.text);
    for (job_id j = 0; j < n; j++) {
        struct job_result r = run_job(s, j);
        out.sum_jct_ns += r.wait_ns + r.run_ns;
        out.refused |= r.outcome != OUTCOME_COMPLETED;
        out.starts_ns[strtoul(w->truth[j].name, NULL, 10) - 1] = r.start_ns;
    }
    run_free(s);
    workload_free(w);
    cluster_free(c);
    return out;
}

/* Schrage 1968: on one server no schedule has a smaller mean JCT than the one by shortest
 * remaining time. Against every policy there is, with every word of its parameters. */
static void srpt_beats(const char *policy, bool differs)
{
    unsigned better = 0;
    for (uint64_t k = 0; k < WORKLOADS; k++) {
        struct job jobs[SIZE];
        draw_jobs(jobs, SIZE, k, 4 * SIZE, 9); /* 4.5 s of work every 4 s */
        int64_t best = play(jobs, SIZE, 1, "srtf").sum_jct_ns;
        struct played other = play(jobs, SIZE, 1, policy);
        int64_t sum = other.sum_jct_ns;
        if (other.refused)                     /* a policy that does not do all the work is not compared */
            return;
        if (best > sum)
            fail_msg("%s is better than srtf on workload %u", policy, (unsigned)k);
        better += best < sum;
    }
    if (differs && better <= WORKLOADS / 2) /* control: they are not just the same */
        fail_msg("%s is as good as srtf on %u of %d workloads", policy, WORKLOADS - better, WORKLOADS);
}

/* A policy that sees run times and preempts may be srtf by another name. */
static bool may_be_srpt(const struct policy *p, const struct param *word, size_t w)
{
    double params[48] = { 0 };
    struct error err = { "" };
    assert_true(p->params_size <= sizeof params);
    assert_int_equal(params_parse(p->params, p->params_size, NULL, "", params, &err), 0);
    if (word)
        params[word->at / sizeof(double)] = (double)w;
    unsigned needs = p->needs | (p->also_needs ? p->also_needs(params) : 0u);
    return (needs & SEES_RUN_TIME) && (needs & SEES_RELEASING);
}

static void srpt_is_optimal(void **state)
{
    (void)state;
    for (size_t i = 0; builtin_policies[i]; i++) {
        const struct policy *p = builtin_policies[i];
        srpt_beats(p->name, !may_be_srpt(p, NULL, 0));
        for (const struct param *q = p->params; q && q->name; q++)
            for (size_t w = 0; q->options && q->options[w]; w++) {
                char text[200];
                snprintf(text, sizeof text, "%s:%s=%s", p->name, q->name, q->options[w]);
                srpt_beats(text, !may_be_srpt(p, q, w));
            }
    }
}

/* ---- All at once on one server: no order beats the shortest first (Smith 1956) ---- */

static int64_t sum_of_completions(const struct job *jobs, const size_t *order, size_t n)
{
    int64_t now = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += now += ns_of_seconds(jobs[order[i]].lasts);
    return sum;
}

static void permute(const struct job *jobs, size_t *order, size_t at, size_t n, int64_t *least, int64_t *most)
{
    if (at == n) {
        int64_t sum = sum_of_completions(jobs, order, n);
        *least = sum < *least ? sum : *least;
        *most = sum > *most ? sum : *most;
    }
    for (size_t i = at; i < n; i++) {
        size_t first = order[at];
        order[at] = order[i];
        order[i] = first;
        permute(jobs, order, at + 1, n, least, most);
        order[i] = order[at];
        order[at] = first;
    }
}

static void sjf_is_the_best_order(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < WORKLOADS; k++) {
        struct job jobs[6];
        size_t order[] = { 0, 1, 2, 3, 4, 5 }, n = 1 + k % 6;
        int64_t least = INT64_MAX, most = 0;
        draw_jobs(jobs, n, WORKLOADS + k, 0, 9);
        permute(jobs, order, 0, n, &least, &most);
        assert_true(play(jobs, n, 1, "sjf").sum_jct_ns == least);
        assert_true(play(jobs, n, 1, "srtf").sum_jct_ns == least);
        int64_t fifo = play(jobs, n, 1, "fifo").sum_jct_ns;
        assert_true(fifo >= least && fifo <= most);
    }
}

/* ---- Strict FIFO of jobs with one GPU each: more GPUs or a shorter job make no start later ---- */

static void no_start_is_later(const struct played *before, const struct played *after, unsigned *earlier)
{
    for (size_t i = 0; i < SIZE; i++) {
        assert_true(after->starts_ns[i] <= before->starts_ns[i]);
        *earlier += after->starts_ns[i] < before->starts_ns[i];
    }
}

static void fifo_is_monotone(void **state)
{
    (void)state;
    unsigned by_more = 0, by_shorter = 0;
    for (uint64_t k = 0; k < WORKLOADS; k++) {
        struct job jobs[SIZE];
        uint32_t servers = 1 + (uint32_t)(k % 4);
        draw_jobs(jobs, SIZE, 2 * WORKLOADS + k, 4 * SIZE / servers, 9);
        struct played before = play(jobs, SIZE, servers, "fifo"), more = play(jobs, SIZE, servers + 1, "fifo");
        no_start_is_later(&before, &more, &by_more);
        jobs[k % SIZE].lasts /= 2;
        struct played shorter = play(jobs, SIZE, servers, "fifo");
        no_start_is_later(&before, &shorter, &by_shorter);
    }
    assert_true(by_more > WORKLOADS && by_shorter > WORKLOADS); /* control: it does matter */
}

/* Control: under skip it does not hold. Jobs 1 and 2 end at 4, and job 3 takes both GPUs; if job
 * 1 ends at 3 already, job 4 slips in before it and keeps its GPU until 12. */
static void skip_is_not(void **state)
{
    (void)state;
    struct job jobs[] = { { .lasts = 4, .gpus = 1 },
                          { .lasts = 4, .gpus = 1 },
                          { .at = 1, .lasts = 1, .gpus = 2 },
                          { .at = 1, .lasts = 9, .gpus = 1 } };
    assert_true(play(jobs, COUNT(jobs), 2, "fifo:blocking=skip").starts_ns[2] == 4 * NS_PER_S);
    jobs[0].lasts = 3;
    assert_true(play(jobs, COUNT(jobs), 2, "fifo:blocking=skip").starts_ns[2] == 12 * NS_PER_S);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, srpt_is_optimal);
    ADD_TEST(tests, n, sjf_is_the_best_order);
    ADD_TEST(tests, n, fifo_is_monotone);
    ADD_TEST(tests, n, skip_is_not);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
