/* checks.h - what the world demands of a request of a policy: pieces that exist, are allowed and add up to what the job asks for.
 *
 * A policy may be wrong, the world may not: each verb checks its request here before it stages anything. A refusal is counted by
 * its reason, logged, and returned. */
#pragma once
#include "sim/engine/state.h"

void checks_begin(struct sched *s);
void checks_end(struct sched *s);
enum sched_result verb_refused(struct sched *s, job_id j, enum run_verb verb, enum sched_result why)
    __attribute__((cold));
bool placement_matches(struct sched *s, job_id j, const struct placement *p, bool partial);
/* p starts more tasks of j, which then holds `all`: what it held may be on nodes that take no more jobs. */
bool placement_joins(struct sched *s, job_id j, const struct placement *p, const struct placement *all);
