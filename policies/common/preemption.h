/* preemption.h - what queueing.c asks of preemption.c: room for a waiting job at the cost of running
 * ones (running.h). The model is told in queueing.h. */
#pragma once
#include "policies/common/queueing.h"

/* Starts j with this key in the room of running jobs behind it. false: nothing has changed. */
bool preempt_by_order(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                      struct line_key key);
/* Tries that were known to fail have not been made, though they would have stopped and kept running
 * jobs: they are made before anything changes, so that jobs are touched, and their decisions
 * logged, in the order of the tries. */
void preempt_catch_up(struct sched *s, struct queueing_state *o);
/* GPUs that j lacks, at least, even when those that leave have gone; 0 if none, or if it wants shares:
 * one may be free where no whole GPU is. */
int64_t preempt_lacks_milli(struct sched *s, job_id j);
