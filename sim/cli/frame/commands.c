/* commands.c - the subcommands there are, in the order of the help. A new one is a file cmd_NAME.c and its name here. */
#include "sim/cli/frame/cli.h"

#include <string.h>

/* In the order of the help. */
#define EACH_COMMAND(C)                                                                                                \
    C(run)                                                                                                             \
    C(sweep)                                                                                                           \
    C(merge)                                                                                                           \
    C(plan)                                                                                                            \
    C(check)                                                                                                           \
    C(convert)                                                                                                         \
    C(synth)                                                                                                           \
    C(fit)                                                                                                             \
    C(list)                                                                                                            \
    C(plot)                                                                                                            \
    C(report)                                                                                                          \
    C(explain)                                                                                                         \
    C(compare)                                                                                                         \
    C(warmup)                                                                                                          \
    C(export)                                                                                                          \
    C(help)

#define DECLARED(name) extern const struct command cmd_##name;
#define LISTED(name)   &cmd_##name,
EACH_COMMAND(DECLARED)
const struct command *const commands[] = { EACH_COMMAND(LISTED) NULL };

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

int command_unknown(const char *typed)
{
    static const char *const instead[] = { "--help", "--version", NULL };
    const char *names[sizeof commands / sizeof *commands];
    char text[DID_YOU_MEAN];
    bool option = *typed == '-';
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        names[i] = commands[i] ? commands[i]->name : NULL;
    return complain(EXIT_USAGE, "no such %s %s", option ? "option" : "command",
                    did_you_mean(text, typed, option ? instead : names, "see 'gpuyard --help'"));
}
