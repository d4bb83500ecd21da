/* pods.h - totals of GPUs as gangs of pods: 20 GPUs as pods of 8 are two of 8 and one of 4, and 5 are one of 5.
 *
 * Of all jobs of a workload (workload_make_pods()), or of each as it is added, for a run that begins while the trace is read
 * (begun.h). Requests get the same numbers both ways: in the order in which those that were asked for are seen first. */
#pragma once
#include "sim/workload/shapes.h"

struct pods;
struct pods *pods_new(uint32_t gpus);
void pods_free(struct pods *p);                              /* NULL: does nothing */
/* Requests of which jobs follow, [n] by number: all those before, and more behind them. A request has a higher number than its
 * next. */
void pods_see(struct pods *p, const struct shape *shape, uint32_t n);
/* Job j asks for a request that was seen: from now on it asks for pods, one of pods_shapes(). */
void pods_of_job(const struct pods *p, struct workload *w, job_id j);
struct shapes *pods_shapes(const struct pods *p);
