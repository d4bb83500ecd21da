/* kept_order.c - see kept_order.h. */
#include "policies/kai/kept_order.h"

/* How many come before e. */
static size_t place_of(const struct kept_order *o, const struct kept_entry *e)
{
    size_t from = 0, n = o->n;
    while (n > 0) {
        size_t half = n / 2;
        bool behind = kept_before(&o->entry[from + half], e);
        from = behind ? from + half + 1 : from;
        n = behind ? n - half - 1 : half;
    }
    return from;
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

size_t kept_move(struct kept_order *o, const struct kept_entry *from, size_t about,
                 const struct kept_entry *to)
{
    size_t at = find(o, from, about);
    for (; at > 0 && kept_before(to, &o->entry[at - 1]); at--)
        o->entry[at] = o->entry[at - 1];
    for (; at + 1 < o->n && kept_before(&o->entry[at + 1], to); at++)
        o->entry[at] = o->entry[at + 1];
    o->entry[at] = *to;
    return at;
}
