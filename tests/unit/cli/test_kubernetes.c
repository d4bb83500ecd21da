/* test_kubernetes.c - quantities and spans of the Kubernetes API, zip archives, and values with their places. */
#include "sim/cli/import/kube/document.h"
#include "sim/cli/import/kube/parse.h"
#include "sim/cli/import/kube/zip.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The meanings of suffixes: kubernetes/apimachinery:pkg/api/resource/quantity.go, "<decimalSI> ::= m | \"\" | k | M | ...";
 * parts are rounded down. -1: no quantity. */
static void quantities(void **state)
{
    static const struct { const char *text; int64_t scale, value; } rows[] = {
        { "0", 1, 0 },
        { "8", 1, 8 },
        { "+8", 1, 8 },
        { "8", 1000, 8000 },
        { "100m", 1000, 100 },
        { "1500m", 1, 1 },
        { "0.5", 1000, 500 },
        { ".5", 1000, 500 },
        { "5.", 1, 5 },
        { "1u", 1000, 0 },
        { "999999n", 1000, 0 },
        { "1000000n", 1000, 1 },
        { "1k", 1, 1000 },
        { "1Ki", 1, 1024 },
        { "1.5Gi", 1, 1610612736 },
        { "2Ti", 1, INT64_C(2199023255552) },
        { "1Pi", 1, INT64_C(1125899906842624) },
        { "1P", 1, INT64_C(1000000000000000) },
        { "128974848", 1, 128974848 },
        { "129e6", 1, 129000000 },
        { "129M", 1, 129000000 },
        { "12E-3", 1000, 12 },
        { "1E", 1, INT64_C(1000000000000000000) },
        { "0E", 1, 0 },
        { "4Ei", 1, -1 },             /* 2^62 and more */
        { "99E", 1, -1 },
        { "1e99", 1, -1 },
        { "0e99", 1, 0 },
        { "1e-99", 1, 0 },
        { "", 1, -1 },
        { ".", 1, -1 },
        { "1.2.3", 1, -1 },
        { "-1", 1, -1 },
        { "1 Gi", 1, -1 },
        { "1GB", 1, -1 },
        { "1KI", 1, -1 },
        { "Gi", 1, -1 },
        { "1e", 1, -1 },
        { "1e+", 1, -1 },
        { "0x10", 1, -1 },
        { "123456789012345678901234567890", 1, -1 },
        { "0.1234567890123456789", 1000000, 123456 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got = -1;
        bool is = quantity_parse(rows[i].text, strlen(rows[i].text), rows[i].scale, &got);
        if (got != rows[i].value || is != (rows[i].value >= 0))
            fail_msg("'%s': want %lld, got %lld", rows[i].text, (long long)rows[i].value, (long long)got);
    }
}

/* golang/go:src/time/format.go, ParseDuration: "1h15m30.918s", "0" alone without a unit. */
static void spans(void **state)
{
    static const struct { const char *text; int64_t ns; } rows[] = {
        { "0", 0 },
        { "90s", 90 * NS_PER_S },
        { "1h30m", 5400 * NS_PER_S },
        { "1h15m30.918s", INT64_C(4530918000000) },
        { "500ms", INT64_C(500000000) },
        { "1.5m", 90 * NS_PER_S },
        { "3us", 3000 },
        { "7ns", 7 },
        { "", -1 },
        { "5", -1 },
        { "s", -1 },
        { "1d", -1 },
        { "-1s", -1 },
        { "1h 1m", -1 },
        { "9999999999h", -1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got = -1;
        bool is = go_span_parse(rows[i].text, strlen(rows[i].text), &got);
        if (got != rows[i].ns || is != (rows[i].ns >= 0))
            fail_msg("'%s': want %lld, got %lld", rows[i].text, (long long)rows[i].ns, (long long)got);
    }
}

/* The archive of Python's zipfile for a file "a" with the text "hello" (stored); its checksum is CRC-32's. */
static void archives(void **state)
{
    static const char stored[] = "PK\3\4\24\0\0\0\0\0\0\0!\0\x86\xa6\x10\x36\5\0\0\0\5\0\0\0\1\0\0\0ahello";
    struct error err = { "" };
    char *text, damaged[sizeof stored];
    size_t length;
    (void)state;
    assert_true(zip_is(stored, sizeof stored - 1));
    assert_false(zip_is("PK", 2));
    assert_int_equal(zip_first("z", stored, sizeof stored - 1, 100, &text, &length, &err), 0);
    assert_int_equal(length, 5);
    assert_memory_equal(text, "hello", 5);
    free(text);
    memcpy(damaged, stored, sizeof stored);
    damaged[sizeof stored - 2] = 'x';
    assert_int_equal(zip_first("z", damaged, sizeof stored - 1, 100, &text, &length, &err), -1);
    assert_string_equal(err.text, "z: want a zip archive, got a wrong checksum");
    for (size_t n = 4; n < sizeof stored - 1; n++) {
        struct error cut = { "" };
        assert_int_equal(zip_first("z", stored, n, 100, &text, &length, &cut), -1);
        assert_null(text);
    }
}

struct seen { unsigned documents; uint32_t line, column; char path[KUBE_PATH_MOST], wide[KUBE_PATH_MOST]; };

static void look(void *self, struct kube_reader *r, struct kube_value *root)
{
    struct seen *s = self;
    struct kube_value *list = kube_list(r, kube_map(r, root, "a"), "b"), *second = kube_next(kube_first(list));
    s->documents++;
    if (!second)
        return;
    struct kube_value *c = kube_get(r, second, "c");
    s->line = c->line;
    s->column = c->column;
    kube_path(NULL, c, true, s->path);
    kube_path(NULL, c, false, s->wide);
    assert_null(kube_get(r, second, "nothing"));
    assert_true(c->seen && second->seen && !kube_first(list)->child->seen);
}

static void places(void **state)
{
    char text[] = "a:\n  b:\n  - { x: 1 }\n  - c: 'here'\n    nothing: ~\n---\n{\"a\": {\"b\": []}}\n---\n";
    struct error err = { "" };
    struct kube_reader r = { "f", intern_new(), &err };
    struct seen s = { 0 };
    (void)state;
    assert_int_equal(kube_read_bytes(&r, text, strlen(text), look, &s), 0);
    assert_int_equal(s.documents, 2);    /* the third is empty */
    assert_int_equal(s.line, 4);
    assert_int_equal(s.column, 8);
    assert_string_equal(s.path, "a.b[1].c");
    assert_string_equal(s.wide, "a.b[].c");
    intern_free(r.names);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(quantities), cmocka_unit_test(spans), cmocka_unit_test(archives),
                                        cmocka_unit_test(places) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
