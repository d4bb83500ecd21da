/* rate_rules.c - see rate_rules.h. */
#include "sim/models/network/rate_rules.h"

#include "sim/base/memory.h"
#include "sim/models/training/throughputs.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MICRO 1e-6
/* Without RDMA and peer-to-peer: bytes go through the host's memory and its kernel. [D fit: P100
 * rows on 2, 4, 8 GPUs of stanford-futuredata/gavel:scheduler/simulation_throughputs.json] */
#define TCP_OVERLAP 1.14
#define TCP_PCIE    0.18
#define TCP_NETWORK 0.38
#define PARALLEL_NVLINK 0.75      /* [D: fit of SC'21, table 1] */
enum { DISTANCES = 7 };

static const struct fabric fabric_default = {
    .efficiency = { 0.8, 0.8, 0.8 },
    .numa_factor = 0.7,
    .nic_affinity = NIC_AUTO,
    .leaf_oversubscription = 1,
    .spine_oversubscription = 1,
};

struct rate_rules *rate_rules_new(void)
{
    struct rate_rules *r = mem_new(1, sizeof *r);
    *r = (struct rate_rules){
        .model = RATE_ANALYTIC,
        .unknown = RATE_FACTOR,
        .overlap = 2,
        .tensors_on_island = true,
        .factor = { 1, 1, 0.95, 0.95, 0.85, 0.7, 0.6 },
        .fabric = fabric_default,
    };
    r->fabric.costs = collective_costs_default;
    return r;
}

void rate_rules_free(struct rate_rules *r)
{
    if (!r)
        return;
    throughputs_free(r->table);
    free(r->reference);
    free(r);
}

/* ---- sections of a cluster file ---- */

