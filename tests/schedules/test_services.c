/* test_services.c - replicas of services among other jobs, worked out by hand: when they are
 * ready, which jobs they wait for, and which goes first. */
#include "tests/support/service_run.h"

#define ONE_NODE_OF(gpus) "nodes: [ { group: n, count: 1, gpus: " #gpus ", gpu_model: A100-SXM4-80 } ]\n"
#define TWO_NODES "nodes: [ { group: n, count: 2, gpus: 2, gpu_model: A100-SXM4-80 } ]\n"
#define HOURS(...) "autoscaler: { kind: profile, replicas: [ " #__VA_ARGS__ ", 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 ] }"
#define SERVICE(more) "workload: w\nspan_s: 10800\nservices:\n  - name: s\n    requests: { rate_per_s: 10 }\n    service_time: { law: exponential, mean_s: 0.02 }\n" more
#define IDLE_COSTS "preemption: { checkpoint: none, grace_s: 30, start_s: 1000, restart_s: 1000 }\n"

/* models.md 4.6: a 7B model in fp16: 30 s for an image that is there (180 s for one that is
 * not), 14 GB at 2 GB/s, 5 s to warm up: 42 s, or 192 s. The start-up of the cluster does not
 * concern it. Rows every 6 s. */
static void start_up(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(4) IDLE_COSTS,
                                    SERVICE("    interval_s: 6\n    replicas: { min: 1, max: 3 }\n"
                                            "    start_up: { weights_gb: 14, was_there: false }\n    " HOURS(1, 2, 3) "\n"),
                                    "fifo", "pack", 1, 0);
    assert_near(ready_at(&p, "s", 1), 192, 1e-9);
    assert_near(ready_at(&p, "s", 2), 3600 + 42, 1e-9);
    assert_near(ready_at(&p, "s", 3), 7200 + 42, 1e-9);
    assert_near(played_value(&p, "cold_starts", "service=s"), 3, 0);
    assert_near(played_value(&p, "replica_h", "service=s"), ((10800. - 192) + (10800 - 3642) + (10800 - 7242)) / 3600, 1e-9);
    assert_near(played_value(&p, "overhead_gpu_h", "class=inference"), (192. + 42 + 42) / 3600, 1e-9);
    played_free(&p);
}

/* A service without a start_s was there before: a replica that is placed at once is ready at
 * once, a later one is not. */
static void was_there(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), SERVICE("    interval_s: 5\n    replicas: { min: 1, max: 2 }\n    " HOURS(1, 2, 2) "\n"), "fifo", "pack", 1, 0);
    assert_near(ready_at(&p, "s", 1), 5, 1e-9);
    assert_near(ready_at(&p, "s", 2), 3635, 1e-9);
    assert_near(played_value(&p, "requests_dropped", "service=s"), 0, 0);
    played_free(&p);
}

/* Two GPUs, a job has one until 1000 s: the second replica waits for it as a job does, then
 * starts where the image is: 35 s. */
static void competes(void **state)
{
    static const char workload[] = "workload: w\nspan_s: 3000\njobs: 1\narrivals: { rate_per_h: 3600 }\nprojects: { names: [q] }\n"
                                   "durations: { law: fixed, value_s: 1000 }\ngpus: { 1: 1 }\nservices:\n"
                                   "  - { name: s, requests: { rate_per_s: 10 }, service_time: { law: exponential, mean_s: 0.02 },\n"
                                   "      interval_s: 1, replicas: { min: 2 }, queue: q, start_s: 10, end_s: 3000 }\n";
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), workload, "fifo", "pack", 1, 0);
    struct job_result job = played_job(&p, "1"), second = played_job(&p, "s/1");
    assert_true(job.start_ns >= 0 && job.start_ns < 10 * NS_PER_S);
    assert_int_equal(second.start_ns, job.end_ns);
    assert_int_equal(second.wait_ns, job.end_ns - 10 * NS_PER_S);
    assert_int_equal(second.end_ns, 3000 * NS_PER_S);
    assert_near(ready_at(&p, "s", 1), 10 + 185, 1e-9);
    assert_near(ready_at(&p, "s", 2), ceil(seconds(job.end_ns)) + 35, 1e-9);
    /* In no mean of jobs that end on their own. */
    assert_near(played_value(&p, "jct_mean_s", "all"), 1000, 1e-9);
    played_free(&p);
}

