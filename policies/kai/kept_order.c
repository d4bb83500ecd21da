/* kept_order.c - see kept_order.h. */
#include "policies/kai/kept_order.h"

#include <string.h>

/* The first of [from, from + n) that does not come before e; their end: all do. */
static size_t place_among(const struct kept_order *o, const struct kept_entry *e, size_t from,
                          size_t n)
{
    while (n > 0) {
        size_t half = n / 2;
        bool behind = kept_before(&o->entry[from + half], e);
        from = behind ? from + half + 1 : from;
        n = behind ? n - half - 1 : half;
    }
    return from;
}

/* How many come before e. */
static size_t place_of(const struct kept_order *o, const struct kept_entry *e)
{
    return place_among(o, e, 0, o->n);
}

enum { NEAR = 4 };                /* those that pass it move it a few places */

static size_t find(const struct kept_order *o, const struct kept_entry *e, size_t about)
{
    for (size_t at = about < NEAR ? 0 : about - NEAR; at <= about + NEAR && at < o->n; at++)
        if (o->entry[at].leaf == e->leaf)
            return at;
    return place_of(o, e);
}

size_t kept_insert(array_alloc *alloc, struct sched *s, struct kept_order *o,
                   const struct kept_entry *e)
{
    size_t at = place_of(o, e);
    o->entry = array_grown(alloc, s, o->entry, &o->capacity, o->n, sizeof *o->entry);
    array_open(o->entry, o->n++, at, sizeof *o->entry);
    o->entry[at] = *e;
    return at;
}

void kept_remove(struct kept_order *o, const struct kept_entry *e, size_t about)
{
    array_close(o->entry, o->n--, find(o, e, about), sizeof *o->entry);
}

/* Entry by entry while it is near, then by halves. */
static size_t move_forward(struct kept_order *o, size_t at, const struct kept_entry *to)
{
    size_t near = at > NEAR ? at - NEAR : 0;
    for (; at > near && kept_before(to, &o->entry[at - 1]); at--)
        o->entry[at] = o->entry[at - 1];
    if (at > near || near == 0)
        return at;
    size_t place = place_among(o, to, 0, at);
    memmove(&o->entry[place + 1], &o->entry[place], (at - place) * sizeof *o->entry);
    return place;
}

static size_t move_back(struct kept_order *o, size_t at, const struct kept_entry *to)
{
    size_t last = o->n - 1, near = at + NEAR < last ? at + NEAR : last;
    for (; at < near && kept_before(&o->entry[at + 1], to); at++)
        o->entry[at] = o->entry[at + 1];
    if (at < near || near == last)
        return at;
    size_t place = place_among(o, to, at + 1, last - at) - 1;
    memmove(&o->entry[at], &o->entry[at + 1], (place - at) * sizeof *o->entry);
    return place;
}

size_t kept_move(struct kept_order *o, const struct kept_entry *from, size_t about,
                 const struct kept_entry *to)
{
    size_t at = find(o, from, about);
    at = kept_before(to, from) ? move_forward(o, at, to) : move_back(o, at, to);
    o->entry[at] = *to;
    return at;
}
