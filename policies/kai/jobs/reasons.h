/* reasons.h - why jobs wait.
 *
 * Jobs of one shape in one leaf share a reason, that of the last check of the shape: line_blocked().
 * A job that was looked at alone has its own, which comes first. A reason of its own lasts as long as
 * what it says. A tentative place is of the pass that gave it: the next decides again. A limit or a
 * quota keeps a job waiting until its queue has capacity for it. Then the job waits for the reason of
 * its shape: one that lacks GPUs by now would else never count as one that rented nodes can help.
 *
 * Told jobs. Where a queue is at its limit, or at its deserved quota, most of its jobs wait for nothing
 * else, and each pass would find the same for each of them. Jobs of one shape that hold nothing ask for
 * the same (a uniform shape). So within one walk over the line of a leaf, between two of its turns, what
 * is found for one of them holds for all like it behind it: those that were told so already are left
 * out by their mark, as if each had been told again. Given are those that were not: they are told one
 * by one, in their order. After a turn the walk looks at the next of each shape again, since by then the
 * shape may find no place; from that one on none has been told so in this pass.
 *
 * Whether their queue has capacity can only change where a queue on the path gives something up, or
 * gets another quota: only then the told jobs of a leaf are judged again, shape by shape, and one by
 * one only where some of them have to forget their reason.
 *
 * Told: the job waits whole, its own reason is WAIT_LIMIT or WAIT_QUOTA, and no pass has acted on it
 * since. Any other job with a reason of its own stands in quota_state.reasoned. Firm jobs alone are
 * told WAIT_QUOTA; all are told WAIT_LIMIT where the limit of one is in the way. */
#pragma once
#include "policies/kai/quota.h"

/* Marks of jobs in the waiting lines of leaves, of such as wait whole. Where all jobs are plain none
 * has any. */
enum { MARK_LIMIT = 1, MARK_QUOTA = 2, MARK_FIRM = 4, MARK_WHOLE = 8,
       MARK_TOLD = MARK_LIMIT | MARK_QUOTA };

/* A reason of its own, for a job that waits. */
void quota_blocked(struct sched *s, struct quota_state *q, job_id j, enum wait_reason why);
/* j waits for the reason of its shape. */
void quota_forget_reason(struct sched *s, struct quota_state *q, job_id j);
/* At the end of a session. */
void reasons_report(struct sched *s, struct quota_state *q);

static inline bool is_told(const struct quota_job *own)
{
    return own->marks & MARK_TOLD;
}
/* It has joined the waiting line, where not all jobs are plain; with marks, it leaves it. */
void told_joined(struct sched *s, struct quota_state *q, job_id j);
void told_leaves(struct sched *s, struct quota_state *q, job_id j);
/* Of a told job: it is told no longer; its reason stays, as one that is looked at alone. */
void told_alone(struct sched *s, struct quota_state *q, job_id j);
/* The walk has just given j, which waits whole and has just been told `why`: those like it behind it
 * that were told so before are left out. */
void told_skip(struct sched *s, struct quota_state *q, struct line_walk *walk, job_id j,
               enum wait_reason why);
/* The walk has given j, which waits whole, and what it found for it holds for all like it: those behind
 * it are left out. */
void told_skip_like(struct sched *s, struct quota_state *q, struct line_walk *walk, job_id j);
/* The walk has given j, of which the shape finds no place. */
void told_ends(struct sched *s, struct quota_state *q, const struct line_walk *walk, job_id j);
/* A queue has given something up; ID_NONE: all may have. */
static inline void told_doubt(struct quota_state *q, queue_id i)
{
    q->doubts++;
    *(i == ID_NONE ? &q->all_doubted : &q->doubted[i]) = q->doubts;
}
