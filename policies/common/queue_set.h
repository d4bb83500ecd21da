/* queue_set.h - a set of queues, visited in the order of their ids, while it changes, too. */
#pragma once
#include "sim/contract/policy.h"

struct queue_set { uint64_t *bits; uint32_t words; };

static inline struct queue_set queue_set_new(struct sched *s, uint32_t queues)
{
    uint32_t words = queues / 64 + 1;
    return (struct queue_set){ sched_alloc(s, words * sizeof(uint64_t)), words };
}

static inline void queue_set_put(struct queue_set *set, queue_id i, bool in)
{
    uint64_t bit = UINT64_C(1) << (i % 64), *word = &set->bits[i / 64];
    *word = in ? *word | bit : *word & ~bit;
}

static inline bool queue_set_has(const struct queue_set *set, queue_id i)
{
    return set->bits[i / 64] >> (i % 64) & 1;
}

/* The first from there on; ID_NONE: no more. */
static inline queue_id queue_set_next(const struct queue_set *set, queue_id from)
{
    for (uint32_t w = from / 64; w < set->words; w++) {
        uint64_t left = set->bits[w] & (w == from / 64 ? UINT64_MAX << (from % 64) : UINT64_MAX);
        if (left)
            return w * 64 + (uint32_t)__builtin_ctzll(left);
    }
    return ID_NONE;
}
