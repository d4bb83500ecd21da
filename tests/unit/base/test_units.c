/* test_units.c - decimal text to integer parts and back, and doubles as text. Expected values: by hand, and the C library. */
#include "sim/base/random.h"
#include "sim/base/units.h"
#include "tests/unit/test_core.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S NS_PER_S

static const struct parse_row { const char *name, *text; int64_t scale; bool ok; int64_t value; } parse_rows[] = {
    { "whole", "12", S, true, 12 * S },
    { "zero", "0", S, true, 0 },
    { "a tenth, which no double holds", "0.1", S, true, 100000000 },
    { "as pandas writes it", "66.0", S, true, 66 * S },
    { "a point at the end", "5.", S, true, 5 * S },
    { "a point in front", ".5", S, true, S / 2 },
    { "plus", "+4", S, true, 4 * S },
    { "minus", "-3", S, true, -3 * S },
    { "minus zero", "-0", S, true, 0 },
    { "power of ten", "1e3", S, true, 1000 * S },
    { "capital power", "1E3", S, true, 1000 * S },
    { "power with plus", "1e+3", S, true, 1000 * S },
    { "power into the fraction", "1.5e-3", S, true, 1500000 },
    { "power within the digits", "12.3456e2", S, true, INT64_C(1234560000000) },
    { "power out of the fraction", "0.0001e4", S, true, S },
    { "unix time with a fraction", "1699999999.123", S, true, INT64_C(1699999999123000000) },
    { "last part", "1e-9", S, true, 1 },
    { "half a part goes up", "0.0000000005", S, true, 1 },
    { "half a part by its power", "5e-10", S, true, 1 },
    { "minus half a part goes down", "-0.0000000005", S, true, -1 },
    { "a hair below half", "0.00000000049999999999999999999999999999999999999999", S, true, 0 },
    { "a hair below half, at the tenth digit of a power", "4.9999999999999999999999999999999e-10", S, true, 0 },
    { "far below a part", "1e-10", S, true, 0 },
    { "half rounds away above one", "1.0000000015", S, true, 1000000002 },
    { "carry into the whole", "0.9999999999", S, true, S },
    { "clock's end", "9223372036.854775807", S, true, INT64_MAX },
    { "rounds back to the clock's end", "9223372036.8547758074", S, true, INT64_MAX },
    { "rounds beyond the clock's end", "9223372036.8547758075", S, false, 0 },
    { "beyond the clock's end", "9223372036.854775808", S, false, 0 },
    { "clock's beginning", "-9223372036.854775808", S, true, INT64_MIN },
    { "before the clock's beginning", "-9223372036.854775809", S, false, 0 },
    { "18 digits", "123456789012345678", 1, true, INT64_C(123456789012345678) },
    { "19 digits", "1234567890123456789", 1, false, 0 },
    { "19 nines, whose value overflows 64 bits", "9999999999999999999", 1, false, 0 },
    { "18 digits by power", "1e17", 1, true, INT64_C(100000000000000000) },
    { "19 digits by power", "1e18", 1, false, 0 },
    { "leading zeros do not count", "0000000000000000000000000042", 1, true, 42 },
    { "milli-GPUs", "0.3", 1000, true, 300 },
    { "half a milli-GPU", "0.0005", 1000, true, 1 },
    { "scale 1, half", "2.5", 1, true, 3 },
    { "scale 1, minus half", "-2.5", 1, true, -3 },
    { "scale 3: 1.5 parts", "0.5", 3, true, 2 },
    { "scale 3: just under 1.5 parts", "0.49999999999999999999999999999", 3, true, 1 },
    { "zero to any power", "0e99999999999999999999", S, true, 0 },
    { "a huge power", "1e99999999999999999999", S, false, 0 },
    { "a tiny power", "1e-99999999999999999999", S, true, 0 },
    { "empty", "", S, false, 0 },
    { "blank before", " 1", S, false, 0 },
    { "blank behind", "1 ", S, false, 0 },
    { "hexadecimal", "0x10", S, false, 0 },
    { "inf", "inf", S, false, 0 },
    { "nan", "nan", S, false, 0 },
    { "only a point", ".", S, false, 0 },
    { "only a sign", "-", S, false, 0 },
    { "only a power", "e3", S, false, 0 },
    { "power missing", "1e", S, false, 0 },
    { "power missing behind its sign", "1e+", S, false, 0 },
    { "power broken", "1e1.5", S, false, 0 },
    { "two points", "1.2.3", S, false, 0 },
    { "comma", "1,5", S, false, 0 },
    { "two signs", "--1", S, false, 0 },
    { "unit", "5s", S, false, 0 },
};

