/* read_text.h - a trace from a string, by way of a file t.csv in the current directory, hence "t.csv:" in messages. */
#pragma once
#include "tests/unit/test_core.h"
#include "traces/formats/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* format NULL: told by the first bytes. The caller frees. */
__attribute__((unused)) static struct workload *read_text(const char *text, size_t length, const char *format,
                                                          const struct trace_format **used, struct error *err)
{
    char sha256[65] = "";
    FILE *f = fopen("t.csv", "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
    struct workload *w = trace_read("t.csv", format ? trace_format_find(format) : NULL, used, sha256, err);
    assert_int_equal(strlen(sha256), w ? 64 : 0);
    return w;
}

/* Runs the tests in a directory of their own that is gone afterwards. The exit status. */
static int run_in_directory(const struct CMUnitTest *tests, size_t n)
{
    char directory[] = "/tmp/gpuyard-test-XXXXXX";
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return 1;
    int failed = _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
    unlink("t.csv");
    rmdir(directory);
    return failed != 0;
}
