/* help.c - --help of the program and of each subcommand, from their tables, wrapped to the terminal. */
#include "sim/cli/frame/cli.h"
#include "sim/cli/frame/term.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NARROW = 60, INDENT = 30, INDENT_NARROW = 6 };

const struct exit_meaning exit_meanings[] = {
    { EXIT_OK, "done" },
    { EXIT_FAILED, "the run failed, or its output could not be written" },
    { EXIT_USAGE, "wrong usage" },
    { EXIT_INPUT, "bad input" },
    { EXIT_REGRESSION, "worse than it may be" },
    { EXIT_INCONCLUSIVE, "too little to tell" },
    { EXIT_INTERRUPTED, "interrupted; nothing was written" },
    { 0, NULL },
};

static void synopsis(const struct command *c, size_t width)
{
    char line[1024];
    size_t n = (size_t)snprintf(line, sizeof line, "usage: gpuyard %s", c->name);
    for (const struct option *o = c->set.options; o->name; o++)
        if (o->required)
            n += (size_t)snprintf(line + n, sizeof line - n, " %s%s %s", o->letter ? "-" : "--",
                                  o->letter ? (char[]){ o->letter, '\0' } : o->name, o->argument);
    n += (size_t)snprintf(line + n, sizeof line - n, " [OPTION]...");
    if (c->set.operands)
        snprintf(line + n, sizeof line - n, " %s", c->set.operands);
    text_wrap(stdout, line, 0, 0, width);
}

static void option_line(const struct option *o, size_t width)
{
    size_t indent = width < NARROW ? INDENT_NARROW : INDENT;
    int at = o->letter ? printf("  -%c, --%s", o->letter, o->name) : printf("      --%s", o->name);
    if (o->argument)
        at += printf(" %s", o->argument);
    text_wrap(stdout, o->help, (size_t)at, indent, width);
}

void help_command(const struct command *c)
{
    size_t width = term_width(STDOUT_FILENO);
    synopsis(c, width);
    putchar('\n');
    text_wrap(stdout, c->summary, 0, 0, width);
    printf("\noptions:\n");
    for (const struct option *o = c->set.options; o->name; o++)
        option_line(o, width);
    option_line(&option_help, width);
    if (c->details) {
        putchar('\n');
        text_wrap(stdout, c->details, 0, 0, width);
    }
}

void help_program(void)
{
    size_t width = term_width(STDOUT_FILENO);
    text_wrap(stdout, "usage: gpuyard COMMAND [OPTION]...", 0, 0, width);
    putchar('\n');
    text_wrap(stdout, "Simulates the scheduling of jobs on clusters of GPUs.", 0, 0, width);
    printf("\ncommands:\n");
    for (size_t i = 0; commands[i]; i++)
        text_wrap(stdout, commands[i]->summary, (size_t)printf("  %-8s", commands[i]->name), 12, width);
    putchar('\n');
    text_wrap(stdout, "'gpuyard COMMAND --help' shows a command's options, 'gpuyard --version' what the program is made of.",
              0, 0, width);
    putchar('\n');
    printf("exit status:\n");
    for (const struct exit_meaning *m = exit_meanings; m->meaning; m++)
        text_wrap(stdout, m->meaning, (size_t)printf("  %d", m->status), 12, width);
}
