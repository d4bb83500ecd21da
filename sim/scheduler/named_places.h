/* named_places.h - places that the trace names: of jobs that run already (running_on), where jobs
 * ran in the log (recorded_on), and where room is kept for them (promised_on).
 *
 * A name is struct held_at: task i is on[i]; without tasks (SPLIT_ANY) these are the parts of the
 * total. What is not said of the GPUs is any free ones of the node. */
#pragma once
#include "sim/engine/state.h"

/* Each name of the trace is of a node of the cluster, and of GPUs that it has and the job asks for.
 * 0, or -1 with err. */
int named_places_check(const struct cluster *c, const struct workload *w, struct error *err);
/* On what is free in that view; NULL: something of it is not, or they are not all its tasks. Good
 * until the pass ends. */
const struct placement *named_place(struct sched *s, struct view *in, job_id j,
                                    const struct held_at *on, uint32_t n);
