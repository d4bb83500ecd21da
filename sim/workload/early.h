/* early.h - the meeting of two threads, of which one runs the first jobs of a trace while the other reads the rows behind them.
 *
 * The reader adds rows to a workload, the `whole`. Once it has EARLY_FIRST jobs, and these are plain, the run may begin, on a
 * workload of its own (begun.h). It asks early_known() before it looks at a job, which waits until that job is there. The reader is at most
 * EARLY_AHEAD jobs ahead: so the run has a processor of its own, and finds jobs in a near cache.
 *
 * The run is one of the whole, or of no use. Where a row says what could not be known when the run began (a name or a request that
 * no row had before, a time before that of the row above, anything that is not plain), where there are fewer or more jobs than were
 * counted, or a row is wrong, it is missed: early_known() says so, the run is thrown away, and made again of the whole.
 *
 * Of the run: early_ready(), early_bound(), early_known() and so on, early_over(), early_left() or early_stop(). Of the reader: early_new(),
 * early_added() behind each row, early_miss(), early_read_all(). */
#pragma once
#include "sim/workload/workload.h"

enum { EARLY_FIRST = 8192, EARLY_AHEAD = 16384, EARLY_BLOCK = 256 };    /* jobs; BLOCK: that are told of at a time */

struct early;
/* Before the first row. jobs: that will be added, more than EARLY_FIRST. `whole` is there until early_free(). */
struct early *early_new(const struct workload *whole, uint32_t jobs);
void early_free(struct early *e);                            /* NULL: does nothing */

/* ---- Of the run ---- */

/* Waits until there are EARLY_FIRST jobs, and from then until early_bound() no further one is added. false: it is missed. */
bool early_ready(struct early *e);
void early_bound(struct early *e);                           /* nothing that both threads look at is written by the run any more */
/* Waits until job j is there, below the number of jobs. The jobs below the answer are; 0: it is missed, now and from now on. */
uint32_t early_known(struct early *e, job_id j);
/* The run will write a table with an element for each job, which stays where it is: the reader makes the memory of elements ahead of
 * it (bulk_ahead()), as it has time. NULL: no more. */
void early_table(struct early *e, const void *table, size_t size);
/* It has ended, however: waits until the reader has, too. false: it was missed. Jobs are where they were until early_left(). */
bool early_over(struct early *e);
void early_left(struct early *e);                            /* it waits for nothing, and looks at nothing that may move */
void early_stop(struct early *e);                            /* it has left, and wants no further row */

/* ---- Of the reader ---- */

enum early_goes { EARLY_GOES_ON, EARLY_MISSED, EARLY_STOPPED };    /* MISSED: no further row has to be told of */
enum early_goes early_block(struct early *e);
/* A row has been added. May wait for the run. */
static inline enum early_goes early_added(struct early *e, uint32_t n_jobs)
{
    return n_jobs % EARLY_BLOCK ? EARLY_GOES_ON : early_block(e);
}
/* It is missed. moves: jobs will not be where they were, so waits until the run has left. */
void early_miss(struct early *e, bool moves);
void early_read_all(struct early *e, bool well);             /* no further row comes; well: none was wrong */
