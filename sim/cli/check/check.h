/* check.h - what there is to say about a trace or a cluster before a run, as JSON; check_text.c makes text of it.
 *
 * Times are seconds, GPU time is hours, quantiles are of type 7 (statistics.h); null where there is no value. What is odd
 * but no error is in "warnings", an array of texts. The caller owns the objects. */
#pragma once
#include "sim/base/error.h"
#include "sim/cluster/cluster.h"
#include "sim/workload/workload.h"

#include <jansson.h>

/* "gap_cv" is the standard deviation of the gaps between arrivals (of all n - 1, by 1/(n - 1)) over their mean: 1 for a
 * Poisson stream. "busiest_hour": the 3600 s with the most arrivals, the earliest such, beginning at one. Exact duplicates
 * are looked for where jobs have no names of their own. */
json_t *check_trace(const struct workload *w);
json_t *check_cluster(const struct cluster *c);

/* Demand against capacity; binds the workload to the cluster. "offered_load" is GPU time asked over GPUs x the span of
 * arrivals. Jobs that can never run: as a run would say at their arrival, with the placer pack. NULL with err: they do not
 * go together. */
json_t *check_demand(struct cluster *c, struct workload *w, struct error *err);

void check_as_text(const json_t *file);      /* on stdout */

/* The parts of a report. */
void    check_rates(const struct cluster *c, const struct workload *w, json_t *report);
json_t *check_real(double value);            /* null if it is none */
void    check_warn(json_t *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
double  check_job_gpus(const struct job_facts *f);                               /* shares as fractions */
int128_t check_job_milli_ns(const struct workload *w, job_id j);                 /* GPU time asked for */

/* check_power.c - nothing without a section `power`, or pools */
void check_put_power(json_t *report, const struct cluster *c);
void check_power_text(const json_t *report, char *to, size_t size);          /* where the report has "power" */
void check_pools_text(const json_t *report, char *to, size_t size);          /* likewise "pools" */

/* check_experiment.c - what it varies and how many points that makes; all that it names is read and looked up. NULL with err. */
json_t *check_experiment(const char *path, struct error *err);
void check_experiment_text(const json_t *report);            /* on stdout */

/* check_storage.c - nothing where checkpoints are free and there is no section `storage` */
void check_put_storage(json_t *report, const struct cluster *c);
void check_checkpoints_text(const json_t *report, char *to, size_t size);    /* where the report has "checkpoints" */
void check_storage_text(const json_t *report, char *to, size_t size);        /* likewise "storage" */
