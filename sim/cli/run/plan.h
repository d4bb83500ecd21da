/* plan.h - everything that a run needs before it begins: names looked up, inputs read and
 * checked.
 *
 * A plan is made in steps, so that a sweep can share inputs between plans:
 *   plan_look_up        names and texts; no file is opened but plugins
 *   plan_read_cluster   the cluster with --set
 *   plan_read_trace     the trace, after the cluster, as a load of laws refers to its GPUs
 *   plan_shape          --pods, --load, --retime, --estimates and --stream applied, once
 *   plan_settle         texts, the default directory and the period of the policy; one plan at a
 *                       time if plans share inputs */
#pragma once
#include "sim/cli/run/choose.h"
#include "sim/results/results.h"
#include "sim/cluster/cluster.h"

struct run_options {
    /* NULL: not given */
    const char *cluster, *trace, *policy, *placement, *directory, *outputs, *retime, *estimates;
    const char *config;
    const char *quantiles;
    const struct quantiles_wanted *also;    /* of a plan's targets, beside them; NULL: none */
    const struct dumped *dumped;  /* the configuration of that name, read (dumped.h) */
    int64_t load_gpus;            /* that a load of laws refers to; 0: the GPUs of the cluster */
    int64_t seed, pods, warmup;   /* pods 0: any split; warmup: jobs that no mean includes */
    int64_t until_ns, sample_ns;  /* 0: to the end; 0: at every change */
    int64_t snapshot_ns;          /* -1: none */
    double load, stream;          /* stream: percent of the GPUs; 0: none */
    double resident_mib;          /* of workload.resident_bytes */
    bool check, dump_config, force, quiet, verbose;
    struct option_texts set, switches;
};
/* fills a struct run_options; ends with a NULL name */
extern const struct option run_option_table[];
extern const struct run_options run_defaults;

struct plan_switch {
    int64_t time_ns;
    struct chosen_policy to;
    char *text;                   /* as policy_text; owned */
};
struct plan {
    const struct run_options *options;    /* borrowed */
    struct chosen_policy policy;
    struct chosen_placer placer;
    char *policy_text, *placer_text;    /* with the parameters that differ from their defaults */
    struct plan_switch *change;   /* [n_switches] policies that take over, ascending in time */
    size_t n_switches;
    struct chosen_trace trace;    /* format: the one that was used, after plan_read_trace() */
    unsigned outputs;             /* bits of enum output_file; 0: nothing is written */
    uint32_t retime_batch;        /* 0: none */
    int64_t retime_every_ns;
    int64_t until_ns;             /* 0: to the end */
    struct estimates estimates;
    struct quantiles_wanted quantiles;
    int64_t gpus;                 /* of the whole federation that its cluster is in; 0: of none */
    struct cluster *cluster;
    struct workload *workload;
    struct trace_reading *reading;    /* of plan_make(): the workload is `begun` (sim/workload/early.h); NULL: all of it is there */
    char cluster_sha256[65], trace_sha256[65];
    struct provenance cluster_files, trace_files;    /* every file that was read for them */
    char *directory, *settings_yaml;
};

/* Each an exit status; if it is not EXIT_OK, err has the message. plan_free() in every case.
 * plan_make() takes all steps. */
int  plan_make(struct plan *p, const struct run_options *options, struct error *err);
int  plan_look_up(struct plan *p, const struct run_options *options, struct error *err);
int  plan_read_cluster(struct plan *p, struct error *err);
int  plan_read_trace(struct plan *p, struct error *err);
int  plan_shape(struct plan *p, struct error *err);
void plan_settle(struct plan *p);
void plan_free(struct plan *p);
/* Where plan.reading is not NULL, and nothing of the workload is looked at meanwhile but by a run that was not missed (early_over()).
 * Waits until the trace is read, whose digest the plan has from then on. */
int  plan_read_on(struct plan *p, struct error *err);
int  plan_read_again(struct plan *p, struct error *err);     /* then: the workload is the whole from now on */

/* The switches for struct run_setup, and all policies of the plan for people. The caller frees
 * both. */
struct policy_switch *plan_switch_list(const struct plan *p);
char *plan_policies_text(const struct plan *p);
