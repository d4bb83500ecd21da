/* queue_heads.h - the heads of several lines, in one heap: lines merged by key.
 *
 * A head is the next job of its line. What is taken from the top is replaced by the next of the
 * same line. */
#pragma once
#include "sim/contract/policy.h"
#include "sim/contract/util/heap.h"

/* of: the line's own state, of the caller */
struct queue_head { struct line_key key; job_id job; void *of; };

/* The order of every line: by key, then by id. */
static inline bool line_key_before(struct line_key a, job_id a_job, struct line_key b, job_id b_job)
{
    if (a.major != b.major)
        return a.major < b.major;
    if (a.minor != b.minor)
        return a.minor < b.minor;
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a_job < b_job;
}

static inline bool queue_head_before(const void *none, const struct queue_head *a,
                                     const struct queue_head *b)
{
    (void)none;
    return line_key_before(a->key, a->job, b->key, b->job);
}

static inline bool queue_head_behind(const void *none, const struct queue_head *a,
                                     const struct queue_head *b)
{
    return queue_head_before(none, b, a);
}

/* The first job on top. */
HEAP_DEFINE(first_heads, struct queue_head, void, queue_head_before, HEAP_NOT_PLACED);
/* The last job on top. */
HEAP_DEFINE(last_heads, struct queue_head, void, queue_head_behind, HEAP_NOT_PLACED);
