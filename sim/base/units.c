/* units.c - see units.h. Integers all the way: no double between the text and the clock. */
#include "sim/base/units.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MOST    INT64_C(999999999999999999) /* 18 digits */
#define EXPONENT_MOST 100000 /* beyond it every number but zero is too large or nothing */

/* All that 64 bits hold. */
static const uint64_t power_of_ten[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

/* ---- reading ---- */

/* A number as it is written: `n` digits, the first `before` of them before the point, then the
 * power of ten. */
struct written {
    const char *digits;
    size_t n, before;
    int64_t exponent;
    bool negative;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_sign(const char **at, const char *end)
{
    if (*at == end || (**at != '-' && **at != '+'))
        return false;
    return *(*at)++ == '-';
}

/* What follows the "e": whether it is a power of ten that ends at `end`. */
static bool read_exponent(const char *at, const char *end, int64_t *exponent)
{
    bool negative = read_sign(&at, end);
    if (at == end)
        return false;
    int64_t value = 0;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        if (value < EXPONENT_MOST)
            value = value * 10 + (*at - '0');
    }
    *exponent = negative ? -value : value;
    return true;
}

static bool read_written(const char *text, size_t length, struct written *w)
{
    const char *at = text, *end = text + length;
    *w = (struct written){ .negative = read_sign(&at, end) };
    w->digits = at;
    while (at < end && is_digit(*at))
        at++;
    w->n = w->before = (size_t)(at - w->digits);
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        while (at < end && is_digit(*at))
            at++;
        w->n += (size_t)(at - fraction);
    }
    if (w->n == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E'))
        return read_exponent(at + 1, end, &w->exponent);
    return at == end;
}

static uint64_t digit(const struct written *w, int64_t i)
{
    size_t at = (size_t)i;
    return (uint64_t)(w->digits[at < w->before ? at : at + 1] - '0');
}

/* The digits before the point. false: more than 18 that count. */
static bool whole_part(const struct written *w, int64_t point, int64_t *whole)
{
    int64_t value = 0, n = (int64_t)w->n;
    for (int64_t i = 0; i < point; i++) {
        if (i >= n && value == 0)
            break; /* zero stays zero, whatever its power of ten */
        if (value > WHOLE_MOST / 10)
            return false;
        value = value * 10 + (i < n ? (int64_t)digit(w, i) : 0);
    }
    *whole = value;
    return true;
}

/* The digits behind the point in parts, rounded half up. Horner's rule from the last digit, of
 * twice the parts: floors nest, floor((floor(x) + m) / 10) = floor((x + m) / 10), so this is the
 * floor of the exact value at any length. */
static int64_t fraction_part(const struct written *w, int64_t point, int64_t scale)
{
    uint64_t twice = 2 * (uint64_t)scale, x = 0;
    for (int64_t i = (int64_t)w->n - 1; i >= 0 && i >= point; i--)
        x = (x + digit(w, i) * twice) / 10;
    for (int64_t i = point; i < 0 && x; i++)
        x /= 10;
    return (int64_t)((x + 1) / 2);
}

/* Up to 18 digits with a point or without, of which no more stand behind it than there are parts: most numbers of a trace. */
static bool read_plain(const char *text, size_t length, int64_t scale, int64_t *out)
{
    uint64_t value = 0;
    size_t point = length;
    if (length == 0 || length > 18)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned d = (unsigned char)text[i] - (unsigned)'0';
        if (d <= 9)
            value = value * 10 + d;
        else if (text[i] == '.' && point == length)
            point = i;
        else
            return false;
    }
    size_t behind = point < length ? length - 1 - point : 0;
    uint64_t unit = power_of_ten[behind], each = behind ? (uint64_t)scale / unit : (uint64_t)scale, parts;    /* a division is dear */
    if (point == 0 && behind == 0)
        return false; /* "." */
    if (each * unit != (uint64_t)scale || __builtin_mul_overflow(value, each, &parts) || parts > INT64_MAX)
        return false;
    *out = (int64_t)parts;
    return true;
}

