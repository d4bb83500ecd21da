/* preemption_order.h - the running jobs of policy `preemptive`, in the order in which they are
 * preempted, and how much each class of them holds.
 *
 * The order is by priority, then fewest nodes, then youngest; or, with `youngest`, by start time
 * alone (SchedMD/slurm:src/interfaces/preempt.c). Ties by id. A job that gives way to others has
 * their scope: none, or its queue where that has nodes of its own.
 *
 * A class are the preemptible jobs of one scope and one priority. What it holds is kept as jobs
 * start and stop, so that a job that all lower ones together could not help is told so in O(classes
 * below it), without a look at any of them. It is an upper bound: a job that shares a GPU may be
 * alone on it, one that has lost tasks counts with all of them, and not all of a class may be
 * stopped at any time.
 *
 * A job joins and leaves by notices, so nothing changes within a pass. To join and to leave cost
 * O(log jobs + classes). All memory lives as long as the run. Zeroed, it is empty. */
#pragma once
#include "policies/common/ranking.h"

struct preemption_class {
    queue_id scope;
    int32_t priority;
    uint32_t jobs;                /* above 0 */
    int64_t held_milli;
};
struct preemption_classes {
    struct preemption_class *class;           /* [n] by scope, then priority, ascending */
    size_t n, capacity;
};
struct preemption_order {
    struct ranking jobs;
    int64_t *held_milli;          /* [n_held] by entry: what is counted of the job */
    size_t n_held;
    struct preemption_classes classes;
};

/* by 1: a job with so much joins the class; by -1: it leaves. */
void preemption_classes_count(struct sched *s, struct preemption_classes *c, queue_id scope,
                              int32_t priority, int64_t milli, int by);
/* Those of the scope and of strictly lower priority hold as much. */
bool preemption_classes_hold(const struct preemption_classes *c, queue_id scope, int32_t priority,
                             int64_t milli);

/* ID_NONE: those of all queues without nodes of their own. */
queue_id preemption_scope(const struct sched *s, job_id j);
/* GPUs on which the placement has something, as whole ones. */
int64_t preemption_held_milli(const struct placement *p);
/* The nodes of p: distinct, ascending; scratch. */
node_id *preemption_nodes(struct sched *s, const struct placement *p, size_t *n);

/* j runs. */
void preemption_order_add(struct sched *s, struct preemption_order *o, job_id j, bool youngest);
/* It does not any more; or never did. */
void preemption_order_drop(struct sched *s, struct preemption_order *o, job_id j);
/* Jobs of the scope of j and of strictly lower priority might free as much. */
bool preemption_order_holds(const struct sched *s, const struct preemption_order *o, job_id j,
                            int64_t milli);
