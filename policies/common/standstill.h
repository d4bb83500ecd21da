/* standstill.h - a pass of queueing.c in which all fails as in the last one is not made again.
 *
 * With preemption by stages of service most passes come because a running job has left its stage,
 * and mostly no waiting job can gain by that. So when a pass has started and stopped nothing, the
 * jobs that it tried are kept: of each shape the first in line, in the order of the tries. They
 * fail again while
 *   nothing is released (sched_room_version), and GPUs were too few for each of them, or a limit was in its way;
 *   no job arrives, starts, stops, or moves in a line of waiting jobs;
 *   no running job that has moved since is behind one of them by its bound, and none that stood
 *   behind it falls behind by its present key (hopeless_until).
 * Where there are reservations the placer is asked all the same, for the reason: that may be one of
 * them from some time on.
 *
 * Kept only where that is all there is to it: blocking=skip, no admission check, no quota that
 * changes. */
#pragma once
#include "policies/common/queueing.h"

/* A pass begins. */
void standstill_begin(struct sched *s, struct queueing_state *o);
/* j of this line, with this key, has failed for this reason, and its shape is left out. */
void standstill_note(struct sched *s, struct queueing_state *o, struct line *waiting, job_id j,
                     struct line_key key, enum wait_reason why);
/* Something else has happened than that. */
static inline void standstill_forget(struct queueing_state *o)
{
    o->still.possible = o->still.known = false;
}
/* The pass has ended. */
void standstill_end(struct sched *s, struct queueing_state *o);
/* true: this pass has been made. */
bool standstill_again(struct sched *s, struct queueing_state *o);
