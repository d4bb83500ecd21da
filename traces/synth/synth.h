/* synth.h - jobs drawn from the laws of a workload file.
 *
 * Job k of a seed does not depend on the number of jobs, the cluster or the policy: each of its
 * properties comes from a stream of its own, named by the property and k. What is drawn is hashed,
 * so that manifests of two runs show whether their jobs are equal. With a load calibrated as
 * realised, all submit times depend on all jobs. */
#pragma once
#include "traces/synth/spec.h"

struct synth_job {
    int64_t submit_ns, duration_ns;
    uint64_t number; /* from 0 in the order of arrivals; a retry has that of the first attempt */
    uint32_t user;
    uint16_t class, size, type, model; /* indexes into the spec; type, model: 0 if none are drawn */
    uint8_t fate, attempt;        /* fate: enum job_fate; attempt: 0, or the number of the retry */
};
struct synth_wish {
    uint64_t seed;
    uint32_t jobs;                /* 0: that of the file */
    double gpus;                  /* of the cluster, if the file has no gpus; 0: unknown */
    size_t resident_bytes;        /* of the list of jobs, as in struct workload */
};
/* Loads are NAN if the GPUs are unknown. */
struct synth_report {
    double rate_per_h;            /* arrivals on the first day, a sweep is one */
    double jobs_per_arrival;      /* with sweeps and retries */
    /* E[GPUs x seconds], and its standard error by quasi-random draws; 0: exact */
    double gpu_s_per_job, relative_error;
    double load_expected, load_realised;
    double gpus;                  /* that the loads are relative to */
    uint64_t drawn;               /* hash of all drawn values */
};
struct synth_jobs { struct synth_job *job; size_t n; struct synth_report report; };

/* By submit time, then number, then attempt. -1 with err: the laws have no such jobs or load. */
int synth_draw(const struct synth_spec *s, const struct synth_wish *wish, struct synth_jobs *to,
               struct error *err);
void synth_jobs_free(struct synth_jobs *j);

/* Draws the jobs and adds them to the workload, which is not finished. file: for messages. */
int synth_generate(const struct synth_spec *s, const struct synth_wish *wish, const char *file,
                   struct workload *w, struct synth_report *report, struct error *err);

/* Of jobs on demand: a stop loses no progress and saves nothing. */
extern const struct own_overhead synth_on_demand_overhead;
/* Gives the services of the file to the workload, each replica a job on demand. seed: of the
 * requests. */
int synth_services_add(struct synth_spec *s, uint64_t seed, const char *file, struct workload *w,
                       struct error *err);
/* Draws the sessions submitted before until_s, and takes those that are recorded: jobs on demand,
 * and what they do (w->sessions). */
int synth_sessions_generate(const struct synth_spec *s, uint64_t seed, double until_s,
                            const char *file, struct workload *w, struct error *err);
/* Of names: "any" or "none". */
bool synth_is_default_name(const char *name);
/* GPUs, tasks, CPUs and memory of the row */
void synth_row_size(struct job_row *row, const struct synth_class *c, int64_t gpu_milli);

/* Whether the class has such laws; -1 with err. */
int synth_class_check(const struct synth_class *c, struct error *err);
/* The law of completed jobs before it is cut, with mean and median solved. -1 with err. */
int synth_class_law(const struct synth_class *c, struct law *to, struct error *err);
/* Projects of shares k^-exponent; name NULL: project1, project2, ... */
void synth_projects_zipf(struct synth_spec *s, size_t n, const char **name, double exponent);
/* [users] the project of each user, the same for every seed. Users in the order of their jobs, most
 * first; each goes to the project that lacks most of its share. free() it. */
uint32_t *synth_project_of(const struct synth_spec *s);

/* ---- built-in workload files: presets.c ---- */
struct synth_preset { const char *name, *summary, *text; };
extern const struct synth_preset synth_presets[];            /* a NULL name ends it */
