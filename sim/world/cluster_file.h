/* cluster_file.h - a cluster from a file: YAML, or a published list of nodes (node_list.h), told by its first line.
 * Every mistake is an error with file:line, and in YAML the column. */
#pragma once
#include "sim/core/input.h"
#include "sim/world/cluster.h"

/* path "-": standard input. NULL with err. sha256: of the file's bytes. */
struct cluster *cluster_read(const char *path, char sha256[65], struct error *err);

/* The same with other values at some places of its YAML (config_put()). */
struct cluster_setting { const char *path, *value; };
struct cluster *cluster_read_with(const char *path, const struct cluster_setting *set, size_t n, char sha256[65], struct error *err);
struct cluster *cluster_from_yaml_with(struct input *in, const char *name, const struct cluster_setting *set, size_t n, struct error *err);

/* Its YAML part. `name`: unless the file says one. */
struct cluster *cluster_from_yaml(struct input *in, const char *name, struct error *err);
