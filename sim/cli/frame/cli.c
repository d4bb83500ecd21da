/* cli.c - see cli.h. */
#include "sim/cli/frame/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A path or a cell of a trace may hold anything; a message holds no line break and no escape
 * sequence. */
static void put_line(const char *before, const char *format, va_list args)
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
    put_line("", format, args);
    va_end(args);
    return status;
}

void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line("warning: ", format, args);
    va_end(args);
}

/* ---- Commands by name ---- */

const struct command *command_find(command_table all, const char *name)
{
    for (; *all; all++)
        if (!strcmp((*all)->name, name))
            return *all;
    return NULL;
}

int command_unknown(command_table all, const char *typed)
{
    static const char *const options[] = { "--help", "--version", NULL };
    enum { COMMANDS_MAX = 64 };
    const char *names[COMMANDS_MAX + 1] = { NULL };
    char text[DID_YOU_MEAN];
    bool option = *typed == '-';
    for (size_t i = 0; all[i] && i < COMMANDS_MAX; i++)
        names[i] = all[i]->name;
    return complain(EXIT_USAGE, "no such %s %s", option ? "option" : "command",
                    did_you_mean(text, typed, option ? options : names, "see 'gpuyard --help'"));
}
