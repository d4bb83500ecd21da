/* excess.h - by how many GPUs a job would take a queue over its limit.
 *
 * A start is refused while its queue, or one above it, would hold more than its limit, however many GPUs are free elsewhere: only
 * what jobs of that queue, or of those below it, give up helps. Limits of CPUs and memory are not looked at here. */
#pragma once
#include "sim/contract/policy.h"

struct excess {
    queue_id queue;               /* the first over its limit, from that of the job upwards; ID_NONE: none */
    int64_t milli;                /* GPUs that it would hold too many, in thousandths */
};
struct excess excess_of(struct sched *s, job_id j);
/* What v holds counts there. */
bool excess_eased(const struct sched *s, queue_id over, job_id v);