/* Three wanted, two GPUs; then two: the one that waits goes; then one: the newest goes. Both
 * began at 0; equal times go by the higher number. */
static void pending_first(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), SERVICE("    replicas: { min: 1, max: 3 }\n    " HOURS(3, 2, 1) "\n"), "fifo", "pack", 1, 0);
    struct job_result first = played_job(&p, "s/0"), second = played_job(&p, "s/1"), third = played_job(&p, "s/2");
    assert_int_equal(third.start_ns, -1);
    assert_int_equal(third.end_ns, 3600 * NS_PER_S);
    assert_int_equal(third.wait_ns, 3600 * NS_PER_S);
    assert_int_equal(second.end_ns, 7200 * NS_PER_S);
    assert_int_equal(first.end_ns, 10800 * NS_PER_S);
    played_free(&p);
}

/* An image takes longer than an hour to come. In the second hour s/1 goes to the empty node, s/2
 * where the image is: s/2 is ready at 3635 s, s/1 would be at 10800 s. In the third hour one is
 * too many: s/1, though s/2 is as new. */
static void not_ready_first(void **state)
{
    (void)state;
    struct played p = play_services(TWO_NODES, SERVICE("    replicas: { min: 1, max: 3 }\n    start_up: { pull_s: 7195 }\n    " HOURS(1, 3, 2) "\n"),
                                    "fifo", "spread", 1, 0);
    struct job_result second = played_job(&p, "s/1"), third = played_job(&p, "s/2");
    assert_int_equal(second.start_ns, 3600 * NS_PER_S);
    assert_int_equal(second.end_ns, 7200 * NS_PER_S);
    assert_int_equal(third.start_ns, 3600 * NS_PER_S);
    assert_int_equal(third.end_ns, 10800 * NS_PER_S);
    assert_near(ready_at(&p, "s", 2), 3660, 1e-9);
    assert_near(ready_at(&p, "s", 3), -1, 0);
    played_free(&p);
}

/* Offered load 100/s x 0.02 s = 2; duty 0.6. 1 busy replica: ceil(1/0.6) = 2; 2, busy:
 * ceil(2/0.6) = 4; 4, busy with what was left over: ceil(4/0.6) = 7. Then 2/7/0.6 < 0.9, and
 * after 300 s without more: ceil(7 x 2/7/0.6) = 4, for ever: 0.5/0.6 < 0.9 wants ceil(4 x
 * 0.5/0.6) = 4. */
static void hpa(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(8),
                                    "workload: w\nspan_s: 7200\nservices:\n  - name: s\n    requests: { rate_per_s: 100 }\n    service_time: { law: exponential, mean_s: 0.02 }\n"
                                    "    replicas: { min: 1, max: 8 }\n    interval_s: 15\n    start_up: { pull_cached_s: 0, warm_up_s: 10 }\n    autoscaler: { kind: hpa }\n",
                                    "fifo", "pack", 1, 0);
    static const uint32_t wanted[] = { 2, 4, 7 };    /* at 15 s, 30 s (the second was ready at 25 s), 45 s (four from 40 s on) */
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_int_equal(p.row[i].wanted, wanted[i]);
    assert_int_equal(p.row[p.n_rows - 1].wanted, 4);
    assert_int_equal(p.row[p.n_rows - 1].ready, 4);
    assert_near(played_value(&p, "requests_arrived", "service=s"), 720000, 1e-9);
    played_free(&p);
}

/* Ten times as many requests from eight to twenty o'clock, three days long. An autoscaler that
 * only reacts drops some of them each morning, until new replicas have started; one that
 * forecasts learns it on the first day, and has them there on the next ones, one bin before. */
