/* plan.h - a run that is about to happen: every name looked up, every input read and checked. */
#pragma once
#include "sim/cli/run/choose.h"
#include "sim/results/results.h"
#include "sim/cluster/cluster.h"

struct run_options {
    const char *cluster, *trace, *policy, *placement, *directory, *outputs, *retime, *estimates;    /* NULL: not given */
    int64_t seed, pods, warmup, until_ns, sample_ns, snapshot_ns;    /* snapshot -1: none */
    double load, stream;          /* stream: percent of the GPUs; 0: none */
    bool check, dump_config, quiet, verbose;
    struct option_texts set, switches;
};
extern const struct option run_option_table[];    /* of them; ends with a NULL name */
extern const struct run_options run_defaults;

struct plan_switch {
    int64_t time_ns;
    struct chosen_policy to;
    char *text;                   /* as policy_text */
};
struct plan {
    const struct run_options *options;
    struct chosen_policy policy;
    struct chosen_placer placer;
    char *policy_text, *placer_text;    /* with the parameters that are not at their default */
    struct plan_switch *change;   /* policies that follow, ascending in time */
    size_t n_switches;
    struct chosen_trace trace;    /* format: the one that was used */
    unsigned outputs;
    uint32_t retime_batch;        /* 0: none */
    int64_t retime_every_ns;
    int64_t until_ns;             /* 0: to the end */
    struct estimates estimates;
    int64_t gpus;                 /* that a load of laws may be of; 0: those of the cluster */
    struct cluster *cluster;
    struct workload *workload;
    char cluster_sha256[65], trace_sha256[65];
    struct heard cluster_files, trace_files;         /* with what they name */
    char *directory, *settings_yaml;
};

/* An exit status; if not EXIT_OK, err says why. plan_free() in any case. */
int  plan_make(struct plan *p, const struct run_options *options, struct error *err);

/* What it is made of, for many plans whose inputs are read once: names are looked up, and no file is opened but a plugin; */
int  plan_look_up(struct plan *p, const struct run_options *options, struct error *err);
/* cluster, with --set, and trace are as their files say them (the trace last, for laws ask the cluster for its size); */
int  plan_read_cluster(struct plan *p, struct error *err);
int  plan_read_trace(struct plan *p, struct error *err);
/* both are changed as the other options want it: once; */
int  plan_shape(struct plan *p, struct error *err);
/* whatever follows from all that: texts, and the period of the policy. Of plans that share their inputs, only one at a time. */
void plan_settle(struct plan *p);
void plan_free(struct plan *p);

/* The switches as a run wants them, and all policies of the plan for people. The caller frees both. */
struct policy_switch *plan_switch_list(const struct plan *p);
char *plan_policies_text(const struct plan *p);
