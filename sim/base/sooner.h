/* sooner.h - whether what is to begin at some time may begin sooner: asked again and again, of many
 * things, while room comes and goes.
 *
 * A profile says how much of `all` is taken. Who asks needs `need` for `length`, begins at `start`,
 * and is in the profile itself from then on. A sooner start is a t < start such that `need` is free
 * over the part of [t, t + length) that lies before `start`. There are two ways to find one:
 *
 * - Enough is free just before `start`: then it may begin where that begins. How much is free just
 *   before the starts of all who have entered is known, no less than there is: it is looked up again
 *   only where something comes free.
 * - The whole length lies before `start`. For each pair of need and length a bound is kept, before
 *   which there is no such t; more that is taken leaves it, and what comes free lowers it, if that
 *   leaves room for the need. After a few rooms that came free it is forgotten. Then witnesses say
 *   that there is no such t: others who have entered, just before whose starts `need` is lacking, so
 *   near to each other that any t meets one of these lacks. Those found last are kept for each pair;
 *   one that says it no more is replaced by the latest that does. Where there are none the profile is
 *   searched.
 *
 * Mostly what comes free is a short time between others that are taken: then a start before it helps
 * nobody, as there would be a lack just before it. The SOONER_ROOMS that came free last are kept; a
 * pair that another has driven from its place in the table searches anew. What is not known costs a
 * search, never another answer. While all that have entered begin at one time, searches are all that
 * is made.
 */
#pragma once
#include "sim/base/profile.h"

#define SOONER_ROOMS 64u

struct sooner;
/* length, until INT64_MAX: without bound. Other times of a question are not negative. */
struct sooner_ask {
    int64_t need, length, start;
    uint32_t place;               /* where it has entered with that start; 0: nowhere */
};
struct sooner *sooner_new(void);
void    sooner_free(struct sooner *s);                       /* NULL: does nothing */
/* Less is taken on [from, until), or will be before the next question; from INT64_MIN: at any time
 * before. */
void    sooner_freed(struct sooner *s, int64_t from, int64_t until);
/* A place among those that begin then, which the profile bears as a mark until all have left. */
uint32_t sooner_enter(struct sooner *s, struct profile *p, int64_t start);
void    sooner_leave(struct sooner *s, struct profile *p, int64_t start, uint32_t place);
/* What has entered there goes, with what it takes, to begin at `to` < from, and is as long.
 * Its new place. from < until < INT64_MAX. */
uint32_t sooner_advance(struct sooner *s, struct profile *p, const struct profile_hold *h, uint32_t place, int64_t to);
/* The first sooner start from `after` < start on; `start` if there is none. */
int64_t sooner_start(struct sooner *s, const struct profile *p, int64_t all,
                     const struct sooner_ask *ask, int64_t after);
