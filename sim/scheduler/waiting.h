/* waiting.h - why each job waits, to the nanosecond. */
#pragma once
#include "sim/engine/state.h"

/* Of a job: up to the last change of its reason; of a group member, less the group's totals then. */
static inline int64_t wait_so_far(const struct live *l, unsigned why)
{
    return l->waited >> why & 1 ? l->wait[why] : 0;
}
static inline void wait_add(struct live *l, unsigned why, int64_t ns)
{
    const uint16_t bit = (uint16_t)(1u << why);
    if (ns == 0)
        return;
    l->wait[why] = wait_so_far(l, why) + ns;
    l->waited = (uint16_t)(l->wait[why] ? l->waited | bit : l->waited & ~bit);
}

void waits_begin(struct sched *s);
void waits_end(struct sched *s);
void wait_begin(struct sched *s, struct live *l, enum wait_reason own);   /* WAIT_GROUP: its line's */
void wait_begin_pending(struct sched *s, struct live *l);                 /* for the next pass, then with its line */
void wait_pass_begins(struct sched *s);
void wait_end(struct sched *s, struct live *l);
void wait_own(struct sched *s, struct live *l, enum wait_reason why);
void wait_joined(struct sched *s, struct live *l, uint32_t sub);          /* it is in this sub-line now */
void wait_left(struct sched *s, struct live *l, uint32_t sub);
enum wait_reason wait_credible(const struct sched *s, enum wait_reason why);    /* as a policy may give it */
enum wait_reason wait_reason_now(const struct sched *s, const struct live *l);
int64_t wait_store(struct sched *s, job_id j, const struct live *l);      /* its parts, for good; returns their sum */
void waits_drop(const struct sched *s);                                   /* of bulk.h: all that was stored */
/* What was stored, where it is not 0; returns the sum, ns. */
int64_t wait_parts(const struct sched *s, const struct job_run *run, int64_t wait[WAIT_REASONS]);
