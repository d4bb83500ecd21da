/* ends.h - when holds are expected to end, first end first: a heap, of which nothing is taken out when a hold goes before its end.
 *
 * An end is of no hold any more when its caller says so. Such are left out where they come first, and all at once when about half of
 * them are such: some steps an end, where an order that is kept exactly costs a search, and lines of memory, for each hold that comes
 * and goes. Ends at the same time come by their numbers. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct end { int64_t end_ns; uint32_t hold; };
struct ends_ahead {
    struct end *heap;
    size_t n, capacity;
    size_t gone;                  /* about so many stand no more: the caller counts them */
    bool (*stands)(const void *context, struct end e);       /* that hold is there, and is expected to end then */
    const void *context;
};
void ends_add(struct ends_ahead *e, struct end end);
/* Takes out the first that stands, at `until_ns` or before. One that was added twice comes twice if it still stands. false: there is
 * none. */
bool ends_take(struct ends_ahead *e, int64_t until_ns, struct end *first);
static inline bool ends_come(const struct ends_ahead *e, int64_t until_ns)    /* false: ends_take() finds none */
{
    return e->n && e->heap[0].end_ns <= until_ns;
}
void ends_free(struct ends_ahead *e);
