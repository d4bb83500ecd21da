/* gap_list.h - gaps of units, in the order of their beginnings: the times [from, until) in which nothing holds some units of a
 * group.
 *
 * Gaps are in order by `from`, then group, then `until`, in blocks of up to GAP_BLOCK. A block knows its longest gap and the last
 * end of one, so a walk passes by blocks without a gap that it wants: a comparison each. A change costs a search for its place and
 * GAP_BLOCK moves. Times are without bound at INT64_MIN and INT64_MAX, and so is the length of a gap that has such an end.
 *
 * Which gap is the first that is long enough is asked far more often than the answer changes. Gaps than which none is as long that
 * begins before are steps, mostly a dozen: they are kept while changes do not concern one of them, for the time from which on one
 * asked last. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAP_BLOCK 32u

struct gap_items {
    int64_t from[GAP_BLOCK], until[GAP_BLOCK], length[GAP_BLOCK];
    uint64_t units[GAP_BLOCK];
    uint32_t group[GAP_BLOCK];
};
struct gap_block {
    int64_t longest, last;        /* max length, max `until` */
    uint32_t n;                   /* > 0 */
    struct gap_items *items;
};
#define GAP_STEPS 32u
/* Of gaps from `after` on, which have begun if they began before: the longest of those that begin first, the first that is longer... */
struct gap_steps {
    bool known;
    bool all;                     /* these are all; else there may be more behind the last of them */
    uint32_t n;
    int64_t after;
    int64_t from[GAP_STEPS], length[GAP_STEPS];
};
struct gap_list {
    struct gap_block *block;
    int64_t *first;               /* [n] the first `from` of each block */
    size_t n, capacity, first_capacity;
    size_t last;                  /* the block that was searched for last */
    struct gap_steps steps;
};
struct gap { int64_t from, until; uint32_t group; };

void gap_list_free(struct gap_list *l);                      /* its memory; an empty list is all zeros */
/* Units of the group get that gap, which they have not, and others that have it lose it. */
void gap_list_change(struct gap_list *l, struct gap gap, uint64_t come, uint64_t go);
/* Units that have that gap have one of the same beginning, up to another end, instead. */
void gap_list_end(struct gap_list *l, struct gap gap, uint64_t units, int64_t until);

static inline int64_t gap_length(int64_t from, int64_t until)
{
    return from == INT64_MIN || until == INT64_MAX ? INT64_MAX : until - from;
}

/* The first step that is as long; n: none. */
static inline uint32_t gap_step_for(const struct gap_steps *s, int64_t length)
{
    uint32_t i = 0;
    while (i < s->n && s->length[i] < length)
        i++;
    return i;
}

int64_t gap_list_first_anew(struct gap_list *l, int64_t after, int64_t length);    /* gap_list_first(), where steps do not say it */
/* The first time, `after` or later, from which on a gap is as long; INT64_MAX: there is none. */
static inline int64_t gap_list_first(struct gap_list *l, int64_t after, int64_t length)
{
    const struct gap_steps *s = &l->steps;
    if (!s->known || s->after != after)
        return gap_list_first_anew(l, after, length);
    uint32_t i = gap_step_for(s, length);
    if (i < s->n)
        return s->from[i];
    return s->all ? INT64_MAX : gap_list_first_anew(l, after, length);
}

/* A walk over gaps in their order; where it stands nothing may have changed. */
struct gap_walk { const struct gap_list *l; size_t block; uint32_t item; };    /* item: the next that is looked at */
struct gap_walk gap_walk_all(const struct gap_list *l);                        /* from the first on */
struct gap_walk gap_walk_after(struct gap_list *l, int64_t time);              /* from the first on that begins after that time */
/* The next that begins at `latest` or before and is as long; NULL: none. *item: its place. */
const struct gap_items *gap_walk_longer(struct gap_walk *w, int64_t latest, int64_t length, uint32_t *item);
/* The next that begins at `from` or before and ends at `until` or later. */
const struct gap_items *gap_walk_covering(struct gap_walk *w, int64_t from, int64_t until, uint32_t *item);
