/* queues.h - the queue tree with its books; lines, ordered sets of jobs that a policy keeps; why
 * jobs wait.
 *
 * Amounts are in the units of struct amount. UNLIMITED in a field: no bound. */
#pragma once
#include "placement.h"

struct sched;

/* ---- Queues ---- */

#define UNLIMITED INT64_C(-1)
struct quota { struct amount deserved, limit; };
/* Quotas of a queue for a time, once or again and again; QUOTA_UNSAID in a field: the queue's own. */
#define QUOTA_UNSAID (UNLIMITED - 1)
struct quota_window {
    int64_t from_ns, until_ns;
    int64_t every_ns;             /* from one to the next; 0: once */
    struct quota quota;
};
/* How a queue shares quota with its cohort, in Kueue's terms (kubernetes-sigs/kueue:apis/kueue:
 * ClusterQueuePreemption, ResourceQuota). A choice of -1 is inherited from the parent; at the top
 * it is 0. */
/* A head that is not admitted is set aside; or blocks its queue. */
enum queueing { BEST_EFFORT_FIFO, STRICT_FIFO };
/* Its own jobs that it may stop. */
enum within_queue { WITHIN_NEVER, WITHIN_LOWER_PRIORITY, WITHIN_LOWER_OR_NEWER_EQUAL };
/* Jobs of borrowing queues. */
enum reclaim_within_cohort { RECLAIM_NEVER, RECLAIM_LOWER_PRIORITY, RECLAIM_ANY };
/* The same for a job that would borrow. */
enum borrow_within_cohort { BORROW_NEVER, BORROW_LOWER_PRIORITY };
struct cohort_rules {
    struct amount borrowing_limit, lending_limit;
    int queueing, within_queue, reclaim, borrow;
    /* jobs above it are not stopped for a job that would borrow; INT32_MAX: no bound */
    int32_t borrow_priority_threshold;
};
/* A quota of one flavor, for the policies cohort and quota. `group`: of resources, each of which takes one
 * flavor; flavors are tried in the order of the list. Nominal UNLIMITED: not counted. */
struct flavor_quota { uint32_t flavor, group; struct amount nominal, borrowing, lending; };
/* When the search for a flavor goes on behind one that fits by borrowing, or by preempting; and
 * what is better then (kubernetes-sigs/kueue:apis/kueue, FlavorFungibility). 0: Kueue's defaults. */
enum when_can_borrow { BORROW_STOPS, BORROW_TRIES_NEXT };
enum when_can_preempt { PREEMPT_TRIES_NEXT, PREEMPT_STOPS };
enum flavor_preference { BORROWING_OVER_PREEMPTION, PREEMPTION_OVER_BORROWING };
struct fungibility { int when_can_borrow, when_can_preempt, preference; };
/* Whether the queues below it are its local queues, and which of these goes first: Kueue's LocalQueue
 * and admission mode (kubernetes-sigs/kueue:apis/kueue, LocalQueue, AdmissionScope). */
enum local_queues { LOCAL_QUEUES_NONE, LOCAL_QUEUES_FIFO, LOCAL_QUEUES_BY_USE };
/* From the cluster file; never changes, but for the quota of a queue with windows: always the one in
 * force, and with it that of a queue that `sums`. */
struct queue_facts {
    const char *name;
    /* ID_NONE ends; children by id, above the id of their parent */
    queue_id parent, first_child, next_sibling;
    struct quota quota;
    /* its deserved GPUs are not its own but the sum of its children's, at most its limit: in a cohort,
     * where quota of its own comes on top of theirs, it has none */
    bool sums;
    double weight, cpu_weight, mem_weight;        /* over quota: of GPUs, CPUs, memory */
    int32_t priority;
    /* its jobs are not stopped before; -1: inherited */
    int64_t preempt_min_runtime_ns, reclaim_min_runtime_ns;
    /* GPU time that it, with those below it, may hold in a month; 0: no budget */
    int64_t budget_gpu_milli_s;
    struct cohort_rules cohort;
    const struct flavor_quota *flavor_quota;      /* [n_flavor_quotas]; none: it has none */
    uint32_t n_flavor_quotas, n_windows;
    const struct quota_window *window;            /* [n_windows] the first that is on holds */
    struct fungibility fungibility;
    /* owns nodes: its jobs run there and nowhere else, and no other queue's do */
    bool pinned;
    int local_queues;             /* enum local_queues */
};
uint32_t queue_count(const struct sched *s);
const struct queue_facts *queue_facts(const struct sched *s, queue_id q);
/* Grows when quotas change; 0 for ever: no queue has windows. There is a pass then. */
uint64_t queue_quota_version(const struct sched *s);
/* GPUs that it deserves at most at any time, in thousandths; UNLIMITED: no bound. */
int64_t queue_most_deserved(const struct sched *s, queue_id q);

