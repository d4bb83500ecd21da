/* row_check.h - whether a row can be a job, before anything of it is taken in. */
#pragma once
#include "sim/workload/sizes.h"

/* Several shares without tasks are a task each. */
static inline bool row_shares_several(const struct job_row *row)
{
    return !row->tasks && row->gpus > 1 && (row->gpu_milli < MILLI_ALL || row->share_mem_mib);
}
static inline uint32_t row_tasks(const struct job_row *row)
{
    return row->tasks ? row->tasks : row_shares_several(row) ? row->gpus : 1;
}
/* It has the defaults in all that few rows say (struct job_row). Bytes between members are as they were copied; where they are
 * not, the row counts as one that says more, to the same effect. */
bool row_is_plain(const struct job_row *row);
/* Fills sizes. plain: row_is_plain(). 0, or -1 with err: FILE:LINE and what is wrong. */
int row_check(const struct workload *w, const struct job_row *row, bool plain, const char *file, size_t line, struct job_sizes *sizes,
              struct error *err);
