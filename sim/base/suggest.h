/* suggest.h - "did you mean": the known name nearest to an unknown one.
 *
 * Near is an edit distance (a letter inserted, deleted, changed, or two neighbours swapped) of at
 * most a third of the typed length, 2 at most, so that "fio" finds "fifo" and "x" finds nothing.
 * Case, and '-' against '_', do not count. The nearest wins, of equals the first. */
#pragma once

/* Start with { .typed = ... }, offer every known name, then read `best` (NULL: none is near). */
struct suggestion {
    const char *typed, *best;
    unsigned distance;            /* of best */
};
void suggest_offer(struct suggestion *s, const char *name);

/* From a list that ends with NULL. NULL: none is near. */
const char *suggest(const char *typed, const char *const *names);
