/* preemption.h - what queueing.c asks of preemption.c: the running jobs that may be preempted, and
 * room for a waiting job at their cost. The model is told in queueing.h. */
#pragma once
#include "policies/common/queueing.h"

/* Joins, or gets a new key. */
void running_push(struct sched *s, struct running *r, job_id j, struct line_key k);
void running_remove(struct sched *s, struct running *r, job_id j);
size_t running_count(const struct running *r);
/* Writes them to **to and moves it behind them. */
void running_list(const struct running *r, job_id **to);
/* Starts j with this key in the room of running jobs behind it. false: nothing has changed. */
bool preempt_by_order(struct sched *s, struct queueing_state *o, struct running *r, job_id j,
                      struct line_key key);
/* Tries that were known to fail have not been made, though they would have stopped and kept running
 * jobs: they are made before anything changes, so that jobs are touched, and their decisions
 * logged, in the order of the tries. */
void preempt_catch_up(struct sched *s, struct queueing_state *o);
