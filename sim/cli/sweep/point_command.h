/* point_command.h - a point of an experiment as a command line of `gpuyard run`. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/study/grid.h"

struct point_command {
    int argc;
    char **argv;                  /* "gpuyard", "run", "--cluster", ...; in memory */
    struct run_options options;   /* parsed from argv */
    struct operands operands;
    struct arena *memory;
};
/* directory, outputs: NULL: not given. An exit status; if it is not EXIT_OK, err has the
 * message. point_command_free() in every case. */
int  point_command_make(struct point_command *c, const struct experiment *e, const struct point *p,
                        const char *directory,
                        const char *outputs, struct error *err);
void point_command_free(struct point_command *c);

/* Checks all values of an experiment that are no paths: policies, placers, parameters, options,
 * settings. A message has the place in the file. Sets `idle` of each parameter (struct axis). An
 * exit status. */
int point_command_check(struct experiment *e, struct error *err);
