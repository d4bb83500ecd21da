/* experiment.h - an experiment file: the axes of a study, and which of their combinations it leaves out.
 *
 *   name: quotas                                          # by default the name of the file
 *   clusters: [ big.yaml, { name: half, file: small.yaml } ]
 *   traces: [ week.csv.zst:helios-sim, workload.yaml ]
 *   policies: [ fifo, { name: deep, policy: "easy:depth=4" } ]      # by default fifo
 *   placements: [ pack, rack ]                            # by default pack
 *   parameters:
 *     load: [ 0.5, 0.8, 1.1 ]                             # an option of `gpuyard run`
 *     cluster.preemption.checkpoint: [ none, periodic ]   # what --set can set
 *     cluster.nodes.a100.count: 8..64:8                   # whole numbers, here in steps of 8
 *     policy.blocking: [ strict, skip ]                   # of those policies that have it
 *     switch-policy: [ none, "3600:quota", "3600:sjf 7200:fifo" ]    # what takes over when; the common past is run once
 *   seeds: 1..20                                          # by default 1
 *   exclude: [ { policy: fifo, load: [ 0.8, 1.1 ] } ]     # whatever agrees with all of an entry
 *   limit_s: 600                                          # wall time of a run; by default none
 *
 * One value may stand where a list of them may. Paths are beside the file. A federation is a cluster, too; what of it can be set begins
 * with the name of a member (cluster.home.nodes.a100.count), or is a key of its file (cluster.limit_s). */
#pragma once
#include "sim/io/config.h"

/* From what varies slowest to what varies fastest: runs that share their inputs are neighbours, and more seeds are more points
 * at the end. */
enum axis_kind {
    AXIS_SEED, AXIS_TRACE, AXIS_CLUSTER, AXIS_SETTING, AXIS_OPTION, AXIS_POLICY, AXIS_POLICY_PARAMETER, AXIS_PLACEMENT,
    AXIS_PLACEMENT_PARAMETER,
    AXIS_BRANCH                   /* switch-policy: one past, several futures */
};
struct axis_value {
    const char *text;             /* as it stands there; of a path: beside the experiment */
    const char *label;            /* how results call it; unlike all others of the axis */
    struct config_value place;    /* for complaints */
};
struct axis {
    enum axis_kind kind;
    const char *name;             /* "seed", "trace", "cluster", "policy", "placement", or as among the parameters */
    const char *key;              /* of a parameter without "cluster.", "policy.", "placement." */
    bool listed;                  /* given as a list: its values are part of the names of points */
    size_t n;
    struct axis_value *value;
    bool *idle;                   /* of a parameter of policies or placers, [their number]: it has none of that name. NULL: all do */
    struct config_value place;
};
struct exclusion { bool **holds; };   /* [n_axes], then [n] of that axis: values that agree; NULL: all do */
struct experiment {
    const char *name;
    char sha256[65];              /* of the file */
    int64_t limit_ns;             /* 0: none */
    size_t n_axes;
    struct axis *axis;            /* by kind; parameters of a kind in the order of the file */
    size_t n_exclusions;
    struct exclusion *exclusion;
    struct config *config;
    struct arena *memory;
};

/* NULL with err. What the values mean is not looked at: whoever knows policies and options goes through the axes, sets `idle`
 * and complains at the places. */
struct experiment *experiment_read(const char *path, struct error *err);
struct experiment *experiment_from(struct input *in, const char *path, struct error *err);    /* the same of an input that is open */
void experiment_free(struct experiment *e);                   /* NULL: does nothing */
bool experiment_recognise(const char *head, size_t length);   /* the first bytes of a file: is it perhaps one? */
const struct axis *experiment_axis(const struct experiment *e, enum axis_kind kind);   /* the first of that kind; NULL: none */
