/* catalogue.c - GPU models and node types, with where each number comes from.
 *
 * Tags: [V] vendor data sheet; [P] paper or published measurement; [R owner/repo:path] file in a
 * public repository; [D] derived from the data named; [A] assumption, change it freely. */
#include "sim/cluster/catalogue.h"

#include "sim/base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Memory, bandwidths, TDP, FLOPS, MIG: [V]. Sheets often print sparse FLOPS (1979 for an H100) and
 * NVLink in both directions together; these are dense and per direction.
 *
 * idle_w: A100 [D: 25th percentile 66 W, floor 55-60 W of DCGM samples in InternLM/AcmeTrace:
 *     data/utilization/util_pkl/gpu_power_{seren,kalos}.pkl]; H200 [P: public benchmark page,
 *     secondary]; others [A].
 * kappa: P100 and K80 [D: geometric mean of 21 single-GPU rows of stanford-futuredata/gavel:
 *     scheduler/simulation_throughputs.json]; T4 and 2080Ti [D: 0.21 and 0.51 of an A100, by
 *     per-sample times of four models in siasosp23/artifacts]; A100 = 2.0 is the anchor [A]; H100,
 *     H200, B200, L4, L40S, A10, RTX [A].
 * price: A100-40 a hyperscaler's, A100-80, H100, H200, B200 specialised clouds' list prices of late
 *     2025 [R datareceipts/data-receipts:109-gpu-pricing, api-evangelist/akash:plans/plans.yml];
 *     others [A]. An H100 was offered from 2.69 to 12.29 USD/h, so treat cost as a parameter.
 *
 * chi: H100 [D one run of the Llama 3 report; of H200, the same chip]; A100 is the unit;
 *     others [A].
 *
 * A K80 is half a board, its FLOPS are FP32; a 2080Ti has no bridge (50 GB/s). */
/* clang-format off */
const struct gpu_model gpu_catalogue[] = {
    /* name         GiB  mem GB/s NVLink      PCIe  TDP  idle TFLOPS kappa MIG USD/h  source, chi */
    { "K80",           12,  240, 0,   0,     15.75,  150,  25,  4.1, 0.21, 0, 0.30, "[V]; idle, price [A]; kappa [D gavel]", .9 },
    { "P100-SXM2-16",  16,  732, 1,  80,     15.75,  300,  30, 21.2, 0.77, 0, 0.60, "[V]; idle, price [A]; kappa [D gavel]", .9 },
    { "2080Ti-11",     11,  616, 0,   0,     15.75,  250,  15,   54, 1.0,  0, 0.25, "[V]; idle, price [A]; kappa [D sia]", .9 },
    { "V100-SXM2-16",  16,  900, 2, 150,     15.75,  300,  40,  125, 1.0,  0, 0.90, "[V]; idle, price [A]; kappa: the unit", .9 },
    { "V100-SXM2-32",  32,  900, 2, 150,     15.75,  300,  40,  125, 1.0,  0, 0.90, "[V]; idle, price [A]; kappa: the unit", .9 },
    { "T4-16",         16,  320, 0,   0,     15.75,   70,  10,   65, 0.42, 0, 0.40, "[V]; idle, price [A]; kappa [D sia]", .9 },
    { "A10-24",        24,  600, 0,   0,     31.5,   150,  20,  125, 0.9,  0, 0.70, "[V]; idle, kappa, price [A]", .9 },
    { "A100-SXM4-40",  40, 1555, 3, 300,     31.5,   400,  60,  312, 2.0,  7, 2.74, "[V]; idle [D acme]; kappa [A]; price [R list price]", 1 },
    { "A100-SXM4-80",  80, 2039, 3, 300,     31.5,   400,  60,  312, 2.0,  7, 1.79, "[V]; idle [D acme]; kappa [A]; price [R list price]", 1 },
    { "H100-SXM5-80",  80, 3350, 4, 450,     63,     700,  70,  989, 4.0,  7, 2.79, "[V]; idle, kappa [A]; price [R list price]", .87 },
    { "H200-SXM-141", 141, 4800, 4, 450,     63,     700,  80,  989, 4.4,  7, 4.45, "[V]; idle [P]; kappa [A]; price [R list price]", .87 },
    { "B200-SXM-180", 180, 7700, 5, 900,     63,    1000, 140, 2250, 8.0,  7, 5.00, "[V]; idle, kappa [A]; price [R list price]", .9 },
    { "L4-24",         24,  300, 0,   0,     31.5,    72,  12,  121, 0.6,  0, 0.70, "[V]; idle, kappa, price [A]", .9 },
    { "L40S-48",       48,  864, 0,   0,     31.5,   350,  35,  362, 1.5,  0, 1.20, "[V]; idle, kappa, price [A]", .9 },
    { "RTX-PRO-6000",  96, 1597, 0,   0,     63,     600,  30, 503.8, 3.0, 0, 1.50, "[V]; idle, kappa, price [A]", .9 },
    { "RTX-4090",      24, 1008, 0,   0,     31.5,   450,  20, 165.2, 1.3, 0, 0.40, "[V]; idle, kappa, price [A]", .9 },
    { 0 },
};
/* clang-format on */