static void parse(void **state)
{
    const struct parse_row *row = *state;
    int64_t value = -77;
    assert_int_equal(decimal_parse(row->text, strlen(row->text), row->scale, &value), row->ok);
    assert_true(value == (row->ok ? row->value : -77));
}

static const struct integer_row { const char *name, *text; bool ok; int64_t value; } integer_rows[] = {
    { "integer", "4096", true, 4096 },
    { "integer with plus", "+7", true, 7 },
    { "integer with minus", "-7", true, -7 },
    { "greatest integer", "9223372036854775807", true, INT64_MAX },
    { "one above", "9223372036854775808", false, 0 },
    { "least integer", "-9223372036854775808", true, INT64_MIN },
    { "one below", "-9223372036854775809", false, 0 },
    { "leading zeros", "007", true, 7 },
    { "integer: empty", "", false, 0 },
    { "integer: sign", "-", false, 0 },
    { "integer: fraction", "0.5", false, 0 },
    { "integer: power", "1e3", false, 0 },
    { "integer: blank", "1 ", false, 0 },
};

static void parse_integer(void **state)
{
    const struct integer_row *row = *state;
    int64_t value = -77;
    assert_int_equal(integer_parse(row->text, strlen(row->text), &value), row->ok);
    assert_true(value == (row->ok ? row->value : -77));
}

static const struct format_row { const char *name; int64_t value, scale; const char *text; } format_rows[] = {
    { "format 0", 0, S, "0" },
    { "format 1.5 s", 1500000000, S, "1.5" },
    { "format 1 ns", 1, S, "0.000000001" },
    { "format -1 ns", -1, S, "-0.000000001" },
    { "format whole seconds", 3600 * S, S, "3600" },
    { "format the end", INT64_MAX, S, "9223372036.854775807" },
    { "format the beginning", INT64_MIN, S, "-9223372036.854775808" },
    { "format milli", 1050, 1000, "1.05" },
    { "format whole numbers", -120, 1, "-120" },
    { "format the least whole number", INT64_MIN, 1, "-9223372036854775808" },
};

static void format(void **state)
{
    const struct format_row *row = *state;
    char text[DECIMAL_MAX + 1];
    text[decimal_format(text, row->value, row->scale)] = '\0';
    assert_string_equal(text, row->text);
}

/* The C library's digits are the second opinion; what it wrote is read back, and so is what we wrote. */
static void round_trip(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 7, "round trip", 0);
    for (int i = 0; i < 20000; i++) {
        int64_t ns = (int64_t)(random_u64(&r) >> 1 >> random_below(&r, 60)), back = -1;
        char ours[DECIMAL_MAX + 1], theirs[64];
        size_t length = decimal_format(ours, ns, S);
        assert_true(decimal_parse(ours, length, S, &back));
        assert_true(back == ns);
        int n = snprintf(theirs, sizeof theirs, "%" PRId64 ".%09" PRId64, ns / S, ns % S);
        assert_true(decimal_parse(theirs, (size_t)n, S, &back));
        assert_true(back == ns);
        assert_memory_equal(ours, theirs, length);
    }
}

