/* space.h - what a cycle of backfill has reserved: intervals [begin, end), one behind the other, each with the
 * nodes that no job has reserved in it (SchedMD/slurm:src/plugins/sched/backfill/backfill.c, node_space).
 *
 * A plan goes from time to time, always to the next at which nodes appear for the first time. Most of these times
 * are in vain, and two bounds say so without a look at nodes: an interval that the job would run in has nodes with too
 * few GPUs, whoever held them; or by the next of these times too few of its GPUs are free, which is too late for a start
 * at this one. Both are kept as nodes are reserved, and may be too high, never too low: jobs that start meanwhile
 * lower them no more. They hold where jobs leave by their ends alone, so not with preemption or outages. */
#pragma once
#include "policies/slurm/ends.h"

struct space_part {
    int64_t begin, end;
    uint64_t *nodes;
    /* of its nodes, if bounded: all GPUs; those that are free at its end, of the last one at the horizon */
    int64_t all_gpus, gpus_by_end;
    uint8_t grows;                /* enum grows */
};
struct space {
    const uint64_t *all;          /* the nodes that it is about */
    struct space_part *at;        /* [n] */
    size_t n, most, capacity;     /* most: intervals that Slurm's table has room for */
    int64_t res, clock;           /* clock: that of Slurm at time 0 */
    int64_t horizon_s;            /* nothing is planned to start later */
    bool full;                    /* the table of intervals */
    int64_t soonest_s;            /* begin of the reservations since the caller has set it */
    struct ends *ends;            /* NULL: without bounds */
    /* with bounds: of each slot, parts of equal length of the whole time, the nodes that are not reserved all over it */
    uint64_t *slot;               /* [slots][words] */
    int64_t begin, end, slot_s;
};

/* Over `nodes`, from now on; most: intervals. */
void space_begin(struct sched *s, const struct slurm *m, struct space *x, const uint64_t *nodes, double most);
/* With bounds from now on; nothing is reserved yet. */
void space_bound(struct sched *s, struct slurm *m, struct space *x, struct ends *ends);
int64_t space_rounded(const struct space *x, int64_t t);
void space_reserve(struct sched *s, struct slurm *m, struct space *x, int64_t begin, int64_t end, const struct seats *where);
bool space_overlaps(const struct space *x, int64_t begin, int64_t end, const struct seats *where);
/* Nodes of `nodes` that are free of reservations over [start, start + length]; scratch. */
uint64_t *space_free(struct sched *s, const struct slurm *m, const struct space *x, const uint64_t *nodes, int64_t start,
                     int64_t length);
/* The same without maintenance; *later: when more nodes appear for the first time, 0: never. */
uint64_t *space_free_over(struct sched *s, const struct slurm *m, struct space *x, job_id j, const uint64_t *nodes,
                          int64_t start, int64_t length, int64_t *later);

/* Where a plan stands in the intervals; zeroed as it begins. */
struct space_look { size_t first, seen, bad, growth; bool began, has_all, has_bad; int64_t later; };
/* The first of the times from `start` on, to which a plan for so many GPUs would go, at which it may succeed; at->later:
 * as above. -1: it ends before, in vain. */
int64_t space_hope(const struct slurm *m, struct space *x, struct space_look *at, const uint64_t *nodes, int64_t gpus,
                   int64_t start, int64_t length);
