/* parallel.h - what rates.c has found of the iterations of a job, such as their parts with
 * `parallel: 3d`. */
#pragma once
#include "sim/contract/placement.h"
#include "sim/models/training/parallel_time.h"

struct sched;
struct traffic;
struct placement_rates;
/* Iterations of its last placement are in seconds, as its model has them. */
bool rates_in_seconds(const struct sched *s, job_id j);
/* Where placements decide rates: by what, and the traffic on links, NULL if they are not shared. */
struct placement_rates *rates_by_placement(const struct sched *s);
struct traffic *rates_traffic(const struct sched *s);
/* Of the last placement, alone on its links; NULL: the job goes by another model, or never ran. */
const struct parallel_time *rates_parallel(const struct sched *s, job_id j);
