/* test_throughput_pairs.c - pairs of models on the same GPUs: a small table by hand, and Gavel's, whose numbers are in models.md 7. */
#include "sim/base/intern.h"
#include "sim/models/training/throughput_pairs.h"
#include "tests/unit/read_shared.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

#define NEAR(value, wanted, by) assert_true(fabs((value) - (wanted)) <= (by))

static struct throughput_pairs *read_json(const char *text, struct error *err)
{
    char path[] = "/tmp/gpuyard-pairs-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    struct throughput_pairs *p = throughput_pairs_read(path, err);
    unlink(path);
    return p;
}

/* A alone 10, beside B 4; B alone 8, beside A 6: .4 and .75. C did not run beside A. */
static void by_hand(void **state)
{
    (void)state;
    struct error err = { "" };
    struct throughput_pairs *p = read_json("{ \"v100\": { \"('A', 1)\": { \"null\": 10, \"('B', 1)\": [ 4, 6 ], \"('C', 1)\": [ 0, 0 ] },"
                                           "  \"('B', 1)\": { \"null\": 8, \"('A', 1)\": [ 6, 4 ] }, \"('C', 1)\": { \"null\": 2 } } }", &err);
    assert_string_equal(err.text, "");
    uint32_t type = throughput_pairs_type(p, "V100-SXM2-16");
    struct trainee a = { throughput_pairs_model(p, "A"), 1 }, b = { throughput_pairs_model(p, "B"), 1 }, c = { throughput_pairs_model(p, "C"), 1 },
                   wide = { a.model, 2 };
    NEAR(throughput_pairs_speed(p, type, a, b), .4, 1e-15);
    NEAR(throughput_pairs_speed(p, type, b, a), .75, 1e-15);
    assert_true(throughput_pairs_speed(p, type, a, c) == 0);
    assert_true(throughput_pairs_speed(p, type, a, a) == 0 && throughput_pairs_speed(p, type, wide, b) == 0);
    assert_true(throughput_pairs_type(p, "T4-16") == INTERN_NONE && throughput_pairs_model(p, "none") == INTERN_NONE);
    throughput_pairs_free(p);
}

static const struct wrong { const char *name, *text, *error; } rows[] = {
    { "no key", "{ \"v100\": { \"('A', 1)\": { \"null\": 1, \"B\": [ 1, 1 ] } } }", "('A', 1): want keys like ('MODEL', GPUS), got \"B\"" },
    { "one rate", "{ \"v100\": { \"('A', 1)\": { \"null\": 1, \"('B', 1)\": [ 1 ] } } }", "('A', 1): ('B', 1): want two rates in steps per second" },
    { "a negative rate", "{ \"v100\": { \"('A', 1)\": { \"null\": 1, \"('B', 1)\": [ 1, -1 ] } } }", "('A', 1): ('B', 1): want two rates in steps per second" },
};

static void refused(void **state)
{
    const struct wrong *row = *state;
    struct error err = { "" };
    assert_null(read_json(row->text, &err));
    assert_string_equal(strstr(err.text, ": ") + 2, row->error);
}

/* models.md 7: of 1759 pairs on a V100 636 ran; percentiles 5, 25, 50, 75 and 95 of both speeds together .55, 1.14, 1.37, 1.58 and
 * 1.95. Of the physical cluster's table, read in the same way, they are others. */
static void gavels(void **state)
{
    (void)state;
    static const double percent[] = { .05, .25, .5, .75, .95 }, wanted[] = { .55, 1.14, 1.37, 1.58, 1.95 };
    static const char *const file[] = { "gavel/simulation_throughputs.json.zst", "gavel/physical_cluster_throughputs.json.zst" };
    for (size_t f = 0; f < COUNT(file); f++) {
        char whole[1024];
        struct error err = { "" };
        struct throughput_pairs *p = throughput_pairs_read(shared_path(whole, file[f]), &err);
        assert_string_equal(err.text, "");
        double speed[2], both[2000];
        size_t all = 0, ran = 0, alike = 0;
        for (; throughput_pairs_at(p, throughput_pairs_type(p, "V100-SXM2-16"), all, speed); all++)
            if (speed[0] > 0 && speed[1] > 0)
                both[ran++] = speed[0] + speed[1];
        assert_int_equal(all, 1759);
        assert_int_equal(ran, 636);
        gsl_sort(both, 1, ran);
        for (size_t i = 0; i < COUNT(percent); i++)
            alike += fabs(gsl_stats_quantile_from_sorted_data(both, 1, ran, percent[i]) - wanted[i]) <= .005;
        assert_true(f == 0 ? alike == COUNT(percent) : alike == 0);
        throughput_pairs_free(p);
    }
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_TEST(tests, n, by_hand);
    ADD_ROWS(tests, n, refused, rows);
    ADD_TEST(tests, n, gavels);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
