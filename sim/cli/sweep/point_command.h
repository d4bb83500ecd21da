/* point_command.h - a point of an experiment as the command line of `gpuyard run` that it is. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/study/grid.h"

struct point_command {
    int argc;
    char **argv;                  /* "gpuyard", "run", "--cluster", ... */
    struct run_options options;
    struct operands operands;
    struct arena *memory;
};
/* directory, outputs: NULL: not said. An exit status; if not EXIT_OK, err says why. point_command_free() in any case. */
int  point_command_make(struct point_command *c, const struct experiment *e, const struct point *p, const char *directory,
                        const char *outputs, struct error *err);
void point_command_free(struct point_command *c);

/* Goes through the values of an experiment that are no paths: are there such policies, parameters, options, settings? Complaints have
 * their place in the file. Says of each parameter whose it is (struct axis, idle). An exit status. */
int point_command_check(struct experiment *e, struct error *err);
