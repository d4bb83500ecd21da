/* explain_parts.c - what the stories of jobs and of queues are made of. See explain.h. */
#include "sim/cli/explain.h"
#include "sim/run/run.h"

#include <string.h>

json_t *explain_text(const char *text)
{
    json_t *value = *text ? json_string(text) : json_null();
    return value ? value : json_string("?");
}

json_t *explain_seconds(int64_t ns)
{
    return ns < 0 ? json_null() : json_real((double)ns / (double)NS_PER_S);
}

json_t *explain_gpu_hours(int128_t milli_ns)
{
    return json_real((double)milli_ns / 1000 / (double)NS_PER_S / 3600);
}

const char *explain_cause(const char *why, const char *own_queue, const char *for_queue)
{
    enum preemption_cause cause = PREEMPTED_POLICY;
    if (!strcmp(why, "moved"))
        cause = PREEMPTED_MOVE;
    else if (strcmp(why, "preempted") && strcmp(why, "broken"))
        return NULL;
    else if (for_queue)
        cause = strcmp(for_queue, own_queue) ? PREEMPTED_RECLAIM : PREEMPTED_PRIORITY;
    else if (!strcmp(why, "broken"))
        cause = PREEMPTED_BROKEN;
    return preemption_cause_name[cause];
}
