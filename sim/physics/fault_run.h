/* fault_run.h - private to the model of failures: faults.c (what happens when) and fault_results.c (what came of it). */
#pragma once
#include "sim/engine/state.h"
#include "sim/physics/physics.h"
#include "sim/engine/interruption.h"

enum source { OF_NODE, OF_LEAF, GIVEN, PLANNED, CORDON, OF_JOB, SOURCES };
enum { FAULT_SIZES = 6 };         /* of jobs, in GPUs: 1, 8, 64, 512, 4096 at most, more */

struct process { struct fault_stream stream; struct fault next; };    /* next: what happens or is being repaired */
struct fault_run {
    const struct failures *law;
    uint32_t first[SOURCES + 1];  /* number of the first of each source */
    struct process *node, *leaf;
    domain_id *rack;              /* [leaves] */
    bool *draining;               /* [planned] its nodes take nothing new, and maintenance has not begun */
    int64_t *planned_ns;          /* [planned] when it begins */
    int64_t *recent_ns;           /* [nodes x cordon_faults] the last faults of each, in turn */
    bool *cordoned;               /* [nodes] */
    uint32_t *node_faults;        /* [nodes] */
    uint32_t *job_faults;         /* [jobs] */
    uint64_t of_nodes, of_leaves, cordons, given_up;
    struct { uint64_t n; } by[INTERRUPTION_CAUSES];    /* jobs stopped */
    struct { uint64_t n; int128_t ran_ns; } of_size[FAULT_SIZES];     /* failures of jobs, and how long jobs have run */
};


/* fault_results.c */
void faults_stopped(struct sched *s, const struct live *l, unsigned cause);    /* counted; it still counts as running */
void faults_ran(struct fault_run *r, int64_t gpu_milli, int64_t ns);      /* a job ran for so long at that size */
extern const char *const fault_node_columns[], *const fault_job_columns[];
extern const struct metric_kind fault_metrics[];
void fault_node_row(struct output *o, const struct sched *s, node_id n);
void fault_job_row(struct output *o, const struct sched *s, job_id j);
void fault_summarise(struct summary_builder *k);
int  fault_check(struct sched *s, struct error *err);
