/* test_formats_public.c - the public traces, read whole. Expected values: traces/README.md and design/reproductions.md
 * of the shared files, which lie in $GPUYARD_SHARED ("../shared" by default); without them the tests are skipped. */
#include "tests/unit/read_shared.h"
#include "tests/unit/round_trip.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Means are given to as many digits as the README does; users, queues, gpu_s and means of 0 are not stated there. Rows
 * that never ran are counted from the files: awk '!/^ *;/ && ($4 <= 0 || ($5 <= 0 && $8 <= 0))'. */
static const struct trace {
    const char *name, *path, *format;
    uint32_t jobs, skipped, queues, users;
    int64_t gpu_s;
    double run_mean_s, gpus_mean;
} traces[] = {
    { "philly_oct_nov", "reproductions/philly_oct_nov.csv.zst", "helios-sim", 68503, 0, 11, 0, 2487094239, 0, 0 },
    { "philly_first5000_pai", "reproductions/philly_first5000_pai.csv.zst", "pai-sim", 5000, 0, 1, 0, 0, 0, 0 },
    { "philly_first3000_tiresias", "reproductions/philly_first3000_tiresias.csv.zst", "tiresias", 3000, 0, 1, 0, 0, 0,
      0 },
    { "60_job", "tiresias/60_job.csv", "tiresias", 60, 0, 1, 0, 0, 0, 0 },
    { "sdsc5k", "reproductions/sdsc5k.swf.zst", "swf", 4606, 0, 0, 0, 0, 0, 0 },
    { "philly", "philly/philly.csv.zst", "philly-csv", 82247, 0, 15, 0, 0, 13136, 0 },
    { "KTH-SP2, easy", "swf-easy/KTH-SP2.swf.zst", "swf", 28481, 0, 0, 214, 0, 8860, 7.7 },
    { "SDSC-SP2, easy", "swf-easy/SDSC-SP2.swf.zst", "swf", 54006, 0, 0, 428, 0, 7353, 12.3 },
    { "CTC-SP2, easy", "swf-easy/CTC-SP2.swf.zst", "swf", 77199, 0, 0, 679, 0, 11254, 11.0 },
    { "SDSC-BLUE, easy", "swf-easy/SDSC-BLUE.swf.zst", "swf", 232542, 0, 0, 468, 0, 4217, 41.3 },
    { "CEA-curie, easy", "swf-easy/CEA-curie.swf.zst", "swf", 295540, 0, 0, 579, 0, 6514, 622 },
    { "KTH-SP2", "swf/KTH-SP2-1996-2.1-cln.swf.zst", "swf", 28476 - 9, 9, 0, 0, 0, 0, 0 },
    { "wagap-2013", "swf/wagap-2013.swf.zst", "swf", 17900 - 2, 2, 0, 0, 0, 0, 0 },
    { "LCG", "swf/LCG.swf.zst", "swf", 188041 - 521, 521, 0, 0, 0, 0, 1 },
    { "NASA-iPSC", "swf/NASA-iPSC-1993-3.1-cln.swf.zst", "swf", 18239 - 173, 173, 0, 0, 0, 0, 0 },
    { "lublin_256", "swf/lublin_256.swf.zst", "swf", 10000, 0, 0, 0, 0, 0, 0 },
};

static void close_to(double value, double expected, double half_a_digit)
{
    if (expected != 0 && fabs(value - expected) > half_a_digit) {
        print_error("%.6g is not %.6g\n", value, expected);
        fail();
    }
}

static void whole_trace(void **state)
{
    const struct trace *t = *state;
    const struct trace_format *used = NULL;
    struct workload *w = read_shared(t->path, &used);
    assert_string_equal(used->name, t->format);
    assert_int_equal(w->n_jobs, t->jobs);
    assert_int_equal(w->n_skipped, t->skipped);
    if (t->queues)
        assert_int_equal(intern_count(w->queue_names), t->queues);
    if (t->users)
        assert_int_equal(intern_count(w->users), t->users);
    int128_t gpu_ns = 0, run_ns = 0;
    uint64_t gpus = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        assert_true(j == 0 || w->facts[j - 1].submit_ns <= w->facts[j].submit_ns);
        gpu_ns += (int128_t)w->truth[j].duration_ns * gpus_of(w, j);
        run_ns += w->truth[j].duration_ns;
        gpus += gpus_of(w, j);
    }
    if (t->gpu_s)
        assert_true(gpu_ns == (int128_t)t->gpu_s * NS_PER_S);
    close_to((double)run_ns / 1e9 / w->n_jobs, t->run_mean_s, 0.5);
    close_to((double)gpus / w->n_jobs, t->gpus_mean, t->gpus_mean < 100 ? 0.05 : 0.5);
    round_trip(w);
    workload_free(w);
}

