/* spec.h - what a synthetic workload is: the laws of a workload file, as numbers. docs/traces.md has the keys.
 *
 * Defaults are values of models.md, with their source; [A] is an assumption, to be changed freely. */
#pragma once
#include "sim/io/input.h"
#include "sim/base/memory.h"
#include "sim/io/output.h"
#include "sim/models/draws/arrivals.h"
#include "sim/models/draws/law.h"
#include "sim/sessions/session_spec.h"
#include "sim/workload/estimates.h"
#include "sim/workload/workload.h"

#define SYNTH_JOBS_MAX      100000000
#define SYNTH_MAX_S         5184000.0     /* run times are cut at 60 days; models.md 6.3 */
#define SYNTH_SPEARMAN       0.2           /* of size and run time; 6.3 [A] */
#define SYNTH_NODE_GPUS      8
#define SYNTH_USERS          200           /* 6.5: by eye from the users' GPU time in Helios */
#define SYNTH_USERS_ZIPF     1.2
#define SYNTH_PROJECTS       10            /* 6.5 [A] */
#define SYNTH_PROJECTS_ZIPF  0.8
#define SYNTH_FATES          3             /* enum job_fate */

struct synth_names { size_t n; const char **name; double *weight; };    /* n 0: none are drawn */

struct synth_durations {
    struct law law;               /* of all jobs, whatever becomes of them */
    double mean_s, median_s;      /* above 0: sigma and scale are found so that the cut law has them (lognormal) */
    double least_s, most_s;       /* it is cut to */
    double p_per_log2_gpus;       /* of two parts: added to the weight of the first, times log2 of the GPUs, within 0..1 */
};
struct synth_fates {
    double share[SYNTH_FATES];    /* completed, failed, cancelled */
    double multiple[SYNTH_FATES]; /* mean run time of such a job over that of all; only their ratios count */
    double early, early_median_s, early_sigma;    /* so many of the failed fail early, lognormal; 3.5: 120 s, 1.8 [A] */
    size_t n_by_gpus;
    struct fates_by_gpus { int64_t gpu_milli; double share[SYNTH_FATES]; } *by_gpus;    /* from so many GPUs on; ascending */
};
struct synth_class {
    enum job_class class;
    double share;                 /* of the arrivals; in proportion */
    size_t n_sizes;
    struct synth_size { int64_t gpu_milli; double share; } *size;    /* GPUs of a job, ascending; shares in proportion */
    double mean_gpus;             /* above 0: shares of sizes above one GPU are scaled to it, those up to one take the rest */
    uint32_t node_gpus;           /* what is above is rounded up to multiples of it */
    bool by_node;                 /* tasks of a node each, all or none; else only the total is said */
    int64_t cpu_milli, mem_mib;   /* per GPU; 0: not said */
    struct synth_durations durations;
    struct synth_fates fates;
    double spearman;              /* of size and run time, ties having mean ranks */
    bool spearman_given;           /* else, with one size only, there is none */
    double slowdown;              /* E[slowdown x 1/speed] of what runs, for the load alone */
    int32_t priority;
    bool preemptible;
    bool sweeps;                  /* an arrival of it may be one */
    struct synth_names gpu_types, models;    /* "any" and "none": not said */
};
/* A group of interactive sessions: people, and what their sessions ask for. */
struct synth_sessions {
    struct session_spec is;       /* its sizes are those of asks */
    struct synth_class asks;      /* of it sizes, CPUs, memory, priority, preemptible and node_gpus */
    const char *queue;            /* NULL: that of each user's project */
};
struct synth_sweeps { double probability, mean_jobs, within_s; bool same_run_time; };
struct synth_retries { double probability; uint32_t most; double median_s, sigma; };
struct synth_load {
    double target, gpus, availability, reserved_gpus;    /* target 0: rate_per_h says it; gpus 0: the cluster's */
    bool realised;
};
struct synth_spec {
    const char *name;
    int64_t start_ns;             /* the date of time 0; TIME_NEVER: not said, a Monday */
    uint32_t jobs;                /* 0: as many as come within span_s */
    double span_s;                /* 0: any */
    struct synth_load load;
    double rate_per_h;            /* arrivals, a sweep being one; 0: the load says it */
    struct arrival_law arrivals;
    double daily[24], weekly[7], growth_per_day;
    struct synth_sweeps sweeps;
    struct synth_retries retries;
    uint32_t users;
    double users_zipf;
    struct synth_names projects;  /* with the shares of jobs that they should have */
    struct estimates estimates;
    size_t n_classes;             /* 0: no jobs are drawn */
    struct synth_class *class;
    const char *trace;            /* FILE[:FORMAT], whose jobs are there instead of drawn ones; NULL: none */
    struct deployments *services; /* NULL: none. synth_services_add() hands them on */
    struct job_row *replica;      /* [services->n] what each asks for, without a name */
    size_t n_sessions;
    struct synth_sessions *sessions;
    struct arena *memory;         /* of all that is pointed to */
};

/* From a workload file. NULL with err, "file:line:column: ...". Files named in it are looked for beside it. */
struct synth_spec *synth_spec_read(struct input *in, struct error *err);
/* As a workload file that reads back as the same, every key said. */
void synth_spec_write(struct output *o, const struct synth_spec *s);
void synth_spec_free(struct synth_spec *s);                  /* NULL: does nothing */

/* Everything at its default, without a class. */
struct synth_spec *synth_spec_new(void);
extern const struct synth_class synth_class_default;         /* without sizes, and with no law of run times */

char *synth_path_beside(const char *file, const char *path);      /* a path that stands in that file; free() it */
/* A law from its mapping, for spec_read.c: law_read.c. A lognormal law by mean and median is the uncut one. */
struct config_value;
int synth_law_read(struct config_value v, const char *beside, struct arena *memory, struct synth_durations *to, struct error *err);
void synth_law_write(struct output *o, const struct synth_durations *d);
void synth_sessions_write(struct output *o, const struct synth_spec *s);     /* for spec_write.c */