struct file_progress {
    int model, unknown, monotone, parallel, tp_span;
    double overlap;
    const char *reference, *table, *table_gpu;
    struct config_value factors;
};
struct file_fabric {
    double numa_factor, leaf, spine, base_us;
    int transport, nic_affinity, contention, phases, uplink_share;
    bool rails;
    struct config_value efficiency, ring, tree;
};
/* clang-format off */
#define PROGRESS(field) offsetof(struct file_progress, field)
#define FABRIC(field)   offsetof(struct file_fabric, field)
#define SHARE           .type = CONFIG_REAL, .above_least = true, .most = 1
#define OVERSUBSCRIPTION .type = CONFIG_REAL, .least = 1, .most = 1000000
#define MICROSECONDS    .type = CONFIG_REAL, .most = 1000000
static const char *const unknown_words[] = { "none", "factor", NULL };
static const char *const parallel_words[] = { "none", "3d", NULL };
static const char *const span_words[] = { "island", "any", NULL };
static const char *const monotone_words[] = { "raw", "clamp", NULL };
static const char *const affinity_words[] = { [NIC_AUTO] = "auto", [NIC_RAIL] = "rail", [NIC_SHARED] = "shared", NULL };
enum { TRANSPORT_RDMA, TRANSPORT_TCP };
static const char *const transport_words[] = {
    [TRANSPORT_RDMA] = "rdma", [TRANSPORT_TCP] = "tcp", NULL
};
static const char *const contention_words[] = { "none", "maxmin", NULL };
static const char *const phases_words[] = { "mean", "all", NULL };
static const char *const uplink_words[] = { "worst", "placement", NULL };
static const struct config_key progress_keys[] = {
    { .name = "model",          .type = CONFIG_CHOICE,  .at = PROGRESS(model), .words = rate_model_choice },
    { .name = "unknown",        .type = CONFIG_CHOICE,  .at = PROGRESS(unknown), .words = unknown_words },
    { .name = "overlap",        .type = CONFIG_REAL,    .at = PROGRESS(overlap), .least = 1, .most = 10 },
    { .name = "parallel",       .type = CONFIG_CHOICE,  .at = PROGRESS(parallel), .words = parallel_words },
    { .name = "tp_span",        .type = CONFIG_CHOICE,  .at = PROGRESS(tp_span), .words = span_words },
    { .name = "reference",      .type = CONFIG_TEXT,    .at = PROGRESS(reference) },
    { .name = "table",          .type = CONFIG_TEXT,    .at = PROGRESS(table) },
    { .name = "table_gpu",      .type = CONFIG_TEXT,    .at = PROGRESS(table_gpu) },
    { .name = "table_monotone", .type = CONFIG_CHOICE,  .at = PROGRESS(monotone), .words = monotone_words },
    { .name = "factors",        .type = CONFIG_MAPPING, .at = PROGRESS(factors) },
    { 0 },
};
static const struct config_key fabric_keys[] = {
    { .name = "transport",              .type = CONFIG_CHOICE, .at = FABRIC(transport), .words = transport_words },
    { .name = "efficiency",             .type = CONFIG_ANY, .at = FABRIC(efficiency) },
    { .name = "numa_factor",            SHARE, .at = FABRIC(numa_factor) },
    { .name = "nic_affinity",           .type = CONFIG_CHOICE, .at = FABRIC(nic_affinity), .words = affinity_words },
    { .name = "leaf_oversubscription",  OVERSUBSCRIPTION, .at = FABRIC(leaf) },
    { .name = "spine_oversubscription", OVERSUBSCRIPTION, .at = FABRIC(spine) },
    { .name = "rails",                  .type = CONFIG_FLAG, .at = FABRIC(rails) },
    { .name = "contention",             .type = CONFIG_CHOICE, .at = FABRIC(contention), .words = contention_words },
    { .name = "phases",                 .type = CONFIG_CHOICE, .at = FABRIC(phases), .words = phases_words },
    { .name = "uplink_share",           .type = CONFIG_CHOICE, .at = FABRIC(uplink_share), .words = uplink_words },
    { .name = "base_us",                MICROSECONDS, .at = FABRIC(base_us) },
    { .name = "ring_step_us",           .type = CONFIG_MAPPING, .at = FABRIC(ring) },
    { .name = "tree_step_us",           .type = CONFIG_MAPPING, .at = FABRIC(tree) },
    { 0 },
};
static const struct config_key efficiency_keys[] = {
    { .name = "nvlink",  SHARE, .at = LINK_NVLINK * sizeof(double) },
    { .name = "pcie",    SHARE, .at = LINK_PCIE * sizeof(double) },
    { .name = "network", SHARE, .at = LINK_NETWORK * sizeof(double) },
    { 0 },
};
static const struct config_key step_keys[] = {
    { .name = "nvlink",  MICROSECONDS, .at = LINK_NVLINK * sizeof(double) },
    { .name = "pcie",    MICROSECONDS, .at = LINK_PCIE * sizeof(double) },
    { .name = "network", MICROSECONDS, .at = LINK_NETWORK * sizeof(double) },
    { 0 },
};
#define FACTOR(distance, class) { .name = distance, SHARE, .at = (class) * sizeof(double) }
static const struct config_key factor_keys[] = {     /* as cluster_distance_name calls them */
    FACTOR("gpu", 0), FACTOR("island", 1), FACTOR("numa", 2), FACTOR("node", 3), FACTOR("rack", 4), FACTOR("pod", 5),
    FACTOR("cluster", 6), { 0 },
};
/* clang-format on */

static int read_steps(struct config_value v, double step_s[LINK_CLASSES], struct error *err)
{
    double us[LINK_CLASSES];
    for (unsigned l = 0; l < LINK_CLASSES; l++)
        us[l] = step_s[l] / MICRO;
    if (config_given(v) && config_fields(v, step_keys, us, err))
        return -1;
    for (unsigned l = 0; config_given(v) && l < LINK_CLASSES; l++)
        step_s[l] = us[l] * MICRO;
    return 0;
}

/* A number for all, or a mapping. */
static int read_efficiency(struct config_value fabric, struct config_value v, struct fabric *to,
                           struct error *err)
{
    static const struct config_key share = { SHARE };
    double all = 0;
    if (!config_given(v)) {
        config_absent(fabric, "efficiency", efficiency_keys, to->efficiency);
        return 0;
    }
    if (config_is_mapping(v))
        return config_fields(v, efficiency_keys, to->efficiency, err);
    if (config_scalar(v, &share, &all, err))
        return -1;
    for (unsigned l = 0; l < LINK_CLASSES; l++)
        to->efficiency[l] = all;
    return 0;
}

