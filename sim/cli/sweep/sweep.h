/* sweep.h - the runs of an experiment: inputs that are read once, the directory, and points that
 * worker processes run.
 *
 * sweep_read() reads the experiment and makes the grid of its points. sweep_open() reads every
 * cluster and trace once, computes the key of each point (SHA-256 of version, inputs and all
 * values) and prepares the directory (sim/study/sweep_files.h). sweep_run() has a pool of forked
 * processes run the points without a result; each process shapes the shared inputs as its points
 * need them.
 *
 * Points that differ only in --switch-policy share their past: it is simulated once, up to the
 * first switch, and each point continues in a process of its own. */
#pragma once
#include "sim/cli/sweep/point_command.h"
#include "sim/study/sweep_files.h"

/* ---- Inputs ---- */
struct read_cluster {
    struct cluster *cluster;      /* NULL: a federation, which each run reads */
    int64_t gpus;                 /* of all members */
    struct provenance files;
    char sha256[65];              /* of the file */
    char all_sha256[65];          /* of the file and all files that it names */
};
struct read_trace {
    /* [0] for runs, [1] for streams (with jobs that never ran). NULL: no point needs it, or it is
     * drawn from laws, which each run does with its own seed and cluster. */
    struct workload *workload[2];
    const struct trace_format *format;
    struct provenance files;
    bool load_of_cluster;         /* as of a workload: sweep.load_gpus decides its jobs */
    char sha256[65], all_sha256[65];    /* as of a cluster */
};
struct sweep {
    struct experiment *experiment;
    struct grid *grid;
    size_t of[AXIS_PLACEMENT + 1];    /* index of the axis of that kind; unset for parameters */
    struct read_cluster *cluster;     /* [n] of the axis */
    struct read_trace *trace;         /* [n] of the axis */
    char (*plugin_sha256)[65];        /* [n] of policies, then of placements; "": not a plugin */
    /* GPUs of the base cluster: the first one, with the settings that have one value. A load of
     * laws refers to them at every point, so that clusters of all sizes get the same jobs. */
    int64_t load_gpus;
    bool sizes_differ;                /* clusters of points have not all these GPUs */
    char **key;                       /* [grid->n] of points */
    struct sweep_list *list;
    const char *directory, *outputs;  /* borrowed; outputs: of runs that are kept; NULL: none */
    struct quantiles_wanted quantiles;    /* that every point has in its summary, beside those it is asked for */
    bool force;                       /* as of sweep_check() */
    int lock;                         /* file descriptor of the open directory; -1: none */
};

/* Each an exit status; if it is not EXIT_OK, err has the message. sweep_free() in every case. */
int  sweep_read(struct sweep *s, const char *path, struct error *err);
int  sweep_read_inputs(struct sweep *s, struct error *err);    /* part of sweep_open() */
int  sweep_open(struct sweep *s, const char *path, struct shard shard, bool resume,
                struct error *err);
void sweep_free(struct sweep *s);

/* ---- Points of an open sweep ---- */
struct sweep_how { unsigned workers; bool quiet; };          /* workers 0: one for each processor */
/* Runs those of the n points that have no result yet, *ran of them. Failures are printed on
 * stderr and kept as results. An exit status; the caller calls interrupt_end(). */
int  sweep_run(struct sweep *s, const size_t *point, size_t n, const struct sweep_how *how,
               size_t *ran, struct error *err);

/* ---- One point, in a worker process ---- */
/* The inputs as a point needs them: kept for the next point if it needs the same. */
struct shaped {
    struct cluster *cluster;
    struct workload *workload;
    struct provenance cluster_files, trace_files;
    int64_t until_ns;
    size_t point;                 /* that they were shaped for */
    /* shared by points that differ only in --switch-policy; NULL: none yet */
    struct past *past;
};
/* both points need the same shaped inputs */
bool sweep_shapes_alike(const struct sweep *s, size_t first, size_t second);
/* they differ only in --switch-policy */
bool sweep_shares_past(const struct sweep *s, size_t first, size_t second);
/* Runs a point and writes its result. `shaped` is that of the point before, which
 * sweep_shapes_alike(), or empty. false: the point failed. Ends the process if it is
 * interrupted. */
bool sweep_work(const struct sweep *s, struct shaped *shaped, size_t point);
