/* stable.c - see stable.h. */
#include "sim/base/stable.h"

#include "sim/base/bulk.h"

void stable_enlarge(struct stable *a, size_t size, size_t resident)
{
    unsigned k = stable_chunk_of(a->n);
    size_t count = stable_before(k + 1) - stable_before(k);
    size_t in_memory = resident && resident / size < stable_before(k + 1) ? 1 : 0;
    char *chunk = bulk_resize(NULL, count, size, in_memory);
    bulk_scattered(chunk);
    atomic_store_explicit(&a->chunk[k], chunk, memory_order_relaxed);
    a->capacity = stable_before(k + 1);
}

void stable_drop(const struct stable *a, size_t size)
{
    char *chunk;
    for (unsigned k = 0; k < STABLE_CHUNKS && (chunk = atomic_load_explicit(&a->chunk[k], memory_order_relaxed)); k++)
        bulk_drop(chunk, 0, stable_before(k + 1) - stable_before(k), size);
}

void stable_free(struct stable *a)
{
    for (unsigned k = 0; k < STABLE_CHUNKS; k++)
        bulk_free(atomic_load_explicit(&a->chunk[k], memory_order_relaxed));
    *a = (struct stable){ .n = 0 };
}
