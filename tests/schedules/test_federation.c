/* test_federation.c - jobs over two members, home and away, by hand: where each job goes and
 * when it starts. The expected waits behind each decision are worked out beside it from the rule
 * in router.h: (GPUs ahead) x (mean run) / (GPUs of the member). */
#include "sim/federation/router.h"
#include "tests/support/schedule.h"

enum { HOME, AWAY, MEMBERS };
struct federated_row {
    const char *name;
    struct federation rule;       /* without members */
    struct group_spec group[MEMBERS][GROUPS_AT_MOST];
    double until;
    uint32_t member[JOBS_AT_MOST];
    struct job jobs[JOBS_AT_MOST];
};

static struct federation_member names[] = { { "home", "home.yaml", NULL }, { "away", "away.yaml", NULL } };
#define LEAST_WAIT(run)    .rule = { .route = ROUTE_LEAST_WAIT, .first_run_ns = (run) * NS_PER_S, .others = ID_NONE }
#define SPILL(limit, run)  .rule = { .route = ROUTE_SPILL, .limit_ns = (limit) * NS_PER_S, .first_run_ns = (run) * NS_PER_S, .others = ID_NONE }
#define TWO(a, b)          .group = { ONE_NODE(a), ONE_NODE(b) }
static struct federation_queue of_queues[] = { { "vision", HOME }, { "speech", AWAY } };

/* clang-format off */
static const struct federated_row rows[] = {
    { "by queue; others; jobs without a queue", .rule = { .route = ROUTE_QUEUE, .queue = of_queues, .n_queues = 2, .others = AWAY }, TWO(2, 2),
      .member = { HOME, AWAY, HOME, AWAY, AWAY },
      .jobs = { { 0, 10, 2, 0, .queue = "vision" }, { 0, 8, 2, 0, .queue = "speech" }, { 1, 5, 1, 10, .queue = "vision" },
                { 2, 5, 1, 8 }, { 3, 5, 1, 8, .queue = "text" } } },
    /* 1: 0 and 0, tie. 2: at the same instant, home 2 x 3600 / 2, away 0. 3: home 1 x 3600 / 2, away as much, tie. 4: home 1 waits:
     * 3 x 3600 / 2, away 2 x 3600 / 2. 5: home one of two is free, no job waits: 0. 6: what ends at 13 is not seen: home 2 x 10 / 2;
     * away no job has ended, so the mean is that of all members: 4 x 10 / 2. */
    { "least wait", LEAST_WAIT(3600), TWO(2, 2), .member = { HOME, AWAY, HOME, AWAY, HOME, HOME },
      .jobs = { { 0, 10, 2, 0 }, { 0, 20, 2, 0 }, { 5, 4, 1, 10 }, { 6, 4, 2, 20 }, { 12, 1, 1, 12 }, { 13, 5, 2, 14 } } },
    /* 2: home 2 x 10 / 2 = 10, away 2 x 10 / 8 = 2.5, as nothing of either is free. */
    { "least wait: a larger member's queue moves faster", LEAST_WAIT(10), TWO(2, 8), .member = { HOME, AWAY, AWAY },
      .jobs = { { 0, 100, 2, 0 }, { 0, 50, 8, 0 }, { 1, 5, 2, 50 } } },
    /* 3: at home one has ended after 4, away one after 40: 1 x 4 / 1 against 1 x 40 / 1. */
    { "least wait: each member's own mean run", LEAST_WAIT(10), TWO(1, 1), .member = { HOME, AWAY, HOME, AWAY, HOME },
      .jobs = { { 0, 4, 1, 0 }, { 0, 40, 1, 0 }, { 41, 9, 1, 41 }, { 41, 9, 1, 41 }, { 42, 1, 1, 50 } } },
    { "least wait: only where it can ever run", LEAST_WAIT(10), TWO(1, 4), .member = { AWAY, AWAY, HOME },
      .jobs = { { 0, 10, 3, 0 }, { 1, 10, 3, 10 }, { 2, 10, 1, 2 } } },
    /* 2: home 1 x 10 / 2 = 5. 3: 2 x 10 / 2 = 10, just within. 4: 3 x 10 / 2 = 15; away 0. 5: runs nowhere. 6: home 4 x 10 / 2; away
     * 2 x 10 / 2, with nothing of 5. 7: home 15; away 2 waiting + 1 - 1 free = 2: 10. */
    { "spill", SPILL(10, 10), TWO(2, 2), .member = { HOME, HOME, HOME, AWAY, AWAY, AWAY, AWAY },
      .jobs = { { 0, 100, 2, 0 }, { 1, 100, 1, 100 }, { 2, 5, 1, 100 }, { 3, 5, 1, 3 },
                { 4, 5, 3, NEVER, .refused = "asks for more than the cluster has" }, { 4, 5, 2, 8 }, { 5, 5, 1, 13 } } },
    /* Both too long: the last. 3: home 1 x 10 / 1, away the same. */
    { "spill: nowhere short enough", SPILL(9, 10), TWO(1, 1), .member = { HOME, AWAY, AWAY },
      .jobs = { { 0, 30, 1, 0 }, { 1, 50, 1, 1 }, { 2, 5, 1, 51 } } },
    { "spill: the last cannot run it", SPILL(0, 10), TWO(2, 1), .member = { HOME, HOME },
      .jobs = { { 0, 30, 2, 0 }, { 1, 5, 2, 30 } } },
    { "cut off: a job that has not arrived belongs to no member", SPILL(0, 10), TWO(1, 1), .until = 7, .member = { HOME, AWAY, HOME },
      .jobs = { { 0, 10, 1, 0, .ends = NEVER }, { 1, 3, 1, 1 }, { 9, 5, 1, NEVER } } },
};
/* clang-format on */

