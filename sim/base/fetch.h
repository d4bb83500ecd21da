/* fetch.h - lines of memory are fetched ahead of their use. It changes nothing but the time. */
#pragma once
#include <stddef.h>

enum { CACHE_LINE = 64 };      /* bytes; a guess does no harm */

/* gcc takes a function that does nothing but this for one without effect, and drops calls of it: the
 * empty statement keeps them. */
static inline void fetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("");
}

/* It need not begin where a line does: then it ends in one more. */
static inline void fetch_lines(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += CACHE_LINE)
        fetch((const char *)at + i);
    if (bytes > 0)
        fetch((const char *)at + bytes - 1);
}

/* Of what may lie in two lines. */
static inline void fetch_both_ends(const void *at, size_t bytes)
{
    fetch(at);
    fetch((const char *)at + bytes - 1);
}
