/* test_output.c - numbers as text, and files that are whole or not there. */
#include "sim/io/output.h"
#include "sim/base/random.h"
#include "sim/base/units.h"
#include "tests/unit/test_core.h"

#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/gpuyard-output-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN); /* as main does */
    signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(directory) && chdir(directory) == 0 && mkdir("sub", 0777) == 0 ? 0 : -1;
}
static int tear_down(void **state)
{
    (void)state;
    return rmdir("sub") | chdir("/") | rmdir(directory); /* fails if a test left a file */
}

/* The whole file, or NULL; to be freed. */
static char *content(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = calloc(1, 4 << 20);
    text[fread(text, 1, (4 << 20) - 1, f)] = '\0';
    fclose(f);
    return text;
}
static bool there(const char *path)
{
    return access(path, F_OK) == 0;
}
static struct output *open_output(void)
{
    struct error err = { "" };
    struct output *o = output_open(".", "f", &err);
    assert_string_equal(err.text, "");
    assert_non_null(o);
    return o;
}
/* Commits and gives what is in the file. */
static char *committed(struct output *o)
{
    struct error err = { "" };
    assert_int_equal(output_commit(o, &err), 0);
    assert_false(there(".f.partial"));
    char *text = content("f");
    assert_non_null(text);
    assert_int_equal(unlink("f"), 0);
    return text;
}

/* ---- one value, one text ---- */

enum form { INTEGER, DECIMAL, SECONDS, RATIO, DOUBLE, CSV };
static const struct value_row {
    const char *name; enum form form; int64_t a, b; double d; const char *s, *text;
} value_rows[] = {
    { "integer", INTEGER, 42, 0, 0, "", "42" },
    { "least integer", INTEGER, INT64_MIN, 0, 0, "", "-9223372036854775808" },
    { "decimal", DECIMAL, 1050, 1000, 0, "", "1.05" },
    { "seconds", SECONDS, 1500000000, 0, 0, "", "1.5" },
    { "seconds: never", SECONDS, TIME_NEVER, 0, 0, "", "" },
    { "ratio", RATIO, 1, 3, 0, "", "0.333333" },
    { "ratio up", RATIO, 2, 3, 0, "", "0.666667" },
    { "ratio whole", RATIO, 6, 3, 0, "", "2" },
    { "ratio 0", RATIO, 0, 3, 0, "", "0" },
    { "ratio: trailing zeros", RATIO, 1, 4, 0, "", "0.25" },
    { "ratio: half up", RATIO, 1, 2000000, 0, "", "0.000001" },
    { "ratio: below half", RATIO, 1, 2000001, 0, "", "0" },
    { "ratio: carry", RATIO, 9999999, 10000000, 0, "", "1" },
    { "ratio: negative", RATIO, -1, 3, 0, "", "-0.333333" },
    { "ratio: negative half goes up", RATIO, -1, 2000000, 0, "", "0" },
    { "ratio: negative beyond half", RATIO, -3, 4000000, 0, "", "-0.000001" },
    { "ratio: over nothing", RATIO, 1, 0, 0, "", "" },
    { "ratio: over a negative", RATIO, 1, -1, 0, "", "" },
    { "ratio: greatest", RATIO, INT64_MAX, 1, 0, "", "9223372036854775807" },
    { "ratio: least", RATIO, INT64_MIN, 1, 0, "", "-9223372036854775808" },
    { "ratio: greatest with a fraction", RATIO, INT64_MAX, 4, 0, "", "2305843009213693951.75" },
    { "ratio: least with a fraction", RATIO, INT64_MIN + 1, 4, 0, "", "-2305843009213693951.75" },
    { "ratio: greatest, a third", RATIO, INT64_MAX, 3, 0, "", "3074457345618258602.333333" },
    { "ratio: of greatests", RATIO, INT64_MAX, INT64_MAX, 0, "", "1" },
    { "double", DOUBLE, 0, 0, 0.1, "", "0.1" },
    { "double whole", DOUBLE, 0, 0, 3600, "", "3600" },
    { "double minus zero", DOUBLE, 0, 0, -0.0, "", "0" },
    { "double of 16 digits", DOUBLE, 0, 0, 1.0 / 3, "", "0.3333333333333333" },
    { "double of 17 digits", DOUBLE, 0, 0, 0.1 + 0.2, "", "0.30000000000000004" },
    { "double large", DOUBLE, 0, 0, 1e15, "", "1e+15" },
    { "double below that", DOUBLE, 0, 0, -999999999999999, "", "-999999999999999" },
    { "double greatest", DOUBLE, 0, 0, DBL_MAX, "", "1.7976931348623157e+308" },
    { "double small", DOUBLE, 0, 0, 1e-5, "", "1e-05" },
    { "NaN", DOUBLE, 0, 0, NAN, "", "" },
    { "infinity", DOUBLE, 0, 0, -INFINITY, "", "-inf" },
    { "csv bare", CSV, 0, 0, 0, "a b-c", "a b-c" },
    { "csv empty", CSV, 0, 0, 0, "", "" },
    { "csv comma", CSV, 0, 0, 0, "a,b", "\"a,b\"" },
    { "csv quote", CSV, 0, 0, 0, "5\" disk", "\"5\"\" disk\"" },
    { "csv newline", CSV, 0, 0, 0, "a\nb", "\"a\nb\"" },
    { "csv carriage return", CSV, 0, 0, 0, "a\r", "\"a\r\"" },
    { "csv blank first", CSV, 0, 0, 0, " a", "\" a\"" },
    { "csv blank last", CSV, 0, 0, 0, "a\t", "\"a\t\"" },
};

