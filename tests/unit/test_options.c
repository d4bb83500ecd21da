/* test_options.c - command lines against a small table of every kind of option: what is stored, or the exact message. */
#include "sim/cli/frame/options.h"
#include "sim/base/units.h"
#include "tests/unit/test_core.h"

#include <stdio.h>
#include <string.h>

struct values {
    bool quiet, verbose;
    const char *file;
    struct option_texts set;
    int format;
    int64_t seed, until_ns;
    double load;
};
#define AT(field) .at = offsetof(struct values, field)
static const char *const formats[] = { "text", "json", "csv", NULL };
static const struct option options[] = {
    { .name = "quiet", .letter = 'q', .kind = OPTION_FLAG, AT(quiet) },
    { .name = "verbose", .letter = 'v', .kind = OPTION_FLAG, AT(verbose) },
    { .name = "output", .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, AT(file) },
    { .name = "set", .letter = 's', .argument = "KEY=VALUE", .kind = OPTION_TEXTS, AT(set) },
    { .name = "format", .argument = "FORMAT", .kind = OPTION_WORD, AT(format), .words = formats },
    { .name = "seed", .letter = 'n', .argument = "N", .kind = OPTION_INTEGER, AT(seed), .min = 0, .max = 99 },
    { .name = "until", .argument = "SECONDS", .kind = OPTION_SECONDS, AT(until_ns), .min = 1, .max = 3600 },
    { .name = "load", .argument = "X", .kind = OPTION_RATIO, AT(load), .max = 8 },
    { 0 },
};
static const struct option needy[] = {
    { .name = "trace", .letter = 't', .argument = "TRACE", .kind = OPTION_TEXT, AT(file), .required = true },
    { .name = "set", .argument = "KEY=VALUE", .kind = OPTION_TEXTS, AT(set) },
    { 0 },
};
static const struct option_set any = { "cmd", options, "DIR...", 0, SIZE_MAX };
static const struct option_set none = { "cmd", options, NULL, 0, 0 };
static const struct option_set one = { "cmd", options, "NAME", 1, 1 };
static const struct option_set required = { "cmd", needy, NULL, 0, 0 };

