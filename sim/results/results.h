/* results.h - the directory of a run: which files it gets, and that they are all whole or not there.
 *
 * Files are written beside their names and renamed together at the end, the manifest last. An interrupted or failed run
 * leaves the directory as it was. Files of an earlier run that this one does not write are removed at that moment.
 * results_check() says before whether they may be. */
#pragma once
#include "sim/engine/models.h"
#include "sim/io/provenance.h"
#include "sim/engine/run.h"
#include "sim/results/summary.h"

enum output_file {
    OUTPUT_JOBS, OUTPUT_INTERVALS, OUTPUT_TIMESERIES, OUTPUT_QUEUES, OUTPUT_NODES, OUTPUT_SUMMARY, OUTPUT_MANIFEST,
    OUTPUT_SERVICES, OUTPUT_SESSIONS,    /* if the workload has some */
    OUTPUT_EVENTS, OUTPUT_FILES   /* events: off by default; summary: .csv and .json; the manifest is always written */
};
extern const char *const output_name[OUTPUT_FILES];          /* "jobs", "intervals", ... */
#define OUTPUTS_DEFAULT ((1u << OUTPUT_EVENTS) - 1)

/* Facts for the manifest that the run does not have. Borrowed until results_commit() or results_discard(). */
struct run_origin {
    int argc;
    char *const *argv;
    const char *cluster_path, *cluster_sha256, *trace_path, *trace_format, *trace_sha256;
    const struct provenance *cluster_files, *trace_files;         /* all that were read for them; NULL: not known */
    const char *policy_text, *placement_text;    /* as given on the command line: "fifo:scope=queue" */
    const char *settings_yaml;    /* the full effective configuration */
    uint32_t skipped_rows;
    const struct federated *federated;    /* the whole of one; NULL: a run */
};
struct results_setup {
    const char *directory;
    unsigned outputs;             /* bits 1 << enum output_file */
    bool snapshot;                /* snapshot.csv, too: results_snapshot() */
    const char *snapshot_options; /* results_snapshot_options(); NULL or empty: none */
    int64_t sample_ns;            /* timeseries and queues: at most a row per that long; 0: at every change */
    const struct run_model *const *models;    /* that may be on, ends with NULL: for the headers of files of their own */
    struct run_origin origin;
};

/* Whether these results may be put into their directory; before results_new(). No: a file to be
 * written or removed is an input of this process; or, unless `force`, one is there although the
 * directory has no manifest of gpuyard; or, unless `force` or the user has `named` the directory,
 * the manifest is that of another experiment: what its configuration tells of the command line
 * differs. 0, or -1 with err. */
int results_check(const struct results_setup *setup, bool named, bool force, struct error *err);

/* All files of a run in the directory are inputs from now on (provenance.h). */
void results_hold(const char *directory);

/* `outputs` without files that a run of w cannot have. */
unsigned outputs_of(unsigned outputs, const struct workload *w);

struct results;
struct results *results_new(const struct results_setup *setup, const struct cluster *c, const struct workload *w);
/* Makes the directory, with those above it if need be, and the files. 0, or -1 with err. */
int  results_open(struct results *r, struct error *err);
struct output;
struct output *results_snapshot(struct results *r);          /* snapshot.csv, to be written before results_write(); NULL: not wanted */
/* In place of those of the setup, for the manifest; borrowed until results_write(). */
void results_settings(struct results *r, const char *settings_yaml);
/* Options of a run of it (sim/run/snapshot.h), for the manifest; borrowed until results_write(). */
void results_snapshot_options(struct results *r, const char *options);
struct run_observer results_observer(struct results *r);     /* for run_setup.observer */
/* Before the run goes on: of jobs that become final the rows are written, and the summary is added up, by another thread, until
 * results_tallies(), results_write() or results_discard(). Without it these do it all. */
void results_gather(struct results *r, const struct sched *s);
void results_run_ended(struct results *r);                   /* after results_gather(): the run is only read from now on */
struct tally_walk *results_tallies(struct results *r, const struct sched *s);    /* for summary_make_of(): of all jobs; belongs to r */
/* Writes what is left, to the disk; what is missing then are the names. 0, or -1 with err. */
int  results_write(struct results *r, const struct sched *s, const struct summary *m, struct error *err);
/* Gives every file its name, or if that fails none. Frees r. 0, or -1 with err and all as it was before. */
int  results_commit(struct results *r, struct error *err);
void results_discard(struct results *r);                     /* removes what was written and made; frees r */
/* The same without freeing, when the program ends now after a signal or out of memory. Safe in a signal handler. */
void results_remove(struct results *r);
