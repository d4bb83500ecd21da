/* ends.h - when running jobs leave their nodes by their limits, and what follows for one that waits: the
 * test of a future start of policy `slurm` (SchedMD/slurm:src/plugins/select/cons_common/job_test.c, _will_run_test).
 *
 * Jobs are taken away, end by end of their limits, in groups. A group lasts to the end of a window that
 * begins at a multiple of 30 s of the clock and doubles (bf_window_linear: grows by as much); the start is the
 * end of the last job of the group that made room. Only jobs that hold one of the nodes in question count. Nodes are
 * selected only once so many GPUs are free on these as are wanted: before that no selection succeeds.
 *
 * The list is that of a cycle: listed when it is first wanted, and jobs that the cycle starts join it. All memory is
 * scratch of the pass. */
#pragma once
#include "policies/slurm/slurm.h"

enum { ENDS_SLOTS = 64 };
/* node: its first; others: it has others. */
struct ending { job_id job; node_id node; bool others; int64_t end_s; const struct placement *place; };
struct leave { int64_t end_s, gpus; };
struct ends {
    int64_t clock;                /* that of Slurm at time 0 */
    struct ending *at;            /* [n] running jobs by their end, then number */
    size_t n, capacity;
    size_t n_listed;              /* of those that run */
    uint64_t version;             /* as of that version of the room; 0: not listed yet */
    job_id *gone;                 /* [n] room for those that are taken away */
    size_t gone_capacity;
    struct leave *leave;          /* of each node, by end: ends_by_node() */
    uint32_t *first;              /* [nodes + 1] the first of a node */
    /* [n_slots][words][levels] as in struct room, once the first 0, per_slot, ... of them have left; NULL: not known */
    uint64_t *slot;
    size_t n_slots, per_slot;
};

/* Running jobs as they are now. */
void ends_list(struct sched *s, struct slurm *m, struct ends *x);
/* GPUs of these nodes that are given up after `after_s`, until `until_s`. */
int64_t ends_gpus(const struct ends *x, const uint64_t *nodes, int64_t after_s, int64_t until_s);
/* The same by node, of those that are listed now: jobs that join later are left out. */
void ends_by_node(struct sched *s, const struct slurm *m, struct ends *x);
/* What is free once some of them have left; not where nodes have more GPUs than a room has levels. */
void ends_by_slot(struct sched *s, struct slurm *m, struct ends *x);
/* By that time fewer are free on these nodes, so nothing that wants so many starts there before. false: it may be. */
bool ends_too_few(const struct slurm *m, const struct ends *x, const uint64_t *nodes, int64_t gpus, int64_t until_s);

/* Where a job, or a component of one, may start: on `avail`, as far as victims are gone. Those of mode suspend, behind the
 * first n_removed, never end. */
struct future {
    const struct need *need;
    const uint64_t *avail;
    const job_id *victim;
    size_t n_victims, n_removed;
    int64_t until_s;              /* a later start is of no interest; 0: any is */
    /* of the search */
    size_t next, n_gone, n_given;    /* n_given: of those that are gone, their GPUs are in m->room meanwhile */
    int64_t gpus, wanted;         /* free on `avail` once they are gone */
    int64_t window_end, window;
};
/* When, and where, once jobs have ended. -1: never, or later than until_s; a job past its limit may lead to a later time
 * all the same. */
int64_t ends_start(struct sched *s, struct slurm *m, struct ends *x, struct future *f, struct seats *where);
