/* cluster_file.h - a cluster from a YAML file. Every mistake is an error with file:line:column. */
#pragma once
#include "sim/core/input.h"
#include "sim/world/cluster.h"

/* path "-": standard input. NULL with err. sha256: of the file's bytes. */
struct cluster *cluster_read(const char *path, char sha256[65], struct error *err);
