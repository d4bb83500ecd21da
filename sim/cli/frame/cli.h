/* cli.h - what all subcommands share: the description of a command, exit statuses and messages.
 *
 * A subcommand is one file cmd_NAME.c that ends in one `const struct command cmd_NAME`, and one
 * line in commands.c. main.c parses the options by the table of the command and calls its run().
 * Help, man page and completion are made from the same tables (help.c).
 *
 * stdout carries data, stderr carries messages, each of one line. */
#pragma once
#include "sim/cli/frame/options.h"

enum exit_status {
    EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_REGRESSION, EXIT_INCONCLUSIVE,
    EXIT_INTERRUPTED = 130
};

struct command;
/* ends with NULL; the program's is in commands.h */
typedef const struct command *const *command_table;

struct invocation {
    int argc;                     /* the command line of the program, for manifests */
    char *const *argv;
    const void *options;          /* the command's own struct, filled */
    struct operands operands;
    command_table commands;       /* all commands, for `gpuyard help` */
};
struct command {
    const char *name, *summary;
    const char *details;          /* paragraphs of the help, separated by "\n"; NULL: none */
    struct option_set set;
    enum option_values operand_values;
    /* operands if they are VALUES_WORDS, ends with NULL; NULL: none */
    const char *const *words;
    size_t options_size;          /* of the command's own struct */
    const void *defaults;         /* options_size bytes: the values of options that are not given */
    int (*run)(const struct invocation *in);    /* returns the exit status */
};
/* NULL: no such command */
const struct command *command_find(command_table all, const char *name);
/* prints a message; returns the exit status */
int command_unknown(command_table all, const char *typed);

/* "gpuyard: TEXT" and "gpuyard: warning: TEXT" on stderr, one line whatever the text holds.
 * complain() returns `status`. */
int  complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The tables as text, on stdout. */
void help_program(command_table commands);
void help_command(const struct command *c);
void help_man(command_table commands);           /* roff, section 1 */
void help_completion(command_table commands);    /* for bash */
void about(void);                                /* --version */
