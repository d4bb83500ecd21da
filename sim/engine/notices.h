/* notices.h - what the policy in force is told, in the order in which it happened.
 *
 * A notice is kept from the moment at which something happens until the next notices_give(). Jobs that have gone are retired when the
 * last notice about them was given. */
#pragma once
#include "sim/engine/host.h"

void notices_begin(struct sched *s);
void notices_end(struct sched *s);
enum notice { NOTICE_ARRIVED, NOTICE_STARTED, NOTICE_STOPPED, NOTICE_WITHDRAWN, NOTICE_NODE };    /* the last: j is a node */
void notice_add(struct sched *s, enum notice kind, job_id j, enum stop_cause why);
void notices_give(struct sched *s);
void notices_forget(struct sched *s);                                     /* for a policy that is no longer in force */
