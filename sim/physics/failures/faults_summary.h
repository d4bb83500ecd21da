/* faults_summary.h - what a run counts of failures, and its metrics. docs/outputs.md tells what each
 * is.
 *
 * A job that a failure stops counts once, by its cause and in the class of its size; the time that
 * jobs of a class ran over their failures is their mean time to failure. Causes that only some laws
 * have (network, host) have a metric where the law has them, or where a job was stopped by them. */
#pragma once
#include "sim/engine/interruption.h"
#include "sim/results/summary_builder.h"

enum { FAULT_SIZES = 6 };         /* classes of jobs by GPUs: at most 1, 8, 64, 512, 4096, more */
struct fault_counts {
    const struct failures *law;
    uint64_t of_nodes, of_leaves, of_links, cordons, given_up;
    uint64_t by[INTERRUPTION_CAUSES];    /* jobs stopped */
    struct { uint64_t n; int128_t ran_ns; } of_size[FAULT_SIZES];    /* failures of jobs, and how long
                                                                        jobs have run */
};
extern const struct metric_kind fault_metrics[];

void fault_counts_ran(struct fault_counts *c, int64_t gpu_milli, int64_t ns);
/* a job of so much was stopped by that cause; true: by a failure */
bool fault_counts_stopped(struct fault_counts *c, int64_t gpu_milli, unsigned cause);
void fault_counts_put(struct summary_builder *b, const struct fault_counts *c);