/* Defaults: seed 7, until 60 s, load 1, format text. `want` lists what differs from them, in the order of show(). */
static const struct row { const char *name; const struct option_set *set; const char *argv[8]; const char *want; } rows[] = {
    { "nothing", &any, { NULL }, "" },
    { "a flag", &any, { "--quiet" }, "quiet" },
    { "a letter", &any, { "-q" }, "quiet" },
    { "letters joined", &any, { "-qv" }, "quiet verbose" },
    { "a flag twice", &any, { "-q", "--quiet" }, "quiet" },
    { "name value", &any, { "--output", "a" }, "output=a" },
    { "name=value", &any, { "--output=a" }, "output=a" },
    { "a value with =", &any, { "--output=a=b" }, "output=a=b" },
    { "letter value", &any, { "-o", "a" }, "output=a" },
    { "letter attached", &any, { "-oa" }, "output=a" },
    { "a letter with = keeps it", &any, { "-o=a" }, "output==a" },
    { "flag and value joined", &any, { "-qoa" }, "quiet output=a" },
    { "flag and value joined, value apart", &any, { "-vo", "a" }, "verbose output=a" },
    { "a value like an option", &any, { "-o", "-q" }, "output=-q" },
    { "a value that is a dash", &any, { "-o", "-" }, "output=-" },
    { "a list", &any, { "-sa=1", "--set", "b=2", "--set=c=3" }, "set=a=1 set=b=2 set=c=3" },
    { "a word", &any, { "--format", "json" }, "format=1" },
    { "an integer", &any, { "--seed", "99" }, "seed=99" },
    { "an integer of zero", &any, { "-n0" }, "seed=0" },
    { "seconds", &any, { "--until", "1.5" }, "until=1500000000" },
    { "seconds, the most", &any, { "--until=3600" }, "until=3600000000000" },
    { "a ratio", &any, { "--load", "0.1" }, "load=0.1" },
    { "operands", &any, { "a", "-", "b" }, "a - b" },
    { "operands between options", &any, { "a", "-q", "b" }, "quiet a b" },
    { "-- ends the options", &any, { "-q", "--", "-v", "--", "--what" }, "quiet -v -- --what" },
    { "help", &any, { "--help" }, "HELP" },
    { "help as a letter", &any, { "-qh", "--what" }, "HELP" },
    { "help behind -- is an operand", &any, { "--", "--help" }, "--help" },
    { "help needs nothing else", &required, { "--help" }, "HELP" },
    { "required", &required, { "-tx" }, "output=x" },

    { "unknown", &any, { "--what" }, "cmd: no option '--what', see 'gpuyard cmd --help'" },
    { "unknown, near", &any, { "--outptu", "a" }, "cmd: no option '--outptu', did you mean '--output'?" },
    { "unknown, near, with value", &any, { "--seedd=1" }, "cmd: no option '--seedd', did you mean '--seed'?" },
    { "near to help", &any, { "--hlep" }, "cmd: no option '--hlep', did you mean '--help'?" },
    { "abbreviated", &any, { "--verb" }, "cmd: no option '--verb', see 'gpuyard cmd --help'" },
    { "unknown letter", &any, { "-x" }, "cmd: no option '-x', see 'gpuyard cmd --help'" },
    { "unknown letter among others", &any, { "-qxv" }, "cmd: no option '-x', see 'gpuyard cmd --help'" },
    { "unknown and very long", &any, { "--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
      "cmd: no option '--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', see 'gpuyard cmd --help'" },
    { "a flag with a value", &any, { "--quiet=yes" }, "cmd: --quiet takes no value, got 'yes'" },
    { "help with a value", &any, { "--help=run" }, "cmd: --help takes no value, got 'run'" },
    { "no value", &any, { "--output" }, "cmd: --output: want FILE" },
    { "no value for a letter", &any, { "-qo" }, "cmd: --output: want FILE" },
    { "an empty value", &any, { "--output=" }, "cmd: --output: want FILE, got ''" },
    { "an empty item", &any, { "--set", "" }, "cmd: --set: want KEY=VALUE, got ''" },
    { "given twice", &any, { "-oa", "--output=a" }, "cmd: --output is given twice" },
    { "a number twice", &any, { "--seed=1", "-n1" }, "cmd: --seed is given twice" },
    { "another word", &any, { "--format=xml" }, "cmd: --format: want text, json or csv, got 'xml'" },
    { "a word in capitals", &any, { "--format=JSON" }, "cmd: --format: want text, json or csv, got 'JSON'" },
    { "no integer", &any, { "--seed", "1.5" }, "cmd: --seed: want a whole number from 0 to 99, got '1.5'" },
    { "an integer too large", &any, { "--seed=100" }, "cmd: --seed: want a whole number from 0 to 99, got '100'" },
    { "an integer too small", &any, { "--seed", "-1" }, "cmd: --seed: want a whole number from 0 to 99, got '-1'" },
    { "an option for a number", &any, { "--seed", "--quiet" }, "cmd: --seed: want a whole number from 0 to 99, got '--quiet'" },
    { "seconds with a unit", &any, { "--until=5s" }, "cmd: --until: want seconds from 1 to 3600, got '5s'" },
    { "seconds too few", &any, { "--until=0.999999999" }, "cmd: --until: want seconds from 1 to 3600, got '0.999999999'" },
    { "a ratio of nothing", &any, { "--load=0" }, "cmd: --load: want a number above 0, at most 8, got '0'" },
    { "a ratio that rounds to nothing", &any, { "--load=1e-10" }, "cmd: --load: want a number above 0, at most 8, got '1e-10'" },
    { "a ratio too large", &any, { "--load=8.1" }, "cmd: --load: want a number above 0, at most 8, got '8.1'" },
    { "not a number", &any, { "--load=nan" }, "cmd: --load: want a number above 0, at most 8, got 'nan'" },
    { "the first mistake counts", &any, { "--seed=x", "--what" }, "cmd: --seed: want a whole number from 0 to 99, got 'x'" },
    { "operands where none go", &none, { "-q", "a" }, "cmd: takes no operand, got 'a'" },
    { "an operand missing", &one, { "-q" }, "cmd: want NAME, see 'gpuyard cmd --help'" },
    { "an operand too many", &one, { "a", "b", "c" }, "cmd: want NAME, got 'b' besides" },
    { "required, missing", &required, { NULL }, "cmd: --trace: want TRACE" },
    { "a list is freed after a mistake", &required, { "--set=a=1", "--set=b=1", "--tarce" },
      "cmd: no option '--tarce', did you mean '--trace'?" },
};

static void show(const struct values *v, const struct operands *operands, char *to, size_t size)
{
    size_t n = 0;
    to[0] = '\0';
#define ADD(condition, ...)                                                                                            \
    if (condition)                                                                                                     \
        n += (size_t)snprintf(to + n, size - n, __VA_ARGS__)
    ADD(v->quiet, "quiet ");
    ADD(v->verbose, "verbose ");
    ADD(v->file, "output=%s ", v->file);
    for (size_t i = 0; i < v->set.n; i++)
        ADD(true, "set=%s ", v->set.text[i]);
    ADD(v->format, "format=%d ", v->format);
    ADD(v->seed != 7, "seed=%lld ", (long long)v->seed);
    ADD(v->until_ns != 60 * NS_PER_S, "until=%lld ", (long long)v->until_ns);
    ADD(v->load > 1 || v->load < 1, "load=%.17g ", v->load);
    for (size_t i = 0; i < operands->n; i++)
        ADD(true, "%s ", operands->text[i]);
#undef ADD
    if (n)
        to[n - 1] = '\0';
}

static void command_line(void **state)
{
    const struct row *row = *state;
    struct values v = { .seed = 7, .until_ns = 60 * NS_PER_S, .load = 1 };
    struct operands operands = { 0 };
    struct error err = { "" };
    char *argv[COUNT(row->argv) + 1] = { "cmd" }, got[512], load[64];
    int argc = 1;
    for (; row->argv[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)row->argv[argc - 1];
    enum options_result result = options_parse(row->set, argc, argv, &v, &operands, &err);
    show(&v, &operands, got, sizeof got);
    if (!strcmp(row->want, "load=0.1"))            /* the nearest double, not nine decimals of it */
        snprintf(load, sizeof load, "load=%.17g", 0.1);
    const char *want = strcmp(row->want, "load=0.1") ? row->want : load;
    bool wrong = !strncmp(want, "cmd: ", 5);
    assert_string_equal(err.text, wrong ? want : "");
    assert_int_equal(result, wrong ? OPTIONS_WRONG : !strcmp(want, "HELP") ? OPTIONS_HELP : OPTIONS_OK);
    if (result == OPTIONS_OK)
        assert_string_equal(got, want);
    options_free(row->set, &v, &operands);
}

/* ---- Words for messages ---- */

static const struct said { const char *name, *typed, *want; } saids[] = {
    { "near", "jsn", "'jsn', did you mean 'json'?" },
    { "far", "perfetto", "'perfetto', want something else" },
    { "empty", "", "'', want something else" },
};
static void meant(void **state)
{
    const struct said *row = *state;
    char text[DID_YOU_MEAN];
    assert_string_equal(did_you_mean(text, row->typed, formats, "want something else"), row->want);
}

static void words_of_one_and_two(void **state)
{
    (void)state;
    char text[DID_YOU_MEAN];
    assert_string_equal(words_or(text, (const char *const[]){ "a", NULL }), "a");
    assert_string_equal(words_or(text, (const char *const[]){ "a", "b", NULL }), "a or b");
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MOST] = { { 0 } };
    size_t n = 0;
    ADD_ROWS(tests, n, command_line, rows);
    ADD_ROWS(tests, n, meant, saids);
    ADD_TEST(tests, n, words_of_one_and_two);
    return cmocka_run_group_tests_name("options", tests, NULL, NULL) != 0;
}
