/* ordered.h - what the queueing disciplines share: lines in some order, served strictly or skipping, one pool or one
 * line per queue. A discipline is a key, and perhaps a cap and preemption; see fifo.c for the smallest. */
#pragma once
#include "policies/common/giving_way.h"
#include "sim/contract/policy.h"

#include <stddef.h>

enum { SCOPE_POOL, SCOPE_QUEUE };
enum { BLOCKING_STRICT, BLOCKING_SKIP };
struct ordered_params { double scope, blocking; };    /* the first member of every discipline's parameters */
extern const char *const ordered_scopes[], *const ordered_blockings[], *const ordered_no_yes[];
#define ORDERED_PARAM_SCOPE                                                                                            \
    { "scope", "pool: one line for all; queue: a line for each queue", "", 0, 0, SCOPE_POOL, ordered_scopes,           \
      offsetof(struct ordered_params, scope) }
#define ORDERED_PARAM_BLOCKING(usual)                                                                                  \
    { "blocking", "strict: the first that does not fit blocks its line; skip: it is passed over", "", 0, 0, usual,     \
      ordered_blockings, offsetof(struct ordered_params, blocking) }
#define ORDERED_PARAM_PREEMPT(who, at)                                                                                 \
    { "preempt", "yes: running jobs give way whose " who, "", 0, 0, 0, ordered_no_yes, at }

struct discipline {
    struct line_key (*key)(struct sched *s, job_id j, const void *params);    /* of a waiting job */
    bool preempts;                /* whoever is behind in the order gives way */
    bool shrinks;                 /* the key is the time still to run (key_remaining): it falls while the job runs */
    bool by_gpus;                 /* or that time x GPUs (key_service) */
    /* Of a job that has come up in the order since it started or was moved: where it is now. NULL: as when it started. */
    struct line_key (*present)(struct sched *s, const struct ordered *o, job_id j);
    /* May j start as far as its queue is concerned? false: *why says why not. NULL: always. */
    bool (*admits)(struct sched *s, job_id j, enum wait_reason *why);
    /* Starts j, which does not fit or is suspended, where others give way; false: nothing has changed, and *why may say why
     * not. NULL: as `preempts` says, and nobody is ever suspended. */
    bool (*makes_room)(struct sched *s, struct ordered *o, job_id j, enum wait_reason *why);
};

struct ordered_queue { struct line *waiting; bool listed; job_id blocked; };    /* blocked: the last head that did not fit */
struct ordered {
    const struct discipline *discipline;
    const void *params;
    struct ordered_queue *queue;  /* one, or one per queue */
    bool per_queue;
    queue_id *busy;               /* those in which somebody may wait */
    size_t n_busy;
    struct running *running;      /* by queue, the pool last; NULL: nobody gives way */
    uint64_t pass;
    struct dropped *dropped;      /* stopped in this pass and not yet placed again */
    size_t n_dropped, dropped_capacity;
};
void ordered_begin(struct sched *s, struct ordered *o, const struct discipline *d, const void *params);
void ordered_arrived(struct sched *s, struct ordered *o, job_id j);
void ordered_started(struct sched *s, struct ordered *o, job_id j);
void ordered_stopped(struct sched *s, struct ordered *o, job_id j);
void ordered_moved(struct sched *s, struct ordered *o, job_id j);    /* its key is another one now, waiting or running */
bool ordered_serve(struct sched *s, struct ordered *o);              /* true: somebody is left waiting */

const job_id *ordered_jobs(struct sched *s, const struct ordered *o, size_t *n);    /* who waits or runs; scratch */

/* Of a running job: the key under which it stands in its line, as of now; and the one by which it is judged, the same or better. */
struct line_key ordered_bound(struct sched *s, const struct ordered *o, job_id j, struct line_key k);
struct line_key ordered_present(struct sched *s, const struct ordered *o, job_id j, struct line_key bound);

/* The callbacks of a discipline whose state is a struct ordered. */
#define ORDERED_CALLBACKS(prefix, discipline)                                                                          \
    static void prefix##_begin(struct sched *s, const void *params, void *state)                                       \
    {                                                                                                                  \
        ordered_begin(s, state, discipline, params);                                                                   \
    }                                                                                                                  \
    static void prefix##_schedule(struct sched *s, const void *params, void *state)                                    \
    {                                                                                                                  \
        (void)params;                                                                                                  \
        ordered_serve(s, state);                                                                                       \
    }                                                                                                                  \
    static void prefix##_arrived(struct sched *s, const void *params, void *state, job_id j)                           \
    {                                                                                                                  \
        (void)params;                                                                                                  \
        ordered_arrived(s, state, j);                                                                                  \
    }                                                                                                                  \
    static void prefix##_started(struct sched *s, const void *params, void *state, job_id j)                           \
    {                                                                                                                  \
        (void)params;                                                                                                  \
        ordered_started(s, state, j);                                                                                  \
    }                                                                                                                  \
    static void prefix##_stopped(struct sched *s, const void *params, void *state, job_id j, enum stop_cause why)      \
    {                                                                                                                  \
        (void)params;                                                                                                  \
        (void)why;                                                                                                     \
        ordered_stopped(s, state, j);                                                                                  \
    }
#define ORDERED_TABLE(prefix)                                                                                          \
    .abi = POLICY_ABI, .state_size = sizeof(struct ordered), .begin = prefix##_begin, .schedule = prefix##_schedule,   \
    .job_arrived = prefix##_arrived, .job_started = prefix##_started, .job_stopped = prefix##_stopped

/* Keys that more than one discipline uses. */
struct line_key key_submit(struct sched *s, job_id j, const void *params);
struct line_key key_remaining(struct sched *s, job_id j, const void *params);     /* needs SEES_RUN_TIME */
struct line_key key_service(struct sched *s, job_id j, const void *params);       /* the same x GPUs */
struct line_key key_priority(struct sched *s, job_id j, const void *params);      /* higher first, then by submit time */