/* README, philly: sizes, virtual clusters, months, GPU-hours, the longest job. By date(1), the first job of the file is
 * submitted at 2017-09-04 10:30:41, the last 9,408,690 s later, and months begin as many seconds later as given here.
 */
static void philly_details(void **state)
{
    (void)state;
    static const struct {
        const char *prefix;
        uint32_t jobs;
    } clusters[] = {
        { "6214e9", 41226 }, { "11cb48", 16091 }, { "6c71a0", 9953 }, { "b436b2", 7423 },
        { "103959", 1934 },  { "ee9e8c", 1511 },  { "0e4a51", 1435 }, { "ed69ec", 1137 },
        { "7f04ca", 723 },   { "2869ce", 422 },   { "e13805", 374 },
    };
    static const struct {
        int64_t until_s;
        uint32_t jobs;
    } of_months[] = {
        { 2294959, 5657 },
        { 4973359, 47192 },
        { 7565359, 21318 },
        { INT64_MAX, 8080 },
    };
    const struct trace_format *used;
    uint32_t in_month[4] = { 0 };
    struct workload *w = read_shared("philly/philly.csv.zst", &used);
    uint32_t of_size[9] = { 0 }, larger = 0, in_cluster[COUNT(clusters)] = { 0 };
    int64_t longest = 0, shortest = TIME_NEVER;
    int128_t gpu_ns = 0;
    for (job_id j = 0; j < w->n_jobs; j++) {
        int64_t run = w->truth[j].duration_ns;
        uint32_t gpus = gpus_of(w, j);
        *(gpus <= 8 ? &of_size[gpus] : &larger) += 1;
        longest = run > longest ? run : longest;
        shortest = run < shortest ? run : shortest;
        gpu_ns += (int128_t)run * gpus;
        size_t m = 0;
        while (w->facts[j].submit_ns / NS_PER_S >= of_months[m].until_s)
            m++;
        in_month[m]++;
        for (size_t c = 0; c < COUNT(clusters); c++)
            in_cluster[c] += strncmp(intern_text(w->queue_names, w->facts[j].queue), clusters[c].prefix, 6) == 0;
    }
    assert_int_equal(of_size[1], 76627);
    assert_int_equal(of_size[2], 1818);
    assert_int_equal(of_size[4], 1870);
    assert_int_equal(of_size[8], 1643);
    assert_int_equal(larger, 289);
    assert_true(shortest == NS_PER_S && longest == 4628226 * NS_PER_S);
    assert_int_equal((int64_t)(gpu_ns / NS_PER_S + 1800) / 3600, 978078);
    for (size_t c = 0; c < COUNT(clusters); c++)
        assert_int_equal(in_cluster[c], clusters[c].jobs);
    assert_int_equal(w->facts[0].submit_ns, 0);
    assert_int_equal(w->facts[w->n_jobs - 1].submit_ns, 9408690 * NS_PER_S);
    for (size_t m = 0; m < 4; m++)
        assert_int_equal(in_month[m], of_months[m].jobs);
    workload_free(w);
}

/* reproductions.md 5: the queue is in (submit, id) order; sdsc5k is renumbered in it, its first submit is 1. */
static void sdsc5k_order(void **state)
{
    (void)state;
    const struct trace_format *used;
    struct workload *w = read_shared("reproductions/sdsc5k.swf.zst", &used);
    assert_int_equal(w->facts[0].submit_ns, NS_PER_S);
    for (job_id j = 0; j < w->n_jobs; j++) {
        assert_int_equal(strtoul(w->truth[j].name, NULL, 10), j + 1);
        assert_true(w->truth[j].estimate_ns != TIME_NEVER && w->truth[j].duration_ns <= w->truth[j].estimate_ns);
    }
    workload_free(w);
}

/* README, swf-easy: 0 < run <= requested in all five; and rows are not in order, jobs are: by (submit, number). */
static void easy_order(void **state)
{
    (void)state;
    const struct trace_format *used;
    struct workload *w = read_shared("swf-easy/SDSC-SP2.swf.zst", &used);
    for (job_id j = 0; j < w->n_jobs; j++) {
        assert_true(w->truth[j].duration_ns > 0 && w->truth[j].duration_ns <= w->truth[j].estimate_ns);
        if (j && w->facts[j - 1].submit_ns == w->facts[j].submit_ns)
            assert_true(strtoul(w->truth[j - 1].name, NULL, 10) < strtoul(w->truth[j].name, NULL, 10));
    }
    workload_free(w);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, whole_trace, traces);
    ADD_TEST(tests, n, philly_details);
    ADD_TEST(tests, n, sdsc5k_order);
    ADD_TEST(tests, n, easy_order);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
