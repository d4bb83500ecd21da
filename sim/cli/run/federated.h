/* federated.h - `gpuyard run` where the cluster file is a federation: a plan for each member, played side by side. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/results/summary.h"
#include "sim/cluster/federation.h"

struct sched;
struct federated_member { struct run_options options; struct plan plan; char *directory; const char **set; };
struct federated_plan {
    const struct run_options *options;
    struct plan base;             /* names looked up, and texts; it has no cluster and no workload */
    struct federation *federation;
    struct federated_member *member;    /* [federation->n] */
    unsigned outputs;             /* 0: nothing is written */
    char *settings_yaml;
};
/* An exit status each; if not EXIT_OK, err says why. federated_plan_free() in any case. First what does not depend on the jobs, then
 * them and the texts. */
int  federated_plan_read(struct federated_plan *p, const struct run_options *o, struct error *err);
int  federated_plan_settle(struct federated_plan *p, struct error *err);
void federated_plan_free(struct federated_plan *p);
int64_t federated_gpus(const struct federated_plan *p);

/* As play(): members in DIRECTORY/NAME, the whole in DIRECTORY. */
struct router;
struct federated_played { size_t n; struct sched **run; struct summary **summary, *whole; struct router *router; };
int  federated_play(const struct federated_plan *p, int argc, char *const *argv, struct federated_played *to, struct error *err);
void federated_played_free(struct federated_played *p);
void federated_show(const struct federated_plan *p, const struct federated_played *played);    /* on stdout */