bool decimal_parse(const char *text, size_t length, int64_t scale, int64_t *out)
{
    assert(scale > 0 && scale <= WHOLE_MOST / 10);
    if (read_plain(text, length, scale, out))
        return true;
    struct written w;
    if (!read_written(text, length, &w))
        return false;
    int64_t whole, point = (int64_t)w.before + w.exponent;
    if (!whole_part(&w, point, &whole))
        return false;
    int128_t parts = (int128_t)whole * scale + fraction_part(&w, point, scale);
    if (w.negative)
        parts = -parts;
    if (parts < INT64_MIN || parts > INT64_MAX)
        return false;
    *out = (int64_t)parts;
    return true;
}

bool integer_parse(const char *text, size_t length, int64_t *out)
{
    const char *at = text, *end = text + length;
    bool negative = read_sign(&at, end);
    if (at == end)
        return false;
    int64_t value = 0;
    for (; at < end; at++) {
        /* summed with its sign, because INT64_MIN has no positive twin */
        int d = negative ? '0' - *at : *at - '0';
        if (!is_digit(*at) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, d, &value))
            return false;
    }
    *out = value;
    return true;
}

/* ---- writing ---- */

static const char two_digits[] = "00010203040506070809101112131415161718192021222324252627282930313"
                                 "23334353637383940414243444546474849"
                                 "50515253545556575859606162636465666768697071727374757677787980818"
                                 "28384858687888990919293949596979899";

/* Of its bits, times log10(2) = 1233 / 4096, one less or just as many. */
static inline size_t digits_of(uint64_t value)
{
    size_t n = (size_t)(64 - __builtin_clzll(value | 1)) * 1233 >> 12;
    return n + (value >= power_of_ten[n]) + (value == 0);
}

/* Exactly n digits, with zeros in front. */
static inline void put_digits(char *to, uint64_t value, size_t n)
{
    for (; n >= 2; value /= 100)
        memcpy(to + (n -= 2), &two_digits[value % 100 * 2], 2);
    if (n)
        *to = (char)('0' + value % 10);
}

/* Inline, so that a unit that is known divides by multiplying. */
static inline size_t format_in(char *to, int64_t value, uint64_t unit, size_t decimals)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint64_t whole = size / unit, fraction = size - whole * unit;
    size_t n = 0, digits = digits_of(whole);
    if (value < 0)
        to[n++] = '-';
    put_digits(to + n, whole, digits);
    n += digits;
    if (!fraction)
        return n;
    if (decimals == 9 && fraction % 1000000 == 0) { /* most times are whole milliseconds */
        fraction /= 1000000;
        decimals = 3;
    }
    to[n++] = '.';
    put_digits(to + n, fraction, decimals);
    for (n += decimals; to[n - 1] == '0'; n--)
        ;
    return n;
}

size_t decimal_format(char *to, int64_t value, int64_t scale)
{
    switch (scale) {
    case 1:
        return format_in(to, value, 1, 0);
    case 1000000:
        return format_in(to, value, 1000000, 6);
    case NS_PER_S:
        return format_in(to, value, NS_PER_S, 9);
    default:
        return format_in(to, value, (uint64_t)scale, digits_of((uint64_t)scale) - 1);
    }
}

/* Only the point and what is behind it: ".5"; of 0 nothing. */
static size_t format_behind(char *to, int64_t part, int64_t scale)
{
    char text[DECIMAL_MAX];
    size_t length = decimal_format(text, scale + part, scale);
    memcpy(to, text + 1, length - 1);
    return length - 1;
}

size_t ratio_format(char *to, int64_t over, int64_t under)
{
    if (under <= 0)
        return 0;
    /* floor((over / under) * 1e6 + 1/2), where C's division goes towards zero */
    int128_t numerator = (int128_t)over * 2000000 + under, denominator = (int128_t)under * 2;
    int128_t millionths = numerator / denominator - (numerator % denominator < 0);
    if (millionths >= INT64_MIN && millionths <= INT64_MAX)
        return decimal_format(to, (int64_t)millionths, 1000000);
    int64_t rest = (int64_t)(millionths % 1000000); /* of more than 9e12: the whole part has the sign */
    size_t n = decimal_format(to, (int64_t)(millionths / 1000000), 1);
    return n + format_behind(to + n, rest < 0 ? -rest : rest, 1000000);
}

