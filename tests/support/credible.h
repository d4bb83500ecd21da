/* credible.h - the wait reason that is counted when a policy of a run without power caps gives one:
 * an unmet dependency and a cap are known to the world alone, and count as `other`. */
#pragma once
#include "sim/contract/policy.h"

static inline enum wait_reason credible_reason(enum wait_reason why)
{
    return why == WAIT_DEPENDENCY || why == WAIT_POWER || why == WAIT_RESERVATION ? WAIT_OTHER : why;
}
