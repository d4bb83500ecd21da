/* pool.h - many tasks worked off by forked processes, which share whatever the parent has read so far (copy on write).
 *
 * A process is given a batch of neighbours, does one after the other and ends. A task that takes its process with it, or takes too
 * long, is lost alone: the rest of its batch goes to another process. What is done leaves its result where the caller finds it
 * (a file); the parent is told of it in shared memory, a few times a second, so that it does not keep a processor from the workers. */
#pragma once
#include "sim/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool_setup {
    void *self;
    unsigned workers;             /* at least 1 */
    size_t n;                     /* tasks 0 to n - 1, begun in this order */
    int64_t limit_ns;             /* wall time of one task; 0: none */
    const atomic_bool *interrupted;                  /* set: no more tasks, and those at work are stopped */
    /* Of the tasks from first on: how many one process may do, best no more than to end - 1. At least 1. */
    size_t (*batch)(void *self, size_t first, size_t end);
    /* In the worker: a new process has begun; one task, whether it went well. */
    void (*begin)(void *self, size_t first);
    bool (*work)(void *self, size_t task);
    /* In the parent, within a moment: work() has returned; or it has not, and why. */
    void (*done)(void *self, size_t task, bool well);
    void (*lost)(void *self, size_t task, const char *why);
    void (*tick)(void *self);     /* a few times a second */
};
/* 0 when all are done or lost; -1 with err: interrupted, or no process could be forked. Then all workers have ended. */
int pool_run(const struct pool_setup *setup, struct error *err);
