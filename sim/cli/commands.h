/* commands.h - every subcommand of the program. */
#pragma once
#include "sim/cli/frame/cli.h"

extern const struct command *const commands[];    /* ends with NULL; in the order of the help */