static void forecast(void **state)
{
    static const char *const scaler[] = { "kind: hpa", "kind: forecast", "kind: forecast, forecast: daily-max" };
    double dropped[COUNT(scaler)][3] = { { 0 } };
    (void)state;
    for (size_t i = 0; i < COUNT(scaler); i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "workload: w\nspan_s: 259200\nservices:\n  - name: s\n    requests: { rate_per_s: 110, arrivals: { daily: [1,1,1,1,1,1,1,1,10,10,10,10,10,10,10,10,10,10,10,10,1,1,1,1] } }\n"
                 "    service_time: { law: exponential, mean_s: 0.05 }\n    interval_s: 900\n    replicas: { min: 1, max: 30, initial: 3 }\n    autoscaler: { %s }\n",
                 scaler[i]);
        struct played p = play_services(ONE_NODE_OF(32), text, "fifo", "pack", 1, 0);
        for (size_t k = 0; k < p.n_rows; k++)
            dropped[i][(p.row[k].to_ns - 1) / (86400 * NS_PER_S)] += p.row[k].dropped;
        played_free(&p);
    }
    for (size_t day = 0; day < 3; day++)
        assert_true(dropped[0][day] > 1000);
    for (size_t i = 1; i < COUNT(scaler); i++) {
        assert_true(dropped[i][0] > 1000);           /* the control: it knows nothing yet */
        assert_near(dropped[i][1], 0, 1e-6);
        assert_near(dropped[i][2], 0, 1e-6);
    }
}

/* A job of higher priority takes the GPU of the only replica for 1000 s: no replica is ready
 * until it has ended and the replica has started again, where its image is. */
static void preempted(void **state)
{
    static const char workload[] = "workload: w\nspan_s: 4000\njobs: 1\narrivals: { rate_per_h: 36 }\nprojects: { names: [q] }\npriority: 5\n"
                                   "durations: { law: fixed, value_s: 1000 }\ngpus: { 1: 1 }\nservices:\n"
                                   "  - { name: s, requests: { rate_per_s: 10 }, service_time: { law: exponential, mean_s: 0.02 }, mode: requests,\n"
                                   "      interval_s: 1, queue: q, preemptible: %s, lost_requests: %s }\n";
    static const struct { const char *preemptible, *lost; } how[] = { { "true", "requeue" }, { "true", "drop" }, { "false", "requeue" } };
    double served[COUNT(how)];
    (void)state;
    for (size_t i = 0; i < COUNT(how); i++) {
        char text[1000];
        snprintf(text, sizeof text, workload, how[i].preemptible, how[i].lost);
        struct played p = play_services(ONE_NODE_OF(1), text, "priority:preempt=yes", "pack", 1, 0);
        struct job_result job = played_job(&p, "1"), replica = played_job(&p, "s/0");
        served[i] = played_value(&p, "requests_served", "service=s");
        if (i == 2) {
            assert_int_equal(replica.preemptions, 0);
            assert_near(served[i], played_value(&p, "requests_arrived", "service=s"), 1e-3);    /* but for the last */
        } else {
            double gone_s = seconds(job.start_ns), back_s = seconds(job.end_ns) + 35;
            assert_int_equal(replica.preemptions, 1);
            assert_near(played_value(&p, "lost_gpu_h", "class=inference"), 0, 0);
            for (size_t k = 0; k < p.n_rows; k++) {
                double at_s = seconds(p.row[k].to_ns);
                assert_int_equal(p.row[k].ready, at_s < gone_s || at_s >= back_s);
            }
            /* 10/s for as long as no replica was ready, less those that waited for at most 10 s of it, 6 standard errors */
            assert_near(played_value(&p, "requests_dropped", "service=s"), 10 * (1035 - 10), 6 / sqrt(10350));
        }
        played_free(&p);
    }
    assert_true(served[1] <= served[0] && served[2] > served[0] + 9000);
}

