/* error.c - see error.h. */
#include "sim/base/error.h"

#include "sim/base/memory.h"
#include "sim/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL = 300 }; /* bytes: the reason stands at the end, after what may be a path of 4 kB */

/* A text that is too long loses its middle. */
static void keep_tail(struct error *err, const char *format, va_list args, size_t length)
{
    char *whole = mem_new(length + 1, 1), *to = err->text + sizeof err->text - TAIL - 1;
    vsnprintf(whole, length + 1, format, args);
    memcpy(to, whole + length - TAIL, TAIL);
    memcpy(to - 3, "...", 3);
    free(whole);
}

int error_set(struct error *err, const char *format, ...)
{
    if (err->text[0])
        return -1;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    if (length >= (int)sizeof err->text)
        keep_tail(err, format, again, (size_t)length);
    va_end(again);
    va_end(args);
    utf8_mend(err->text); /* a path, a cell, an argument may hold anything, and may be cut */
    return -1;
}
