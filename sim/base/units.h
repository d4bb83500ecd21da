/* units.h - time in integer nanoseconds, and exact conversion of numbers from and to decimal text.
 *
 * The clock is int64_t nanoseconds: 292 years. Text is rounded once, when it is read (half away
 * from zero). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S   INT64_C(1000000000)
#define TIME_NEVER INT64_MAX
/* 180 years: no run is longer, so that what begins in one, of less than 100 years, ends within the clock */
#define CLOCK_END_NS (INT64_C(180) * 31557600 * NS_PER_S)

__extension__ typedef __int128 int128_t;   /* sums of nanoseconds over a run overflow 64 bits */

/* Reads a decimal number ("12", "0.5", "-3", "1e3", "66.0") as that many `units`, each divided in
 * `scale` parts (1e9 for seconds to ns, 1000 for GPUs to milli-GPUs). At most 18 digits before the
 * point; digits beyond the last part are rounded. false: not such a number (empty, blanks,
 * hexadecimal, inf, nan, trailing text) or the result does not fit; *out is then unchanged. */
bool decimal_parse(const char *text, size_t length, int64_t scale, int64_t *out);

/* Reads a whole number, optional sign. false as above. */
bool integer_parse(const char *text, size_t length, int64_t *out);

/* Writes `value / scale` (scale a power of ten up to 1e18) without trailing zeros: 1500000000, 1e9
 * -> "1.5". Returns the length; `to` needs DECIMAL_MAX bytes and is not ended with NUL. */
#define DECIMAL_MAX 32
size_t decimal_format(char *to, int64_t value, int64_t scale);

/* Writes over / under with six decimals, rounded half up, without trailing zeros; under <= 0: nothing. */
size_t ratio_format(char *to, int64_t over, int64_t under);
/* Writes seconds of a sum over GPUs, of at least 0 and below 2^63 s. */
size_t wide_seconds_format(char *to, int128_t ns);

/* Writes a finite double with the fewest of 15, 16 or 17 digits that read back the same: as "%.*g"
 * in the C locale, without trailing zeros; -0 as 0. Length and `to` as above. */
size_t double_format(char *to, double value);
/* The same with 17 digits whatever reads back: as "%.17g" in the C locale; -0 as 0. */
size_t double_format_17(char *to, double value);

double seconds(int64_t ns);                /* for reports and laws, never for the clock */
int64_t ns_of_seconds(double s);           /* rounded to nearest; saturates at TIME_NEVER */
