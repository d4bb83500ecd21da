/* quota_windows.h - quotas that change with time (key `windows` of a queue; models.md 10.4).
 *
 * The quota in force is that of the first window of a queue that is on, and the queue's own in all
 * that this does not say. A queue without deserved GPUs of its own deserves what the queues below it
 * do, as these change. s->queue has the facts of all queues as they hold; without windows those of
 * the cluster. */
#pragma once
#include "sim/engine/state.h"

void    quota_windows_begin(struct sched *s);
void    quota_windows_turn(struct sched *s);                 /* to what holds now */
int64_t quota_windows_next_ns(const struct sched *s);        /* the first change after now; TIME_NEVER: none */
