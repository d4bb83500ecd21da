/* fifo.c - first in, first out: by submit time, rows at equal times in the order of the trace. */
#include "policies/common/queueing.h"

static const struct discipline fifo = { .key = key_submit };
QUEUEING_CALLBACKS(fifo, &fifo)
static const struct param fifo_params[] = { QUEUEING_PARAM_SCOPE,
                                            QUEUEING_PARAM_BLOCKING(BLOCKING_STRICT),
                                            { 0 } };

const struct policy fifo_policy = {
    QUEUEING_TABLE(fifo),
    .name = "fifo",
    .summary = "arrival order",
    .params = fifo_params,
    .params_size = sizeof(struct queueing_params),
};
