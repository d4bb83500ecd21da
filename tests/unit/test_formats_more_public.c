/* test_formats_more_public.c - the public files of the formats with deadlines and pods, read whole. Expected values:
 * traces/README.md of the shared files; what it does not state was counted in the files with Python's csv module. */
#include "tests/unit/read_shared.h"
#include "tests/unit/round_trip.h"

#include <math.h>
#include <string.h>

/* openb: jobs are rows less those Pending; milli_s are thousandths of a GPU times seconds;
 * inference, batch and preemptible by qos. A mean of 0 is not stated. */
static const struct trace {
    const char *name, *path, *format;
    uint32_t jobs, skipped, queues, users;
    int64_t milli_s;
    double run_mean_s;
    uint32_t failed, inference, batch, typed, deadlines;
} traces[] = {
#define OPENB(variant) "openb " variant, "alibaba-openb-v2023/openb_pod_list_" variant ".csv.zst", "openb"
    { OPENB("default"), 8152 - 897, 897, 1, 0, 185294426970, 28949, 1870, 4193, 2957, 0, 0 },
    { OPENB("cpu050"), 7439 - 878, 878, 1, 0, 185294426970, 29360, 1869, 3786, 2672, 0, 0 },
    { OPENB("cpu100"), 7853 - 883, 883, 1, 0, 185294426970, 29988, 1869, 4032, 2833, 0, 0 },
    { OPENB("cpu200"), 8832 - 927, 927, 1, 0, 185294426970, 27930, 1870, 4561, 3240, 0, 0 },
    { OPENB("cpu250"), 9420 - 934, 934, 1, 0, 185294426970, 25146, 1870, 4904, 3477, 0, 0 },
    { OPENB("gpushare20"), 8152 - 840, 840, 1, 0, 160969285090, 24118, 1708, 4610, 2573, 0, 0 },
    { OPENB("gpushare40"), 8152 - 981, 981, 1, 0, 152704808220, 26439, 2071, 3705, 3388, 0, 0 },
    { OPENB("gpushare60"), 8152 - 1050, 1050, 1, 0, 123869890500, 28959, 2289, 2992, 4069, 0, 0 },
    { OPENB("gpushare80"), 8152 - 1146, 1146, 1, 0, 92384292460, 23969, 2457, 2451, 4535, 0, 0 },
    { OPENB("gpushare100"), 8152 - 1209, 1209, 1, 0, 54539845020, 19496, 2635, 1933, 5008, 0, 0 },
    { OPENB("gpuspec10"), 8152 - 897, 897, 1, 0, 185294426970, 28949, 1870, 4193, 2957, 658, 0 },
    { OPENB("gpuspec20"), 8152 - 897, 897, 1, 0, 185294426970, 28949, 1870, 4193, 2957, 1298, 0 },
    { OPENB("gpuspec25"), 8152 - 897, 897, 1, 0, 185294426970, 28949, 1870, 4193, 2957, 1565, 0 },
    { OPENB("gpuspec33"), 8152 - 897, 897, 1, 0, 185294426970, 28949, 1870, 4193, 2957, 2092, 0 },
    { "dlrm", "alibaba-dlrm-v2025/disaggregated_DLRM_trace.csv.zst", "dlrm", 23871, 0, 1, 156, 8556005314000, 888052, 0,
      23871, 0, 0, 0 },
    { "elasticflow 103959", "elasticflow/philly_103959.csv", "elasticflow", 876, 0, 1, 0, 154137879000, 0, 0, 0, 0, 0,
      876 },
    { "elasticflow e", "elasticflow/elasticVpollux_e.csv", "elasticflow", 195, 0, 1, 0, 33457859000, 0, 0, 0, 0, 0,
      195 },
    { "chronus SLO", "chronus/trace_job_Philly_SLO.csv.zst", "chronus", 30940 - 205, 205, 11, 0, 1326639300000, 15613,
      0, 0, 0, 0, 30940 - 205 },
    { "chronus MIX2", "chronus/trace_job_Philly_MIX2.csv.zst", "chronus", 30940 - 194, 194, 11, 0, 1364311320000, 15811,
      0, 0, 0, 0, 30940 - 194 - 3125 },
};

struct counts {
    int128_t milli_ns, run_ns;
    uint32_t failed, inference, batch, typed, deadlines;
};

static struct counts count_jobs(const struct workload *w)
{
    struct counts n = { 0 };
    for (job_id j = 0; j < w->n_jobs; j++) {
        const struct job_facts *f = &w->facts[j];
        assert_true(j == 0 || w->facts[j - 1].submit_ns <= f->submit_ns);
        n.milli_ns += (int128_t)w->truth[j].duration_ns * gpus_of(w, j) * f->ask->gpu_milli;
        n.run_ns += w->truth[j].duration_ns;
        n.failed += w->truth[j].fate == FATE_FAILED;
        n.inference += f->class == CLASS_INFERENCE && f->priority == 1 && !f->preemptible;
        n.batch += f->class == CLASS_BATCH && f->preemptible;
        n.typed += w->shape[f->ask->shape].gpu_type != ID_NONE;
        n.deadlines += f->deadline_ns != TIME_NEVER;
    }
    return n;
}

