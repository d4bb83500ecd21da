/* catalogue.h - what is known about GPU models and node types, so that a cluster file need not repeat it.
 *
 * Defaults, not limits: a cluster may name GPU models that are not here; then nothing is known about them. */
#pragma once
#include <stdint.h>

struct gpu_model {                /* bandwidths are per direction; 0: has none, or does not apply */
    const char *name;
    uint32_t mem_gib;
    double mem_gbps;              /* of its memory, gigabytes a second like all three */
    unsigned nvlink_generation;
    double nvlink_gbps;           /* of all links together */
    double pcie_gbps;             /* x16, raw */
    double tdp_w, idle_w;
    double dense_tflops;          /* FP16 or BF16 without sparsity */
    double kappa;                 /* training speed, a V100 is 1 */
    unsigned mig_slices;          /* compute slices; 0: no MIG */
    double price_usd_per_h;
};

#define ISLAND_IS_NODE UINT32_MAX
struct node_design {
    const char *name;
    const char *gpu_model;
    uint32_t gpus;
    uint32_t island_gpus;         /* 0: no NVLink; ISLAND_IS_NODE: all GPUs of the node, however many those are */
    uint32_t numa_nodes;
    uint32_t cpus, memory_gib;
    uint32_t nodes_per_rack;      /* where the design fixes it; 0: it does not */
    uint32_t nics;
    double nic_gbps;              /* of each, gigabytes a second per direction */
    double idle_w, most_w;        /* idle: without the GPUs */
};

extern const struct gpu_model gpu_catalogue[];        /* ends with a NULL name */
extern const struct node_design node_catalogue[];     /* likewise */
const struct gpu_model *gpu_model_find(const char *name);        /* NULL: not known */
const struct node_design *node_design_find(const char *name);    /* likewise */
