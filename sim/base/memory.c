/* memory.c - see memory.h. */
#include "sim/base/memory.h"

#include "sim/base/fetch.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A global, because out of memory has no caller that could pass it: one of the two mutable
 * variables of the program (the other: sim/io/provenance.c). */
static void (*_Atomic before_the_end)(void);

void mem_on_failure(void (*clean_up)(void))
{
    atomic_store(&before_the_end, clean_up);
}

_Noreturn void mem_ends(const char *format, ...)
{
    /* once: the handler may itself want memory, and so may another thread */
    void (*clean_up)(void) = atomic_exchange(&before_the_end, NULL);
    if (clean_up)
        clean_up();
    va_list args;
    va_start(args, format);
    fputs("gpuyard: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_FAILURE);
}

_Noreturn void mem_exhausted(void)
{
    mem_ends("out of memory");
}

void *mem_new(size_t count, size_t size)
{
    /* calloc checks the product; for 0 bytes it may return NULL, which means out of memory here */
    void *p = count && size ? calloc(count, size) : calloc(1, 1);
    if (!p)
        mem_exhausted();
    return p;
}

void *mem_resize(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mem_exhausted();
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        mem_exhausted();
    return p;
}

char *mem_text(const char *text, size_t length)
{
    size_t bytes;
    if (__builtin_add_overflow(length, 1, &bytes))
        mem_exhausted();
    char *copy = mem_resize(NULL, bytes, 1);
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void mem_double(void *array_pointer, size_t *capacity, size_t size)
{
    size_t more = *capacity ? *capacity : 8;
    if (__builtin_mul_overflow(more, 2, &more))
        mem_exhausted();
    void *array;
    memcpy(&array, array_pointer, sizeof array); /* it points to a T *, which a void ** may not
                                                    alias */
    array = mem_resize(array, more, size);
    memcpy(array_pointer, &array, sizeof array);
    *capacity = more;
}

FILE *mem_stream(char **text, size_t *length)
{
    FILE *f = open_memstream(text, length);
    if (!f)
        mem_exhausted();
    return f;
}

void mem_stream_end(FILE *f, char *const *text)
{
    bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed || !*text) /* glibc 2.36 closes without an error when it cannot cut
                                               the text to size */
        mem_exhausted();
}

/* ---- arena ---- */

#define CHUNK_FIRST ((size_t)32 << 10)
#define CHUNK_MOST  ((size_t)4 << 20)

struct chunk {
    struct chunk *next;
    size_t capacity, used;
    alignas(max_align_t) unsigned char bytes[];
};
struct arena {
    struct chunk *first, *current; /* what follows current is empty: kept by arena_reset() */
    size_t next_capacity;
    size_t total;
};

struct arena *arena_new(void)
{
    struct arena *a = mem_new(1, sizeof *a);
    a->next_capacity = CHUNK_FIRST;
    return a;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    for (struct chunk *c = a->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

static struct chunk *chunk_new(struct arena *a, size_t least)
{
    size_t capacity = least > a->next_capacity ? least : a->next_capacity;
    size_t bytes;
    if (__builtin_add_overflow(sizeof(struct chunk), capacity, &bytes))
        bytes = SIZE_MAX; /* more than there is: mem_resize() ends the program */
    struct chunk *c = mem_resize(NULL, bytes, 1);
    *c = (struct chunk){ .capacity = capacity };
    if (a->next_capacity < CHUNK_MOST)
        a->next_capacity *= 2;
    a->total += bytes;
    return c;
}

/* Makes an empty chunk with room for `least` bytes the current one. */
static void next_chunk(struct arena *a, size_t least)
{
    struct chunk **link = a->current ? &a->current->next : &a->first;
    if (!*link || (*link)->capacity < least) {
        struct chunk *c = chunk_new(a, least);
        c->next = *link;
        *link = c;
    }
    a->current = *link;
    a->current->used = 0;
}

static inline void *take(struct arena *a, size_t bytes, size_t alignment)
{
    for (;;) {
        struct chunk *c = a->current;
        if (c) {
            size_t at = c->used + (-(uintptr_t)(c->bytes + c->used) & (alignment - 1));
            if (at <= c->capacity && bytes <= c->capacity - at) {
                c->used = at + bytes;
                return c->bytes + at;
            }
        }
        next_chunk(a, bytes < SIZE_MAX - alignment ? bytes + alignment : SIZE_MAX);
    }
}

void *arena_room(struct arena *a, size_t bytes)
{
    /* an allocation of 0 bytes has an address of its own, too */
    return take(a, bytes ? bytes : 1, bytes < CACHE_LINE ? alignof(max_align_t) : CACHE_LINE);
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    return memset(arena_room(a, bytes), 0, bytes);
}

char *arena_text(struct arena *a, const char *text, size_t length)
{
    char *copy = take(a, length + 1, 1);
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void arena_reset(struct arena *a)
{
    a->current = a->first;
    if (a->current)
        a->current->used = 0;
}

size_t arena_bytes(const struct arena *a)
{
    return a->total;
}
