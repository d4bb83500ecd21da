/* profile.h - a step function of time that many holds add up to: how much is taken at each instant.
 *
 * A balanced tree of steps with sums and greatest prefix sums: each question costs O(log steps), however long the time
 * that it is about. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct profile;
struct profile *profile_new(void);
void    profile_free(struct profile *p);                     /* NULL: does nothing */
/* Adds `amount` (negative: takes back) on [from, until). from INT64_MIN: since ever; until INT64_MAX: for ever. An empty
 * interval: nothing. */
void    profile_add(struct profile *p, int64_t from, int64_t until, int64_t amount);
int64_t profile_at(const struct profile *p, int64_t time);
/* The greatest value on [from, until); of an empty interval the value at `from`. */
int64_t profile_max(const struct profile *p, int64_t from, int64_t until);
/* The earliest t in [after, before) such that the value stays at or below `most` on [t, t + length), as far as that lies
 * before `before`; none: `before`. length, before INT64_MAX: for ever. */
int64_t profile_fit(const struct profile *p, int64_t after, int64_t before, int64_t length, int64_t most);