static int read_fabric(struct config_value v, struct fabric *to, struct error *err)
{
    struct file_fabric f = { .numa_factor = to->numa_factor,
                             .leaf = to->leaf_oversubscription,
                             .spine = to->spine_oversubscription,
                             .base_us = -1,
                             .nic_affinity = (int)to->nic_affinity,
                             .phases = -1 };
    if (config_fields(v, fabric_keys, &f, err) || read_efficiency(v, f.efficiency, to, err) ||
        read_steps(f.ring, to->costs.ring_step_s, err) ||
        read_steps(f.tree, to->costs.tree_step_s, err))
        return -1;
    if (f.phases >= 0 && f.contention != 1)
        return config_error(config_look(v, "phases"), err, "wants 'contention: maxmin' beside it");
    if (f.rails && f.contention == 1)
        return config_error(config_look(v, "rails"), err, "wants 'contention: none' beside it");
    to->rails = f.rails;
    to->numa_factor = f.numa_factor;
    to->nic_affinity = (enum nic_affinity)f.nic_affinity;
    to->leaf_oversubscription = f.leaf;
    to->spine_oversubscription = f.spine;
    to->maxmin = f.contention == 1;
    to->together = f.phases == 1;
    to->own_uplinks = f.uplink_share == 1;
    if (f.base_us >= 0)
        to->costs.base_s = f.base_us * MICRO;
    return 0;
}

static int read_table(struct config_value progress, const struct file_progress *f,
                      const char *folder, struct rate_rules *r, struct error *err)
{
    if (r->model == RATE_TABLE && !f->table)
        return config_error(progress, err,
                            "model 'table' wants a 'table', a file or a folder of throughputs");
    if (!f->table)
        return 0;
    char *path = input_beside(folder, f->table);
    r->table = throughputs_read_any(path, f->table_gpu, err);
    free(path);
    if (r->table && r->monotone)
        throughputs_make_monotone(r->table);
    return r->table ? 0 : -1;
}

static int read_progress(struct config_value v, const char *folder, struct rate_rules *r,
                         struct error *err)
{
    struct file_progress f = {
        .model = (int)r->model, .unknown = 1, .overlap = r->overlap, .tp_span = -1
    };
    if (config_fields(v, progress_keys, &f, err) ||
        (config_given(f.factors) && config_fields(f.factors, factor_keys, r->factor, err)))
        return -1;
    r->model = (enum rate_model)f.model;
    r->unknown = f.unknown ? RATE_FACTOR : RATE_OFF;
    r->overlap = f.overlap;
    r->parallel = f.parallel == 1;
    if (r->parallel)
        r->fabric.efficiency[LINK_NVLINK] = PARALLEL_NVLINK;
    r->tensors_on_island = f.tp_span < 0 ? !r->parallel : f.tp_span == 0;
    r->monotone = f.monotone == 1;
    r->reference = f.reference ? mem_text(f.reference, strlen(f.reference)) : NULL;
    return read_table(v, &f, folder, r, err);
}

/* Defaults of other keys follow from it, in both sections. */
static int read_transport(struct config_value fabric, bool slow_nics, struct rate_rules *r,
                          struct error *err)
{
    static const struct config_key word = { .type = CONFIG_CHOICE, .words = transport_words };
    struct config_value v = config_look(fabric, "transport");
    int transport = slow_nics ? TRANSPORT_TCP : TRANSPORT_RDMA;
    r->fabric.losses_said = config_given(v) || config_given(config_look(fabric, "efficiency"));
    if (config_given(v) && config_scalar(v, &word, &transport, err))
        return -1;
    if (transport == TRANSPORT_TCP && (config_given(v) || !r->fabric.losses_said)) {
        r->fabric.tcp = true;
        r->overlap = TCP_OVERLAP;
        r->fabric.efficiency[LINK_PCIE] = TCP_PCIE;
        r->fabric.efficiency[LINK_NETWORK] = TCP_NETWORK;
    }
    return 0;
}

static int check_rails(struct config_value progress, struct config_value fabric,
                       const struct rate_rules *r, struct error *err)
{
    if (r->fabric.rails && config_given(progress) && !r->parallel)
        return config_error(config_look(fabric, "rails"), err,
                            "wants 'progress: { parallel: 3d }'");
    return 0;
}

struct rate_rules *rate_rules_read(struct config_value progress, struct config_value fabric,
                                   bool slow_nics, const char *folder, struct error *err)
{
    struct rate_rules *r = rate_rules_new();
    r->fabric.said = config_given(fabric);
    if (!config_given(progress))
        r->model = r->unknown = RATE_OFF;
    if (read_transport(fabric, slow_nics, r, err) ||
        (config_given(progress) && read_progress(progress, folder, r, err)) ||
        (config_given(fabric) && read_fabric(fabric, &r->fabric, err)) ||
        check_rails(progress, fabric, r, err)) {
        rate_rules_free(r);
        return NULL;
    }
    return r;
}
