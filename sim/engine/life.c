/* life.c - see life.h. */
#include "sim/engine/life.h"

#define TO(state) (1u << (state))

static const unsigned char legal[JOB_STATES] = {
    [JOB_ABSENT] = TO(JOB_PENDING),
    /* releasing: withdrawn while tasks of it still save; gone: refused, withdrawn */
    [JOB_PENDING] = TO(JOB_RUNNING) | TO(JOB_CLAIMED) | TO(JOB_GATHERING) | TO(JOB_RELEASING) | TO(JOB_GONE),
    /* all but running: it gives the claim back */
    [JOB_CLAIMED] = TO(JOB_RUNNING) | TO(JOB_PENDING) | TO(JOB_RELEASING) | TO(JOB_GATHERING),
    [JOB_RUNNING] = TO(JOB_GONE) | TO(JOB_RELEASING) | TO(JOB_GATHERING),
    [JOB_GATHERING] = TO(JOB_RUNNING) | TO(JOB_PENDING),
    [JOB_GONE] = TO(JOB_PENDING),                            /* on demand, again */
    /* claimed, running: it moves; gone: cancelled, or see running.c */
    [JOB_RELEASING] = TO(JOB_PENDING) | TO(JOB_CLAIMED) | TO(JOB_RUNNING) | TO(JOB_GONE),
};

bool life_allows(enum job_state from, enum job_state to)
{
    return legal[from] >> to & 1;
}

const char *life_state_name(enum job_state state)
{
    static const char *const name[JOB_STATES] = { "absent", "pending", "claimed", "running", "releasing", "gathering",
                                                    "gone" };
    return name[state];
}

const char *life_outcome_name(enum job_outcome outcome)
{
    static const char *const name[] = { "", "completed", "failed", "cancelled", "rejected", "cancelled" };
    return name[outcome];
}
