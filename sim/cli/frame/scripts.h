/* scripts.h - the plotting scripts: where they are, and running one. */
#pragma once

#define SCRIPTS_PATH 4096
#define SCRIPTS_PLOT "plot/plot.sh"

/* Beside an installed program, or above one in the source tree (build/MODE/gpuyard). An exit status; says what is wrong. */
int scripts_find(char to[SCRIPTS_PATH]);
/* argv[0] is "sh", argv[1] the script; ends with NULL. The script's exit status; what is wrong it has said itself. */
int scripts_run(const char **argv);
