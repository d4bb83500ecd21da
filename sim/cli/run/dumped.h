/* dumped.h - a configuration as `run --dump-config` writes it (settings.h), read again: what `run
 * --config FILE` runs.
 *
 * It decides the run as the command line did that it was written for: policies and placer with
 * their parameters, the seed, the trace with what is done to it, the cluster with every value of
 * its file. A value that is changed in the text changes the run. The trace, files that the cluster
 * file names and a list of nodes are read again from their places and must have the bytes that the
 * hashes tell. What follows from the rest (counts of nodes and jobs, clairvoyant) is not read. */
#pragma once
#include "sim/cli/run/plan.h"

struct dumped {
    const char *path;
    struct config *config;
    struct config_value settings;  /* of the cluster; absent: a list of nodes without settings */
    struct config_value named;     /* hashes of the files that the cluster file names */
    const char *cluster_file, *cluster_name, *cluster_sha256, *settings_sha256, *trace_sha256;
    struct arena *memory;
};

/* Fills what decides the run in `to`; the rest of it stays. An exit status, with err if it is not
 * EXIT_OK. dumped_free() in every case, once `to` is not used any more. */
int  dumped_read(const char *path, struct dumped *d, struct run_options *to, struct error *err);
void dumped_free(struct dumped *d);

/* The cluster, and its hash: that of its file, or of the settings if they have been changed.
 * NULL with err. */
struct cluster *dumped_cluster(const struct dumped *d, char sha256[65], struct error *err);
/* Whether named files and the trace are those of the configuration. -1 with err. */
int dumped_check_files(const struct dumped *d, const struct provenance *files, struct error *err);
int dumped_check_trace(const struct dumped *d, const char sha256[65], struct error *err);
