/* gnuplot.h - draws a figure: where the scripts are, the process of gnuplot, and the file of the
 * picture.
 *
 * gnuplot runs in the folder of the scripts. It reads its commands and data from a file without a
 * name and writes the picture to another one, so that no name of a file is ever part of a command,
 * no shell is there to run one, and nothing is left behind whenever a signal ends the program.
 * Equal figures give equal bytes: the date that a PDF has is set to 1970. */
#pragma once
#include "sim/cli/plot/kind.h"

#define SCRIPTS_PATH 4096
/* Beside an installed program, or above one in the source tree (build/MODE/gpuyard);
 * GPUYARD_SCRIPTS, if set. An exit status; says what is wrong. */
int scripts_find(char to[SCRIPTS_PATH]);

/* By the end of a file's name: .png, .svg, .pdf; -1: something else. */
int picture_format(const char *path);

/* Writes a figure of this kind to `path`, NULL or "-": standard output: drawn, on a terminal as
 * text, or as CSV. A device or a pipe is written as it is, a file appears when it is whole. An exit
 * status; says what is wrong. */
int figure_draw(struct figure *f, const struct kind *k, const struct canvas *canvas,
                const char *scripts, const char *path);
