/* test_error.c - a message is one line, has its end, and the first one stays. */
#include "sim/base/error.h"
#include "sim/base/remarks.h"
#include "tests/unit/test_core.h"

#include <stdlib.h>
#include <string.h>

static void one_line(void **state)
{
    (void)state;
    struct error err = { "" };
    assert_int_equal(error_set(&err, "%s: %d", "a\nb\r\t\x1b[31m\x7f\xc3\xa9", 5), -1);
    assert_string_equal(err.text, "a?b???[31m?\xc3\xa9: 5");
    error_set(&err, "another");
    assert_string_equal(err.text, "a?b???[31m?\xc3\xa9: 5");
}

/* A text that a format cuts inside of a character (here the e of "Zoe" with two dots, the euro sign of three bytes)
 * has no part of it left; what ends at a character keeps it. */
static void cut_between_characters(void **state)
{
    (void)state;
    static const struct { const char *format, *text, *want; } rows[] = {
        { "got '%.3s'", "Zo\xc3\xab", "got 'Zo?'" },       { "got '%.4s'", "Zo\xc3\xab", "got 'Zo\xc3\xab'" },
        { "got '%.2s'", "\xe2\x82\xac", "got '?" "?'" },      { "got '%.3s'", "\xe2\x82\xac", "got '\xe2\x82\xac'" },
        { "got '%.60s'", "K\xf6ln", "got 'K?ln'" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = { "" };
        struct remarks remarks = { 0 };
        error_set(&err, rows[i].format, rows[i].text);
        assert_string_equal(err.text, rows[i].want);
        remark(&remarks, rows[i].format, rows[i].text);
        assert_string_equal(intern_text(remarks.text, 0), rows[i].want);
        remarks_free(&remarks);
    }
}

/* 1023 bytes fit; of more, the first 720 and the last 300 are left, with dots between them. */
static void long_ones_lose_their_middle(void **state)
{
    (void)state;
    enum { FITS = sizeof((struct error *)0)->text - 1 };
    char path[5000];
    memset(path, 'p', sizeof path);
    for (size_t length = FITS - 20; length < sizeof path; length += length < FITS + 5 ? 1 : 997) {
        struct error err = { "" };
        error_set(&err, "%.*s: no such file", (int)length, path);
        size_t all = length + strlen(": no such file");
        assert_int_equal(strlen(err.text), all < FITS ? all : FITS);
        assert_string_equal(err.text + strlen(err.text) - strlen(": no such file"), ": no such file");
        assert_int_equal(strstr(err.text, "ppp...ppp") != NULL, all > FITS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_line), cmocka_unit_test(cut_between_characters),
                                        cmocka_unit_test(long_ones_lose_their_middle) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
