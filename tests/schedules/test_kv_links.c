/* test_kv_links.c - KV caches between the pools of a service over the links of a cluster: models.md 4.11, by hand. llama-3.1-8b, so 131072
 * bytes a token; a request of 1000 + 11 tokens sends 131.072 MB. */
#include "tests/support/service_run.h"

#include <math.h>
#include <unistd.h>

#define MB 131.072
#define NODES(count, gpus, more) "nodes: [ { group: n, count: " #count ", gpus: " #gpus ", gpu_model: A100-SXM4-80, nics: 1, nic_gbps: 25" more " } ]\n"
#define RACKS NODES(2, 1, ", nodes_per_rack: 1")
#define PODS NODES(2, 1, ", nodes_per_rack: 1, racks_per_pod: 1")

static const char *list_of(char path[], const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return path;
}

/* requests of 1000 + 11 tokens, one a second from second 100 on; trace: of jobs, or "". */
static struct played play(const char *cluster, const char *pools, unsigned requests, const char *jobs, double until_s)
{
    char asked[] = "/tmp/kv-XXXXXX", trace[] = "/tmp/kv-XXXXXX", text[2000], rows[20000] = "time_s,prompt_tokens,output_tokens\n", line[100] = "";
    for (unsigned i = 0; i < requests; i++)
        sprintf(rows + strlen(rows), "%u,1000,11\n", i);
    if (*jobs)
        snprintf(line, sizeof line, "trace: %s\n", list_of(trace, jobs));
    snprintf(text, sizeof text, "workload: w\n%sservices:\n  - name: s\n    requests: { trace: '%s:plain' }\n    start_s: 100\n    end_s: 1000\n"
             "    start_up: { was_there: true }\n    replicas: { min: 2, max: 2 }\n    mode: requests\n    service_time: { llm: { model: llama-3.1-8b, "
             "gpu: A100-SXM4-80, pools: { prefill: 1, decode: 1, setup_s: 0%s } } }\n", line, list_of(asked, rows), pools);
    struct played p = play_services(cluster, text, "fifo", "spread", 1, until_s);
    unlink(asked);
    if (*jobs)
        unlink(trace);
    return p;
}

static double latency_s(const char *cluster, const char *pools, const char *jobs)
{
    struct played p = play(cluster, pools, 1, jobs, 0);
    double s = played_value(&p, "latency_mean_s", "service=s");
    played_free(&p);
    return s;
}

/* One request: what it takes beside the way of its KV cache is the same everywhere. NVLink 300 GB/s, PCIe
 * 31.5, NICs 25, each at .8; without a
 * fabric, or without progress, the 20 GB/s that are no link of the cluster. Uplinks of racks and pods are shared by as many as if all
 * sent. */
static void one_way(void **state)
{
    static const struct row { const char *name, *cluster, *pools; double gb_per_s; } rows[] = {
        { "no fabric", RACKS "progress: {}\n", "", 20 },
        { "no progress", RACKS "fabric: { leaf_oversubscription: 4 }\n", "", 20 },
        { "one node", NODES(1, 2, "") "progress: {}\nfabric: {}\n", "", 25.2 },
        { "one island", "nodes: [ { group: n, count: 1, type: dgx-a100-80 } ]\nprogress: {}\nfabric: {}\n", "", 240 },
        { "one rack", NODES(2, 1, "") "progress: {}\nfabric: { leaf_oversubscription: 4 }\n", "", 20 },
        { "two racks", RACKS "progress: {}\nfabric: { leaf_oversubscription: 4 }\n", "", 5 },
        { "two pods", PODS "progress: {}\nfabric: { leaf_oversubscription: 4, spine_oversubscription: 2 }\n", "", 2.5 },
        { "two racks, alone on shared links", RACKS "progress: {}\nfabric: { leaf_oversubscription: 4, contention: maxmin }\n", "", 5 },
        { "two racks, wide links", RACKS "progress: {}\nfabric: { contention: maxmin }\n", "", 20 },
        { "a bound of its own", RACKS "progress: {}\nfabric: { leaf_oversubscription: 4 }\n", ", kv_gb_per_s: 1", 1 },
        { "a bound above", RACKS "progress: {}\nfabric: { leaf_oversubscription: 4 }\n", ", kv_gb_per_s: 100", 5 },
    };
    double rest_s = latency_s(RACKS, ", kv_gb_per_s: 20", "") - MB / 20e3;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double way_s = latency_s(rows[i].cluster, rows[i].pools, "") - rest_s;
        if (fabs(way_s / (MB / 1e3 / rows[i].gb_per_s) - 1) > 1e-5)
            fail_msg("%s: want %.9g s, got %.9g", rows[i].name, MB / 1e3 / rows[i].gb_per_s, way_s);
    }
}

