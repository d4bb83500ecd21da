/* test_suggest.c - "did you mean": distances counted by hand. */
#include "sim/base/suggest.h"
#include "tests/unit/test_core.h"

static const char *const known[] = { "fifo", "sjf", "srtf", "srsf", "gittins", "fair-tree", "gpus", "gpu_model", "count", NULL };

static const struct row { const char *name, *typed, *want; } rows[] = {
    { "a letter left out", "fif", "fifo" },
    { "a letter too many", "fiffo", "fifo" },
    { "another letter", "fofo", "fifo" },
    { "neighbours swapped count once", "cuont", "count" },
    { "two mistakes in a long word", "gitins2", "gittins" },
    { "two mistakes in a short word are too many", "ffio2", NULL },
    { "three mistakes are too many", "gttnsx", NULL },
    { "case is free", "FIFO", "fifo" },
    { "dash and underscore are one", "Fair_Tree", "fair-tree" },
    { "of equals the first", "srxf", "srtf" },
    { "the nearest, not the first", "srsff", "srsf" },
    { "the word itself", "gpus", "gpus" },
    { "two letters are too few to guess", "gp", NULL },
    { "nothing typed", "", NULL },
    { "far too long", "gpusgpusgpusgpusgpusgpusgpusgpusgpusgpusgpusgpusgpusgpusgpusgpus", NULL },
};

static void nearest(void **state)
{
    const struct row *row = *state;
    const char *got = suggest(row->typed, known);
    assert_string_equal(got ? got : "(none)", row->want ? row->want : "(none)");
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, nearest, rows);
    return cmocka_run_group_tests_name("suggest", tests, NULL, NULL) != 0;
}
