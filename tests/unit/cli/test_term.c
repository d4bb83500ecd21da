/* test_term.c - text for terminals: widths, cutting, wrapping, times for people, the line of the progress bar. */
#include "sim/cli/frame/progress_bar.h"
#include "sim/cli/frame/term.h"
#include "tests/unit/test_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct human { const char *name; double s; const char *want; } humans[] = {
    { "zero", 0, "0 s" },
    { "a fraction", 0.25, "0.2 s" },
    { "whole seconds", 17, "17 s" },
    { "below two minutes", 119, "119 s" },
    { "two minutes", 120, "2.0 min" },
    { "below two hours", 7199, "120 min" },
    { "two hours", 7200, "2.0 h" },
    { "two days", 172800, "2.0 d" },
    { "two years", 63072000, "2.0 y" },
    { "a thousand years", 31536e6, "1000 y" },
    { "no value", NAN, "-" },
};
static void human(void **state)
{
    const struct human *row = *state;
    char text[HUMAN_MAX];
    assert_string_equal(human_time(text, row->s), row->want);
}

static const struct wrapped { const char *name, *text; size_t at, indent, width; const char *want; } wraps[] = {
    { "fits", "a bc", 0, 0, 4, "a bc\n" },
    { "does not fit", "a bcd", 0, 0, 4, "a\nbcd\n" },
    { "a word longer than the line", "abcdef g", 0, 0, 4, "abcdef\ng\n" },
    { "a list longer than the line", "x ab,cd,ef", 0, 0, 6, "x\nab,cd,\nef\n" },
    { "a comma beyond the edge", "abcdef,g h", 0, 0, 4, "abcdef,\ng h\n" },
    { "a list that just fits", "a,b,", 0, 0, 4, "a,b,\n" },
    { "indented", "a b c", 0, 2, 5, "  a b\n  c\n" },
    { "goes on behind a label", "a b", 2, 4, 80, "  a b\n" },
    { "a label that is too long", "a b", 3, 4, 80, "\n    a b\n" },
    { "paragraphs", "a\n\nb", 0, 1, 80, " a\n\n b\n" },
    { "characters count, not bytes", "\303\244\303\244 \303\244", 0, 0, 4, "\303\244\303\244 \303\244\n" },
    { "nothing", "", 0, 0, 80, "\n" },
};
static void wrap(void **state)
{
    const struct wrapped *row = *state;
    char *got = NULL;
    size_t length;
    FILE *f = open_memstream(&got, &length);
    assert_non_null(f);
    text_wrap(f, row->text, row->at, row->indent, row->width);
    assert_int_equal(fclose(f), 0);
    assert_string_equal(got, row->want);
    free(got);
}

static const struct padded { const char *name, *text; size_t width; const char *want; } pads[] = {
    { "filled up", "ab", 4, "ab  " },
    { "just fits", "abcd", 4, "abcd" },
    { "cut", "abcde", 4, "ab.." },
    { "cut between characters", "\303\244\303\266\303\274\303\237\303\244", 4, "\303\244\303\266.." },
    { "an escape sequence", "\033[1m", 4, "?[1m" },
    { "a C1 control", "\302\233m", 2, "?m" },
    { "no room", "abc", 0, "" },
};
static void pad(void **state)
{
    const struct padded *row = *state;
    char *got = NULL;
    size_t length;
    FILE *f = open_memstream(&got, &length);
    assert_non_null(f);
    text_pad(f, row->text, row->width);
    assert_int_equal(fclose(f), 0);
    assert_string_equal(got, row->want);
    free(got);
}

/* 250 of 1000 jobs after 10 s: 25 jobs a second, 30 s for the other 750. */
static const struct bar { const char *name; uint64_t done; unsigned width; bool colour; const char *want; } bars[] = {
    { "wide", 250, 100, false, "[=======>                    ]  25%  250/1000 jobs  at 2.0 h  25 jobs/s  30 s left" },
    { "colour", 250, 100, true, "[\033[32m=======>                    \033[0m]  25%  250/1000 jobs  at 2.0 h  25 jobs/s  30 s left" },
    { "a short bar", 250, 64, false, "[==>      ]  25%  250/1000 jobs  at 2.0 h  25 jobs/s  30 s left" },
    { "no bar", 250, 60, false, " 25%  250/1000 jobs  at 2.0 h  25 jobs/s  30 s left" },
    { "no rate", 250, 45, false, " 25%  250/1000 jobs  at 2.0 h  30 s left" },
    { "what is left", 250, 32, false, " 25%  250/1000 jobs  30 s left" },
    { "the share", 250, 20, false, " 25%  250/1000 jobs" },
    { "hardly anything", 250, 10, false, " 25%" },
    { "nothing", 250, 3, false, "" },
    { "no job yet", 0, 58, false, "  0%  0/1000 jobs  at 2.0 h  0.0 jobs/s  - left" },
    { "all", 1000, 60, false, "100%  1000/1000 jobs  at 2.0 h  100 jobs/s  0 s left" },
};
static void progress(void **state)
{
    const struct bar *row = *state;
    char line[PROGRESS_MAX];
    struct progress_facts f = { 7200 * NS_PER_S, row->done, 1000, 10, NULL };
    assert_string_equal(progress_bar_line(line, f, row->width, row->colour), row->want);
    if (!row->colour && row->width > 0)
        assert_true(strlen(line) < row->width);
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, human, humans);
    ADD_ROWS(tests, n, wrap, wraps);
    ADD_ROWS(tests, n, pad, pads);
    ADD_ROWS(tests, n, progress, bars);
    return cmocka_run_group_tests_name("term", tests, NULL, NULL) != 0;
}
