/* help.c - everything that is made of the tables of commands and options: --help, wrapped to the
 * terminal, the man page gpuyard(1), the completion for bash; and --version. */
#include "sim/cli/frame/cli.h"

#include "policies/registry.h"
#include "sim/cli/frame/term.h"
#include "sim/results/version.h"

#include <csv.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <libfyaml.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* ==== --help ==== */

enum { NARROW = 60, INDENT = 30, INDENT_NARROW = 6 };

static const struct exit_meaning {
    enum exit_status status;
    const char *meaning;
} exit_meanings[] = {
    { EXIT_OK, "done" },
    { EXIT_FAILED, "the run failed, or its output could not be written" },
    { EXIT_USAGE, "wrong usage" },
    { EXIT_INPUT, "bad input" },
    { EXIT_REGRESSION, "a metric is worse than its margin allows" },
    { EXIT_INCONCLUSIVE, "too few pairs of runs for a verdict" },
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

void help_program(command_table commands)
{
    size_t width = term_width(STDOUT_FILENO);
    text_wrap(stdout, "usage: gpuyard COMMAND [OPTION]...", 0, 0, width);
    putchar('\n');
    text_wrap(stdout, "Simulates the scheduling of jobs on clusters of GPUs.", 0, 0, width);
    printf("\ncommands:\n");
    for (size_t i = 0; commands[i]; i++)
        text_wrap(stdout, commands[i]->summary, (size_t)printf("  %-8s", commands[i]->name), 12,
                  width);
    putchar('\n');
    text_wrap(
        stdout,
        "'gpuyard COMMAND --help' shows a command's options, 'gpuyard --version' what the program is made of.",
        0, 0, width);
    putchar('\n');
    printf("exit status:\n");
    for (const struct exit_meaning *m = exit_meanings; m->meaning; m++)
        text_wrap(stdout, m->meaning, (size_t)printf("  %d", m->status), 12, width);
}

/* ==== The man page ==== */

/* Text as roff takes it literally: no escapes, hyphens that can be copied, no line that begins a
 * request. */
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
    printf(" [\\fIOPTION\\fR]...%s%s\n", c->set.operands ? " " : "",
           c->set.operands ? c->set.operands : "");
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

void help_man(command_table commands)
{
    printf(".TH GPUYARD 1 \"\" \"gpuyard %s\" \"User Commands\"\n", version_text());
    printf(".SH NAME\ngpuyard \\- simulates the scheduling of jobs on clusters of GPUs\n");
    printf(
        ".SH SYNOPSIS\n.B gpuyard\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n.B gpuyard\n\\-\\-help | \\-\\-version\n");
    printf(".SH COMMANDS\n");
    for (size_t i = 0; commands[i]; i++)
        command_section(commands[i]);
    printf(".SH EXIT STATUS\n");
    for (const struct exit_meaning *m = exit_meanings; m->meaning; m++)
        printf(".TP\n%d\n%s\n", m->status, m->meaning);
    printf(
        ".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set and not empty, no colours\n.TP\nCOLUMNS\nwidth of an output that is no terminal\n"
        ".TP\nGPUYARD_SCRIPTS\nfolder of the plotting scripts, if they are not beside the program\n");
}

/* ==== Completion for bash ==== */

/* Command substitution with the words that fit. */
static void put_values(command_table commands, enum option_values values, const char *const *words)
{
    size_t i = 0;
    printf("COMPREPLY=($(compgen %s", values == VALUES_FILE        ? "-f"
                                      : values == VALUES_DIRECTORY ? "-d"
                                                                   : "-W '");
    switch (values) {
    case VALUES_FILE:
    case VALUES_DIRECTORY:
        break;
    case VALUES_POLICY:
        for (; builtin_policies[i]; i++)
            printf("%s ", builtin_policies[i]->name);
        break;
    case VALUES_PLACER:
        for (; builtin_placers[i]; i++)
            printf("%s ", builtin_placers[i]->name);
        break;
    case VALUES_COMMAND:
        for (; commands[i]; i++)
            printf("%s ", commands[i]->name);
        break;
    case VALUES_WORDS:
        for (; words && words[i]; i++)
            printf("%s ", words[i]);
        break;
    }
    printf("%s -- \"$cur\"))", values == VALUES_FILE || values == VALUES_DIRECTORY ? "" : "'");
}

static void put_command(command_table commands, const struct command *c)
{
    printf("    %s)\n        case $prev in\n", c->name);
    for (const struct option *o = c->set.options; o->name; o++) {
        if (o->kind == OPTION_FLAG)
            continue;
        printf("        --%s", o->name);
        if (o->letter)
            printf("|-%c", o->letter);
        printf(") ");
        put_values(commands, o->values, o->words);
        printf("; return ;;\n");
    }
    printf("        esac\n        case $cur in\n        -*) COMPREPLY=($(compgen -W '");
    for (const struct option *o = c->set.options; o->name; o++)
        printf("--%s ", o->name);
    printf("--%s' -- \"$cur\")) ;;\n        *) ", option_help.name);
    put_values(commands, c->operand_values, c->words);
    printf(" ;;\n        esac ;;\n");
}

void help_completion(command_table commands)
{
    printf("# bash completion for gpuyard; made by 'gpuyard help --completion bash'\n"
           "_gpuyard()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
           "    COMPREPLY=()\n"
           "    # bash breaks words at '='\n"
           "    if [ \"$cur\" = '=' ]; then cur=; elif [ \"$prev\" = '=' ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; commands[i]; i++)
        printf("%s ", commands[i]->name);
    printf("--help --version' -- \"$cur\"))\n        return\n    fi\n    case $command in\n");
    for (size_t i = 0; commands[i]; i++)
        put_command(commands, commands[i]);
    printf("    esac\n}\ncomplete -o filenames -F _gpuyard gpuyard\n");
}

/* ==== --version ==== */

void about(void)
{
    char csv[32];
    snprintf(csv, sizeof csv, "%d.%d.%d", CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
    const struct { const char *name, *version; } library[] = {
        { "gsl", gsl_version },
        { "libcsv", csv },
        { "libfyaml", fy_library_version() },
        { "jansson", jansson_version_str() },
        { "zlib", zlibVersion() },
        { "zstd", ZSTD_versionString() },
        { "libcrypto", OpenSSL_version(OPENSSL_FULL_VERSION_STRING) },    /* the number alone */
    };
    printf("gpuyard %s\n", version_text());
    printf("commit %s\n", version_commit());
    printf("compiler %s\n", version_compiler());
    printf("libraries");
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        printf("%s %s %s", i ? "," : "", library[i].name, library[i].version);
    printf("\nschema %d\n", SCHEMA_VERSION);
}
