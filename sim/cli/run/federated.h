/* federated.h - `gpuyard run` of a federation: one plan for each member, all with the same jobs,
 * simulated side by side.
 *
 * Members write to DIRECTORY/NAME, the whole to DIRECTORY. "--set MEMBER.KEY=VALUE" sets a key
 * of a member's cluster. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/results/notes.h"
#include "sim/results/summary.h"
#include "sim/cluster/federation.h"

struct sched;
struct router;
struct federated_member {
    /* those of the whole with the member's cluster, directory, policy and settings */
    struct run_options options;
    struct plan plan;
    char *directory;
    /* [options.set.n] without the member's name; the texts are borrowed */
    const char **set;
};
struct federated_plan {
    const struct run_options *options;    /* borrowed */
    struct plan base;             /* names and texts of the whole; without cluster and workload */
    struct federation *federation;
    struct federated_member *member;    /* [federation->n] */
    unsigned outputs;             /* 0: nothing is written */
    char *settings_yaml;
};
/* Each an exit status; if it is not EXIT_OK, err has the message. federated_plan_free() in every
 * case. The first step does not depend on the jobs; the second reads them and makes the texts. */
int  federated_plan_read(struct federated_plan *p, const struct run_options *o, struct error *err);
int  federated_plan_settle(struct federated_plan *p, struct error *err);
void federated_plan_free(struct federated_plan *p);

struct federated_played {
    size_t n;
    struct sched **run;           /* [n] */
    struct summary **summary, *whole;    /* [n]; of the federation */
    struct notes *notes;          /* [n] as in struct played */
    struct router *router;        /* the runs refer to it */
};
int  federated_play(const struct federated_plan *p, int argc, char *const *argv,
                    struct federated_played *to,
                    struct error *err);    /* as play() */
void federated_played_free(struct federated_played *p);
/* on stdout; warnings and notes of each member on stderr. With --quiet only notes of refused requests. */
void federated_show(const struct federated_plan *p, const struct federated_played *played);
