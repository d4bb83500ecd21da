/* stable.c - see stable.h. */
#include "sim/base/stable.h"

#include "sim/base/bulk.h"

static void add_chunk(struct stable *a, unsigned k, size_t size, size_t resident)
{
    size_t in_memory = resident && resident / size < stable_before(k + 1) ? 1 : 0;
    char *chunk = bulk_resize(NULL, stable_before(k + 1) - stable_before(k), size, in_memory);
    if (k)
        bulk_filled(a->chunk[k - 1]);
    atomic_store_explicit(&a->chunk[k], chunk, memory_order_relaxed);
}

void stable_enlarge(struct stable *a, size_t size, size_t resident)
{
    unsigned k = stable_chunk_of(a->n);
    size_t before = stable_before(k), rest = stable_before(k + 1) - a->n;
    if (a->n == before)
        add_chunk(a, k, size, resident);
    else
        bulk_filled_to(a->chunk[k], a->n - before, size);
    a->capacity = a->n + (rest < BULK_BLOCK ? rest : BULK_BLOCK);
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
