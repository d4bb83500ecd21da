/* site.h - a Slurm site: its nodes, partitions, switches and scheduling keys, from slurm.conf,
 * gres.conf and topology.conf, or from `scontrol show node|partition -o`.
 *
 * Nodes are numbered in the order of the lines, inside a line in the order of the list; Slurm
 * numbers them the same way. `NodeName=DEFAULT` and `PartitionName=DEFAULT` set values for the
 * lines behind them, each replacing only the keys it names. The nodes of a partition are a set,
 * which may name a NodeSet, by a feature or a list; so partitions may overlap. Memory is MiB, times
 * are seconds.
 *
 * What is not read is not lost: every key that changes nothing here is kept once, with its place,
 * as a remark. Keys and defaults: SchedMD/slurm:doc/man/man5/slurm.conf.5,
 * src/common/read_config.c of 22.05. */
#pragma once
#include "sim/base/intern.h"
#include "sim/contract/site.h"
#include "sim/slurm/conf.h"

#define SITE_NONE      UINT32_MAX
#define SITE_UNLIMITED (-1)

struct site_node {
    const char *name, *type, *features;          /* "": none */
    int64_t cpus, mem_mib, weight, gpus, shards;
    bool down;                    /* DOWN, DRAIN, FAIL, ...: it takes no job */
    bool absent;                  /* FUTURE, CLOUD: it is not there */
    uint32_t leaf;                /* index of its switch; SITE_NONE: on none */
    uint64_t partitions;          /* bit p: it is in partition p, of the first 64 */
};
struct site_partition {
    const char *name, *qos;       /* qos "": none */
    bool is_default, exclusive, down;
    int64_t tier, factor, max_time_s, default_time_s, min_nodes, max_nodes,
        grace_s; /* or SITE_UNLIMITED */
    enum site_preempt preempt;
};
#define SITE_PARTITIONS_MAX 64
struct site_remark { char *text; uint64_t times; };
struct slurm_site {
    struct conf conf;             /* slurm.conf, for its single keys */
    enum site_preempt preempt;    /* its PreemptMode; CLUSTER: it has none */
    struct site_node *node; size_t n_nodes, nodes_capacity;
    struct site_partition partition[SITE_PARTITIONS_MAX]; size_t n_partitions;
    struct intern *names;         /* of nodes: name number n is node n */
    struct intern *switches;      /* names of leaf switches, in the order of topology.conf */
    struct intern *above;         /* names of switches above leaves */
    uint32_t *up; size_t up_capacity;            /* [leaves] the one above it, or SITE_NONE */
    /* [above] the one above it, or SITE_NONE; and its level: leaves are 0, it is 1 more than the
     * highest below it */
    struct site_above { uint32_t up, level; } *over; size_t over_capacity;
    struct site_remark *remark; size_t n_remarks, remarks_capacity;
    bool remarked;                /* what is said now has been said before */
    struct arena *memory;
};

struct slurm_site *site_new(void);
void site_free(struct slurm_site *s);            /* NULL: does nothing */
/* Each 0, or -1 with err. slurm.conf; then, over its nodes, gres.conf and topology.conf. */
int site_read_conf(struct slurm_site *s, const char *path, struct error *err);
int site_read_gres(struct slurm_site *s, const char *path, struct error *err);
int site_read_topology(struct slurm_site *s, const char *path, struct error *err);
/* The switch of that level over a leaf: leaves by number, behind them those above. Where the tree
 * has none of the level there, the next lower one; SITE_NONE above the highest. */
uint32_t site_switch(const struct slurm_site *s, uint32_t leaf, uint32_t level);
/* What scontrol shows: nodes instead of those of slurm.conf; partitions. */
int site_read_nodes(struct slurm_site *s, const char *path, struct error *err);
int site_read_partitions(struct slurm_site *s, const char *path, struct error *err);

uint32_t site_node_find(const struct slurm_site *s, const char *name);       /* SITE_NONE: none */
/* A remark, once; the same text again counts. */
void site_remark(struct slurm_site *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A PreemptMode: a mode, and GANG, WITHIN and PRIORITY beside it ("SUSPEND,GANG"), which are left
 * out, with a remark, as is SUSPEND. These three without a mode are OFF, also of a QOS, and not
 * CLUSTER: Slurm takes their bits off, and nothing is left. false: a word is none
 * (SchedMD/slurm:src/common/slurm_protocol_defs.c, preempt_mode_num;
 * src/plugins/preempt/qos/preempt_qos.c, _job_preempt_mode; PRIORITY is of 24.05). */
#define SITE_PREEMPT_WANT "OFF, REQUEUE, CANCEL, SUSPEND, GANG, WITHIN, PRIORITY or CLUSTER"
bool site_preempt_read(struct slurm_site *s, const char *words, enum site_preempt *to);
/* Global key of slurm.conf as text; NULL: not there. */
const char *site_key(const struct slurm_site *s, const char *key);
