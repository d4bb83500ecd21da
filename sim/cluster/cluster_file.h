/* cluster_file.h - a cluster from a file: YAML, or a published list of nodes (node_list.h),
 * recognised by its first line. Every mistake is an error with file:line, and in YAML the column.
 * Sections of models are read by the models themselves; sections that refer to nodes or groups have
 * readers here (failures_file.h, power_file.h, pools.h). */
#pragma once
#include "sim/io/input.h"
#include "sim/cluster/cluster.h"

/* "KEY=VALUE" each, as in config_set(), instead of the values of the file. A list of nodes takes
 * sections and the period. */
struct cluster_settings { size_t n; const char *const *text; };
/* path "-": standard input. NULL with err; it begins with "--set: " if a setting is wrong. set
 * NULL: none. sha256: of the bytes of the file. */
struct cluster *cluster_read(const char *path, const struct cluster_settings *set, char sha256[65],
                             struct error *err);

/* A cluster from the effective settings of another (cluster.settings), as `gpuyard run
 * --dump-config` writes them: of `file`, which is read again only if they have no nodes, because it
 * is a list of nodes. Files that the settings name lie beside `file`. NULL with err. */
struct cluster *cluster_read_settings(struct config_value settings, const char *file,
                                      const char *name, char sha256[65], struct error *err);

/* A YAML cluster file. `name` is used if the file has none. */
struct cluster *cluster_from_yaml(struct input *in, const char *name,
                                  const struct cluster_settings *set, struct error *err);
/* Applies the settings to a cluster from a list of nodes. -1 with err. */
int cluster_add_sections(struct cluster *c, const char *path, const struct cluster_settings *set,
                         struct error *err);
