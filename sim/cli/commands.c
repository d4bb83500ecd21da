/* commands.c - the subcommands, in the order of the help. A new one is a file cmd_NAME.c and its
 * name here.
 *
 * main.c hands this table to the command that runs; no other file refers to it, so that commands
 * do not depend on each other. */
#include "sim/cli/commands.h"

#define EACH_COMMAND(C)                                                                            \
    C(run)                                                                                         \
    C(sweep)                                                                                       \
    C(merge)                                                                                       \
    C(plan)                                                                                        \
    C(check)                                                                                       \
    C(convert)                                                                                     \
    C(import)                                                                                      \
    C(synth)                                                                                       \
    C(fit)                                                                                         \
    C(list)                                                                                        \
    C(plot)                                                                                        \
    C(report)                                                                                      \
    C(explain)                                                                                     \
    C(compare)                                                                                     \
    C(validate)                                                                                     \
    C(warmup)                                                                                      \
    C(export)                                                                                      \
    C(help)

#define DECLARED(name) extern const struct command cmd_##name;
#define LISTED(name)   &cmd_##name,
EACH_COMMAND(DECLARED)
const struct command *const commands[] = { EACH_COMMAND(LISTED) NULL };
