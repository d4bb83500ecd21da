/* play.h - a settled plan carried out: simulated, summed up, and written to its directory if it
 * has outputs. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/engine/run.h"
#include "sim/results/notes.h"

struct play_setup {
    const struct plan *plan;      /* outputs 0: nothing is written */
    struct plan *begun;           /* the same, where its trace is still being read (plan.reading); NULL: all is there */
    int argc;                     /* the command line for the manifest */
    char *const *argv;
    /* as in struct run_setup; may be NULL */
    void (*progress)(void *self, const struct sched *s);
    void *progress_self;
};
struct snapshot;
/* NULL: not reached */
struct played {
    struct sched *run;
    struct summary *summary;
    struct snapshot *snapshot;
    struct policy_switch *switches;    /* of the setup of run */
    struct notes notes;                /* made before the results have their names: nothing fails after that */
};

/* An exit status; if it is not EXIT_OK, err has the message and no file is left behind. Signals
 * are handled as in interrupt.h; interrupt_end() has been called on return. played_free() in
 * every case. */
enum { PLAY_MISSED = -1 };        /* in place of a status: plan_read_again(), and once more. Only of a plan that was begun */
int  play(const struct play_setup *setup, struct played *to, struct error *err);
void played_free(struct played *p);

/* Whether the results of a plan may be put into its directory (results_check()). 0, or -1 with
 * err. */
int play_check(const struct play_setup *setup, struct error *err);
/* The results of a plan, to be opened; NULL: it has no outputs. */
struct results *play_results(const struct play_setup *setup);
/* The setup of a run of the plan, without observer and switches. */
struct run_setup play_run_setup(const struct plan *p);
