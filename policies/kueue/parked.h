/* parked.h - queues with waiting jobs that all have failed, and fail again: they are not asked.
 *
 * When quota comes free in its tree a best-effort queue offers it to all jobs that wait, one shape
 * after the other, a shape a cycle (cohort.h). Mostly all fail as they failed before. So of each
 * shape that is set aside the queue keeps what it lacks: a shape is hopeless while, in each flavor
 * that it may have, of some resource the amount that is left once its own candidates are gone is
 * not available and, where the queue may reclaim, fits in the quota of no subtree below the root
 * and, by shares, it has no candidates of its own and with it its queue would have a larger share
 * than any other. Then it finds no place and no victims, its queue is not owed it, and it waits for
 * quota. A queue sleeps until the cycle in which the first shape that is not hopeless has its turn;
 * from there on its jobs are nominated one by one. So jobs meet in the same cycles as if all were
 * nominated.
 *
 * What is kept holds while no job joins or leaves the line or the members of the queue, which
 * forgets it (parked_forget). It is looked at again at each release in the tree, also during a
 * round; by shares, which admissions change, at each change. A head that fails may reserve capacity
 * until its cycle ends, unless its queue may reclaim from any (cycle.h): such a queue sleeps only
 * while no head in its tree is open.
 *
 * Kept only where that is all there is to it: sharing=classical, or by shares queues that may
 * reclaim from any, just below the root of a flat tree, where a head that fails stands between no
 * others and the root; placement=admit, best-effort, one group of flavors, borrow_within_cohort
 * never, and no borrowing limit on the way to the root (the reason of a job would depend on it); of
 * the shapes those that are admitted whole, of alike tasks; if the queue may not reclaim from any,
 * with one resource. */
#pragma once
#include "policies/kueue/search.h"

/* What a shape lacks. By shares 0 also stands for any candidate of its own: hope whatever happens. */
#define PARKED_NOT_ASKED (-1)
#define PARKED_NEVER INT64_MAX    /* in a flavor that it may not have */
enum { PARKED_SLEEPS = UINT32_MAX };        /* as a cycle: in none */

/* Of one queue. Amounts are dense by [shape * cells + cell], the cells of a flavor side by side;
 * shapes are in the order of the line. */
struct parked {
    bool possible;                /* see above; for the whole run */
    bool reclaims;                /* its queue may take from others */
    bool by_shares;
    bool complete;                /* the last walk to the end has set all aside */
    bool records;                 /* the present walk has, so far */
    bool asleep;
    uint32_t wakes;               /* if asleep: in that cycle of the round */
    uint64_t looked;              /* at the tree as of that release, by shares that change */
    uint32_t n;
    size_t capacity;
    int64_t *lacks;
    int64_t *least;               /* [cells] of all shapes */
    /* By shares: that of the queue with the least that is lacked, in the cell where it is smallest;
     * as of that version of the queue; 0: not known */
    struct cohort_share with;
    uint64_t with_at;
};

/* Keeps the first n shapes alone. */
void     parked_keep(const struct cohort_books *b, struct parked *p, uint32_t n);
/* One more: its lacks have been written behind those of the others. */
void     parked_add(const struct cohort_books *b, struct parked *p);
/* The first shape from `from` on that is not hopeless. PARKED_SLEEPS: all are. */
uint32_t parked_first_hope(struct cohort_search *s, struct parked *p, uint32_t queue,
                           uint32_t from);

/* A job has joined or left the queue: what was kept does not hold any more. */
static inline void parked_forget(struct parked *p)
{
    p->complete = p->records = false;
}
