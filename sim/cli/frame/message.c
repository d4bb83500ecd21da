/* message.c - "gpuyard: TEXT" on stderr, always one line. */
#include "sim/cli/frame/cli.h"

#include <stdarg.h>
#include <stdio.h>

/* A path or a cell of a trace may hold anything; a message holds no line break and no escape sequence. */
static void say(const char *before, const char *format, va_list args)
{
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text, "gpuyard: %s", before);
    vsnprintf(text + n, sizeof text - n, format, args);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = '?';
    fprintf(stderr, "%s\n", text);
}

int complain(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
    return status;
}

void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}
