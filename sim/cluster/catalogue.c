/* catalogue.c - GPU models and node types, with where each number comes from.
 *
 * Tags: [V] vendor data sheet; [P] paper or published measurement; [R owner/repo:path] file in a public repository;
 * [D] derived by us from the data named; [A] our assumption, change freely. */
#include "sim/cluster/catalogue.h"

#include <stddef.h>
#include <string.h>

/* Memory, bandwidths, TDP, FLOPS, MIG: [V]. Sheets often print sparse FLOPS (1979 for an H100) and NVLink in both
 * directions together; these are dense and per direction.
 * idle_w: A100 [D: 25th percentile 66 W, floor 55-60 W of DCGM samples in InternLM/AcmeTrace:data/utilization/util_pkl/
 *   gpu_power_{seren,kalos}.pkl]; H200 [P: public benchmark page, secondary]; others [A].
 * kappa: P100 and K80 [D: geometric mean of 21 single-GPU rows of stanford-futuredata/gavel:scheduler/
 *   simulation_throughputs.json]; T4 and 2080Ti [D: 0.21 and 0.51 of an A100, per-sample times of four models in
 *   siasosp23/artifacts]; A100 = 2.0 is the anchor [A]; H100, H200, B200, L4, L40S, A10 [A].
 * price: A100-40 a hyperscaler's, A100-80, H100, H200, B200 specialised clouds' list prices of late 2025 [R
 *   datareceipts/data-receipts:109-gpu-pricing, api-evangelist/akash:plans/plans.yml]; others [A]. An H100 was offered
 *   from 2.69 to 12.29 USD/h, so treat cost as a parameter.
 * A K80 is half a board, its FLOPS are FP32; a 2080Ti has no bridge (50 GB/s). */
/* clang-format off */
const struct gpu_model gpu_catalogue[] = {
    /* name         GiB  mem GB/s NVLink      PCIe  TDP  idle TFLOPS kappa MIG USD/h  source */
    { "K80",           12,  240, 0,   0,     15.75,  150,  25,  4.1, 0.21, 0, 0.30, "[V]; idle, price [A]; kappa [D gavel]" },
    { "P100-SXM2-16",  16,  732, 1,  80,     15.75,  300,  30, 21.2, 0.77, 0, 0.60, "[V]; idle, price [A]; kappa [D gavel]" },
    { "2080Ti-11",     11,  616, 0,   0,     15.75,  250,  15,   54, 1.0,  0, 0.25, "[V]; idle, price [A]; kappa [D sia]" },
    { "V100-SXM2-16",  16,  900, 2, 150,     15.75,  300,  40,  125, 1.0,  0, 0.90, "[V]; idle, price [A]; kappa: the unit" },
    { "V100-SXM2-32",  32,  900, 2, 150,     15.75,  300,  40,  125, 1.0,  0, 0.90, "[V]; idle, price [A]; kappa: the unit" },
    { "T4-16",         16,  320, 0,   0,     15.75,   70,  10,   65, 0.42, 0, 0.40, "[V]; idle, price [A]; kappa [D sia]" },
    { "A10-24",        24,  600, 0,   0,     31.5,   150,  20,  125, 0.9,  0, 0.70, "[V]; idle, kappa, price [A]" },
    { "A100-SXM4-40",  40, 1555, 3, 300,     31.5,   400,  60,  312, 2.0,  7, 2.74, "[V]; idle [D acme]; kappa [A]; price [R list price]" },
    { "A100-SXM4-80",  80, 2039, 3, 300,     31.5,   400,  60,  312, 2.0,  7, 1.79, "[V]; idle [D acme]; kappa [A]; price [R list price]" },
    { "H100-SXM5-80",  80, 3350, 4, 450,     63,     700,  70,  989, 4.0,  7, 2.79, "[V]; idle, kappa [A]; price [R list price]" },
    { "H200-SXM-141", 141, 4800, 4, 450,     63,     700,  80,  989, 4.4,  7, 4.45, "[V]; idle [P]; kappa [A]; price [R list price]" },
    { "B200-SXM-180", 180, 7700, 5, 900,     63,    1000, 140, 2250, 8.0,  7, 5.00, "[V]; idle, kappa [A]; price [R list price]" },
    { "L4-24",         24,  300, 0,   0,     31.5,    72,  12,  121, 0.6,  0, 0.70, "[V]; idle, kappa, price [A]" },
    { "L40S-48",       48,  864, 0,   0,     31.5,   350,  35,  362, 1.5,  0, 1.20, "[V]; idle, kappa, price [A]" },
    { 0 },
};
/* clang-format on */

