/* rate_rules.h - how the progress rate of a job depends on its placement: sections `fabric` and
 * `progress` of a cluster file.
 *
 *     fabric:   { leaf_oversubscription: 4, nic_affinity: rail, contention: maxmin }
 *     progress: { model: analytic, unknown: factor, overlap: 2, reference: V100-SXM2-16 }
 *     progress: { model: table, table: simulation_throughputs.json, table_monotone: clamp }
 *
 * Without `progress` all jobs run at the rate of the trace, and `fabric` has no effect. models.md
 * 1.4, 2; each default is one of its values, tags as in catalogue.c. */
#pragma once
#include "sim/io/config.h"
#include "sim/models/network/collectives.h"
#include "sim/models/training/training_models.h"

struct throughputs;

enum nic_affinity {
    NIC_AUTO,                     /* rail on nodes with a NIC for each GPU, else shared */
    NIC_RAIL,  /* a GPU sends over a NIC of its own: as many are used as the job has GPUs there */
    NIC_SHARED,                   /* all NICs of the node are used */
};
struct fabric {
    bool said;                    /* the file has the section */
    struct collective_costs costs;
    double efficiency[LINK_CLASSES];    /* share of the nominal bandwidth after losses: 0.8 [A]; of
                                     NVLink with `parallel` 0.75 [D: fit of SC'21] */
    bool losses_said;             /* the file says the transport or the efficiency */
    bool tcp;                     /* transport tcp, said or by the NICs */
    double numa_factor;           /* of PCIe bandwidth between NUMA nodes: 0.7 [A] */
    enum nic_affinity nic_affinity;
    double leaf_oversubscription; /* of a rack's uplink against the NICs of its nodes: 1 [A:
                                     InfiniBand, RoCE; Ethernet has 4] */
    double spine_oversubscription;    /* of a pod's uplink against those of its racks: 1 [A; 7 in P:
                                         Llama 3 report] */
    bool rails;   /* NIC i of each node is on switch i of its pod: sim/capacity/rank_layout.h */
    bool maxmin;  /* jobs share common links fairly; false: each gets C / oversubscription alone */
    bool together;  /* with maxmin: all send at all times; false: in a part of it (phases.h) */
    bool own_uplinks;    /* without: C / oversubscription is divided among the nodes of the job
                            that are there; false: as if all nodes sent */
};

struct rate_rules {
    enum rate_model model;        /* of jobs with a known training model: analytic */
    enum rate_model unknown;      /* of the others, factor or none: factor */
    double overlap;               /* 2 [D: median of the fits of 3.6, which spread from 1 to 3.3] */
    double factor[7];             /* by distance class: 1 1 .95 .95 .85 .7 .6 [A] */
    char *reference;              /* GPU model that the durations of the trace are of; NULL: that of
                                     the largest group */
    struct throughputs *table;
    bool parallel;  /* models that say how go by parallel_time.h in place of analytic */
    bool tensors_on_island;       /* a tensor-parallel group waits for an island */
    bool monotone;  /* the table is made so that nearer and more GPUs are never slower */
    struct fabric fabric;
};
/* NULL with err. `progress` absent: the model is off. slow_nics: all nodes have NICs of at most
 * SLOW_NIC_GBPS, so the transport is TCP unless the file says it, or the efficiency. `folder`: that
 * of the file, for the path of the table. */
#define SLOW_NIC_GBPS 3.125       /* 25 Gbit/s: Ethernet of machines without GPUDirect */
struct rate_rules *rate_rules_read(struct config_value progress, struct config_value fabric,
                                   bool slow_nics, const char *folder, struct error *err);
struct rate_rules *rate_rules_new(void);                     /* all defaults, model analytic */
void rate_rules_free(struct rate_rules *r);                  /* NULL: does nothing */