/* Counts, NICs and most_w of DGX and HGX systems: [V]. CPUs and memory of the T4 and P100 nodes: [R
 * alibaba/clusterdata: cluster-trace-gpu-v2023/csv/openb_node_list_gpu_node.csv]; it has 256 to 512
 * GiB, the larger is taken, and says only "P100". idle_w: [A], near the 540 W median of CPU-only
 * servers in AcmeTrace's server_power.pkl. A gb200-nvl72 node is one of the 18 trays of a rack,
 * with one island of 72 GPUs; its GPU is entered as the B200 nearest to it. The links of a
 * dgx1-v100 are a cube mesh. */
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

/* ---- entries that a cluster file adds ---- */

#define ADDED_SOURCE "cluster file"

struct catalogue {
    struct gpu_model **gpu;       /* each at its final address */
    struct node_design **node;
    size_t n_gpus, n_nodes, gpus_room, nodes_room;
    struct arena *memory;
};

struct catalogue *catalogue_new(void)
{
    struct catalogue *c = mem_new(1, sizeof *c);
    c->memory = arena_new();
    return c;
}

void catalogue_free(struct catalogue *c)
{
    if (!c)
        return;
    arena_free(c->memory);
    free(c->gpu);
    free(c->node);
    free(c);
}

const struct gpu_model *catalogue_gpu(const struct catalogue *c, const char *name)
{
    for (size_t i = c ? c->n_gpus : 0; i-- > 0;)
        if (strcmp(c->gpu[i]->name, name) == 0)
            return c->gpu[i];
    return gpu_model_find(name);
}

const struct node_design *catalogue_node(const struct catalogue *c, const char *name)
{
    for (size_t i = c ? c->n_nodes : 0; i-- > 0;)
        if (strcmp(c->node[i]->name, name) == 0)
            return c->node[i];
    return node_design_find(name);
}

const struct node_design *catalogue_node_at(const struct catalogue *c, uint32_t i)
{
    size_t own = c ? c->n_nodes : 0;
    if (i < own)
        return c->node[i];
    const struct node_design *d = node_catalogue;
    for (size_t left = i - own; d->name && left > 0; left--)
        d++;
    return d->name ? d : NULL;
}

/* ---- reading ---- */

struct file_gpu {
    struct gpu_model m;
    const char *like;
};
struct file_node {
    struct node_design d;
    const char *like;
};
/* clang-format off */
#define GPU(field)  offsetof(struct file_gpu, field)
#define NODE(field) offsetof(struct file_node, field)
#define AMOUNT      .type = CONFIG_REAL, .most = 1000000
#define COUNT       .type = CONFIG_COUNT
static const struct config_key gpu_keys[] = {
    { .name = "name",              .type = CONFIG_TEXT, .at = GPU(m.name), .required = true },
    { .name = "like",              .type = CONFIG_TEXT, .at = GPU(like) },
    { .name = "mem_gib",           COUNT,  .at = GPU(m.mem_gib), .least = 1, .most = 1000000 },
    { .name = "mem_gbps",          AMOUNT, .at = GPU(m.mem_gbps) },
    { .name = "nvlink_generation", COUNT,  .at = GPU(m.nvlink_generation), .most = 100 },
    { .name = "nvlink_gbps",       AMOUNT, .at = GPU(m.nvlink_gbps) },
    { .name = "pcie_gbps",         AMOUNT, .at = GPU(m.pcie_gbps) },
    { .name = "tdp_w",             AMOUNT, .at = GPU(m.tdp_w) },
    { .name = "idle_w",            AMOUNT, .at = GPU(m.idle_w) },
    { .name = "dense_tflops",      AMOUNT, .at = GPU(m.dense_tflops) },
    { .name = "kappa",             AMOUNT, .at = GPU(m.kappa), .above_least = true },
    { .name = "chi",               AMOUNT, .at = GPU(m.chi), .above_least = true },
    { .name = "mig_slices",        COUNT,  .at = GPU(m.mig_slices), .most = 64 },
    { .name = "price_usd_per_h",   AMOUNT, .at = GPU(m.price_usd_per_h) },
    { 0 },
};
static const struct config_key node_keys[] = {
    { .name = "name",           .type = CONFIG_TEXT, .at = NODE(d.name), .required = true },
    { .name = "like",           .type = CONFIG_TEXT, .at = NODE(like) },
    { .name = "gpu_model",      .type = CONFIG_TEXT, .at = NODE(d.gpu_model) },
    { .name = "gpus",           COUNT,  .at = NODE(d.gpus), .most = 1000000 },
    { .name = "island_gpus",    COUNT,  .at = NODE(d.island_gpus), .most = 1000000 },
    { .name = "numa_nodes",     COUNT,  .at = NODE(d.numa_nodes), .least = 1, .most = 64 },
    { .name = "cpus",           COUNT,  .at = NODE(d.cpus), .most = 1000000 },
    { .name = "memory_gib",     COUNT,  .at = NODE(d.memory_gib), .most = 1000000 },
    { .name = "nodes_per_rack", COUNT,  .at = NODE(d.nodes_per_rack), .most = 10000000 },
    { .name = "nics",           COUNT,  .at = NODE(d.nics), .most = 1000 },
    { .name = "nic_gbps",       AMOUNT, .at = NODE(d.nic_gbps) },
    { .name = "idle_w",         AMOUNT, .at = NODE(d.idle_w) },
    { .name = "most_w",         AMOUNT, .at = NODE(d.most_w) },
    { 0 },
};
/* clang-format on */

