/* bracket.h - the first of n things in order that is good, where whatever comes behind a good one is good as well: from both ends, then
 * halving what is between. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum tried { NOT_TRIED, TRIED_BAD, TRIED_GOOD };
struct bracket {
    size_t n;
    enum tried *at;               /* [n]; the caller fills it in as it finds out */
    bool from_end;                /* the last one that is good, where whatever comes before a good one is */
};
/* Which to try now, at most two: 0: it is decided. */
size_t bracket_next(const struct bracket *b, size_t next[2]);
size_t bracket_found(const struct bracket *b);               /* of those that were tried; n: none is good */
