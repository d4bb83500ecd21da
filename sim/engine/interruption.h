/* interruption.h - jobs interrupted by a node failure, by maintenance or by a reservation of others. models.md 8.4.
 *
 * A failure of any of its GPUs stops all of a job at once: no progress from then on, back to the last durable checkpoint, and the
 * GPUs that it has are held until the failure is found (ACCOUNT_FAULT). Then it waits again, as submitted, or gives up. Maintenance
 * or a reservation stops it like a policy would (STOP_SAVE). A job, or a part of a gang, that is leaving and still saves loses what it saves: back to the
 * last durable checkpoint. A suspended job loses its memory, claims are given back, and a gang that gathers gives up all that it holds. */
#pragma once
#include "sim/contract/policy.h"
#include "sim/models/failures.h"

struct live;
enum { CAUSE_MAINTENANCE = FAULT_CAUSES, CAUSE_DRAIN, CAUSE_RECLAIM, CAUSE_RESERVATION,
       INTERRUPTION_CAUSES };    /* besides enum fault_cause; drain: claims alone;
                                                                      reclaim: of spot nodes, in so long (pools.c) */
extern const char *const interruption_cause_name[INTERRUPTION_CAUSES];
struct interruption {
    unsigned cause;
    node_id first, end;           /* these nodes are out of service, or closed to it, already */
    uint64_t gpus;                /* these alone of the one node; 0: all there is */
    int64_t detection_ns;         /* reclaim: the notice; a job that cannot save in it does not try */
};
void interrupt_nodes(struct sched *s, const struct interruption *by);              /* jobs in ascending order */
/* The nodes are no more: what is still leaving them leaves now, all of it. What it saves is lost,
 * and a failure is found. */
void interrupt_gone(struct sched *s, const struct interruption *by);
/* Of these jobs alone those that it takes. NULL: all. */
typedef bool interrupted_kind(const struct sched *s, job_id j, const void *of);
void interrupt_some(struct sched *s, const struct interruption *by, interrupted_kind *takes, const void *of);
void interrupt_job(struct sched *s, struct live *l, const struct interruption *by);    /* a running job, alone */
