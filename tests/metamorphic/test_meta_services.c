/* test_meta_services.c - what must hold between runs of services, whatever the numbers are. */
#include "tests/support/service_run.h"

#define CLUSTER(gpus) "nodes: [ { group: n, count: 1, gpus: " #gpus ", gpu_model: A100-SXM4-80 } ]\n"

static const struct meta_service { const char *name, *mode, *rate, *arrivals, *time; } rows[] = {
    { "fluid, M/M/c", "fluid", "97", "{}", "law: exponential, mean_s: 0.05" },
    { "fluid, daily", "fluid", "100", "{ daily: [1,1,1,1,1,1,1,2,3,4,5,6,6,5,4,3,2,1,1,1,1,1,1,1] }", "law: lognormal, mean_s: 0.05, median_s: 0.03" },
    { "fluid, bursts", "fluid", "57", "{ law: mmpp }", "law: exponential, mean_s: 0.05" },
    { "fluid, batches", "fluid", "2000", "{ law: mmpp }", "batch: {}" },
};

static struct played play(const struct meta_service *row, unsigned replicas, const char *cluster, const char *rate)
{
    char text[1000];
    snprintf(text, sizeof text,
             "workload: w\nspan_s: 43200\nservices:\n  - name: s\n    requests: { rate_per_s: %s, arrivals: %s }\n    service_time: { %s }\n"
             "    mode: %s\n    interval_s: 600\n    replicas: { min: %u }\n    slo: { latency_s: 0.3 }\n",
             rate, row->arrivals, row->time, row->mode, replicas);
    return play_services(cluster, text, "fifo", "pack", 1, 0);
}

/* More replicas never serve worse, as long as there are GPUs for them; one that gets none
 * changes nothing. No rate here is within 1 % of what some number of replicas can serve: there a
 * fluid has no queue yet, and the equilibrium of one replica more has one. */
static void more_replicas(void **state)
{
    const struct meta_service *row = *state;
    double last = -1, first = 0, mean_s = INFINITY;
    for (unsigned n = 1; n <= 12; n++) {
        struct played p = play(row, n, CLUSTER(12), row->rate);
        double attained = played_value(&p, "slo_attainment", "service=s"), latency_s = played_value(&p, "latency_mean_s", "service=s");
        if (attained < last - 1e-12)
            fail_msg("%u replicas attain %.17g, one fewer %.17g", n, attained, last);
        if (n > 1 && played_value(&p, "requests_dropped", "service=s") == 0 && latency_s > mean_s * (1 + 1e-9))
            fail_msg("%u replicas take %.17g s, one fewer %.17g", n, latency_s, mean_s);
        first = n == 1 ? attained : first;
        mean_s = latency_s;
        last = attained;
        played_free(&p);
    }
    assert_true(last > first);
    struct played full = play(row, 4, CLUSTER(4), row->rate), more = play(row, 9, CLUSTER(4), row->rate);
    assert_near(played_value(&more, "slo_attainment", "service=s"), played_value(&full, "slo_attainment", "service=s"), 1e-12);
    played_free(&full);
    played_free(&more);
}

/* Autoscalers do not change which requests come, in either mode, nor does a service beside it. */
static void others_do_not_matter(void **state)
{
    static const char *const mode[] = { "fluid", "requests" };
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        double arrived[3], served[3];
        for (size_t i = 0; i < 3; i++) {
            char text[1200];
            snprintf(text, sizeof text,
                     "workload: w\nspan_s: 7200\nservices:\n  - name: s\n    requests: { rate_per_s: 20, arrivals: { law: mmpp } }\n"
                     "    service_time: { law: exponential, mean_s: 0.1 }\n    mode: %s\n    replicas: { min: 1, max: 8, initial: 4 }\n%s%s",
                     mode[m], i == 1 ? "    autoscaler: { kind: hpa }\n" : "",
                     i == 2 ? "  - { name: a, requests: { rate_per_s: 20 }, service_time: { law: exponential, mean_s: 0.1 } }\n" : "");
            struct played p = play_services(CLUSTER(12), text, "fifo", "pack", 1, 0);
            arrived[i] = played_value(&p, "requests_arrived", "service=s");
            served[i] = played_value(&p, "latency_mean_s", "service=s");
            played_free(&p);
        }
        assert_near(arrived[1], arrived[0], 0);
        assert_near(arrived[2], arrived[0], 0);
        assert_near(served[2], served[0], 0);
        assert_true(served[1] != served[0]);         /* the control */
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, more_replicas, rows);
    ADD_TEST(tests, n, others_do_not_matter);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
