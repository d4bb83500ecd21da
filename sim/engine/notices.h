/* notices.h - notices to the policy in force, in the order in which things happened.
 *
 * A notice is kept from the moment at which something happens until the next notices_give(). Jobs that have gone are retired when the
 * last notice about them was given. */
#pragma once
#include "sim/engine/state.h"

/* Written by notices.c. */
struct notices {
    struct { uint8_t kind, why; job_id job; } *notice;        /* in the order in which they happened */
    size_t n, capacity;
};

void notices_begin(struct sched *s);
void notices_end(struct sched *s);
enum notice { NOTICE_ARRIVED, NOTICE_STARTED, NOTICE_STOPPED, NOTICE_WITHDRAWN, NOTICE_NODE };    /* the last: j is a node */
void notice_add(struct sched *s, enum notice kind, job_id j, enum stop_cause why);
struct notice_of { enum notice kind; enum stop_cause why; job_id job; };
bool notice_next(struct sched *s, size_t *i, struct notice_of *next);     /* from *i = 0 on; false: no more, as of now */
void notices_give(struct sched *s);                                       /* jobs.c: to the policy; jobs that have gone are retired */
void notices_forget(struct sched *s);                                     /* they are given, or the policy is no longer in force */
