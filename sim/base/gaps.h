/* gaps.h - units that are held for times, and their gaps: the times between in which nothing holds
 * a unit.
 *
 * Units come in groups of up to 64: the GPUs of a node. Holds of a unit may overlap: a gap is where
 * there is none. Gaps are in a list by their beginnings (gaps/gap_list.h), so a search meets only gaps that are long enough, and those
 * with a gap over all of a time are found without a look at the others: under load they are few. Most searches end soon after they
 * begin, and most holds end long after: the list has those gaps alone that begin before a time up to which somebody has searched, and
 * some more; others are seen from what is held when a search gets there. Times are without bound at INT64_MIN and INT64_MAX.
 *
 * Changes are numbered, and the last GAPS_KEPT are kept: a caller that has asked at one number can
 * be told at another whether the answer may have changed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAPS_KEPT 2048u

struct gaps;
struct gaps *gaps_new(size_t n_groups, unsigned units_each);
void    gaps_free(struct gaps *g);                           /* NULL: does nothing */
/* One more hold (sign 1) of each of these units of a group on [from, until), or one less (-1): there
 * is such a hold. An empty interval changes nothing. */
void    gaps_hold(struct gaps *g, size_t group, uint64_t units, int64_t from, int64_t until,
                  int sign);
bool    gaps_overlapped(const struct gaps *g);               /* some unit has two holds at one time */
/* The earliest t in [after, latest] at which `n` units have a gap that holds [t, t + length);
 * INT64_MAX: there is none. n > 0; length INT64_MAX: without end. It costs O(1) for each gap
 * that is as long and begins before t. */
int64_t gaps_fit(struct gaps *g, int64_t after, int64_t latest, int64_t length, int64_t n);
/* The same for one unit; what is later than `latest` may be any time that is. It costs a dozen comparisons. */
int64_t gaps_first(struct gaps *g, int64_t after, int64_t latest, int64_t length);
/* The units that have a gap over all of [from, until), from < until: *n parts of groups, of which a
 * group may have several, in no order that means anything; good until the next question. O(1) for
 * each gap. */
struct gaps_units { uint32_t group; uint64_t units; };
const struct gaps_units *gaps_covering(struct gaps *g, int64_t from, int64_t until, size_t *n);
bool    gaps_cover(struct gaps *g, int64_t from, int64_t until);    /* some unit has one */

struct gaps_mark { uint64_t changes, overlaps; };
struct gaps_mark gaps_mark(const struct gaps *g);
/* What has changed since the mark has been taken back: as if it had not been. */
void    gaps_unchanged(struct gaps *g, struct gaps_mark m);
/* A set of units is held on [start, start + length), and one asks, that hold away, for the earliest
 * place from `after` on, and which units have a gap over all of it. What has happened since the
 * mark, at worst: */
bool    gaps_unknown(const struct gaps *g, struct gaps_mark m);    /* holds have overlapped, or too much happened; else: */
/* Of its own units some may have come free just before its start. If none have, and gaps_first() is no sooner than that either, no
 * place is sooner where none was. */
bool    gaps_freed_until(const struct gaps *g, struct gaps_mark m, int64_t start);
bool    gaps_other_units(const struct gaps *g, struct gaps_mark m, int64_t start,
                         int64_t length);    /* other units may have such a gap at its start */
/* Units have come free for a place from `after` on, or other units have such a gap at its start, or have lost it. */
bool    gaps_news(const struct gaps *g, struct gaps_mark m, int64_t after, int64_t start, int64_t length);
/* Nothing has come free later than `after`, and no holds overlap. For a caller who asks about many places after each other. */
bool    gaps_quiet(struct gaps *g, struct gaps_mark m, int64_t after);
/* Neither a sooner place nor, at its start, other units with such a gap: where holds do not overlap, after <= start. */
bool    gaps_still(struct gaps *g, struct gaps_mark m, int64_t after, int64_t start, int64_t length);

/* The same hold away, the earliest t in [after, start) at which `n` units have a gap that holds [t, t + length); INT64_MAX: there is
 * none. Where holds overlap, none later. After gaps_away_begin() its units are told, group by group. */
struct gaps_away { int64_t start, length; };
void    gaps_away_begin(struct gaps *g);
void    gaps_away_add(struct gaps *g, size_t group, uint64_t units, struct gaps_away hold);
int64_t gaps_sooner(struct gaps *g, int64_t after, struct gaps_away hold, int64_t n);
/* Those of the units that are not held on any part of [from, until), from < until. */
uint64_t gaps_free_units(const struct gaps *g, size_t group, uint64_t units, int64_t from, int64_t until);
