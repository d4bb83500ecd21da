/* livelock.h - jobs that are stopped over and over, and none advances: such a run would never end; and jobs that would wait for ever.
 *
 * A job advances when it arrives, starts for the first time, goes, or has less work left than ever before (in the part that a stop
 * may cost, too). A run is in a livelock after FRUITLESS_MOST passes and FRUITLESS_PER_JOB more for every job in the system, each of
 * which started or stopped something, without any job advancing or running through them all. So a job that makes progress at any
 * rate continues for as long as it takes, and so does a policy that only waits. */
#pragma once
#include "sim/engine/state.h"

void livelock_begin(struct sched *s);
void livelock_advanced(struct sched *s);                                    /* a job has arrived, started for the first time or gone */
void livelock_settled(struct sched *s, struct live *l);                   /* l->progress is as of now, before what a stop costs */
int livelock_check(struct sched *s, struct error *err);                   /* after a pass that changed something; -1: it is one */
/* Nothing will ever happen again. 0: jobs that still wait may do so for ever. -1 with err: the policy has forgotten one. */
int stall_check(struct sched *s, struct error *err);