/* The books, summed up the tree at every staged change and rollback: O(depth). held: running or
 * claimed; a job that only waits to be released is not held any more. held_firm: the part of held
 * that non-preemptible jobs hold. pending: asked for by waiting jobs. */
struct amount queue_held(const struct sched *s, queue_id q);
struct amount queue_held_firm(const struct sched *s, queue_id q);
struct amount queue_pending(const struct sched *s, queue_id q);
/* Limits are the world's, and bind every policy: a start or resize that would take what a queue, or
 * one above it, holds over its limit is refused (SCHED_OVER_LIMIT), and sched_place() and
 * sched_fits() find no place for it (WAIT_LIMIT). Only what is asked for counts: a job without GPUs
 * may start in a queue at its limit_gpus. A job held by a limit blocks no job of other queues. */
bool queue_over_limit(const struct sched *s, queue_id q, struct amount more);
/* The same for all that j asks for; false without a look at the tree where no queue has a limit. */
bool job_over_limit(const struct sched *s, job_id j);
/* The budget of the month is spent: what the jobs of q and of the queues below it have held since
 * the month began has reached q's own budget; queues above it are not looked at. Held as in
 * intervals.csv: from the start until the GPUs are free. Exact. Months are those of the calendar,
 * in UTC, if the trace gives the date of time 0 (the first is then shorter); else 30 days each. */
bool queue_budget_spent(struct sched *s, queue_id q);
int64_t sched_month_end_ns(const struct sched *s);
/* Past use of GPUs. From queue_usage_decays() on, which belongs in begin(), the GPU time that the
 * jobs of each queue and of the queues below it hold is added up, from their start until the GPUs
 * are free, and counts half after each half-life; so does the GPU time of the nodes that are up.
 * queue_usage() is the first as a part of the second, 0 to 1: now, or at a later time if nothing
 * changes until then. Exact, whenever passes are made. 0 before any time has passed. */
void queue_usage_decays(struct sched *s, int64_t half_life_ns);
double queue_usage(const struct sched *s, queue_id q, int64_t time_ns);
/* The queues with books that have changed since the last call, each once, in any order. The list is
 * good until the books change. */
size_t queue_changes(struct sched *s, const queue_id **queues);
/* Flavors. A job counts in one flavor, all of it: at its arrival the first of its queue's list that
 * holds it, flavor_holds() (ID_NONE: none), until the policy says otherwise with sched_count_in(). The books of
 * queue q for the jobs that count in a flavor, summed up the tree, have an id of their own, which
 * queue_held(), queue_held_firm(), queue_pending(), queue_usage() (a part of the nodes of the
 * flavor), queue_fair_share() and queue_changes() know: queue_in_flavor(). */
queue_id queue_in_flavor(const struct sched *s, queue_id q, uint32_t flavor);
uint32_t job_flavor(const struct sched *s, job_id j);
/* What it deserves there and may hold at most: cluster_flavor_quota(). false: nothing is said. */
bool queue_flavor_quota(const struct sched *s, queue_id q, uint32_t flavor, struct quota *to);
/* Reports the queue's present fair share, for queues.csv and its plots. The last report stands; a
 * rollback does not undo it. */
void queue_fair_share(struct sched *s, queue_id q, struct amount share);

/* ---- Lines ---- */

/* A line is an ordered set of jobs, waiting or running: by key, ties by id. Inside it, jobs of one
 * shape form a sub-line, so that a shape that cannot start is passed over at once. Push and remove,
 * O(log n), belong in notices; in schedule() they serve to change keys, and are undone by a
 * rollback. A job started in this pass stays in its line until its notice comes or the policy
 * removes it. A line lives as long as the run. */
struct line;
/* Ascending, in this order, then by id. */
struct line_key { double major, minor; int64_t time_ns; };
struct line *line_new(struct sched *s);
/* Prefetch: where a job of the shape would come to stand. Changes nothing but the time. */
void   line_fetch(const struct line *l, shape_id shape);
/* A job that is in the line moves. */
void   line_push(struct line *l, job_id j, struct line_key k);
bool   line_remove(struct line *l, job_id j);                     /* false: it was not in */
size_t line_length(const struct line *l);
/* false: empty. k may be NULL, here and below */
bool   line_first(const struct line *l, job_id *j, struct line_key *k);
/* Of that shape; O(1). */
bool   line_first_of(const struct line *l, shape_id shape, job_id *j, struct line_key *k);
bool   line_last(const struct line *l, job_id *j, struct line_key *k);
/* The one before *j; false: it is the first, or not in. */
bool   line_before(const struct line *l, job_id *j, struct line_key *k);