struct federation_run {
    struct federation rule;
    struct router *router;
    struct cluster *cluster[MEMBERS];
    struct workload *workload[MEMBERS];
    struct sched *run[MEMBERS];
};

static void begin(struct federation_run *f, const struct federated_row *row, const char *policy)
{
    static struct named_policy named;
    size_t n = 0;
    while (n < JOBS_AT_MOST && row->jobs[n].gpus)
        n++;
    named = policy_named(policy);
    f->rule = row->rule;
    f->rule.path = "f.yaml";
    f->rule.n = MEMBERS;
    f->rule.member = names;
    f->router = router_new(&f->rule, (uint32_t)n);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        struct error err = { "" };
        f->cluster[m] = cluster_of(row->group[m], NULL);
        f->workload[m] = workload_of(row->jobs, n);
        assert_int_equal(run_bind(f->cluster[m], f->workload[m], &err), 0);
        f->run[m] = run_new(&(struct run_setup){ .cluster = f->cluster[m], .workload = f->workload[m], .policy = named.policy,
            .policy_params = named.params, .placer = placer_named("pack"), .check = true, .until_ns = (int64_t)(row->until * NS_PER_S),
            .part = router_part(f->router, m) });
    }
}

static void end(struct federation_run *f)
{
    for (size_t m = 0; m < MEMBERS; m++) {
        run_free(f->run[m]);
        workload_free(f->workload[m]);
        cluster_free(f->cluster[m]);
    }
    router_free(f->router);
}

static double at(int64_t ns)
{
    return ns < 0 ? NEVER : (double)ns / NS_PER_S;
}

static void goes_as_written(void **state)
{
    const struct federated_row *row = *state;
    struct federation_run f;
    struct error err = { "" };
    begin(&f, row, "fifo");
    assert_int_equal(router_check(&f.rule, f.cluster[HOME], f.workload[HOME], &err), 0);
    if (router_execute(f.router, f.run, &err))
        fail_msg("%s", err.text);
    for (job_id j = 0; j < f.workload[HOME]->n_jobs; j++) {
        const struct job *want = &row->jobs[j];
        uint32_t m = router_member(f.router, j);
        struct job_result r = run_job(f.run[m], j);
        if (m != row->member[j] || at(r.start_ns) != want->starts)
            fail_msg("%s: job %u: want member %u and start %g, got %u and %g", row->name, j + 1, row->member[j], want->starts, m, at(r.start_ns));
        if (want->refused)
            assert_string_equal(r.refusal, want->refused);
        assert_int_equal(run_job(f.run[1 - m], j).state, JOB_ABSENT);
    }
    for (size_t m = 0; m < MEMBERS; m++) {
        const struct run_totals *t = run_totals(f.run[m]);
        assert_int_equal(t->last_ns, run_totals(f.run[HOME])->last_ns);
        assert_true(t->capacity == (int128_t)(t->last_ns - t->first_ns) * f.cluster[m]->gpus * MILLI_ALL);
    }
    end(&f);
}

