/* wide.h - arrays of many MB that are read in no order, in wide pages.
 *
 * A processor remembers where some thousand pages are; of pages of 4 KiB that is less than such an
 * array has, so that most reads would first have to look up where their page is, and fetching ahead
 * waits for that too. From WIDE_FROM bytes on an array lies in pages of 2 MiB, where the system has
 * them to give: else all is as with mem_grow(), and slower. It grows without being copied, as its
 * pages are moved. */
#pragma once
#include <stddef.h>

enum { WIDE_PAGE = 2 << 20, WIDE_FROM = 2 * WIDE_PAGE };

void wide_double(void *array_pointer, size_t *capacity, size_t size) __attribute__((cold));
/* One of `capacity` elements; NULL: does nothing. */
void wide_free(void *array, size_t capacity, size_t size);
/* Makes room for one more element, as mem_grow(). */
static inline void wide_grow(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
    if (count >= *capacity)
        wide_double(array_pointer, capacity, size);
}