static void whole_trace(void **state)
{
    const struct trace *t = *state;
    const struct trace_format *used = NULL;
    struct workload *w = read_shared(t->path, &used);
    assert_string_equal(used->name, t->format);
    assert_int_equal(w->n_jobs, t->jobs);
    assert_int_equal(w->n_skipped, t->skipped);
    assert_int_equal(intern_count(w->queue_names), t->queues);
    assert_int_equal(intern_count(w->users), t->users);
    struct counts n = count_jobs(w);
    assert_int_equal((int64_t)(n.milli_ns / NS_PER_S), t->milli_s);
    if (t->run_mean_s != 0)
        assert_true(fabs((double)n.run_ns / 1e9 / w->n_jobs - t->run_mean_s) <= 0.5);
    assert_int_equal(n.failed, t->failed);
    assert_int_equal(n.inference, t->inference);
    assert_int_equal(n.batch, t->batch);
    assert_int_equal(n.typed, t->typed);
    assert_int_equal(n.deadlines, t->deadlines);
    round_trip(w);
    workload_free(w);
}

/* README: lifetimes from 4 s to 12.54 Ms; of all 8,152 rows 44 ask for 8 GPUs, 15 for 4, 16 for 2; one of the 16 never
 * ran. */
static void openb_sizes(void **state)
{
    (void)state;
    const struct trace_format *used;
    struct workload *w = read_shared("alibaba-openb-v2023/openb_pod_list_default.csv.zst", &used);
    uint32_t of_size[9] = { 0 }, shares = 0;
    int64_t shortest = TIME_NEVER, longest = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        int64_t run = w->truth[j].duration_ns;
        assert_int_equal(w->facts[j].ask->tasks, 1); /* a pod is never split */
        assert_true(w->facts[j].ask->gpus <= 8);
        of_size[w->facts[j].ask->gpus]++;
        shares += w->facts[j].ask->gpu_milli < MILLI_ALL;
        shortest = run < shortest ? run : shortest;
        longest = run > longest ? run : longest;
    }
    assert_int_equal(of_size[0], 1052);
    assert_int_equal(of_size[1], 7255 - 1052 - 74);
    assert_int_equal(of_size[2], 15);
    assert_int_equal(of_size[4], 15);
    assert_int_equal(of_size[8], 44);
    assert_int_equal(shares, 2573);
    assert_true(shortest == 4 * NS_PER_S && longest == 12537496 * NS_PER_S);
    workload_free(w);
}

/* README: 7,386 instances of one GPU; 7,280 were there before the window, which 8,878 outlive; it has 31 days. */
static void dlrm_window(void **state)
{
    (void)state;
    const struct trace_format *used;
    struct workload *w = read_shared("alibaba-dlrm-v2025/disaggregated_DLRM_trace.csv.zst", &used);
    uint32_t with_gpu = 0, before = 0;
    uint32_t to_the_end = 0; /* of those there before; who came later waited, so its end is not submit + duration */
    for (job_id j = 0; j < w->n_jobs; j++) {
        with_gpu += gpus_of(w, j) == 1;
        before += w->facts[j].submit_ns == 0;
        to_the_end += w->facts[j].submit_ns == 0 && w->truth[j].duration_ns == 31 * 86400 * NS_PER_S;
    }
    assert_int_equal(with_gpu, 7386);
    assert_int_equal(before, 7280);
    assert_int_equal(to_the_end, 8878 - 4201); /* 4,201 of the 8,878 came within the window */
    workload_free(w);
}

/* README: GPUs 1/2/4 = 513/33/330 over 7.91 Ms; 466 deadlines lie before submit + duration. */
static void elasticflow_deadlines(void **state)
{
    (void)state;
    const struct trace_format *used;
    struct workload *w = read_shared("elasticflow/philly_103959.csv", &used);
    uint32_t of_size[5] = { 0 }, infeasible = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        of_size[gpus_of(w, j)]++;
        infeasible += w->facts[j].deadline_ns < w->facts[j].submit_ns + w->truth[j].duration_ns;
    }
    assert_int_equal(of_size[1], 513);
    assert_int_equal(of_size[2], 33);
    assert_int_equal(of_size[4], 330);
    assert_int_equal(infeasible, 466);
    workload_free(w);
}

/* The variants without times say what they lack. */
static void openb_without_times(void **state)
{
    (void)state;
    static const char *const variants[] = { "multigpu20", "multigpu30", "multigpu40", "multigpu50" };
    for (size_t i = 0; i < COUNT(variants); i++) {
        char path[128], whole[1024], expected[1200], sha256[65];
        struct error err = { "" };
        const struct trace_format *used;
        snprintf(path, sizeof path, "alibaba-openb-v2023/openb_pod_list_%s.csv.zst", variants[i]);
        assert_null(trace_read(shared_path(whole, path), NULL, &used, sha256, &err));
        snprintf(expected, sizeof expected, "%s:1: want a column 'creation_time'", whole);
        assert_string_equal(err.text, expected);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, whole_trace, traces);
    ADD_TEST(tests, n, openb_sizes);
    ADD_TEST(tests, n, dlrm_window);
    ADD_TEST(tests, n, elasticflow_deadlines);
    ADD_TEST(tests, n, openb_without_times);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
