/* tentative.h - tentative (what-if) allocations: pieces that a pass takes or gives back for the rest of it, and as if it had not
 * been after it.
 *
 * Views and books show them; no job changes its state. Takes and gives add up, so they are taken back in any order. */
#pragma once
#include "sim/engine/state.h"

void tentative_begin(struct sched *s);
void tentative_end(struct sched *s);
int64_t tentative_tasks_on(const struct sched *s, job_id j, node_id n);    /* of j on n: tasks placed, less those given back */
bool tentative_any_out(const struct sched *s);                            /* pieces of a running job are given back tentatively */
void tentative_undo(struct sched *s);                                     /* the last one: for a rollback */
void tentative_erase(struct sched *s);                                    /* all of them, at the end of a pass */
