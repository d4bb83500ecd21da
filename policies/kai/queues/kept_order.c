/* kept_order.c - see kept_order.h. */
#include "policies/kai/queues/kept_order.h"

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

enum { NEAR = 4 };                /* most move a few places */

/* Where e stands if it comes before the entry at that place; behind it. */
static size_t place_forward(const struct kept_order *o, size_t at, const struct kept_entry *e)
{
    size_t near = at > NEAR ? at - NEAR : 0;
    while (at > near && kept_before(e, &o->entry[at - 1]))
        at--;
    return at > near || near == 0 ? at : place_among(o, e, 0, at);
}

static size_t place_back(const struct kept_order *o, size_t at, const struct kept_entry *e)
{
    size_t last = o->n - 1, near = at + NEAR < last ? at + NEAR : last;
    while (at < near && kept_before(&o->entry[at + 1], e))
        at++;
    return at < near || near == last ? at : place_among(o, e, at + 1, last - at) - 1;
}

/* n entries from that place on. */
static void shift(struct kept_order *o, size_t from, size_t n, ptrdiff_t by)
{
    memmove(o->entry + from + by, o->entry + from, n * sizeof *o->entry);
    memmove(o->leaf + from + by, o->leaf + from, n * sizeof *o->leaf);
}

static void set(struct kept_order *o, size_t at, const struct kept_entry *e)
{
    o->entry[at] = *e;
    o->leaf[at] = e->leaf;
    o->about[e->leaf] = (uint32_t)at + 1;
}

/* It is there. */
static size_t find(const struct kept_order *o, queue_id leaf)
{
    size_t about = o->about[leaf] - 1;
    for (size_t by = 0;; by++) {
        if (about + by < o->n && o->leaf[about + by] == leaf)
            return about + by;
        if (by <= about && about - by < o->n && o->leaf[about - by] == leaf)
            return about - by;
    }
}

static void insert(array_alloc *alloc, struct sched *s, struct kept_order *o,
                   const struct kept_entry *e)
{
    size_t at = place_among(o, e, 0, o->n);
    o->entry = array_grown(alloc, s, o->entry, &o->capacity, o->n, sizeof *o->entry);
    o->leaf = array_grown(alloc, s, o->leaf, &o->leaves_capacity, o->n, sizeof *o->leaf);
    o->about = array_covering(alloc, s, o->about, &o->n_about, e->leaf, sizeof *o->about);
    shift(o, at, o->n++ - at, 1);
    set(o, at, e);
}

void kept_put(array_alloc *alloc, struct sched *s, struct kept_order *o, const struct kept_entry *e)
{
    if (!kept_has(o, e->leaf)) {
        insert(alloc, s, o, e);
        return;
    }
    size_t at = find(o, e->leaf), to = at;
    if (kept_before(e, &o->entry[at])) {
        to = place_forward(o, at, e);
        shift(o, to, at - to, 1);
    } else if (kept_before(&o->entry[at], e)) {
        to = place_back(o, at, e);
        shift(o, at + 1, to - at, -1);
    }
    set(o, to, e);
}

void kept_drop(struct kept_order *o, queue_id leaf)
{
    size_t at = find(o, leaf);
    shift(o, at + 1, --o->n - at, -1);
    o->about[leaf] = 0;
}
