/* freed.h - until when anything has come free since a given moment: a log of times.
 *
 * Each note says that something has come free up to a time, and counts one. Whoever has looked when
 * the count was n asks for the latest of the times noted since. A note that a later one reaches
 * beyond is never the answer again, and is forgotten: what is kept falls strictly. A note costs O(1)
 * on average, a question O(log of what is kept). */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct freed {
    struct freed_note { uint64_t count; int64_t until_ns; } *note;
    size_t n, capacity;
    uint64_t count;               /* of all notes */
};
/* {} is an empty log. */
void    freed_note(struct freed *f, int64_t until_ns);
/* The latest time of the notes after the first `count`; INT64_MIN: there are none. */
int64_t freed_since(const struct freed *f, uint64_t count);
void    freed_free(struct freed *f);
