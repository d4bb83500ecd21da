/* ranking.h - jobs that a policy keeps in an order of keys for itself: a line (policy.h) without
 * what the simulator does for lines.
 *
 * A job of a ranking does not wait by it: it gives no reason, no pass undoes it by a rollback, and a
 * job that is gone stays until it is dropped. The order is that of every line: by key, ties by id.
 * In return it costs a quarter, and is walked from any place in both directions.
 *
 * Each job has an entry (entries.h): what else is to be known of the job lies in an array of the
 * caller by that number. The order is cut into blocks of entries, each full enough that there are
 * few of them. To join, to move and to leave cost O(log n), to find and a step of a walk O(1).
 *
 * All memory lives as long as the run. Zeroed, a ranking is empty. */
#pragma once
#include "policies/common/entries.h"
#include "policies/common/queue_heads.h"
#include "sim/contract/policy.h"

#include <stdint.h>

struct ranked {
    struct line_key key;
    uint64_t word[3];             /* its numbers as words in the same order */
    struct ranking_block *block;  /* in which it stands */
    job_id job;
};
enum { RANKING_BLOCK = 64 };
struct ranking_block { uint32_t number, n, entry[RANKING_BLOCK]; };
struct ranking {
    struct entries jobs;
    struct ranked *ranked;        /* [n_ranked] by entry */
    size_t n_ranked;
    struct ranking_block **block; /* [n_blocks] in order, none of them empty */
    size_t n_blocks, blocks_capacity;
    struct ranking_block **spare; /* [n_spare] */
    size_t n_spare, spare_capacity;
};
/* A place in the order, good while nothing joins, moves or leaves. */
struct ranking_place { size_t block; uint32_t at; };

/* It joins, or moves; returns its entry. The key is made of numbers. */
uint32_t ranking_set(struct sched *s, struct ranking *r, job_id j, struct line_key k);
/* false: it was not there. */
bool ranking_drop(struct sched *s, struct ranking *r, job_id j);
/* false: there is none. The place is written. */
bool ranking_first(const struct ranking *r, struct ranking_place *p);
bool ranking_last(const struct ranking *r, struct ranking_place *p);
/* false: that was the last in this direction. */
bool ranking_next(const struct ranking *r, struct ranking_place *p);
bool ranking_previous(const struct ranking *r, struct ranking_place *p);

static inline size_t ranking_count(const struct ranking *r)
{
    return r->jobs.n;
}

/* ID_NONE: it is not there. */
static inline uint32_t ranking_find(const struct ranking *r, job_id j)
{
    return entries_find(&r->jobs, j);
}

static inline uint32_t ranking_entry(const struct ranking *r, struct ranking_place p)
{
    return r->block[p.block]->entry[p.at];
}

static inline const struct ranked *ranking_at(const struct ranking *r, struct ranking_place p)
{
    return &r->ranked[ranking_entry(r, p)];
}
