/* error.c - see error.h. */
#include "sim/core/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *err, const char *format, ...)
{
    if (err->text[0])
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    for (char *c = err->text; *c; c++) /* a path, a cell, an argument may hold anything; a message is one line */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return -1;
}
