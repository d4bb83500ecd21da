/* queues.h - the queue tree with its books; lines: ordered sets of jobs that a policy keeps; why jobs wait. */
#pragma once
#include "placement.h"

struct sched;

#define UNLIMITED INT64_C(-1)
struct quota { struct amount deserved, limit; };  /* UNLIMITED per field */
/* How a queue shares quota with its cohort, in Kueue's terms (kubernetes-sigs/kueue:apis/kueue: ClusterQueuePreemption,
 * ResourceQuota). -1 in a choice: as the parent says, and 0 at the top. */
enum queueing { BEST_EFFORT_FIFO, STRICT_FIFO };             /* a head that is not admitted is set aside; or blocks its queue */
enum within_queue { WITHIN_NEVER, WITHIN_LOWER_PRIORITY, WITHIN_LOWER_OR_NEWER_EQUAL };    /* whom of its own it stops */
enum reclaim_within_cohort { RECLAIM_NEVER, RECLAIM_LOWER_PRIORITY, RECLAIM_ANY };         /* whom of those who borrow */
enum borrow_within_cohort { BORROW_NEVER, BORROW_LOWER_PRIORITY };     /* and whom for a job that would borrow itself */
struct cohort_rules {
    struct amount borrowing_limit, lending_limit;            /* UNLIMITED per field */
    int queueing, within_queue, reclaim, borrow;
    int32_t borrow_priority_threshold;   /* above it nobody is stopped for a job that would borrow; INT32_MAX: no such bound */
};
struct queue_facts {              /* from the cluster file; never changes */
    const char *name;
    queue_id parent, first_child, next_sibling;   /* ID_NONE ends; children by id */
    struct quota quota;
    double weight, cpu_weight, mem_weight;        /* over quota: of GPUs, CPUs, memory */
    int32_t priority;
    int64_t preempt_min_runtime_ns, reclaim_min_runtime_ns;    /* its jobs are not stopped before; -1: as the parent says */
    int64_t budget_gpu_milli_s;   /* GPU time that it, with those below it, may hold in a month; 0: no budget */
    struct cohort_rules cohort;
    bool pinned;                  /* owns nodes: its jobs run there and nowhere else, and no other queue's do */
};
uint32_t queue_count(const struct sched *s);
const struct queue_facts *queue_facts(const struct sched *s, queue_id q);

/* The books, summed up the tree at every staged change and rollback: O(depth). held counts what is running or claimed;
 * what only waits to be released is not held any more. pending: asked for by waiting jobs. */
struct amount queue_held(const struct sched *s, queue_id q);
struct amount queue_held_firm(const struct sched *s, queue_id q);    /* that part of held which non-preemptible jobs hold */
struct amount queue_pending(const struct sched *s, queue_id q);
/* Months: of the calendar, in UTC, if the trace tells the date of time 0 (the first is then cut short); else 30 days each, from time
 * 0. Spent: what its jobs, and those of the queues below it, have held since the month began has reached its own budget; those of
 * the queues above it are not looked at. Held is what intervals.csv says: from the start until they have left. Exact. */
bool queue_budget_spent(struct sched *s, queue_id q);
int64_t sched_month_end_ns(const struct sched *s);
/* The queues whose books have changed since this was asked last, each once, in any order: to refresh what is made of them. The list
 * is good until the books change again. */
size_t queue_changes(struct sched *s, const queue_id **queues);
/* What the policy at present holds to be the queue's fair share, for queues.csv and its plots. The last one told stands; a
 * rollback does not take it back. */
void queue_fair_share(struct sched *s, queue_id q, struct amount share);

/* A line is an ordered set of jobs, waiting or running: by key, ties by id. Inside it, jobs of one shape form a
 * sub-line, so that a shape that cannot start is passed over as one. Push and remove, O(log n), belong in notices; in
 * schedule() they serve to re-key and are undone like everything else. A job started in this pass stays in its line
 * until its notice comes or the policy removes it. */
struct line;
struct line_key { double major, minor; int64_t time_ns; };   /* ascending, then id */
struct line *line_new(struct sched *s);                      /* owned by the run */
void   line_push(struct line *l, job_id j, struct line_key k);    /* in this line already: moves */
bool   line_remove(struct line *l, job_id j);                     /* false: was not in */
size_t line_length(const struct line *l);
bool   line_first(const struct line *l, job_id *j, struct line_key *k);   /* false: empty. k may be NULL */
bool   line_first_of(const struct line *l, shape_id shape, job_id *j, struct line_key *k);    /* of that shape; O(1) */
bool   line_last(const struct line *l, job_id *j, struct line_key *k);
bool   line_before(const struct line *l, job_id *j, struct line_key *k);   /* the one before *j; false: it is the first, or not in */

/* A walk visits the line in order and goes on from the key that it had reached, whatever was pushed or removed since. */
struct line_walk { const struct line *l; uint64_t at[4]; };  /* at = {0} before the first call; dies with the pass */
bool   line_next(struct line_walk *w, job_id *j);            /* O(log shapes); false: no more */
struct line_key line_walk_key(const struct line_walk *w);    /* of the job that the last line_next gave */
void   line_skip_shape(struct line_walk *w, shape_id shape); /* the rest of this walk leaves it out */
/* The rest of this walk may leave out those of the shape, the job just given, that wait for WAIT_RESERVED already and
 * whose estimate is no shorter than this. A hint: when the line changes meanwhile, they are given all the same. */
void   line_skip_longer(struct line_walk *w, int64_t estimate_ns);
/* The walk leaves out each shape that asks for more whole GPUs than are free in `room` when its first job is reached.
 * As if that job had been given and had no room: it waits with its group, and the group for WAIT_GPUS. */
void   line_skip_full(struct line_walk *w, const struct view *room);

/* Why jobs wait, exactly and at O(1): from now on everyone of this shape (ID_NONE: everyone) in this line waits for
 * that reason, whoever joins later too. The host adds up time per group and splits it at the start. A job's own
 * sched_blocked comes first, then (line, shape), then the line, then WAIT_ORDER. A job in several lines belongs to the one it joined last. */
enum wait_reason {
    WAIT_ORDER,        /* behind others; also the reason until one is given */
    WAIT_LIMIT,        /* its queue is at its cap */
    WAIT_QUOTA,        /* its queue is over quota and nobody is idle */
    WAIT_PROTECTED,    /* owed, but the victims are protected */
    WAIT_GPUS,         /* too few GPUs are free */
    WAIT_FRAGMENTED,   /* enough are free, but not together */
    WAIT_TOPOLOGY,     /* no domain of the required level has room */
    WAIT_TYPE,         /* none of its GPU models is free or there */
    WAIT_GANG,         /* holds some tasks, lacks the minimum */
    WAIT_RESERVED,     /* would fit, but would delay a promise */
    WAIT_RELEASING,    /* has its GPUs, their last users are leaving: set by the host */
    WAIT_PASS,         /* until the next pass of a periodic scheduler: set by the host; or a back-off */
    WAIT_DEPENDENCY,   /* on another job: set by the host */
    WAIT_OTHER,
    WAIT_POWER,        /* it would fit, but a power cap would not hold. Only where the cluster has one */
    WAIT_REASONS,
    WAIT_GROUP         /* for sched_blocked and line_blocked: no longer a reason of its own */
};
void line_blocked(struct sched *s, struct line *l, shape_id shape, enum wait_reason why);