static void value(void **state)
{
    const struct value_row *row = *state;
    struct output *o = open_output();
    switch (row->form) {
    case INTEGER:
        out_integer(o, row->a);
        break;
    case DECIMAL:
        out_decimal(o, row->a, row->b);
        break;
    case SECONDS:
        out_seconds(o, row->a);
        break;
    case RATIO:
        out_ratio(o, row->a, row->b);
        break;
    case DOUBLE:
        out_double(o, row->d);
        break;
    case CSV:
        out_csv(o, row->s);
        break;
    }
    char *text = committed(o);
    assert_string_equal(text, row->text);
    free(text);
}

/* Doubles of all sizes read back the same, also in locales with a decimal comma where the machine has one. */
static const struct locale_row { const char *name, *locale; } locale_rows[] = {
    { "doubles in locale C", "C" },
    { "doubles in a locale with a comma", "de_DE.UTF-8" },
    { "doubles in a locale with a point of two bytes", "ps_AF.UTF-8" },
};

static void doubles_read_back(void **state)
{
    const struct locale_row *row = *state;
    enum { N = 5000 };
    static double values[N];
    if (!setlocale(LC_ALL, row->locale))
        skip();
    struct random r;
    random_init(&r, 1, "doubles", 0);
    struct output *o = open_output();
    for (int i = 0; i < N; i++) {
        uint64_t bits = random_u64(&r);
        memcpy(&values[i], &bits, sizeof bits);
        if (!isfinite(values[i]) || i % 2)
            values[i] = random_uniform(&r) * 1000;
        out_double(o, values[i]);
        out_char(o, '\n');
    }
    setlocale(LC_ALL, "C");
    char *text = committed(o), *at = text;
    for (int i = 0; i < N; i++) {
        assert_true(strtod(at, &at) == values[i]);
        assert_int_equal(*at++, '\n');
    }
    free(text);
}

/* ---- files ---- */

static void a_file_appears_whole(void **state)
{
    (void)state;
    struct error err = { "" };
    struct output *o = output_open(".", "sub/f.csv", &err);
    assert_non_null(o);
    out_text(o, "new");
    assert_true(there("sub/.f.csv.partial") && !there("sub/f.csv"));
    assert_int_equal(output_commit(o, &err), 0);
    assert_true(!there("sub/.f.csv.partial") && there("sub/f.csv"));

    o = output_open("./sub", "f.csv", &err); /* the old one stays until the new one is whole */
    out_text(o, "newer");
    output_discard(o);
    char *text = content("sub/f.csv");
    assert_string_equal(text, "new");
    assert_false(there("sub/.f.csv.partial"));
    free(text);
    unlink("sub/f.csv");
    output_discard(NULL);
}

/* More than the buffer holds, in pieces of every size. */
static void large_files(void **state)
{
    (void)state;
    static char want[3 << 20];
    struct random r;
    random_init(&r, 1, "pieces", 0);
    for (size_t i = 0; i < sizeof want - 1; i++)
        want[i] = (char)('a' + i * 7 % 26);
    struct output *o = open_output();
    for (size_t i = 0, n; i < sizeof want - 1; i += n) {
        n = random_below(&r, 100) ? random_below(&r, 1000) : random_below(&r, 600000);
        n = n < sizeof want - 1 - i ? n : sizeof want - 1 - i;
        if (n == 1)
            out_char(o, want[i]);
        else
            out_bytes(o, want + i, n);
    }
    char *text = committed(o);
    assert_true(strcmp(text, want) == 0);
    free(text);
}

static void cannot_create(void **state)
{
    (void)state;
    struct error err = { "" };
    assert_null(output_open("/nonexistent", "jobs.csv", &err));
    assert_string_equal(err.text, "/nonexistent/jobs.csv: cannot create: No such file or directory");
}

static void name_is_a_directory(void **state)
{
    (void)state;
    struct error err = { "" };
    struct output *o = output_open(".", "sub", &err);
    assert_non_null(o);
    assert_int_equal(output_commit(o, &err), -1);
    assert_string_equal(err.text, "./sub: cannot create: Is a directory");
    assert_false(there(".sub.partial"));
}

