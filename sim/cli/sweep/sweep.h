/* sweep.h - between the files of `gpuyard sweep`: what all runs of an experiment share, and one of its points at a time. */
#pragma once
#include "sim/cli/sweep/point_command.h"
#include "sim/study/sweep_files.h"

/* ---- What is read once ---- */
/* cluster NULL: a federation, read anew for each run. all_sha256: of the file, and where it names others, of the hashes of all of them: files. */
struct read_cluster { struct cluster *cluster; int64_t gpus; struct heard files; char sha256[65], all_sha256[65]; };
struct read_trace {
    struct workload *workload[2]; /* as for a run; with what never ran, for a stream. NULL: not wanted, or drawn from laws anew for each
                                     run, by its seed and cluster */
    const struct trace_format *format;
    struct heard files;
    char sha256[65], all_sha256[65];
};
struct sweep {
    struct experiment *experiment;
    struct grid *grid;
    size_t of[AXIS_PLACEMENT + 1];    /* index of the axis of that kind; of parameters: nothing */
    struct read_cluster *cluster;     /* [n] of the axis */
    struct read_trace *trace;
    char (*plugin_sha256)[65];        /* [n] of policies, then of placements; "": not a plugin */
    char **key;                       /* [grid->n] of points */
    struct sweep_list *list;
    const char *directory, *outputs;  /* outputs: of runs that are kept; NULL: none is */
    int lock;                         /* of the directory, once it is open */
};

/* An exit status; if not EXIT_OK, err says why. sweep_free() in any case. */
int  sweep_read(struct sweep *s, const char *path, struct error *err);    /* the experiment, checked, and its points */
int  sweep_read_inputs(struct sweep *s, struct error *err);   /* clusters, traces, plugins; then the keys of the points and the list */
void sweep_free(struct sweep *s);
/* Reads the inputs, and makes or takes the directory for this process. An exit status. */
int  sweep_open(struct sweep *s, const char *path, struct shard shard, bool resume, struct error *err);

/* ---- Points, of an open sweep ---- */
struct sweep_how { unsigned workers; bool quiet; };          /* workers 0: one for each processor */
/* Those of the n that have no result yet, *ran of them; failures are said on stderr, and stand in the results. An exit status; then
 * interrupt_end() is to be called. */
int  sweep_run(struct sweep *s, const size_t *point, size_t n, const struct sweep_how *how, size_t *ran, struct error *err);

/* ---- One point, in a process that forked for it ---- */
/* Whether the second can go on with the cluster and the workload that the first has shaped. */
bool sweep_shapes_alike(const struct sweep *s, size_t first, size_t second);
/* What came of it is in its file when this returns. `shaped`: of the point before it, if that is alike; ours on return. true: it went
 * well. Ends the process if it is interrupted. */
struct shaped {
    struct cluster *cluster;
    struct workload *workload;
    struct heard cluster_files, trace_files;
    int64_t until_ns;
    size_t point;
    struct past *past;
};
bool sweep_work(const struct sweep *s, struct shaped *shaped, size_t point);

/* sweep_branches.c: they differ only in what takes over, and when. */
bool sweep_shares_past(const struct sweep *s, size_t first, size_t second);
