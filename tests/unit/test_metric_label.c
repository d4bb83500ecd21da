/* test_metric_label.c - metrics in words: subjects with their statistics, wholes, and names that have no words. */
#include "sim/results/metric_label.h"
#include "tests/unit/test_core.h"

static const struct row { const char *name, *label; } rows[] = {
    { "jct_mean_s", "mean completion time" },
    { "jct_p50_s", "median completion time" },
    { "wait_p95_s", "p95 wait" },
    { "first_wait_mean_s", "mean wait until the first start" },
    { "bounded_slowdown_mean", "mean bounded slowdown" },
    { "time_to_reclaim_max_s", "largest time to reclaim" },
    { "util_alloc", "GPU time allocated" },
    { "makespan_s", "makespan" },
    { "jct_censored_mean_s", "jct_censored_mean_s" },
    { "wait_p", "wait_p" },
    { "wait_pages_s", "wait_pages_s" },
    { "waited", "waited" },
    { "jct_mean_gpu_h", "jct_mean_gpu_h" },
};

static void in_words(void **state)
{
    const struct row *row = *state;
    char label[METRIC_LABEL_MAX];
    assert_string_equal(metric_label(label, row->name), row->label);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, in_words, rows);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