/* Three files, of which the second cannot have its name: the first's old content is back, the third is not there. */
static void all_or_none(void **state)
{
    (void)state;
    static const char *const names[] = { "f", "sub", "g" };
    struct error err = { "" };
    struct output *list[3];
    for (int good = 0; good < 2; good++) {
        FILE *before = fopen("f", "w");
        fputs("old", before);
        fclose(before);
        for (size_t i = 0; i < 3; i++) {
            list[i] = output_open(".", good && i == 1 ? "h" : names[i], &err);
            assert_non_null(list[i]);
            out_text(list[i], "new");
            assert_int_equal(output_settle(list[i], &err), 0);
        }
        err.text[0] = '\0';
        assert_int_equal(output_commit_all(list, 3, &err), good ? 0 : -1);
        assert_string_equal(err.text, good ? "" : "./sub: cannot create: Is a directory");
        char *text = content("f");
        assert_string_equal(text, good ? "new" : "old");
        free(text);
        assert_int_equal(there("g"), good);
        assert_int_equal(there("h"), good);
        assert_false(there(".f.partial") || there(".f.earlier") || there(".sub.partial") || there(".g.partial"));
        unlink("f");
        unlink("g");
        unlink("h");
    }
}

/* The disk is full after 100 kB, while the buffer is flushed or only in the commit. */
static const struct full_row { const char *name; int kilobytes; } full_rows[] = {
    { "full disk in the commit", 200 },
    { "full disk before it", 2000 },
};

static void full_disk(void **state)
{
    const struct full_row *row = *state;
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 100000;
    struct error err = { "" };
    struct output *o = open_output();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < row->kilobytes * 100; i++)
        out_text(o, "0123456789");
    int result = output_commit(o, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(result, -1);
    assert_string_equal(err.text, "./f: cannot write: File too large");
    assert_false(there("f") || there(".f.partial"));
}

/* ---- streams ---- */

static const struct stream_row { const char *name; bool pipe; const char *error; } stream_rows[] = {
    { "full device", false, "<stdout>: cannot write: No space left on device" },
    { "closed pipe", true, "<stdout>: cannot write: Broken pipe" },
};

static void stream_fails(void **state)
{
    const struct stream_row *row = *state;
    int fd[2] = { -1, -1 };
    if (row->pipe) {
        assert_int_equal(pipe(fd), 0);
        close(fd[0]);
    } else {
        fd[1] = open("/dev/full", O_WRONLY);
    }
    struct error err = { "" };
    struct output *o = output_stream(fd[1], "<stdout>");
    for (int i = 0; i < 100000; i++)
        out_text(o, "0123456789");
    assert_int_equal(output_commit(o, &err), -1);
    assert_string_equal(err.text, row->error);
    assert_int_equal(close(fd[1]), 0); /* it was left open */
}

static void stream(void **state)
{
    (void)state;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    struct error err = { "" };
    struct output *o = output_stream(fd[1], "<stdout>");
    out_text(o, "hello ");
    out_integer(o, 5);
    assert_int_equal(output_commit(o, &err), 0);
    o = output_stream(fd[1], "<stdout>");
    out_text(o, "not this");
    output_discard(o);
    assert_int_equal(close(fd[1]), 0);
    char got[64] = "";
    assert_int_equal(read(fd[0], got, sizeof got), 7);
    assert_string_equal(got, "hello 5");
    close(fd[0]);
}

/* Pieces of any length, each larger than what a file keeps before it is written, come after what the file has. */
static void pieces_from_memory(void **state)
{
    (void)state;
    struct output *o = open_output(), *piece = output_memory();
    size_t length = 6;
    out_text(o, "first\n");
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 100000 * i; k++)
            out_integer(piece, 7);
        length += (size_t)(100000 * i) + 1;
        out_char(piece, '\n');
        output_move(o, piece);
    }
    output_move(o, piece);            /* nothing is left in it */
    output_discard(piece);
    out_text(o, "last");
    char *text = committed(o);
    assert_int_equal(strlen(text), length + 4);
    assert_memory_equal(text, "first\n\n77", 9);
    assert_string_equal(text + length - 3, "77\nlast");
    free(text);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, value, value_rows);
    ADD_ROWS(tests, n, doubles_read_back, locale_rows);
    ADD_TEST(tests, n, a_file_appears_whole);
    ADD_TEST(tests, n, large_files);
    ADD_TEST(tests, n, cannot_create);
    ADD_TEST(tests, n, name_is_a_directory);
    ADD_TEST(tests, n, all_or_none);
    ADD_ROWS(tests, n, full_disk, full_rows);
    ADD_ROWS(tests, n, stream_fails, stream_rows);
    ADD_TEST(tests, n, stream);
    ADD_TEST(tests, n, pieces_from_memory);
    return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