size_t wide_seconds_format(char *to, int128_t ns)
{
    if (ns <= INT64_MAX)
        return decimal_format(to, (int64_t)ns, NS_PER_S);
    size_t n = decimal_format(to, (int64_t)(ns / NS_PER_S), 1);
    return n + format_behind(to + n, (int64_t)(ns % NS_PER_S), NS_PER_S);
}

/* ---- doubles ---- */

double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

int64_t ns_of_seconds(double s)
{
    double ns = round(s * 1e9);
    if (ns >= 0x1p63)
        return TIME_NEVER;
    if (ns < -0x1p63)
        return INT64_MIN;
    return isnan(ns) ? TIME_NEVER : (int64_t)ns; /* NaN is no time: it never comes */
}

/* ---- doubles as text ---- */

/* A double from 0.01 to 1e15 is m / 2^s with m < 2^53 and s <= 59, and at most 18 of its digits are
 * behind the point, so m * 10^18 fits into 128 bits: rounding it, and comparing the rounded number
 * with neighbouring doubles, is exact. The result is that of printf, twenty times faster; printf
 * itself does the rest. */
__extension__ typedef unsigned __int128 uint128_t;

enum { LEAST_DIGITS = 15, MOST_DIGITS = 17, MANTISSA_BITS = 53 };

/* Digits before the point; of 0.012: -1. */
static int magnitude(double value)
{
    int n = value >= 0.1 ? 0 : -1;
    while (n >= 0 && value >= (double)power_of_ten[n])
        n++;
    return n;
}

/* Half to even, as printf does. */
static int64_t rounded(uint128_t scaled, int s)
{
    uint128_t rest = scaled & (((uint128_t)1 << s) - 1), half = (uint128_t)1 << (s - 1);
    int64_t whole = (int64_t)(scaled >> s);
    return whole + (rest > half || (rest == half && whole % 2));
}

/* Whether the double m / 2^s is the nearest to near / scale; half way: if m is even. */
static bool reads_back(int64_t near, uint128_t scaled, int64_t m, int s, int64_t scale)
{
    uint128_t at = (uint128_t)near << s;
    bool below = at < scaled;
    uint128_t away = below ? scaled - at : at - scaled, most = (uint128_t)scale;
    /* below a power of two doubles stand twice as close */
    away *= below && m == INT64_C(1) << (MANTISSA_BITS - 1) ? 4 : 2;
    return away < most || (away == most && m % 2 == 0);
}

/* With `digits`, or the fewest from there on that read back. */
static size_t format_exactly(char *to, double value, int digits)
{
    int exponent, before = magnitude(value);
    int64_t m = (int64_t)ldexp(frexp(value, &exponent), MANTISSA_BITS);
    int s = MANTISSA_BITS - exponent;
    for (;; digits++) {
        int64_t scale = (int64_t)power_of_ten[digits - before];
        uint128_t scaled = (uint128_t)m * (uint128_t)scale;
        int64_t near = rounded(scaled, s);
        if (digits == MOST_DIGITS || reads_back(near, scaled, m, s, scale))
            return decimal_format(to, near, scale);
    }
}

/* printf and strtod follow the locale; what is written does not: the one thing in a number that is
 * neither a digit, a sign nor an exponent is the decimal point, of one byte or of several. */
static size_t with_plain_point(char *to, const char *text)
{
    size_t n = 0;
    for (const char *at = text; *at; at++) {
        if (strchr("0123456789+-e", *at))
            to[n++] = *at;
        else if (n == 0 || to[n - 1] != '.')
            to[n++] = '.';
    }
    return n;
}

static size_t format_by_printf(char *to, double value, int digits)
{
    char text[64];
    for (; digits <= MOST_DIGITS; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return with_plain_point(to, text);
}

static size_t format_from(char *to, double value, int digits)
{
    double size = fabs(value);
    if (size < 1e15 && value == floor(value))    /* as %.15g writes it, and -0 as 0 */
        return decimal_format(to, (int64_t)value, 1);
    if (!(size >= 0.01 && size < 1e15))
        return format_by_printf(to, value, digits);
    *to = '-';
    size_t sign = value < 0;
    return sign + format_exactly(to + sign, size, digits);
}

size_t double_format(char *to, double value)
{
    return format_from(to, value, LEAST_DIGITS);
}

size_t double_format_17(char *to, double value)
{
    return format_from(to, value, MOST_DIGITS);
}