/* A walk visits the line in order, and continues from the key that it had reached after pushes and
 * removals. */
/* At = {0} before the first call; good until the pass ends. */
struct line_walk { const struct line *l; uint64_t at[4]; };
bool   line_next(struct line_walk *w, job_id *j);            /* false: no more. O(log shapes) */
/* Of the job that the last line_next() gave. */
struct line_key line_walk_key(const struct line_walk *w);
shape_id line_walk_shape(const struct line_walk *w);
/* The rest of this walk leaves the shape out. */
void   line_skip_shape(struct line_walk *w, shape_id shape);
/* The rest of this walk may leave out jobs of the shape of the job just given that wait for
 * WAIT_RESERVED already and have no shorter estimate than this. A hint: when the line changes
 * meanwhile, they are given all the same. */
void   line_skip_longer(struct line_walk *w, int64_t estimate_ns);
/* The walk leaves out each shape that asks for more whole GPUs than are free in `room` when its
 * first job is reached, as if that job had been given and had no place: it waits with its group,
 * and the group for WAIT_GPUS. Of a shape that fits by totals alone and has no limit the same when a
 * later job is reached, unless that has a plan or line_skip_longer() was said of the shape. */
void   line_skip_full(struct line_walk *w, const struct view *room);
/* With line_skip_full() of what is idle: the walk leaves out jobs that wait for WAIT_RESERVED already
 * and would, started now, still run at that instant, where timeline_lacks() their shape, as if each
 * had been given, was told so again, and had been followed by line_skip_longer(). Given are those
 * that have a plan, may be over a limit, or do not fit by totals alone. For policies that need
 * SEES_TIMELINE. */
void   line_skip_reserved(struct line_walk *w, int64_t at_ns);
/* The estimate from which on jobs of the shape of the last answer are left out; TIME_NEVER: none. */
int64_t line_skipped_longer(const struct line_walk *w);
/* Marks of a job in a line: bits whose meaning the policy knows, none when it is pushed. O(log n). */
void   line_mark(struct line *l, job_id j, uint8_t marks);
/* The walk may leave out jobs of the shape of the job just given that have this mark, one bit, until
 * line_give_marked(): then all that stand behind the job just given are given again, but for shapes
 * that line_skip_shape() has left out. Of one shape the last of this and line_skip_longer() holds. A
 * hint: when the line changes meanwhile, they are given all the same. */
void   line_skip_marked(struct line_walk *w, uint8_t mark);
void   line_give_marked(struct line_walk *w);

/* ---- Why jobs wait ---- */

enum wait_reason {
    WAIT_ORDER,        /* behind others; also until a reason is given */
    WAIT_LIMIT,        /* its queue is at its limit */
    WAIT_QUOTA,        /* its queue is over quota, and nothing is idle */
    WAIT_PROTECTED,    /* its queue is within its quota, but the victims are protected */
    WAIT_GPUS,         /* too few GPUs are free */
    WAIT_FRAGMENTED,   /* enough are free, but not together */
    WAIT_TOPOLOGY,     /* no domain of the required level has room */
    WAIT_TYPE,         /* none of its GPU models is free or there */
    WAIT_GANG,         /* holds some tasks, lacks the minimum */
    WAIT_RESERVED,     /* would fit, but would delay a promise */
    WAIT_RELEASING,    /* has its GPUs, their last users are leaving: set by the simulator */
    /* for the next pass of a periodic scheduler: set by the simulator; or a back-off */
    WAIT_PASS,
    WAIT_DEPENDENCY,   /* on another job: set by the simulator */
    WAIT_OTHER,
    WAIT_POWER,        /* would fit, but for a power cap; only where the cluster has one */
    /* would fit, but for nodes that are reserved for others, or will be; only where some are */
    WAIT_RESERVATION,
    WAIT_REASONS,
    WAIT_GROUP         /* for sched_blocked() and line_blocked(): no longer a reason of its own */
};
/* From now on every job of this shape (ID_NONE: every job) in this line waits for that reason, jobs
 * that join later too: exact, and O(1). Time is added up per group and split at the start of a job.
 * A job's own sched_blocked() comes first, then (line, shape), then the line, then WAIT_ORDER. A
 * job in several lines belongs to the one that it joined last. */
void line_blocked(struct sched *s, struct line *l, shape_id shape, enum wait_reason why);
