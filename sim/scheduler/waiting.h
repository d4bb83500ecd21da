/* waiting.h - why each job waits, to the nanosecond. */
#pragma once
#include "sim/engine/state.h"

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
