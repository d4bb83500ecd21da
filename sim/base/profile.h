/* profile.h - a step function of time, the sum of many holds: the amount taken at each instant.
 *
 * A balanced tree of steps with sums and max prefix sums: each query costs O(log steps), however
 * long its interval is. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct profile;
struct profile *profile_new(void);
void    profile_free(struct profile *p);                     /* NULL: does nothing */
/* Adds `amount` (negative: takes back) on [from, until). from INT64_MIN and until INT64_MAX are
 * without bound. An empty interval changes nothing. */
void    profile_add(struct profile *p, int64_t from, int64_t until, int64_t amount);
int64_t profile_at(const struct profile *p, int64_t time);
/* The max value on [from, until); of an empty interval the value at `from`. */
int64_t profile_max(const struct profile *p, int64_t from, int64_t until);
/* The earliest t in [after, latest) such that the value is at most `max` on the part of [t, t +
 * length) before `before`; `latest` if there is none. latest <= before; length, latest or before
 * INT64_MAX: without bound. */
int64_t profile_fit(const struct profile *p, int64_t after, int64_t latest, int64_t before,
                    int64_t length, int64_t max);
/* The max value at any time, O(1). */
int64_t profile_peak(const struct profile *p);
