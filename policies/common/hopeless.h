/* hopeless.h - tries of preemption.c that fail as the last one did.
 *
 * A try needs so many GPUs of running jobs behind the job: those that it lacks, of any of them; or,
 * where a limit holds it, those that a queue would hold too many, of the jobs of that queue
 * (excess.h). Of each shape the last job that failed for want of them is kept, with what all that
 * stood behind it by their bounds free. As long as that is too little the job fails again, whatever
 * has ended since; those that have joined since are added. */
#pragma once
#include "policies/common/excess.h"
#include "policies/common/victims.h"

/* j with this key has failed for want of victims; of a queue over its limit, or of any (ID_NONE). */
void hopeless_note(struct sched *s, const struct queueing_state *o, struct running *r, job_id j,
                   struct line_key key, queue_id of);
/* The same by one who goes through all that are behind j anyway: the try begins, each victim is asked for, and if j has failed the
 * try is kept, with what all of them free. */
void hopeless_begin(struct hopeless *h, job_id j, struct line_key key, queue_id of);
void hopeless_maybe(struct hopeless *h, job_id v, struct line_key bound);
/* v, behind by its bound, is ahead as of now. */
static inline bool hopeless_ahead(struct sched *s, const struct queueing_state *o, struct hopeless *h, job_id v,
                                  struct running_job *kept, struct line_key bound)
{
    int64_t at_ns = victim_behind_ns(s, o, v, kept, h->job, h->key);
    if (at_ns <= sched_now(s)) {
        hopeless_maybe(h, v, bound);
        return false;
    }
    h->until_ns = at_ns < h->until_ns ? at_ns : h->until_ns;
    return true;
}
void hopeless_keep(struct sched *s, struct running *r, struct hopeless *h, int64_t frees_milli);
/* It fails again; *some: though some running job may be behind it. lacks: preempt_lacks_milli(). */
bool hopeless_again(struct sched *s, const struct queueing_state *o, const struct running *r,
                    job_id j, struct line_key key, int64_t lacks, bool *some);
/* j, which just failed with this key for it lacks so much, fails again until then, while it lacks as
 * much and no running job moves behind it; 0: it may not. */
int64_t hopeless_until(struct sched *s, const struct queueing_state *o, const struct running *r,
                       job_id j, struct line_key key, int64_t lacks);
/* Some may have, since it was last asked or tried. */
bool hopeless_moved_behind(struct sched *s, const struct queueing_state *o, const struct running *r,
                           job_id j, struct line_key key);
