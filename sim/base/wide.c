/* wide.c - see wide.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "sim/base/wide.h"

#include "sim/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void wide_double(void *array_pointer, size_t *capacity, size_t size)
{
    size_t bytes, old_bytes = *capacity * size;
    if (__builtin_mul_overflow(old_bytes, 2, &bytes) || bytes < WIDE_FROM) {
        mem_double(array_pointer, capacity, size);
        return;
    }
    void *old, *array = aligned_alloc(WIDE_PAGE, (bytes + WIDE_PAGE - 1) / WIDE_PAGE * WIDE_PAGE);
    if (!array)
        mem_exhausted();
#ifdef MADV_HUGEPAGE
    (void)madvise(array, bytes, MADV_HUGEPAGE); /* a refusal changes nothing but the time */
#endif
    memcpy(&old, array_pointer, sizeof old); /* as mem_double() */
    memcpy(array, old, old_bytes);
    free(old);
    memcpy(array_pointer, &array, sizeof array);
    *capacity *= 2;
}
