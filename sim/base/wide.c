/* wide.c - see wide.h. */
#define _GNU_SOURCE /* madvise(), mremap() */
#include "sim/base/wide.h"

#include "sim/base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t whole_pages(size_t bytes)
{
    return (bytes + WIDE_PAGE - 1) / WIDE_PAGE * WIDE_PAGE;
}

/* Of whole wide pages. */
static char *pages_new(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        mem_exhausted();
    char *all = mmap(NULL, bytes + WIDE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        mem_exhausted();
    size_t before = (size_t)(-(uintptr_t)all % WIDE_PAGE);
    char *pages = all + before;
    if (before)
        munmap(all, before);
    munmap(pages + bytes, WIDE_PAGE - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(pages, bytes, MADV_HUGEPAGE); /* a refusal changes nothing but the time */
#endif
    return pages;
}

void wide_double(void *array_pointer, size_t *capacity, size_t size)
{
    size_t bytes, old_bytes = *capacity * size;
    if (__builtin_mul_overflow(old_bytes, 2, &bytes) || bytes < WIDE_FROM) {
        mem_double(array_pointer, capacity, size);
        return;
    }
    void *old;
    memcpy(&old, array_pointer, sizeof old); /* as mem_double() */
    char *array = pages_new(whole_pages(bytes));
    bool moves = old_bytes >= WIDE_FROM;
    if (moves && mremap(old, whole_pages(old_bytes), whole_pages(old_bytes), MREMAP_MAYMOVE | MREMAP_FIXED, array) == MAP_FAILED)
        mem_exhausted();
    if (!moves) {
        memcpy(array, old, old_bytes);
        free(old);
    }
    memcpy(array_pointer, &array, sizeof array);
    *capacity *= 2;
}

void wide_free(void *array, size_t capacity, size_t size)
{
    if (capacity * size < WIDE_FROM)
        free(array);
    else
        munmap(array, whole_pages(capacity * size));
}
