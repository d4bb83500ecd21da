/* ranking.h - jobs that a policy keeps in an order of keys for itself: a line (policy.h) without
 * what the simulator does for lines.
 *
 * A job of a ranking does not wait by it: it gives no reason, no pass undoes it by a rollback, and a
 * job that is gone stays until it is dropped. The order is that of every line: by key, ties by id.
 * In return it costs a quarter, and is walked from any place in both directions.
 *
 * Each job has an entry (entries.h): what else is to be known of the job lies in an array of the
 * caller by that number. The order is cut into parts, a block of jobs each, full enough that there
 * are few of them. A job joins the block of its part, which is put in order when a walk comes there:
 * where jobs often move and only the ends are looked at, most blocks never are. To join, to move and
 * to leave cost O(log n), to find and a step of a walk O(1) on average.
 *
 * Where walks begin at the end (`from_end`), jobs to which none has come yet are far: they stand
 * before all parts, in no order, so that one that moves there only gets its key. A walk that comes to
 * them puts the last of them into blocks, which costs a look at each.
 *
 * All memory lives as long as the run. Zeroed, a ranking is empty. */
#pragma once
#include "policies/common/entries.h"
#include "policies/common/queue_heads.h"
#include "sim/contract/policy.h"

#include <stdint.h>

struct ranked { struct line_key key; job_id job; uint32_t entry; };
enum { RANKING_BLOCK = 64 };
struct ranking_block {
    /* the first `ordered` are in order; the rest joined after a walk last came here */
    uint32_t number, n, ordered;
    struct ranked ranked[RANKING_BLOCK];
};
struct ranking {
    bool from_end;                /* set before the first joins: no walk begins with the first */
    /* With from_end: the key of a job that is in, and falls without being set. NULL: none does. */
    struct line_key (*key)(struct sched *s, job_id j, const void *params);
    const void *params;
    struct entries jobs;
    struct ranking_stand { struct ranking_block *in; uint32_t far; } *stand;    /* [n_stand] by entry */
    size_t n_stand;
    struct ranked *far;           /* [n_far] those in no block, each at the place that its stand says */
    size_t n_far, far_capacity;
    /* [n_parts] in order, none of them empty: the jobs from a floor on that stand before the next, in
     * the first part also those before its floor that are not far */
    struct ranking_part { struct ranked floor; struct ranking_block *block; } *part;
    size_t n_parts, parts_capacity;
    struct ranking_block **spare; /* [n_spare] */
    size_t n_spare, spare_capacity;
};
/* A place in the order, good while nothing joins, moves or leaves. */
struct ranking_place { size_t part; uint32_t at; };

/* It joins, or moves; returns its entry. The key is made of numbers. */
uint32_t ranking_set(struct sched *s, struct ranking *r, job_id j, struct line_key k);
/* j, which is in, has got a later key, which key() tells. true: it stays among the far ones, and need not be set. */
static inline bool ranking_stays_far(const struct ranking *r, job_id j, struct line_key k)
{
    return r->key && (!r->n_parts || line_key_before(k, j, r->part[0].floor.key, r->part[0].floor.job));
}

static inline bool ranking_is_far(const struct ranking *r, uint32_t entry)
{
    return !r->stand[entry].in;
}

/* false: it was not there. */
bool ranking_drop(struct sched *s, struct ranking *r, job_id j);
/* false: there is none. The place is written. */
bool ranking_first(const struct ranking *r, struct ranking_place *p);
bool ranking_last(struct sched *s, struct ranking *r, struct ranking_place *p);
/* false: that was the last in this direction. */
bool ranking_next(const struct ranking *r, struct ranking_place *p);
bool ranking_previous(struct sched *s, struct ranking *r, struct ranking_place *p);
/* All jobs, in any order; returns the end of what is written. */
job_id *ranking_list(const struct ranking *r, job_id *to);

static inline size_t ranking_count(const struct ranking *r)
{
    return r->jobs.n;
}

/* ID_NONE: it is not there. */
static inline uint32_t ranking_find(const struct ranking *r, job_id j)
{
    return entries_find(&r->jobs, j);
}

static inline const struct ranked *ranking_at(const struct ranking *r, struct ranking_place p)
{
    return &r->part[p.part].block->ranked[p.at];
}

static inline uint32_t ranking_entry(const struct ranking *r, struct ranking_place p)
{
    return ranking_at(r, p)->entry;
}
