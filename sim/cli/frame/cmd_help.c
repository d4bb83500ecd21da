/* cmd_help.c - gpuyard help: the overview, the help of a command, the man page, the completion
 * of a shell. */
#include "sim/cli/frame/cli.h"

#include <stddef.h>

struct help_options { bool man; int completion; };
static const char *const shells[] = { "bash", NULL };
static const struct help_options defaults = { .completion = -1 };

static const struct option options[] = {
    { .name = "man", .help = "write the man page gpuyard(1), in roff",
      .at = offsetof(struct help_options, man) },
    { .name = "completion", .argument = "SHELL", .help = "write the completion for that shell: "
        "bash", .kind = OPTION_WORD,
      .at = offsetof(struct help_options, completion), .words = shells },
    { 0 },
};

static int help_run(const struct invocation *in)
{
    const struct help_options *o = in->options;
    if (o->man && o->completion >= 0)
        return complain(EXIT_USAGE, "help: want --man or --completion, not both");
    if (in->operands.n && (o->man || o->completion >= 0))
        return complain(EXIT_USAGE, "help: want no operand with --man or --completion, got '%s'",
                        in->operands.text[0]);
    if (o->man)
        help_man(in->commands);
    else if (o->completion >= 0)
        help_completion(in->commands);
    else if (!in->operands.n)
        help_program(in->commands);
    else {
        const struct command *c = command_find(in->commands, in->operands.text[0]);
        if (!c)
            return command_unknown(in->commands, in->operands.text[0]);
        help_command(c);
    }
    return EXIT_OK;
}

const struct command cmd_help = {
    .name = "help",
    .summary = "this overview, or the help of a command",
    .set = { .name = "help", .options = options, .operands = "[COMMAND]", .max_operands = 1 },
    .operand_values = VALUES_COMMAND,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = help_run,
};
