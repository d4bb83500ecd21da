/* catalogue.h - facts about GPU models and node types, so that a cluster file need not repeat them.
 *
 * Defaults, not limits: a cluster may name other GPU models, which then have no facts. Sections
 * `gpu_models` and `node_types` of a cluster file add to it; an entry starts from the one it is
 * `like`, or from the one of the same name, which it then replaces:
 *
 *     gpu_models:
 *       - { name: A100-SXM4-80, kappa: 2.2 }
 *       - { name: mine, like: H100-SXM5-80, mem_gib: 96 }
 *     node_types:
 *       - { name: small, like: hgx-h100, gpus: 4, nics: 4 } */
#pragma once
#include "sim/io/config.h"

#include <stdint.h>

struct gpu_model {                /* bandwidths are per direction; 0: none, or it does not apply */
    const char *name;
    uint32_t mem_gib;
    double mem_gbps;              /* memory bandwidth; it and the next two in gigabytes a second */
    unsigned nvlink_generation;
    double nvlink_gbps;           /* of all links together */
    double pcie_gbps;             /* x16, raw */
    double tdp_w, idle_w;
    double dense_tflops;          /* FP16 or BF16 without sparsity */
    double kappa;                 /* training speed, a V100 is 1 */
    unsigned mig_slices;          /* compute slices; 0: no MIG */
    double price_usd_per_h;
    const char *source;           /* of the numbers, in short; in full in catalogue.c */
    double chi;                   /* share of its dense FLOPS that training reaches, an A100's is 1; 0:
                                     not known, CHI_UNKNOWN */
};
#define CHI_UNKNOWN 0.9           /* [A] */

#define ISLAND_IS_NODE UINT32_MAX
struct node_design {
    const char *name;
    const char *gpu_model;
    uint32_t gpus;
    uint32_t island_gpus;         /* GPUs of an NVLink island; 0: no NVLink; ISLAND_IS_NODE: all
                                     GPUs of the node */
    uint32_t numa_nodes;
    uint32_t cpus, memory_gib;
    uint32_t nodes_per_rack;      /* if the design fixes it; 0: it does not */
    uint32_t nics;
    double nic_gbps;              /* of each, gigabytes a second per direction */
    double idle_w, most_w;        /* idle: without the GPUs */
    const char *source;
};

extern const struct gpu_model gpu_catalogue[];        /* ends with a NULL name */
extern const struct node_design node_catalogue[];     /* ends with a NULL name */
const struct gpu_model *gpu_model_find(const char *name);        /* NULL: not known */
const struct node_design *node_design_find(const char *name);    /* NULL: not known */

/* The catalogue with the entries that a file adds, which come first. */
struct catalogue;
struct catalogue *catalogue_new(void);
void catalogue_free(struct catalogue *c);                        /* NULL: does nothing */
/* 0, or -1 with err */
int catalogue_read_gpus(struct catalogue *c, struct config_value list, struct error *err);
int catalogue_read_nodes(struct catalogue *c, struct config_value list, struct error *err);
/* NULL: not known */
const struct gpu_model *catalogue_gpu(const struct catalogue *c, const char *name);
const struct node_design *catalogue_node(const struct catalogue *c, const char *name);
/* NULL: no more */
const struct node_design *catalogue_node_at(const struct catalogue *c, uint32_t i);
