/* test_replications.c - which runs are replications of each other, and which of them stand in one group. */
#include "sim/study/runset.h"
#include "tests/unit/test_core.h"

enum { RUNS_MOST = 6 };
#define LAB "seed: 1\ncluster:\n  sha256: c\ntrace:\n  jobs: 10\n"
#define LAB_2 "seed: 2\ncluster:\n  sha256: c\ntrace:\n  jobs: 12\n"
#define LAB_3 "seed: 3\ncluster:\n  sha256: c\ntrace:\n  jobs: 10\n"
#define LOAD_2 "seed: 1\ncluster:\n  sha256: c\ntrace:\n  load: 2\n"
#define LOAD_2_2 "seed: 2\ncluster:\n  sha256: c\ntrace:\n  load: 2\n"

/* Each expectation follows from the rule in runset.h. */
static const struct row {
    const char *name;
    size_t n;
    struct run_record run[RUNS_MOST];
    size_t group[RUNS_MOST];
} rows[] = {
    { "two seeds are a group", 2,
      { { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "d/b", .policy = "p", .placement = "q", .circumstances = LAB_2, .seed = 2 } }, { 0, 0 } },
    { "two policies are none", 3,
      { { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "d/b", .policy = "r", .placement = "q", .circumstances = LAB_2, .seed = 2 },
        { .path = "d/c", .policy = "p", .placement = "q", .circumstances = LAB_3, .seed = 3 } }, { 0, 1, 0 } },
    { "two placements are none", 2,
      { { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "d/b", .policy = "p", .placement = "s", .circumstances = LAB_2, .seed = 2 } }, { 0, 1 } },
    { "nor are runs of two directories", 2,
      { { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "e/a", .policy = "p", .placement = "q", .circumstances = LAB_2, .seed = 2 } }, { 0, 1 } },
    { "what differs besides is drawn with the seed", 2,
      { { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "d/b", .policy = "p", .placement = "q", .circumstances = LOAD_2_2, .seed = 2 } }, { 0, 0 } },
    { "unless a seed comes twice: then all else must be alike", 4,
      { { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "d/b", .policy = "p", .placement = "q", .circumstances = LOAD_2, .seed = 1 },
        { .path = "d/c", .policy = "p", .placement = "q", .circumstances = LAB_2, .seed = 2 },
        { .path = "d/d", .policy = "p", .placement = "q", .circumstances = LOAD_2_2, .seed = 2 } }, { 0, 1, 0, 1 } },
    { "a run that repeats a seed is alone", 3,
      { { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "d/b", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 },
        { .path = "d/c", .policy = "p", .placement = "q", .circumstances = LAB_2, .seed = 2 } }, { 0, 1, 0 } },
    { "what is not known may differ", 3,
      { { .path = "d/a", .policy = "p", .placement = "q", .seed = 1 }, { .path = "d/b", .policy = "p", .placement = "q", .seed = 1 },
        { .path = "d/c", .policy = "p", .placement = "q", .seed = 2 } }, { 0, 1, 2 } },
    { "of what is not known seeds make a group", 2,
      { { .path = "d/a", .policy = "p", .placement = "q", .seed = 1 }, { .path = "d/b", .policy = "p", .placement = "q", .seed = 2 } },
      { 0, 0 } },
    { "runs of no known policy are alone", 2,
      { { .path = "d/a", .seed = INT64_MIN }, { .path = "d/b", .seed = 2 } }, { 0, 1 } },
};

static void groups(void **state)
{
    const struct row *row = *state;
    const struct run_record *run[RUNS_MOST];
    size_t group[RUNS_MOST], want = 0;
    for (size_t i = 0; i < row->n; i++) {
        run[i] = &row->run[i];
        want = row->group[i] + 1 > want ? row->group[i] + 1 : want;
    }
    assert_int_equal(runs_group(run, row->n, group), want);
    for (size_t i = 0; i < row->n; i++)
        assert_int_equal(group[i], row->group[i]);
}

/* Runs may be averaged that are alike but for the seed and how many jobs it drew, wherever they are. */
static void replicate(void **state)
{
    (void)state;
    struct run_record a = { .path = "d/a", .policy = "p", .placement = "q", .circumstances = LAB, .seed = 1 };
    struct run_record b = { .path = "e/b", .policy = "p", .placement = "q", .circumstances = LAB_2, .seed = 2 };
    assert_true(runs_replicate(&a, &b));
    b.circumstances = LOAD_2_2;
    assert_false(runs_replicate(&a, &b));
    b.circumstances = LAB_2;
    b.placement = "s";
    assert_false(runs_replicate(&a, &b));
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, groups, rows);
    ADD_TEST(tests, n, replicate);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