/* 10 s x 2 GPUs at home and 8 s x 1 GPU away of 3 GPUs, from 0 to 10: 28 GPU s held of 30. */
static void the_whole_adds_up(void **state)
{
    static const struct federated_row row = { "whole", SPILL(0, 1000), TWO(2, 1), .jobs = { { 0, 10, 2, 0 }, { 0, 8, 1, 0 } } };
    struct federation_run f;
    struct error err = { "" };
    (void)state;
    begin(&f, &row, "fifo");
    assert_int_equal(router_execute(f.router, f.run, &err), 0);
    struct summary *own[MEMBERS];
    const char *name[MEMBERS] = { "home", "away" };
    for (size_t m = 0; m < MEMBERS; m++)
        own[m] = summary_make(f.run[m]);
    struct summary *whole = summary_make_federated(&(struct federated){ MEMBERS, (const struct sched *const *)f.run, name, (const struct summary *const *)own });
    static const struct { const char *metric, *scope; double value; } want[] = {
        { "jobs_submitted", "all", 2 }, { "jobs_completed", "all", 2 }, { "jct_mean_s", "all", 9 }, { "jct_p50_s", "all", 9 },
        { "util_alloc", "all", 28.0 / 30 }, { "util_busy", "all", 28.0 / 30 }, { "makespan_s", "all", 10 }, { "gpu_h_held", "all", 28.0 / 3600 },
        { "jobs_routed", "member=home", 1 }, { "jobs_routed", "member=away", 1 }, { "util_alloc", "member=home", 1 },
        { "util_alloc", "member=away", .8 }, { "jct_mean_s", "member=away", 8 }, { "jct_p50_s", "member=away", 8 },
        { "jct_mean_s", "queue=default", 9 }, { "util_alloc", "queue=default", 28.0 / 30 }, { "wait_mean_s", "class=training", 0 },
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double got = summary_value(whole, want[i].metric, want[i].scope);
        if (!(fabs(got - want[i].value) < 1e-12))
            fail_msg("%s of %s: want %.12g, got %.12g", want[i].metric, want[i].scope, want[i].value, got);
    }
    for (size_t m = 0; m < MEMBERS; m++)
        summary_free(own[m]);
    summary_free(whole);
    end(&f);
}

static void is_refused(void **state)
{
    static const struct { const char *said; struct federated_row row; } refused[] = {
        { "f.yaml: jobs of the trace depend on others, which may be routed elsewhere: want none that do",
          { "", SPILL(0, 1), TWO(1, 1), .jobs = { { 0, 1, 1 }, { 0, 1, 1, .after = "1" } } } },
        { "f.yaml: jobs of the trace run already, where a member is not known: want none that do",
          { "", SPILL(0, 1), TWO(1, 1), .jobs = { { 0, 1, 1, .on = "0:0" } } } },
        { "f.yaml: queues: the trace has jobs in queue 'text': want it there, or others",
          { "", .rule = { .route = ROUTE_QUEUE, .queue = of_queues, .n_queues = 2, .others = ID_NONE }, TWO(1, 1),
            .jobs = { { 0, 1, 1, .queue = "vision" }, { 0, 1, 1, .queue = "text" } } } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct federation_run f;
        struct error err = { "" };
        begin(&f, &refused[i].row, "fifo");
        assert_int_equal(router_check(&f.rule, f.cluster[HOME], f.workload[HOME], &err), -1);
        assert_string_equal(err.text, refused[i].said);
        end(&f);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, goes_as_written, rows);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(the_whole_adds_up);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(is_refused);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
