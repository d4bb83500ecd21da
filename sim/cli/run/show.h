/* show.h - a finished run for people: the summary on stdout, warnings on stderr. */
#pragma once
#include "sim/cli/run/plan.h"
#include "sim/engine/run.h"
#include "sim/results/notes.h"
#include "sim/results/summary.h"

struct snapshot;
struct shown {
    const struct plan *plan;
    const struct sched *run;
    const struct summary *summary;
    const struct snapshot *snapshot;    /* NULL: none was taken */
    const struct notes *notes;
};
void show_summary(const struct shown *x);
void show_warnings(const struct shown *x);
/* Notes of a run; quiet: only those that --quiet does not hide. member: NULL, or its name in a federation. */
void show_notes(const struct notes *notes, const char *member, bool quiet);

#define SHOW_NUMBER 40
const char *show_percent(char to[SHOW_NUMBER], double share);    /* "12.3%"; NaN: "-" */
