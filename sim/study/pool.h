/* pool.h - tasks run by forked worker processes, which share what the parent has read so far
 * (copy on write).
 *
 * A worker gets a batch of consecutive tasks, runs them one after the other and ends. If a task
 * crashes its worker or passes the time limit, only that task is lost: the rest of the batch
 * goes to another worker. A task leaves its result in a file. The parent polls progress in
 * shared memory a few times a second, so that it takes no processor from the workers. */
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
    const atomic_bool *interrupted;    /* true: no more tasks begin, and workers are stopped */
    /* The number of tasks from `first` on that one worker may run, at least 1. Up to end - first
     * is preferred. */
    size_t (*batch)(void *self, size_t first, size_t end);
    /* In the worker: a process has begun (may be NULL); one task, returns whether it went well. */
    void (*begin)(void *self, size_t first);
    bool (*work)(void *self, size_t task);
    /* In the parent, shortly after: work() has returned; the task is lost. */
    void (*done)(void *self, size_t task, bool well);
    void (*lost)(void *self, size_t task, const char *why);
    void (*tick)(void *self);     /* in the parent, a few times a second; may be NULL */
};
/* 0 when all tasks are done or lost; -1 with err: interrupted, or no process could be forked.
 * All workers have ended. */
int pool_run(const struct pool_setup *setup, struct error *err);
