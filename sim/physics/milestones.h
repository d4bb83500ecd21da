/* milestones.h - what happens when a job has come so far, at whatever pace. */
#pragma once
#include "sim/engine/state.h"

void milestone_set(struct sched *s, struct live *l, enum milestone m, int64_t left_ns);   /* when so much work is left; now, if it is less */
void milestone_drop(struct sched *s, struct live *l, enum milestone m);
void milestone_paced(struct sched *s, struct live *l, enum milestone m);  /* its model's paced() */
int64_t milestone_reached(struct live *l, enum milestone m);              /* its event has come: left_ns as it was set */
