/* spec.h - a synthetic workload: the laws of a workload file, as numbers. README.md has the keys.
 *
 * Defaults are values of models.md, with their source; [A]: an assumption. */
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

struct synth_names { size_t n; const char **name; double *weight; }; /* [n]; n 0: none are drawn */

struct synth_durations {
    struct law law;               /* of all jobs, of any fate */
    /* above 0: sigma and scale of a lognormal law are solved so that the cut law has them */
    double mean_s, median_s;
    double least_s, most_s;       /* the law is cut to these */
    /* of a law of two parts: times log2(GPUs), added to the weight of the first; 0..1 */
    double p_per_log2_gpus;
};
struct synth_fates {
    double share[SYNTH_FATES];    /* completed, failed, cancelled */
    /* mean run time of the fate over that of all; only ratios matter */
    double multiple[SYNTH_FATES];
    /* early: share of the failed jobs with a lognormal run time; 3.5: 120 s, 1.8 [A] */
    double early, early_median_s, early_sigma;
    size_t n_by_gpus;
    /* [n_by_gpus] from gpu_milli on; ascending */
    struct fates_by_gpus { int64_t gpu_milli; double share[SYNTH_FATES]; } *by_gpus;
};
struct synth_class {
    enum job_class class;
    double share;                 /* of the arrivals, in proportion */
    size_t n_sizes;
    /* GPUs of a job, ascending; shares in proportion */
    struct synth_size { int64_t gpu_milli; double share; } *size;
    /* above 0: the shares of sizes above one GPU are scaled to this mean; the others take the
     * rest */
    double mean_gpus;
    uint32_t node_gpus;           /* larger sizes are rounded up to multiples of it */
    bool by_node; /* a task for each node, as a gang; false: only the total is given */
    int64_t cpu_milli, mem_mib;   /* per GPU; 0: not given */
    struct synth_durations durations;
    struct synth_fates fates;
    double spearman;              /* of size and run time; ties have mean ranks */
    bool spearman_given;           /* false: the default, or 0 with one size */
    double slowdown;              /* E[slowdown x 1/speed] of running jobs; for the load only */
    int32_t priority;
    bool preemptible;
    bool sweeps;                  /* an arrival of the class may be a sweep */
    struct synth_names gpu_types, models;    /* the names "any" and "none": not given */
};
/* What sessions want of GPUs, drawn for each; the names "any" and "none": not given. */
enum { SESSION_GPU_TYPES, SESSION_MIGS, SESSION_MODELS, SESSION_WANTS };
struct session_wants { struct synth_names of[SESSION_WANTS]; };
/* A group of interactive sessions: its users, and the requests of their sessions. */
struct synth_sessions {
    struct session_spec is;       /* its sizes equal those of asks */
    struct synth_class asks;      /* sizes, CPUs, memory, priority, preemptible and node_gpus */
    struct session_wants wants;
    struct session_wants *kind;   /* [is.n_kinds] no names: those of the group; NULL: of all kinds */
    const char *queue;            /* NULL: the project of each user */
    const char *recorded;         /* the file of session_list, as it is named; NULL: drawn */
    struct session_list *list;
};
struct synth_sweeps { double probability, mean_jobs, within_s; bool same_run_time; };
struct synth_retries { double probability; uint32_t most; double median_s, sigma; };
struct synth_load {
    /* target 0: rate_per_h is given; gpus 0: the cluster's */
    double target, gpus, availability, reserved_gpus;
    bool realised;
};
struct synth_spec {
    const char *name;
    int64_t start_ns;             /* the date of time 0; TIME_NEVER: a Monday */
    uint32_t jobs;                /* 0: all within span_s */
    double span_s;                /* 0: no limit */
    struct synth_load load;
    double rate_per_h;            /* arrivals, a sweep is one; 0: from the load */
    struct arrival_law arrivals;
    double daily[24], weekly[7], growth_per_day;
    struct synth_sweeps sweeps;
    struct synth_retries retries;
    uint32_t users;
    double users_zipf;
    struct synth_names projects;  /* weights: their shares of the jobs */
    struct estimates estimates;
    size_t n_classes;             /* 0: no jobs are drawn */
    struct synth_class *class;
    const char *trace;            /* FILE[:FORMAT] with the jobs; NULL: jobs are drawn */
    struct deployments *services; /* NULL: none. synth_services_add() gives them to the workload */
    struct job_row *replica;      /* [services->n] the request of a replica, without a name */
    size_t n_sessions;
    struct synth_sessions *sessions;
    struct arena *memory;         /* owns all that is pointed to, but the services */
};

/* From a workload file. NULL with err, "file:line:column: ...". Files named in it are relative to
 * its folder. */
struct synth_spec *synth_spec_read(struct input *in, struct error *err);
/* As a workload file that reads back as the same, with every key. */
void synth_spec_write(struct output *o, const struct synth_spec *s);
void synth_spec_free(struct synth_spec *s);                  /* NULL: does nothing */

/* All defaults, without a class. */
struct synth_spec *synth_spec_new(void);
extern const struct synth_class synth_class_default; /* without sizes and a law of run times */

/* a path in that file, relative to its folder; free() it */
char *synth_path_beside(const char *file, const char *path);
/* A law from its mapping: law_read.c. A lognormal law by mean and median is the uncut one. */
struct config_value;
int synth_law_read(struct config_value v, const char *beside, struct arena *memory,
                   struct synth_durations *to, struct error *err);
