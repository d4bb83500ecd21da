/* gaps.h - units that are held for times, and their gaps: the times between in which nothing holds
 * a unit.
 *
 * Holds of a unit may overlap: a gap is where there is none. Units are alike: all gaps [from,
 * until) of the same two times are counted together, in a tree by `from` that knows the longest gap
 * of each part, so a search meets only gaps that are long enough. Times are without bound at
 * INT64_MIN and INT64_MAX.
 *
 * Changes are numbered, and the last GAPS_KEPT are kept: a caller that has asked at one number can
 * be told at another whether the answer may have changed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAPS_KEPT 2048u

struct gaps;
struct gaps *gaps_new(size_t n_units);
void    gaps_free(struct gaps *g);                           /* NULL: does nothing */
/* One more hold (sign 1) of each of the units first + bit of `units` on [from, until), or one less
 * (-1): there is such a hold. An empty interval changes nothing. */
void    gaps_hold(struct gaps *g, size_t first, uint64_t units, int64_t from, int64_t until,
                  int sign);
bool    gaps_overlapped(const struct gaps *g);               /* some unit has two holds at one time */
/* The earliest t in [after, latest] at which `n` units have a gap that holds [t, t + length);
 * INT64_MAX: there is none. n > 0; length INT64_MAX: without end. It costs O(log gaps) for each gap
 * that is as long and begins before t. */
int64_t gaps_fit(struct gaps *g, int64_t after, int64_t latest, int64_t length, int64_t n);

struct gaps_mark { uint64_t changes, overlaps; };
struct gaps_mark gaps_mark(const struct gaps *g);
/* What has changed since the mark has been taken back: as if it had not been. */
void    gaps_unchanged(struct gaps *g, struct gaps_mark m);
/* A set of units is held on [start, start + length), and one asks, that hold away, for the earliest
 * place from `after` on, and which units have a gap over all of it. What has happened since the
 * mark, at worst: */
struct gaps_news {
    bool unknown;                 /* holds have overlapped, or too much happened; else: */
    bool earlier;                 /* it may be earlier */
    bool other_units;             /* other units may have such a gap at its start */
};
struct gaps_news gaps_news(const struct gaps *g, struct gaps_mark m, int64_t after, int64_t start,
                         int64_t length);

/* Units that are held from `start` on and have a gap just before it: how many, and when the first of these gaps begins. To be added
 * up over all units of a hold: begins as { 0, start }. */
struct gaps_own { int64_t n, from; };
void    gaps_own_add(const struct gaps *g, size_t first, uint64_t units, int64_t start, struct gaps_own *own);
/* At some t in [after, start) `n` units may have a gap that holds [t, t + length), the hold on [start, start + length) away. false:
 * at none. Its own units are taken to be free from the first of their gaps on. */
bool    gaps_sooner(struct gaps *g, int64_t after, int64_t start, int64_t length, int64_t n, struct gaps_own own);
