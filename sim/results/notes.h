/* notes.h - notes of a run: what is legal and may yet mislead, said once a run.
 *
 * A note has a stable name, by which tests and scripts find it, and a text of one line. There are
 * two kinds, both rows of one table in notes.c: notes of the inputs follow from the cluster and
 * the workload alone (the defaults that a result rests on), so `check` has them before any run;
 * notes of a run follow from what came of it. A run says all of them on stderr, in its manifest
 * ("notes") and in its report.
 *
 * They stand in the order of the table, each at most once; a text counts, and names the first job
 * or queue, where there may be many. Another note is a row of the table: a name and a function. */
#pragma once
#include "sim/engine/run.h"

struct note { const char *name; char *text; };
struct notes { struct note *note; size_t n, capacity; };     /* {0}: none */

/* The workload is bound (run_bind()), or NULL: notes of the cluster alone. */
void notes_of_inputs(struct notes *to, const struct cluster *c, const struct workload *w);
/* Those of its inputs, and then those of the run, which has ended. */
void notes_of_run(struct notes *to, const struct sched *s);
void notes_free(struct notes *n);