/* Whatever the policy does, the requests are the same; of another seed they are others. */
static void common_random_numbers(void **state)
{
    static const char workload[] = "workload: w\njobs: 60\nload: { target: 1.2 }\nprojects: { names: [q] }\npriority: 1\n"
                                   "durations: { law: exponential, mean_s: 900 }\ngpus: { 1: 1, 2: 1 }\nservices:\n"
                                   "  - { name: a, requests: { rate_per_s: 3, arrivals: { law: mmpp } }, service_time: { law: exponential, mean_s: 0.2 },\n"
                                   "      mode: requests, queue: q, preemptible: true, replicas: { min: 1, max: 4 }, autoscaler: { kind: hpa } }\n"
                                   "  - { name: b, requests: { rate_per_s: 30, arrivals: { law: mmpp } }, service_time: { batch: {} }, queue: q }\n";
    static const char *const policy[] = { "fifo", "static", "quota", "preemptive", "kube", "srtf" };
    uint64_t hash[COUNT(policy) + 1];
    double attained[COUNT(policy)];
    (void)state;
    for (size_t i = 0; i <= COUNT(policy); i++) {
        bool control = i == COUNT(policy);
        struct played p = play_services("nodes: [ { group: n, count: 2, gpus: 2 } ]\nqueues: [ { name: q, deserved_gpus: 4 } ]\n", workload,
                                        control ? "fifo" : policy[i], "pack", control ? 2 : 1, 0);
        hash[i] = services_drawn(p.sched);
        if (!control)
            attained[i] = played_value(&p, "slo_attainment", "service=a");
        assert_true(hash[i] != 0);
        played_free(&p);
    }
    for (size_t i = 1; i < COUNT(policy); i++)
        assert_true(hash[i] == hash[0]);
    assert_true(hash[COUNT(policy)] != hash[0]);
    assert_true(attained[3] != attained[0]);         /* though their attainments differ */
}

/* Two of three busy replicas are withdrawn: what they have goes back to the others, or is lost;
 * each way to serve, and to dispatch. */
static void withdrawn_busy(void **state)
{
    static const char *const time[] = { "law: exponential, mean_s: 0.2", "batch: { t0_s: 0.5, t1_s: 0.01, most: 8 }", "llm: {}" };
    static const char *const dispatch[] = { "central", "jsq", "random2" };
    (void)state;
    for (size_t i = 0; i < COUNT(time) * COUNT(dispatch) * 2; i++) {
        bool drop = i % 2;
        char text[1000];
        snprintf(text, sizeof text,
                 "workload: w\nspan_s: 4000\nservices:\n  - name: s\n    requests: { rate_per_s: 12, prompt_tokens: { law: fixed, value_s: 500 },\n"
                 "      output_tokens: { law: fixed, value_s: 100 } }\n    service_time: { %s }\n    dispatch: %s\n    lost_requests: %s\n    mode: requests\n"
                 "    timeout_s: 1000000\n    replicas: { min: 1, max: 3 }\n    " HOURS(3, 1, 1) "\n",
                 time[i / 6], dispatch[i / 2 % 3], drop ? "drop" : "requeue");
        struct played p = play_services(ONE_NODE_OF(4), text, "fifo", "pack", 1, 0);
        if ((played_value(&p, "requests_dropped", "service=s") > 0) != drop)
            fail_msg("%s, %s, %s: %g dropped", time[i / 6], dispatch[i / 2 % 3], drop ? "drop" : "requeue", played_value(&p, "requests_dropped", "service=s"));
        assert_true(played_value(&p, "requests_served", "service=s") > 3600 * 11.);
        played_free(&p);
    }
}

/* A replica that no node can hold: it is refused once, and everything is dropped. */
static void never_fits(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), SERVICE("    gpus: 4\n    tasks: 1\n"), "fifo", "pack", 1, 0);
    assert_int_equal(played_job(&p, "s/0").outcome, OUTCOME_REJECTED);
    assert_near(played_value(&p, "requests_served", "service=s"), 0, 0);
    assert_near(played_value(&p, "slo_attainment", "service=s"), 0, 0);
    played_free(&p);
}

/* Cut off in the middle: what was there is unfinished, and nothing dropped for that. */
static void cut_off(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), SERVICE("    mode: requests\n    lost_requests: drop\n    replicas: { min: 2 }\n"), "fifo", "pack", 1, 1234);
    assert_near(seconds(p.row[p.n_rows - 1].to_ns), 1234, 1e-12);
    assert_int_equal(p.row[p.n_rows - 1].ready, 2);
    assert_near(played_value(&p, "requests_dropped", "service=s"), 0, 0);
    assert_near(played_value(&p, "replica_h", "service=s"), 2 * 1234. / 3600, 1e-9);
    played_free(&p);
}

/* Two jobs of 500 s on two GPUs, then a service with 10 requests/s: 100 s after the later end, for
 * 1000 s. */
