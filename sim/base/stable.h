/* stable.h - an array that grows and whose elements never move.
 *
 * Elements lie in chunks, each as large as all before it together, so nothing is copied as the array
 * grows, and a pointer to an element stays valid. One thread adds; another may read elements that it
 * has been told of by means that order memory (a lock), while the first adds more.
 *
 * A chunk is a bulk array: of a larger array than `resident` bytes it lies in a file (bulk.h), but for the last BULK_BLOCK elements
 * at most. All 0 is an empty array. New elements are undefined, and written before the next is added. */
#pragma once
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { STABLE_FIRST_BITS = 10, STABLE_CHUNKS = 54 };         /* the first chunk has 1,024 elements */

struct stable {
    _Atomic(char *) chunk[STABLE_CHUNKS];                    /* chunk k: from stable_before(k) on; NULL: not yet */
    size_t n, capacity;           /* there is room up to there, or what lies before goes to the file first */
};

static inline unsigned stable_chunk_of(size_t i)
{
    return (unsigned)(63 - __builtin_clzll((uint64_t)i + (1u << STABLE_FIRST_BITS))) - STABLE_FIRST_BITS;
}

/* Elements before chunk k: 0, 1,024, 3,072, ... */
static inline size_t stable_before(unsigned k)
{
    return ((size_t)1 << (k + STABLE_FIRST_BITS)) - ((size_t)1 << STABLE_FIRST_BITS);
}

/* Element i of elements of that size. */
static inline void *stable_at(const struct stable *a, size_t i, size_t size)
{
    unsigned k = stable_chunk_of(i);
    return atomic_load_explicit(&a->chunk[k], memory_order_relaxed) + (i - stable_before(k)) * size;
}

void stable_enlarge(struct stable *a, size_t size, size_t resident) __attribute__((cold));
/* One more, the last; its place. */
static inline void *stable_add(struct stable *a, size_t size, size_t resident)
{
    if (a->n == a->capacity)
        stable_enlarge(a, size, resident);
    return stable_at(a, a->n++, size);
}
/* The pages of all elements leave the process, as bulk_drop(); by either thread. */
void stable_drop(const struct stable *a, size_t size);
void stable_free(struct stable *a);                          /* it is empty then */