/* The name that an entry starts from: that of `like`, or its own. *asked: it has `like`, which must
 * be known. */
static int starts_from(struct config_value entry, const char **name, struct config_value *asked,
                       struct error *err)
{
    const struct config_key as_text = { .type = CONFIG_TEXT };
    *asked = config_look(entry, "like");
    struct config_value v = config_given(*asked) ? *asked : config_look(entry, "name");
    return config_given(v) ? config_scalar(v, &as_text, name, err) : 0;
}

static const char *keep(struct catalogue *c, const char *text)
{
    return text ? arena_text(c->memory, text, strlen(text)) : NULL;
}

static int read_gpu(struct catalogue *c, struct config_value entry, struct error *err)
{
    struct file_gpu f = { .m = { .kappa = 1 } };
    struct config_value asked;
    const char *name = NULL;
    if (starts_from(entry, &name, &asked, err))
        return -1;
    const struct gpu_model *from = name ? catalogue_gpu(c, name) : NULL;
    if (config_given(asked) && !from)
        return config_error(asked, err, "no GPU model '%s' in the catalogue", name);
    if (from)
        f.m = *from;
    if (config_fields(entry, gpu_keys, &f, err))
        return -1;
    f.m.name = keep(c, f.m.name);
    f.m.source = ADDED_SOURCE;
    mem_grow(&c->gpu, &c->gpus_room, c->n_gpus, sizeof(struct gpu_model *));
    c->gpu[c->n_gpus] = arena_alloc(c->memory, sizeof f.m);
    *c->gpu[c->n_gpus++] = f.m;
    return 0;
}

static int read_node(struct catalogue *c, struct config_value entry, struct error *err)
{
    struct file_node f = { .d = { .numa_nodes = 1 } };
    struct config_value asked;
    const char *name = NULL;
    if (starts_from(entry, &name, &asked, err))
        return -1;
    const struct node_design *from = name ? catalogue_node(c, name) : NULL;
    if (config_given(asked) && !from)
        return config_error(asked, err, "no node type '%s' in the catalogue", name);
    if (from)
        f.d = *from;
    if (config_fields(entry, node_keys, &f, err))
        return -1;
    f.d.name = keep(c, f.d.name);
    f.d.gpu_model = keep(c, f.d.gpu_model);
    f.d.source = ADDED_SOURCE;
    mem_grow(&c->node, &c->nodes_room, c->n_nodes, sizeof(struct node_design *));
    c->node[c->n_nodes] = arena_alloc(c->memory, sizeof f.d);
    *c->node[c->n_nodes++] = f.d;
    return 0;
}

int catalogue_read_gpus(struct catalogue *c, struct config_value list, struct error *err)
{
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_gpu(c, entry, err))
            return -1;
    return 0;
}

int catalogue_read_nodes(struct catalogue *c, struct config_value list, struct error *err)
{
    struct config_walk w = { .of = list };
    for (struct config_value entry; config_next(&w, &entry);)
        if (read_node(c, entry, err))
            return -1;
    return 0;
}