/* Every unit that there is, with as many digits before the point as fit: the C library's division and digits. */
static void units_of_all_sizes(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 8, "units", 0);
    for (int decimals = 0; decimals <= 18; decimals++) {
        int64_t scale = 1;
        for (int i = 0; i < decimals; i++)
            scale *= 10;
        for (int i = 0; i < 2000; i++) {
            int64_t value = (int64_t)(random_u64(&r) >> 1 >> random_below(&r, 63)), back = -1;
            char ours[DECIMAL_MAX + 1], theirs[64];
            int n = snprintf(theirs, sizeof theirs, "%" PRId64 ".%0*" PRId64, value / scale, decimals, value % scale);
            while (theirs[n - 1] == '0')
                n--;
            n -= theirs[n - 1] == '.';
            ours[decimal_format(ours, value, scale)] = theirs[n] = '\0';
            assert_string_equal(ours, theirs);
            if (scale <= 100000000 && value / scale < 100000000) {
                assert_true(decimal_parse(ours, strlen(ours), scale, &back));
                assert_true(back == value);
            }
        }
    }
}

/* ---- doubles ---- */

/* printf and strtod, digit by digit. */
static void assert_as_printf(double value)
{
    char ours[DECIMAL_MAX + 1], theirs[64];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(theirs, sizeof theirs, "%.*g", digits, value);
        if (strtod(theirs, NULL) == value)
            break;
    }
    ours[double_format(ours, value)] = '\0';
    assert_string_equal(ours, value == 0 ? "0" : theirs);
    snprintf(theirs, sizeof theirs, "%.17g", value);
    ours[double_format_17(ours, value)] = '\0';
    assert_string_equal(ours, value == 0 ? "0" : theirs);
}

static double any_double(struct random *r)
{
    union { uint64_t bits; double value; } any = { .bits = random_u64(r) };
    return isfinite(any.value) ? any.value : 1;
}

static double ratio_of_integers(struct random *r)
{
    double over = (double)random_below(r, 1000000);
    return over / (double)(1 + random_below(r, 100000));
}

static double decimal_of_few_digits(struct random *r)
{
    double whole = (double)random_below(r, 1000000000);
    return whole / pow(10, (double)random_below(r, 12));
}

/* Digits from 1e-4 to 1e16: both sides of where it is done without printf. */
static double even_in_size(struct random *r)
{
    double power = random_uniform(r) * 20 - 4;
    return pow(10, power);
}

static double next_to_a_power(struct random *r)
{
    double base = random_below(r, 2) ? 2 : 10, power = (double)random_below(r, base == 2 ? 70 : 20);
    double value = pow(base, power - (base == 2 ? 15 : 3));
    for (uint64_t steps = random_below(r, 4); steps > 0; steps--)
        value = nextafter(value, random_below(r, 2) ? INFINITY : 0);
    return value;
}

static const struct double_row { const char *name; double (*draw)(struct random *r); } double_rows[] = {
    { "doubles as printf: any bits", any_double },
    { "doubles as printf: ratios", ratio_of_integers },
    { "doubles as printf: few digits", decimal_of_few_digits },
    { "doubles as printf: all sizes", even_in_size },
    { "doubles as printf: next to powers of two and ten", next_to_a_power },
};

static void as_printf(void **state)
{
    const struct double_row *row = *state;
    struct random r;
    random_init(&r, 11, "as printf", 0);
    for (int i = 0; i < 100000; i++) {
        double value = row->draw(&r);
        assert_as_printf(value);
        assert_as_printf(-value);
    }
}

static void times_in_seconds(void **state)
{
    (void)state;
    assert_true(seconds(1500000000) == 1.5);
    assert_true(ns_of_seconds(0.1) == 100000000);
    assert_true(ns_of_seconds(-1.5e-9) == -2);
    assert_true(ns_of_seconds(1e10) == TIME_NEVER);
    assert_true(ns_of_seconds(INFINITY) == TIME_NEVER);
    assert_true(ns_of_seconds(-INFINITY) == INT64_MIN);
    assert_true(ns_of_seconds(NAN) == TIME_NEVER);
}

int main(void)
{
    static struct CMUnitTest tests[TESTS_MOST];
    size_t n = 0;
    ADD_ROWS(tests, n, parse, parse_rows);
    ADD_ROWS(tests, n, parse_integer, integer_rows);
    ADD_ROWS(tests, n, format, format_rows);
    ADD_TEST(tests, n, round_trip);
    ADD_TEST(tests, n, units_of_all_sizes);
    ADD_ROWS(tests, n, as_printf, double_rows);
    ADD_TEST(tests, n, times_in_seconds);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
