/* changes.h - which of n things have changed since a reader looked last, for any number of readers.
 *
 * Each change has a number; of each thing the last one is known, and all stand in a list in their order. A
 * reader that has read up to some number is told each thing that has changed since once, however often it
 * has, and pays for these alone. Things change O(1): one that has changed since anybody read is not listed
 * again, and when the list is full those are dropped that stand in it again further on.
 *
 * Memory from alloc(s) once, for n things. */
#pragma once
#include "sim/contract/util/array.h"

struct change { uint64_t number; uint32_t of; };
struct changes {
    uint64_t number;              /* of the last; 0: none yet */
    uint64_t read;                /* the last that a reader knows of */
    uint64_t *last;               /* [things] the last of each; 0: none */
    struct change *list;          /* [n] ascending; those that are the last of their thing count */
    size_t n, most;
};

static inline void changes_begin(array_alloc *alloc, struct sched *s, struct changes *c, uint32_t things)
{
    *c = (struct changes){ .most = 2 * (size_t)things + 1 };
    c->last = alloc(s, (things + (size_t)1) * sizeof *c->last);
    c->list = alloc(s, c->most * sizeof *c->list);
}

/* It is the last of its thing. */
static inline bool change_counts(const struct changes *c, const struct change *one)
{
    return c->last[one->of] == one->number;
}

static inline void changes_drop_old(struct changes *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (change_counts(c, &c->list[i]))
            c->list[n++] = c->list[i];
    c->n = n;
}

static inline void changes_note(struct changes *c, uint32_t of)
{
    if (c->last[of] > c->read)
        return;
    if (c->n == c->most)
        changes_drop_old(c);
    c->last[of] = ++c->number;
    c->list[c->n++] = (struct change){ c->number, of };
}

/* A reader that need not be told has read up to that change. */
static inline uint64_t changes_read(struct changes *c)
{
    return c->read = c->number;
}

/* A reader that has read up to `since` reads on, the last change first: `at` is c->n before the first
 * call. NULL: no more; then it has read up to c->number. Nothing changes meanwhile. */
static inline const struct change *changes_next(struct changes *c, uint64_t since, size_t *at)
{
    (void)changes_read(c);
    while (*at > 0 && c->list[*at - 1].number > since)
        if (change_counts(c, &c->list[--*at]))
            return &c->list[*at];
    return NULL;
}
