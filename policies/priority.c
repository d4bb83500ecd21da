/* priority.c - higher priority first, equal ones by submit time; with preempt=yes the lower give way. */
#include "policies/ordered.h"

struct priority_params { struct ordered_params ordered; double preempt; };
static const struct discipline waits = { .key = key_priority };
static const struct discipline takes = { .key = key_priority, .preempts = true };

static unsigned priority_needs(const void *params)
{
    return ((const struct priority_params *)params)->preempt > 0 ? SEES_RELEASING : 0;
}

ORDERED_CALLBACKS(priority, ((const struct priority_params *)params)->preempt > 0 ? &takes : &waits)
static const struct param priority_param_list[] = {
    ORDERED_PARAM_SCOPE,
    ORDERED_PARAM_BLOCKING(BLOCKING_STRICT),
    ORDERED_PARAM_PREEMPT("priority is lower", offsetof(struct priority_params, preempt)),
    { 0 },
};

const struct policy priority_policy = {
    ORDERED_TABLE(priority),
    .name = "priority",
    .summary = "higher priority first, then arrival order",
    .also_needs = priority_needs,
    .params = priority_param_list,
    .params_size = sizeof(struct priority_params),
};
