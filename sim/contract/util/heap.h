/* heap.h - a binary heap in an array of the caller: the item above all others is heap[0].
 *
 *   HEAP_DEFINE(ready, struct pod, void, pod_before, HEAP_NOT_PLACED)
 *
 * defines the functions below for arrays of struct pod, as static inline functions of the type.
 *   above(owner, const item *a, const item *b)   strict order: a is nearer to the top
 *   placed(owner, const item *x, size_t at)      called when x has come to heap[at]: items can be
 *                                                found again
 * If no two items are equal, what comes out does not depend on how the heap was made.
 * `owner` is what both need besides the items; void: nothing, then it is NULL. `n` is the number of
 * items before the call. The array belongs to the caller and must have room for a push.
 *
 *   name_push(owner, heap, n, item)      adds an item: n + 1 items. O(log n)
 *   name_pop(owner, heap, n)             takes out and returns the top: n - 1. O(log n)
 *   name_remove(owner, heap, n, at)      takes out heap[at]: n - 1. O(log n)
 *   name_down(owner, heap, n, at)        heap[at] may have to sink: it was replaced. O(log n)
 *   name_down_far(owner, heap, n, at)    the same, cheaper for items that sink to near the bottom
 *   name_up(owner, heap, at)             heap[at] may have to rise. O(log n)
 *   name_fix(owner, heap, n, at)         heap[at] has changed in either direction. O(log n)
 *   name_make(owner, heap, n)            n items in any order become a heap. O(n) */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define HEAP_NOT_PLACED(owner, item, at) ((void)(owner), (void)(item), (void)(at))
#define HEAP_FUNCTION                    static inline __attribute__((unused))

#define HEAP_DEFINE(name, type, owner_type, above, placed)                                         \
    HEAP_FUNCTION void name##_put(owner_type *owner, type *heap, size_t at, type item)             \
    {                                                                                              \
        heap[at] = item;                                                                           \
        placed(owner, &heap[at], at);                                                              \
    }                                                                                              \
    HEAP_FUNCTION void name##_up(owner_type *owner, type *heap, size_t at)                         \
    {                                                                                              \
        type item = heap[at];                                                                      \
        for (; at > 0 && above(owner, &item, &heap[(at - 1) / 2]); at = (at - 1) / 2)              \
            name##_put(owner, heap, at, heap[(at - 1) / 2]);                                       \
        name##_put(owner, heap, at, item);                                                         \
    }                                                                                              \
    HEAP_FUNCTION void name##_down(owner_type *owner, type *heap, size_t n, size_t at)             \
    {                                                                                              \
        type item = heap[at];                                                                      \
        for (size_t child; (child = 2 * at + 1) < n; at = child) {                                 \
            if (child + 1 < n && above(owner, &heap[child + 1], &heap[child]))                     \
                child++;                                                                           \
            if (!above(owner, &heap[child], &item))                                                \
                break;                                                                             \
            name##_put(owner, heap, at, heap[child]);                                              \
        }                                                                                          \
        name##_put(owner, heap, at, item);                                                         \
    }                                                                                              \
    HEAP_FUNCTION void name##_down_far(owner_type *owner, type *heap, size_t n, size_t at)         \
    {                                                                                              \
        type item = heap[at];                                                                      \
        size_t from = at;                                                                          \
        for (size_t child; (child = 2 * at + 1) < n; at = child) {                                 \
            if (child + 1 < n && above(owner, &heap[child + 1], &heap[child]))                     \
                child++;                                                                           \
            name##_put(owner, heap, at, heap[child]);                                              \
        }                                                                                          \
        for (; at > from && above(owner, &item, &heap[(at - 1) / 2]); at = (at - 1) / 2)           \
            name##_put(owner, heap, at, heap[(at - 1) / 2]);                                       \
        name##_put(owner, heap, at, item);                                                         \
    }                                                                                              \
    HEAP_FUNCTION void name##_fix(owner_type *owner, type *heap, size_t n, size_t at)              \
    {                                                                                              \
        if (at > 0 && above(owner, &heap[at], &heap[(at - 1) / 2]))                                \
            name##_up(owner, heap, at);                                                            \
        else                                                                                       \
            name##_down(owner, heap, n, at);                                                       \
    }                                                                                              \
    HEAP_FUNCTION void name##_push(owner_type *owner, type *heap, size_t n, type item)             \
    {                                                                                              \
        heap[n] = item;                                                                            \
        name##_up(owner, heap, n);                                                                 \
    }                                                                                              \
    HEAP_FUNCTION void name##_remove(owner_type *owner, type *heap, size_t n, size_t at)           \
    {                                                                                              \
        if (at == n - 1)                                                                           \
            return;                                                                                \
        name##_put(owner, heap, at, heap[n - 1]);                                                  \
        name##_fix(owner, heap, n - 1, at);                                                        \
    }                                                                                              \
    HEAP_FUNCTION type name##_pop(owner_type *owner, type *heap, size_t n)                         \
    {                                                                                              \
        type top = heap[0];                                                                        \
        name##_remove(owner, heap, n, 0);                                                          \
        return top;                                                                                \
    }                                                                                              \
    HEAP_FUNCTION void name##_make(owner_type *owner, type *heap, size_t n)                        \
    {                                                                                              \
        for (size_t i = n / 2; i-- > 0;)                                                           \
            name##_down(owner, heap, n, i);                                                        \
    }                                                                                              \
    _Static_assert(sizeof(type) > 0, "needs a semicolon")
