/* excess.c - see excess.h. */
#include "policies/common/excess.h"

struct excess excess_of(struct sched *s, job_id j)
{
    if (!job_over_limit(s, j))
        return (struct excess){ ID_NONE, 0 };
    struct request ask = job_request(s, j);
    int64_t wants = request_size(&ask).gpu_milli;
    for (queue_id q = job_facts(s, j)->queue; wants > 0 && q != ID_NONE; q = queue_facts(s, q)->parent) {
        int64_t limit = queue_facts(s, q)->quota.limit.gpu_milli;
        int64_t milli = limit == UNLIMITED ? 0 : queue_held(s, q).gpu_milli + wants - limit;
        if (milli > 0)
            return (struct excess){ q, milli };
    }
    return (struct excess){ ID_NONE, 0 };
}

bool excess_eased(const struct sched *s, queue_id over, job_id v)
{
    if (over == ID_NONE)
        return false;
    queue_id q = job_facts(s, v)->queue;
    while (q != over && q != ID_NONE)
        q = queue_facts(s, q)->parent;
    return q == over;
}
