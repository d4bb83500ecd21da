/* fragments.h - how much of a node's free GPU is a fragment: of no use to a job as jobs typically
 * are.
 *
 * F_n(m), of what is free on node n for a typical task m: all of it if the task cannot run there
 * (asks for no GPU, may not use the node, too little CPU, too few GPUs with the share it wants),
 * else the GPUs with less left than it wants of one. F_n = sum of F_n(m) weighed by how many jobs
 * ask for m (USENIX ATC'23, Weng et al., section 4; as
 * hkust-adsl/kubernetes-scheduler-simulator:pkg/utils/frag.go has it). A total without tasks asks a
 * node for as many whole GPUs, or for all of them if it has fewer. Memory plays no part. */
#pragma once
#include "sim/contract/placement.h"

struct free_gpus {                /* of a node */
    int64_t cpu_milli;
    uint32_t whole, n_shared;
    uint32_t shared[64];          /* what is left of each partly taken GPU, by number */
};
struct free_gpus free_gpus_of(const struct view *v, node_id n);

struct fragments;                 /* the typical tasks, prepared for every kind of node */
const struct fragments *fragments_new(const struct view *v);                 /* with view_alloc() */
/* F_n in milli-GPUs, times the number of jobs that the typical tasks stand for: exact. */
int64_t fragments_in(const struct fragments *f, uint32_t kind, const struct free_gpus *g);
int64_t fragments_jobs(const struct fragments *f);                           /* that number */