#define AFTER_JOBS(more) \
    "workload: w\njobs: 2\narrivals: { rate_per_h: 36 }\nprojects: { names: [q] }\n" \
    "durations: { law: fixed, value_s: 500 }\nfates: { completed: { share: 1 } }\ngpus: { 1: 1 }\nservices:\n" \
    "  - { name: s, queue: q, requests: { rate_per_s: 10 }, service_time: { law: exponential, mean_s: 0.02 },\n" \
    "      interval_s: 10, " more " }\n"

static void after_jobs(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), AFTER_JOBS("depends_on: 'afterok:1:2', start_s: 100, end_s: 1100"), "fifo", "pack", 1, 0);
    int64_t first = played_job(&p, "1").end_ns, second = played_job(&p, "2").end_ns;
    int64_t begins = (first > second ? first : second) + 100 * NS_PER_S;
    struct job_result replica = played_job(&p, "s/0");
    assert_int_equal(replica.submit_ns, begins);
    assert_int_equal(replica.start_ns, begins);
    assert_int_equal(replica.end_ns, begins + 1000 * NS_PER_S);
    assert_int_equal(p.row[0].to_ns, begins + 10 * NS_PER_S);
    /* 180 s for an image that no node has, 5 s to warm up: models.md 4.6. It was not there before. */
    assert_near(ready_at(&p, "s", 1), seconds(begins) + 190, 1e-9);
    /* a rate of 10/s for 1000 s, in fluid mode to the last digit of a sum */
    assert_near(played_value(&p, "requests_arrived", "service=s"), 10000, 1e-6);
    assert_int_equal(p.n_rows, 100);
    played_free(&p);
}

/* One alternative is enough: the end of the first of the two jobs. */
static void after_one_of_them(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), AFTER_JOBS("depends_on: '1?2', end_s: 400"), "fifo", "pack", 1, 0);
    int64_t first = played_job(&p, "1").end_ns, second = played_job(&p, "2").end_ns;
    assert_true(first != second);
    assert_int_equal(played_job(&p, "s/0").submit_ns, first < second ? first : second);
    played_free(&p);
}

/* Both jobs complete, so a service after a failure never begins, and holds up nothing; with
 * invalid_dependency: wait neither. */
static void after_what_never_comes(void **state)
{
    static const char *const cluster[] = { ONE_NODE_OF(2), "invalid_dependency: wait\n" ONE_NODE_OF(2) };
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct played p = play_services(cluster[i], AFTER_JOBS("depends_on: 'afternotok:2', end_s: 400"), "fifo", "pack", 1, 0);
        assert_int_equal(p.n_rows, 0);
        assert_int_equal(played_job(&p, "s/0").state, JOB_ABSENT);
        assert_near(played_value(&p, "requests_arrived", "service=s"), 0, 0);
        int64_t first = played_job(&p, "1").end_ns, second = played_job(&p, "2").end_ns;
        assert_int_equal(p.sched->now_ns, first > second ? first : second);
        played_free(&p);
    }
}

/* The run is cut off before its jobs have ended. */
static void cut_off_before_it(void **state)
{
    (void)state;
    struct played p = play_services(ONE_NODE_OF(2), AFTER_JOBS("depends_on: 'afterany:2', end_s: 400"), "fifo", "pack", 1, 300);
    assert_int_equal(p.n_rows, 0);
    assert_near(played_value(&p, "replica_h", "service=s"), 0, 0);
    played_free(&p);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, start_up);
    ADD_TEST(tests, n, was_there);
    ADD_TEST(tests, n, competes);
    ADD_TEST(tests, n, pending_first);
    ADD_TEST(tests, n, not_ready_first);
    ADD_TEST(tests, n, hpa);
    ADD_TEST(tests, n, forecast);
    ADD_TEST(tests, n, preempted);
    ADD_TEST(tests, n, common_random_numbers);
    ADD_TEST(tests, n, withdrawn_busy);
    ADD_TEST(tests, n, never_fits);
    ADD_TEST(tests, n, cut_off);
    ADD_TEST(tests, n, after_jobs);
    ADD_TEST(tests, n, after_one_of_them);
    ADD_TEST(tests, n, after_what_never_comes);
    ADD_TEST(tests, n, cut_off_before_it);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
