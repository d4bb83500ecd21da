/* kind.h - the kinds of plots.
 *
 * A kind is one const struct kind: what it is called, which files of a run it reads, the columns of
 * its CSV, the function that makes its figure, and the gnuplot script that draws it
 * (scripts/plot/NAME.gp, or another one's). To add a kind: the table with its function in a C file
 * of this folder, the script, a line in EACH_PLOT_KIND, its columns in scripts/plot/README.md. */
#pragma once
#include "sim/base/error.h"
#include "sim/cli/plot/figure.h"
#include "sim/cli/plot/window.h"

#include <stddef.h>

struct plot_run {
    const char *path;  /* of its directory */
    const char *name;  /* of its directory, on one line */
    const char *label; /* policy and placement, as far as the manifest says; else its name */
    int64_t seed;      /* INT64_MIN: not known */
    size_t group;      /* of runs that are replications of each other, from 0 */
};
struct plot_request {
    struct canvas canvas;
    size_t n;
    const struct plot_run *run;
    size_t groups;
    const char *const *group_label;
    size_t metrics;            /* of compare and sweep */
    const char *const *metric; /* "METRIC" or "METRIC@SCOPE" */
    const char *x_column;      /* of sweep; NULL: the kind chooses */
    struct window window;      /* of kinds over time */
    size_t gpus_most;          /* of gantt: the nodes with the first of so many GPUs; 0: all */
    const char *one_seed;      /* which runs stand for their groups (plot_one_seed); NULL: none */
};

enum { KIND_FILES = 3, PAPER_LEAST = 300 };
struct kind {
    const char *name;   /* as in the list */
    size_t least, most; /* directories it takes */
    /* It reads: "FILE", or "FILE:COLUMN" where only some runs have what it shows. */
    const char *file[KIND_FILES];
    bool over_time;            /* it has an axis of time, and shows the window of a request */
    bool of_sweep;             /* it reads sweep.csv, too, of the directory of a sweep */
    bool one_seed;             /* of runs that differ in the seed alone it shows one */
    bool pools_seeds;          /* they are one line, and count as one directory */
    const char *const *metric; /* shown instead of the usual ones; ends with NULL; NULL: those */
    int paper_least;           /* narrowest layout of a paper, in pixels; 0: PAPER_LEAST */
    const char *columns;       /* of its CSV */
    const char *script;        /* in scripts/plot */
    const void *variant;       /* which of a family of kinds it is, for `make` */
    /* Whether the run has something to show, beyond its files; NULL: it has. A kind that shows
     * nothing of any run is drawn only if it is asked for by name. */
    bool (*shows)(const char *directory);
    /* 0, or -1 with err. */
    int (*make)(const struct kind *k, const struct plot_request *r, struct figure *f,
                struct error *err);
};

/* All kinds, in the order of the help, with what it says of them. */
#define EACH_PLOT_KIND(K)                                                                          \
    K(jct_cdf, "how long jobs took, as a distribution")                                            \
    K(jct_ratio, "completion time of each job over that in the first run, as a distribution")      \
    K(wait_cdf, "how long they waited")                                                            \
    K(slowdown_cdf, "how many times their service time they took")                                 \
    K(by_size, "how long jobs took and waited, by their GPUs")                                     \
    K(by_class, "the same by class")                                                               \
    K(by_queue, "the same by queue")                                                               \
    K(utilisation, "GPUs allocated over time, stacked by queue")                                   \
    K(utilisation_class, "stacked by class")                                                       \
    K(utilisation_state, "what becomes of all GPUs over time")                                     \
    K(ledger, "where all GPU time went, by account")                                               \
    K(wait_reasons, "why jobs waited: the mean time in the queue, by reason")                      \
    K(preemptions, "why running jobs were stopped, by cause")                                      \
    K(jobs, "jobs running and waiting over time")                                                  \
    K(queue_length, "jobs and GPUs waiting over time")                                             \
    K(quota, "each queue against its quota (of one run)")                                          \
    K(fairness, "finish-time fairness, and what queues held of their fair share")                  \
    K(fragmentation, "free GPUs over time, by how many are free together")                         \
    K(energy, "power over time")                                                                   \
    K(carbon, "CO2 of that power over time")                                                       \
    K(cost, "what an hour costs over time: GPUs, rented nodes, energy")                            \
    K(arrived_load, "GPUs allocated against GPUs asked for so far, where few jobs end")            \
    K(reliability, "mean time to failure and effective training time, by GPUs of jobs")            \
    K(services, "inference services: requests, latency, SLO and replicas over time (of one run)")  \
    K(service_load, "requests in time and latency, by the rate of requests")                       \
    K(sessions, "interactive sessions: what they do over time, time to start, and how they ended") \
    K(gantt, "which GPU was held when (of one run)")                                               \
    K(nodes, "heat map of the nodes (of one run)")                                                 \
    K(compare, "metrics as bars, with confidence intervals over runs that differ in the seed")     \
    K(normalised, "metrics over those of the first run or group, with paired intervals")           \
    K(pareto, "two metrics against each other, and which runs no other one beats in both")         \
    K(sweep, "metrics of a sweep as lines over one of its parameters, in bands over seeds")

#define PLOT_KIND_DECLARED(name, help) extern const struct kind name##_kind;
EACH_PLOT_KIND(PLOT_KIND_DECLARED)
#define PLOT_KIND_HELP_LINE(name, help) "\n" #name ": " help "."
#define PLOT_KIND_HELP EACH_PLOT_KIND(PLOT_KIND_HELP_LINE)
extern const struct kind *const plot_kinds[];                /* ends with NULL */
extern const char *const plot_kind_names[];                  /* likewise */
extern const char *const plot_kind_summaries[];              /* likewise */
