/* out_path.h - where a command writes its one result: a file that -o names, or standard output. */
#pragma once
#include "sim/io/output.h"

/* NULL and "-": standard output. A device or a pipe is written to as it is; a file appears when it is whole, and is compressed if
 * its name ends in .gz or .zst. NULL with err. */
struct output *out_path_open(const char *path, struct error *err);