#define TWO_RACKS NODES(2, 2, ", nodes_per_rack: 1") "progress: {}\nfabric: { leaf_oversubscription: 4, contention: maxmin"
#define JOB "job_id,submit_s,duration_s,gpus,tasks,anti_affinity,model\na,0,5000,2,2,node,VGG-16\n"

/* A job trains on both nodes, and its traffic takes the uplinks, of 5 GB/s, that the KV caches take. If all send at all times each has
 * half of them. By phases the one request, before which nothing was sent, finds the job there for a part of its time: between 2.5 and 5;
 * and the job is as fast as alone, as nothing is what the service sends on the mean. */
static void beside_a_job(void **state)
{
    double rest_s = latency_s(RACKS, ", kv_gb_per_s: 20", "") - MB / 20e3;
    (void)state;
    double all_s = latency_s(TWO_RACKS ", phases: all }\n", "", JOB) - rest_s, mean_s = latency_s(TWO_RACKS " }\n", "", JOB) - rest_s,
           alone_s = latency_s(TWO_RACKS " }\n", "", "") - rest_s;
    if (fabs(all_s / (MB / 2.5e3) - 1) > 1e-5 || fabs(alone_s / (MB / 5e3) - 1) > 1e-5)
        fail_msg("want %.9g s and alone %.9g, got %.9g and %.9g", MB / 2.5e3, MB / 5e3, all_s, alone_s);
    assert_true(mean_s > alone_s * 1.05 && mean_s < all_s * .98);
}

/* What the service sends slows the job: 131 MB a second take 2.6 % of 5 GB/s and cost it little, nothing sent nothing. From the second
 * minute on. */
static void slows_a_job(void **state)
{
    double slowdown[2];
    (void)state;
    for (unsigned many = 0; many < 2; many++) {
        struct played p = play(TWO_RACKS " }\n", "", many ? 800 : 1, JOB, 0);
        slowdown[many] = played_value(&p, "link_slowdown", "all");
        played_free(&p);
    }
    assert_true(slowdown[0] < 1 + 1e-4 && slowdown[1] > slowdown[0] + 1e-4 && slowdown[1] < 1.03);
}

/* Cut off between two intervals, when its replicas have left their nodes before its last requests are counted: those of seconds 100 to
 * 187 have come and gone, each as fast as one alone, which takes less than a second. */
static void cut_off(void **state)
{
    const char *cluster = RACKS "progress: {}\nfabric: { leaf_oversubscription: 4 }\n";
    double alone_s = latency_s(cluster, "", "");
    (void)state;
    struct played p = play(cluster, "", 300, "", 187.99);
    assert_true(played_value(&p, "requests_served", "service=s") == 88);
    assert_true(alone_s < .99 && fabs(played_value(&p, "latency_mean_s", "service=s") / alone_s - 1) < 1e-9);
    played_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_way), cmocka_unit_test(beside_a_job), cmocka_unit_test(slows_a_job),
                                        cmocka_unit_test(cut_off) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
