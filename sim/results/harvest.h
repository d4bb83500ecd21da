/* harvest.h - what is gathered of each job once it is final: its row of jobs.csv, and its part of the summary.
 *
 * A second thread gathers while the run goes on, in blocks of jobs, in the order of jobs (sim/base/blocks.h). What models append to
 * rows may change until the run ends: where one does, all is gathered after the run, by two threads. */
#pragma once
#include "sim/engine/run.h"
#include "sim/io/output.h"

enum { HARVEST_BLOCK = 1024 };    /* jobs; their rows make 200 KB, which stay in a near cache until they are handed on */

struct harvest;
struct tally_walk;
/* Before the run, or after it. rows: jobs.csv, which nobody else writes until the end; NULL: no rows. */
struct harvest *harvest_begin(const struct sched *s, struct output *rows);
void harvest_final(struct harvest *h, job_id end);           /* jobs below `end` are final: run_observer.final */
void harvest_run_ended(struct harvest *h);                   /* all are: from now on the run is only read */
/* After that: all is gathered. Frees h, and gives the tallies to the caller: tally_walk_free(). */
struct tally_walk *harvest_end(struct harvest *h);
void harvest_abandon(struct harvest *h);                     /* nobody wants it, also while the run goes on; frees h */
