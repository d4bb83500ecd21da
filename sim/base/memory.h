/* memory.h - memory that is there or ends the program.
 *
 * None of these returns NULL: without memory the program prints one message and exits with status
 * 1, after the handler has removed half-written files. So no caller has an error path that no test
 * can reach. Sizes are checked against overflow. */
#pragma once
#include <stddef.h>
#include <stdio.h>

void *mem_new(size_t count, size_t size);                    /* zeroed; free with free() */
/* like realloc; the new part is not zeroed */
void *mem_resize(void *old, size_t count, size_t size);
char *mem_text(const char *text, size_t length);             /* a copy, ended with NUL */

/* Makes room for one more element of an array that grows by doubling:
 * `mem_grow(&a, &capacity, count, sizeof *a)` before `a[count++] = x`. */
void mem_double(void *array_pointer, size_t *capacity, size_t size) __attribute__((cold));
static inline void mem_grow(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
    if (count >= *capacity)
        mem_double(array_pointer, capacity, size);
}

/* A text that grows as stdio writes it: open_memstream() that neither fails nor loses bytes. *text
 * is valid after mem_stream_end(); free() it. */
FILE *mem_stream(char **text, size_t *length);
void mem_stream_end(FILE *f, char *const *text);

/* Out of memory, noticed elsewhere: by a library with its own allocation. */
_Noreturn void mem_exhausted(void) __attribute__((cold));
/* The same with another message, for what stands in for memory. */
_Noreturn void mem_ends(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
/* Called once before the program ends without memory. NULL: nothing to do. */
void mem_on_failure(void (*clean_up)(void));

/* ---- Arena: many small allocations that are freed together. ---- */
struct arena;
struct arena *arena_new(void);
void  arena_free(struct arena *a);                           /* NULL: does nothing */
/* zeroed, aligned for any type; 64 bytes or more begin where a line of the cache does */
void *arena_alloc(struct arena *a, size_t bytes);
void *arena_room(struct arena *a, size_t bytes);             /* the same, not zeroed */
/* packed, not aligned; ended with NUL */
char *arena_text(struct arena *a, const char *text, size_t length);
void  arena_reset(struct arena *a);  /* drops all allocations, keeps the memory for reuse */
size_t arena_bytes(const struct arena *a);                   /* taken from the system */
