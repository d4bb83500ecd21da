/* grown.h - arrays that grow and live as long as the run: what they outgrow stays with it. */
#pragma once
#include "sim/contract/policy.h"

#include <string.h>

/* The array with room for an n-th entry, zeroed; `array` itself while it has room. */
static inline void *array_grown(struct sched *s, void *array, size_t *capacity, size_t n, size_t size)
{
    if (n < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 32;
    void *grown = sched_alloc(s, *capacity * size);
    if (n)
        memcpy(grown, array, n * size);
    return grown;
}
