/* bracket.c - see bracket.h. */
#include "sim/study/sizing.h"

static size_t turned(const struct bracket *b, size_t i)
{
    return b->from_end ? b->n - 1 - i : i;
}

static enum tried at(const struct bracket *b, size_t i)
{
    return b->at[turned(b, i)];
}

/* The first good one, and the last bad one before it, if both are there. */
static size_t first_good(const struct bracket *b, size_t *last_bad)
{
    size_t good = 0;
    *last_bad = b->n;
    while (good < b->n && at(b, good) != TRIED_GOOD)
        good++;
    for (size_t i = 0; i < good; i++)
        if (at(b, i) == TRIED_BAD)
            *last_bad = i;
    return good;
}

size_t bracket_next(const struct bracket *b, size_t next[2])
{
    size_t bad, good = first_good(b, &bad), n = 0;
    if (at(b, 0) == NOT_TRIED)
        next[n++] = turned(b, 0);
    if (b->n > 1 && at(b, b->n - 1) == NOT_TRIED)
        next[n++] = turned(b, b->n - 1);
    if (!n && good < b->n && bad < good && good - bad > 1)
        next[n++] = turned(b, bad + (good - bad) / 2);
    return n;
}

size_t bracket_found(const struct bracket *b)
{
    size_t bad, good = first_good(b, &bad);
    return good < b->n ? turned(b, good) : b->n;
}
