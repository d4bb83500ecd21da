/* parallel.h - the parts of an iteration of jobs that train with `parallel: 3d`: parallel.c shows
 * what rates.c has found. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/models/training/parallel_time.h"

struct sched;
/* Of the last placement, alone on its links; NULL: the job goes by another model, or never ran. */
const struct parallel_time *rates_parallel(const struct sched *s, job_id j);
