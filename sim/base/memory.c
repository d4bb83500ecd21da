/* memory.c - see memory.h. */
#include "sim/base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one variable of the program that outlives a call: the end of memory has no caller to hand it over. */
static void (*before_the_end)(void);

void mem_on_failure(void (*clean_up)(void))
{
    before_the_end = clean_up;
}

_Noreturn void mem_exhausted(void)
{
    void (*clean_up)(void) = before_the_end;
    before_the_end = NULL; /* the handler may itself want memory */
    if (clean_up)
        clean_up();
    fputs("gpuyard: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

void *mem_new(size_t count, size_t size)
{
    /* calloc checks the product; of nothing it may return NULL, which here would look like the end of memory */
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
    memcpy(&array, array_pointer, sizeof array); /* it points to a T *, which a void ** may not alias */
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
    if (fclose(f) != 0 || failed || !*text) /* glibc 2.36 closes without a word when it cannot cut the text to size */
        mem_exhausted();
}