/* Counts, NICs and most_w of DGX and HGX systems: [V]. CPUs and memory of the T4 and P100 nodes: [R
 * alibaba/clusterdata: cluster-trace-gpu-v2023/csv/openb_node_list_gpu_node.csv]; it has 256 to 512 GiB, the larger is
 * taken, and says only "P100". idle_w: [A], near the 540 W median of CPU-only servers in AcmeTrace's server_power.pkl.
 * A gb200-nvl72 node is one of the 18 trays of a rack, whose 72 GPUs are one island; its GPU is entered as the B200
 * nearest to it. The links of a dgx1-v100 are a cube mesh. */
/* clang-format off */
const struct node_design node_catalogue[] = {
    /* name            GPU model     GPUs island       NUMA CPUs  GiB rack NICs GB/s   idle  most W  source */
    { "pcie-8x2080Ti", "2080Ti-11",     8, 0,              2,  48,  384,  0, 1,  1.25,  350,  3000, "[A]" },
    { "pcie-2xT4",     "T4-16",         2, 0,              2,  96,  512,  0, 1,  3.125, 250,   900, "CPUs, memory [R openb]; else [A]" },
    { "pcie-2xP100",   "P100-SXM2-16",  2, 0,              2,  64,  512,  0, 1,  3.125, 250,   900, "CPUs, memory [R openb]; else [A]" },
    { "dgx1-v100",     "V100-SXM2-16",  8, ISLAND_IS_NODE, 2,  40,  512,  0, 4, 12.5,   500,  3500, "[V]; idle [A]" },
    { "dgx2-v100",     "V100-SXM2-32", 16, ISLAND_IS_NODE, 2,  48, 1500,  0, 8, 12.5,  1000, 10000, "[V]; idle [A]" },
    { "dgx-a100",      "A100-SXM4-40",  8, ISLAND_IS_NODE, 2, 128, 1024,  0, 8, 25,    1000,  6500, "[V]; idle [A]" },
    { "dgx-a100-80",   "A100-SXM4-80",  8, ISLAND_IS_NODE, 2, 128, 2048,  0, 8, 25,    1000,  6500, "[V]; idle [A]" },
    { "hgx-h100",      "H100-SXM5-80",  8, ISLAND_IS_NODE, 2, 112, 2048,  0, 8, 50,    1500, 10200, "[V]; idle [A]" },
    { "hgx-h200",      "H200-SXM-141",  8, ISLAND_IS_NODE, 2, 112, 2048,  0, 8, 50,    1500, 10200, "[V]; idle [A]" },
    { "hgx-b200",      "B200-SXM-180",  8, ISLAND_IS_NODE, 2, 112, 4096,  0, 8, 50,    2000, 14300, "[V]; idle, memory [A]" },
    { "gb200-nvl72",   "B200-SXM-180",  4, 72,             2, 144,  960, 18, 4, 50,     600,  6600, "[V]; idle, most [A]" },
    { "pcie-4xL4",     "L4-24",         4, 0,              2,  64,  512,  0, 1, 12.5,   300,   900, "[A]" },
    { "pcie-8xL40S",   "L40S-48",       8, 0,              2,  64,  512,  0, 1, 12.5,   500,  3800, "[A]" },
    { 0 },
};
/* clang-format on */

const struct gpu_model *gpu_model_find(const char *name)
{
    for (const struct gpu_model *m = gpu_catalogue; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

const struct node_design *node_design_find(const char *name)
{
    for (const struct node_design *d = node_catalogue; d->name; d++)
        if (strcmp(d->name, name) == 0)
            return d;
    return NULL;
}
