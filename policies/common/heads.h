/* heads.h - a heap of jobs, each the next one of some line: lines merged by key. */
#pragma once
#include "sim/contract/policy.h"

struct head { struct line_key key; job_id job; void *of; };
enum heads_order { FIRST_ON_TOP, LAST_ON_TOP };

static inline bool key_before(struct line_key a, job_id a_job, struct line_key b, job_id b_job)
{
    if (a.major != b.major)
        return a.major < b.major;
    if (a.minor != b.minor)
        return a.minor < b.minor;
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a_job < b_job;
}

static inline bool head_above(const struct head *a, const struct head *b, enum heads_order order)
{
    return order == FIRST_ON_TOP ? key_before(a->key, a->job, b->key, b->job) : key_before(b->key, b->job, a->key, a->job);
}

/* Lets heap[i] sink to its place among the n. */
static inline void heads_sift(struct head *heap, size_t n, size_t i, enum heads_order order)
{
    struct head h = heap[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && head_above(&heap[child + 1], &heap[child], order))
            child++;
        if (!head_above(&heap[child], &h, order))
            break;
        heap[i] = heap[child];
    }
    heap[i] = h;
}

static inline void heads_make(struct head *heap, size_t n, enum heads_order order)
{
    for (size_t i = n / 2; i-- > 0;)
        heads_sift(heap, n, i, order);
}
