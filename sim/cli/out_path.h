/* out_path.h - where a command writes its one result: a file that -o names, or standard output. */
#pragma once
#include "sim/core/output.h"

/* NULL and "-": standard output. A file is compressed if its name ends in .gz or .zst. NULL with err. */
struct output *out_path_open(const char *path, struct error *err);
