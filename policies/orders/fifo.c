/* fifo.c - first in, first out: by submit time, rows at equal times in the order of the trace. */
#include "policies/common/ordered.h"

static const struct discipline fifo = { .key = key_submit };
ORDERED_CALLBACKS(fifo, &fifo)
static const struct param fifo_params[] = { ORDERED_PARAM_SCOPE, ORDERED_PARAM_BLOCKING(BLOCKING_STRICT), { 0 } };

const struct policy fifo_policy = {
    ORDERED_TABLE(fifo),
    .name = "fifo",
    .summary = "arrival order",
    .params = fifo_params,
    .params_size = sizeof(struct ordered_params),
};
