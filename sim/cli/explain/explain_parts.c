/* explain_parts.c - what the stories of jobs and of queues are made of. See explain.h. */
#include "sim/cli/explain/explain.h"
#include "sim/engine/run.h"

#include <math.h>
#include <string.h>

void put_text(json_t *o, const char *key, const char *text)
{
    json_t *value = text && *text ? json_string(text) : json_null();
    json_object_set_new(o, key, value ? value : json_string("?"));
}

void put_number(json_t *o, const char *key, double value)
{
    json_object_set_new(o, key, isnan(value) ? json_null() : json_real(value));
}

void put_count(json_t *o, const char *key, uint64_t value)
{
    json_object_set_new(o, key, json_integer((json_int_t)value));
}

void put_seconds(json_t *o, const char *key, int64_t ns)
{
    put_number(o, key, ns < 0 ? (double)NAN : (double)ns / (double)NS_PER_S);
}

void put_gpus(json_t *o, const char *key, int64_t milli)
{
    put_number(o, key, (double)milli / 1000);
}

void put_gpu_hours(json_t *o, const char *key, int128_t milli_ns)
{
    put_number(o, key, (double)milli_ns / 1000 / (double)NS_PER_S / 3600);
}

json_t *put_list(json_t *o, const char *key)
{
    json_t *list = json_array();
    json_object_set_new(o, key, list);
    return list;
}

json_t *add_entry(json_t *list)
{
    json_t *o = json_object();
    json_array_append_new(list, o);
    return o;
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
