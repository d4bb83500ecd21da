/* check.h - what `gpuyard check` reports of a trace or a cluster before any run, as JSON;
 * check_text.c makes text of it.
 *
 * Times are seconds, GPU time is hours, quantiles are of type 7 (statistics.h); a missing value
 * is null. "warnings" is an array of texts: what is odd but no error. The caller owns the
 * objects.
 *
 * check_trace.c    arrivals, sizes, classes and oddities of a trace check_cluster.c  nodes, GPU
 * types, MIG, checkpoints, storage, power, pools and failures of a cluster check_demand.c   what
 * a trace asks of a cluster: offered load, queues, jobs that can never run cmd_check.c
 * recognises each file and reports it; experiments and federations are reported there */
#pragma once
#include "sim/base/error.h"
#include "sim/cluster/cluster.h"
#include "sim/workload/workload.h"

#include <jansson.h>

/* "gap_cv" is the standard deviation of the gaps between arrivals (n - 1 gaps, divisor n - 1)
 * over their mean: 1 for a Poisson stream. "busiest_hour": the 3600 s with the most arrivals
 * that begin at an arrival; the earliest of equals. Exact duplicates are counted only if the
 * trace has no job names of its own. */
json_t *check_trace(const struct workload *w);

/* Has "checkpoints" only if checkpoints take time, "storage" only with a section `storage` or
 * such checkpoints, "power", "pools", "failures" and "mig" only if the cluster has them. */
json_t *check_cluster(const struct cluster *c);

/* Demand against capacity; binds the workload to the cluster. "offered_load" is the GPU time of
 * all jobs over GPUs x the span of arrivals. "never": jobs that a run would reject at their
 * arrival, with the placer pack, and jobs above the limit of a queue. "progress": null if the
 * cluster has no such section. NULL with err: the workload does not fit the cluster. */
json_t *check_demand(struct cluster *c, struct workload *w, struct error *err);

void check_as_text(const json_t *file);      /* on stdout */

/* Parts of a report. */
json_t  *check_name(const char *text);       /* "?" if it is no UTF-8 */
json_t  *check_real(double value);           /* null if it is not finite */
void     check_warn(json_t *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The notes of the inputs (sim/results/notes.h) as warnings. w as there. */
void     check_notes(json_t *report, const struct cluster *c, const struct workload *w);
/* shares of GPUs as fractions */
double   check_job_gpus(const struct job_facts *f);
/* GPU time, in thousandths of a GPU x ns */
int128_t check_job_milli_ns(const struct workload *w, job_id j);
