/* array.h - arrays that grow, and arrays kept in order.
 *
 * A growing array is a pointer, a count and a capacity of the caller. Its memory comes from
 * sched_alloc (freed with the run) or sched_scratch (until the pass ends; the caller sets the
 * capacity to 0 when a pass begins). Nothing is freed on its own: what is outgrown stays until all
 * of it goes, at most as much again as the array holds. New entries are zero. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sched;
typedef void *array_alloc(struct sched *s, size_t bytes);    /* zeroed memory; never NULL */
enum { ARRAY_FIRST = 16 };        /* entries of the first allocation */

static inline void *array_resized(array_alloc *alloc, struct sched *s, void *array, size_t n,
                                  size_t capacity, size_t size)
{
    void *grown = alloc(s, capacity * size);
    if (n)
        memcpy(grown, array, n * size);
    return grown;
}

/* The array with room for one more than its n entries: `a = array_grown(sched_alloc, s, a,
 * &capacity, n, sizeof *a)` before `a[n++] = x`. The same pointer while there is room; by doubling,
 * so O(1) on average. */
static inline void *array_grown(array_alloc *alloc, struct sched *s, void *array, size_t *capacity,
                                size_t n, size_t size)
{
    if (n < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : ARRAY_FIRST;
    return array_resized(alloc, s, array, n, *capacity, size);
}

/* The array, dense by a number that is first met now (a shape, a node), with an entry for it: *n >
 * number. */
static inline void *array_covering(array_alloc *alloc, struct sched *s, void *array, size_t *n,
                                   size_t number, size_t size)
{
    if (number < *n)
        return array;
    size_t before = *n;
    *n = 2 * (number + 1);
    return array_resized(alloc, s, array, before, *n, size);
}

/* Moves the entries from `at` on up by one: then array[at] is free, and the array has n + 1. There
 * must be room. */
static inline void array_open(void *array, size_t n, size_t at, size_t size)
{
    char *from = (char *)array + at * size;
    memmove(from + size, from, (n - at) * size);
}

/* Takes out array[at]; the array then has n - 1. */
static inline void array_close(void *array, size_t n, size_t at, size_t size)
{
    char *to = (char *)array + at * size;
    memmove(to, to + size, (n - at - 1) * size);
}

/* The first of n entries in order that is not before the key; n if all are. O(log n) calls of
 * before(). */
static inline size_t lower_bound(const void *array, size_t n, size_t size, const void *key,
                                 bool (*before)(const void *entry, const void *key))
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before((const char *)array + middle * size, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
