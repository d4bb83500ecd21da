/* test_finish_time.c - finish-time fairness (models.md 10.4), worked out by hand: JCT / (E
 * max(1, n N / C)). */
#include "policies/registry.h"
#include "sim/engine/run.h"
#include "sim/results/summary.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <string.h>

enum { MOST = 5 };
static const struct row {
    const char *name;
    double until;
    struct { double at, lasts; uint32_t gpus; const char *queue; double fairness; } job[MOST];    /* -1: none */
    double p95, max, kept;
} rows[] = {
    /* Two GPUs, two queues. Job 1: N = 2, 10 / (10 x 2). Job 2: N is 2 for 10 s and 1 for 10 s, 20 / (10 x 1.5). Job 3 has
     * the cluster for itself. Type 7: .5, 1, 4/3 at h = 1.9. */
    { "two take turns", 0, { { 0, 10, 2, "a", .5 }, { 0, 10, 2, "b", 1.333333 }, { 30, 10, 1, "a", 1 } }, 1.3, 1.333333, 2. / 3 },
    /* Job 2 waits 10 s; half the GPUs is all it wants: 20 / (10 x max(1, 1 x 1.5 / 2)). Job 1: 10 / (10 x 2). */
    { "half a share is no excuse", 0, { { 0, 10, 2, "a", .5 }, { 0, 10, 1, "b", 2 } }, 1.925, 2, .5 },
    /* N = 1: 10 / (10 x 1), 20 / (10 x 1), 30 / (10 x 1) */
    { "jobs of one queue do not contend", 0, { { 0, 10, 2, "a", 1 }, { 0, 10, 2, "a", 2 }, { 0, 10, 2, "a", 3 } }, 2.9, 3, 1. / 3 },
    /* Job 1: queues a and c throughout, b from 5: N = 2.5, 10 / (10 x 2.5). Job 2 comes at 5 and waits for 5 and 20: N is 3
     * for 5 s, 2 for 20 s, 1 for 5 s, 60 in all over 30 s: 30 / (5 x 60/30) = 3. Job 3, from 10 to 30, is there for 30 s: 2
     * for 5 s, 3 for 5 s, 2 for 20 s, 65 in all: 30 / (20 x 65/30) = 0.692308. */
    { "queues come and go", 0, { { 0, 10, 2, "a", .4 }, { 5, 5, 2, "b", 3 }, { 0, 20, 2, "c", .692308 } }, 2.769231, 3, 2. / 3 },
    { "without GPUs: the slowdown", 0, { { 0, 10, 0, "a", 1 }, { 0, 10, 2, "b", .5 } }, .975, 1, 1 },
    { "no service time: none", 0, { { 0, 0, 1, "a", -1 }, { 0, 10, 1, "b", 1 } }, 1, 1, 1 },
    { "not ended: none", 15, { { 0, 10, 2, "a", .5 }, { 0, 10, 2, "b", -1 } }, .5, .5, 1 },
    { "refused: none, and contends with no job", 0, { { 0, 10, 2, "a", 1 }, { 0, 10, 3, "b", -1 } }, 1, 1, 1 },
};

static void near(const char *what, double want, double got)
{
    if (!(fabs(want - got) < 1e-6))
        fail_msg("%s: want %.7g, got %.7g", what, want, got);
}

static void fair(void **state)
{
    const struct row *row = *state;
    struct error err = { "" };
    struct workload *w = workload_new();
    for (size_t i = 0; i < MOST && row->job[i].queue; i++) {
        struct job_row job = job_row_default;
        job.submit_ns = ns_of_seconds(row->job[i].at);
        job.duration_ns = ns_of_seconds(row->job[i].lasts);
        job.gpus = row->job[i].gpus;
        job.queue = row->job[i].queue;
        job.queue_length = strlen(job.queue);
        assert_int_equal(workload_add(w, &job, "t", i + 1, &err), 0);
    }
    assert_int_equal(workload_finish(w, "t", &err), 0);
    struct group_spec node = { .name = "node", .gpu_model = "A100", .count = 1, .gpus = 2, .cpu_milli = INT64_MAX,
                               .mem_mib = INT64_MAX };
    struct cluster *c = cluster_build("two", &node, 1, NULL, 0, &err);
    assert_int_equal(run_bind(c, w, &err), 0);
    struct sched *s = run_new(&(struct run_setup){ .cluster = c, .workload = w, .policy = builtin_policies[0],
                                                   .placer = builtin_placers[0], .until_ns = ns_of_seconds(row->until) });
    if (run_execute(s, &err))
        fail_msg("%s", err.text);
    for (job_id j = 0; j < w->n_jobs; j++) {
        size_t i = (size_t)(w->truth[j].name[0] - '1');
        double got = (double)run_job(s, j).fairness_micro;
        near(w->truth[j].name, row->job[i].fairness, got < 0 ? -1 : got / 1e6);
    }
    struct summary *m = summary_make(s);
    near("p95", row->p95, summary_value(m, "finish_time_fairness_p95", "all"));
    near("max", row->max, summary_value(m, "finish_time_fairness_max", "all"));
    near("kept", row->kept, summary_value(m, "finish_time_fairness_kept", "all"));
    summary_free(m);
    run_free(s);
    workload_free(w);
    cluster_free(c);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, fair, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
