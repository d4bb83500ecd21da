/* life.h - the life of a job: every legal change of state, in one table. */
#pragma once
#include "sim/contract/policy.h"

/* unmet: cancelled before it arrived, as a dependency can never be met */
enum job_outcome { OUTCOME_OPEN, OUTCOME_COMPLETED, OUTCOME_FAILED, OUTCOME_CANCELLED, OUTCOME_REJECTED, OUTCOME_UNMET };
static inline bool outcome_was_served(enum job_outcome o) { return o != OUTCOME_REJECTED && o != OUTCOME_UNMET; }

bool life_allows(enum job_state from, enum job_state to);
const char *life_state_name(enum job_state state);
const char *life_outcome_name(enum job_outcome outcome);     /* OUTCOME_OPEN: "" */
