/* livelock.h - jobs that are stopped over and over, and none gets on. */
#pragma once
#include "sim/engine/state.h"

void livelock_begin(struct sched *s);
void livelock_got_on(struct sched *s);                                    /* a job has arrived, started for the first time or gone */
void livelock_settled(struct sched *s, struct live *l);                   /* l->progress is as of now, before what a stop costs */
int livelock_check(struct sched *s, struct error *err);                   /* after a pass that changed something; -1: it is one */
