/* wakes.h - times at which the policy in force wants a pass: a set, the earliest last. Policies add by sched_wake_at(). */
#pragma once
#include "sim/engine/state.h"

void wakes_begin(struct sched *s);
void wakes_end(struct sched *s);
int64_t wake_next_ns(const struct sched *s);                              /* TIME_NEVER: none */
bool wake_cancel(struct sched *s, int64_t time_ns);                       /* false: there is none at that time */
void wakes_forget(struct sched *s);                                       /* all of them */
void wakes_pass(struct sched *s);                                         /* a pass begins: it has put nothing off */
int64_t wakes_deferred_ns(const struct sched *s);                         /* until then the last pass put something off; 0: nothing */
