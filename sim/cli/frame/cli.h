/* cli.h - what the subcommands share: how one is described, what it returns, and how it speaks.
 *
 * A subcommand is one file cmd_NAME.c that ends in one table, and one line in commands.c. stdout carries data, stderr
 * messages: one line each. */
#pragma once
#include "sim/cli/frame/options.h"

enum exit_status {
    EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_REGRESSION, EXIT_INCONCLUSIVE, EXIT_INTERRUPTED = 130
};
extern const struct exit_meaning { enum exit_status status; const char *meaning; } exit_meanings[];    /* ends with a NULL meaning */

struct command;
typedef const struct command *const *command_table;    /* ends with NULL; commands.h has the one of the program */

struct invocation {
    int argc;                     /* of the whole program, for manifests */
    char *const *argv;
    const void *options;          /* the command's own struct */
    struct operands operands;
    command_table commands;       /* of the program, for `gpuyard help` */
};
struct command {
    const char *name, *summary;
    const char *details;          /* of the help: paragraphs, separated by "\n"; NULL: none */
    struct option_set set;
    enum option_values operand_values;
    const char *const *words;     /* of VALUES_WORDS; NULL: none */
    size_t options_size;
    const void *defaults;         /* of options_size */
    int (*run)(const struct invocation *in);    /* returns the exit status */
};
const struct command *command_find(command_table all, const char *name);    /* NULL: no such command */
int command_unknown(command_table all, const char *typed);    /* reports it; returns the exit status */

/* "gpuyard: TEXT" on stderr, one line whatever the text holds. complain() returns `status`. */
int  complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same tables as text, on stdout: help.c, man.c, completion.c, about.c. */
void help_program(command_table commands);
void help_command(const struct command *c);
void help_man(command_table commands);              /* roff, section 1 */
void help_completion(command_table commands);       /* for bash */
void about(void);                 /* --version */
