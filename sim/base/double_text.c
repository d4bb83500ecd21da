/* double_text.c - doubles as decimal text. See units.h.
 *
 * A double from 0.01 to 1e15 is m / 2^s with m < 2^53 and s <= 59, and at most 18 digits of it stand behind the point, so that m * 10^18
 * fits into 128 bits: rounding it, and asking whether what was rounded is nearer to it than to any other double, is exact there. It says
 * what printf says, twenty times faster; for the rest printf does it. */
#include "sim/base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128_t;

enum { LEAST_DIGITS = 15, MOST_DIGITS = 17, DECIMALS_MOST = 18, MANTISSA_BITS = 53 };
static const int64_t power_of_ten[DECIMALS_MOST + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
    100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
};

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

/* Is the double m / 2^s the nearest to near / scale? Half way it is, if m is even. */
static bool reads_back(int64_t near, uint128_t scaled, int64_t m, int s, int64_t scale)
{
    uint128_t at = (uint128_t)near << s;
    bool below = at < scaled;
    uint128_t away = below ? scaled - at : at - scaled, most = (uint128_t)scale;
    away *= below && m == INT64_C(1) << (MANTISSA_BITS - 1) ? 4 : 2;    /* below a power of two doubles stand twice as close */
    return away < most || (away == most && m % 2 == 0);
}

static size_t format_exactly(char *to, double value)
{
    int exponent, before = magnitude(value);
    int64_t m = (int64_t)ldexp(frexp(value, &exponent), MANTISSA_BITS);
    int s = MANTISSA_BITS - exponent;
    for (int digits = LEAST_DIGITS;; digits++) {
        int64_t scale = power_of_ten[digits - before];
        uint128_t scaled = (uint128_t)m * (uint128_t)scale;
        int64_t near = rounded(scaled, s);
        if (digits == MOST_DIGITS || reads_back(near, scaled, m, s, scale))
            return decimal_format(to, near, scale);
    }
}

/* printf and strtod follow the locale; what is written does not: the one thing in a number that is neither a digit, a sign nor an exponent
 * is the decimal point, of one byte or of several. */
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

static size_t format_by_printf(char *to, double value)
{
    char text[64];
    for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return with_plain_point(to, text);
}

size_t double_format(char *to, double value)
{
    double size = fabs(value);
    if (size < 1e15 && value == floor(value))    /* as %.15g writes it, and -0 as 0 */
        return decimal_format(to, (int64_t)value, 1);
    if (!(size >= 0.01 && size < 1e15))
        return format_by_printf(to, value);
    *to = '-';
    size_t sign = value < 0;
    return sign + format_exactly(to + sign, size);
}
