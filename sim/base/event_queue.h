/* event_queue.h - pending events in one total order: time, kind, subject, insertion.
 *
 * Push, cancel and move cost the same however many there are; a pop costs O(log n) of what it sorts, spread over all pops. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they happen at equal times. Arrivals are not events: they stream from the
 * sorted trace, and those of an instant follow its events. */
enum event_kind {
    EVENT_JOB_END,             /* frees GPUs before they are asked for */
    /* nodes are closed to jobs that it does not name, or open again: before what waits for GPUs to be
     * released gets them */
    EVENT_RESERVATION,
    EVENT_RELEASED,            /* the grace period or the saving of an evicted job is over */
    EVENT_FAULT, EVENT_REPAIR, /* subject: a node, leaf or job, as models/failures.h numbers them */
    EVENT_QUOTA,               /* quotas of queues change */
    EVENT_SLOW,                /* of a slow fault: its onset, its detection, the end of the repair */
    EVENT_SPARE,               /* of a group: a node comes from the reserve or goes there */
    EVENT_NODE,                /* a node is ready (woken, provisioned), or its idle time is over */
    EVENT_POOL,                /* of a node pool: a node is ready, removed or reclaimed; or the
                                  autoscaler scans */
    EVENT_PROGRESS,            /* a job has started up and begins to make progress */
    EVENT_OUT_OF_MEMORY,       /* of a job at the end of its start-up: it fails */
    EVENT_TIME_LIMIT,          /* of a job: its time is over */
    EVENT_CHECKPOINT,          /* of a job: is due, or a part of it is over */
    EVENT_EPOCH,               /* of a job: it has read all its data once */
    EVENT_FLOW,                /* a transfer over a shared link is over */
    EVENT_PACE,                /* of a job: a model changes its rate */
    EVENT_NOISE,               /* of an elastic job: its gradients have become noisier */
    EVENT_SERVICE,  /* of inference services: an interval is over, or an autoscaler scans */
    EVENT_SESSION,  /* of an interactive session: it arrives, thinks, computes, is left or culled */
    EVENT_ROWS,     /* the power of rows of racks is looked at */
    EVENT_CARBON,   /* a kWh has more or less CO2 from this hour on */
};
struct event { int64_t time_ns; enum event_kind kind; uint32_t subject; };
typedef uint64_t event_id;     /* 0 is never issued; an id is not issued twice */

struct event_queue *event_queue_new(void);
void     event_queue_free(struct event_queue *q);           /* NULL: does nothing */
event_id event_queue_push(struct event_queue *q, struct event e);
bool     event_queue_peek(const struct event_queue *q, struct event *next);   /* false: empty */
int64_t  event_queue_next_ns(const struct event_queue *q);                    /* its time; INT64_MAX: empty */
/* For prefetching: the next ones, in their order. How many, up to EVENTS_AHEAD. */
enum { EVENTS_AHEAD = 5 };
size_t   event_queue_ahead(const struct event_queue *q, struct event ahead[EVENTS_AHEAD]);
bool     event_queue_pop(struct event_queue *q, struct event *next);          /* false: empty */
bool     event_queue_cancel(struct event_queue *q, event_id id);  /* false: gone already */
/* false: gone already */
bool     event_queue_move(struct event_queue *q, event_id id, int64_t time_ns);
/* Every event of that time and kind, in no order; looks at all that are earlier, too. */
void     event_queue_visit(const struct event_queue *q, int64_t time_ns, enum event_kind kind,
                           void (*visit)(void *self, uint32_t subject), void *self);
size_t   event_queue_length(const struct event_queue *q);
