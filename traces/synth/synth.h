/* synth.h - jobs drawn from the laws of a workload file.
 *
 * Job k of a seed is the same however many are drawn, on whatever cluster, under whatever policy: each of its properties
 * comes from a stream of its own, named by the property and k. What is drawn is hashed, so that two runs can show that they
 * met the same. With load calibrated as realised the times of all jobs depend on all. */
#pragma once
#include "traces/synth/spec.h"

struct synth_job {
    int64_t submit_ns, duration_ns;
    uint64_t number;              /* of the jobs that arrive, from 0; retries have that of the first attempt */
    uint32_t user;
    uint16_t class, size, type, model;    /* indexes into the spec; type, model: 0 where there are none */
    uint8_t fate, attempt;        /* attempt: 0, or the number of the retry */
};
struct synth_wish {
    uint64_t seed;
    uint32_t jobs;                /* 0: as the file says */
    double gpus;                  /* of the cluster, where the file names no gpus; 0: unknown */
};
/* What came of it. Loads are NAN where GPUs are not known. */
struct synth_report {
    double rate_per_h;            /* arrivals on the first day, a sweep being one */
    double jobs_per_arrival;      /* sweeps and retries */
    double gpu_s_per_job, relative_error;    /* E[GPUs x seconds], and its standard error by quasi-random draws; 0: exact */
    double load_expected, load_realised;
    double gpus;                  /* that the loads are of */
    uint64_t drawn;               /* hash of all drawn values */
};
struct synth_jobs { struct synth_job *job; size_t n; struct synth_report report; };

/* By submit time, then number, then attempt. -1 with err: no jobs or load can be made of this. */
int  synth_draw(const struct synth_spec *s, const struct synth_wish *wish, struct synth_jobs *to, struct error *err);
void synth_jobs_free(struct synth_jobs *j);

/* Both steps: draws and adds to the workload, which is not finished. `file` is named in messages. */
int synth_generate(const struct synth_spec *s, const struct synth_wish *wish, const char *file, struct workload *w,
                   struct synth_report *report, struct error *err);

/* Of jobs on demand: what they have done is not lost when they are stopped, and they save nothing. */
extern const struct own_overhead synth_on_demand_overhead;
/* The services of the file, if it has any, become the workload's, each of their replicas a job on demand. seed: of the requests. */
int synth_services_add(struct synth_spec *s, uint64_t seed, const char *file, struct workload *w, struct error *err);
/* Its sessions, as jobs on demand and as what they would do (w->sessions): those that come before until_s. */
int synth_sessions_generate(const struct synth_spec *s, uint64_t seed, double until_s, const char *file, struct workload *w, struct error *err);
void synth_row_size(struct job_row *row, const struct synth_class *c, int64_t gpu_milli);    /* so many GPUs, and what goes with them */

/* Whether there are laws as the class wants them; err says why not. */
int synth_class_check(const struct synth_class *c, struct error *err);
/* The law of the jobs that complete, before it is cut, where mean and median are to be solved for. -1 with err. */
int synth_class_law(const struct synth_class *c, struct law *to, struct error *err);
/* Projects of shares k^-exponent; name NULL: project1, project2, ... */
void synth_projects_zipf(struct synth_spec *s, size_t n, const char **name, double exponent);
/* [users] the project of each: user 1, who has the most jobs, first; each goes to the project that lacks most of its share. */
uint32_t *synth_project_of(const struct synth_spec *s);

/* ---- A workload file that is there already: presets.c ---- */
struct synth_preset { const char *name, *summary, *text; };
extern const struct synth_preset synth_presets[];            /* ends with a NULL name */
