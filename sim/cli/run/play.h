/* play.h - a plan carried out: from its inputs, which are there, to its summary, and to its directory if it has one. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/engine/run.h"

struct play_setup {
    const struct plan *plan;      /* outputs 0: nothing is written */
    int argc;                     /* the command that the manifest tells */
    char *const *argv;
    void (*progress)(void *self, const struct sched *s);      /* as of struct run_setup; may be NULL */
    void *progress_self;
};
struct snapshot;
struct played { struct sched *run; struct summary *summary; struct snapshot *snapshot; };    /* NULL where it did not get that far */

/* An exit status; if not EXIT_OK, err says why, and nothing was left behind. A signal is waited for meanwhile, as interrupt.h
 * has it, and interrupt_end() has been called. played_free() in any case. */
int  play(const struct play_setup *setup, struct played *to, struct error *err);
/* Where its results go; NULL: nowhere. */
struct results *play_results(const struct play_setup *setup);
/* What a run of the plan is made with, but who looks at it, and its switches. */
struct run_setup play_run_setup(const struct plan *p);
void played_free(struct played *p);
