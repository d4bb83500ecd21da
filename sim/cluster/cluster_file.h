/* cluster_file.h - a cluster from a file: YAML, or a published list of nodes (node_list.h), told by its first line.
 * Every mistake is an error with file:line, and in YAML the column. */
#pragma once
#include "sim/io/input.h"
#include "sim/cluster/cluster.h"

/* "KEY=VALUE" each, as config_set() has them: what the file would say instead. Of a list of nodes: sections and the period. */
struct cluster_settings { size_t n; const char *const *text; };
/* path "-": standard input. NULL with err; it begins with "--set: " where a setting is to blame. set NULL: none. sha256: of the file's
 * bytes. */
struct cluster *cluster_read(const char *path, const struct cluster_settings *set, char sha256[65], struct error *err);

/* Its YAML part. `name`: unless the file says one. */
struct cluster *cluster_from_yaml(struct input *in, const char *name, const struct cluster_settings *set, struct error *err);
/* The settings of a cluster that was no YAML. -1 with err. */
int cluster_add_sections(struct cluster *c, const char *path, const struct cluster_settings *set, struct error *err);
