/* experiment.h - an experiment file: the axes of a study, and the combinations that are
 * excluded.
 *
 *   name: quotas                                          # default: the name of the file
 *   clusters: [ big.yaml, { name: half, file: small.yaml } ]
 *   traces: [ week.csv.zst:helios-sim, workload.yaml ]
 *   policies: [ fifo, { name: deep, policy: "easy:depth=4" } ]      # default: fifo
 *   placements: [ pack, rack ]                            # default: pack
 *   parameters:
 *     load: [ 0.5, 0.8, 1.1 ]                             # an option of `gpuyard run`
 *     cluster.preemption.checkpoint: [ none, periodic ]   # a key of --set
 *     cluster.nodes.a100.count: 8..64:8                   # whole numbers, here in steps of 8
 *     policy.blocking: [ strict, skip ]                   # of policies that have it
 *     switch-policy: [ none, "3600:quota", "3600:sjf 7200:fifo" ]    # the past is simulated once
 *   seeds: 1..20                                          # default: 1
 *   exclude: [ { policy: fifo, load: [ 0.8, 1.1 ] } ]     # what matches all keys of an entry
 *   limit_s: 600                                          # wall time of a run; default: none
 *
 * A single value may replace a list. Paths are relative to the file. A cluster may be a
 * federation: its settings begin with the name of a member (cluster.home.nodes.a100.count) or
 * are keys of its file (cluster.limit_s). */
#pragma once
#include "sim/io/config.h"

/* From the slowest to the fastest axis: runs that share inputs are neighbours, and more seeds
 * append points. */
enum axis_kind {
    AXIS_SEED, AXIS_TRACE, AXIS_CLUSTER, AXIS_SETTING, AXIS_OPTION, AXIS_POLICY,
    AXIS_POLICY_PARAMETER, AXIS_PLACEMENT,
    AXIS_PLACEMENT_PARAMETER,
    AXIS_BRANCH                   /* switch-policy: one past, several futures */
};
struct axis_value {
    /* as given; a path is resolved against the folder of the experiment */
    const char *text;
    const char *label;            /* its name in results; unique on the axis */
    struct config_value place;    /* for messages */
};
struct axis {
    enum axis_kind kind;
    /* "seed", "trace", "cluster", "policy", "placement", or the key of the parameter */
    const char *name;
    /* of a parameter, without "cluster.", "policy.", "placement."; NULL: no parameter */
    const char *key;
    bool listed;                  /* given as a list: its values are part of the names of points */
    size_t n;
    struct axis_value *value;
    /* [values of the policy or placement axis] it has no such parameter; NULL: all have */
    bool *idle;
    struct config_value place;
};
/* [n_axes], each NULL (any value) or [n of the axis] values that match */
struct exclusion { bool **holds; };
struct experiment {
    const char *name;
    char sha256[65];              /* of the file */
    int64_t limit_ns;             /* 0: none */
    size_t n_axes;
    struct axis *axis;            /* by kind; parameters of one kind in the order of the file */
    size_t n_exclusions;
    struct exclusion *exclusion;
    struct config *config;
    struct arena *memory;
};

/* NULL with err. Values are not checked here: the caller knows policies and options, checks the
 * values, sets `idle`, and reports errors at the places. experiment_from() reads an open input. */
struct experiment *experiment_read(const char *path, struct error *err);
struct experiment *experiment_from(struct input *in, const char *path, struct error *err);
void experiment_free(struct experiment *e);                   /* NULL: does nothing */
/* whether the first bytes of a file look like an experiment */
bool experiment_recognise(const char *head, size_t length);
/* the first of that kind; NULL: none */
const struct axis *experiment_axis(const struct experiment *e, enum axis_kind kind);
