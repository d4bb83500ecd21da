/* ends.c - see ends.h. */
#include "sim/scheduler/planned/ends.h"
#include "sim/base/memory.h"
#include "sim/contract/util/heap.h"

#include <stdlib.h>

static inline bool before(const void *owner, const struct end *a, const struct end *b)
{
    (void)owner;
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->hold < b->hold;
}
HEAP_DEFINE(end, struct end, void, before, HEAP_NOT_PLACED);

static __attribute__((noinline)) void make_room(struct ends_ahead *e)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++)
        if (e->stands(e->context, e->heap[i]))
            e->heap[n++] = e->heap[i];
    e->n = n;
    e->gone = 0;
    end_make(NULL, e->heap, n);
    if (2 * n >= e->capacity)
        mem_grow(&e->heap, &e->capacity, e->capacity, sizeof *e->heap);
}

void ends_add(struct ends_ahead *e, struct end end)
{
    if (e->n == e->capacity || 2 * e->gone > e->n)
        make_room(e);
    end_push(NULL, e->heap, e->n++, end);
}

bool ends_take(struct ends_ahead *e, int64_t until_ns, struct end *first)
{
    while (e->n && e->heap[0].end_ns <= until_ns) {
        *first = e->heap[0];
        e->heap[0] = e->heap[--e->n];
        if (e->n)
            end_down_far(NULL, e->heap, e->n, 0);
        if (e->stands(e->context, *first))
            return true;
    }
    return false;
}

void ends_free(struct ends_ahead *e)
{
    free(e->heap);
}
