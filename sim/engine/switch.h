/* switch.h - the policies of a run, one after the other. */
#pragma once
#include "sim/engine/state.h"

void policies_begin(struct sched *s);                                        /* for run_new(); the first policy is in force then */
int64_t switch_next_ns(struct sched *s);                                  /* TIME_NEVER: none */
void switch_policy(struct sched *s);                                      /* that of s->now_ns */
