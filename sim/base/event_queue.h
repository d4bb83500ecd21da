/* event_queue.h - pending events in one total order: time, kind, subject, insertion.
 *
 * An indexed 4-ary heap: push, pop, cancel and move cost O(log n). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they happen at equal times. Arrivals stream from the sorted trace and are
 * merged with the queue by the engine at EVENT_ARRIVAL's place. */
enum event_kind {
    EVENT_JOB_END,             /* frees GPUs before anyone asks for them */
    EVENT_RELEASED,            /* the grace period or the saving of an evicted job is over */
    EVENT_FAULT, EVENT_REPAIR, /* subject: a node, leaf or job, as the model of failures numbers them */
    EVENT_NODE,                /* a node is ready: woken or provisioned; or its idle time is over */
    EVENT_POOL,                /* of a node pool: a node is ready, removed or reclaimed; or the autoscaler looks */
    EVENT_PROGRESS,            /* a job has started up and begins to make progress */
    EVENT_OUT_OF_MEMORY,       /* of a job whose start-up is over: it fails */
    EVENT_CHECKPOINT,          /* of a job: is due, or a part of it is over */
    EVENT_EPOCH,               /* of a job: it has read all its data once */
    EVENT_FLOW,                /* a transfer over a shared link is over */
    EVENT_PACE,                /* of a job: a model changes its rate */
    EVENT_NOISE,               /* of an elastic job: its gradients have become noisier */
    EVENT_SERVICE,             /* of inference services: an interval is over, an autoscaler looks */
    EVENT_SESSION,             /* of an interactive session: it comes, thinks, computes, is left or culled */
    EVENT_ARRIVAL,
    EVENT_WAKE_UP,             /* the scheduling pass follows */
    EVENT_MEASUREMENT,
};
struct event { int64_t time_ns; enum event_kind kind; uint32_t subject; };
typedef uint64_t event_id;     /* 0 is never issued; an id is not issued twice */

struct event_queue *event_queue_new(void);
void     event_queue_free(struct event_queue *q);           /* NULL: does nothing */
event_id event_queue_push(struct event_queue *q, struct event e);
bool     event_queue_peek(const struct event_queue *q, struct event *next);   /* false: empty */
/* The event `i` of the heap, or false. 0: the next; those up to EVENTS_SOON: some that come soon after, the second among them. */
#define EVENTS_SOON 4
bool     event_queue_soon(const struct event_queue *q, size_t i, struct event *e);
bool     event_queue_pop(struct event_queue *q, struct event *next);          /* false: empty */
bool     event_queue_cancel(struct event_queue *q, event_id id);              /* false: gone already */
bool     event_queue_move(struct event_queue *q, event_id id, int64_t time_ns);   /* false: gone already */
size_t   event_queue_length(const struct event_queue *q);
