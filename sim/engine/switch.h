/* switch.h - the policies of a run, one after the other: at a time, the next one takes over, and the run continues.
 *
 * Everything that happens at that time has happened, and the pass then is that of the new policy. What the old policy kept goes
 * with it: its state, its bytes of each job, lines, wake-ups, plans and the reasons why jobs wait; claims are given back, suspended
 * jobs fall to their last checkpoint, and if the new policy starts no single tasks, incomplete gangs give back what they hold.
 * What is true of the world stays: running jobs, their pieces and start times, usage, jobs that are leaving.
 *
 * The new policy begins as at the start of a run. Then it gets notices, in this order: of each node that is out of service
 * (node_changed, by number); of each job that waits or holds something, by number (job_arrived, and job_started if it runs), as
 * of jobs that ran before the trace began. A job that is leaving is announced when it has left. A job that could only ever run with
 * a part of its tasks is refused if the new policy does not start such.
 *
 * A switch to the policy in force, with the same parameters, changes nothing: there is no such instant. */
#pragma once
#include "sim/engine/state.h"

void policies_begin(struct sched *s);                                        /* for run_new(); the first policy is in force then */
int64_t switch_next_ns(struct sched *s);                                  /* TIME_NEVER: none */
void switch_policy(struct sched *s);                                      /* that of s->now_ns */
