/* entries.h - small numbers for some of the jobs: each job that is in has one, its entry, that stays
 * its own while it is in and is given again to another when it has left. What is to be known of the
 * job lies in arrays of the caller by that number.
 *
 * A table by a hash of the job says which. To join, to leave and to find cost O(1) on average.
 * All memory lives as long as the run. Zeroed, nothing is in. */
#pragma once
#include "sim/contract/policy.h"

#include <stddef.h>
#include <stdint.h>

struct entries {
    /* [size] numbers are 1 + entry; 0: nothing stands there */
    struct entry_slot { job_id job; uint32_t number; } *slot;
    size_t size;                  /* a power of two; 0: nothing was ever in */
    size_t n, n_given;            /* jobs that are in; entries ever given: all are below */
    uint32_t *spare;              /* [n_spare] that may be given again */
    size_t n_spare, spare_capacity;
};

/* Of j, which joins if it is not in; *is_new: it was not. */
uint32_t entries_join(struct sched *s, struct entries *e, job_id j, bool *is_new);
/* The one that j had; ID_NONE: it was not in. */
uint32_t entries_leave(struct sched *s, struct entries *e, job_id j);

static inline size_t entries_home(const struct entries *e, job_id j)
{
    return (size_t)(j * UINT32_C(2654435769)) >> 7 & (e->size - 1);
}

/* Where j stands, or would. */
static inline struct entry_slot *entries_slot(const struct entries *e, job_id j)
{
    size_t at = entries_home(e, j);
    while (e->slot[at].number && e->slot[at].job != j)
        at = (at + 1) & (e->size - 1);
    return &e->slot[at];
}

/* ID_NONE: it is not in. */
static inline uint32_t entries_find(const struct entries *e, job_id j)
{
    return e->size ? entries_slot(e, j)->number - 1 : ID_NONE;
}
