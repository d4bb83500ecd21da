/* out_path.h - the one result of a command: the file of its option -o, or standard output. */
#pragma once
#include "sim/io/output.h"

/* NULL and "-": standard output. A device or a pipe is written directly. A regular file gets its
 * name when it is complete, and is compressed if the name ends in .gz or .zst. NULL with err. */
struct output *out_path_open(const char *path, struct error *err);
