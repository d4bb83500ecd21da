/* man.c - the man page gpuyard(1), from the same tables as --help. */
#include "sim/cli/frame/cli.h"
#include "sim/results/version.h"

#include <stdio.h>

/* Text as roff takes it literally: no escapes, hyphens that can be copied, no line that begins a request. */
static void put(const char *text)
{
    bool begins = true;
    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\n')
            fputs("\n.br", stdout), putchar('\n');
        else
            putchar(*text);
        begins = *text == '\n';
    }
}

static void option_entry(const struct option *o)
{
    printf(".TP\n\\fB");
    if (o->letter)
        printf("\\-%c\\fR, \\fB", o->letter);
    put("--");
    put(o->name);
    fputs("\\fR", stdout);
    if (o->argument) {
        fputs(" \\fI", stdout);
        put(o->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put(o->help);
    putchar('\n');
}

static void command_section(const struct command *c)
{
    printf(".SS gpuyard %s", c->name);
    for (const struct option *o = c->set.options; o->name; o++)
        if (o->required && o->letter)
            printf(" \\-%c \\fI%s\\fR", o->letter, o->argument);
        else if (o->required)
            printf(" \\-\\-%s \\fI%s\\fR", o->name, o->argument);
    printf(" [\\fIOPTION\\fR]...%s%s\n", c->set.operands ? " " : "", c->set.operands ? c->set.operands : "");
    put(c->summary);
    putchar('\n');
    for (const struct option *o = c->set.options; o->name; o++)
        option_entry(o);
    option_entry(&option_help);
    if (c->details) {
        printf(".PP\n");
        put(c->details);
        putchar('\n');
    }
}

void help_man(void)
{
    printf(".TH GPUYARD 1 \"\" \"gpuyard %s\" \"User Commands\"\n", version_text());
    printf(".SH NAME\ngpuyard \\- simulates the scheduling of jobs on clusters of GPUs\n");
    printf(".SH SYNOPSIS\n.B gpuyard\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n.B gpuyard\n\\-\\-help | \\-\\-version\n");
    printf(".SH COMMANDS\n");
    for (size_t i = 0; commands[i]; i++)
        command_section(commands[i]);
    printf(".SH EXIT STATUS\n");
    for (const struct exit_meaning *m = exit_meanings; m->meaning; m++)
        printf(".TP\n%d\n%s\n", m->status, m->meaning);
    printf(".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set and not empty, no colours\n.TP\nCOLUMNS\nwidth of what is no terminal\n"
           ".TP\nGPUYARD_SCRIPTS\nfolder of the plotting scripts, if they are not beside the program\n");
}
