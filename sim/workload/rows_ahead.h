/* rows_ahead.h - private to this folder: rows that a second thread adds to a workload while their reader goes on to the rows
 * behind them.
 *
 * The reader puts each row; batches of them are added by the second thread in the order in which they were put, so the workload
 * is the one that the reader alone would make. The thread begins with the first batch that is full; before, and where there is
 * none (second.h), the reader adds a batch itself. Until rows_ahead_end() the reader leaves the workload alone.
 *
 * A row that cannot be a job stops the adding. Its error is given by a later call, before that of any row behind it. */
#pragma once
#include "sim/workload/workload.h"

typedef int add_row(struct workload *w, const struct job_row *row, const char *file, size_t line, struct error *err);
struct rows_ahead;
struct rows_ahead *rows_ahead_begin(struct workload *w, add_row *add);
/* Whether it is plain (row_check.h), and short enough for a batch. Others have to be added after rows_ahead_end(). */
bool rows_ahead_takes(const struct job_row *row);
/* Copies the row with its texts; `file` lasts until the end. 0, or -1 with err: of a row that was put, or of this one. */
int rows_ahead_put(struct rows_ahead *a, const struct job_row *row, const char *file, size_t line, struct error *err);
/* All that were put are added; frees it. 0, or -1 with err. */
int rows_ahead_end(struct rows_ahead *a, struct error *err);
void rows_ahead_abandon(struct rows_ahead *a);               /* no further one is added; frees it. NULL: does nothing */
